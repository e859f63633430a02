"""T6: exact tables and copies are rebuilt, the surest first; releases under noise are not."""

import numpy as np
import pyarrow as pa
import pytest
from attacked import CONFIDENT, noised, people

import sfumato as sf
from sfumato.errors import ParameterError, ReleaseError
from sfumato.inspection.attack import rebuild, reconstruction_attack, table_reconstruction_attack
from sfumato.inspection.attack.bins import bins_of
from sfumato.inspection.attack.pair_tables import PairTables, cells_of
from sfumato.inspection.attack.ranked import _right, _together
from sfumato.inspection.attack.rebuild import rebuilt
from sfumato.inspection.utility import encoded
from sfumato.schema.domain import Domain
from sfumato.synopsis.bins import Fine
from sfumato.synopsis.tables import Layout, MosaicSynopsis, coarse_partition, pairs_of

EVERYBODY = pytest.mark.parametrize("name", ["cancer", "clinic"])
PEOPLE = 100
LEVELS = 12


def small():
    """A hundred people of eight columns in up to twelve bins, and as many others."""
    inside, outside, schema = people("clinic")
    return inside.slice(0, PEOPLE), outside.slice(0, PEOPLE), schema


def _grouped(column):
    """Bins of a number in twelve, missing apart; categories as they are."""
    bins = np.arange(column.bins)
    if not column.ordered:
        return bins
    return np.where(bins < column.ordered, bins * LEVELS // column.ordered, LEVELS)


def published(table, schema, rng, scale=0.0):
    """The synopsis of all tables of pairs, under noise of a scale."""
    domain = Domain.of(schema)
    layout = Layout.of(domain)
    columns = tuple(Fine.of(k, axis) for k, axis in layout.columns.items())
    groups = {column.axis: _grouped(column) for column in columns}
    partition = coarse_partition(columns, groups, layout.label, layout.classes)
    cells = cells_of(partition, encoded(table, domain))
    count = np.zeros((partition.classes, partition.cells, partition.cells), np.int64)
    for k in range(partition.classes):
        own = cells[cells[:, -1] == k, :-1] + partition.offset[:-1]
        X = np.zeros((len(own), partition.cells), np.int64)
        np.put_along_axis(X, own, 1, axis=1)
        count[k] = X.T @ X

    def noisy(block):
        return block + np.rint(rng.laplace(0, scale, block.shape)).astype(np.int64)

    pairs = {
        (i, j): noisy(count[:, partition.block(i), partition.block(j)])
        for i, j in pairs_of(len(partition.columns))
    }
    one = noisy(np.array([table.diagonal() for table in count]))
    return MosaicSynopsis(partition, PEOPLE, {}, {}, one, pairs, ()).to_json()


@pytest.mark.slow
def test_exact_tables_of_pairs_give_whole_records_away(rng):
    """The power of the attack: nothing but counts of two columns is published."""
    inside, outside, schema = small()
    synopsis = published(inside, schema, rng)
    found = table_reconstruction_attack(
        synopsis, inside, schema, control=outside, confidence=CONFIDENT
    )
    assert found.verdict == "succeeds"
    assert found.success.value > 0.5
    assert found.control.value < 0.05
    assert found.baseline.value < 0.05


@pytest.mark.slow
def test_the_surest_guesses_are_right_most_often(rng):
    """Three hundreds of people: of one alone, two misses in twenty are a matter of luck."""
    everybody, _, schema = people("clinic")
    domain = Domain.of(schema)
    surest, unsure = [], []
    for start in (0, PEOPLE, 2 * PEOPLE):
        inside = everybody.slice(start, PEOPLE)
        known = MosaicSynopsis.from_json(published(inside, schema, rng), Layout.of(domain))
        cells = cells_of(known.partition, encoded(inside, domain))
        found = rebuilt(PairTables.of_synopsis(known), PEOPLE, rng)
        guesses, often = np.unique(found, axis=0, return_counts=True)
        order = np.argsort(-often, kind="stable")
        surest.append(_right(guesses[order[:20]], cells))
        unsure.append(_right(guesses[order[100:1_000]], cells))
    assert np.mean(surest) > 18
    assert np.mean(unsure) < 200


@pytest.mark.slow
def test_tables_under_the_noise_of_a_budget_do_not(rng):
    inside, outside, schema = small()
    moved, epsilon = 2 * len(pairs_of(7)), 10  # one record moves two counts of every pair
    synopsis = published(inside, schema, rng, scale=moved / epsilon)
    found = table_reconstruction_attack(
        synopsis, inside, schema, control=outside, confidence=CONFIDENT
    )
    assert found.power  # the same tables without noise would have
    assert found.verdict == "fails"


def test_where_exact_tables_tell_nobody_there_is_no_power_and_it_says_so(rng):
    """Two columns of two values: what is rebuilt is true of somebody in any sample."""
    schema = sf.Schema.of({"name": "t", "columns": {n: {"kind": "boolean"} for n in "ab"}})
    table = pa.table({n: rng.random(200) < 0.5 for n in "ab"})
    release = sf.publish(table.slice(0, 100), schema=schema, epsilon=100, seed=1)
    found = table_reconstruction_attack(
        release.synopsis, table.slice(0, 100), schema, control=table.slice(100)
    )
    assert found.verdict == "no power"


@pytest.fixture
def brief(monkeypatch):
    """A fit that is broken off: where nothing is to be found."""
    monkeypatch.setattr(rebuild, "_STEPS", 20)


@pytest.mark.usefixtures("brief")
def test_a_weakness_names_what_would_not_have_helped():
    inside, outside, schema = people("clinic")
    release = sf.publish(inside, schema=schema, epsilon=50, seed=1, model="forest")
    found = table_reconstruction_attack(release.synopsis, inside, schema, control=outside)
    assert release.synopsis["pairs"]
    assert found.verdict == "no power"
    assert "even if the same tables had been published without noise" in found.weakness


@EVERYBODY
def test_rows_that_are_records_are_named_as_such(name):
    inside, outside, schema = people(name)
    found = reconstruction_attack(inside, inside, schema, control=outside, confidence=CONFIDENT)
    assert found.verdict == "succeeds"
    assert found.success.value == 1
    assert found.control.value < 0.2


@EVERYBODY
def test_rows_under_heavy_noise_and_rows_of_others_are_nobody_in_particular(name):
    inside, outside, schema = people(name)
    half = outside.num_rows // 2
    fresh, rest = outside.slice(0, half), outside.slice(half)
    for release, control in ((noised(inside, schema, epsilon=0.1), outside), (fresh, rest)):
        found = reconstruction_attack(
            release, inside, schema, control=control, confidence=CONFIDENT
        )
        assert found.power
        assert found.verdict == "fails"


def test_a_private_synthesis_is_no_better_than_naming_other_people():
    inside, outside, schema = people("clinic")
    release = sf.publish(inside, schema=schema, epsilon=1, seed=5, model="forest")
    found = reconstruction_attack(
        release.table, inside, schema, control=outside, confidence=CONFIDENT
    )
    assert found.power
    assert found.verdict == "fails"


def test_a_few_copies_among_many_strangers_are_named_first_if_they_are_unusual(rng):
    """Four hundred drawn rows, and twenty records with values that never go together."""
    inside, _, schema = people("clinic")
    codes = encoded(inside, Domain.of(schema))
    cells = np.vstack([codes[:, [1, 4, 5, 7]], np.full((20, 4), 9)])  # the last twenty are odd
    guesses, often = np.unique(cells, axis=0, return_counts=True)
    assert guesses[_together(guesses, often.astype(float)).argmax()].tolist() == [9] * 4


@pytest.mark.slow
def test_false_alarms_are_rarer_than_said(rng):
    """Release, records and control are samples of the same people: 200 times, at 95 %."""
    columns = {n: {"kind": "category", "values": list("abcde")} for n in "uvwxyz"}
    schema = sf.Schema.of({"name": "t", "columns": columns})
    letters, wrong = np.array(list("abcde")), 0
    for seed in range(200):
        codes = np.minimum(rng.geometric(0.4, (360, 6)) - 1, 4)
        table = pa.table({n: letters[codes[:, j]] for j, n in enumerate(columns)})
        parts = (table.slice(120 * k, 120) for k in range(3))
        release, inside, outside = parts
        found = reconstruction_attack(release, inside, schema, control=outside, seed=seed)
        wrong += found.over_control.low > 0
    assert wrong <= 28  # of a binomial of 200 at 5 %, passed with a chance below 1e-6


def test_tables_of_records_and_of_a_synopsis_without_noise_are_the_same(rng):
    inside, _, schema = small()
    known = MosaicSynopsis.from_json(published(inside, schema, rng), Layout.of(Domain.of(schema)))
    cells = cells_of(known.partition, encoded(inside, Domain.of(schema)))
    noisy = PairTables.of_synopsis(known)
    exact = PairTables.of_cells(cells, noisy.sizes, known.partition.classes)
    np.testing.assert_allclose(noisy.shares, exact.shares, atol=1e-6)
    np.testing.assert_allclose(noisy.classes, exact.classes)
    assert noisy.counted.all()


def test_what_is_rebuilt_stays_in_its_bins_and_has_the_tables_of_each_column(rng):
    cells = np.column_stack([rng.integers(0, 3, 300), rng.integers(0, 5, 300), np.zeros(300, int)])
    found = rebuilt(PairTables.of_cells(cells, (3, 5), 1), 300, rng)
    assert found.min() == 0
    assert (found.max(axis=0) == [2, 4, 0]).all()
    for j, size in ((0, 3), (1, 5)):
        shares = [np.bincount(side[:, j], minlength=size) / len(side) for side in (found, cells)]
        np.testing.assert_allclose(*shares, atol=0.02)


@pytest.mark.usefixtures("brief")
def test_tables_of_nobody_are_rebuilt_without_an_error():
    inside, outside, schema = small()
    synopsis = published(inside, schema, np.random.default_rng(0))
    for table in synopsis["pairs"]:
        table["counts"] = (np.array(table["counts"]) * 0 - 5).tolist()
    synopsis["classes"] = (np.array(synopsis["classes"]) * 0 - 5).tolist()
    found = table_reconstruction_attack(synopsis, inside, schema, control=outside)
    assert found.success.hits == 0


def test_right_means_true_of_somebody(rng):
    guesses, others = rng.integers(0, 4, (30, 3)), rng.integers(0, 4, (20, 3))
    known = {tuple(row) for row in others.tolist()}
    assert _right(guesses, others) == sum(tuple(row) in known for row in guesses.tolist())


def test_missing_values_have_a_bin_of_their_own_and_few_levels_stay_as_they_are():
    domain = Domain.of(
        sf.Schema.of(
            {
                "name": "t",
                "columns": {
                    "x": {"kind": "integer", "low": 0, "high": 99, "missing": "allowed"},
                    "k": {"kind": "integer", "low": 0, "high": 5},
                },
            }
        )
    )
    codes = np.array([[-1, 5], [0, 0], [99, 3]], np.int32)
    bins = bins_of(domain, np.repeat(codes, 5, axis=0))
    assert bins(codes)[:, 1].tolist() == [5, 0, 3]
    assert len(set(bins(codes)[:, 0].tolist())) == 3
    nothing = bins_of(domain, np.full((3, 2), -1, np.int32))  # a release without a number
    assert nothing(codes)[0, 0] != nothing(codes)[1, 0]


def test_what_is_out_of_its_rule_is_refused():
    inside, outside, schema = people("clinic")
    with pytest.raises(ParameterError, match="control must be given"):
        reconstruction_attack(inside, inside, schema, control=None)
    with pytest.raises(ParameterError, match="best must be a whole number"):
        reconstruction_attack(inside, inside, schema, control=outside, best=0)
    with pytest.raises(ReleaseError, match="no tables of columns"):
        table_reconstruction_attack({"kind": "moments"}, inside, schema, control=outside)
