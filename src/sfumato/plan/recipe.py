"""What every registered method is, whether for tables, networks, streams or counts.

A method is a `Recipe`: what `sfumato methods` says of it, and how a plan is made from public
facts, a budget and options.  Such a plan is `Priced`: its budget, what each part of it costs, and
what is promised.  What differs between the kinds of data stays with them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar, Generic, TypeVar

import pyarrow as pa

from sfumato.errors import ParameterError
from sfumato.plan.case import ContractCase
from sfumato.plan.terms import ReleaseTerms
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import Guarantee, Heuristic, LocalDP, PureDP
from sfumato.privacy.mechanism import Event
from sfumato.untrusted.fact_table import fact_table
from sfumato.untrusted.misspelt import did_you_mean

__all__ = ["Family", "Priced", "Recipe"]

Public = TypeVar("Public")  # the facts that a plan is made from: a domain, a topology, a length
Planned = TypeVar("Planned", bound="Priced")


class Family(StrEnum):
    """What methods have in common; they are listed in this order, and by name within it."""

    COUNTS = "counts of one and two columns"
    MOMENTS = "means and covariances"
    COMPONENTS = "components alone"
    RECORDS = "one noisy row for each record"
    PROVED = "with a proof"
    BASELINE = "baselines to compare with"
    UNPROVED = "without a promise"


@dataclass(frozen=True, eq=False, kw_only=True)
class Priced:
    """A plan: what will be measured, at which price, made from public facts alone."""

    method: str
    budget: Budget | None  # None for methods that promise nothing and need no noise scale
    events: tuple[Event, ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    # Why nothing is promised, where nothing is; the budget then only sets the noise.
    unproved: Heuristic | None = None
    limits: tuple[str, ...] = ()
    # Whether each record is changed by itself, so that whoever holds one can do it alone.
    local: bool = False
    # Why the release is expected to be hardly better than guessing, where it is.
    doubt: str | None = None

    @property
    def guarantee(self) -> Guarantee:
        """What the release will promise: the budget it was planned for, or plainly nothing."""
        if self.local and isinstance(self.budget, PureDP):
            return LocalDP(self.budget.epsilon)
        promised = self.unproved or self.budget
        assert promised is not None  # noqa: S101  a plan without a budget says why it has none
        return promised

    def _repr_html_(self) -> str:
        rows = [(event.statistic, event.law, event.cost) for event in self.events]
        headings = ("measured", "how", "price")
        note = f"Promise: {self.guarantee}."
        if self.doubt is not None:
            note += f" {self.doubt}"
        return fact_table(f"Plan: {self.method}", rows, headings=headings, note=note)

    def terms_for(
        self,
        subject: Mapping[str, Any],
        *,
        columns: pa.Schema | None,
        invariants: tuple[str, ...],
        caveats: tuple[str, ...],
    ) -> ReleaseTerms:
        """The plan as ledger and certificate see it; its own limits stand before the `caveats`."""
        return ReleaseTerms(
            method=self.method,
            options=self.options,
            budget=self.budget,
            guarantee=self.guarantee,
            events=self.events,
            subject=subject,
            columns=columns,
            invariants=invariants,
            caveats=(*self.limits, *caveats),
            doubt=self.doubt,
        )


@dataclass(frozen=True)
class Recipe(Generic[Public, Planned]):
    """A method in the registry: what is said of it, how it is planned, how it is tried out."""

    kind: ClassVar[str]  # of data: a key of `registry.PACKAGES`

    name: str
    summary: str  # what it does, in a sentence
    promise: str
    source: str
    proof: str  # page, below docs/
    plan: Callable[..., Planned] = field(repr=False)
    options: Mapping[str, str] = field(default_factory=dict)
    # What certificates mean that do not state these options: they were made before there were any.
    earlier: Mapping[str, Any] = field(default_factory=dict)
    budgeted: bool = True  # whether a budget has any meaning here
    family: Family = Family.PROVED
    use: str = ""  # when to choose it, in a few words
    example: str = ""  # a command, where its page cannot make one up; -o release/ is added
    # What the common tests publish with it; a method without one is tested by nobody.
    contract: tuple[ContractCase, ...] = field(default=(), repr=False)

    def check_options(self, options: Mapping[str, Any]) -> None:
        """Refuse what the method has no option for."""
        for name in options:
            if name not in self.options:
                known = ", ".join(self.options) or "none"
                hint = did_you_mean(name, self.options)
                raise ParameterError(f"{self.name} has no option {name}{hint}; it has: {known}")

    def check_facts(self, public: Public) -> None:
        """Refuse public facts that the method cannot do justice to."""

    def price(self, public: Public, budget: Budget | None, options: Mapping[str, Any]) -> Planned:
        """A plan from these facts and this budget; unknown options are refused by name."""
        self.check_options(options)
        self.check_facts(public)
        return self.plan(public, budget, **options)
