"""Record-wise exponential mechanism: law by column, sensitivity, price, order, refusals."""

from fractions import Fraction
from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import beta, chi2

import sfumato as sf
from neighbours import records, schema
from sfumato.errors import BudgetError, ParameterError, SchemaError
from sfumato.measure import exponential as module
from sfumato.measure.exponential import ExponentialRecords
from sfumato.methods import METHODS
from sfumato.methods.exponential import METHOD
from sfumato.privacy.guarantee import PureDP, Seeded
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SeededBits
from sfumato.schema import Schema
from sfumato.schema.domain import Domain, Grid
from sfumato.synopsis.features import Features
from sfumato.table.records import Records
from sfumato.table.source import open_source

FALSE_ALARM = 1e-6
ERRORS = [(Fraction(1), True), (Fraction(9, 10), False), (Fraction(11, 10), False)]
COLUMNS = {
    "count": {"kind": "integer", "low": 0, "high": 5},
    "dose": {"kind": "integer", "low": 0, "high": 4, "missing": "allowed"},
    "sick": {"kind": "boolean"},
    "ward": {"kind": "category", "values": ["a", "b", "c"], "missing": "allowed"},
    "one": {"kind": "category", "values": ["only"]},
    "size": {"kind": "number", "low": 0, "high": 1},
}


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    monkeypatch.setitem(METHODS, METHOD.name, METHOD)


def domain_of(*names):
    return Domain.of(Schema.of({"name": "t", "columns": {n: COLUMNS[n] for n in names}}))


def possible(axis):
    """All codes of an axis."""
    first = -1 if isinstance(axis, Grid) and axis.missing else 0
    return range(first, first + axis.codes)


def distances(domain, rows):
    """ℓ₁ distances between records, from the features themselves, as exact fractions."""
    features = Features.of(domain)
    X = features.design(np.array(rows, np.int32))
    real = [[Fraction(int(v), int(u)) for v, u in zip(x, features.units, strict=True)] for x in X]
    return [
        [sum((abs(a - b) for a, b in zip(x, y, strict=True)), Fraction(0)) for y in real]
        for x in real
    ]


def chances(domain, rows, rate):
    weights = np.array(
        [[np.exp(-float(rate * d)) for d in line] for line in distances(domain, rows)]
    )
    return weights / weights.sum(axis=1, keepdims=True)


def drawn(name, code, rate, size, bits):
    law = module._law(domain_of(name).axes[0], rate)
    return module._draw(law, np.full(size, code, np.int64), bits)


def fit(draws, codes, due):
    found, due = np.array([(draws == code).sum() for code in codes]), due * len(draws)
    kept = due > 5
    assert found.sum() == len(draws)
    return chi2.sf(((found - due)[kept] ** 2 / due[kept]).sum(), kept.sum() - 1)


@pytest.mark.parametrize(("error", "passes"), ERRORS)
@pytest.mark.parametrize("rate", [Fraction(1), Fraction(4)])
@pytest.mark.parametrize("name", ["count", "dose", "sick", "ward"])
def test_each_code_becomes_the_others_by_distance_and_by_no_other_law(name, rate, error, passes):
    domain, bits = domain_of(name), SeededBits(0)
    codes = list(possible(domain.axes[0]))
    due = chances(domain, [[code] for code in codes], rate)
    worst = min(
        fit(drawn(name, code, rate * error, 150_000, bits), codes, due[i])
        for i, code in enumerate(codes)
    )
    assert (worst > FALSE_ALARM / len(codes)) == passes


@pytest.mark.parametrize("name", ["count", "dose", "sick", "ward"])
def test_the_exponents_that_run_are_exactly_rate_times_distance(name):
    rate, domain = Fraction(3, 7), domain_of(name)
    law, codes = module._law(domain.axes[0], rate), list(possible(domain.axes[0]))
    due = distances(domain, [[code] for code in codes])
    for i, code in enumerate(codes):
        ((_, most),) = (b for b in law.bounds(np.array([code])) if b[0].size)
        cells = np.array([most * k // 5_000 for k in range(5_000)])
        found = law.locate(np.full(cells.size, code), cells)
        seen = set(
            zip(found.code[found.inside].tolist(), found.which[found.inside].tolist(), strict=True)
        )
        assert {y for y, _ in seen} == set(codes)
        assert all(law.ceilings._exact(w) == rate * due[i][codes.index(y)] for y, w in seen)
        assert (found.level[found.inside] >= 0).all()
        assert (found.level < law.ceilings.above[found.which])[found.inside].all()


@pytest.mark.parametrize(("error", "passes"), ERRORS)
def test_a_fine_grid_follows_the_truncated_laplace_law(error, passes):
    """From one edge of 2¹⁵ + 1 points, so that truncation matters, in thirty bins."""
    rate, bits, points = Fraction(3), SeededBits(0), 2**15
    draws = drawn("size", 0, rate * error, 60_000, bits)
    weights = np.exp(-float(rate) * np.arange(points + 1) / points)
    edges = np.linspace(0, points + 1, 31).astype(int)
    due = np.add.reduceat(weights, edges[:-1]) / weights.sum()
    bins = np.searchsorted(edges, draws, side="right") - 1
    assert (fit(bins, range(30), due) > FALSE_ALARM) == passes


@pytest.mark.parametrize("flag", [Fraction(1), Fraction(9), Fraction(40)])
def test_no_record_needs_many_proposals(flag):
    """Also where missing is one cell beside thousands, and the flag weighs much."""
    fine = COLUMNS["size"] | {"missing": "allowed"}
    axis = Domain.of(Schema.of({"name": "t", "columns": {"size": fine}})).axes[0]
    law, codes = module._law(axis, flag), np.array([-1, 0, 2**14, 2**15])
    for which, most in law.bounds(np.repeat(codes, 2_000)):
        cell = module.uniform_below(most, which.size, SeededBits(2))
        assert law.locate(np.repeat(codes, 2_000)[which], cell).inside.mean() > 0.45


@pytest.mark.parametrize(
    ("rate", "same"), [(Fraction(10**400), True), (Fraction(1, 10**400), False)]
)
def test_rates_beyond_floats_keep_every_value_or_none(rate, same):
    draws = drawn("size", 77, rate, 2_000, SeededBits(1))
    assert (draws == 77).all() == same
    assert (len(np.unique(draws)) > 1_000) != same


def everything(*names):
    domain = domain_of(*names)
    return domain, list(product(*(possible(axis) for axis in domain.axes)))


MIXES = [("count",), ("dose",), ("sick", "ward"), ("count", "ward"), ("dose", "sick", "one")]


@pytest.mark.parametrize(("share", "passes"), [(Fraction(1), True), (Fraction(1, 2), False)])
@pytest.mark.parametrize("names", MIXES, ids="-".join)
def test_brute_force_never_moves_a_utility_beyond_its_sensitivity(names, share, passes):
    domain, rows = everything(*names)
    d = np.array([[float(x) for x in line] for line in distances(domain, rows)])
    moved = np.abs(d[:, None, :] - d[None, :, :]).max()
    claimed = ExponentialRecords(Features.of(domain), PureDP(1)).choice.sensitivity * share
    assert (moved <= float(claimed)) == passes


@pytest.mark.parametrize("names", [("count",), ("sick", "ward"), ("count", "ward")], ids="-".join)
def test_the_sensitivity_is_attained_where_no_number_can_be_missing(names):
    domain, rows = everything(*names)
    choice = ExponentialRecords(Features.of(domain), PureDP(1)).choice
    assert max(max(line) for line in distances(domain, rows)) == choice.sensitivity


@pytest.mark.parametrize(("faster", "passes"), [(1, True), (2, True), (3, False)])
@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(4)])
@pytest.mark.parametrize("names", [("count",), ("sick", "ward"), ("count", "ward")], ids="-".join)
def test_exact_probabilities_never_tell_two_records_apart_by_more_than_epsilon(
    names, epsilon, faster, passes
):
    """Where no number can be missing the loss is half the price: twice as fast still holds."""
    domain, rows = everything(*names)
    rate = ExponentialRecords(Features.of(domain), PureDP(epsilon)).choice.rate * faster
    logs = np.log(chances(domain, rows, rate))
    worst = np.abs(logs[:, None, :] - logs[None, :, :]).max()
    assert (worst <= float(epsilon) * (1 + 1e-9)) == passes


def audited(faster):
    """Lower bound on epsilon, by Clopper and Pearson, from the mechanism as it runs."""
    domain, trials, epsilon = domain_of("sick", "ward"), 200_000, 2
    mechanism = ExponentialRecords(Features.of(domain), PureDP(epsilon * faster))
    table = pa.table({"sick": [True] * trials, "ward": ["a"] * trials})
    other = pa.table({"sick": [False] * trials, "ward": ["b"] * trials})
    hits = []
    for source in (table, other):
        purse = Purse(PureDP(epsilon * faster), SeededBits(len(hits)))
        codes = np.concatenate(list(mechanism.perturb(Records(open_source(source), domain), purse)))
        hits.append(int(((codes[:, 0] == 1) & (codes[:, 1] == 0)).sum()))
    low = beta.ppf(FALSE_ALARM / 2, hits[0], trials - hits[0] + 1)
    high = beta.isf(FALSE_ALARM / 2, hits[1] + 1, trials - hits[1])
    return np.log(low / high), epsilon


@pytest.mark.parametrize(("faster", "passes"), [(1, True), (3, False)])
def test_an_audit_never_finds_more_than_epsilon(faster, passes):
    """Without truncation the true loss is half of the price, so the control is thrice too fast."""
    found, epsilon = audited(faster)
    assert found > 0.4 * epsilon
    assert (found <= epsilon) == passes


def test_records_are_paid_for_once_before_any_is_drawn():
    mechanism = ExponentialRecords(Features.of(domain_of("count")), PureDP(1))
    data = Records(open_source(pa.table({"count": [1, 2]})), domain_of("count"))
    purse = Purse(PureDP("0.9"), SeededBits(0))
    with pytest.raises(BudgetError, match="records would spend more than was reserved"):
        mechanism.perturb(data, purse)
    assert not purse.events


def test_rows_keep_their_number_and_order():
    table = pa.table({"count": list(range(6)) * 20, "one": ["only"] * 120})
    known = {"name": "t", "columns": {n: COLUMNS[n] for n in ("count", "one")}}
    release = sf.publish(table, schema=known, method="exponential", epsilon="1e9")
    assert release.table.column("count").to_pylist() == table.column("count").to_pylist()
    assert release.guarantee == PureDP("1e9")


def test_absurd_records_become_records_of_the_domain(tmp_path):
    row = dict.fromkeys(schema().columns, "\x00") | {"size": "1e999", "age": "nan", "seen": "?"}
    release = METHOD.price(Domain.of(schema()), PureDP(1), {})
    purse = Purse(PureDP(1), SeededBits(4))
    (codes,) = release.measure(records([row, dict.fromkeys(row)]), purse)
    for j, axis in enumerate(Domain.of(schema()).axes):
        assert set(codes[:, j].tolist()) <= set(possible(axis))


def test_a_release_repeats_by_its_seed_and_verifies(tmp_path):
    table = pa.table({"count": [1, 2, 5] * 30, "ward": ["a", "?", None] * 30})
    known = {"name": "t", "columns": {n: COLUMNS[n] for n in ("count", "ward")}}
    given = {"schema": known, "method": "exponential", "epsilon": 1}
    first, again, other = (sf.publish(table, seed=seed, **given) for seed in (7, 7, 8))
    assert first.guarantee == Seeded()
    assert first.table.equals(again.table)
    assert not first.table.equals(other.table)
    sf.publish(table, folder=tmp_path / "r", **given)
    assert all(check.passed for check in sf.verify(tmp_path / "r"))


@pytest.mark.parametrize(
    ("changes", "budget", "error", "words"),
    [
        ({"neighbours": "add-remove"}, {"epsilon": 1}, SchemaError, "declare neighbours: replace"),
        ({}, {"epsilon": 1, "delta": "1e-6"}, ParameterError, "leave out delta and rho"),
        ({}, {"rho": 1}, ParameterError, "leave out delta and rho"),
        ({"columns": {"one": COLUMNS["one"]}}, {"epsilon": 1}, SchemaError, "nothing to measure"),
    ],
)
def test_wrong_use_is_refused_before_anything_is_read(changes, budget, error, words):
    known = {"name": "t", "columns": {"count": COLUMNS["count"]}} | changes
    with pytest.raises(error, match=words):
        sf.publish("there is no such file.csv", schema=known, method="exponential", **budget)
