"""NOT PRIVATE: do two parts of a record belong to the same person?  Linked by the release.

An attacker holds two tables: some columns of a set of people, and other columns of the
same people, without names.  For a person's first part and second part they look up the
nearest released records; if both lookups meet in a released record, the parts are linked
(Giomi et al. 2023).  The baseline is that two random picks meet, which is known exactly.

Only right pairs are tried: `success` is how often the attack would link them.  Among
released records at equal distance the choice is arbitrary, so columns of few values link
badly, on the records themselves as well; the `reach` shows it.
"""

from collections.abc import Sequence
from math import comb
from typing import Any

from sfumato.errors import ParameterError, SchemaError
from sfumato.inspection.attack.outcome import Chance, Rate
from sfumato.inspection.attack.parameter import confident, whole
from sfumato.inspection.attack.result import Attack
from sfumato.inspection.attack.tables import TARGETS, Tables, nearest
from sfumato.inspection.utility import AnySchema
from sfumato.numeric.arrays import Codes

__all__ = ["linkage_attack"]


def linkage_attack(
    release: Any,
    original: Any,
    schema: AnySchema,
    *,
    split: tuple[Sequence[str], Sequence[str]] | None = None,
    neighbours: int = 1,
    control: Any = None,
    targets: int = TARGETS,
    confidence: float = 0.95,
    seed: int = 0,
) -> Attack:
    """NOT PRIVATE: link the two parts of a record named by `split` through the release.

    By default the first half of the schema's columns is one part and the rest the other.
    `neighbours` is how many released records are looked up for each part.

    >>> from sfumato.example import CLINIC, clinic
    >>> from sfumato.schema import Schema
    >>> patients = clinic(600)
    >>> linkage_attack(patients.slice(0, 300), patients.slice(0, 300), Schema.parse(CLINIC),
    ...     control=patients.slice(300)).verdict
    'succeeds'
    """
    confident(confidence)
    tables = Tables.of(release, original, schema, control=control, targets=targets, seed=seed)
    first, second = _parts(tables, split)
    whole("neighbours", neighbours, most=min(len(tables.release), len(tables.original)))

    def linked(records: Codes, people: Codes) -> Rate:
        one, other = (
            nearest(tables.domain, records, people, part, neighbours)[1] for part in (first, second)
        )
        meet = (one[:, :, None] == other[:, None, :]).any(axis=(1, 2))
        return Rate(int(meet.sum()), len(meet))

    n = len(tables.release)
    return tables.attacked(
        linked,
        name="linkage",
        knows="two parts of a record, not that they belong together",
        baseline=Chance(1 - comb(n - neighbours, neighbours) / comb(n, neighbours)),
        baseline_is="picking at random",
        confidence=confidence,
    )


def _parts(
    tables: Tables, split: tuple[Sequence[str], Sequence[str]] | None
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    axes = tables.domain.axes
    if split is None:
        names = [axis.name for axis in axes if axis.codes > 1]
        split = names[: len(names) // 2], names[len(names) // 2 :]
    if len(split) != 2 or not split[0] or not split[1]:
        raise SchemaError("linkage needs two parts of at least one column each: name them in split")
    if set(split[0]) & set(split[1]):
        raise ParameterError("split must not name a column in both parts")
    first, second = tables.places(split[0]), tables.places(split[1])
    for part in (first, second):
        if all(axes[place].codes == 1 for place in part):
            raise SchemaError("each part needs a column with at least two values")
    return first, second
