"""Power iteration: exact products, certified norms, brute-forced sensitivity, noise law."""

from fractions import Fraction
from itertools import product as all_of
from math import sqrt

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kstest

import sfumato as sf
from sfumato.errors import ParameterError, SchemaError
from sfumato.measure.power_iteration import (
    MOST_FEATURES,
    UNIT,
    PowerIteration,
    product,
    stretch,
    whole,
)
from sfumato.measure.scatter import exact_scatter
from sfumato.privacy.budget import shared
from sfumato.privacy.guarantee import ZCDP
from sfumato.privacy.mechanism import Paid, Purse
from sfumato.privacy.randomness import SeededBits
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.synopsis.centred import Centred
from sfumato.synopsis.scatter import ScatterLayout
from sfumato.table.records import Records
from sfumato.table.source import open_source

FALSE_ALARM = 1e-6

MIXED = {
    "name": "t",
    "columns": {
        "x": {"kind": "number", "low": 0, "high": 1},
        "y": {"kind": "integer", "low": 0, "high": 3},
        "b": {"kind": "boolean"},
        "u": {"kind": "category", "values": ["p", "q", "r"]},
    },
}
POINTS = ((0.0, 0.5, 1.0), (0, 1, 3), (False, True), ("p", "q", "r"))
SIGNALS = {
    "name": "signals",
    "columns": {f"x{j}": {"kind": "number", "low": -4, "high": 4} for j in range(6)},
}
FIRST = np.array([3, 2, 1, 0, -1, -2]) / np.sqrt(19)


def domain(neighbours="replace-one"):
    return Domain.of(Schema.of(MIXED | {"neighbours": neighbours}))


def iteration(start, *, neighbours="replace-one", radius=None, rho=1, steps=1):
    layout = ScatterLayout(Centred.of(domain(neighbours), radius), neighbours)
    return PowerIteration(layout, start, shared(ZCDP(rho), *[Fraction(1, steps)] * steps))


def table(rows):
    columns = zip(*rows, strict=True)
    return pa.table(dict(zip(MIXED["columns"], columns, strict=True)))


def records(rows, neighbours="replace-one"):
    return Records(open_source(table(rows)), domain(neighbours))


def exact_product(measured, rows, X):
    """What a step adds noise to, in real units."""
    second = exact_scatter(measured.layout, records(rows, measured.layout.neighbours)).second
    return product(second, X) / UNIT


def orthonormal(columns, rng, features=6):
    return np.linalg.qr(rng.normal(size=(features, columns)))[0]


@given(st.data())
def test_products_are_the_exact_floor_of_their_integers(data):
    entries = st.integers(-(2**62), 2**62)
    A = data.draw(st.lists(st.lists(entries, min_size=3, max_size=3), min_size=3, max_size=3))
    steps = st.integers(-UNIT, UNIT)
    X = data.draw(st.lists(st.lists(steps, min_size=2, max_size=2), min_size=3, max_size=3))
    found = product(np.array(A, np.int64), np.array(X, np.int64))
    by_hand = [
        [sum(a * x[j] for a, x in zip(row, X, strict=True)) // 2**30 for j in range(2)] for row in A
    ]
    assert found.tolist() == [[(e + 2**63) % 2**64 - 2**63 for e in row] for row in by_hand]


@pytest.mark.parametrize(("features", "columns"), [(6, 1), (6, 6), (200, 30)])
def test_whole_directions_keep_their_place_and_their_certified_norm(features, columns, rng):
    Q = orthonormal(columns, rng, features)
    X = whole(Q)
    assert np.abs(X / UNIT - Q).max() <= 0.5 / UNIT
    assert np.linalg.norm(X, 2) <= float(stretch(Q)) * UNIT


def test_columns_that_are_far_from_orthonormal_are_shrunk_until_they_fit():
    Q = np.ones((6, 3))
    X = whole(Q)
    assert np.linalg.norm(X, 2) <= float(stretch(Q)) * UNIT
    assert np.linalg.norm(Q, 2) > float(stretch(Q))
    assert X.any()


@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
@pytest.mark.parametrize("radius", [None, "0.7"])
@pytest.mark.parametrize("columns", [1, 3])
def test_no_record_moves_a_product_beyond_its_sensitivity(columns, radius, neighbours, rng):
    start = orthonormal(columns, rng)
    measured, X = iteration(start, neighbours=neighbours, radius=radius), whole(start)
    corners = list(all_of(*POINTS))
    base = [(0.5, 1, True, "q")] * 2
    moved = [exact_product(measured, [*base, record], X) for record in corners]
    if neighbours == "add-remove":
        moves = [P - exact_product(measured, base, X) for P in moved]
    else:
        moves = [P - Q for P in moved for Q in moved[:12]]
    assert max((M**2).sum() for M in moves) <= float(measured.sensitivity.l2_squared)
    assert max(np.abs(M).sum() for M in moves) <= float(measured.sensitivity.l1)


@pytest.mark.parametrize(("columns", "eigenvalues"), [(1, 1), (2, 2)])
def test_two_records_attain_the_sensitivity_in_their_own_directions(columns, eigenvalues):
    """So nothing smaller would do: also the positive control of the test above."""
    schema = {"name": "n", "columns": {f"x{j}": {"kind": "boolean"} for j in range(4)}}
    known = Domain.of(Schema.of(schema))
    first, second = (True, True, True, True), (True, True, False, False)
    Q = np.array([[1, 1, 1, 1], [1, 1, -1, -1]]).T[:, :columns] / 2
    layout = ScatterLayout(Centred.of(known), "replace-one")
    measured = PowerIteration(layout, Q, (ZCDP(1),))

    def moved(row):
        frame = pa.table(
            {name: [value] for name, value in zip(schema["columns"], row, strict=True)}
        )
        exact = exact_scatter(layout, Records(open_source(frame), known))
        return product(exact.second, whole(Q)) / UNIT

    other = second if columns == 2 else (True, False, True, False)
    found = np.linalg.norm(moved(first) - moved(other))
    assert found == pytest.approx(sqrt(eigenvalues), rel=1e-3)  # B = 1
    assert found <= sqrt(measured.sensitivity.l2_squared) <= 1.001 * found


def test_what_the_floor_moves_is_part_of_the_sensitivity(rng):
    """In a ball of a few steps the floor moves more than the product itself."""
    start = orthonormal(6, rng)
    measured, X = iteration(start, radius="0.0005"), whole(start)
    corners = [exact_product(measured, [record], X) for record in all_of(*POINTS)]
    found = max(np.linalg.norm(P - Q) for P in corners for Q in corners)
    without_floor = sqrt(2) * float(measured.layout.centred.largest_square * stretch(start))
    assert without_floor < found <= sqrt(measured.sensitivity.l2_squared)


def test_under_add_remove_the_first_step_pays_for_the_count():
    start = np.eye(6)[:, :2]
    first, second = iteration(start, neighbours="add-remove", steps=2).noises
    assert first.sensitivity.l2_squared == second.sensitivity.l2_squared + 1
    first, second = iteration(start, steps=2).noises
    assert first.sensitivity == second.sensitivity


@pytest.mark.parametrize(("error", "passes"), [(1, True), (0.8, False), (1.25, False)])
def test_the_noise_has_the_stated_variance_and_no_other(error, passes):
    measured, draws = iteration(np.eye(6)[:, :5], rho="0.1"), []

    class Watching(Purse):
        def pay(self, noise):
            super().pay(noise)
            return _Watched(noise, self.bits)

    class _Watched(Paid):
        def add(self, exact, units):
            noisy = super().add(exact, units)
            draws.extend((noisy - exact) / units)
            return noisy

    rows = records([(0.5, 1, True, "q"), (1.0, 3, False, "p")])
    for seed in range(200):
        measured.perturb(rows, Watching(ZCDP(1), SeededBits(seed)))
    sigma = sqrt(measured.noises[0].event.noise)
    scaled = np.array(draws) / (sigma * error)
    assert (kstest(scaled, "norm").pvalue > FALSE_ALARM) == passes


@pytest.fixture
def signals(rng):
    """One strong direction, one weaker, and noise about a mean off the centre."""
    second = np.array([0, 1, -2, 1, 0, 0]) / np.sqrt(6)
    strong, weak = rng.normal(size=(2, 20_000, 1))
    X = 0.5 + 1.2 * strong * FIRST + 0.5 * weak * second + 0.1 * rng.normal(size=(20_000, 6))
    return pa.table(dict(zip(SIGNALS["columns"], np.clip(X, -4, 4).T, strict=True)))


def loadings(release):
    return np.column_stack([release.table[name] for name in SIGNALS["columns"]])


def publish(data, schema=SIGNALS, **given):
    return sf.publish(data, schema=schema, method="power-method", seed=1, **given)


@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
@pytest.mark.parametrize("budget", [{"epsilon": 1, "delta": 1e-6}, {"rho": 0.05}])
def test_the_strong_direction_is_found(budget, neighbours, signals):
    release = publish(signals, SIGNALS | {"neighbours": neighbours}, rank=2, **budget)
    assert abs(loadings(release)[0] @ FIRST) > 0.99
    assert release.table.num_rows == 2


def test_noise_as_large_as_the_signal_hides_it(signals):
    """Positive control of the test above."""
    assert abs(loadings(publish(signals, rank=1, rho="1e-8"))[0] @ FIRST) < 0.9


@pytest.mark.parametrize("means", ["0.1", "0"])
def test_variances_are_those_about_the_mean_or_about_the_centre(means, signals):
    X = np.column_stack([signals[name] for name in SIGNALS["columns"]]) / 8
    second = np.cov(X.T) if means == "0.1" else X.T @ X / len(X)
    true = np.linalg.eigvalsh(second)[::-1][:2]
    release = publish(signals, rho=50, rank=2, iterations=8, means=means)
    assert release.table["variance"].to_numpy() == pytest.approx(true, rel=0.02)
    U = loadings(release)
    assert np.abs(U @ U.T - np.eye(2)).max() < 1e-9


def test_the_steps_cost_the_budget_and_no_more_and_the_release_verifies(signals, tmp_path):
    release = sf.publish(
        signals, schema=SIGNALS, method="power-method", rho="0.3", folder=tmp_path / "r"
    )
    costs = [event.cost.rho for event in release.certificate.events]
    assert sum(costs) == Fraction(3, 10)
    assert [event.statistic for event in release.certificate.events][:3] == [
        "fit",
        "sums",
        "power step 1",
    ]
    assert all(check.passed for check in sf.verify(tmp_path / "r"))


def test_a_pure_epsilon_is_refused_with_the_remedy():
    with pytest.raises(ParameterError, match=r"delta or rho.*lap-pca"):
        sf.price(SIGNALS, method="power-method", epsilon=1)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("rank", 0),
        ("rank", 7),
        ("rank", "alpha"),
        ("rank", "many"),
        ("iterations", 0),
        ("iterations", "1.5"),
        ("iterations", 101),
        ("means", 1),
        ("means", "some"),
        ("radius", -1),
    ],
)
def test_an_impossible_option_is_refused_by_name(option, value):
    with pytest.raises(ParameterError, match=f"{option} must be"):
        sf.price(SIGNALS, method="power-method", rho=1, **{option: value})


def test_more_features_than_the_integers_hold_are_refused():
    columns = {f"x{j}": {"kind": "boolean"} for j in range(MOST_FEATURES + 1)}
    with pytest.raises(SchemaError, match=f"at most {MOST_FEATURES} features"):
        sf.price({"name": "wide", "columns": columns}, method="power-method", rho=1)
