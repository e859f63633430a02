"""Persons as tables: keys, columns in their places, and nobody without a row in one table."""

import pickle

import numpy as np
import pytest

from sfumato.render.panel_decode import PeopleDecoder
from sfumato.render.panel_drawing import DrawnPersons
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from visits_world import LINKED_PANEL, PANEL, PEOPLE

DRAWN = DrawnPersons(
    constants=np.array([[10, 0], [20, 2], [30, 1]], np.int32),
    counts=np.array([2, 0, 1]),
    rows=np.array([[0, -1, 0], [3, 7, 2], [10, 400, 1]], np.int32),
)


def decoder(schema):
    return PeopleDecoder(Domain.of(Schema.of(schema)))


def test_in_one_table_columns_stand_as_in_the_schema_and_keys_have_no_gap():
    found = decoder(PANEL)(DRAWN)
    assert found.persons == 2
    (table,) = found.after(5).values()
    assert table.to_pydict() == {
        "born": [1930, 1930, 1950],
        "sex": ["f", "f", "m"],
        "patient": [6, 6, 7],
        "year": [2015, 2018, 2025],
        "days": [None, 7, 400],
        "ward": ["heart", "elsewhere", "lung"],
    }


def test_of_two_tables_everybody_is_among_the_persons():
    found = decoder(LINKED_PANEL)(DRAWN)
    assert found.persons == 3
    tables = found.after(0)
    assert list(tables) == ["persons", "events"]
    assert tables["persons"].to_pydict() == {
        "pid": [1, 2, 3],
        "born": [1930, 1940, 1950],
        "sex": ["f", None, "m"],
    }
    assert tables["events"].select(["patient", "year"]).to_pydict() == {
        "patient": [1, 1, 3],
        "year": [2015, 2018, 2025],
    }


@pytest.mark.parametrize("schema", [PANEL, LINKED_PANEL])
def test_types_follow_from_the_schema_and_keys_are_never_missing(schema):
    made = decoder(schema)
    for name, batch in made(DRAWN).tables.items():
        assert batch.cast(made.tables[name]).schema == made.tables[name]
        assert batch.schema.names == made.tables[name].names
    for table in made.tables.values():
        key = table.field("pid" if "pid" in table.names else "patient")
        assert (str(key.type), key.nullable) == ("int64", False)


def test_persons_without_constants_are_decoded():
    rows = np.zeros((2, 4), np.int32)
    found = decoder(PEOPLE)(DrawnPersons(np.empty((1, 0), np.int32), np.array([2]), rows))
    assert found.tables["data"].to_pydict()["patient"] == [1, 1]


def test_a_decoder_that_was_sent_elsewhere_decodes_the_same():
    made = decoder(PANEL)
    again = pickle.loads(pickle.dumps(made))
    assert again(DRAWN).tables["data"].equals(made(DRAWN).tables["data"])
