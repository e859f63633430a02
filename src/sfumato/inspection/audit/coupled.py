"""Neighbours under the same outputs: the same release must follow, at the promised price.

The code that publishes runs on D; then on D′, with the noise that makes every noisy number
come out as before.  If all that leaves is then the same, the pair is hidden by that noise and
nothing else tells it apart: its price is the change of the noise (`price`).  If something else
differs, it left without noise.  One pair beyond the promise is a counterexample.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any

from sfumato.errors import Refused
from sfumato.inspection.audit.price import Price, price, same_law
from sfumato.inspection.audit.trace import Diverged, Script, Trace, tracing
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import to_json
from sfumato.release.release import Release

__all__ = ["Checked", "Family", "Run", "checked", "compare", "public", "replay", "stated"]

Publish = Callable[[Any], Any]  # private values in, all that leaves out


@dataclass(frozen=True)
class Family:
    """Private values, and some of their neighbours; the texts name made-up values only."""

    text: str
    base: Any
    neighbours: Sequence[tuple[str, Any]]


@dataclass(frozen=True)
class Refusal:
    """Nothing left but this."""

    text: str


@dataclass(frozen=True)
class Run:
    """One run: what was drawn, and what left."""

    trace: Trace
    view: Any


@dataclass
class Checked:
    """What was found about one way of publishing."""

    case: str
    promise: Budget
    pairs: int = 0
    share: float = 0.0  # of the promise that the worst pair uses up
    where: str = ""
    violations: list[str] = field(default_factory=list)

    def found(self, where: str, cost: Price) -> None:
        """Note the price of a pair."""
        self.pairs += 1
        share = cost.share(self.promise)
        if share > self.share or not self.where:
            self.share, self.where = share, where
        if not cost.within(self.promise):
            much = "without any bound" if share == inf else f"{share:.10g} times the promise"
            self.violated(f"{where}: costs {much}")

    def join(self, other: "Checked") -> None:
        """Add what was found in another part of the same case."""
        self.pairs += other.pairs
        if other.share > self.share or not self.where:
            self.share, self.where = other.share, other.where
        for text in other.violations:
            self.violated(text)

    def violated(self, text: str) -> None:
        """Note a counterexample, once."""
        if text not in self.violations:
            self.violations.append(text)


def public(release: Release) -> Any:
    """All of a release that anybody sees."""
    return release.certificate, release.synopsis, release.table.to_pydict()


def stated(budget: Budget) -> dict[str, Any]:
    """A budget as the functions that publish take it.

    >>> from sfumato.privacy.guarantee import ApproxDP
    >>> stated(ApproxDP("1/3", "1e-6"))
    {'epsilon': '1/3', 'delta': '1/1000000'}
    """
    return {name: text for name, text in to_json(budget).items() if name != "label"}


def replay(publish: Publish, values: Any, path: int, script: Script | None = None) -> Run | None:
    """Run the code that publishes; None where it leaves the path of the script."""
    trace = Trace(script, path)
    try:
        with tracing(trace):
            view = publish(values)
    except Diverged:
        return None
    except Refused as refusal:
        view = Refusal(f"{type(refusal).__name__}: {refusal}")
    return Run(trace, view)


def checked(case: str, promise: Budget, publish: Publish, families: Iterable[Family]) -> Checked:
    """Compare all neighbours of all families, each family along outputs of its own."""
    found, published = Checked(case, promise), 0
    for path, family in enumerate(families):
        first = replay(publish, family.base, path)
        assert first is not None  # noqa: S101  there is no script to leave
        for text, values in family.neighbours:
            second = replay(publish, values, path, first.trace.script)
            compare(found, f"{family.text}, {text}", first, second)
        published += not isinstance(first.view, Refusal)
    if not published:
        found.violated("nothing was published: all of the values were refused")
    return found


def compare(found: Checked, where: str, first: Run, second: Run | None) -> None:
    """Note what two runs on neighbours show that gave out the same noisy numbers."""
    if second is None or not same_law(first.trace.calls, second.trace.calls):
        found.violated(f"{where}: which noise is drawn depends on it")
        return
    for fault in (*first.trace.faults, *second.trace.faults):
        found.violated(fault)
    if first.view != second.view:
        found.violated(f"{where}: the release shows it although all noisy numbers are the same")
    found.found(where, price(first.trace.calls, second.trace.calls))
