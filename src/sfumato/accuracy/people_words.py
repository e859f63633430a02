"""What counts by person are of, in words: each person counts once, whatever the number of rows.

>>> from sfumato.schema import Schema
>>> print(weights(Schema.of({"name": "t", "person": "id", "columns": {
...     "id": {"kind": "id"}, "year": {"kind": "integer", "low": 2015, "high": 2025}}})))
Each person counts once, and each of their rows, of which at most 64 are used, as an equal part of \
it: rounding takes less than 1 in 108 of whoever has more than 12 rows.
"""

from sfumato.accuracy.published import Published
from sfumato.schema import Schema

__all__ = ["once", "weights"]

_EXACT = 12  # rows, up to which each is an exact part of its person


def once(found: Published, *columns: str) -> str:
    """Beside a count or a mean of what rows hold: how they are weighed."""
    return ", each person counting once," if found.counted(*columns) == "persons' rows" else ""


def weights(schema: Schema | None) -> str:
    """How rows are weighed where a person is the unit, in a sentence; else nothing."""
    people = None if schema is None else schema.people
    if people is None:
        return ""
    used = f", of which at most {people.rows} are used," if people.rows > 1 else ""
    said = f"Each person counts once, and each of their rows{used} as an equal part of it"
    if people.rows > _EXACT:
        said += f": rounding takes less than 1 in 108 of whoever has more than {_EXACT} rows"
    if people.linked:
        said += "; who has no row counts as missing in what rows hold"
    return f"{said}."
