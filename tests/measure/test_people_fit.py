"""Fit of persons: what one person moves, by brute force on the very query, and what is counted."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations_with_replacement, product

import numpy as np
import pytest

import sfumato.measure.people_fit as module
from fit_world import ONE, TWO, counts_of, linked_visitors, visitors
from people_world import largest_distances
from sfumato.errors import ParameterError
from sfumato.privacy.guarantee import ZCDP, PureDP
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SeededBits
from sfumato.schema import Schema
from sfumato.schema.domain import Domain

WHOLE = 27_720
# Rows (year, sex, ward) that fit, that fail in one column or in several, and absurd ones.
KINDS = [
    ("1", "f", "a"),
    ("99", "f", "a"),
    ("-5", "x", "?"),
    ("1e400", None, "b"),
    ("1", "", "b"),
    ("2", "f", "\N{REPLACEMENT CHARACTER}"),
]
OTHERS = [("1", "0", "f", "a"), ("1", "9", "f", "b"), ("2", "1", "m", "b"), (None, "7", "x", "a")]
NEIGHBOURS = ("add-remove", "replace-one")


def moved_by_every_person(counts):
    """Counts with each person of up to four rows beside the same others; nobody comes last."""
    persons = [p for n in range(1, 5) for p in combinations_with_replacement(KINDS, n)]
    for k, person in enumerate([*persons, ()]):
        own = [((" 7", "7", "7.0")[j % 3], *row) for j, row in enumerate(person)]
        yield counts.query(visitors([*OTHERS[: k % 4], *own, *OTHERS[k % 4 :]]))


def moved_by_every_linked_person(counts):
    """The same of two tables, where there are persons without rows, and twice the same key."""
    events = [(year, ward) for year, _, ward in KINDS]
    rows = [p for n in (0, 1, 2, 4) for p in combinations_with_replacement(events, n)]
    others = [("1", "f"), ("2", "x")], [("1", "0", "a"), ("1", "9", "b"), ("8", "9", "?")]
    for mine, own in [*product((["f"], ["x"], [None], ["f", "x"]), rows), ([], ())]:
        persons = [*others[0], *(("7", sex) for sex in mine)]
        yield counts.query(linked_visitors(persons, [*others[1], *((" 7", *row) for row in own)]))


FOLDS = {"one table": (ONE, moved_by_every_person), "two": (TWO, moved_by_every_linked_person)}


def distances(case):
    """The largest: of persons who are added, in both norms, and of those who are replaced."""
    said, folded = FOLDS[case]
    *some, nobody = np.array([*folded(counts_of(said))])
    return largest_distances(np.array(some), nobody)


@pytest.mark.long
@pytest.mark.parametrize("whole", [WHOLE, 100])  # the second is no multiple of three
@pytest.mark.parametrize("case", FOLDS)
def test_brute_force_attains_the_sensitivity_and_never_exceeds_it(case, whole, monkeypatch):
    monkeypatch.setattr(module, "mass", lambda _most: whole)
    found = distances(case)
    assert found == (whole, whole**2, 2 * whole, 2 * whole**2)
    for neighbours, here in zip(NEIGHBOURS, (found[:2], found[2:]), strict=True):
        stated = counts_of(FOLDS[case][0], neighbours).noise.sensitivity
        assert here == (stated.l1, stated.l2_squared)


@pytest.mark.long
@pytest.mark.parametrize("case", FOLDS)
def test_heavier_rows_are_caught(case, monkeypatch):
    """The control: parts that are rounded up make more than one person of somebody."""
    monkeypatch.setattr(module, "mass", lambda _most: 100)
    monkeypatch.setattr(module, "tickets", lambda c, _, whole: -(-whole // np.maximum(c, 1)))
    assert distances(case)[0] > 100


@pytest.mark.parametrize("rows", [1, 2, 3, 13, 64])
def test_a_person_is_as_many_tickets_as_any_other_whatever_their_rows(rows):
    """Thirteen rows divide them with a remainder: it stays with what fits."""
    wide = {**ONE, "rows_per_person": 64}
    found = counts_of(wide)
    assert found.tickets == WHOLE
    mine = [("7", "99", "f", "a")] * rows
    exact = found.query(visitors([*mine, ("8", "1", "f", "a")], said=wide))
    assert exact[0] == WHOLE + WHOLE % rows
    assert exact.sum() == 2 * WHOLE


def told(counts, exact):
    """Cells that are not empty, in parts of a person."""
    named = ["fits", *(f"{column} {said.words}" for column, said in counts.cells)]
    return {name: Fraction(n, WHOLE) for name, n in zip(named, exact.tolist(), strict=True) if n}


def test_each_row_counts_as_its_part_of_its_person_in_its_first_column_that_does_not_fit():
    counts = counts_of()
    rows = [
        ("1", "1", "f", "a"),
        ("1", "99", "x", "?"),
        ("2", "1", "x", "?"),
        ("3", "1", "f", "b"),
        ("3", "2", "f", "?"),
        ("3", "old", "f", "b"),
        ("", "old", "x", "?"),
    ]
    assert told(counts, counts.query(visitors(rows))) == {
        "fits": Fraction(5, 6),
        "year above": Fraction(1, 2),
        "sex not listed": 1,
        "ward not listed": Fraction(1, 3),
        "year unreadable": Fraction(1, 3),
    }


def test_of_two_tables_half_a_person_is_their_own_row_and_half_the_rows_that_are_theirs():
    counts = counts_of(TWO)
    persons = [("1", "f"), ("2", "x"), ("3", "x"), (None, "x")]
    events = [("1", "99", "a"), ("1", "1", "a"), ("2", "1", "?"), ("9", "99", "?"), ("", "5", "?")]
    assert told(counts, counts.query(linked_visitors(persons, events))) == {
        "fits": 0.75,
        "year above": 0.25,
        "sex not listed": 1.5,
        "ward not listed": 0.5,
    }


@pytest.mark.parametrize("budget", [PureDP("0.02"), ZCDP("0.01")])
@pytest.mark.parametrize("neighbours", NEIGHBOURS)
def test_in_units_of_persons_the_noise_is_that_of_as_many_records(budget, neighbours):
    event = counts_of(ONE, neighbours, budget).noise.event
    times = 2 if neighbours == "replace-one" else 1
    assert (event.in_units.statistic, event.in_units.noise) == ("fit", 50 * times)
    assert event.cost == budget


@pytest.mark.parametrize(("neighbours", "number"), [("replace-one", 2), ("add-remove", None)])
def test_noise_is_added_to_every_cell_and_persons_are_told_only_where_public(neighbours, number):
    rows = [("1", "1", "f", "a"), ("1", "9", "f", "a"), ("2", "0", "m", "b"), (None, "1", "f", "a")]
    counts, people = counts_of(ONE, neighbours), visitors(rows, neighbours)
    noisy, n = counts.perturb(people, Purse(PureDP("0.02"), SeededBits(1)))
    assert n == number
    assert (noisy != counts.query(people)).all()


def test_nobody_has_counts_of_nought():
    assert not counts_of().query(visitors([])).any()


def test_persons_that_were_read_without_complaints_are_refused_before_they_are_read():
    with pytest.raises(ParameterError, match="ask for complaints"):
        counts_of().query(visitors([], complaints=False))


def test_a_schema_without_persons_has_no_such_counts():
    rows = Domain.of(Schema.of({"name": "t", "columns": {"a": {"kind": "boolean"}}}))
    with pytest.raises(ParameterError, match="who a person is"):
        replace(counts_of(), domain=rows).noise  # noqa: B018
