"""Drawn persons keep the constraints of their schema."""

import numpy as np
import pytest

from sfumato.render.panel.people_rules import PeopleRules
from sfumato.render.panel_drawing import DrawnPersons
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.synopsis.flat_people import FlatPeople

COLUMNS = {
    "id": {"kind": "id"},
    "born": {"kind": "integer", "low": 0, "high": 9, "per": "person"},
    "year": {"kind": "integer", "low": 0, "high": 9},
}
ONE = {"person": "id", "order": "year"}
TWO = {"tables": {"persons": {"key": "id"}, "events": {"person": "id", "order": "year"}}}


def rules(form):
    schema = {"name": "t", "columns": COLUMNS, "constraints": ["born <= year"], **form}
    return PeopleRules.of(FlatPeople.of(Domain.of(Schema.of(schema))))


@pytest.mark.parametrize("form", [ONE, TWO])
def test_rows_that_break_a_rule_are_moved_and_others_stay(form):
    drawn = DrawnPersons(
        np.array([[5], [0], [9]], np.int32),
        np.array([3, 2, 1]),
        np.array([[4], [5], [9], [0], [1], [2]], np.int32),
    )
    kept = rules(form).kept(drawn, np.random.default_rng(0))
    owner = np.repeat(np.arange(3), kept.counts)
    assert (kept.constants[owner, 0] <= kept.rows[:, 0]).all()
    assert (np.diff(kept.rows[:, 0])[np.diff(owner) == 0] >= 0).all()
    assert kept.rows[owner == 1, 0].tolist() == [0, 1]
    assert set(kept.rows[owner == 0, 0]) >= {5, 9}
    assert (kept.counts >= 1).all()


def test_without_constraints_nothing_changes():
    schema = Schema.of({"name": "t", "columns": COLUMNS, **ONE})
    drawn = DrawnPersons(np.array([[5]], np.int32), np.array([1]), np.array([[1]], np.int32))
    assert (
        PeopleRules.of(FlatPeople.of(Domain.of(schema))).kept(drawn, np.random.default_rng(0))
        is drawn
    )
