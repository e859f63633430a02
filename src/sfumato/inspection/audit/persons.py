"""Tables of persons with several rows that differ in all rows of one person.

They are written down as rows of codes, as tables of records are.  Of the rows that stay every two
belong to one person.  Those that differ are all of one more person; of two files the first of them
is in the file of persons and the others are events, so that somebody may have none.  The rows are
read and brought together as those of a release are.

>>> from sfumato.schema import Schema
>>> domain = Domain.of(Schema.of({"name": "t", "person": "id", "columns": {
...     "id": {"kind": "id"}, "ill": {"kind": "boolean"}}}))
>>> [rows.ravel().tolist() for rows in persons(domain, np.array([[0], [1]], np.int32))][:4]
[[0], [1], [0, 0], [1, 1, 1]]
>>> people_of(domain, np.array([[0], [1], [1]], np.int32), np.array([[0], [0]], np.int32)).persons
3
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa

from sfumato.numeric.arrays import Codes
from sfumato.publishing.people_rows import PeopleRows
from sfumato.publishing.people_source import layout_of
from sfumato.render.decode import Decoder
from sfumato.render.panel_drawing import PanelDrawing
from sfumato.schema.domain import Domain
from sfumato.table.people.people import People
from sfumato.table.source import open_source

__all__ = ["batches_of", "people_of", "persons"]

_KEY = b"an audit"
_LAST = "one more"  # the id of the person that differs
_MOST_ROWS = 70  # of that person: more than are kept, unless a schema keeps very many


def persons(domain: Domain, rows: Codes) -> list[Codes]:
    """Persons of these rows: each by itself, several times the same, and with those after it."""
    unit = domain.schema.people
    most = min((unit.rows if unit else 1) + 2, _MOST_ROWS)
    times = (2, 3, most)
    same = [np.repeat(rows[k : k + 1], times[k % 3], axis=0) for k in range(len(rows))]
    others = [rows[(k + np.arange(times[k % 3])) % len(rows)] for k in range(0, len(rows), 2)]
    return [*(rows[k : k + 1] for k in range(len(rows))), *same, *others]


def people_of(domain: Domain, base: Codes, last: Codes, *, whole: bool = False) -> People:
    """The persons of a table, as a method reads them; the last one's rows last, or at first."""
    unit = domain.schema.people
    assert unit is not None  # noqa: S101  whoever has no persons has records
    parts = [(base, [str(k // 2) for k in range(len(base))]), (last, [_LAST] * len(last))]
    persons_table = None
    if unit.key is not None:
        kept = np.concatenate([base[::2], last[:1]])
        ids = [*parts[0][1][::2], *parts[1][1][:1]]
        persons_table = open_source(_table(domain, kept, ids, unit.key, unit.per_person))
        parts[1] = last[1:], parts[1][1][1:]
    columns = unit.per_row if unit.linked else tuple(axis.name for axis in domain.axes)
    tables = [_table(domain, rows, ids, unit.person, columns) for rows, ids in parts]
    rows = pa.concat_tables(tables).combine_chunks() if whole else pa.concat_tables(tables[::-1])
    return People(open_source(rows), domain, layout_of(unit), key=_KEY, persons=persons_table)


def _table(
    domain: Domain, rows: Codes, ids: list[str], name: str, columns: tuple[str, ...]
) -> pa.Table:
    values = pa.Table.from_batches([Decoder(domain).batch(rows)]).select(columns)
    return values.append_column(name, pa.array(ids, pa.string()))


def batches_of(drawn: Iterable[Any], domain: Domain) -> Iterable[pa.RecordBatch]:
    """What a recipient holds of drawn rows, or of drawn persons."""
    if isinstance(drawn, PanelDrawing):
        return (batch for _, batch in PeopleRows(drawn, domain).batches())
    return drawn
