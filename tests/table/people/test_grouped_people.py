"""Persons: the same whatever the order, the batches and the room; nobody decides about another."""

from collections import Counter
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from people_world import (
    DOMAIN,
    KEY,
    LAYOUT,
    LINKED,
    Entries,
    entries,
    linked,
    people_of,
    table,
)
from sfumato.errors import DataError, SchemaError
from sfumato.table.people import person_id
from sfumato.table.people.grouping import Grouping, Room
from sfumato.table.people.keep import Keeper
from sfumato.table.people.layout import PeopleLayout
from sfumato.table.people.panel import Persons
from sfumato.table.people.people import People
from sfumato.table.source import PartOf, open_source

IDS = st.sampled_from(["1", " 1", "2", "2.0", "3", "4", "a", "A", "", None, "nan"])
EVENT = st.tuples(st.sampled_from([0, 1, 2, 7, None]), st.sampled_from(["a", "b", None]))
SEX = st.sampled_from(["f", "m", None, "?"])
ROW = st.builds(lambda i, sex, event: (i, sex, *event), IDS, SEX, EVENT)
ORDER = st.randoms(use_true_random=False)
TIGHT = Room(rows=8, held=40)
QUICK = settings(max_examples=25, deadline=None, derandomize=True)


def moved(before, after):
    """How many persons are gone, and how many came."""
    return sum((before - after).values()), sum((after - before).values())


def own(person, i="7"):
    return [(i, *row) for row in person]


PERSON = st.lists(st.builds(lambda sex, event: (sex, *event), SEX, EVENT), max_size=6)


@QUICK
@given(rows=st.lists(ROW, max_size=40), order=ORDER, cut=st.integers(1, 9))
def test_order_batches_and_room_change_nothing(rows, order, cut):
    shuffled = rows.copy()
    order.shuffle(shuffled)
    pieces = [table(shuffled[k : k + cut]) for k in range(0, len(rows), cut)]
    batched = pa.concat_tables(pieces) if pieces else table([])
    one, other = people_of(rows), People(open_source(batched), DOMAIN, LAYOUT, key=KEY, room=TIGHT)
    assert entries(one) == entries(other)
    assert (one.persons, one.fingerprint()) == (other.persons, other.fingerprint())


@QUICK
@given(
    others=st.lists(ROW, max_size=25),
    before=PERSON,
    after=PERSON,
    order=ORDER,
)
def test_rows_of_one_person_change_no_other(others, before, after, order):
    rows = [*others, *own(after)]
    order.shuffle(rows)
    one, other = people_of([*own(before), *others]), people_of(rows)
    gone, came = moved(entries(one), entries(other))
    assert gone <= bool(before)
    assert came <= bool(after)


@QUICK
@given(
    persons=st.lists(st.tuples(IDS, SEX), max_size=12),
    events=st.lists(st.builds(lambda i, event: (i, *event), IDS, EVENT), max_size=25),
    mine=st.lists(SEX, max_size=3),
    own_events=st.lists(EVENT, max_size=5),
    order=ORDER,
)
def test_a_person_in_two_tables_changes_no_other(persons, events, mine, own_events, order):
    with_mine = [*persons, *(("7", sex) for sex in mine)]
    with_own = [*events, *((" 7", *event) for event in own_events)]
    before = entries(linked(persons, events))
    order.shuffle(with_mine)
    order.shuffle(with_own)
    after = linked(with_mine, with_own)
    assert moved(before, entries(after)) == (0, bool(mine))
    again = linked(with_mine, with_own, room=TIGHT)
    assert entries(again) == entries(after)
    assert again.fingerprint() == after.fingerprint()


def cut_by_position(monkeypatch):
    def positions(self, rows, seen):
        hashes = np.stack([self.row_hashes(rows), self.row_hashes(rows, 1)], axis=1)
        return hashes, np.arange(len(rows)).astype(np.uint64)

    monkeypatch.setattr(Keeper, "_hashed", positions)


def not_normalised(monkeypatch):
    raw = lambda values: values.cast(pa.large_string()).cast(pa.large_binary())  # noqa: E731
    monkeypatch.setattr(person_id, "id_texts", raw)


@pytest.mark.parametrize("fault", [cut_by_position, not_normalised])
def test_faults_are_caught_by_reordering_or_by_spelling(monkeypatch, fault):
    """The controls of the two tests above."""
    rows = [("1", "f", k % 3, "ab"[k % 2]) for k in range(12)]
    spelled = [(" 1", *row[1:]) if k % 2 else row for k, row in enumerate(rows)]
    assert entries(people_of(rows)) == entries(people_of(spelled[::-1]))
    fault(monkeypatch)
    assert entries(people_of(rows)) != entries(people_of(spelled[::-1]))


def test_rows_are_in_order_and_ties_and_all_else_by_hash():
    rows = [("1", "f", year, ward) for year in (2, 0, 1) for ward in "ab"]
    (kept,) = entries(people_of(rows, replace(LAYOUT, most=6)))
    assert [row[0] for row in kept[1]] == [0, 0, 1, 1, 2, 2]
    loose = PeopleLayout(ids=("patient",), constants=("sex",), rows=("year", "ward"), most=6)
    many = people_of([(f"p{k}", *row[1:]) for row in rows for k in range(20)], loose)
    found = {kept_rows for _, kept_rows in entries(many)}
    assert len(found) > 10  # each person has an order of its own
    assert {frozenset(rows) for rows in found} == {frozenset(kept[1])}


def test_constants_that_vary_are_the_first_that_is_not_missing():
    rows = [("1", None, 0, "a"), ("1", "m", 1, "a"), ("1", "f", 2, "a"), ("2", None, 0, "b")]
    assert sorted(person[0] for person in entries(people_of(rows))) == [(1,), (2,)]


def number_of_equal_ones_kept():
    layout = PeopleLayout(ids=("patient",), constants=("sex",), rows=("year", "ward"), most=10)
    rows = [(str(p), "f", 0, "a") for p in range(400) for _ in range(50)]
    rows += [(str(p), "f", 1 + k % 2, "a") for p in range(400) for k in range(50)]
    total = Counter(row for _, kept in entries(people_of(rows, layout)).elements() for row in kept)
    assert sum(total.values()) == 4000
    return total[0, 0]


def equal_rows_together(self, rows, seen):
    hashes = np.stack([self.row_hashes(rows), self.row_hashes(rows, 1)], axis=1)
    return hashes, hashes[:, 0]


def test_every_row_has_the_same_chance_however_often_it_occurs(monkeypatch):
    """Half of a hundred rows are equal: so is half of the ten that are kept, on average.

    Kept ones of 400 persons are 4,000 draws without replacement, so that the number of equal ones
    has a deviation below √1000; five of them are a false alarm in a million.  The control: rows in
    the order of hashes that know no number are kept all together or not at all.
    """
    allowed = 5 * np.sqrt(1000)
    assert abs(number_of_equal_ones_kept() - 2000) < allowed
    monkeypatch.setattr(Keeper, "_hashed", equal_rows_together)
    assert abs(number_of_equal_ones_kept() - 2000) > allowed


@pytest.mark.parametrize("kinds", [1, 2, 6])
def test_one_person_with_very_many_rows_is_cut_the_same_in_little_room(kinds):
    few = [("1", "f", 0, "a"), ("2", "m", 2, "b")]
    many = [("7", "f", k % kinds % 3, "ab"[k % kinds // 3]) for k in range(3000)]
    tight = people_of([*few, *many], room=Room(rows=64, held=2**10))
    assert entries(tight) == entries(people_of([*many, *few]))
    assert tight.fingerprint() == people_of([*many, *few]).fingerprint()


def test_persons_without_rows_and_rows_without_persons():
    persons = [("1", "f"), ("2", "m"), ("2", "m"), (None, "f")]
    events = [("1", 1, "a"), ("9", 1, "a"), (None, 1, "a"), ("1.0", 0, "b")]
    assert entries(linked(persons, events)) == {((0,), ((0, 1), (1, 0))): 1, ((1,), ()): 1}
    assert linked(persons, events).persons == 2
    twice = [("1", "f"), ("1", "m")]  # by its hash, not by its place
    assert entries(linked(twice, [])) == entries(linked(twice[::-1], []))


def test_nobody_is_counted_as_zero():
    for people in (people_of([]), people_of([(None, "f", 1, "a")]), linked([], [("1", 1, "a")])):
        assert people.fold(Persons(), Entries()) == (0, Counter())
        assert people.persons == 0


def test_there_need_be_no_column_of_a_kind():
    rows = [("1", "f", 0, "a"), ("1", "f", 1, "a"), ("2", "m", 2, "b")]
    none_constant = PeopleLayout(ids=("patient",), constants=(), rows=("ward",))
    assert entries(people_of(rows, none_constant)) == {((), ((0,), (0,))): 1, ((), ((1,),)): 1}
    all_constant = PeopleLayout(ids=("patient",), constants=("sex",), rows=())
    assert entries(people_of(rows, all_constant)) == {((0,), ((), ())): 1, ((1,), ((),)): 1}
    neither = PeopleLayout(ids=("patient",), constants=(), rows=(), key=("pid",))
    counted = linked([("1", "f"), ("2", "m")], [("1", 0, "a")], neither)
    assert entries(counted) == {((), ((),)): 1, ((), ()): 1}


def test_the_fingerprint_knows_persons_and_rows_that_are_cut():
    rows = [("1", "f", k % 3, "a") for k in range(9)] + [("2", "f", 0, "b")]
    one = people_of(rows).fingerprint()
    assert one == people_of([*rows[::-1], (None, "f", 1, "a")]).fingerprint()
    for changed in (rows[1:], [*rows[:-1], ("3", *rows[-1][1:])], [*rows, ("3", "f", 1, "a")]):
        assert people_of(changed).fingerprint() != one
    assert People(open_source(table(rows)), DOMAIN, LAYOUT, key=b"other").fingerprint() != one


def test_another_number_of_persons_than_was_counted_is_refused():
    rows = [("1", "f", 1, "a"), ("2", "f", 1, "a")]
    assert people_of(rows, expected=2).persons == 2
    with pytest.raises(DataError, match="number of persons is not what it was"):
        people_of(rows, expected=3).fold(Persons())


def test_what_cannot_be_grouped_is_refused_by_name():
    source = open_source(table([]))
    part = PartOf(source, DOMAIN, DOMAIN.axes[0], np.ones(4, np.bool_))
    with pytest.raises(DataError, match="parts of a table"):
        People(part, DOMAIN, LAYOUT, key=KEY)
    with pytest.raises(DataError, match="table of persons is needed"):
        People(source, DOMAIN, LINKED, key=KEY)
    counted = SimpleNamespace(names=source.names, types={}, fold=lambda: None)
    with pytest.raises(DataError, match="leave out in_database"):
        People(counted, DOMAIN, LAYOUT, key=KEY)
    nested = pa.table({"patient": [[1]], "sex": ["f"], "year": [1], "ward": ["a"]})
    with pytest.raises(DataError, match="column patient: values of its type are no ids"):
        People(open_source(nested), DOMAIN, LAYOUT, key=KEY)
    with pytest.raises(DataError, match="column patient, the id of persons, is not in the data"):
        People(open_source(pa.table({"sex": ["f"]})), DOMAIN, LAYOUT, key=KEY)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"ids": ()}, "needs an id"),
        ({"most": 0}, "from 1 to 4,096"),
        ({"order": "sex"}, "belongs to each row"),
        ({"constants": ("sex", "ward")}, "each column is an id"),
        ({"key": ("a", "b")}, "same number of columns"),
    ],
)
def test_a_layout_that_contradicts_itself_is_refused(changed, words):
    with pytest.raises(SchemaError, match=words):
        replace(LAYOUT, **changed)


def test_no_secret_is_shown():
    assert "key of the tests" not in repr(Grouping(DOMAIN, LAYOUT, KEY)) + repr(Keeper(1, 1, KEY))
