"""NOT PRIVATE: what kernel ridge regression learns from a release, tried on held-out records.

Train on the release, test on records that had no part in it (section VIII of Chanyaswad et
al. 2017).  Two lines frame the error: the best achievable, the same model trained on the
original training records, and the lowest worth having, always saying the held-out mean.
The scores are for the owner alone; `sfumato.inspection` says why.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from sfumato.errors import DataError, ParameterError, SchemaError
from sfumato.inspection.utility import AnySchema, domain_of, encoded
from sfumato.numeric.arrays import Matrix
from sfumato.schema.domain import MISSING, Domain, Grid
from sfumato.synopsis.features import Features

__all__ = ["LANDMARKS", "MOST_EXACT", "RIDGES", "Regression", "regression"]

MOST_EXACT = 2_000  # training records; an exact solution takes the cube of their number
LANDMARKS = 500
RIDGES = tuple(10.0**k for k in range(3, -5, -1))

Predict = Callable[[Matrix], Matrix]

_CHUNK = 8_192  # rows whose kernel is in memory at a time


@dataclass(frozen=True, slots=True)
class Regression:
    """Root mean squared errors in widths of the target's public range; smaller is better."""

    rmse: float
    best: float | None
    lowest: float


def regression(
    train: Any,
    test: Any,
    schema: AnySchema,
    *,
    target: str,
    original: Any = None,
    most: int = MOST_EXACT,
) -> Regression:
    """NOT PRIVATE: train on `train` (a release), score on `test` (held-out real records).

    `target` names a number, integer or date; it is scaled to its public range, low 0 and
    high 1, so an error of 0.1 is a tenth of the range.  All other columns are features in
    [0, 1] from the public domain.  The kernel is exp(−‖x − x'‖² / features), the target is
    taken about its training mean, the ridge is that of `RIDGES` with the smallest
    generalised cross-validation error on the training records, and what is predicted is
    cut to the range.  Records without a target are left out; a release without records
    predicts the middle of the range.

    Up to `most` training records the solution is exact; beyond, the kernel is approximated
    by Nyström's method from `LANDMARKS` of them, always the same ones for the same number,
    and all are trained on.

    >>> from sfumato.example import CLINIC, clinic
    >>> from sfumato.schema import Schema
    >>> patients = clinic(900)
    >>> found = regression(
    ...     patients.slice(0, 600), patients.slice(600), Schema.parse(CLINIC), target="pressure")
    >>> 0 < found.rmse < found.lowest
    True
    """
    if isinstance(most, bool) or not isinstance(most, Integral) or most < 1:
        raise ParameterError(f"most must be a whole number of at least 1, got {most!r}")
    domain = domain_of(schema)
    place = _place(domain, target)
    X, y = _parts(test, domain, place)
    if not len(y):
        raise DataError("there are no held-out records to score on")

    def error(data: Any) -> float:
        predict = _fitted(*_parts(data, domain, place), most)
        gaps = [predict(X[here]) - y[here] for here in _chunks(len(y))]
        return float(np.sqrt(np.mean(np.concatenate(gaps) ** 2)))

    best = None if original is None else error(original)
    return Regression(error(train), best, float(y.std()))


def _place(domain: Domain, target: str) -> int:
    grids = {a.name: i for i, a in enumerate(domain.axes) if isinstance(a, Grid)}
    if target not in grids:
        known = ", ".join(grids) or "none"
        raise SchemaError(
            f"target must be a number, integer or date of the schema ({known}), got {target!r}"
        )
    if not len(Features.of(domain, without=[grids[target]])):
        raise SchemaError("regression needs a column besides the target: there is none")
    return grids[target]


def _parts(data: Any, domain: Domain, place: int) -> tuple[Matrix, Matrix]:
    features, codes = Features.of(domain, without=[place]), encoded(data, domain)
    axis = domain.axes[place]
    assert isinstance(axis, Grid)  # noqa: S101  the caller has checked
    codes = codes[codes[:, place] != MISSING]
    return features.design(codes) / features.units, codes[:, place] / axis.points


def _fitted(X: Matrix, y: Matrix, most: int) -> Predict:
    """What to predict for new rows."""
    if not len(y):
        return lambda new: np.full(len(new), 0.5)
    mean = y.mean()
    model = (_exact if len(y) <= most else _nystroem)(X, y - mean)
    return lambda new: np.clip(mean + model(new), 0, 1)


def _exact(X: Matrix, y: Matrix) -> Predict:
    values, Q = np.linalg.eigh(_kernel(X, X))
    s, along = np.maximum(values, 0), Q.T @ y
    weights = Q @ (along / (s + _ridge(s, along**2, 0.0, len(y))))
    return lambda new: np.asarray(_kernel(new, X) @ weights)


def _nystroem(X: Matrix, y: Matrix) -> Predict:
    """Ridge regression on Z = K(X, L) K(L, L)^−½, whose products approximate the kernel."""
    count = min(LANDMARKS, len(X))
    L = X[np.random.default_rng(0).choice(len(X), count, replace=False)]
    values, Q = np.linalg.eigh(_kernel(L, L))
    told_apart = values > 1e-10 * values[-1]  # equal landmarks add nothing
    root = Q[:, told_apart] / np.sqrt(values[told_apart])
    second, products = np.zeros((root.shape[1],) * 2), np.zeros(root.shape[1])
    for here in _chunks(len(y)):
        Z = _kernel(X[here], L) @ root
        second += Z.T @ Z
        products += Z.T @ y[here]
    s, V = np.linalg.eigh(second)
    s = np.maximum(s, np.finfo(float).tiny)
    along = V.T @ products
    squares = along**2 / s  # of y along the left singular vectors of Z
    outside = max(float(y @ y - squares.sum()), 0.0)
    weights = root @ (V @ (along / (s + _ridge(s, squares, outside, len(y)))))
    return lambda new: np.asarray(_kernel(new, L) @ weights)


def _ridge(s: Matrix, squares: Matrix, outside: float, rows: int) -> float:
    """The ridge with the smallest cross-validation error; the largest of equals.

    Generalised cross-validation (Golub, Heath and Wahba 1979): the squared residuals, over
    the square of the degrees of freedom that are left (one pays for the mean).
    """
    errors = []
    for ridge in RIDGES:
        left = rows - 1 - float((s / (s + ridge)).sum())
        residuals = outside + float(((ridge / (s + ridge)) ** 2 * squares).sum())
        errors.append(residuals / left**2 if left > 0 else np.inf)
    return RIDGES[int(np.argmin(errors))]


def _kernel(A: Matrix, B: Matrix) -> Matrix:
    squares = (A**2).sum(axis=1)[:, None] + (B**2).sum(axis=1) - 2 * A @ B.T
    return np.asarray(np.exp(-np.maximum(squares, 0) / A.shape[1]))


def _chunks(rows: int) -> Iterator[slice]:
    return (slice(start, start + _CHUNK) for start in range(0, rows, _CHUNK))
