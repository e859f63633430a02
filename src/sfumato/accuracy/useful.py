"""(σ, λ)-usefulness: within σ of the truth, except with chance λ; exactly, both ways.

A noisy value, or a guess at a fixed distance c from it, is within σ of the truth unless
|c + E| > σ, which for symmetric noise has the chance P(E > σ − |c|) + P(E > σ + |c|).  For one
Laplace noise of scale b this is

    e^{−σ/b} cosh(c/b)  for σ ≥ |c|,     1 − e^{−|c|/b} sinh(σ/b)  for σ < |c|.

The law may be that of one value, a sum, a difference (`joined`) or a mean (`scaled`).  The
distance c of the guess from the noisy value must not depend on the noise.

>>> from sfumato.accuracy.laplace_sum import LaplaceSum
>>> one = LaplaceSum.alike(1, 1.0)
>>> f"{1 - useful_chance(one, 1.0, guess=10.0):.1e}"  # printed as at least 0.99988
'5.3e-05'
>>> round(useful_distance(one.joined(LaplaceSum.alike(4, 1.0)), 0.05), 2)
6.33
"""

from math import inf, nextafter

from sfumato.accuracy.law import Law, share
from sfumato.errors import ParameterError
from sfumato.privacy.guarantee import Number

__all__ = ["useful_chance", "useful_distance"]

_HALVINGS = 60


def useful_chance(law: Law, sigma: float, *, guess: float = 0.0) -> float:
    """The λ for this σ, rounded up: how often the value is farther than σ from the truth."""
    if not 0 <= sigma < inf:
        raise ParameterError(f"sigma must be a number of at least 0, got {sigma}")
    away = abs(guess)
    above = law.tail(sigma - away, strict=True).upper
    return min(above + law.tail(sigma + away, strict=True).upper, 1.0)


def useful_distance(law: Law, chance: Number, *, guess: float = 0.0) -> float:
    """The smallest σ for this λ, rounded up."""
    if guess == 0:
        return law.two_sided(chance)
    allowed = float(share("chance", chance))
    low, high = 0.0, abs(guess) + law.one_sided(allowed / 2)  # enough for both sides
    if useful_chance(law, low, guess=guess) <= allowed:
        return low
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if useful_chance(law, middle, guess=guess) <= allowed:
            high = middle
        else:
            low = middle
        if nextafter(low, inf) >= high:
            break
    return high
