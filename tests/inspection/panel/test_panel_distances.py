"""Tables of persons and of their rows, beside a slow count; what a release must always keep."""

from collections import Counter, defaultdict
from itertools import combinations, pairwise

import numpy as np
import pyarrow as pa
import pytest

from panel_world import COLUMNS, LOOSE, OF_PERSONS, ONE, TWO, histories, linked, with_new_keys
from sfumato.errors import DataError, SchemaError
from sfumato.inspection import lag_correlations, panel_distances
from sfumato.inspection.information import BINS
from sfumato.inspection.panel.lags import always
from sfumato.inspection.panel.reading import people_frame, recorded, released

NAMES = [name for name in COLUMNS if name != "patient"]
POINTS = {"born": 70, "year": 40, "cost": 2000, "days": 400}


@pytest.fixture
def sides(rng):
    return histories(60, rng), histories(90, rng)


def cell(name, value):
    if name not in POINTS:
        return value
    if value is None:
        return "missing"
    code = round((value - COLUMNS[name]["low"]) / COLUMNS[name].get("step", 1))
    return code * min(BINS, POINTS[name] + 1) // (POINTS[name] + 1)


def persons_of(table):
    found = defaultdict(list)
    for row in table.to_pylist():
        found[row["patient"]].append(row)
    return [sorted(rows, key=lambda row: row["year"]) for rows in found.values()]


def apart(a, b):
    a, b = Counter(a), Counter(b)
    total = sum(abs(a[k] / a.total() - b[k] / b.total()) for k in a.keys() | b.keys())
    return pytest.approx(total / 2)


def test_every_table_is_what_a_slow_count_finds(sides):
    found = panel_distances(*sides, ONE)
    ours, theirs = map(persons_of, sides)

    def rows(persons, *names):
        return [tuple(cell(n, row[n]) for n in names) for rows in persons for row in rows]

    def steps(persons, name):
        return [
            (cell(name, a[name]), cell(name, b[name]))
            for rows in persons
            for a, b in pairwise(rows)
        ]

    for name in NAMES:
        assert found.columns.by_columns[(name,)] == apart(rows(ours, name), rows(theirs, name))
    pairs = {frozenset(pair): far for pair, far in found.pairs.by_columns.items()}
    for pair in combinations(NAMES, 2):
        assert pairs[frozenset(pair)] == apart(rows(ours, *pair), rows(theirs, *pair))
    crossed = {(a, b) for a in OF_PERSONS for b in NAMES if b not in OF_PERSONS}
    assert set(found.crossed.by_columns) == crossed
    for name in OF_PERSONS:
        once = [[cell(name, rows[0][name]) for rows in persons] for persons in (ours, theirs)]
        assert found.persons.by_columns[(name,)] == apart(*once)
    assert found.rows_per_person == apart(map(len, ours), map(len, theirs))
    assert set(found.lags.by_columns) == {("cost",), ("days",), ("ward",)}
    for (name,), far in found.lags.by_columns.items():
        assert far == apart(steps(ours, name), steps(theirs, name))
    assert found.order == apart(steps(ours, "year"), steps(theirs, "year"))


def test_two_tables_count_persons_without_a_row(sides):
    ours, theirs = linked(sides[0], without=40), linked(sides[1], without=0)
    found = panel_distances(ours, theirs, TWO)
    joined = panel_distances(*sides, ONE)
    assert found.rows_per_person >= 0.4 - 1e-9  # 40 of 100 have none, and nobody of the records
    assert found.columns.by_columns == joined.columns.by_columns
    assert found.lags.by_columns == joined.lags.by_columns
    assert found.persons.by_columns != joined.persons.by_columns


def test_the_same_persons_under_other_keys_are_no_distance_away(sides, rng):
    own = sides[0]
    mixed = own.take(pa.array(rng.permutation(own.num_rows)))
    found = panel_distances(with_new_keys(own), mixed, ONE)
    assert found.pairs.mean == found.lags.mean == found.rows_per_person == found.order == 0


def test_without_an_order_it_does_not_matter_how_a_release_sorts_rows(rng, monkeypatch):
    own = histories(2_000, rng)
    by_days = own.sort_by([("patient", "ascending"), ("days", "ascending")])
    found = panel_distances(by_days, own, LOOSE)
    assert found.order is None
    assert found.lags.by_columns[("days",)] < 0.1
    (days,) = [one for one in lag_correlations(by_days, own, LOOSE) if one.column == "days"]
    assert days.lag == 1
    assert abs(days.records - days.release) < 0.05
    monkeypatch.setattr("sfumato.inspection.panel.distances.shuffled", lambda panel: panel)
    assert panel_distances(by_days, own, LOOSE).lags.by_columns[("days",)] > 0.15


def test_correlations_are_between_rows_of_one_person_that_both_have_a_value(sides):
    found = lag_correlations(*sides, ONE)
    assert [(one.column, one.lag) for one in found] == [
        (name, lag) for name in ("cost", "days") for lag in (1, 2, 3)
    ]
    for one in found:
        for side, told in zip(sides, (one.release, one.records), strict=True):
            pairs = [
                (rows[k][one.column], rows[k + one.lag][one.column])
                for rows in persons_of(side)
                for k in range(len(rows) - one.lag)
            ]
            known = np.array([p for p in pairs if None not in p]).T
            assert told == pytest.approx(np.corrcoef(*known)[0, 1], abs=1e-3)


def test_a_release_that_breaks_what_must_hold_shows_it():
    broken = pa.table(
        {
            "patient": [1, 1, 2, 2, 3, 4],
            "sex": ["f", "m", "f", "f", "m", "m"],
            "born": [1950, 1950, 1960, 1960, 1970, 1980],
            "year": [2000, 2001, 2005, 2004, 2000, 2000],
            "cost": [1.0, None, 3.0, 4.0, 5.0, 6.0],
            "days": [5, 5, 9, 1, 0, 0],
            "ward": ["a"] * 6,
        }
    )
    frame = people_frame(ONE)
    assert always(released(broken, frame), frame) == {
        "year never falls": 0.75,
        "days never falls": 0.75,
        "sex is constant": 0.75,
        "born is constant": 1.0,
    }
    twice = linked(broken, without=0)
    persons = pa.concat_tables([twice["persons"], twice["persons"].slice(0, 1)])
    persons = persons.set_column(1, "sex", pa.array(["f", "f", "m", "m", "m"]))
    frame = people_frame(TWO)
    kept = always(released({**twice, "persons": persons}, frame), frame)
    assert kept["sex is constant"] == 0.75  # a key that is given twice


def test_rows_without_an_id_and_events_of_nobody_are_left_out(sides):
    own = sides[0]
    ids = own["patient"].to_pylist()
    ids[0] = None
    torn = own.set_column(0, "patient", pa.array(ids, pa.int64()))
    for read in (recorded, lambda data, frame: released(data, frame).panel):
        assert len(read(torn, people_frame(ONE)).rows) == own.num_rows - 1
        two = linked(own)
        two["persons"] = two["persons"].slice(1)
        first = own["patient"].to_pylist().count(0)
        assert len(read(two, people_frame(TWO)).rows) == own.num_rows - first


def test_records_are_cut_to_the_public_number_of_rows(rng):
    own = histories(50, rng)
    panel = recorded(own, people_frame({**ONE, "rows_per_person": 2}))
    assert panel.counts.max() == 2


def test_what_has_no_persons_or_no_second_table_is_refused_by_name(sides):
    own = sides[0]
    rows = {"name": "t", "columns": {"sex": COLUMNS["sex"] | {"per": "row"}}}
    rows["columns"]["sex"].pop("per")
    with pytest.raises(SchemaError, match="makes each row a unit: say whose row it is"):
        panel_distances(own, own, rows)
    with pytest.raises(DataError, match="of two tables, persons and events: give that of persons"):
        panel_distances(linked(own), own, TWO)
    with pytest.raises(DataError, match="the schema is of one: leave out that of persons"):
        panel_distances(own, linked(own), ONE)
    with pytest.raises(DataError, match="column patient, the id of persons, is not in the data"):
        panel_distances(own, own.drop_columns(["patient"]), ONE)
    with pytest.raises(DataError, match="column ward of the schema is not in the data"):
        panel_distances(own, own.drop_columns(["ward"]), ONE)
    with pytest.raises(DataError, match="persons without a single row have no distribution"):
        panel_distances(own, own.slice(0, 0), ONE)


def test_the_ids_of_two_tables_may_have_different_names(sides):
    schema = {
        **TWO,
        "tables": {"persons": {"key": "number"}, "events": TWO["tables"]["events"]},
        "columns": {"number": {"kind": "id"}, **COLUMNS},
    }
    ours, theirs = map(linked, sides)
    known = panel_distances(ours, theirs, TWO)
    for each in (ours, theirs):
        each["persons"] = each["persons"].rename_columns(["number", *OF_PERSONS])
    assert panel_distances(ours, theirs, schema) == known
