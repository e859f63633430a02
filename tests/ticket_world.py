"""Persons of a few small columns, as mosaic counts them: all kinds of tables, one file or two."""

from itertools import combinations, combinations_with_replacement

import numpy as np
import pyarrow as pa

from sfumato.measure.panel import PanelCounts
from sfumato.publishing.people_source import layout_of
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.synopsis.bins import Fine
from sfumato.synopsis.flat_people import FlatPeople
from sfumato.synopsis.panel import Spec
from sfumato.synopsis.tables import coarse_partition, pairs_of
from sfumato.table.people.people import People
from sfumato.table.source import open_source

KEY = b"a key of the tests"
MOST = 3  # rows of a person that are kept
COLUMNS = {
    "patient": {"kind": "id"},
    "sex": {"kind": "category", "values": ["f", "m"], "missing": "allowed", "per": "person"},
    "year": {"kind": "integer", "low": 0, "high": 2},
    "dose": {"kind": "integer", "low": 0, "high": 3, "missing": "allowed"},
    "ward": {"kind": "category", "values": ["a", "b"], "other": "none"},
}
ONE = {"name": "v", "person": "patient", "order": "year", "rows_per_person": MOST}
TWO = {
    "name": "v",
    "rows_per_person": MOST,
    "tables": {"persons": {"key": "patient"}, "events": {"person": "patient", "order": "year"}},
}
# A few kinds of rows: sex, year, dose, ward.
KINDS = [
    ("f", 0, 0, "a"),
    ("f", 2, 3, "b"),
    ("m", 1, None, "b"),
    (None, 2, 1, "a"),
    ("m", 2, None, "elsewhere"),
]
OTHERS = [("1", *KINDS[0]), ("1", *KINDS[2]), ("2", *KINDS[1]), (None, *KINDS[1])]
SPELT = (" 7", "7", "7.0")
EVERY = [p for n in range(1, 5) for p in combinations_with_replacement(KINDS, n)]
# All that one row can be, and all pairs of rows in which one value differs.
ALONE = [
    (sex, year, dose, ward)
    for sex in ("f", "m", None)
    for year in range(3)
    for dose in (0, 1, 2, 3, None)
    for ward in ("a", "b", "none")
]


def schema(linked=False, neighbours="replace-one", **facts):
    return {**(TWO if linked else ONE), "columns": COLUMNS, "neighbours": neighbours} | facts


def domain(linked=False, neighbours="replace-one", **facts):
    return Domain.of(Schema.of(schema(linked, neighbours, **facts)))


def table(rows, names=tuple(COLUMNS)):
    kinds = {"year": pa.int64(), "dose": pa.int64()}
    columns = list(zip(*rows, strict=True)) or [()] * len(names)
    return pa.table(
        {n: pa.array(c, kinds.get(n, pa.string())) for n, c in zip(names, columns, strict=True)}
    )


def people_of(rows, dom=None, **given):
    """Of one file; rows are an id and its values."""
    dom = dom or domain()
    layout = layout_of(dom.schema.people)
    return People(open_source(table(rows)), dom, layout, key=KEY, **given)


def linked_of(persons, events, dom=None, **given):
    """Of two files: ids with a sex, and ids with the rest of a row."""
    dom = dom or domain(linked=True)
    of_persons = open_source(table(persons, ("patient", "sex")))
    of_events = open_source(table(events, ("patient", "year", "dose", "ward")))
    layout = layout_of(dom.schema.people)
    return People(of_events, dom, layout, key=KEY, persons=of_persons, **given)


def counts(dom, bins=None):
    """Every kind of table of every column, in codes or in coarser bins."""
    flat = FlatPeople.of(dom)
    fine = tuple(Fine.of(j, axis) for j, axis in enumerate(flat.domain.axes))
    groups = {one.axis: _grouped(one, bins) for one in fine}
    varying = [j for j in flat.rows if j != flat.order]
    specs = [
        *(Spec("one", (j,)) for j in range(len(fine))),
        *(Spec("pair", pair) for pair in pairs_of(len(fine))),
        *(Spec("next", (j,)) for j in varying),
        *(Spec("other", (j,)) for j in varying),
        *(Spec("step", (j,)) for j in flat.numbers),
        Spec("stay", tuple(varying)),
    ]
    return PanelCounts(flat, coarse_partition(fine, groups, None, 1), tuple(specs))


def _grouped(column, bins):
    """So many neighbouring bins of numbers together, missing by itself."""
    if not column.ordered or bins is None:
        return np.arange(column.bins)
    group = np.arange(column.ordered) // bins
    return np.append(group, group[-1] + 1)[: column.bins]


def kinds_of(statistic):
    """The cells of each table, and those of each kind together."""
    ends = np.cumsum([0, *(int(np.prod(shape)) for shape in statistic.shapes)])
    found = {}
    for spec, begin, end in zip(statistic.tables, ends[:-1], ends[1:], strict=True):
        found.setdefault(spec.kind, []).append(slice(begin, end))
    return found


def of_one_file(persons=None, others=OTHERS):
    """The same others beside each person, at several places of the file; last, beside nobody."""
    for k, person in enumerate([*(persons or EVERY), ()]):
        own = [(SPELT[j % 3], *row) for j, row in enumerate(person)]
        at = k % (len(others) + 1)
        yield people_of([*others[:at], *own, *others[at:]])


def of_two_files():
    """Persons with no row in their table, one or two, and with events or without; last, nobody."""
    others = [("1", "f"), ("2", "m")], [(i, *row[1:]) for i, *row in OTHERS] + [("9", 1, 1, "b")]
    events = [(), *([row[1:] for row in person] for person in EVERY)]
    twice = [list(pair) for pair in combinations(("f", "m", None), 2)]
    for k, own in enumerate(events):
        for mine in (["f"], ["m"], [None], twice[k % 3]):
            persons = [*others[0][: k % 3], *(("7", sex) for sex in mine), *others[0][k % 3 :]]
            yield linked_of(persons, [*((SPELT[k % 3], *row) for row in own), *others[1]])
    yield linked_of(*others)


def distances(vectors, nobody):
    """Over all pairs: add-remove L1 and squared L2, then those of replace-one."""
    moved = vectors - nobody
    square, product = (moved**2).sum(1), moved @ moved.T
    l1 = max(int(np.abs(moved - one).sum(1).max()) for one in moved)
    l2 = int((square[:, None] + square[None] - 2 * product).max())
    return int(np.abs(moved).sum(1).max()), int(square.max()), l1, l2
