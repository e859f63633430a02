"""Leading directions of noisy moments, and how many of them are worth their noise."""

import numpy as np
import pyarrow as pa

from sfumato.numeric.arrays import Matrix

__all__ = [
    "COLUMNS",
    "component_schema",
    "component_table",
    "enough",
    "expected_errors",
    "leading",
]

COLUMNS = ("component", "variance", "share")


def leading(S: Matrix, rank: int) -> tuple[Matrix, Matrix]:
    """The largest eigenvalues of a symmetric matrix and their directions, one per row.

    The sign of a direction is chosen so that its largest entry is positive.
    """
    values, vectors = np.linalg.eigh(S)
    V = vectors.T[::-1][:rank]
    peaks = np.take_along_axis(V, np.abs(V).argmax(axis=1, keepdims=True), axis=1)
    return values[::-1][:rank], V * np.sign(peaks)


def expected_errors(values: Matrix, energies: Matrix) -> Matrix:
    """Squared error per record for rank 0, 1, 2 …: variance left out plus noise let in.

    `values` are all noisy eigenvalues, largest first; `energies[k]` is the noise of k + 1
    coordinates.
    """
    variances = np.maximum(values, 0)
    left_out = np.concatenate([[variances.sum()], variances.sum() - np.cumsum(variances)])
    return np.asarray(left_out[: len(energies) + 1] + np.concatenate([[0.0], energies]))


def enough(values: Matrix, alpha: float) -> int:
    """How many leading components carry a share `alpha` of the (noisy) variance.

    >>> enough(np.array([6.0, 3.0, 1.0, -2.0]), 0.85)
    2
    """
    variances = np.maximum(values, 0)
    total = variances.sum()
    if total <= 0:
        return 1
    return 1 + int(np.searchsorted(np.cumsum(variances) / total, alpha - 1e-12))


def component_table(names: tuple[str, ...], values: Matrix, U: Matrix, rank: int) -> pa.RecordBatch:
    """One row per component: its number, noisy variance, share of the total, and loadings."""
    variances = np.maximum(values, 0)
    columns = [
        pa.array(np.arange(1, rank + 1)),
        pa.array(values[:rank]),
        pa.array(variances[:rank] / max(float(variances.sum()), np.finfo(float).tiny)),
        *(pa.array(loading) for loading in U[:rank].T),
    ]
    return pa.RecordBatch.from_arrays(columns, schema=component_schema(names))


def component_schema(names: tuple[str, ...]) -> pa.Schema:
    """Columns of a table of components."""
    numbers = [pa.field(name, pa.float64(), nullable=False) for name in (*COLUMNS[1:], *names)]
    return pa.schema([pa.field(COLUMNS[0], pa.int64(), nullable=False), *numbers])
