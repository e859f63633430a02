"""Triples with a target: counted exactly, within their sensitivity, and chosen for their price."""

from fractions import Fraction
from functools import cache
from itertools import permutations, product

import numpy as np
import pytest

from sfumato.inspection.audit.replay import RecordingPurse
from sfumato.measure.joint import JointCounts
from sfumato.measure.joint_table import JointTables
from sfumato.measure.tables import ClassTables
from sfumato.measure.triples import TripleChoice
from sfumato.privacy.guarantee import ZCDP, PureDP
from sfumato.schema import Schema
from sfumato.schema.domain import MISSING, Domain
from sfumato.synopsis.bins import Fine, Merged, Partition
from sfumato.synopsis.triples import band_values
from sfumato.table.statistic import folded

RELATIONS = ("replace-one", "add-remove")
DOMAIN = Domain.of(
    Schema.of(
        {
            "name": "t",
            "columns": {
                "w": {"kind": "category", "values": ["a", "b"]},
                "y": {"kind": "integer", "low": 0, "high": 3, "missing": "allowed"},
                "u": {"kind": "boolean"},
                "v": {"kind": "boolean"},
            },
        }
    )
)
TARGET, CANDIDATES = 1, [(0, 2), (0, 3), (2, 3)]
RECORDS = list(product(range(2), (0, 1, 2, 3, MISSING), range(2), range(2)))  # all there are
FINE = tuple(Fine.of(i, axis) for i, axis in enumerate(DOMAIN.axes))
GROUPS = ((0, 1), (0, 0, 1, 2, 3), (0, 1), (0, 1))
PLAIN = Partition(tuple(Merged(f, np.array(g)) for f, g in zip(FINE, GROUPS, strict=True)), None, 1)
BAND = np.array([0, 1, 2, 3])  # of the bins of the target; missing is the last
BANDED = PLAIN.within(TARGET, BAND)
VALUES = band_values(BAND, 3)
COUNTED = JointCounts(BANDED)
SHAPE = (BANDED.classes, BANDED.cells, BANDED.cells)
BASES = ([], [RECORDS[7], RECORDS[31], RECORDS[31]])


@cache
def counted(rows, batches):
    codes = np.array(rows, np.int32).reshape(len(rows), len(DOMAIN.axes))
    total = folded(COUNTED, np.array_split(codes, batches))
    return JointTables(COUNTED, total).by_pair(BANDED)


def counts(rows, batches=1):
    return counted(tuple(rows), batches)


def neighbouring(base, relation):
    """The tables of which any two, or the first and any other, are neighbours."""
    ends = [[record] for record in RECORDS]
    return [[*base, *end] for end in ([[], *ends] if relation == "add-remove" else ends)]


def distances(values, relation):
    firsts = values[:1] if relation == "add-remove" else values
    return np.concatenate([values - first for first in firsts])


def choice(relation="replace-one", budget=PureDP(1), pairs=2):  # noqa: B008  it is frozen
    return TripleChoice(BANDED, pairs, relation, budget, TARGET, values=VALUES)


def test_bands_have_whole_values_about_zero_and_missing_has_none():
    assert VALUES == (-2, 0, 2, 0)
    assert band_values(np.array([0, 0]), 2) == (0,)


@pytest.mark.parametrize("batches", [1, 3])
def test_counts_within_bands_are_those_of_a_plain_loop(batches):
    rows = RECORDS[::5] * 2 + RECORDS[:7]
    found = counts(rows, batches)
    wanted = np.zeros_like(found)
    for row in rows:
        cells = [PLAIN.block(c).start + GROUPS[c][row[c]] for c in range(4)]
        for one, other in product(cells, cells):
            wanted[BAND[GROUPS[TARGET][row[TARGET]]], one, other] += 1
    for i, j in CANDIDATES:
        block = (slice(None), BANDED.block(i), BANDED.block(j))
        assert np.array_equal(found[block], wanted[block])
    assert found[:, BANDED.block(0), BANDED.block(2)].sum() == len(rows)


def test_a_database_counts_the_same_by_the_bands_of_codes():
    """Missing is the last code of a column there."""
    rows = RECORDS[::7]
    tables = []
    for keys in COUNTED.tables():
        cells = [
            [sum(int(place[row[axis]]) for axis, place in key.parts) for row in rows]
            for key in keys
        ]
        found, often = np.unique(np.array(cells).T, axis=0, return_counts=True)
        tables.append(np.column_stack([found, often]))
    total = COUNTED.gathered(tables)
    assert np.array_equal(JointTables(COUNTED, total).by_pair(BANDED), counts(rows))


@pytest.mark.parametrize("relation", RELATIONS)
def test_brute_force_attains_the_sensitivity_of_the_tables_and_never_exceeds_it(relation):
    """All records against all others; half of a claim would be seen to fail."""
    for pairs in (((0, 2),), ((0, 2), (2, 3)), tuple(CANDIDATES)):
        what = ClassTables(BANDED, pairs, "triples", relation, PureDP(1))
        l1 = l2 = 0
        for base in BASES:
            values = np.array([what.query(counts(rows)) for rows in neighbouring(base, relation)])
            moves = np.abs(distances(values, relation))
            l1, l2 = max(l1, moves.sum(axis=1).max()), max(l2, (moves**2).sum(axis=1).max())
        assert (l1, l2) == (what.noise.sensitivity.l1, what.noise.sensitivity.l2_squared)


@pytest.mark.parametrize("relation", RELATIONS)
def test_brute_force_attains_the_sensitivity_of_the_scores_and_never_exceeds_it(relation, rng):
    what, one, apart = choice(relation), 0, 0
    claimed = what.choice.sensitivity * what.choice.unit
    pairs = tuple(np.array(CANDIDATES).T)
    for base in BASES:
        several = [counts(rows) for rows in neighbouring(base, relation)]
        for _ in range(8):
            expected = rng.integers(0, 3, SHAPE)
            handicap = rng.integers(0, 50, (4, 4))
            scores = np.array([what.scores(some, expected, handicap)[pairs] for some in several])
            moves = distances(scores, relation)
            one = max(one, np.abs(moves).max())
            apart = max(apart, np.ptp(moves, axis=1).max())
    assert one == claimed
    assert apart == 2 * claimed


@pytest.mark.parametrize("budget", [PureDP(2), ZCDP(Fraction(1, 2))], ids=["pure", "zCDP"])
@pytest.mark.parametrize("relation", RELATIONS)
def test_the_exact_loss_of_every_walk_stays_within_what_its_draws_cost(relation, budget, rng):
    what = choice(relation, budget)
    paid, worst = float(what.pairs * what.choice.budget.epsilon), 0.0
    walks = [(a, b - (b > a)) for a, b in permutations(range(3), 2)]  # positions among those left
    expected, none = rng.integers(0, 9, SHAPE), np.zeros((4, 4), np.int64)
    several = []
    for rows in neighbouring(BASES[1], relation):
        here, found = counts(rows), []
        for walk in walks:
            purse = RecordingPurse(what.budget, [[np.array([step]) for step in walk]])
            chosen = what.perturb(here, expected, none, purse)
            assert len(set(chosen)) == 2
            found.append(purse.draws[0].surprise())
        assert np.exp(-np.array(found)).sum() == pytest.approx(1)
        several.append(found)
    worst = np.abs(distances(np.array(several), relation)).max()
    assert paid / 8 < worst <= paid


@pytest.mark.parametrize(("relation", "moved"), [("replace-one", 2), ("add-remove", 1)])
def test_the_draws_cost_their_budget_and_no_value_of_a_band_changes_the_price(relation, moved):
    for draws in (1, 2, 3):
        gaussian = choice(relation, ZCDP("0.01"), draws)
        each = gaussian.choice.budget.epsilon
        assert gaussian.event.cost == ZCDP(draws * each**2 / 2)
        assert Fraction("0.01") * (1 - Fraction(1, 10**6)) < gaussian.event.cost.rho
        assert gaussian.event.cost.rho <= Fraction("0.01")
        assert gaussian.event.noise == 2 * moved / each
        unplanned = TripleChoice(PLAIN, draws, relation, ZCDP("0.01"), TARGET)
        assert unplanned.event == gaussian.event


def test_a_triple_that_pairs_do_not_explain_is_chosen_and_none_twice_or_with_the_target():
    here = counts(RECORDS * 5)
    expected = here.copy()
    expected[2, BANDED.block(2), BANDED.block(3)] += 40
    none = np.zeros((4, 4), np.int64)
    for draws in (1, 3):
        what = choice(budget=PureDP(1000), pairs=draws)
        chosen = what.perturb(here, expected, none, RecordingPurse(PureDP(1000)))
        assert chosen[0] == (2, 3)
        assert sorted(set(chosen)) == sorted(chosen)
        assert set(chosen) <= set(CANDIDATES)
