"""lap-pca and analyze-gauss: components alone, their rank, and public ones for free."""

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import DataError, ParameterError, SchemaError
from sfumato.example import CLINIC, clinic
from sfumato.methods.basis import Rank, public_basis
from sfumato.publishing.table import price
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.synopsis.centred import Centred

SCHEMA = {
    "name": "signals",
    "columns": {f"x{j}": {"kind": "number", "low": -4, "high": 4} for j in range(6)},
}
DOMAIN = Domain.of(Schema.of(SCHEMA))
FIRST = np.array([3, 2, 1, 0, -1, -2]) / np.sqrt(19)


@pytest.fixture
def signals(rng):
    """One strong direction, one weaker, and noise about a mean off the centre."""
    second = np.array([0, 1, -2, 1, 0, 0]) / np.sqrt(6)
    strong, weak = rng.normal(size=(2, 20_000, 1))
    X = 0.5 + 1.2 * strong * FIRST + 0.5 * weak * second + 0.1 * rng.normal(size=(20_000, 6))
    return pa.table(dict(zip(SCHEMA["columns"], np.clip(X, -4, 4).T, strict=True)))


def loadings(release):
    return np.column_stack([release.table[name] for name in SCHEMA["columns"]])


@pytest.mark.parametrize("radius", [None, "0.8"])
@pytest.mark.parametrize(
    ("method", "budget"),
    [
        ("lap-pca", {"epsilon": 1}),
        ("analyze-gauss", {"epsilon": 1, "delta": 1e-6}),
        ("analyze-gauss", {"rho": 0.05}),
    ],
)
def test_the_strong_direction_is_found(method, budget, radius, signals):
    release = sf.publish(
        signals, schema=SCHEMA, method=method, rank=2, radius=radius, seed=1, **budget
    )
    assert release.table.column_names[:3] == ["component", "variance", "share"]
    assert abs(loadings(release)[0] @ FIRST) > 0.99
    assert release.table.num_rows == 2


def test_noise_as_large_as_the_signal_hides_it(signals):
    """Positive control of the test above: at a tiny budget the direction is not found."""
    found = [
        sf.publish(signals, schema=SCHEMA, method="lap-pca", epsilon="0.0005", seed=s, rank=1)
        for s in range(20)
    ]
    assert min(abs(loadings(release)[0] @ FIRST) for release in found) < 0.9


def test_the_share_of_variance_decides_how_many(signals):
    ranks = [
        sf.publish(signals, schema=SCHEMA, method="lap-pca", epsilon=5, alpha=a, seed=1)
        for a in ("0.5", "0.9", "1")
    ]
    assert [release.table.num_rows for release in ranks[:2]] == [1, 2]
    assert ranks[2].table.num_rows >= 3
    shares = ranks[1].table["share"].to_pylist()
    assert sum(shares) >= 0.9 > shares[0]


def test_variances_are_those_of_the_records(signals):
    release = sf.publish(signals, schema=SCHEMA, method="lap-pca", epsilon=50, seed=1, rank=2)
    X = np.column_stack([signals[name] for name in SCHEMA["columns"]]) / 8
    true = np.linalg.eigvalsh(np.cov(X.T))[::-1][:2]
    assert release.table["variance"].to_numpy() == pytest.approx(true, rel=0.02)


def test_rows_cannot_be_asked_for_where_rows_are_components(signals):
    with pytest.raises(ParameterError, match="one row per component"):
        sf.publish(signals, schema=SCHEMA, method="lap-pca", epsilon=1, rows=5)


@pytest.mark.parametrize(
    ("method", "given", "said"),
    [
        ("lap-pca", {"epsilon": 1, "delta": 1e-6}, "use analyze-gauss"),
        ("lap-pca", {"rho": 1}, "use analyze-gauss"),
        ("analyze-gauss", {"epsilon": 1}, "use lap-pca"),
        ("lap-pca", {"epsilon": 1, "rank": 7}, "rank must be from 1 to 6"),
        ("lap-pca", {"epsilon": 1, "rank": "many"}, "rank must be from 1 to 6"),
        ("lap-pca", {"epsilon": 1, "alpha": "1.5"}, "alpha must be above 0 and at most 1"),
        ("lap-pca", {"epsilon": 1, "alpha": "0"}, "alpha must be"),
        ("lap-pca", {"epsilon": 1, "means": "1"}, "means must be"),
        ("lap-pca", {"epsilon": 1, "radius": "-2"}, "radius must be"),
        ("lap-pca", {"epsilon": 1, "colour": "red"}, "has no option colour"),
    ],
)
def test_options_that_make_no_sense_are_refused_with_a_remedy(method, given, said):
    with pytest.raises(ParameterError, match=said):
        price(SCHEMA, method=method, **given)


def test_a_column_named_like_the_table_of_components_is_refused():
    columns = {"variance": {"kind": "number", "low": 0, "high": 1}, "b": {"kind": "boolean"}}
    with pytest.raises(SchemaError, match="column variance"):
        price({"name": "t", "columns": columns}, method="lap-pca", epsilon=1)


def test_a_public_basis_costs_nothing_and_survives_the_certificate(signals):
    space = Centred.of(DOMAIN)
    basis = public_basis(space, signals, Rank.of(2, 1, 6))
    assert basis.events == ()
    found = basis.measure()
    assert abs(found.U[0] @ FIRST) > 0.999
    assert len(found.U) == 2
    again = public_basis(space, basis.fields, Rank.of(2, 1, 6))
    assert np.array_equal(again.components.U, found.U)
    assert np.array_equal(again.components.mean, found.mean)


@pytest.mark.parametrize(
    "change",
    [
        {"U": [[1, 0, 0]]},
        {"U": [[2, 0, 0, 0, 0, 0]]},
        {"mean": [0.0]},
        {"values": [float("nan")] * 6},
        {"U": []},
    ],
)
def test_a_public_basis_that_does_not_fit_is_refused(change, signals):
    space, rank = Centred.of(DOMAIN), Rank.of(2, 1, 6)
    fields = dict(public_basis(space, signals, rank).fields)
    with pytest.raises(ParameterError, match="public basis"):
        public_basis(space, fields | change, rank)


def test_a_public_basis_needs_records_and_the_columns_of_the_schema(signals):
    space, rank = Centred.of(DOMAIN), Rank.of(2, 1, 6)
    with pytest.raises(DataError, match="fewer than two records"):
        public_basis(space, signals.slice(0, 1), rank)
    loose = Centred.of(Domain.of(Schema.of(SCHEMA | {"neighbours": "add-remove"})))
    with pytest.raises(DataError, match="at least two records"):
        public_basis(loose, signals.slice(0, 1), rank)
    with pytest.raises(DataError, match="x5"):
        public_basis(space, signals.drop_columns(["x5"]), rank)


def test_features_of_every_kind_have_a_loading():
    release = sf.publish(clinic(500), schema=Schema.parse(CLINIC), method="lap-pca", epsilon=1)
    names = release.table.column_names[3:]
    assert len(names) == len(set(names))
    assert any("=" in name for name in names)
    assert any(name.endswith("(missing)") for name in names)
