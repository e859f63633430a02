"""Drawn persons: the same whoever draws them, and as many as were asked for."""

import pickle

import numpy as np
import pytest

from sfumato.render.panel_drawing import PanelDrawing
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from toy_people import MadeUp
from visits_world import PANEL

MODEL = MadeUp(Domain.of(Schema.of(PANEL)), (0.1, 0.5, 0.4))


def same(one, other):
    return all(
        np.array_equal(getattr(one, name), getattr(other, name))
        for name in ("constants", "counts", "rows")
    )


@pytest.mark.parametrize(("persons", "parts"), [(0, 0), (1, 1), (10, 1), (11, 2), (35, 4)])
def test_parts_have_all_persons_together(persons, parts):
    drawn = PanelDrawing(MODEL, persons, 5, 10)
    found = list(drawn)
    assert (drawn.parts, len(found)) == (parts, parts)
    assert sum(len(some.counts) for some in found) == persons
    for some in found:
        assert len(some.constants) == len(some.counts)
        assert some.counts.sum() == len(some.rows)


def test_a_part_is_a_function_of_model_seed_and_number_wherever_it_is_drawn():
    drawn = PanelDrawing(MODEL, 35, 5, 10)
    elsewhere = pickle.loads(pickle.dumps(drawn))
    assert all(same(drawn(part), elsewhere(part)) for part in (3, 0, 1, 2))
    assert not same(drawn(0), drawn(1))
    assert not same(drawn(0), PanelDrawing(MODEL, 35, 6, 10)(0))


def test_a_drawing_takes_its_seed_from_a_generator():
    first, again, other = (
        PanelDrawing.of(MODEL, 9, 4, np.random.default_rng(seed)) for seed in (1, 1, 2)
    )
    assert first.seed == again.seed != other.seed
    assert (first.persons, first.part_persons) == (9, 4)
