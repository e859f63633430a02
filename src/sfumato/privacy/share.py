"""One party's share of the noise that one owner would have added.

Let h honest parties each add an independent share.  Then the sum of the shares is

    discrete Laplace of the owner's scale, exactly (`sfumato.privacy.polya`), or
    h discrete Gaussians, which together cost no more than the owner's ρ.

Gaussians.  The sum of h discrete Gaussians of variance s² ≥ ½ is not discrete Gaussian, but its
probabilities are within a factor e^±τ of one of variance h s², τ ≤ 5 (h − 1) exp(−π² s²) for
each entry, and those add up over the entries.  With noise for ρ' the sum is therefore zCDP of
ρ' (1 + √τ) + √τ + 2τ; ρ' is chosen so that this is at most ρ.  Proof in `docs/proofs/party.md`.

Shares beyond the h are independent of these, so the promise only gains by them.
"""

from dataclasses import dataclass
from decimal import ROUND_CEILING
from fractions import Fraction
from math import isqrt

import numpy as np

from sfumato.errors import ParameterError
from sfumato.numeric.arrays import Whole
from sfumato.privacy.enclosure import exp_bound
from sfumato.privacy.guarantee import ZCDP
from sfumato.privacy.mechanism import Noise
from sfumato.privacy.noise import discrete_gaussian
from sfumato.privacy.polya import laplace_share
from sfumato.privacy.randomness import Bits

__all__ = ["NoiseShare"]

_PI_SQUARED = Fraction(98_696, 10_000)  # from below
_SMALLEST_VARIANCE = Fraction(1, 2)
_ROOT = 2**200  # steps in which a square root is rounded up
_DEAREST = Fraction(1, 100)  # of the price, that may go to what the sum is off a Gaussian
_DIGITS = 40


@dataclass(frozen=True, slots=True)
class NoiseShare:
    """A share of `noise`, of which `honest` make it whole.

    >>> from sfumato.privacy.guarantee import PureDP
    >>> from sfumato.privacy.randomness import SeededBits
    >>> from sfumato.privacy.sensitivity import record
    >>> half = NoiseShare(Noise("record", record(continuous=3), PureDP(1)), 2)
    >>> half.draw(np.array([1, 1, 1000]), SeededBits(1))
    array([-3, -1, 36])
    """

    noise: Noise
    honest: int

    def check(self, units: Whole) -> None:
        """Refuse shares that cannot be drawn, before anything is paid or drawn."""
        self.noise.check(int(units.max(initial=1)))
        cost = self.noise.cost
        if isinstance(cost, ZCDP):
            self._variance(cost, units)

    def draw(self, units: Whole, bits: Bits) -> Whole:
        """Independent shares for entries that count steps of 1/unit."""
        self.check(units)
        cost, share = self.noise.cost, np.empty(units.shape, np.int64)
        for unit in np.unique(units):
            here, u = units == unit, int(unit)
            count = int(here.sum())
            if isinstance(cost, ZCDP):
                variance = self._variance(cost, units) * u * u / self.honest
                share[here] = discrete_gaussian(variance, count, bits)
            else:
                scale = self.noise.sensitivity.l1 / cost.epsilon * u
                share[here] = laplace_share(scale, self.honest, count, bits)
        return share

    def _variance(self, cost: ZCDP, units: Whole) -> Fraction:
        """Of all honest shares together, in real units: a little more than the owner's."""
        moved = self.noise.sensitivity.l2_squared
        owner = moved / (2 * cost.rho)
        found, counts = np.unique(units, return_counts=True)
        shares = [owner * int(u) ** 2 / self.honest for u in found]
        if self.honest == 1:
            return owner
        too_small = shares and min(shares) < _SMALLEST_VARIANCE
        off = Fraction(0) if too_small else _gap(shares, counts.tolist(), self.honest)
        extra = _extra(cost.rho, off)
        if too_small or extra > _DEAREST * cost.rho:
            raise ParameterError(
                f"the noise on {self.noise.statistic} is too small to be divided among "
                f"{self.honest} parties: lower the budget, give a pure epsilon, or let more "
                "parties collude or drop out"
            )
        return moved / (2 * (cost.rho - extra))


def _gap(variances: list[Fraction], counts: list[int], honest: int) -> Fraction:
    """τ: how far the logarithm of a probability is off a Gaussian's, at most."""
    each = (exp_bound(-_PI_SQUARED * s, ROUND_CEILING, _DIGITS) for s in variances)
    return 5 * (honest - 1) * sum((n * q for n, q in zip(counts, each, strict=True)), Fraction(0))


def _extra(rho: Fraction, gap: Fraction) -> Fraction:
    """What h shares cost beyond ρ, whose sum is within `gap` of Gaussian noise for ρ."""
    if not gap:
        return Fraction(0)
    root = Fraction(isqrt(int(gap * _ROOT**2)) + 1, _ROOT)
    return rho * root + root + 2 * gap
