"""What one person moves in the tables that mosaic counts: never more than W, and as much."""

from fractions import Fraction

import numpy as np
import pytest

from sfumato.measure import panel
from sfumato.measure.panel import PanelTables
from sfumato.measure.tables import PairChoice, in_runs, moved
from sfumato.privacy.guarantee import ZCDP, PureDP
from sfumato.synopsis.tables import pairs_of
from sfumato.table.people.keep import Keeper
from sfumato.table.people.ticket import mass
from ticket_world import (
    ALONE,
    EVERY,
    KINDS,
    MOST,
    OTHERS,
    SPELT,
    counts,
    distances,
    domain,
    kinds_of,
    linked_of,
    of_one_file,
    of_two_files,
    people_of,
)

ODD = 100  # tickets that three rows cannot share without a rest
FILES = {False: of_one_file, True: of_two_files}


@pytest.fixture(scope="module", params=[False, True], ids=["one file", "two files"])
def panels(request):
    return request.param, list(FILES[request.param]())


def totals(people, statistic):
    *some, nobody = (one.fold(statistic)[0] for one in people)
    return np.array(some), nobody


def claims(tables, whole):
    """Of so many tables together: in units of a person, as they are paid for."""
    add, replace = (moved(tables, relation) for relation in ("add-remove", "replace-one"))
    return (
        add.l1 * whole,
        add.l2_squared * whole**2,
        replace.l1 * whole,
        replace.l2_squared * whole**2,
    )


@pytest.mark.long
@pytest.mark.parametrize("bins", [None, 2])
@pytest.mark.parametrize("whole", [mass(MOST), ODD])
def test_no_person_moves_a_table_beyond_its_claim_and_some_as_far(panels, whole, bins, monkeypatch):
    monkeypatch.setattr(panel, "mass", lambda _: whole)
    linked, people = panels
    statistic = counts(domain(linked), bins)
    some, nobody = totals(people, statistic)
    for kind, tables in kinds_of(statistic).items():
        for cells in tables:
            found = distances(some[:, cells], nobody[cells])
            assert np.all(np.array(found) <= claims(1, whole)), kind
            assert found[:2] == claims(1, whole)[:2], kind
        together = np.concatenate([np.arange(cells.start, cells.stop) for cells in tables])
        found = distances(some[:, together], nobody[together])
        assert np.all(np.array(found) <= claims(len(tables), whole)), kind
        if bins is None:  # among so few persons there are two who share no cell of any table
            assert found == claims(len(tables), whole), kind


@pytest.mark.long
def test_all_single_rows_and_sums_of_neighbouring_bins_stay_within_the_claim(panels):
    linked, _ = panels
    if linked:
        persons = [[], *([sex] for sex in ("f", "m", None))]
        others = [("1", "f")], [("1", 0, 0, "a")]
        people = [
            linked_of([*others[0], *(("7", sex) for sex in mine)], [*others[1], ("7", *row[1:])])
            for mine in persons
            for row in ALONE[:45]
        ]
        people.append(linked_of(*others))
    else:
        people = list(of_one_file([(row,) for row in ALONE]))
    statistic = counts(domain(linked))
    some, nobody = totals(people, statistic)
    whole, dose = statistic.whole, 3
    tables = kinds_of(statistic)["one"]
    runs = [np.array([in_runs(v[tables[dose]][:4], 2) for v in (*some, nobody)])]
    both = np.concatenate([np.array([*some, nobody])[:, : tables[-1].stop], *runs], axis=1)
    found, claimed = distances(both[:-1], both[-1]), claims(len(tables) + 1, whole)
    # All have one row: replaced, nobody moves the table of their number.
    assert found == (*claimed[:2], *claims(len(tables), whole)[2:])


def with_tickets(made):
    return lambda patch: patch.setattr(panel, "tickets", made)


FAULTS = {
    "rounded up": with_tickets(lambda c, least, whole: -(-whole // np.maximum(c, least))),
    "one row too few": with_tickets(lambda c, least, whole: whole // np.maximum(c - 1, least)),
    "not divided": with_tickets(lambda c, least, whole: np.full(len(c), whole)),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_heavier_tickets_are_caught(fault, monkeypatch):
    """The controls: in all but next rows, which tickets of one row too few suit."""
    monkeypatch.setattr(panel, "mass", lambda _: ODD)
    FAULTS[fault](monkeypatch)
    statistic = counts(domain())
    some, nobody = totals(of_one_file(EVERY[::3]), statistic)
    for kind in ("one", "pair", "other"):
        for cells in kinds_of(statistic)[kind]:
            assert distances(some[:, cells], nobody[cells])[0] > ODD, kind


def mixed(rng):
    """Rows of a person in several numbers, and the same in other places and spellings."""
    own = [KINDS[k] for k in rng.integers(0, len(KINDS), rng.integers(4, 9))]
    rows = [*OTHERS, *(("7", *row) for row in own)]
    other = [*OTHERS, *((SPELT[rng.integers(3)], *row) for row in own)]
    return rows, [other[k] for k in rng.permutation(len(other))]


def test_the_order_of_a_file_moves_nothing(rng):
    statistic = counts(domain())
    for _ in range(20):
        first, second = (people_of(rows).fold(statistic)[0] for rows in mixed(rng))
        assert np.array_equal(first, second)


def test_a_cut_by_position_is_caught(rng, monkeypatch):
    """The control of the test above."""

    def positions(self, rows, _seen):
        hashes = np.stack([self.row_hashes(rows), self.row_hashes(rows, 1)], axis=1)
        return hashes, np.arange(len(rows)).astype(np.uint64)

    monkeypatch.setattr(Keeper, "_hashed", positions)
    statistic = counts(domain())
    pairs = [[people_of(rows).fold(statistic)[0] for rows in mixed(rng)] for _ in range(20)]
    assert not all(np.array_equal(*pair) for pair in pairs)


def test_rows_of_nobody_move_nothing():
    """Orphans, in any number and place, and rows without an id."""
    statistic = counts(domain(linked=True))
    persons = [("1", "f"), ("2", "m")]
    events = [(i, *row[1:]) for i, *row in OTHERS]
    alone = linked_of(persons, events).fold(statistic)[0]
    for many in (1, 4, 9):
        orphans = [(None if k % 2 else "8", *KINDS[k % 5][1:]) for k in range(many)]
        for at in range(len(events) + 1):
            rows = [*events[:at], *orphans, *events[at:]]
            assert np.array_equal(alone, linked_of(persons, rows).fold(statistic)[0])


@pytest.mark.long
@pytest.mark.parametrize("relation", ["add-remove", "replace-one"])
def test_scores_of_pairs_move_by_as_many_tickets_as_they_claim(panels, relation, rng):
    linked, people = panels
    statistic = counts(domain(linked))
    whole, part = statistic.whole, statistic.partition
    every = pairs_of(len(part.columns))
    some, nobody = totals(people[: 4 * 70] + people[-1:], statistic)
    what = PairChoice(part, 2, relation, PureDP(1), unit=whole, known=((0, 1),))
    claimed, one, apart = what.choice.sensitivity, 0, 0
    assert claimed == whole * (1 if relation == "add-remove" else 2)
    tables = [
        np.array([_placed(statistic, every, total) for total in group])
        for group in (some, [nobody])
    ]
    for _ in range(6):
        expected = np.triu(rng.integers(-1, 2 * whole, (part.cells, part.cells)), 1)
        handicap = rng.integers(0, whole, (len(part.columns),) * 2)
        scores, alone = (
            np.array([what.scores(table[None], [expected], handicap) for table in group])
            for group in tables
        )
        places = tuple(np.array(every).T)
        scores, alone = scores[:, *places], alone[:, *places]
        moves = (
            scores - alone
            if relation == "add-remove"
            else (scores[:, None] - scores[None]).reshape(-1, len(every))
        )
        one = max(one, int(np.abs(moves).max()))
        apart = max(apart, int(np.ptp(moves, axis=1).max()))
    assert one <= claimed
    assert apart <= 2 * claimed
    # The others weigh a little, so that what is expected may lie on either side of them.
    assert one > claimed / 2
    assert apart > claimed


def _placed(statistic, every, total):
    """Tables of pairs where the choice looks for them."""
    part, tables = (
        statistic.partition,
        dict(zip(statistic.tables, statistic.split(total), strict=True)),
    )
    placed = np.zeros((part.cells, part.cells), np.int64)
    for i, j in every:
        placed[part.block(i), part.block(j)] = tables["pair", (i, j)]
    return placed


def test_what_is_known_is_no_candidate():
    what = PairChoice(counts(domain()).partition, 2, "add-remove", PureDP(1), known=((0, 1),))
    assert [0, 1] not in what.candidates().pairs.tolist()


@pytest.mark.parametrize("relation", ["add-remove", "replace-one"])
def test_noise_is_of_a_person_and_not_of_a_ticket(relation):
    laplace = PanelTables("t", 4, 100, relation, PureDP(2)).noise.event
    gauss = PanelTables("t", 4, 100, relation, ZCDP(2)).noise.event
    cells = 4 * (1 if relation == "add-remove" else 2)
    assert (laplace.noise, gauss.noise) == (Fraction(cells, 2), Fraction(cells, 4))
