"""Drawn persons become batches of the size of a leaf, whatever the size of the parts."""

import numpy as np
import pyarrow as pa
import pytest

from sfumato.publishing.people_rows import PeopleRows
from sfumato.publishing.row_stream import hashed_tables
from sfumato.release.content import LEAF_ROWS, Content, TablesContent
from sfumato.render.panel_drawing import DrawnPersons, PanelDrawing
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from visits_world import LINKED_PANEL, PANEL

EACH = 5  # rows of a person: a leaf does not end where a person does


def alike(start, count, rng):
    rows = np.tile(np.array([[0, 1, 2]], np.int32), (EACH * count, 1))
    codes = np.stack([np.arange(start, start + count) % 80, rng.integers(0, 2, count)], axis=1)
    return DrawnPersons(codes.astype(np.int32), np.full(count, EACH), rows)


def rows_of(schema, persons=30_000, part=7_001):
    return PeopleRows(PanelDrawing(alike, persons, 5, part), Domain.of(Schema.of(schema)))


@pytest.mark.parametrize("schema", [PANEL, LINKED_PANEL])
def test_all_but_the_last_batch_of_a_table_are_leaves(schema):
    sizes, told, drawn = {}, [], rows_of(schema)
    for name, (batch, digest) in hashed_tables(drawn, told.append):
        sizes.setdefault(name, []).append(batch.num_rows)
        assert (digest is None) == (batch.num_rows < LEAF_ROWS)
    rows = [LEAF_ROWS, LEAF_ROWS, 30_000 * EACH - 2 * LEAF_ROWS]
    assert sizes.pop("persons", [30_000]) == [30_000]
    assert list(sizes.values()) == [rows]
    assert told == rows
    assert drawn.persons == 30_000


@pytest.mark.parametrize("schema", [PANEL, LINKED_PANEL])
def test_keys_count_all_persons_and_the_digest_is_that_of_the_rows(schema):
    drawn = rows_of(schema)
    tables, content = {}, None
    for name, rows in hashed_tables(drawn, columns=drawn._decoder.tables):
        content = content or TablesContent(drawn._decoder.tables)
        content.update(name, rows)
        tables.setdefault(name, []).append(rows.batch)
    whole = {name: pa.Table.from_batches(batches) for name, batches in tables.items()}
    again = TablesContent(drawn._decoder.tables)
    for name, table in whole.items():
        for batch in table.to_batches(max_chunksize=1_000):
            again.update(name, batch)
    assert content.hexdigest() == again.hexdigest()
    keys = np.asarray(whole.get("data", whole.get("events")).column("patient"))
    assert np.array_equal(keys, np.repeat(np.arange(1, 30_001), EACH))
    if "persons" in whole:
        assert whole["persons"].column("pid").to_pylist() == list(range(1, 30_001))


def test_what_is_not_followed_to_its_end_is_closed():
    rows = hashed_tables(rows_of(PANEL))
    next(rows)
    rows.close()


def test_the_digest_of_two_tables_tells_which_is_which():
    batch = pa.RecordBatch.from_pydict({"a": [1, 2]})
    digests = set()
    for first, second in [("persons", "events"), ("events", "persons")]:
        both = TablesContent(["persons", "events"])
        both.update(first, batch)
        both.update(second, batch.slice(1))
        digests.add(both.hexdigest())
    single, plain = TablesContent(), Content()
    single.update("data", batch)
    plain.update(batch)
    assert len(digests) == 2
    assert single.hexdigest() == plain.hexdigest()
