"""Tables at the edge of what is a table: published and verified, or refused before the charge."""

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import DataError, ParameterError, Refused, SchemaError
from sfumato.privacy.budget import Charge
from sfumato.privacy.guarantee import ZCDP, ApproxDP, PureDP
from slowness import slow

ONE = PureDP(1)
LEVELS = {count: [f"v{i}" for i in range(count)] for count in (1, 2, 3, 17, 1_000, 10_000)}


def category(count, **more):
    return {"kind": "category", "values": LEVELS[count], **more}


def some(count, rows):
    return [f"v{7 * i % count}" for i in range(rows)]


KINDS = {
    "number": ({"kind": "number", "low": 0, "high": 1}, lambda n: np.linspace(0, 1, n)),
    "integer": ({"kind": "integer", "low": 0, "high": 110}, lambda n: np.arange(n) % 111),
    "few": ({"kind": "integer", "low": 0, "high": 3}, lambda n: np.arange(n) % 4),
    "category": (category(3), lambda n: some(3, n)),
    "boolean": ({"kind": "boolean"}, lambda n: np.arange(n) % 3 == 0),
    "date": (
        {"kind": "date", "low": "2020-01-01", "high": "2021-12-31"},
        lambda n: np.datetime64("2020-01-01") + np.arange(n) % 700,
    ),
    "month": (
        {"kind": "date", "low": "2020-01-01", "high": "2021-12-31", "step": "month"},
        lambda n: np.datetime64("2020-01-01") + np.arange(n) % 700,
    ),
    "second": (
        {"kind": "date", "low": "2020-01-01", "high": "2021-12-31", "step": "second"},
        lambda n: np.datetime64("2020-01-01T00:00:00") + 999 * np.arange(n),
    ),
    "one level": (category(1), lambda n: ["v0"] * n),
    "constant": ({"kind": "number", "low": 0, "high": 1}, lambda n: np.full(n, 0.5)),
    "thousand": (category(1_000), lambda n: some(1_000, n)),
    "ten thousand": (category(10_000), lambda n: some(10_000, n)),
    "missing": (
        {"kind": "number", "low": 0, "high": 1, "missing": "allowed"},
        lambda n: pa.nulls(n, pa.float64()),
    ),
    "no level": (category(2, missing="allowed"), lambda n: pa.nulls(n, pa.string())),
    "undeclared missing": (
        {"kind": "number", "low": 0, "high": 1},
        lambda n: pa.nulls(n, pa.float64()),
    ),
    "label": ({"kind": "boolean", "role": "label"}, lambda n: np.arange(n) % 2 == 0),
    "missing label": (
        category(3, role="label", missing="allowed"),
        lambda n: pa.nulls(n, pa.string()),
    ),
    "label of 17": (category(17, role="label"), lambda n: some(17, n)),
}
BUDGETS = {
    "pure": PureDP(1),
    "approximate": ApproxDP(1, "1e-9"),
    "concentrated": ZCDP("0.1"),
}
SETS = [
    *([name] for name in KINDS),
    ["label", "number"],
    ["missing label", "number", "few"],
    ["label of 17", "number", "few"],
    ["one level", "constant", "label"],
    ["ten thousand", "thousand", "label"],
    ["missing", "no level", "undeclared missing"],
    [name for name in KINDS if "label" not in name and "thousand" not in name],
]


def table(names, rows):
    return pa.table({name: pa.array(KINDS[name][1](rows)) for name in names})


def schema(names, neighbours="replace-one"):
    columns = {name: KINDS[name][0] for name in names}
    return {"name": "t", "neighbours": neighbours, "columns": columns}


def asked(budget):
    return {name: str(getattr(budget, name)) for name in budget.__slots__ if name != "label"}


@pytest.fixture
def ledger(tmp_path):
    with sf.Ledger.create(tmp_path / "ledger.db") as ledger:
        yield ledger


def published(tmp_path, ledger, names, rows, neighbours="replace-one", budget=ONE, **more):
    ledger.grant("t", budget, reason="test")
    folder = tmp_path / "release"
    release = sf.publish(
        table(names, rows),
        schema=schema(names, neighbours),
        ledger=ledger,
        folder=folder,
        **asked(budget),
        **({"model": "forest"} | more),
    )
    assert all(check.passed for check in sf.verify(folder, ledger=ledger))
    assert release.table.column_names == list(names)
    return release.table


@pytest.mark.parametrize("names", SETS, ids=", ".join)
@pytest.mark.parametrize("rows", [2, slow(10)])
@pytest.mark.parametrize("neighbours", ["replace-one", slow("add-remove")])
def test_a_strange_table_is_published_and_verifies(names, rows, neighbours, tmp_path, ledger):
    found = published(tmp_path, ledger, names, rows, neighbours)
    assert found.num_rows == rows or neighbours == "add-remove"
    assert found.num_rows >= 1


@pytest.mark.parametrize("budget", BUDGETS.values(), ids=BUDGETS)
@pytest.mark.parametrize("model", ["latent", "forest"])
def test_all_kinds_together_are_published_under_every_promise(budget, model, tmp_path, ledger):
    assert published(tmp_path, ledger, SETS[-1], 40, budget=budget, model=model).num_rows == 40


@pytest.mark.parametrize(
    "budget",
    [
        *(PureDP(figure) for figure in ("1e-9", "1e-3", "1e6", "1e300", "1e390")),
        *(ZCDP(figure) for figure in ("1e-9", "1e6", "1e300")),
        ApproxDP("1e3", "0.5"),
    ],
    ids=str,
)
def test_huge_and_tiny_budgets_publish(budget):
    names = ["integer", "category", "label"]
    release = sf.publish(table(names, 30), schema=schema(names), **asked(budget))
    assert release.table.num_rows == 30


@pytest.mark.parametrize("budget", [PureDP("1e-20"), PureDP("1e-390"), ZCDP("1e-60")], ids=str)
def test_a_budget_whose_noise_cannot_be_drawn_is_refused_before_the_charge(budget):
    names = ["integer", "category", "label"]
    with pytest.raises(ParameterError, match=r"too large .* raise the budget"):
        sf.publish(table(names, 30), schema=schema(names), **asked(budget))


def test_without_noise_a_strange_table_comes_back():
    names = ["one level", "constant", "missing", "no level"]
    found = sf.publish(table(names, 50), schema=schema(names), epsilon=10**6, seed=0).table
    assert set(found["one level"].to_pylist()) == {"v0"}
    assert found["missing"].null_count > 45
    assert found["no level"].null_count > 45
    assert sum(abs(value - 0.5) < 0.02 for value in found["constant"].to_pylist()) > 45


def test_so_many_rows_as_are_asked_for_are_drawn():
    for rows in (0, 1, 500):
        names = ["number", "label"]
        found = sf.publish(table(names, 20), schema=schema(names), epsilon=1, rows=rows).table
        assert found.num_rows == rows


@pytest.mark.parametrize("rows", [0, 1])
def test_a_public_number_below_two_is_refused_before_the_charge(rows, tmp_path, ledger):
    with pytest.raises(DataError, match="fewer than two records"):
        published(tmp_path, ledger, ["number", "label"], rows)
    assert ledger.balance("t").spent == Charge()
    assert not (tmp_path / "release").exists()


@pytest.mark.parametrize("rows", [0, 1])
def test_a_private_number_below_two_is_published_like_any_other(rows, tmp_path, ledger):
    assert published(tmp_path, ledger, ["number", "label"], rows, "add-remove").num_rows >= 1


def refused(tmp_path, ledger, kind, match, **changes):
    ledger.grant("t", PureDP(1), reason="test")
    given = {"schema": schema(["number", "label"]), "epsilon": 1} | changes
    with pytest.raises(kind, match=match) as error:
        sf.publish(table(["number", "label"], 10), ledger=ledger, folder=tmp_path / "r", **given)
    assert isinstance(error.value, Refused)
    assert ledger.balance("t").spent == Charge()
    assert not (tmp_path / "r").exists()


def test_what_cannot_be_is_refused_before_the_charge(tmp_path, ledger):
    single = {
        "name": "t",
        "columns": {"label": category(1, role="label"), "number": KINDS["number"][0]},
    }
    refused(tmp_path, ledger, SchemaError, "needs at least two values", schema=single)
    refused(tmp_path, ledger, ParameterError, "records must be from 1", records="0")
    refused(tmp_path, ledger, ParameterError, "model must be", model="tree")
    private = schema(["number", "label"], "add-remove")
    refused(tmp_path, ledger, ParameterError, "say how many rows", schema=private, epsilon="1e-7")


def test_a_wrong_number_of_records_only_changes_the_shares():
    for number, neighbours in ((10**9, "add-remove"), (1, "add-remove"), (7, "replace-one")):
        names = ["number", "integer", "category", "label"]
        release = sf.publish(
            table(names, 30), schema=schema(names, neighbours), epsilon=1, records=number
        )
        assert release.guarantee == PureDP(1)
        if neighbours == "replace-one":
            assert release.table.num_rows == 30


@pytest.mark.parametrize("budget", [{"epsilon": 1}, {"rho": 1}])
def test_a_narrow_range_far_from_zero_is_released_and_verified(budget, tmp_path):
    """On its logarithmic scale, floats hold all of its bins for one place."""
    low = 8 * 10**15
    column = {"kind": "integer", "low": low, "high": low + 9_999}
    far = pa.table({"x": np.arange(low, low + 2_000)})
    asked = {"schema": {"name": "t", "columns": {"x": column}}, "model": "forest", "fit": False}
    release = sf.publish(far, folder=tmp_path / "r", **asked, **budget)
    values = release.table["x"].to_numpy()
    assert low <= values.min() <= values.max() <= low + 9_999
    assert (values < low + 2_500).mean() > 0.8
    assert sf.verify(tmp_path / "r").passed
