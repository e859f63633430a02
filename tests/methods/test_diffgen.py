"""diffgen: releases, their promise and synopsis, what is refused, what is kept."""

import json
import shutil

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import chisquare

import sfumato as sf
from neighbours import schema, table
from sfumato.errors import ParameterError, ReleaseError, SchemaError
from sfumato.ledger import Ledger
from sfumato.methods import METHODS, diffgen
from sfumato.methods.diffgen import METHOD
from sfumato.privacy.guarantee import PureDP, Seeded
from sfumato.release.digest import digest
from sfumato.release.folder import sha256
from sfumato.render.leaves import Parts, apportion, sample
from sfumato.report.html import html_page
from sfumato.schema import Schema
from sfumato.schema.domain import Domain

FALSE_ALARM = 1e-6
COLUMNS = {
    "age": {"kind": "integer", "low": 0, "high": 99},
    "dose": {"kind": "number", "low": 0, "high": 2, "step": 0.5, "missing": "allowed"},
    "ward": {
        "kind": "category",
        "values": ["a", "b", "c"],
        "other": "o",
        "taxonomy": [["a", "b"], ["c", "o"]],
    },
    "sick": {"kind": "category", "values": ["no", "yes", "never seen"], "role": "label"},
}
KNOWN = {"name": "t", "columns": COLUMNS}


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    monkeypatch.setitem(METHODS, METHOD.name, METHOD)


def patients(n=600):
    """Those over 60 and those in ward c are sick; nobody is `never seen`."""
    rng = np.random.default_rng(5)
    age, ward = rng.integers(0, 100, n), rng.choice(["a", "b", "c", "?"], n)
    dose = [None if r < 0.2 else float(r) for r in rng.random(n)]
    sick = np.where((age > 60) | (ward == "c"), "yes", "no")
    return pa.table({"age": age, "dose": pa.array(dose), "ward": ward, "sick": sick})


def publish(changes=None, data=None, **options):
    given = {"schema": KNOWN | (changes or {}), "method": "diffgen", "epsilon": 1} | options
    return sf.publish(patients() if data is None else data, **given)


@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
@pytest.mark.parametrize("score", ["max", "infogain"])
def test_a_release_carries_its_promise_and_verifies(score, neighbours, tmp_path):
    release = publish({"neighbours": neighbours}, score=score, steps=4, folder=tmp_path / "r")
    assert release.guarantee == PureDP(1)
    assert release.certificate.options == {"score": score, "steps": 4}
    assert all(check.passed for check in sf.verify(tmp_path / "r"))
    assert sum(int(e.cost == PureDP("0.49")) for e in release.certificate.events) == 1
    assert release.table.column_names == list(COLUMNS)


def test_the_number_of_rows_is_public_or_noisy_or_asked_for():
    assert publish().table.num_rows == 600
    noisy = {publish({"neighbours": "add-remove"}, steps=2).table.num_rows for _ in range(8)}
    assert len(noisy) > 1
    assert all(0 <= rows < 1_200 for rows in noisy)
    assert publish(rows=77).table.num_rows == 77
    assert publish(rows=0).table.num_rows == 0


def test_the_same_seed_gives_the_same_release_without_a_guarantee():
    first, again, other = (publish(seed=seed) for seed in (7, 7, 8))
    assert first.guarantee == Seeded()
    assert first.table.equals(again.table)
    assert not first.table.equals(other.table)


def test_options_come_as_text_from_the_command_line():
    assert publish(steps="3", score="max").certificate.options == {"score": "max", "steps": 3}


@pytest.mark.parametrize("score", ["max", "infogain"])
def test_with_much_budget_the_release_tells_the_classes_apart_as_the_table_does(score):
    # Seeded: equal scores are drawn among, and two draws in a hundred spend all steps elsewhere.
    data = publish(epsilon=10**6, score=score, steps=9, rows=4_000, seed=1).data.to_pandas()
    sick, ill = data["sick"] == "yes", (data["age"] > 65) | (data["ward"] == "c")
    assert sick[ill].mean() > 0.9
    assert sick[~ill & (data["age"] < 55)].mean() < 0.1
    assert not (data["sick"] == "never seen").any()


@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
def test_generalised_values_are_the_leaves_as_texts(neighbours, tmp_path):
    options = {"values": "generalised", "epsilon": 8, "seed": 3, "steps": 6}
    release = publish({"neighbours": neighbours}, folder=tmp_path / "r", **options)
    drawn = publish({"neighbours": neighbours}, **options | {"values": "drawn"})
    assert release.synopsis == drawn.synopsis  # the same measurements at the same price
    assert release.certificate.options == {"score": "max", "steps": 6, "values": "generalised"}
    assert set(release.certificate.columns.values()) == {"string"}
    assert all(check.passed for check in sf.verify(tmp_path / "r"))
    ages = {text.strip("[])").split(", ")[0] for text in release.table["age"].to_pylist()}
    splits = {str(step["split"]) for step in release.synopsis["walk"] if "split" in step}
    assert ages <= splits | {"0"}
    assert set(release.table["ward"].to_pylist()) <= {"any", "{a, b}", "{c, o}", *"abco"}
    assert set(release.table["sick"].to_pylist()) <= set(COLUMNS["sick"]["values"])


def test_generalised_values_are_inside_what_is_drawn_from_the_same_counts():
    options = {"epsilon": 10**6, "steps": 9, "rows": 4_000, "seed": 1}
    texts = publish(values="generalised", **options).data.to_pandas()
    high = texts["age"].str.extract(r"\[(\d+), ")[0].astype(float)
    sick = texts["sick"] == "yes"
    assert sick[(high > 65) | (texts["ward"] == "c")].mean() > 0.9
    assert texts["age"].nunique() < 12  # one for each interval, where 100 values are drawn


def test_a_release_of_texts_is_reported_and_inspected(tmp_path):
    publish(values="generalised", folder=tmp_path / "r", steps=5, epsilon=8)
    page = html_page(sf.Release.load(tmp_path / "r"))
    assert "[0, " in page
    assert "(missing)" not in page
    told = sf.inspect(sf.Release.load(tmp_path / "r"), patients())
    assert "No number to compare" in str([section.remark for section in told.sections])


def test_a_schema_whose_nodes_would_be_written_alike_is_refused():
    ward = COLUMNS["ward"] | {"taxonomy": {"c": ["a", "b"], "rest": ["c", "o"]}}
    columns = COLUMNS | {"ward": ward}
    assert publish({"columns": columns}).table.num_rows == 600
    with pytest.raises(SchemaError, match="column ward: 'c' would stand for two sets of values"):
        publish({"columns": columns}, values="generalised")


def test_a_class_that_never_occurs_is_no_error_and_may_appear():
    seen = publish(epsilon="0.05", rows=2_000).data.column("sick").to_pylist()
    assert "never seen" in seen


def test_a_table_whose_label_never_varies_is_released_all_the_same():
    data = patients().set_column(3, "sick", pa.array(["no"] * 600))
    assert publish(data=data, score="infogain").table.num_rows == 600


def test_an_empty_table_is_released_where_its_size_is_private():
    release = publish({"neighbours": "add-remove"}, data=patients().slice(0, 0), steps=2)
    assert release.table.num_rows < 600
    assert all(event.cost.label == "pure-DP" for event in release.certificate.events)


def test_tables_may_have_more_columns_than_an_array_has_dimensions():
    columns = {f"c{i}": {"kind": "boolean"} for i in range(70)} | {"sick": COLUMNS["sick"]}
    data = pa.table({name: ["true", "no"] * 20 for name in columns})
    assert publish({"columns": columns}, data=data).table.num_columns == 71


def test_absurd_records_are_published_like_any_other():
    rows = [dict.fromkeys(schema().columns, text) for text in ("\x00", "nan", "9" * 400, None, "½")]
    release = sf.publish(table(rows), schema=schema(), method="diffgen", epsilon=1)
    assert release.table.num_rows == 5


@pytest.mark.parametrize(
    ("changes", "given", "error", "words"),
    [
        ({"columns": {"age": COLUMNS["age"]}}, {}, SchemaError, "role: label"),
        ({"columns": {"sick": COLUMNS["sick"]}}, {}, SchemaError, "nothing to specialise"),
        ({}, {"score": "gini"}, ParameterError, "score must be one of max, infogain, got 'gini'"),
        ({}, {"values": "top"}, ParameterError, "values must be drawn or generalised, got 'top'"),
        ({}, {"steps": 0}, ParameterError, "steps must be a whole number from 1 to 100, got 0"),
        ({}, {"steps": 101}, ParameterError, "steps must be"),
        ({}, {"steps": "1.5"}, ParameterError, "steps must be"),
        ({}, {"steps": True}, ParameterError, "steps must be"),
        ({}, {"delta": "1e-6"}, ParameterError, "diffgen promises pure"),
        ({}, {"epsilon": None, "rho": 1}, ParameterError, "diffgen promises pure"),
        ({}, {"depth": 3}, ParameterError, "has no option depth; it has: score, steps"),
    ],
)
def test_wrong_use_is_refused_before_anything_is_read(changes, given, error, words):
    with pytest.raises(error, match=words):
        publish(changes, data="there is no such file.csv", **given)


def test_a_label_with_too_many_values_for_fine_columns_is_refused():
    values = [f"v{i}" for i in range(5_000)]
    columns = {
        "size": {"kind": "number", "low": 0, "high": 1},
        "code": {"kind": "category", "values": values, "role": "label"},
    }
    with pytest.raises(SchemaError, match="too many values for columns this fine"):
        publish({"columns": columns}, data="there is no such file.csv")


@pytest.mark.parametrize(
    ("taxonomy", "words"),
    [
        ([["a", "b"], "c"], "must name every value, and other, once: see o"),
        ([["a", "b"], ["c", "o", "a"]], "once: see a"),
        ([["a", "b"], ["c", "o", "d"]], "once: see d"),
        ([["a", "b"], ["c", "o"], []], "none of them empty"),
        ("a", "nested lists or mappings"),
        ([True, "a"], "nested lists or mappings"),
        ({1: ["a", "b"], "x": ["c", "o"]}, "names that are text: put them in quotes"),
    ],
)
def test_a_taxonomy_that_is_none_of_the_values_is_refused_by_column(taxonomy, words):
    ward = COLUMNS["ward"] | {"taxonomy": taxonomy}
    with pytest.raises(SchemaError, match=f"column ward: .*{words}"):
        Schema.of({"name": "t", "columns": {"ward": ward}})


def test_a_taxonomy_nested_for_ever_is_refused():
    tree = "a"
    for _ in range(500):
        tree = [tree]
    with pytest.raises(SchemaError, match="column ward: taxonomy must be nested lists"):
        Schema.of({"name": "t", "columns": {"ward": COLUMNS["ward"] | {"taxonomy": tree}}})


def test_a_taxonomy_survives_being_written_and_read():
    tree = {"near": ["a", "b"], "far": {"c": "c", "rest": ["o"]}}
    known = Schema.of({"name": "t", "columns": {"ward": COLUMNS["ward"] | {"taxonomy": tree}}})
    assert Schema.parse(known.to_yaml()) == known
    assert Schema.of(known.to_json()) == known


def recount(synopsis, **changes):
    plan = METHOD.price(Domain.of(Schema.of(KNOWN | changes)), PureDP(1), {"steps": 4})
    return plan, plan.recount(synopsis)


def test_the_synopsis_names_splits_and_branches_in_public_terms():
    synopsis = publish(steps=4, epsilon=10**6).synopsis
    walk = synopsis["walk"]
    assert walk[0].keys() == {"column", "node", "split"}
    assert walk[0]["column"] == "age"
    assert walk[0]["node"] == [0, 99]
    assert walk[1]["node"] == [-1, 4]  # missing is the code -1
    steps = [step for step in walk if "split" not in step]
    assert len(steps) == 4
    assert {"column": "ward", "node": ["a", "b", "c", "o"]} in steps
    assert synopsis["rows"] == 600
    plan, events = recount(synopsis)
    assert events == plan.events


def without_last(walk):
    return walk[:-1]


def elsewhere(walk):
    return [walk[0] | {"split": 100}, *walk[1:]]


def at_the_edge(walk):
    return [walk[0] | {"split": 0}, *walk[1:]]


def as_text(walk):
    return [walk[0] | {"split": str(walk[0]["split"])}, *walk[1:]]


def another_node(walk):
    at = next(i for i, step in enumerate(walk) if "split" not in step)
    return [*walk[:at], walk[at] | {"node": [3, 4]}, *walk[at + 1 :]]


def one_more(walk):
    return [*walk, walk[-1]]


@pytest.mark.parametrize(
    "tamper",
    [without_last, elsewhere, at_the_edge, as_text, another_node, one_more, lambda walk: None],
)
def test_a_walk_that_cannot_have_been_is_refused(tamper):
    synopsis = publish(steps=4).synopsis
    with pytest.raises(ReleaseError, match="the synopsis"):
        recount(synopsis | {"walk": tamper(synopsis["walk"])})


@pytest.mark.parametrize(
    "changes",
    [
        {"counts": [1, 2, 3]},
        {"counts": None},
        {"rows": None},
        {"rows": -1},
        {"rows": 1.5},
    ],
)
def test_counts_or_rows_that_do_not_fit_are_refused(changes):
    synopsis = publish(steps=4).synopsis
    with pytest.raises(ReleaseError, match="the synopsis"):
        recount(synopsis | changes)
    fractions = [count + 0.5 for count in synopsis["counts"]]
    with pytest.raises(ReleaseError, match="steps and counts"):
        recount(synopsis | {"counts": fractions})
    with pytest.raises(ReleaseError, match="rows under replace-one, and only there"):
        recount(synopsis, neighbours="add-remove")


def resealed(folder, change):
    """A release whose papers were changed by somebody who knows how to seal them again."""
    path = folder / "release.json"
    paper = json.loads(path.read_text())
    change(folder, paper)
    for name in paper["files"]:
        paper["files"][name] = sha256(folder / name)
    paper["seal"] = digest(paper)
    path.write_text(json.dumps(paper))
    return {check.name: check.passed for check in sf.verify(folder)}


def other_score(folder, paper):
    paper["options"]["score"] = "infogain"


def colder(folder, paper):
    paper["events"][1]["noise"] = {"temperature": "1/1000", "approximately": 0.001}


def shifted(folder, paper):
    synopsis = json.loads((folder / "synopsis.json").read_text())
    synopsis["walk"][0]["split"] = 1000
    (folder / "synopsis.json").write_text(json.dumps(synopsis))


@pytest.mark.parametrize(
    ("change", "passes"),
    [(lambda *_: None, True), (other_score, False), (colder, False), (shifted, False)],
)
def test_a_changed_score_temperature_or_split_is_found_even_if_sealed_again(
    change, passes, tmp_path
):
    publish(folder=tmp_path / "r", steps=3)
    shutil.copytree(tmp_path / "r", tmp_path / "copy")
    assert resealed(tmp_path / "copy", change)["plan"] == passes


def test_a_release_is_charged_to_the_ledger_once(tmp_path):
    with Ledger.create(tmp_path / "budget.db") as ledger:
        ledger.grant("t", PureDP(1), reason="test")
        publish(ledger=ledger, folder=tmp_path / "r")
        assert ledger.balance("t").spent.micro_epsilon == 10**6
        assert all(check.passed for check in sf.verify(tmp_path / "r", ledger=ledger))


@pytest.mark.parametrize("rows", [0, 1, 7, 1_000])
def test_shares_are_rounded_up_or_down_and_sum_to_the_rows(rows, rng):
    for counts in (rng.normal(0, 5, 40), np.zeros(9), np.full(5, -3.0), np.array([1e18, 1.0, 0.0])):
        found = apportion(counts, rows, rng)
        shares = np.maximum(counts, 0) if (counts > 0).any() else np.ones(len(counts))
        assert found.sum() == rows
        assert found.min() >= 0
        assert (np.abs(found - shares * rows / shares.sum()) < 1 + 1e-9).all()


def test_no_cell_is_favoured_by_the_rounding(rng):
    found = sum(apportion(np.ones(7), 3, rng) for _ in range(7_000))
    assert found.sum() == 21_000
    assert chisquare(found).pvalue > FALSE_ALARM
    assert chisquare(found + np.arange(7) * 100).pvalue < FALSE_ALARM


def test_records_are_uniform_inside_their_region_and_nowhere_else(rng):
    columns = [
        Parts(0, np.array([-1, 0, 1, 2, 3], np.int32), [(0, 2), (2, 5)]),
        Parts(1, np.array([2, 0, 1], np.int32), [(0, 3)]),
    ]
    counts = np.array([100_000, 50_000])
    codes = np.concatenate(list(sample(columns, counts, rng)))
    first, second = np.bincount(codes[:, 0] + 1), np.bincount(codes[:, 1])
    assert first[:2].sum() == 100_000
    assert first[2:].sum() == 50_000
    for found, even in ((first[:2], True), (first[2:], True), (second, True), (first, False)):
        assert (chisquare(found).pvalue > FALSE_ALARM) == even


def test_rows_of_different_leaves_are_mixed(rng):
    columns = [Parts(0, np.arange(4, dtype=np.int32), [(i, i + 1) for i in range(4)])]
    codes = np.concatenate(list(sample(columns, np.full(4, 250), rng)))[:, 0]
    assert np.bincount(codes).tolist() == [250] * 4
    assert set(np.bincount(codes[:40]).tolist()) <= set(range(8, 13))


def test_the_walk_is_public_in_the_plan_as_well():
    plan = METHOD.price(Domain.of(Schema.of(KNOWN)), PureDP(1), {})
    names = [event.statistic for event in plan.events]
    assert names[:3] == ["split point of age", "split point of dose", "specialisation 1"]
    assert names[-1] == "leaf counts"
    assert len(names) == 2 + 2 * 10 + 1
    assert diffgen.METHOD.options.keys() == {"score", "steps", "values"}


def test_a_class_that_would_be_written_like_another_is_refused():
    label = {"kind": "category", "values": ["missing", "no"], "missing": "allowed", "role": "label"}
    schema = {"name": "t", "columns": {"a": {"kind": "integer", "low": 0, "high": 3}, "k": label}}
    with pytest.raises(SchemaError, match="column k: 'missing' would stand for two"):
        sf.price(schema, method="diffgen", epsilon=1, values="generalised")
