"""Components of a release as the basis of another: bought once, and counted once."""

import json
import sys
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pytest

import sfumato as sf
from sfumato.cli import main
from sfumato.errors import ParameterError
from sfumato.privacy.guarantee import ZCDP, PureDP, compose

LABEL = {"kind": "category", "values": ["x", "y", "z"], "other": "none", "role": "label"}
SCHEMA = {
    "name": "d",
    "columns": {
        **{name: {"kind": "number", "low": 0, "high": 1} for name in "abc"},
        "y": {"kind": "integer", "low": 0, "high": 4, "role": "target"},
        "k": LABEL,
    },
}
BUDGETS = {
    "lap-pca": {"epsilon": 1000},
    "analyze-gauss": {"epsilon": 100, "delta": "1e-6"},
    "power-method": {"rho": 1000},
    "dca": {"epsilon": 1000},
}


def people(size=2000):
    rng = np.random.default_rng(1)
    k = rng.integers(0, 3, size)
    X = 0.5 + rng.normal(size=(size, 3)) * [0.15, 0.05, 0.02]
    X[:, 1] += 0.1 * (k - 1)
    columns = dict(zip("abc", X.clip(0, 1).T, strict=True))
    return pa.table(
        columns | {"y": rng.integers(0, 5, size), "k": np.array(["x", "y", "z"])[k].tolist()}
    )


TABLE = people()


@pytest.fixture(scope="module")
def bought(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bought")
    for method, budget in BUDGETS.items():
        sf.publish(TABLE, schema=SCHEMA, method=method, release=method, folder=folder / method,
                   **budget)  # fmt: skip
    return folder


def later(basis, method="pca-gauss-mixture", schema=SCHEMA, **asked):
    budget = {} if "rho" in asked else {"epsilon": 1}
    return sf.publish(TABLE, schema=schema, method=method, basis=basis, **budget | asked)


def bases(release):
    return release.certificate.options["basis"]


@pytest.mark.parametrize("method", BUDGETS)
@pytest.mark.parametrize("after", ["pca-gauss-mixture", "pca-gauss-regression", "lop"])
def test_every_release_of_components_is_a_basis(bought, method, after, tmp_path):
    if method == "dca" and after != "pca-gauss-mixture":
        with pytest.raises(ParameterError, match="column k: the basis has no component of it"):
            later(bought / method, after)
        return
    release = later(bought / method, after, rank=2, folder=tmp_path / "later")
    assert bases(release)["release"] == method
    assert [c for c in sf.verify(tmp_path / "later") if not c.passed] == []
    assert release.certificate.events[0].statistic != "second moments"


@pytest.mark.parametrize("method", ["lap-pca", "analyze-gauss"])
def test_components_are_those_of_the_columns_that_take_part(bought, method):
    # Without the label, which pulled the components of the release towards itself.
    found = np.array(bases(later(bought / method, rank=1))["U"])
    scaled = np.column_stack([TABLE.column(name).to_numpy() for name in "abc"])
    scaled = np.column_stack([scaled, TABLE.column("y").to_numpy() / 4])
    _, vectors = np.linalg.eigh(np.cov(scaled.T))
    assert np.abs(found @ vectors[:, ::-1])[:2, :2] == pytest.approx(np.eye(2), abs=0.03)


def test_without_moments_only_what_was_released_is_known(bought):
    with pytest.raises(ParameterError, match="rank must be at most"):
        later(bought / "power-method", "pca-gauss-regression", rank=6)


def test_discriminant_components_come_first(bought):
    # Classes differ along b, which has the third largest variance of all.
    U = np.array(bases(later(bought / "dca", rank=1))["U"])
    assert abs(U[0, 1]) > 0.99
    assert np.allclose(U @ U.T, np.eye(len(U)))


def test_both_releases_add_up_whatever_their_noise(bought):
    def said(method, **budget):
        limits = later(bought / method, **budget).certificate.limits
        return next(line for line in limits if "bought by release" in line)

    assert "together: 1001-differential privacy" in said("lap-pca")
    before = sf.Release.load(bought / "analyze-gauss").certificate.events
    rho = compose(*(e.cost for e in before)).rho  # the counts of what does not fit are pure
    assert str(ZCDP(rho + Fraction(1, 10))) in said("analyze-gauss", rho="0.1")
    # The events that follow divide the budget, and ρ adds up in squares: less than ε²/2.
    costs = later(bought / "analyze-gauss").certificate.events
    squares = sum((e.cost.epsilon**2 / 2 for e in costs), Fraction(0))
    assert str(ZCDP(rho + squares)) in said("analyze-gauss")
    assert ", so (" in said("analyze-gauss", delta="1e-6") or "so at most" in said(
        "analyze-gauss", delta="1e-6"
    )


def test_the_ledger_must_have_the_basis_or_be_told_whose_it_is(bought, tmp_path):
    ledger = sf.Ledger.create(tmp_path / "budget.db")
    ledger.grant("d", PureDP(4), reason="approved")
    with pytest.raises(ParameterError, match="'lap-pca', and this ledger has no such"):
        later(bought / "lap-pca", ledger=ledger, release="r")
    assert ledger.entry("r") is None
    later(bought / "lap-pca", ledger=ledger, release="r", basis_source="last year's records")
    sf.publish(TABLE, schema=SCHEMA, method="lap-pca", epsilon=1, ledger=ledger, release="mine",
               folder=tmp_path / "mine")  # fmt: skip
    later(tmp_path / "mine", ledger=ledger, release="after")
    assert ledger.balance("d").left.micro_epsilon == 10**6


def test_another_release_under_the_same_id_is_not_the_one_that_the_ledger_has(tmp_path):
    ledger = sf.Ledger.create(tmp_path / "budget.db")
    ledger.grant("d", PureDP(4), reason="approved")
    asked = {"schema": SCHEMA, "method": "lap-pca", "release": "mine"}
    sf.publish(TABLE, **asked, epsilon="0.01", ledger=ledger, folder=tmp_path / "small")
    sf.publish(TABLE, **asked, epsilon=500, folder=tmp_path / "large")
    with pytest.raises(ParameterError, match="another one under that id"):
        later(tmp_path / "large", ledger=ledger, release="after")
    assert ledger.entry("after") is None
    later(tmp_path / "small", ledger=ledger, release="after")


def test_another_relation_does_not_add_up(tmp_path):
    counted = {**SCHEMA, "neighbours": "add-remove"}
    sf.publish(TABLE, schema=counted, method="lap-pca", epsilon=1, folder=tmp_path / "b")
    limits = later(tmp_path / "b").certificate.limits
    assert any("both do not add up" in line for line in limits)


def other(**columns):
    return {**SCHEMA, "columns": {**SCHEMA["columns"], **columns}}


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        (other(a={"kind": "number", "low": 0, "high": 2}), "column a: .* another range"),
        (other(k={**LABEL, "values": ["x", "z", "y"], "role": None}), "column k: .* other values"),
    ],
)
def test_columns_that_mean_something_else_are_refused(bought, schema, why):
    with pytest.raises(ParameterError, match=why):
        later(bought / "lap-pca", "lop", schema=schema)


def test_only_components_under_a_promise(bought, tmp_path):
    sf.publish(TABLE, schema=SCHEMA, method="modips", epsilon=1, folder=tmp_path / "m")
    sf.publish(TABLE, schema=SCHEMA, method="lap-pca", epsilon=1, seed=1, folder=tmp_path / "s")
    with pytest.raises(ParameterError, match="by modips, which has no components"):
        later(tmp_path / "m")
    with pytest.raises(ParameterError, match="under a promise"):
        later(tmp_path / "s")


def test_a_basis_that_was_changed_is_refused(bought, tmp_path):
    release = sf.Release.load(bought / "lap-pca").save(tmp_path / "b")
    path = release / "synopsis.json"
    synopsis = json.loads(path.read_text())
    synopsis["moments"]["entries"][0] += 10**6
    path.write_text(json.dumps(synopsis))
    for basis in (release, sf.Release.load(release)):
        with pytest.raises(ParameterError, match="basis does not verify"):
            later(basis)


def test_from_the_command_line(bought, tmp_path, capsys, monkeypatch):
    pacsv.write_csv(TABLE, tmp_path / "d.csv")
    (tmp_path / "d.json").write_text(json.dumps(SCHEMA))
    asked = ["sfumato", "publish", str(tmp_path / "d.csv"), "--schema", str(tmp_path / "d.json"),
             "--method", "lop", "--epsilon", "4", "--basis", str(bought / "analyze-gauss"),
             "-o", str(tmp_path / "out")]  # fmt: skip
    monkeypatch.setattr(sys, "argv", asked)
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 0
    assert "bought by release analyze-gauss (analyze-gauss)" in capsys.readouterr().out
