"""Records rebuilt from tables of pairs of columns, many times, so that frequency is confidence.

A made-up table is fitted to the given ones: each of its rows is a distribution over the bins of
every column, and Adam (Kingma and Ba 2015) on the squared difference of all tables moves them,
from a start drawn at random.  Records are then drawn from the rows.  What comes out again
from start after start is what the tables leave little choice about (Dick et al. 2023).
"""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sfumato.inspection.attack.bins import Cells
from sfumato.inspection.attack.pair_tables import PairTables
from sfumato.numeric.threads import one_blas_thread

__all__ = ["rebuilt"]

_RESTARTS, _STEPS, _RATE = 4, 600, 0.2
_MOST_ROWS = 300  # of a made-up table; of more records it holds a part
_DRAWS = 4  # records from each of its rows
_KEPT, _KEPT_SQUARES = 0.9, 0.99  # how slowly Adam forgets

Single = NDArray[np.float32]  # matrices in single precision


def rebuilt(tables: PairTables, records: int, rng: np.random.Generator) -> Cells:
    """Records that the tables suggest, as often as they do.

    >>> people = np.array([[0, 2, 1, 0], [1, 0, 2, 0], [2, 1, 0, 0]] * 2)
    >>> found = rebuilt(PairTables.of_cells(people, (3, 3, 3), 1), 6, np.random.default_rng(0))
    >>> rows, often = np.unique(found, axis=0, return_counts=True)
    >>> rows[np.argsort(-often)[:3]].tolist()
    [[0, 2, 1, 0], [1, 0, 2, 0], [2, 1, 0, 0]]
    """
    rows = min(records, _MOST_ROWS)
    with one_blas_thread:
        return np.vstack(list(_by_class(tables, rows, rng)))


def _by_class(tables: PairTables, rows: int, rng: np.random.Generator) -> Iterator[Cells]:
    for k, share in enumerate(tables.classes):
        if (count := round(share * rows)) < 1:
            continue
        for _ in range(_RESTARTS):
            P = _fitted(tables, k, count, rng)
            for _ in range(_DRAWS):
                cells = _drawn(P, tables.offset, rng)
                yield np.column_stack([cells, np.full(len(cells), k)])


def _fitted(tables: PairTables, k: int, rows: int, rng: np.random.Generator) -> Single:
    """Rows of distributions, one for each column, whose tables come close to the given ones."""
    offset, sizes = tables.offset, np.array(tables.sizes)
    begin, owner = offset[:-1], np.repeat(np.arange(len(sizes)), sizes)
    wanted = tables.shares[k]
    one = wanted.diagonal()
    apart = (tables.counted & ~np.eye(len(sizes), dtype=bool))[owner][:, owner]
    start = np.log(one + 1e-3) + rng.gumbel(size=(rows, len(owner)))
    Z = start.astype(np.float32)
    m: Single = np.zeros_like(Z)
    v: Single = np.zeros_like(Z)
    P = _normalised(Z, begin, owner)
    for step in range(1, _STEPS + 1):
        off = np.where(apart, P.T @ P / rows - wanted, 0)
        slope: Single = 2 * (P @ off) + (P.mean(axis=0) - one)
        slope = P * (slope - np.add.reduceat(slope * P, begin, axis=1)[:, owner])
        m = _KEPT * m + (1 - _KEPT) * slope
        v = _KEPT_SQUARES * v + (1 - _KEPT_SQUARES) * slope**2
        scale = np.sqrt(v / np.float32(1 - _KEPT_SQUARES**step)) + np.float32(1e-8)
        Z -= np.float32(_RATE / (1 - _KEPT**step)) * m / scale
        P = _normalised(Z, begin, owner)
    return P


def _normalised(Z: Single, begin: NDArray[np.int64], owner: NDArray[np.int64]) -> Single:
    """Exponentials that add up to 1 within every column."""
    E = np.exp(Z - np.maximum.reduceat(Z, begin, axis=1)[:, owner])
    return np.asarray(E / np.add.reduceat(E, begin, axis=1)[:, owner], np.float32)


def _drawn(P: Single, offset: NDArray[np.int64], rng: np.random.Generator) -> Cells:
    """One bin of every column for each row."""
    columns = []
    for start, stop in pairwise(offset):
        upto = np.cumsum(P[:, start:stop], axis=1)
        drawn = rng.random((len(P), 1)) * upto[:, -1:]
        columns.append((drawn >= upto).sum(axis=1).clip(max=stop - start - 1))
    return np.column_stack(columns).astype(np.int64)
