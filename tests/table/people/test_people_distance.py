"""One person moves no table by more than one record would, and some person moves it by as much."""

from itertools import combinations_with_replacement, product

import numpy as np
import pytest

from people_world import Tables, largest_distances, linked, people_of
from sfumato.table.people.ticket import mass, tickets

ROWS = [(sex, year, ward) for sex, year, ward in product(("f", None), range(3), ("a", "b"))]
FEW = [("f", 0, "a"), ("f", 1, "a"), ("m", 1, "b"), (None, 1, "b"), (None, 2, "a")]
OTHERS = [("1", "f", 0, "a"), ("1", "f", 2, "b"), ("2", "m", 1, "b"), (None, "f", 1, "a")]
MOST = 3


CASES = [Tables(1, mass(MOST)), Tables(2, mass(MOST)), Tables(3, 100), Tables(1, 100)]


def folded(*statistics):
    """Totals with each person beside the same others; those of the others alone come last.

    Persons have up to four rows of a few kinds, so that some are cut, or one of any kind, and
    write their id in several ways.
    """
    few = [p for n in range(1, 5) for p in combinations_with_replacement(FEW, n)]
    for k, person in enumerate([*few, *((row,) for row in ROWS), ()]):
        own = [((" 7", "7", "7.0")[j % 3], *row) for j, row in enumerate(person)]
        yield people_of([*OTHERS[: k % 4], *own, *OTHERS[k % 4 :]]).fold(*statistics)


@pytest.fixture(scope="module")
def totals():
    return list(folded(*CASES))


@pytest.mark.parametrize("case", range(len(CASES)))
def test_tables_move_by_one_record_at_most_and_that_is_attained(totals, case):
    statistic = CASES[case]
    least, whole = statistic.least, statistic.whole
    *some, nobody = (found[case] for found in totals)
    bound = (whole, whole**2, 2 * whole, 2 * whole**2)
    for name, cells in statistic.cells.items():
        found = largest_distances(np.array(some)[:, cells], nobody[cells])
        assert np.all(np.array(found) <= bound), name
        # A first row and the next have lags of two kinds, so that two rows never share a cell.
        norms = 4 if least == 1 or name != "lags" else 1
        attained = (least, whole) != (3, 100) or name in ("constants", "counts")
        assert not attained or found[:norms] == bound[:norms], name


def test_heavier_tickets_are_caught():
    """The control: a weight that is rounded up makes more than one record of a person."""
    statistic = Tables(1, 100, lambda c, least, whole: -(-whole // np.maximum(c, least)))
    *some, nobody = np.array([found for (found,) in folded(statistic)])
    cells = statistic.cells["rows"]
    assert largest_distances(np.array(some)[:, cells], nobody[cells])[0] > 100


def test_persons_of_two_tables_move_them_by_one_record():
    """Whoever is in the table of persons counts, with any rows or none; orphans do not."""
    statistic, found = Tables(1, 100), []
    others = [("1", "f"), ("2", "m")], [("1", 0, "a"), ("1", 2, "b"), ("9", 1, "b")]
    kinds = [(0, "a"), (1, "a"), (1, "b"), (2, "a")]
    events = [p for n in (0, 1, 2, 4) for p in combinations_with_replacement(kinds, n)]
    for mine, own in product(([], ["f"], [None], ["f", "m"]), events):
        persons = [*others[0], *(("7", sex) for sex in mine)]
        rows = [*others[1], *((" 7", *row) for row in own)]
        found.append(linked(persons, rows).fold(statistic)[0])
    nobody = linked(*others).fold(statistic)[0]
    orphans = np.array(found[: len(events)])
    assert (orphans == nobody).all()
    for name, cells in statistic.cells.items():
        assert largest_distances(np.array(found)[:, cells], nobody[cells]) == (
            (100, 10_000, 200, 20_000)
        ), name


def test_a_cut_person_has_at_most_one_record_of_tickets():
    counts = np.arange(1, 2000)
    for most in (1, 64, 256, 257, 1999):
        whole = mass(most)
        kept = np.minimum(counts, most)
        for least in (1, 2, 5):
            each = tickets(kept, least, whole)
            assert (kept * each <= whole).all()
            lost = (whole - kept * each)[kept >= least]
            assert (lost < whole / 108).all()
