"""Tables and the choice of pairs: within their sensitivity, exact, and a forest."""

from fractions import Fraction
from functools import cache
from itertools import combinations, product

import numpy as np
import pytest

from sfumato.inspection.audit.replay import RecordingPurse
from sfumato.measure.joint import JointCounts
from sfumato.measure.joint_table import JointTables
from sfumato.measure.tables import ClassTables, ColumnTables, PairChoice
from sfumato.privacy.guarantee import ZCDP, PureDP
from sfumato.schema import Schema
from sfumato.schema.domain import MISSING, Domain
from sfumato.synopsis.bins import Fine, Merged, Partition
from sfumato.synopsis.tables import is_forest, pairs_of
from sfumato.table.statistic import folded

ONE = PureDP(1)
RELATIONS = ("replace-one", "add-remove")
DOMAIN = Domain.of(
    Schema.of(
        {
            "name": "t",
            "columns": {
                "x": {"kind": "integer", "low": 0, "high": 3, "missing": "allowed"},
                "w": {"kind": "category", "values": ["a", "b", "c"]},
                "y": {"kind": "boolean", "role": "label"},
                "v": {"kind": "boolean"},
            },
        }
    )
)
RECORDS = list(product((0, 1, 2, 3, MISSING), range(3), range(2), range(2)))  # all there are
FINE = tuple(Fine.of(i, axis) for i, axis in enumerate(DOMAIN.axes))
COLUMNS = tuple(column for column in FINE if column.axis != 2)
KNOWN = {}  # how to count a partition, worked out once; kept with it, so that no other has its id
BASES = ([], [RECORDS[0]], [RECORDS[7], RECORDS[31], RECORDS[31]], RECORDS[::9])


class Given:
    """Records as they come from a table, without the table, in as many batches as wanted."""

    def __init__(self, rows, batches=1):
        codes = np.array(rows, np.int32).reshape(len(rows), len(DOMAIN.axes))
        self.parts = np.array_split(codes, batches)

    def fold(self, statistic):
        return folded(statistic, self.parts)


def tables_of(records, part, *, pairs=True):
    """Exact tables, counted as the method counts them."""
    if (id(part), pairs) not in KNOWN:
        KNOWN[id(part), pairs] = part, JointCounts(part, pairs)
    _, counts = KNOWN[id(part), pairs]
    return JointTables(counts, records.fold(counts))


def pair_counts(records, part):
    """How often two cells hold together, by class: counted in fine bins, in one pass."""
    return tables_of(records, unmerged(part.label)).by_pair(part)


@cache
def unmerged(label=2):
    """Every fine bin by itself."""
    return partition([np.arange(column.bins) for column in COLUMNS], label)


def partition(groups=((0, 0, 1, 1, 2), (0, 1, 1), (0, 1)), label=2):
    merged = (Merged(c, np.array(g)) for c, g in zip(COLUMNS, groups, strict=True))
    return Partition(tuple(merged), label, 1 if label is None else 2)


def neighbouring(base, relation):
    """The tables of which any two, or the first and any other, are neighbours."""
    ends = [[record] for record in RECORDS]
    return [[*base, *end] for end in ([[], *ends] if relation == "add-remove" else ends)]


def distances(values, relation):
    """Differences between all neighbours."""
    firsts = values[:1] if relation == "add-remove" else values
    return np.concatenate([values - first for first in firsts])


def queries(relation, budget=ONE):
    """Every additive step of the method, as it runs, with its claim."""
    for run in (1, 2):
        what = ColumnTables(COLUMNS[:2], run, relation, budget)

        def fine(records, what=what):
            return what.query(tables_of(records, unmerged()).columns[:2])

        yield f"columns in runs of {run}", fine, what.noise
    for label in (2, None):
        part = partition(label=label)
        for pairs in (((0,), (1,), (2,)), pairs_of(3), ((0, 2), (1, 2)), ((1, 2),)):
            what = ClassTables(part, pairs, "tables", relation, budget)

            def query(records, what=what, part=part):
                return what.query(pair_counts(records, part))

            def again(records, what=what, part=part):
                return what.query(tables_of(records, part).by_pair(part))

            yield f"{pairs} within {label}", query, what.noise
            yield f"{pairs} within {label}, in a second pass", again, what.noise
    alone = ClassTables(partition(), ((0,), (1,), (2,)), "classes", relation, budget)

    def one_way(records):
        return alone.query(tables_of(records, unmerged(), pairs=False).by_class(alone.partition))

    yield "one-way tables alone", one_way, alone.noise


@pytest.mark.parametrize("relation", RELATIONS)
def test_brute_force_attains_the_sensitivity_of_every_table_and_never_exceeds_it(relation):
    """All records of the domain against all others; half of a claim would be seen to fail."""
    for name, query, noise in queries(relation):
        l1 = l2 = 0
        for base in BASES:
            values = np.array([query(Given(rows)) for rows in neighbouring(base, relation)])
            moves = np.abs(distances(values, relation))
            l1, l2 = max(l1, moves.sum(axis=1).max()), max(l2, (moves**2).sum(axis=1).max())
        assert l1 == noise.sensitivity.l1, name
        assert l2 == noise.sensitivity.l2_squared, name


def choice(relation="replace-one", budget=ONE, pairs=2, **changes):
    return PairChoice(partition(**changes), pairs, relation, budget)


def guess(rng, what, size=3):
    """Whole numbers that an earlier step may have expected, and a handicap."""
    cells, columns = what.partition.cells, len(what.partition.columns)
    expected = rng.integers(0, size, (what.partition.classes, cells, cells))
    return expected, rng.integers(0, 50, (columns, columns))


@pytest.mark.slow
@pytest.mark.parametrize("relation", RELATIONS)
def test_brute_force_attains_the_sensitivity_of_the_scores_and_never_exceeds_it(relation, rng):
    what = choice(relation)
    claimed, one, apart = what.choice.sensitivity, 0, 0
    pairs = tuple(np.array(pairs_of(3)).T)
    for base in BASES:
        for _ in range(6):
            expected, handicap = guess(rng, what)
            scores = np.array(
                [
                    what.scores(pair_counts(Given(rows), what.partition), expected, handicap)
                    for rows in neighbouring(base, relation)
                ]
            )
            moves = distances(scores[:, *pairs], relation)
            one = max(one, np.abs(moves).max())
            apart = max(apart, np.ptp(moves, axis=1).max())
    assert one == claimed
    assert apart == 2 * claimed


def walks(columns, draws, part=None):
    """Every sequence of positions that so many draws can take."""
    part = list(range(columns)) if part is None else part
    if not draws:
        yield ()
        return
    open_pairs = [(i, j) for i, j in combinations(range(columns), 2) if part[i] != part[j]]
    for position, (i, j) in enumerate(open_pairs):
        joined = [part[i] if p == part[j] else p for p in part]
        for rest in walks(columns, draws - 1, joined):
            yield position, *rest


@pytest.mark.parametrize("budget", [PureDP(2), ZCDP(Fraction(1, 2))], ids=["pure", "zCDP"])
@pytest.mark.parametrize("relation", RELATIONS)
def test_the_exact_loss_of_every_walk_stays_within_what_its_draws_cost(relation, budget, rng):
    what = choice(relation, budget)
    paid = float(what.pairs * what.choice.budget.epsilon)
    every, worst = list(walks(3, 2)), 0.0
    assert len(every) == 3 * 2
    for base in BASES[:2]:
        expected, handicap = guess(rng, what, 9)
        handicap *= 0  # else one pair leads by so much that no record changes anything
        several = []
        for rows in neighbouring(base, relation):
            counts = pair_counts(Given(rows), what.partition)
            found = []
            for walk in every:
                purse = RecordingPurse(what.budget, [[np.array([step]) for step in walk]])
                chosen = what.perturb(counts, expected, handicap, purse)
                assert is_forest(chosen, 3)
                found.append(purse.draws[0].surprise())
            assert np.exp(-np.array(found)).sum() == pytest.approx(1)
            several.append(found)
        worst = max(worst, np.abs(distances(np.array(several), relation)).max())
    assert paid / 8 < worst <= paid


@pytest.mark.parametrize(("relation", "moved"), [("replace-one", 2), ("add-remove", 1)])
def test_the_draws_of_a_choice_cost_its_budget_and_never_more(relation, moved):
    for draws in (1, 2, 3, 7):
        pure = choice(relation, PureDP("0.3"), draws)
        assert pure.event.cost == PureDP("0.3")
        assert pure.event.noise == 2 * moved / (Fraction("0.3") / draws)
        gaussian = choice(relation, ZCDP("0.01"), draws)
        each = gaussian.choice.budget.epsilon
        assert gaussian.event.cost == ZCDP(draws * each**2 / 2)
        assert Fraction("0.01") * (1 - Fraction(1, 10**6)) < gaussian.event.cost.rho
        assert gaussian.event.cost.rho <= Fraction("0.01")


@pytest.mark.parametrize("draws", [1, 2])
def test_chosen_pairs_are_a_forest_and_candidates_never_run_out(draws):
    what = choice(pairs=draws)
    counts = pair_counts(Given(RECORDS), what.partition)
    nothing = np.zeros_like(counts), np.zeros((3, 3), np.int64)
    for seed in range(30):
        purse = RecordingPurse(PureDP(1))
        purse.bits.words(seed)  # another place in the row of bits
        chosen = what.perturb(counts, *nothing, purse)
        assert len(chosen) == draws
        assert is_forest(chosen, 3)


def test_a_pair_that_is_far_from_what_was_expected_is_chosen():
    what = choice(budget=PureDP(1000), pairs=1)
    counts = pair_counts(Given(RECORDS * 5), what.partition)
    first, second = what.partition.block(1), what.partition.block(2)
    expected = counts.copy()
    expected[:, first, second] += 40
    handicap = np.zeros((3, 3), np.int64)
    assert what.perturb(counts, expected, handicap, RecordingPurse(PureDP(1000))) == [(1, 2)]
    handicap[1, 2] = 10**6  # a public reason against it
    assert what.perturb(counts, expected, handicap, RecordingPurse(PureDP(1000))) != [(1, 2)]


def test_absurd_codes_of_a_schema_fall_into_one_cell_of_each_table():
    """Ends, inner codes and missing of a column with more codes than fine bins."""
    domain = Domain.of(
        Schema.of(
            {
                "name": "t",
                "columns": {
                    "n": {"kind": "number", "low": 0, "high": 1, "missing": "allowed"},
                    "d": {"kind": "date", "low": "1900-01-01", "high": "2100-01-01"},
                },
            }
        )
    )
    for index, axis in enumerate(domain.axes):
        column = Fine.of(index, axis, 100, 100)
        codes = np.arange(-1 if axis.missing else 0, axis.points + 1)
        bins = column.place[codes]
        assert np.array_equal(np.bincount(bins), column.stop - column.start)
        assert ((column.start[bins] <= codes) & (codes < column.stop[bins])).all()
        assert 50 < column.bins < 150
