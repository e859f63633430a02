"""What is promised when a mechanism sees only some of the records: a secret sample, or a part.

A mechanism that is ε-differentially private under replace-one, run once on n of t records
chosen uniformly without replacement, by exact and secret draws, promises about all t

    ε' = ln(1 + (n / t)(e^ε − 1))                    (Balle, Barthe and Gaboardi 2018)

and randomized response attains it (`docs/proofs/reservoir-mean.md`).  It holds for one release
whose sample stays secret, and for nothing else.  A published series betrays its sample: it
changes exactly when a record is admitted.

Figures are rationals: promises are rounded up to 1e-12, what may be spent is rounded down.
"""

from decimal import Context, Decimal
from fractions import Fraction
from math import ceil, floor

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ParameterError
from sfumato.privacy.guarantee import PureDP
from sfumato.privacy.noise import uniform_below
from sfumato.privacy.randomness import Bits
from sfumato.privacy.sensitivity import Neighbours

__all__ = ["amplified", "disjoint", "secret_sample", "within_amplified"]

_STEPS = 10**12
_MARGIN = Fraction(1, 10**40)  # far above the rounding of a few 80-digit operations
_PRECISE = Context(prec=80)


def amplified(base: PureDP, size: int, population: int) -> PureDP:
    """What a base promise becomes on a secret sample of `size` among `population`, rounded up.

    >>> float(amplified(PureDP(1), 2, 5).epsilon)
    0.523137163612
    """
    share = _share(size, population)
    if share == 1:
        return base
    # ε' = ε + ln(p + (1 − p) e^−ε): nothing overflows, and what underflows is within the margin.
    odds = _PRECISE.exp(_decimal(-base.epsilon))
    value = base.epsilon + Fraction(_PRECISE.ln(_mixed(share, odds)))
    # Sampling never costs anything, so the base promise stands where rounding up exceeds it.
    return PureDP(min(base.epsilon, Fraction(ceil((value + _MARGIN) * _STEPS), _STEPS)))


def within_amplified(total: PureDP, size: int, population: int) -> PureDP:
    """The base promise that may be spent on a secret sample so that it amounts to `total`.

    Rounded down, so that `amplified` of it is never above `total`.

    >>> base = within_amplified(PureDP(1), 1_000, 1_000_000)
    >>> float(base.epsilon)
    7.449661941019
    >>> amplified(base, 1_000, 1_000_000)
    PureDP(epsilon=Fraction(1, 1))
    """
    share = _share(size, population)
    whole = Fraction(floor(total.epsilon * _STEPS), _STEPS)
    if share == 1 or not whole:
        return total
    # The inverse of the above, ε = ε' + ln(1 / p − (1 / p − 1) e^−ε').
    odds = _PRECISE.exp(_decimal(-whole))
    value = whole + Fraction(_PRECISE.ln(_mixed(1 / share, odds)))
    return PureDP(max(total.epsilon, Fraction(floor((value - _MARGIN) * _STEPS), _STEPS)))


def _share(size: int, population: int) -> Fraction:
    if not 1 <= size <= population:
        raise ParameterError(f"size must be from 1 to {population} (records), got {size}")
    return Fraction(size, population)


def _mixed(weight: Fraction, odds: Decimal) -> Decimal:
    """weight + (1 − weight) · odds."""
    return _PRECISE.fma(_decimal(1 - weight), odds, _decimal(weight))


def _decimal(number: Fraction) -> Decimal:
    return _PRECISE.divide(Decimal(number.numerator), Decimal(number.denominator))


def secret_sample(size: int, population: int, bits: Bits) -> NDArray[np.int64]:
    """Positions 0 … population − 1 of a sample, ascending; every sample is equally likely, exactly.

    The first `size` different values of an endless row of exact uniform draws: floats would
    make some records likelier than others, and the promise counts on their being alike.

    >>> from sfumato.privacy.randomness import SeededBits
    >>> secret_sample(4, 10, SeededBits(1))
    array([0, 3, 7, 8])
    """
    _share(size, population)
    if 2 * size > population:  # fewer to choose among those left out
        left_out = _different(population - size, population, bits)
        return np.delete(np.arange(population), left_out)
    return np.sort(_different(size, population, bits))


def _different(count: int, population: int, bits: Bits) -> NDArray[np.int64]:
    chosen = np.empty(0, np.int64)
    while chosen.size < count:
        more = uniform_below(population, count - chosen.size, bits)
        row = np.concatenate((chosen, more))
        chosen = row[np.sort(np.unique(row, return_index=True)[1])]
    return chosen


def disjoint(*parts: PureDP, neighbours: Neighbours) -> PureDP:
    """What parts promise together that each see records of their own (parallel composition).

    Each part is `PureDP` under add-remove; which part a record belongs to depends on that
    record alone.  A record added or removed is seen by one part.  A record replaced may leave
    one part and enter another, or change within one: both its removal and its addition count.
    A ledger keeps this account for declared parts of a table (`sfumato.ledger.table_part`).

    >>> disjoint(PureDP(1), PureDP(2), neighbours="add-remove")
    PureDP(epsilon=Fraction(2, 1))
    >>> disjoint(PureDP(1), PureDP(2), neighbours="replace-one")
    PureDP(epsilon=Fraction(4, 1))
    """
    if not parts:
        raise ParameterError("disjoint needs at least one promise")
    most = max(part.epsilon for part in parts)
    return PureDP(most if neighbours == "add-remove" else 2 * most)
