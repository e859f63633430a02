"""What a table of two rows of a person should be, from a noisy one and what columns have.

The noisy table is first fitted by a few that such tables are made of: two rows that know nothing
of each other, rows that stay as they are, and of numbers also rows that stay near (Gaussian
copulas) and rows that move on by a bin.  What is left is shrunken by the share that noise
explains, first by resolution (`sfumato.render.denoised`), for the parts that are the same read
forwards and backwards, then for the others.
"""

import numpy as np
from scipy.optimize import nnls
from scipy.special import ndtr, ndtri

from sfumato.numeric.arrays import Array, Mask, Vector
from sfumato.render.denoised import by_resolution
from sfumato.render.piecewise import beyond_noise

__all__ = ["of_two_rows", "with_margins"]

_COPULAS = (0.5, 0.8, 0.95)
_POINTS = 400  # of a normal law, over which copulas are summed
_LEAST = 1e-3  # of what was fitted, that noise leaves to a cell
_ROUNDS = 50


def of_two_rows(
    noisy: Array, share: Vector, total: float, deviation: float, ordered: int, possible: Mask | None
) -> Array:
    """Shares of pairs of rows by the bins of both; `possible` where some can never be.

    `share`: of all rows by bin; `ordered`: so many first bins are in the order of a number.

    >>> noisy = np.array([[70.0, 5.0], [5.0, 20.0]])
    >>> of_two_rows(noisy, np.array([0.75, 0.25]), 100.0, 1.0, 0, None).round(2).tolist()
    [[0.7, 0.05], [0.05, 0.2]]
    """
    bins, every = len(share), np.asarray([ordered == len(share)] * 2)
    in_order = (False, bool(every[0]), bool(every[1]))
    if possible is not None:
        fitted = _fitted(np.where(possible, noisy, 0.0), share, total, deviation, ordered, possible)
        rest = np.where(possible, noisy - fitted, 0.0)
        fitted = fitted + by_resolution(rest[None], deviation**2, in_order)[0]
        found = np.where(possible, np.maximum(fitted, 0.0), 0.0)
        return np.asarray(found / max(float(found.sum()), 1e-12))
    both, apart = (noisy + noisy.T) / 2, (noisy - noisy.T) / 2
    spread = deviation * np.sqrt((bins + 1) / (2 * bins))
    fitted = _fitted(both, share, total, spread, ordered, None)
    rest = by_resolution((both - fitted)[None], spread**2, in_order)[0]
    turned = apart * beyond_noise(apart, deviation**2 * bins * (bins - 1) / 2)
    found = np.maximum(fitted + rest + turned, _LEAST * fitted)
    return np.asarray(found / max(float(found.sum()), 1e-12))


def _fitted(
    noisy: Array, share: Vector, total: float, deviation: float, ordered: int, possible: Mask | None
) -> Array:
    """The nearest mixture of what such tables are made of, with the margins of all rows."""
    parts = [total * part for part in _made_of(share, ordered)]
    if possible is not None:
        parts = [np.where(possible, part, 0.0) for part in parts]
    sides = np.stack([part.ravel() for part in parts], axis=1)
    # Weights add up to about one: as strong a wish as the whole table is.
    wish = float(np.sqrt(total**2 / noisy.size + noisy.size * deviation**2))
    weights, _ = nnls(np.vstack([sides, np.full(len(parts), wish)]), np.append(noisy.ravel(), wish))
    found = (sides @ weights).reshape(noisy.shape)
    if possible is None:
        return with_margins(found, total * share)
    return np.asarray(found * (total / max(float(found.sum()), 1e-12)))


def _made_of(share: Vector, ordered: int) -> list[Array]:
    parts = [np.outer(share, share), np.diag(share)]
    if ordered > 1:
        whole = share / share.sum()
        parts += [_copula(whole, strength) for strength in _COPULAS]
        on = np.diag(share).copy()
        moving = np.arange(ordered - 1)
        on[moving, moving + 1], on[moving, moving] = share[moving], 0.0
        parts.append(on)
    return [np.asarray(part / part.sum()) for part in parts]


def _copula(share: Vector, strength: float) -> Array:
    """Two numbers of these shares that follow each other as normal ones of this correlation do."""
    levels = (np.arange(_POINTS) + 0.5) / _POINTS
    ends = ndtri(np.clip(np.cumsum(share)[:-1], 1e-9, 1 - 1e-9))
    below = ndtr((ends - strength * ndtri(levels)[:, None]) / np.sqrt(1 - strength**2))
    second = np.diff(below, axis=1, prepend=0.0, append=1.0)
    upto, grid = np.append(0.0, np.cumsum(share)), np.linspace(0, 1, _POINTS + 1)
    overlap = np.minimum(upto[1:, None], grid[1:]) - np.maximum(upto[:-1, None], grid[:-1])
    return np.asarray(np.maximum(overlap, 0.0) @ second)


def with_margins(table: Array, margin: Vector) -> Array:
    """The table scaled until its rows and columns have this sum."""
    table = np.maximum(table, 1e-12)
    for _ in range(_ROUNDS):
        table = table * (margin / np.maximum(table.sum(axis=1), 1e-12))[:, None]
        table = table * (margin / np.maximum(table.sum(axis=0), 1e-12))
    return np.asarray(table)
