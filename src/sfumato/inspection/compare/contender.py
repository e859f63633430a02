"""Which methods fit a schema at a budget, from public facts alone, and why the others do not."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sfumato.errors import MissingExtra, ParameterError, Refused
from sfumato.methods import METHODS, method
from sfumato.plan import Plan
from sfumato.privacy.guarantee import Heuristic, Number
from sfumato.publishing.table import price
from sfumato.publishing.transaction import check_promise
from sfumato.schema.domain import Domain

__all__ = ["Contender", "contenders", "methods_named", "planned"]


@dataclass(frozen=True, slots=True)
class Contender:
    """A method at a budget; `epsilon` is None where no budget has a meaning."""

    method: str
    epsilon: str | None
    delta: str | None
    promise: str
    proved: bool

    @property
    def budget(self) -> dict[str, Any]:
        """The budget as `publish` takes it."""
        stated = {"epsilon": self.epsilon, "delta": self.delta}
        return {name: figure for name, figure in stated.items() if figure is not None}


def methods_named(names: Sequence[str] | None) -> tuple[str, ...]:
    """The methods to look at, all of them by default; an unknown name is refused."""
    if names is None:
        return tuple(METHODS)
    if not names or len(set(names)) < len(names):
        raise ParameterError("methods must name each method once")
    return tuple(method(name).name for name in names)


def contenders(
    domain: Domain,
    names: Sequence[str],
    epsilons: Sequence[str],
    delta: str | None,
    *,
    accept_no_guarantee: bool,
) -> tuple[tuple[Contender, ...], dict[str, str]]:
    """Those that can be run, and of the others why not.

    A method that knows pure noise only is run without the delta: its promise is stronger.

    >>> from sfumato.example import CLINIC
    >>> from sfumato.schema import Schema
    >>> domain = Domain.of(Schema.parse(CLINIC))
    >>> found, refused = contenders(
    ...     domain, ["dp-lda", "analyze-gauss", "svd"], ["1"], None, accept_no_guarantee=False)
    >>> [(one.method, one.promise) for one in found], sorted(refused)
    ([('dp-lda', '1-differential privacy')], ['analyze-gauss', 'svd'])
    """
    found: list[Contender] = []
    refused: dict[str, str] = {}
    for name in names:
        for epsilon in epsilons if METHODS[name].budgeted else (None,):
            try:
                plan, used = planned(domain, name, epsilon, delta)
                check_promise(plan.terms, accept_no_guarantee)
            except (Refused, MissingExtra) as error:
                refused.setdefault(name, str(error))
                continue
            proved = not isinstance(plan.guarantee, Heuristic)
            promise = str(plan.guarantee) if proved else "none: no proof"
            found.append(Contender(name, epsilon, used, promise, proved))
    ran = {one.method for one in found}
    return tuple(found), {name: why for name, why in refused.items() if name not in ran}


def planned(
    domain: Domain, name: str, epsilon: Number | None, delta: Number | None
) -> tuple[Plan, str | None]:
    """The plan, and the delta it uses: none where the method takes none."""
    if epsilon is None or delta is None:
        return price(domain.schema, method=name, epsilon=epsilon), None
    try:
        return price(domain.schema, method=name, epsilon=epsilon, delta=delta), str(delta)
    except Refused:
        return price(domain.schema, method=name, epsilon=epsilon), None
