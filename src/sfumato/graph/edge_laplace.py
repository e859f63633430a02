"""edge-laplace: every weight under exact noise; the network method that has a proof.

Guarantee.  ε-differential privacy of the weights (ρ-zCDP, or (ε, δ), with Gaussian noise).  The
topology is public; neighbours are two weightings of it on a public grid that differ by at
most `distance` in total (Sealfon 2016).  Whatever the weights are, they have a code.
Sensitivity.  A weight x has the code ⌊(x - low) / step + ½⌋, clipped to 0 … K.  Codes of weights
that differ by j steps or less differ by at most j, so all codes together move by at most
q = ⌈distance / step⌉, in ℓ₁ and therefore in ℓ₂.
Limits.  A single weight may change off the grid.  If c of them do, each may move its code by
a step more than its share, and ε (1 + c/q) is what holds.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, lcm, log, sqrt
from typing import Any

import numpy as np
from scipy.special import gammaincinv

from sfumato.errors import ParameterError
from sfumato.graph.network import Topology, Weights
from sfumato.graph.pairs import Pairs
from sfumato.graph.recipe import Changed, EdgeMethod, EdgePlan, Say
from sfumato.numeric.arrays import Whole
from sfumato.plan import ContractCase, Family
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import exact
from sfumato.privacy.mechanism import Noise, Purse
from sfumato.privacy.noise import LARGEST_SCALE, LARGEST_VARIANCE
from sfumato.privacy.sensitivity import Sensitivity

__all__ = ["METHOD", "Grid", "expected"]

DEFAULT_STEPS = 2**16
_STEPS = 2**32  # from 0 to high, at most: floats then place a weight within 2^-18 steps
_CERTAIN = 2.0**-16  # farther than this from the border of two codes, floats decide
_DIGITS = 2**53  # numerators and denominators that floats hold
_MISSED = 0.05
_HOPS = (1, 10, 100)
_OF_LENGTHS = (
    "Shortest paths may become others, and a path through many edges gets the noise of "
    "all of them; the account states by how much a length may be off."
)
_OF_SIGNED = (
    "Weights may be negative, so that there need not be shortest paths. The sum of the weights of "
    "many edges gets the noise of all of them; the account states by how much it may be off."
)


@dataclass(frozen=True)
class Grid:
    """The public points low, low + step, …, high.

    >>> grid = Grid(Fraction(0), Fraction(10), Fraction(1, 10))
    >>> grid.codes(np.array([0.3, 7.06, 99.0, -np.inf, np.nan])).tolist()
    [3, 71, 100, 0, 0]
    >>> grid.weights(np.array([-40, 3, 500])).tolist()
    [0.1, 0.3, 10.0]
    """

    low: Fraction
    high: Fraction
    step: Fraction

    def __post_init__(self) -> None:
        if not self.low < self.high:
            raise ParameterError(f"high must be above low, got {self.high} and {self.low}")
        if (self.high - self.low) % self.step:
            raise ParameterError(
                f"step must divide high - low, got {self.step} and {self.high - self.low}"
            )
        if max(self.high, -self.low, self.high - self.low) > _STEPS * self.step:
            of = "high" if self.low >= 0 else "(high - low)"
            raise ParameterError(f"step must be at least {of} / 2**32, got {self.step}")
        if max(1, ceil(self.high), ceil(-self.low)) * self._denominator >= _DIGITS:
            raise ParameterError(
                "low, high and step have too many digits together: write them with fewer"
            )

    @property
    def last(self) -> int:
        """The code of `high`."""
        return int((self.high - self.low) / self.step)

    @property
    def _denominator(self) -> int:
        return lcm(self.low.denominator, self.high.denominator, self.step.denominator)

    def codes(self, weight: Weights) -> Whole:
        """NOT PRIVATE: the nearest point of each weight, upwards from half-way, exactly.

        Not-a-number counts as `low`, what is outside the range as its bound.
        """
        low, high, step = float(self.low), float(self.high), float(self.step)
        inside = np.clip(np.where(np.isnan(weight), low, weight), low, high)
        place = (inside - low) / step + 0.5
        codes = np.floor(place).astype(np.int64)
        unsure = np.abs(place - np.rint(place)) < _CERTAIN
        values, where = np.unique(inside[unsure], return_inverse=True)
        codes[unsure] = np.array([self._code(value) for value in values], np.int64)[where]
        return np.clip(codes, 0, self.last)

    def _code(self, weight: float) -> int:
        place = (Fraction(float(weight)) - self.low) / self.step + Fraction(1, 2)
        return place.numerator // place.denominator

    def weights(self, codes: Whole) -> Weights:
        """The points of noisy codes, clipped to the range: post-processing.

        Above 0 if the range begins there; weights that may be negative may be 0 as well.
        """
        inside = np.clip(codes, 1 if self.low == 0 else 0, self.last)
        first, apart = (int(x * self._denominator) for x in (self.low, self.step))
        return (first + apart * inside) / self._denominator


def plan(
    topology: Topology,
    budget: Budget | None,
    high: Any = None,
    low: Any = 0,
    distance: Any = None,
    step: Any = None,
) -> EdgePlan:
    """Noise on every weight, for the whole budget."""
    if budget is None:
        raise ParameterError("edge-laplace needs a budget: give epsilon, with or without delta")
    if high is None:
        raise ParameterError(
            "high must be given: a bound on a weight that is public, not taken from the weights"
        )
    top, bottom = exact("high", high), _signed("low", low)
    between = (top - bottom) / DEFAULT_STEPS if step is None else exact("step", step)
    grid = Grid(bottom, top, between)
    most = top - bottom if distance is None else exact("distance", distance)
    moved = ceil(most / between)  # q
    noise = Noise(
        f"weights, in steps of {between}",
        Sensitivity(Fraction(moved), Fraction(moved**2)),
        budget,
    )
    laplace = noise.event.mechanism == "discrete-laplace"
    if (noise.event.noise or 0) > (LARGEST_SCALE if laplace else LARGEST_VARIANCE):
        raise ParameterError("step is too fine for this budget: raise it, or raise the budget")

    def change(weight: Weights, _pairs: Pairs, purse: Purse, _say: Say) -> Changed:
        noisy = purse.pay(noise).add(grid.codes(weight), np.ones(topology.edges, np.int64))
        return Changed(grid.weights(noisy), {"expected": expected(noise, grid)})

    return EdgePlan(
        method=METHOD.name,
        budget=budget,
        events=(noise.event,),
        change=change,
        options={
            "high": str(top),
            "low": str(bottom),
            "distance": str(most),
            "step": str(between),
        },
        neighbours=(
            f"two weightings of the same edges, on the grid from {bottom} to {top} in steps of "
            f"{between}, that differ by at most {most} in total"
        ),
        limits=(
            f"Weights are read as the nearest point of the grid from {bottom} to {top}; what is "
            "outside, or is no number, as its bound.",
            "One weight may change off the grid as well. If c weights change off the grid at once, "
            f"epsilon grows by the factor 1 + c/{moved}, rho by its square: as step give the unit "
            "in which weights are recorded.",
            _OF_LENGTHS if bottom >= 0 else _OF_SIGNED,
        ),
    )


def _signed(name: str, value: Any) -> Fraction:
    """The rational that a person wrote, of either sign."""
    text = str(value).strip()
    if text.startswith("-"):
        return -exact(name, text[1:], zero=True)
    return exact(name, value, zero=True)


def expected(noise: Noise, grid: Grid) -> dict[str, Any]:
    """How large errors will be, from public facts; for weights inside the range.

    With probability 95 % the length of a path that was fixed beforehand is off by less than the
    bound for its number of edges.  Each weight is off by at most half a step and |X| or
    1 steps, whichever is more: clipping moves towards the range.  |X| is at most 1 + s E
    with E exponential (Laplace), and ‖X‖² at most σ² (h + 2√(ht) + 2t) except with
    probability exp(-t) (Gaussian: Hsu, Kakade and Zhang 2012).

    >>> from sfumato.privacy.guarantee import PureDP
    >>> noise = Noise("weights", Sensitivity(Fraction(10), Fraction(100)), PureDP(1))
    >>> expected(noise, Grid(Fraction(0), Fraction(1000), Fraction(1, 10)))["noise scale"]
    1.0
    """
    laplace, size = noise.event.mechanism == "discrete-laplace", float(noise.event.noise or 0)
    scale, step, t = size if laplace else sqrt(size), float(grid.step), -log(_MISSED)

    def bound(hops: int) -> float:
        if laplace:
            total = scale * float(gammaincinv(hops, 1 - _MISSED))
        else:
            total = scale * sqrt(hops * (hops + 2 * sqrt(hops * t) + 2 * t))
        return min(step * (1.5 * hops + total), hops * float(grid.high - grid.low))

    figure = "scale" if laplace else "deviation"
    bounds = {str(hops): float(f"{bound(hops):.4g}") for hops in _HOPS}
    return {f"noise {figure}": float(f"{scale * step:.4g}"), "path error by edges, 95 %": bounds}


METHOD = EdgeMethod(
    name="edge-laplace",
    summary="Adds exact noise to every weight; paths may change.",
    promise="epsilon-DP, (epsilon, delta)-DP or rho-zCDP of the weights, on a public grid",
    source="Dwork et al. 2006; Sealfon 2016",
    proof="proofs/edge-laplace.md",
    plan=plan,
    options={
        "high": "largest weight, a public bound; required",
        "low": "smallest weight, a public bound; 0 by default, below 0 where weights may be "
        "negative",
        "distance": "how far all weights together may move between neighbours; by default "
        "high - low, so that one weight may change altogether",
        "step": "distance of two grid points, dividing high - low; by default a 65,536th of it",
    },
    budgeted=True,
    family=Family.PROVED,
    use="networks, whenever a promise is needed",
    example="sfumato graph publish edges.csv --undirected --epsilon 1 --option high=100",
    contract=(ContractCase({"epsilon": "1"}, options={"high": 10}),),
)
