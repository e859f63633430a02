"""The transforms of discrete noise, stable at every scale and for complex arguments.

    Laplace    M(s) = 1 / (1 − (sinh(s/2) / sinh(1/(2 scale)))²)
    Gaussian   M(s) = Σ_k e^{sk − k²/2v} / Σ_k e^{−k²/2v}
                    = Σ_n e^{v (s + 2πin)²/2} / Σ_n e^{−2π²vn²}        (Poisson)

The first goes to 1 / (1 − scale² s²) as the scale grows; of the two forms of the second the
one with the fewer terms is taken.
"""

from dataclasses import dataclass
from math import cosh, inf, pi, sinh

import numpy as np

from sfumato.accuracy.inversion import Complex, log_one_plus

__all__ = ["DiscreteGaussian", "DiscreteLaplace"]

_WIDE = 1.0  # variances from here on need a few terms of the second form, below of the first
_TERMS = np.arange(-4, 5)
_NEAR = np.arange(-40, 41)


@dataclass(frozen=True)
class DiscreteLaplace:
    """`count` noises of this scale, each times `weight`."""

    scale: float
    count: float = 1
    weight: int = 1

    @property
    def limit(self) -> float:
        """M is finite below it."""
        return 1 / (self.scale * self.weight)

    def log_mgf(self, s: Complex) -> Complex:
        """ln M of all of them together.

        >>> found = DiscreteLaplace(1e9).log_mgf(np.array([5e-10 + 0j]))  # −ln(3/4)
        >>> round(float(found[0].real), 12)
        0.287682072452
        """
        u = np.asarray(np.sinh(self.weight * s / 2) / sinh(1 / (2 * self.scale)), np.complex128)
        return np.asarray(-self.count * log_one_plus(-(u**2)))

    def slope(self, theta: float) -> float:
        """K'(θ) = N w sinh(wθ) / (cosh(1/scale) − cosh(wθ))."""
        t = self.weight * theta
        return self.count * self.weight * sinh(t) / self._gap(t)

    def curvature(self, theta: float) -> float:
        """K''(θ)."""
        t, a = self.weight * theta, 1 / (2 * self.scale)
        rise = 2 * sinh(a) ** 2 * cosh(t) + 2 * sinh(t / 2) ** 2
        gap = self._gap(t)
        return self.count * self.weight**2 * (rise / gap) / gap  # the square could overflow

    def _gap(self, t: float) -> float:
        """cosh(1/scale) − cosh(t) without cancellation."""
        a = 1 / (2 * self.scale)
        return 2 * (sinh(a) - sinh(t / 2)) * (sinh(a) + sinh(t / 2))


@dataclass(frozen=True)
class DiscreteGaussian:
    """`count` noises of this variance, each times `weight`."""

    variance: float
    count: int = 1
    weight: int = 1
    limit = inf

    def log_mgf(self, s: Complex) -> Complex:
        """ln M of all of them together.

        >>> float(DiscreteGaussian(9.0).log_mgf(np.array([0.5 + 0j]))[0].real)  # 9 · 0.25 / 2
        1.125
        """
        s = np.asarray(self.weight * s)
        turned = s.real + 1j * (np.mod(s.imag + pi, 2 * pi) - pi)  # M repeats itself
        if self.variance >= _WIDE:
            exponents = self.variance / 2 * (turned[:, None] + 2j * pi * _TERMS) ** 2
            norm = np.log(np.exp(-2 * pi**2 * self.variance * _TERMS**2).sum())
        else:
            k = np.rint(turned.real * self.variance)[:, None] + _NEAR
            exponents = turned[:, None] * k - k**2 / (2 * self.variance)
            norm = np.log(np.exp(-(_NEAR**2) / (2 * self.variance)).sum())
        peak = exponents.real.max(axis=1)
        total = np.exp(exponents - peak[:, None]).sum(axis=1)
        return np.asarray(self.count * (np.log(total) + peak - norm))

    def slope(self, theta: float) -> float:
        """About K'(θ)."""
        return self.count * self.weight * self._tilted(self.weight * theta)[0]

    def curvature(self, theta: float) -> float:
        """About K''(θ)."""
        return self.count * self.weight**2 * self._tilted(self.weight * theta)[1]

    def _tilted(self, theta: float) -> tuple[float, float]:
        """Mean and variance of one noise whose chances are multiplied by e^{θk}."""
        if self.variance >= _WIDE:
            return self.variance * theta, self.variance
        k = round(theta * self.variance) + _NEAR
        logs = theta * k - k**2 / (2 * self.variance)
        chances = np.exp(logs - logs.max())
        chances /= chances.sum()
        mean = float(k @ chances)
        return mean, float((k - mean) ** 2 @ chances)
