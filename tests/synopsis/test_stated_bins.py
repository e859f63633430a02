"""A synopsis states its fine bins; one that does not is read in those of the first releases."""

import copy
import json

import numpy as np
import pytest

from sfumato.errors import ReleaseError
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.synopsis.bins import Fine, Merged, Partition
from sfumato.synopsis.tables import RUN, Layout, MosaicSynopsis

DOMAIN = Domain.of(
    Schema.of(
        {
            "name": "t",
            "columns": {
                "paid": {"kind": "integer", "low": 0, "high": 9_999, "missing": "allowed"},
                "days": {"kind": "integer", "low": 0, "high": 30},
                "sick": {"kind": "boolean", "role": "label"},
                "ward": {"kind": "category", "values": ["a", "b", "c"]},
            },
        }
    )
)
LAYOUT = Layout.of(DOMAIN)


def synopsis(fine, states_bins=True):
    """Tables of made-up counts in two coarse bins per number."""
    rng = np.random.default_rng(0)
    columns = []
    for column in fine:
        group = np.arange(column.bins)
        if column.ordered:
            group = np.where(group < column.ordered, group > column.ordered // 2, 2).astype(int)
        columns.append(Merged(column, group))
    partition = Partition(tuple(columns), LAYOUT.label, LAYOUT.classes)
    counts = {column.axis: rng.integers(0, 9, column.bins) for column in fine}
    runs = {c.axis: rng.integers(0, 9, c.runs(RUN)) for c in fine if c.ordered}
    one = rng.integers(0, 9, (LAYOUT.classes, partition.cells))
    return MosaicSynopsis(partition, 100, counts, runs, one, {}, (), states_bins)


def fine(most=128):
    return tuple(Fine.of(k, axis, 512, most) for k, axis in LAYOUT.columns.items())


def read(paper):
    return MosaicSynopsis.from_json(json.loads(json.dumps(paper)), LAYOUT)


def test_columns_keep_the_places_that_they_have_in_the_schema():
    assert list(LAYOUT.columns) == [0, 1, 3]
    assert (LAYOUT.label, LAYOUT.classes) == (2, 2)
    assert [axis.name for axis in LAYOUT.columns.values()] == ["paid", "days", "ward"]


@pytest.mark.parametrize("most", [96, 128, 512])
def test_stated_bins_come_back_as_they_were(most):
    made = synopsis(fine(most))
    paper = made.to_json()
    assert set(paper["edges"]) == {"0", "1"}  # of numbers, not of categories
    again = read(paper)
    assert again.to_json() == paper
    for before, after in zip(made.partition.columns, again.partition.columns, strict=True):
        for name in ("start", "stop", "ordered", "axis"):
            assert np.array_equal(getattr(before.fine, name), getattr(after.fine, name))
        assert np.array_equal(before.place, after.place)


def test_bins_that_were_split_come_back_too():
    first, *others = fine()
    assert 7_777 not in first.edges
    paper = synopsis((first.split([7_777], DOMAIN.axes[0]), *others)).to_json()
    again = read(paper).partition.columns[0].fine
    assert {7_777, 7_778} <= set(again.edges.tolist())


def test_without_edges_bins_are_the_hundred_of_the_first_releases():
    first = tuple(Fine.first(k, axis, 512) for k, axis in LAYOUT.columns.items())
    paper = synopsis(first, states_bins=False).to_json()
    assert "edges" not in paper
    again = read(paper)
    assert again.to_json() == paper
    assert [column.fine.bins for column in again.partition.columns] == [101, 31, 3]
    assert np.array_equal(again.partition.columns[0].fine.edges, first[0].edges)
    with pytest.raises(ReleaseError):  # and are not those of today
        read({key: value for key, value in synopsis(fine()).to_json().items() if key != "edges"})


SPOILT = {
    "a start above 0": lambda edges: edges["0"].__setitem__(0, 1),
    "an end below the last": lambda edges: edges["0"].__setitem__(-1, 9_999),
    "an end above the last": lambda edges: edges["0"].__setitem__(-1, 10_001),
    "an empty bin": lambda edges: edges["0"].__setitem__(5, edges["0"][4]),
    "two in reverse": lambda edges: edges["0"].__setitem__(5, edges["0"][4] - 1),
    "one less": lambda edges: edges["0"].pop(4),
    "none": lambda edges: edges.update({"0": []}),
    "one": lambda edges: edges.update({"0": [0]}),
    "a fraction": lambda edges: edges["0"].__setitem__(5, edges["0"][5] + 0.5),
    "text": lambda edges: edges["0"].__setitem__(5, "5"),
    "in rows": lambda edges: edges.update({"0": [edges["0"]]}),
    "of no number": lambda edges: edges.update({"3": [0, 1, 2, 3]}),
    "of no column": lambda edges: edges.update({"9": [0, 1]}),
    "of fewer columns": lambda edges: edges.pop("1"),
    "by no number": lambda edges: edges.update({"paid": edges.pop("0")}),
}


@pytest.mark.parametrize("name", SPOILT)
def test_edges_that_do_not_cover_the_codes_are_refused(name):
    sound = synopsis(fine()).to_json()
    read(sound)
    paper = copy.deepcopy(sound)
    SPOILT[name](paper["edges"])
    with pytest.raises(ReleaseError, match="synopsis"):
        read(paper)


@pytest.mark.parametrize("edges", [None, [], 5, "many"])
def test_edges_that_are_no_mapping_are_refused(edges):
    sound = synopsis(fine()).to_json()
    read(sound)
    with pytest.raises(ReleaseError, match="synopsis"):
        read(sound | {"edges": edges})
