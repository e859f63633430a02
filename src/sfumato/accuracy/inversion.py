"""Tails of sums of independent noise, by integrating the product of their transforms.

Let M(s) = E e^{sE} be finite for 0 ≤ s < limit, and let a path cross the real axis at a θ in
between, upwards.  Then

    P(E ≥ x) = 1/2πi ∫ M(s) e^{−sx} κ(s) ds,

κ(s) = 1/s for noise with a density and 1/(1 − e^{−s}) for noise on the whole numbers.

`line`: straight up at θ.  The trapezoid rule with spacing 2π/M adds to the tail A(x) exactly

    Σ_{n≥1} A(x + nM) e^{θnM}  +  Σ_{n≥1} A(x − nM) e^{−θnM},

of which the first part is below e^{K(θ') − θ'x} / (e^{(θ'−θ)M} − 1) for any θ' > θ (Chernoff)
and the second below 1 / (e^{θM} − 1).  Both are computed and are part of the stated error;
as few as some hundred points matter, whatever the scale, once there are many summands.

`around`: once round the poles of M on the right, for few summands, whose M fades slowly along
a line.  In ln s, where scales far apart come close, the path is an ellipse; on it the trapezoid
rule converges geometrically.  The points are doubled until the sum stands still, and the last
step is the stated error.
"""

from collections.abc import Callable, Sequence
from math import ceil, exp, expm1, floor, inf, log, log1p, pi, sqrt
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sfumato.accuracy.law import Tail

__all__ = ["FALLEN", "Chosen", "Piece", "around", "chernoff", "line", "log_one_plus", "saddle"]

Complex = NDArray[np.complex128]

_SMALL = 40.0  # e^−40 = 4e-18 of the tail may be lost at each cut
FALLEN = _SMALL + 20  # e^−60 of |M| at the bottom of the line is not worth a point
_MOST_POINTS = 2**21
_FEWEST, _MOST_AROUND = 64, 2**18
_ROUNDING = 2e-15  # of a term; exponents are sums of some dozens of such terms


class Piece(Protocol):
    """Independent summands of one kind."""

    @property
    def limit(self) -> float:
        """M is finite below it."""

    def log_mgf(self, s: Complex) -> Complex:
        """K = ln M of all of them together."""

    def slope(self, theta: float) -> float:
        """About K'(θ); it only places the path."""

    def curvature(self, theta: float) -> float:
        """About K''(θ)."""


class Chosen(Protocol):
    """Some of the points up the line."""

    def points(self, last: int, period: float, most: int) -> NDArray[np.int64] | None:
        """Which of the points 0 … last at 2π/period they are; None if more than `most`."""


def log_one_plus(z: Complex) -> Complex:
    """ln(1 + z) with a relative error of rounding in both parts, also for small z.

    >>> log_one_plus(np.array([1e-20 + 0j]))
    array([1.e-20+0.j])
    """
    real, imaginary = z.real, z.imag
    half = 0.5 * np.log1p(real * (2 + real) + imaginary**2)
    return np.asarray(half + 1j * np.arctan2(imaginary, 1 + real))


def saddle(pieces: Sequence[Piece], x: float, *, whole: bool = False) -> float:
    """The θ at which noise that is tilted by e^{θE} has mean x; never quite 0 or the limit."""
    from scipy.optimize import brentq  # loads for as long as half of this package

    limit = min(piece.limit for piece in pieces)
    spread = sqrt(sum(piece.curvature(0.0) for piece in pieces))
    least = min(1 / spread, limit / 2, 1.0 if whole else inf)

    def excess(theta: float) -> float:
        return sum(piece.slope(theta) for piece in pieces) - x

    if excess(least) >= 0:
        return least
    low, high = least, limit * (1 - 1e-9)
    if limit == inf:
        high = 2 * least
        while excess(high) < 0:
            high *= 2
    if excess(high) <= 0:
        return high
    return float(brentq(excess, low, high, xtol=1e-9 * low, rtol=1e-9))


def _log_mgf(pieces: Sequence[Piece], s: Complex) -> Complex:
    return np.asarray(sum(piece.log_mgf(s) for piece in pieces))


def _real(pieces: Sequence[Piece], theta: float) -> float:
    return float(_log_mgf(pieces, np.array([theta + 0j]))[0].real)


def chernoff(pieces: Sequence[Piece], x: float, *, whole: bool = False) -> float:
    """A bound on P(E ≥ x) for x ≥ 0 that is sharp in its rate."""
    theta = saddle(pieces, x, whole=whole)
    return min(1.0, exp(_real(pieces, theta) - theta * x))


def line(
    pieces: Sequence[Piece],
    x: float,
    *,
    whole: bool,
    falling: float = inf,
    worth: Chosen | None = None,
) -> Tail:
    """P(E ≥ x) for x ≥ 0; |M| falls up the line as far as `falling`, and stays below e^−60 beyond.

    For weights of 1 it falls all along.  Where it comes back, `worth` may say which points of the
    half-way round count: at the others it stays below.  Where too many points would be
    needed, Chernoff's bound stands for the error.
    """
    theta = saddle(pieces, x, whole=whole)
    height = _real(pieces, theta)
    limit = min(piece.limit for piece in pieces)
    spread = sqrt(sum(piece.curvature(theta) for piece in pieces))
    beyond = theta + min(4 / spread, (limit - theta) / 2)
    rise = _real(pieces, beyond) - beyond * x
    level = height - theta * x
    lost = _SMALL + log1p(2.6 * theta * spread)
    period = max((lost - level) / theta, (lost + rise - level) / (beyond - theta))
    period = max(ceil(period), 8) if whole else period
    most = pi if whole else inf
    width = _width(pieces, theta, height, 1 / spread, most)
    width = width if width <= falling else most
    round_trip = whole and width == pi
    points = int(period) // 2 if round_trip else floor(width * period / (2 * pi))
    skipping = worth is not None and round_trip
    if worth is not None and skipping:
        place = worth.points(points, period, _MOST_POINTS)
    else:
        place = np.arange(points + 1) if points <= _MOST_POINTS else None
    if place is None:
        return Tail(0.0, min(1.0, exp(level)))
    t = place * (2 * pi / period)
    often = np.where(place == 0, 1.0, 2.0)  # the lower half is the mirror image
    if round_trip and period % 2 == 0:
        often[place == points] = 1  # half-way round, the two halves meet
    s = np.asarray(theta + 1j * t, np.complex128)
    terms = np.exp(_log_mgf(pieces, s) - height - 1j * t * x)
    terms *= often / -np.expm1(-s) if whole else often / s
    rounding = _ROUNDING * (10 + abs(height) + theta * x) * float(np.abs(terms).sum())
    # Beyond the cut |M| falls faster than t⁻², so the rest is below the last term times its place.
    cut = 0.0 if round_trip else float(abs(terms[-1])) * max(points, 1)
    if skipping or (falling < inf and not round_trip):  # what was left out, at every point
        cut += period * exp(-FALLEN) / -expm1(-theta)
    total = float(terms.real.sum())
    # Noise that is hardly ever seen has a path so far out that rounding is all: 1 is always true.
    found = exp(min(level + log(max(total, 1e-300) / period), 0.0))
    doubtful = exp(min(level + log((rounding + cut + 1e-300) / period), 0.0))
    # Both exponents are 40 or more, so that taking 1 from the power costs less than 1 %.
    aliased = 1.01 * (exp(min(rise - (beyond - theta) * period, 0.0)) + exp(-theta * period))
    return Tail(found, doubtful + aliased)


def _width(
    pieces: Sequence[Piece], theta: float, height: float, start: float, most: float
) -> float:
    """How far up the line |M| is worth e^−60 of what it is at the bottom, or more."""
    width = start
    while width < most:
        fallen = _log_mgf(pieces, np.array([theta + 1j * width]))[0].real - height
        if fallen < -FALLEN:
            return width
        width *= 1.3
    return most


def around(
    log_integrand: Callable[[Complex], Complex], left: float, right: float, bound: float
) -> Tail:
    """−1/2πi ∮ e^{log_integrand(s)} ds/s on an ellipse of ln s through two positive points.

    Where it does not converge, `bound` stands for the error.
    """
    centre, wide = log(left * right) / 2, log(right / left) / 2
    high = min(wide, 1.0)  # of s itself the real part stays positive
    count, before = _FEWEST, inf
    while True:
        angle = (np.arange(count // 2) + 0.5) * (2 * pi / count)  # the upper half
        x, y = np.cos(angle), np.sin(angle)
        logs = log_integrand(np.exp(centre + wide * x + 1j * high * y))
        peak = float(logs.real.max())
        terms = np.exp(logs - peak) * (high * x + 1j * wide * y)  # −i dζ/dφ
        scale = exp(peak + log(2 / count))
        now = -float(terms.real.sum()) * scale
        rounding = _ROUNDING * float(np.abs(terms * (10 + np.abs(logs))).sum()) * scale
        change = abs(now - before)
        if change <= max(1e-13 * abs(now), rounding):
            return Tail(now, change + rounding)
        if count >= _MOST_AROUND:
            return Tail(0.0, bound)
        count, before = 2 * count, now
