"""A release begins by asking whether the records fit the schema: what that costs.

A fiftieth of the budget buys counts of what does not fit (`sfumato.measure.fit`, and where a person
is the unit `sfumato.measure.people_fit`); the method is planned with the rest.  Both together cost
the budget by basic composition: ε/50 and 49ε/50, the second with δ where there is one; ρ/50 and
49ρ/50.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Protocol

from sfumato.errors import ParameterError
from sfumato.measure.fit import FitCounts
from sfumato.measure.people_fit import PeopleFitCounts
from sfumato.numeric.arrays import Whole
from sfumato.plan.part import plan_of_part
from sfumato.plan.plan import Method, Plan
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import ZCDP, ApproxDP, Number, PureDP, exact
from sfumato.privacy.mechanism import Event, Noise, Purse
from sfumato.schema.domain import Domain
from sfumato.table.complaint import Complaint

__all__ = ["MISFIT", "SHARE", "Counts", "PlannedFit", "fitted_plan"]

SHARE = Fraction(1, 50)
MISFIT = Fraction(1, 20)
_FINEST = 10**40  # a certificate writes both ends of the fraction in full


class Counts(Protocol):
    """Noisy counts of what does not fit: of records, or of persons by their rows."""

    @property
    def domain(self) -> Domain:
        """What is held to be fitting."""

    @property
    def budget(self) -> PureDP | ZCDP:
        """What they may cost."""

    @property
    def tickets(self) -> int | None:
        """Of a person, where counts are in tickets."""

    @property
    def cells(self) -> tuple[tuple[str, Complaint], ...]:
        """Column and complaint of each count after the first."""

    @property
    def noise(self) -> Noise:
        """One price for all of them."""

    def query(self, records: Any, /) -> Whole:
        """NOT PRIVATE: how many fit, then how many stand in each cell."""

    def perturb(self, records: Any, purse: Purse, /) -> tuple[Whole, int | None]:
        """`query` under its noise, and the number of records or persons where that is public."""


@dataclass(frozen=True, eq=False)
class PlannedFit:
    """The counts that a release begins with, and where it stops."""

    counts: Counts
    rest: Budget  # what is left for the method
    share: Fraction
    misfit: Fraction

    @property
    def event(self) -> Event:
        """What the counts cost."""
        return self.counts.noise.event

    @property
    def facts(self) -> dict[str, str]:
        """What was decided about it before a record was read."""
        return {"share": str(self.share), "misfit": str(self.misfit)}


def fitted_plan(
    chosen: Method,
    domain: Domain,
    budget: Budget | None,
    options: Mapping[str, Any],
    part: str | Mapping[str, Any] | None,
    *,
    share: Fraction = SHARE,
    misfit: Number = MISFIT,
) -> Plan:
    """The plan of a method after the counts.

    Where nothing is promised, or each record is hidden by itself, there are no counts: they
    would be the only promise of the release, or its only central part.
    """
    allowed = exact("misfit", misfit, zero=True)
    if allowed > 1:
        raise ParameterError(f"misfit must be a share of the records, from 0 to 1, got {misfit}")
    if allowed.denominator > _FINEST:  # not repeated: it may have more digits than can be printed
        raise ParameterError("misfit must be a share of few digits, such as 0.05")
    if budget is None:
        return plan_of_part(chosen, domain, budget, options, part)
    first, rest = _divided(budget, share)
    plan = plan_of_part(chosen, domain, rest, options, part)
    if plan.unproved is not None or plan.local:
        return plan_of_part(chosen, domain, budget, options, part)
    by_person = domain.schema.people is not None  # then the plan is, or it would not be one
    counts: Counts = PeopleFitCounts(domain, first) if by_person else FitCounts(domain, first)
    counts.noise.check(1)
    return _after(PlannedFit(counts, rest, share, allowed), budget, plan)


def _after(fit: PlannedFit, budget: Budget, plan: Plan) -> Plan:
    recount, sized, events = plan.recount, plan.sized, (fit.event, *plan.events)
    return replace(
        plan,
        budget=budget,
        limits=_told_of_all(plan, events, budget),
        events=events,
        fit=fit,
        recount=recount and (lambda synopsis: (fit.event, *recount(synopsis))),
        sized=sized and (lambda records: _after(fit, budget, sized(records))),
    )


def _told_of_all(plan: Plan, events: tuple[Event, ...], budget: Budget) -> tuple[str, ...]:
    """The limits, with what both releases cost together where the basis was bought by another."""
    if plan.told is None or plan.budget is None:
        return plan.limits
    part = plan.told((event.cost for event in plan.events), plan.budget)
    whole = plan.told((event.cost for event in events), budget)
    return tuple(whole if limit == part else limit for limit in plan.limits)


def _divided(budget: Budget, share: Fraction) -> tuple[PureDP | ZCDP, Budget]:
    match budget:
        case ZCDP(rho=rho):
            return ZCDP(share * rho), ZCDP((1 - share) * rho)
        case ApproxDP(epsilon=epsilon, delta=delta):
            return PureDP(share * epsilon), ApproxDP((1 - share) * epsilon, delta)
        case PureDP(epsilon=epsilon):
            return PureDP(share * epsilon), PureDP((1 - share) * epsilon)
