"""NOT PRIVATE: how far a perturbation moves values and ranks (thesis of Liu 2015, section 3.4).

Five measures, all of a perturbed matrix Ã beside its original A, row by row:

    VD   ‖A − Ã‖_F / ‖A‖_F, how far values move
    RP   how many places a value moves in the ranking of its column, on average
    RK   share of the values that keep their place
    CP   how many places the average of a column moves among the averages of all columns
    CK   share of the columns whose average keeps its place (the thesis prints 0 for both cases)

They are called privacy measures where they come from; they are none.  A rotation moves
every value and every rank, and a few known records undo it (`sfumato.inspection.attack`).
Read them as what the words say: distortion.  The scores are for the owner alone;
`sfumato.inspection` says why.

Ties.  `average`: equal values share the mean of their places, so the order of the rows does
not matter, and a tie that is broken by the least noise counts as moved.  `order`: equal
values take their places in the order of the rows, as a sort gives them.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.stats import rankdata

from sfumato.errors import DataError, ParameterError
from sfumato.inspection.attack.numeric import in_units
from sfumato.inspection.utility import AnySchema
from sfumato.numeric.arrays import Matrix
from sfumato.perturb.matrix import real_matrix

__all__ = ["Distortion", "Ties", "distortion", "matrix_distortion"]

Ties = Literal["average", "order"]


@dataclass(frozen=True, slots=True)
class Distortion:
    """Movement of values (vd) and ranks (rp, rk), and of the columns' averages (cp, ck).

    More distortion is a larger vd, rp and cp, and a smaller rk and ck.  `seconds` is the run
    time of the perturbation, where whoever ran it says so.
    """

    vd: float
    rp: float
    rk: float
    cp: float
    ck: float
    seconds: float | None = None


def matrix_distortion(
    perturbed: Any, original: Any, *, ties: Ties = "average", seconds: float | None = None
) -> Distortion:
    """NOT PRIVATE: the five measures of two matrices of the same shape.

    >>> matrix_distortion([[3, 1], [4, 2]], [[3, 1], [4, 2]])
    Distortion(vd=0.0, rp=0.0, rk=1.0, cp=0.0, ck=1.0, seconds=None)
    >>> turned = matrix_distortion([[4, 1], [3, 2]], [[3, 1], [4, 2]])
    >>> turned.rp, turned.rk, turned.ck
    (0.5, 0.5, 1.0)
    """
    if ties not in ("average", "order"):
        raise ParameterError(f"ties must be average or order, got {ties!r}")
    P, A = real_matrix(perturbed), real_matrix(original)
    if P.shape != A.shape:
        raise DataError(f"both matrices must have the same shape, got {P.shape} and {A.shape}")
    size = float(np.linalg.norm(A))
    if size == 0:
        raise DataError("the original is zero everywhere, so a relative change is not defined")
    values = np.abs(_ranks(A, ties) - _ranks(P, ties))
    averages = np.abs(_ranks(A.mean(axis=0), ties) - _ranks(P.mean(axis=0), ties))
    return Distortion(
        vd=float(np.linalg.norm(A - P)) / size,
        rp=float(values.mean()),
        rk=float((values == 0).mean()),
        cp=float(averages.mean()),
        ck=float((averages == 0).mean()),
        seconds=seconds,
    )


def distortion(
    release: Any,
    original: Any,
    schema: AnySchema,
    *,
    ties: Ties = "average",
    seconds: float | None = None,
) -> Distortion:
    """NOT PRIVATE: the five measures of a release that keeps one row per record, in order.

    Numbers, integers and dates are compared, in the units of the schema; categories and
    booleans have no rank.

    >>> import pyarrow as pa
    >>> schema = {"name": "t", "columns": {
    ...     "age": {"kind": "integer", "low": 0, "high": 100},
    ...     "ward": {"kind": "category", "values": ["a", "b"]}}}
    >>> original = pa.table({"age": [20, 50], "ward": ["a", "b"]})
    >>> distortion(pa.table({"age": [80.5, 50.0]}), original, schema).rp
    1.0
    """
    return matrix_distortion(*in_units(release, original, schema), ties=ties, seconds=seconds)


def _ranks(values: Matrix, ties: Ties) -> Matrix:
    """Places of the values in each column, from 1."""
    ranks: Matrix = rankdata(values, method="ordinal" if ties == "order" else ties, axis=0)
    return ranks
