"""NOT PRIVATE: a secret of a person from the rest of their record, guessed with the release.

An attacker who knows all other columns looks up the released record nearest to them and
takes its secret.  Much of what this finds holds for everybody, smokers or not in the data;
so the same is done for control records, and what counts is how much better the guesses
about the records are (Giomi et al. 2023).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ParameterError, SchemaError
from sfumato.inspection.attack.outcome import Rate
from sfumato.inspection.attack.parameter import confident
from sfumato.inspection.attack.result import Attack
from sfumato.inspection.attack.tables import TARGETS, Tables, nearest
from sfumato.inspection.utility import AnySchema
from sfumato.numeric.arrays import Codes
from sfumato.schema.domain import MISSING, Axis, Grid

__all__ = ["TOLERANCE", "attribute_attack"]

TOLERANCE = 0.05


def attribute_attack(
    release: Any,
    original: Any,
    schema: AnySchema,
    *,
    secret: str,
    control: Any = None,
    tolerance: float = TOLERANCE,
    targets: int = TARGETS,
    confidence: float = 0.95,
    seed: int = 0,
) -> Attack:
    """NOT PRIVATE: guess the column `secret` of a record from its other columns.

    A guess of a category or boolean is right if it is equal, of a number, integer or date
    if it is off by at most `tolerance` of the public range.  The baseline always says the
    same: the value that is right most often among the records.

    >>> from sfumato.example import CLINIC, clinic
    >>> from sfumato.schema import Schema
    >>> patients = clinic(600)
    >>> found = attribute_attack(patients.slice(0, 300), patients.slice(0, 300),
    ...     Schema.parse(CLINIC), secret="ward", control=patients.slice(300))
    >>> found.verdict, found.success.value
    ('succeeds', 1.0)
    """
    confident(confidence)
    if not 0 <= tolerance < 1:
        raise ParameterError(f"tolerance must be at least 0 and below 1, got {tolerance!r}")
    tables = Tables.of(release, original, schema, control=control, targets=targets, seed=seed)
    (place,) = tables.places([secret])
    others = [p for p, axis in enumerate(tables.domain.axes) if p != place and axis.codes > 1]
    if not others:
        raise SchemaError(f"column {secret} is the only one: there is nothing to guess it from")
    axis = tables.domain.axes[place]

    def guessed(records: Codes, people: Codes) -> Rate:
        rows = nearest(tables.domain, records, people, others)[1][:, 0]
        right = _right(axis, records[rows, place], people[:, place], tolerance)
        return Rate(int(right.sum()), len(right))

    constant = np.int32(_constant(axis, tables.original[:, place], tolerance))
    right = _right(axis, constant, tables.members[:, place], tolerance)
    return tables.attacked(
        guessed,
        name="attribute",
        subject=secret,
        knows=f"every column of a record but {secret}",
        baseline=Rate(int(right.sum()), len(right)),
        baseline_is="always saying the same",
        confidence=confidence,
    )


def _right(
    axis: Axis, guesses: Codes | np.int32, truths: Codes, tolerance: float
) -> NDArray[np.bool_]:
    same: NDArray[np.bool_] = guesses == truths
    if not isinstance(axis, Grid):
        return same
    near = np.abs(guesses - truths.astype(np.int64)) <= tolerance * axis.points
    close: NDArray[np.bool_] = same | (near & (guesses != MISSING) & (truths != MISSING))
    return close


def _constant(axis: Axis, codes: Codes, tolerance: float) -> int:
    """The code that is right for most records if it is always said."""
    if not isinstance(axis, Grid):
        return int(np.bincount(codes).argmax())
    known = np.sort(codes[codes != MISSING])
    if len(known) < len(codes) / 2:
        return MISSING
    width = int(tolerance * axis.points)
    # A best window starts at a record; its middle is within tolerance of all it holds.
    held = np.searchsorted(known, known + 2 * width, "right") - np.arange(len(known))
    return min(int(known[held.argmax()]) + width, axis.points)
