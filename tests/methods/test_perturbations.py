"""The six perturbations without a proof: what is released, said, refused, and never claimed."""

import json
import sys

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import DataError, MissingExtra, ParameterError, SchemaError
from sfumato.methods import METHODS, additive, pca_laplace, rotation, svd, wavelet, wavelet_multi
from sfumato.perturb.normalise import normalise
from sfumato.perturb.rotation import random_orthogonal
from sfumato.perturb.svd import svd as leading
from sfumato.perturb.wavelet import wavelet as smoothed
from sfumato.perturb.wavelet_multi import wavelet_multi as smoothed_in_parts
from sfumato.privacy.guarantee import Heuristic, Seeded
from sfumato.publishing.table import price
from sfumato.schema import Schema
from sfumato.schema.domain import Domain

RECIPES = {m.METHOD.name: m.METHOD for m in (additive, rotation, svd, wavelet, wavelet_multi)}
RECIPES["pca-laplace"] = pca_laplace.METHOD
NUMBERS = ["size", "age", "seen", "hour"]
SCHEMA = {
    "name": "ward",
    "columns": {
        "patient": {"kind": "id"},
        "size": {"kind": "number", "low": 100, "high": 200, "step": 0.25},
        "age": {"kind": "integer", "low": 0, "high": 100},
        "seen": {"kind": "date", "low": "2020-01-01", "high": "2020-12-31"},
        "outcome": {"kind": "category", "values": ["home", "care"], "role": "label"},
        "hour": {"kind": "date", "low": "2020-01-01", "high": "2020-01-02", "step": "hour"},
    },
}
DOMAIN = Domain.of(Schema.of(SCHEMA))
LOW = np.array([100, 0, 18_262, 18_262])  # dates in days since 1970
HIGH = np.array([200, 100, 18_627, 18_263])
everyone = pytest.mark.parametrize("name", RECIPES)
same_columns = pytest.mark.parametrize("name", [n for n in RECIPES if n != "pca-laplace"])


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    for name, recipe in RECIPES.items():
        monkeypatch.setitem(METHODS, name, recipe)


@pytest.fixture
def people(rng):
    n = 300
    x = rng.random(n)
    day, hour = np.datetime64("2020-01-01"), np.datetime64("2020-01-01T00", "s")
    return pa.table(
        {
            "patient": np.arange(n),
            "size": 100 + np.rint(240 * x + 160 * rng.random(n)) / 4,
            "age": np.rint(80 * x + 20 * rng.random(n)).astype(int),
            "seen": day + (360 * rng.random(n)).astype(int),
            "outcome": np.where(x > 0.5, "care", "home"),
            "hour": hour + 3600 * rng.integers(0, 25, n).astype("timedelta64[s]"),
        }
    )


def release(people, name, **options):
    return sf.publish(people, schema=SCHEMA, method=name, accept_no_guarantee=True, **options)


def matrix(table):
    return np.column_stack([np.asarray(table[name], float) for name in NUMBERS])


def shares(people):
    """The records as the method should see them: places in the public range about its middle."""
    moments = [np.asarray(people[name]).astype("datetime64[s]") for name in NUMBERS[2:]]
    days = [moment.astype(float) / 86_400 for moment in moments]
    Z = np.column_stack([np.asarray(people[name], float) for name in NUMBERS[:2]] + days)
    return (Z - LOW) / (HIGH - LOW) - 0.5


@everyone
def test_nothing_is_published_until_it_is_accepted_that_nothing_is_promised(name, people):
    with pytest.raises(ParameterError, match=r"promises nothing: .*--accept-no-guarantee"):
        sf.publish(people, schema=SCHEMA, method=name)


@everyone
def test_no_budget_is_needed_and_none_is_taken(name):
    assert price(SCHEMA, method=name).budget is None
    with pytest.raises(ParameterError, match="leave out epsilon"):
        price(SCHEMA, method=name, epsilon=1)


@everyone
def test_the_release_says_that_it_is_not_private(name, people):
    found = release(people, name)
    assert isinstance(found.guarantee, Heuristic)
    assert found.certificate.warnings[0].startswith("NOT PRIVATE by any proof")
    (event,) = found.certificate.events
    assert event.cost.label == "heuristic (no guarantee)"
    assert event.mechanism == "perturbation"
    assert "the label of every record" in found.certificate.invariants


@same_columns
def test_columns_order_and_label_stay_and_numbers_change(name, people):
    found = release(people, name).table
    assert found.column_names == [*NUMBERS[:3], "outcome", "hour"]
    assert [str(kind) for kind in found.schema.types] == ["double"] * 3 + ["string", "double"]
    assert found["outcome"].equals(people["outcome"])
    assert np.abs(matrix(found) - (LOW + (shares(people) + 0.5) * (HIGH - LOW))).max() > 0.5


def test_coordinates_take_the_place_of_columns_and_the_label_stays(people):
    found = release(people, "pca-laplace", rank=2).table
    assert found.column_names == ["component_1", "component_2", "outcome"]
    assert found["outcome"].equals(people["outcome"])
    assert found.num_rows == people.num_rows


@pytest.mark.parametrize(
    ("name", "options", "change"),
    [
        ("svd", {"rank": "2"}, lambda Z: leading(Z, 2)),
        ("svd", {}, lambda Z: leading(Z, 2)),
        (
            "svd",
            {"rank": 1, "sparsify": "0.2", "normalise": "yes"},
            lambda Z: normalise(leading(Z, 1, sparsify=0.2), Z),
        ),
        ("wavelet", {}, lambda Z: smoothed(Z)),
        (
            "wavelet",
            {"basis": "db4", "share": "0.1", "levels": "1", "normalise": True},
            lambda Z: normalise(smoothed(Z, basis="db4", share=0.1, levels=1), Z),
        ),
        ("wavelet-multi", {}, lambda Z: smoothed_in_parts(Z)),
        (
            "wavelet-multi",
            {"cut": "horizontal", "parts": "db2:0.3, haar:1,sym5:0.2", "normalise": "true"},
            lambda Z: normalise(
                smoothed_in_parts(
                    Z, cut="horizontal", parts=[("db2", 0.3), ("haar", 1), ("sym5", 0.2)]
                ),
                Z,
            ),
        ),
        ("rotation", {"rotation": np.eye(4)}, lambda Z: Z),
        ("rotation", {"rotation": np.eye(4)[::-1].tolist()}, lambda Z: Z[:, ::-1]),
    ],
)
def test_the_rule_is_applied_to_shares_of_the_public_ranges(name, options, change, people):
    found = matrix(release(people, name, **options).table)
    expected = LOW + (change(shares(people)) + 0.5) * (HIGH - LOW)
    np.testing.assert_allclose(found, expected, atol=1e-8)


def test_the_noise_is_as_wide_as_was_asked_in_every_column(people):
    found = matrix(release(people, "additive", deviation="0.3").table)
    noise = (found - LOW) / (HIGH - LOW) - 0.5 - shares(people)
    # 300 values: a deviation off by a quarter lies six standard errors away.
    assert noise.std(axis=0) == pytest.approx(np.full(4, 0.3), rel=0.25)


def test_a_rotation_without_noise_keeps_distances_in_shares(people):
    found = (matrix(release(people, "rotation").table) - LOW) / (HIGH - LOW) - 0.5
    np.testing.assert_allclose(
        np.linalg.norm(found, axis=1), np.linalg.norm(shares(people), axis=1), atol=1e-10
    )


@everyone
def test_a_saved_release_verifies_and_its_options_give_the_same_plan(name, people, tmp_path):
    found = release(people, name, folder=tmp_path / "r")
    assert all(check.passed for check in sf.verify(tmp_path / "r"))
    options = json.loads(json.dumps(found.certificate.options))
    again = RECIPES[name].price(DOMAIN, None, options)
    assert again.terms.digest() == price(SCHEMA, method=name).terms.digest()
    assert sf.Release.load(tmp_path / "r").table.equals(found.table)


@pytest.mark.parametrize("name", ["additive", "rotation", "pca-laplace"])
def test_a_seed_repeats_the_noise_and_no_seed_does_not(name, people):
    first, again, other = (release(people, name, seed=seed) for seed in (1, 1, 2))
    assert first.table.equals(again.table)
    assert not first.table.equals(other.table)
    assert first.guarantee == Seeded()
    assert not release(people, name).table.equals(release(people, name).table)


@pytest.mark.parametrize("name", ["svd", "wavelet", "wavelet-multi"])
def test_a_fixed_rule_gives_the_same_twice(name, people):
    assert release(people, name).table.equals(release(people, name).table)


@everyone
def test_a_ledger_that_allows_it_knows_of_the_release_and_is_charged_nothing(
    name, people, tmp_path
):
    ledger = sf.Ledger.create(tmp_path / "ledger.db")
    ledger.grant("ward", Heuristic("shared under contract"), reason="a test", heuristic=True)
    release(people, name, ledger=ledger, release="one")
    assert ledger.entry("one").state == "released"


@pytest.mark.parametrize("suffix", [".csv", ".npy"])
def test_a_rotation_can_come_from_a_file_and_stays_out_of_the_release(
    suffix, people, tmp_path, rng
):
    R, path = random_orthogonal(4, rng), tmp_path / f"R{suffix}"
    np.savetxt(path, R, delimiter=",") if suffix == ".csv" else np.save(path, R)
    found = release(people, "rotation", rotation=str(path), folder=tmp_path / "r")
    Z = (matrix(found.table) - LOW) / (HIGH - LOW) - 0.5
    np.testing.assert_allclose(Z, shares(people) @ R, atol=1e-8)
    assert found.certificate.options["rotation"] == "given"
    assert all(check.passed for check in sf.verify(tmp_path / "r"))
    with pytest.raises(ParameterError, match="give it again"):
        release(people, "rotation", rotation="given")


def test_two_parties_with_one_matrix_turn_their_records_alike(people, rng):
    R = random_orthogonal(4, rng)
    parts = (people.slice(0, 100), people.slice(100))
    halves = [matrix(release(part, "rotation", rotation=R).table) for part in parts]
    whole = matrix(release(people, "rotation", rotation=R).table)
    np.testing.assert_allclose(np.vstack(halves), whole, atol=1e-8)


def test_public_components_are_used_and_the_law_of_the_noise_is_published(people, tmp_path):
    public = people.slice(150)
    found = release(
        people.slice(0, 150), "pca-laplace", rank="2", b="0.5", basis=public, folder=tmp_path / "r"
    )
    facts = found.synopsis
    assert "floating point" in found.guarantee.reason
    assert facts["local_epsilon_on_real_numbers"] == pytest.approx(2 / 0.5)
    U = np.array(facts["basis"])
    np.testing.assert_allclose(facts["ranges"], np.abs(U).sum(axis=1))
    np.testing.assert_allclose(facts["laplace_scales"], 0.5 * np.abs(U).sum(axis=1))
    assert facts["low"] == pytest.approx(LOW)
    assert facts["high"] == pytest.approx(HIGH)
    assert all(check.passed for check in sf.verify(tmp_path / "r"))
    # A public basis does not move with the records; noise is all that separates two releases.
    other = release(people.slice(50, 100), "pca-laplace", rank=2, b="0.5", basis=public)
    assert other.synopsis["basis"] == facts["basis"]


def test_components_of_the_records_are_said_to_be_unprotected(people):
    found = release(people, "pca-laplace", rank=3, b=1e-9)
    assert "records themselves" in found.guarantee.reason
    assert found.synopsis["local_epsilon_on_real_numbers"] is None
    Z = shares(people)
    values, vectors = np.linalg.eigh(np.cov(Z.T))
    U = np.array(found.synopsis["basis"])
    top = vectors[:, ::-1][:, :3]
    np.testing.assert_allclose(U.T @ U, top @ top.T, atol=1e-9)
    shown = np.column_stack([found.table[f"component_{k}"] for k in (1, 2, 3)])
    np.testing.assert_allclose(shown.var(axis=0, ddof=1), values[::-1][:3], rtol=1e-5)


@pytest.mark.parametrize(
    ("values", "kind", "shown"),
    [
        ({"kind": "boolean"}, "string", {"true", "false"}),
        ({"kind": "category", "values": [0, 1]}, "int64", {0, 1}),
        (
            {"kind": "category", "values": [0, 7], "missing": "allowed"},
            "string",
            {"0", "(missing)"},
        ),
    ],
)
def test_a_label_is_written_as_text_or_whole_numbers(values, kind, shown, rng):
    columns = {"x": {"kind": "number", "low": 0, "high": 1}, "y": values | {"role": "label"}}
    table = pa.table({"x": rng.random(70_000), "y": np.arange(70_000) // 35_000})
    found = sf.publish(
        table,
        schema={"name": "t", "columns": columns},
        method="additive",
        accept_no_guarantee=True,
    ).table
    assert str(found.schema.field("y").type) == kind
    assert set(found["y"].to_pylist()) == shown
    assert found["y"].slice(0, 35_000).unique() == found["y"].slice(0, 1).unique()


@pytest.mark.parametrize(
    ("column", "said"),
    [
        ({"kind": "category", "values": ["a", "b"]}, "column extra.*kind: id"),
        ({"kind": "boolean"}, "column extra.*role: label"),
        ({"kind": "number", "low": 0, "high": 1, "missing": "allowed"}, "extra.*middle"),
    ],
)
@everyone
def test_columns_that_are_no_numbers_are_refused_with_a_remedy(name, column, said):
    changed = SCHEMA | {"columns": SCHEMA["columns"] | {"extra": column}}
    with pytest.raises(SchemaError, match=said):
        price(changed, method=name)


@everyone
def test_a_table_without_a_label_is_perturbed_as_well(name, rng):
    columns = {f"x{j}": {"kind": "number", "low": 0, "high": 1} for j in range(2)}
    table = pa.table({column: rng.random(70_000) for column in columns})  # more than a batch
    schema = {"name": "t", "columns": columns}
    found = sf.publish(table, schema=schema, method=name, accept_no_guarantee=True)
    assert found.table.shape == table.shape
    assert "the label of every record" not in found.certificate.invariants


@everyone
def test_a_label_alone_and_a_private_number_of_records_are_refused(name):
    label = {"name": "t", "columns": {"y": {"kind": "boolean", "role": "label"}}}
    with pytest.raises(SchemaError, match="at least one number"):
        price(label, method=name)
    with pytest.raises(SchemaError, match="number of records shows"):
        price(SCHEMA | {"neighbours": "add-remove"}, method=name)


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("additive", {"deviation": "0"}, "deviation must be a number above 0"),
        ("additive", {"deviation": "wide"}, "deviation must be"),
        ("rotation", {"deviation": "-1"}, "deviation must be"),
        ("rotation", {"rotation": np.eye(3)}, "must be 4 × 4"),
        ("rotation", {"rotation": np.ones((4, 4))}, "orthogonal"),
        ("rotation", {"rotation": "R.txt"}, "a .csv or .npy file"),
        ("rotation", {"rotation": "absent.csv"}, "cannot be read"),
        ("svd", {"rank": 5}, r"rank must be from 1 to 4 \(columns\)"),
        ("svd", {"sparsify": "2"}, "sparsify must be from 0 to 1"),
        ("svd", {"normalise": "perhaps"}, "normalise must be true or false"),
        ("wavelet", {"basis": "harr"}, "no discrete wavelet 'harr'"),
        ("wavelet", {"share": "0"}, "share must be"),
        ("wavelet", {"share": "1.5"}, "share must be above 0 and at most 1"),
        ("wavelet", {"levels": "0"}, "levels must be from 1 to 64"),
        ("wavelet-multi", {"cut": "across"}, "cut must be vertical or horizontal"),
        ("wavelet-multi", {"parts": "haar"}, "share must be"),
        ("wavelet-multi", {"parts": ["haar"]}, "parts must be WAVELET:SHARE"),
        ("wavelet-multi", {"parts": []}, "parts must be WAVELET:SHARE"),
        ("wavelet-multi", {"parts": 3}, "parts must be WAVELET:SHARE"),
        ("wavelet-multi", {"parts": ",".join(["haar:1"] * 5)}, r"at most 4 \(columns\)"),
        ("pca-laplace", {"rank": 5}, "rank must be from 1 to 4"),
        ("pca-laplace", {"b": "0"}, "b must be"),
    ],
)
def test_options_that_make_no_sense_are_refused_with_a_remedy(name, options, said):
    with pytest.raises(ParameterError, match=said):
        price(SCHEMA, method=name, **options)


def test_a_file_with_words_is_no_rotation(tmp_path):
    (tmp_path / "R.csv").write_text("a,b\n1,0\n")
    with pytest.raises(ParameterError, match="no header"):
        price(SCHEMA, method="rotation", rotation=str(tmp_path / "R.csv"))


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("svd", {"rank": 4}, "svd of rank 4 needs as many records"),
        ("wavelet-multi", {"cut": "horizontal", "parts": [("haar", 1)] * 4}, "4 parts need"),
        ("pca-laplace", {"rank": 3}, "3 components need more than 3 records"),
    ],
)
def test_too_few_records_for_what_was_asked_are_refused_by_their_number(
    name, options, said, people
):
    with pytest.raises(DataError, match=said):
        release(people.slice(0, 3), name, **options)


@same_columns
def test_fewer_records_than_columns_and_constant_columns_are_no_obstacle(name, people):
    few = people.slice(0, 3).set_column(2, "age", pa.array([7, 7, 7]))
    options = {"rank": 2} if name == "svd" else {}
    options |= {"normalise": True} if name not in ("additive", "rotation") else {}
    found = matrix(release(few, name, **options).table)
    assert found.shape == (3, 4)
    assert np.isfinite(found).all()
    if "normalise" in options:
        np.testing.assert_allclose(found[:, 1], 7)


def test_components_named_like_the_label_are_refused():
    columns = {f"x{j}": {"kind": "number", "low": 0, "high": 1} for j in range(2)}
    columns["component_1"] = {"kind": "boolean", "role": "label"}
    with pytest.raises(SchemaError, match="column component_1"):
        price({"name": "t", "columns": columns}, method="pca-laplace")


def test_without_pywavelets_wavelet_methods_name_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "pywt", None)
    for name in ("wavelet", "wavelet-multi"):
        with pytest.raises(MissingExtra, match="wavelet"):
            price(SCHEMA, method=name)
    assert price(SCHEMA, method="svd").method == "svd"
