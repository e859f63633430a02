"""mosaic: what is planned, what is measured, what comes back, and what papers are refused."""

import json

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import ParameterError, ReleaseError
from sfumato.inspection.audit.replay import RecordingPurse
from sfumato.methods import METHODS
from sfumato.methods.mosaic.steps import Steps
from sfumato.privacy.budget import budget, rho_within
from sfumato.privacy.guarantee import ZCDP, ApproxDP, PureDP, compose
from sfumato.publishing.table import price
from sfumato.release.digest import digest
from sfumato.release.folder import sha256
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.synopsis.tables import Layout, MosaicSynopsis
from sfumato.table.records import Records
from sfumato.table.source import open_source

BUDGETS = ({"epsilon": 1}, {"epsilon": 1, "delta": "1e-6"}, {"rho": "0.05"})
LEVEL = {"kind": "category", "values": ["a", "b", "c"]}
COLUMNS = {
    "age": {"kind": "integer", "low": 0, "high": 60},
    "sick": {"kind": "boolean", "role": "label"},
    "ward": LEVEL,
    "site": {**LEVEL, "missing": "allowed"},
    "size": {"kind": "number", "low": 0, "high": 1, "missing": "allowed"},
}


def schema(columns=COLUMNS, neighbours="replace-one"):
    return {"name": "t", "neighbours": neighbours, "columns": columns}


def people(rows, seed=0):
    """A chain: sick decides age, age decides ward, ward decides site."""
    rng = np.random.default_rng(seed)
    sick = rng.random(rows) < 0.3
    age = np.clip(rng.normal(np.where(sick, 45, 20), 6), 0, 60).astype(int)
    ward = np.where(rng.random(rows) < 0.9, age // 21, rng.integers(0, 3, rows))
    site = np.where(rng.random(rows) < 0.8, ward, rng.integers(0, 3, rows))
    letters = np.array(["a", "b", "c"])
    return pa.table(
        {
            "age": age,
            "sick": sick,
            "ward": letters[ward],
            "site": pa.array(letters[site], mask=rng.random(rows) < 0.1),
            "size": pa.array(rng.random(rows), mask=rng.random(rows) < 0.2),
        }
    )


def measured(rows=400, neighbours="replace-one", records=30_000, **asked):
    domain = Domain.of(Schema.of(schema(neighbours=neighbours)))
    plan = METHODS["mosaic"].plan(domain, budget(**asked), records)
    purse = RecordingPurse(plan.guarantee)
    return plan, plan.measure(Records(open_source(people(rows)), domain), purse), purse


def shares(table, *names):
    counts = table.group_by(list(names)).aggregate([([], "count_all")]).to_pylist()
    total = sum(row["count_all"] for row in counts)
    return {tuple(row[name] for name in names): row["count_all"] / total for row in counts}


def distance(first, second, *names):
    """Total variation."""
    one, two = shares(first, *names), shares(second, *names)
    return sum(abs(one.get(key, 0) - two.get(key, 0)) for key in one | two) / 2


@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
@pytest.mark.parametrize("asked", BUDGETS, ids=str)
@pytest.mark.parametrize("records", [50, 5_000, 10**6])
def test_the_steps_cost_the_budget_and_never_more(asked, neighbours, records):
    plan = price(schema(neighbours=neighbours), records=records, **asked)
    spent, most = compose(*(event.cost for event in plan.measured)), plan.fit.rest
    if isinstance(most, ApproxDP):
        most = rho_within(most.epsilon, most.delta)
    figure = "epsilon" if isinstance(most, PureDP) else "rho"
    assert isinstance(spent, type(most))
    assert 0.999 * getattr(most, figure) < getattr(spent, figure) <= getattr(most, figure)


def test_what_is_bought_is_what_was_planned_whatever_the_records():
    for asked in BUDGETS:
        for neighbours in ("replace-one", "add-remove"):
            for rows in (2, 400):
                plan, _, purse = measured(rows, neighbours, **asked)
                assert tuple(purse.events) == plan.events
                assert purse.complete


def test_pairs_are_chosen_under_laplace_noise_and_all_measured_under_gaussian_noise():
    _, chosen, _ = measured(epsilon=1, records=9_000)
    assert len(chosen.chosen) == len(set(chosen.chosen)) == 3
    assert tuple(chosen.pairs) == chosen.chosen
    _, clear, _ = measured(epsilon=1)  # so many records that every pair is clear of the noise
    assert (clear.chosen, len(clear.pairs)) == ((), 6)
    _, every, _ = measured(rho=1)
    assert every.chosen == ()
    assert len(every.pairs) == 6
    _, none, _ = measured(epsilon="0.001", records=400)
    assert (none.chosen, none.pairs) == ((), {})


@pytest.mark.parametrize("asked", BUDGETS, ids=str)
@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
def test_a_synopsis_comes_back_from_its_file_as_it_was(asked, neighbours):
    plan, synopsis, _ = measured(neighbours=neighbours, records=400, **asked)
    paper = json.loads(json.dumps(synopsis.to_json(), sort_keys=True))
    again = MosaicSynopsis.from_json(paper, Layout.of(plan.domain))
    assert again.to_json() == synopsis.to_json()
    assert again.rows == synopsis.rows == (400 if neighbours == "replace-one" else None)
    assert plan.recount(paper) == plan.events


SPOILT = {
    "no such kind of table": lambda paper: paper.pop("runs"),
    "a pair less": lambda paper: paper["pairs"].pop(),
    "a pair twice": lambda paper: paper["chosen"].__setitem__(1, paper["chosen"][0]),
    "a pair that was not chosen": lambda paper: paper["chosen"].pop(),
    "no classes": lambda paper: paper.update(classes=None),
    "a fine table less": lambda paper: paper["columns"].pop("0"),
    "a fine table of another length": lambda paper: paper["columns"].update(
        {"0": [*paper["columns"]["0"], 0]}
    ),
    "runs that were not bought": lambda paper: paper["runs"].update({"0": [1, 2]}),
    "other fine bins": lambda paper: paper["edges"]["4"].__setitem__(3, paper["edges"]["4"][3] + 1),
    "fine bins that do not end": lambda paper: paper["edges"]["4"].pop(),
    "fine bins of a category": lambda paper: paper["edges"].update({"2": [0, 1, 2, 3]}),
    "no fine bins": lambda paper: paper.pop("edges"),
    "bins with gaps": lambda paper: paper["bins"].update({"2": [0, 2, 2]}),
    "bins of a number in reverse": lambda paper: paper["bins"]["0"].reverse(),
    "bins of a category in reverse": lambda paper: paper["bins"]["2"].reverse(),
    "bins of a category in one": lambda paper: paper["bins"].update({"2": [0, 0, 0]}),
    "bins from above": lambda paper: paper["bins"].update({"0": [2**62] * 61}),
    "bins beside missing": lambda paper: paper["bins"]["4"].__setitem__(-1, paper["bins"]["4"][-2]),
    "bins in rows": lambda paper: paper["bins"].update({"2": [[0], [1], [2]]}),
    "bins of no column": lambda paper: paper["bins"].update({"9": [0, 1, 2]}),
    "a column by another spelling": lambda paper: paper["bins"].update({"02": paper["bins"]["2"]}),
    "a table of another name": lambda paper: paper.update(secret=[1, 2, 3]),
    "another kind": lambda paper: paper.update(kind="moments"),
    "a table of a pair again": lambda paper: paper["pairs"].append(paper["pairs"][0]),
    "more about a pair": lambda paper: paper["pairs"][0].update(note="more"),
    "a pair of three": lambda paper: paper["pairs"][0]["columns"].append(7),
    "true for a count": lambda paper: paper["columns"]["0"].__setitem__(0, True),
    "bins of another column": lambda paper: paper["bins"].pop("2"),
    "a count that is no whole number": lambda paper: paper["columns"]["0"].__setitem__(0, 0.5),
    "a count beyond 64 bits": lambda paper: paper["columns"]["0"].__setitem__(0, 2**64),
    "no number of records": lambda paper: paper.update(rows=None),
    "a number of records that is none": lambda paper: paper.update(rows="many"),
    "another number of records": lambda paper: paper.update(rows=7),
    "a number of records below none": lambda paper: paper.update(rows=-400),
    "true for a number of records": lambda paper: paper.update(rows=True),
    "a number of records in floats": lambda paper: paper.update(rows=400.0),
}


@pytest.fixture(scope="module")
def sound():
    """A plan and what it measured, as text."""
    plan, synopsis, _ = measured(epsilon=25, records=400)
    assert len(synopsis.chosen) == 3
    return plan, json.dumps(synopsis.to_json())


@pytest.mark.parametrize("name", SPOILT)
def test_a_synopsis_that_cannot_be_of_its_plan_is_refused(name, sound):
    plan, text = sound
    assert plan.recount(json.loads(text)) == plan.events
    paper = json.loads(text)
    SPOILT[name](paper)
    assert json.dumps(paper) != text
    with pytest.raises(ReleaseError, match="synopsis"):
        plan.recount(paper)


def test_a_number_of_records_is_refused_in_a_synopsis_where_it_is_private():
    plan, synopsis, _ = measured(epsilon=1, neighbours="add-remove", records=400)
    paper = synopsis.to_json()
    assert plan.recount(paper) == plan.events
    with pytest.raises(ReleaseError, match="tables that its plan calls for"):
        plan.recount(paper | {"rows": 400})


def test_true_is_no_number_of_records_even_where_there_is_one():
    plan, synopsis, _ = measured(rows=1, records=1, epsilon=100)
    paper = synopsis.to_json()
    assert plan.recount(paper) == plan.events
    with pytest.raises(ReleaseError, match="tables that its plan calls for"):
        plan.recount(paper | {"rows": True})


def test_a_sealed_release_with_more_in_its_synopsis_does_not_verify(tmp_path):
    folder = tmp_path / "r"
    sf.publish(people(60), schema=schema(), epsilon=1, model="forest", folder=folder)
    paper, more = (json.loads((folder / f"{n}.json").read_text()) for n in ("release", "synopsis"))
    for change, found in (({}, []), ({"secret": [1, 2, 3]}, ["plan"]), ({"rows": 7}, ["plan"])):
        text = json.dumps(more | change)
        (folder / "synopsis.json").write_text(text)
        paper["synopsis"] = digest(more | change)
        paper["files"]["synopsis.json"] = sha256(folder / "synopsis.json")
        paper["seal"] = digest(paper)
        (folder / "release.json").write_text(json.dumps(paper))
        assert [check.name for check in sf.verify(folder) if not check.passed] == found


def test_a_budget_too_small_to_choose_pairs_with_is_refused_by_name():
    """As the first revision chose them under Gaussian noise: whoever verifies it is told."""
    many = {f"c{k}": LEVEL for k in range(17)}
    for rho in ("1e-17", "1e-18"):
        with pytest.raises(ParameterError, match=r"budget is too small to choose .*: raise rho"):
            price(schema(many), rho=rho, records=2**40, revision=1)
    asked = {"records": 2**40, "revision": 1}
    assert "pairs to measure" in [
        e.statistic for e in price(schema(many), rho="1e-15", **asked).events
    ]


def test_a_public_number_of_records_is_counted_whatever_was_said():
    """Under replace-one the shares follow the true number, and the certificate says it."""
    for said in ({}, {"records": 30_000}):
        release = sf.publish(people(60), schema=schema(), epsilon=1, model="forest", **said)
        assert release.certificate.options["records"] == 60
        assert release.synopsis["rows"] == 60
        assert release.table.num_rows == 60
    planned = price(schema(), epsilon=1, model="forest", records=60)
    assert planned.events == release.certificate.events


def test_a_private_number_of_records_stays_out_of_papers_and_plans():
    known = schema(neighbours="add-remove")
    release = sf.publish(people(60), schema=known, epsilon=1, model="forest")
    assert release.certificate.options["records"] is None
    assert release.synopsis["rows"] is None
    planned = price(known, epsilon=1, model="forest")
    assert planned.sized is None
    assert planned.events == release.certificate.events
    drawn = {
        sf.publish(people(60), schema=known, epsilon="0.1", model="forest").table.num_rows
        for _ in range(5)
    }
    assert len(drawn) > 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"model": "maxent"}, "model must be latent or forest"),
        ({"records": 0}, "records must be from 1"),
        ({"records": "about ten"}, "records must be from 1"),
        ({"records": True}, "records must be from 1"),
        ({"bins": 3}, "no option bins"),
    ],
)
def test_wrong_options_are_refused_by_name(options, said):
    with pytest.raises(ParameterError, match=said):
        price(schema(), epsilon=1, **options)


@pytest.mark.parametrize("classes", [2, 16, 17])
def test_a_label_of_many_classes_is_a_column_like_any_other(classes):
    columns = {
        "ward": LEVEL,
        "kind": {
            "kind": "category",
            "values": [f"k{i}" for i in range(classes)],
            "role": "label",
        },
    }
    what = Steps(Domain.of(Schema.of(schema(columns))), PureDP(1), None)
    assert what.classes == (classes if classes <= 16 else 1)
    assert [column.axis for column in what.columns] == ([0] if classes <= 16 else [0, 1])


def test_columns_come_back_in_the_order_and_types_of_the_schema():
    release = sf.publish(people(50), schema=schema(), epsilon=1, model="forest")
    assert release.table.column_names == list(COLUMNS)
    assert release.table.schema.field("sick").type == pa.bool_()


@pytest.mark.parametrize("model", ["forest", "latent"])
def test_without_noise_two_way_tables_come_back(model):
    """A chain is a forest within classes: with next to no noise it is recovered."""
    public = people(4_000)
    release = sf.publish(public, schema=schema(), epsilon=10**6, model=model, seed=1)
    for names in (("ward",), ("site",), ("sick",)):
        assert distance(public, release.table, *names) < 0.01, names
    bound = 0.02 if model == "forest" else 0.035
    for names in (("ward", "site"), ("sick", "ward"), ("sick", "site")):
        assert distance(public, release.table, *names) < bound, names
    # The control: at a budget that buys nothing the same tables are far.
    noise = sf.publish(public, schema=schema(), epsilon="0.0001", model=model, seed=1)
    assert distance(public, noise.table, "ward", "site") > 3 * bound


def test_gaussian_and_laplace_budgets_buy_their_own_noise():
    for asked, mechanism in (
        ({"epsilon": 1}, "discrete-laplace"),
        ({"rho": 1}, "discrete-gaussian"),
    ):
        events = price(schema(), **asked).events
        assert {e.mechanism for e in events} <= {mechanism, "exponential"}
        if "rho" in asked:
            assert all(isinstance(event.cost, ZCDP) for event in events)


def test_correlations_that_noisy_tables_show_are_released():
    """Much noise on single cells, but not on whether two numbers rise together; frozen seeds."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(5_000, 2)) @ rng.normal(size=(2, 5)) + rng.normal(size=(5_000, 5))
    table = pa.table({f"x{k}": column for k, column in enumerate(values.T)})
    told = schema({name: {"kind": "number", "low": -10, "high": 10} for name in table.column_names})
    slopes = []
    for seed in range(3):
        release = sf.publish(table, schema=told, epsilon=1, delta="1e-9", fit=False, seed=seed)
        drawn = np.stack([column.to_numpy() for column in release.data.columns], axis=1)
        true, found = (np.corrcoef(x.T)[np.triu_indices(5, 1)] for x in (values, drawn))
        slopes.append(true @ found / (true @ true))
    assert 0.7 < np.mean(slopes) < 1.1
