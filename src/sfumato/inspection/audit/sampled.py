"""Real noise, many times: a lower bound on what a mechanism loses, and a control it must catch.

What was frozen says what noise is asked for; this says whether it is drawn.  The code that
publishes runs on the two neighbours, each run scored by its log-likelihood ratio under
the noise that it asked for, and `examine` bounds the loss.  The same with three times the budget
must be caught.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.inspection.audit.bound import Claim
from sfumato.inspection.audit.coupled import replay
from sfumato.inspection.audit.finding import Finding, Sample, examine
from sfumato.inspection.audit.region import column
from sfumato.inspection.audit.trace import Added
from sfumato.numeric.arrays import Whole
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import ZCDP, ApproxDP, PureDP
from sfumato.privacy.mechanism import Noise, Paid, Purse
from sfumato.privacy.randomness import Bits

__all__ = ["LARGER", "Effort", "Measure", "Sampled", "judged", "sampled"]

Ratios = NDArray[np.float64]
Measure = Callable[[Any, Purse], Any]  # the code that publishes, without the paper around it
LARGER = 3  # times the budget: the control


@dataclass(frozen=True)
class Effort:
    """How many runs on each neighbour, with which confidence they are judged, and their bits."""

    runs: int
    confidence: float
    bits: Bits


@dataclass(frozen=True)
class Sampled:
    """What real runs showed of one way of publishing, and what they show of its control."""

    case: str
    promise: Budget
    finding: Finding
    control: Finding

    @property
    def power(self) -> bool:
        """Whether three times the budget is caught."""
        return self.control.caught


def _larger(budget: Budget) -> Budget:
    """Three times the budget, whichever the currency."""
    match budget:
        case PureDP(epsilon=epsilon):
            return PureDP(LARGER * epsilon)
        case ApproxDP(epsilon=epsilon, delta=delta):
            return ApproxDP(LARGER * epsilon, delta)
        case ZCDP(rho=rho):
            return ZCDP(LARGER**2 * rho)


def sampled(
    case: str,
    budget: Budget,
    measure: Callable[[Budget], Measure],
    pair: tuple[Any, Any],
    effort: Effort,
) -> Sampled:
    """Run additive noise on two neighbours, for the budget and for three times as much."""
    found, claim = [], None
    for planned in (budget, _larger(budget)):
        made, purse = measure(planned), _Observed(planned, effort.bits)
        made(pair[0], purse)
        claim = claim or Claim.of(budget, purse.events)
        found.append(judged(_ratios(made, planned, pair, effort), claim, effort))
    return Sampled(case, budget, found[0], found[1])


def judged(sides: Sequence[Ratios], claim: Claim, effort: Effort) -> Finding:
    """What log-likelihood ratios of runs on both sides prove about a claim."""
    first, second = (side[:, None] for side in sides)
    score = column(0, "log-likelihood ratio")
    return examine(Sample(first, second, [score]), claim, effort.confidence)


def _ratios(
    measure: Measure, planned: Budget, pair: tuple[Any, Any], effort: Effort
) -> list[Ratios]:
    exact, laws = [], None
    for values in pair:
        run = replay(lambda given: measure(given, Purse(planned, effort.bits)), values, 0)
        assert run is not None  # noqa: S101  there is no script to leave
        calls = [call for call in run.trace.calls if isinstance(call, Added)]
        exact.append(np.concatenate([call.exact for call in calls]).astype(np.float64))
        laws = laws or [call.laws[k] for call in calls for k in call.law]
    found = []
    for values in pair:
        drawn = np.array(
            [_outputs(measure, values, planned, effort.bits) for _ in range(effort.runs)]
        )
        found.append(_surprise(drawn, exact[1], laws) - _surprise(drawn, exact[0], laws))
    return found


def _surprise(drawn: Ratios, exact: Ratios, laws: Any) -> Ratios:
    """Minus the log-density of outputs, one row per run, up to a constant."""
    gaussian = np.array([kind == "gaussian" for kind, _ in laws])
    size = np.array([float(figure) for _, figure in laws])
    away = np.abs(drawn - exact)
    each = np.where(gaussian, away**2 / (2 * size), away / size)
    return np.asarray(each.sum(axis=1))


def _outputs(measure: Measure, values: Any, planned: Budget, bits: Bits) -> Ratios:
    purse = _Observed(planned, bits)
    measure(values, purse)
    return np.concatenate(purse.outputs).astype(np.float64)


class _Observed(Purse):
    """Remembers the noisy numbers that it gave out: they are public."""

    def __init__(self, limit: Budget, bits: Bits) -> None:
        super().__init__(limit, bits)
        self.outputs: list[Whole] = []

    def pay(self, noise: Noise) -> Paid:
        """Pay as usual; what is given out is kept."""
        return _ObservedPaid(noise, self.spend(noise.event), self.outputs)


@dataclass(frozen=True, slots=True)
class _ObservedPaid(Paid):
    outputs: list[Whole] = field(default_factory=list)

    def add(self, exact: Whole, units: Whole) -> Whole:
        noisy = Paid.add(self, exact, units)
        self.outputs.append(noisy.ravel())
        return noisy
