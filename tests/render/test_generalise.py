"""Generalised values: what an interval, a set of levels and a missing value are written as."""

import numpy as np
import pytest

from sfumato.measure.hierarchy import Hierarchy
from sfumato.render.generalise import generalised_batch, node_labels
from sfumato.schema import Schema
from sfumato.schema.domain import Domain


def written(column, runs):
    """The labels of runs of positions, of a column of that kind."""
    schema = Schema.of({"name": "t", "columns": {"x": column}})
    hierarchy = Hierarchy.of(Domain.of(schema).axes[0])
    return node_labels(hierarchy.axis, hierarchy.order, runs, hierarchy.names)


AGE = {"kind": "integer", "low": 0, "high": 99}
DOSE = {"kind": "number", "low": -1, "high": 1, "step": 0.1}
DAY = {"kind": "date", "low": "2020-01-01", "high": "2020-01-09"}
HOUR = {"kind": "date", "low": "2020-01-01 00:00", "high": "2020-01-01 05:00", "step": "hour"}
GONE = {"missing": "allowed"}
WARD = {"kind": "category", "values": ["a", "b", "c", "d"]}
NAMED = {**WARD, "taxonomy": {"south": {"far": ["a"], "near": ["b"]}, "north": [["c", "d"]]}}


@pytest.mark.parametrize(
    ("column", "runs", "texts"),
    [
        (AGE, [(0, 20), (20, 100)], ["[0, 20)", "[20, 99]"]),
        (AGE, [(0, 100)], ["[0, 99]"]),
        (AGE, [(98, 99), (99, 100)], ["98", "99"]),
        (AGE | GONE, [(0, 1), (1, 21), (21, 101)], ["missing", "[0, 20)", "[20, 99]"]),
        (AGE | GONE, [(0, 2), (2, 101)], ["0 or missing", "[1, 99]"]),
        (AGE | GONE, [(0, 31)], ["[0, 30) or missing"]),
        (DOSE, [(0, 3), (3, 21)], ["[-1, -0.7)", "[-0.7, 1]"]),
        (DAY, [(0, 2), (2, 9)], ["[2020-01-01, 2020-01-03)", "[2020-01-03, 2020-01-09]"]),
        (HOUR, [(4, 5)], ["2020-01-01 04:00:00"]),
        ({"kind": "boolean"}, [(0, 1), (1, 2), (0, 2)], ["false", "true", "any"]),
        (WARD, [(0, 4), (0, 2), (3, 4)], ["any", "{a, b}", "d"]),
        (WARD | GONE, [(2, 5), (4, 5)], ["{c, d, missing}", "missing"]),
        (NAMED, [(0, 2), (2, 4), (0, 1)], ["south", "north", "a"]),
    ],
)
def test_a_node_is_written_so_that_a_person_can_read_it(column, runs, texts):
    assert written(column, runs) == texts


def test_a_long_set_is_written_by_its_ends_and_its_size():
    column = {"kind": "category", "values": [f"v{k}" for k in range(40)]}
    assert written(column, [(0, 20)]) == ["{v0, …, v19 (20 values)}"]


def test_a_batch_has_the_texts_of_its_nodes():
    domain = Domain.of(Schema.of({"name": "t", "columns": {"age": AGE, "ward": WARD}}))
    nodes = np.array([[1, 0], [0, 0]], np.int32)
    batch = generalised_batch(domain, {0: ["[0, 50)", "[50, 99]"], 1: ["any"]}, nodes)
    assert batch.to_pydict() == {"age": ["[50, 99]", "[0, 50)"], "ward": ["any", "any"]}
