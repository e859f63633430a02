"""Bounds on Laplace noise as Liu 2015 prints them, chapter 7: some right but loose, some false.

They are here to be set beside the exact figures, and so that nobody takes the false ones for
true: each says which it is, and `tests/accuracy` shows where the false ones fail.
"""

from math import exp, log, sqrt

__all__ = [
    "claimed_difference",
    "claimed_guess",
    "claimed_maximum",
    "claimed_sum",
    "sum_bound",
]


def sum_bound(count: int, chance: float, scale: float = 1.0, *, two_sided: bool = True) -> float:
    """(7.1), (7.2), theorem 7.3.3: true, and at chance 0.05 at least 1.7 times the exact quantile.

    >>> round(sum_bound(100, 0.05, two_sided=False), 1), round(sum_bound(100, 0.05), 1)
    (42.4, 47.0)
    """
    rarity = log((2 if two_sided else 1) / chance)
    return scale * (6 * rarity if count < 6 * rarity else sqrt(6 * count * rarity))


def claimed_sum(chance: float, scale: float = 1.0, *, two_sided: bool = True) -> float:
    """Theorems 7.2.2 and 7.2.3, FALSE: no bound that is free of the number of noises can hold.

    At chance 0.05 the one-sided claim fails from 60 noises on, the two-sided from 64.

    >>> round(claimed_sum(0.05, two_sided=False), 2)
    17.97
    """
    return scale * 6 * log((2 if two_sided else 1) / chance)


def claimed_guess(sigma: float, distance: float, scale: float = 1.0) -> float:
    """Theorem 7.1.1, FALSE for a guess farther than sigma from the noisy value.

    Claimed is the least chance that the guess is within sigma of the truth.

    >>> round(claimed_guess(1.0, 10.0), 5)  # in truth 0.00005
    0.99988
    """
    return 1 - exp(-abs(abs(distance) - sigma) / scale)


def claimed_difference(difference: float, count: int, scale: float = 1.0) -> float:
    """Theorem 7.2.4, FALSE as a probability: with a flat prior it is a loose bound, else nothing.

    Claimed is the least probability that a sum which looks larger by `difference` is larger.

    >>> round(claimed_difference(600.0, 2, 10.0), 5)
    0.99995
    """
    z = difference / scale
    if z <= 0:
        return 0.0
    return 1 - exp(-z / 6) if count < z else 1 - exp(-(z**2) / (6 * count))


def claimed_maximum(values: list[float], bound: float, scale: float = 1.0) -> float:
    """Theorem 7.3.1: with a flat prior a true, very loose lower bound; nothing without one.

    Claimed is the least probability that no true value passes `bound`.

    >>> round(claimed_maximum([3.0, 5.0, 4.0], 8.0), 3)  # with a flat prior 0.963
    0.108
    """
    product = 1.0
    for value in values:
        product *= claimed_difference(bound - value, 1, scale)
    return product
