"""mosaic by person on panels of all kinds: what must hold does, whatever was measured."""

import numpy as np
import pandas as pd
import pytest

import dask_world
import sfumato as sf
from slowness import slow
from visits_world import LINKED_PANEL, PANEL, linked_panel, panel


@pytest.mark.parametrize("budget", [{"epsilon": "0.1"}, {"epsilon": 1}, {"epsilon": 1000}])
@pytest.mark.parametrize("neighbours", ["replace-one", slow("add-remove")])
@pytest.mark.parametrize(
    ("schema", "data"), [(PANEL, panel), (LINKED_PANEL, linked_panel)], ids=["one", "two"]
)
def test_few_persons_are_published_even_where_no_table_of_two_columns_is_measured(
    tmp_path, schema, data, neighbours, budget
):
    schema = schema | {"neighbours": neighbours}
    folder = tmp_path / "release"
    assert sf.verify(sf.publish(data(), schema=schema, seed=1, folder=folder, **budget))


def persons_without_visits(missing=None):
    """Of 300 persons every third has no visit, the others two; a column may be missing."""
    ward = {"kind": "category", "values": ["heart", "lung"], "other": "none"}
    schema = {
        "name": "t",
        "tables": {"persons": {"key": "id"}, "events": {"person": "id", "order": "year"}},
        "rows_per_person": 3,
        "columns": {
            "id": {"kind": "id"},
            "old": {"kind": "boolean", "per": "person"},
            "year": {"kind": "integer", "low": 2015, "high": 2025},
            "ward": ward if missing is None else ward | {"missing": missing},
        },
    }
    people = range(300)
    visits = [(k, 2015 + k % 9 + n, ["heart", "lung"][k % 2]) for k in people for n in (0, 1)]
    events = pd.DataFrame(visits, columns=["id", "year", "ward"])
    events = events[events["id"] % 3 > 0].reset_index(drop=True)
    if missing is not None:
        events.loc[events["id"] % 4 == 1, "ward"] = None
    persons = pd.DataFrame({"id": list(people), "old": [k % 5 == 0 for k in people]})
    return {"persons": persons, "events": events}, schema


@pytest.mark.parametrize("fast", [True, False], ids=["compiled", "plain"])
@pytest.mark.parametrize("missing", [None, "allowed"])
def test_who_has_no_row_leaves_no_gap_in_the_rows_of_others(monkeypatch, missing, fast):
    if not fast:
        monkeypatch.setattr("sfumato.render.panel.sweeps.HAVE_NUMBA", False)
    data, schema = persons_without_visits(missing)
    drawn = sf.publish(data, schema=schema, epsilon=1000, seed=1).tables["events"].to_pandas()
    assert drawn.groupby("id").size().value_counts().get(2) == pytest.approx(200, abs=4)
    share = data["events"]["ward"].isna().mean()
    assert drawn["ward"].isna().mean() == pytest.approx(share, abs=0.02)


@pytest.mark.parametrize("missing", [None, "allowed"])
@pytest.mark.parametrize("epsilon", [1, 1000])
def test_of_many_values_none_is_taken_for_that_of_persons_without_rows(tmp_path, missing, epsilon):
    data, schema = persons_without_visits(missing)
    ward = schema["columns"]["ward"] | {"values": ["heart", "lung", *map(str, range(40))]}
    schema = schema | {"columns": schema["columns"] | {"ward": ward}}
    folder = tmp_path / "release"
    drawn = sf.publish(data, schema=schema, epsilon=epsilon, seed=1, folder=folder)
    assert sf.verify(drawn)


def test_persons_none_of_whom_has_a_row_are_published_without_rows():
    data, schema = persons_without_visits()
    data["events"] = data["events"].head(0)
    drawn = sf.publish(data, schema=schema, epsilon=1000, seed=1).tables
    assert drawn["persons"].num_rows == 300
    assert drawn["events"].num_rows == 0


def test_persons_with_one_row_each_have_one_row_each():
    data, schema = panel().to_pandas(), PANEL | {"constraints": []}
    data = data.drop_duplicates("patient")
    drawn = sf.publish(data, schema=schema, epsilon=1000, seed=1).data
    assert len(drawn) == len(data) == drawn["patient"].nunique()


@pytest.mark.parametrize("epsilon", [1, 1000])
def test_persons_with_more_rows_than_there_are_times_keep_their_rows(epsilon):
    schema = {
        "name": "t",
        "person": "id",
        "order": "half",
        "rows_per_person": 8,
        "columns": {"id": {"kind": "id"}, "half": {"kind": "integer", "low": 1, "high": 2}},
    }
    rows = [(k, 1 + n // 3) for k in range(400) for n in range(6)]
    table = pd.DataFrame(rows, columns=["id", "half"])
    drawn = sf.publish(table, schema=schema, epsilon=epsilon, seed=1).data
    assert drawn.groupby("id").size().mean() == pytest.approx(6, abs=0.5)


def test_rows_follow_each_other_alike_whether_a_person_has_few_or_many():
    rng = np.random.default_rng(1)
    counts = rng.integers(2, 9, 2_000)
    owner = np.repeat(np.arange(2_000), counts)
    moved = rng.random(len(owner)) < 0.2
    moved[np.append(0, np.cumsum(counts)[:-1])] = True
    since = np.maximum.accumulate(np.where(moved, np.arange(len(owner)), 0))
    ward = rng.integers(0, 4, len(owner))[since]
    visit = pd.Series(owner).groupby(owner).cumcount() + 1
    table = pd.DataFrame({"id": owner, "visit": visit, "ward": ward})
    schema = {
        "name": "t",
        "person": "id",
        "order": "visit",
        "rows_per_person": 8,
        "columns": {
            "id": {"kind": "id"},
            "visit": {"kind": "integer", "low": 1, "high": 9},
            "ward": {"kind": "category", "values": [0, 1, 2, 3], "other": False},
        },
    }
    drawn = sf.publish(table, schema=schema, epsilon=1000, seed=1).data
    before = drawn.groupby("id")["ward"].shift()
    many, same = drawn.groupby("id")["ward"].transform("size"), drawn["ward"] == before
    few, most = (same[(many == k) & before.notna()].mean() for k in (2, 8))
    assert most == pytest.approx(0.85, abs=0.08)
    assert few - most < 0.16


@pytest.mark.parametrize("rule", ["year == until", "year <= until", "until < year", "year <= left"])
@pytest.mark.parametrize("linked", [False, True], ids=["one", "two"])
def test_constraints_hold_and_hardly_any_row_is_lost_to_them(tmp_path, rule, linked):
    rows = [(k, 2015 + k % 3 + n) for k in range(400) for n in range(1 + k % 4)]
    table = pd.DataFrame(rows, columns=["id", "year"])
    table["until"] = table["year"] - (rule == "until < year")
    persons = pd.DataFrame({"id": range(400), "left": 2018 + np.arange(400) % 3})
    years = {"kind": "integer", "low": 2000, "high": 2030}
    schema = {
        "name": "t",
        "rows_per_person": 4,
        "columns": {
            "id": {"kind": "id"},
            "left": years | {"per": "person"},
            "year": years,
            "until": years | {"low": 0, "high": 9999, "increasing": True},
        },
        "constraints": [rule],
    }
    if linked:
        both = {"persons": {"key": "id"}, "events": {"person": "id", "order": "year"}}
        data, schema = {"persons": persons, "events": table}, schema | {"tables": both}
    else:
        data, schema = table.merge(persons), schema | {"person": "id", "order": "year"}
    folder = tmp_path / "release"
    drawn = sf.publish(data, schema=schema, epsilon=100, seed=1, folder=folder)
    assert sf.verify(drawn)
    assert drawn.certificate.rows == pytest.approx(len(table), rel=0.15)


@pytest.mark.skipif(bool(dask_world.MISSING), reason=dask_world.MISSING)
@pytest.mark.long
def test_rows_that_lie_on_dask_give_the_same_release():
    import dask.dataframe as dd

    table = panel()
    there = dd.from_pandas(table.to_pandas(), npartitions=3)
    asked = {"schema": PANEL, "epsilon": 100, "delta": "1e-9", "seed": 1}
    made, here = sf.publish(there, **asked), sf.publish(table, **asked)
    assert made.synopsis == here.synopsis
    assert made.tables["data"].equals(here.tables["data"])


def test_the_same_seed_gives_the_same_release_whatever_the_order_of_rows():
    table = panel()
    shuffled = table.take(np.random.default_rng(0).permutation(len(table)))
    asked = {"schema": PANEL, "epsilon": 2, "delta": "1e-9", "seed": 3}
    one, two = sf.publish(table, **asked), sf.publish(shuffled, **asked)
    assert one.synopsis == two.synopsis
    assert one.tables["data"].equals(two.tables["data"])


@pytest.mark.parametrize("rows", [1, 64, 4096])
@pytest.mark.parametrize("seed", range(4))
def test_a_high_bound_makes_nobody_of_many_rows_out_of_noise(rows, seed):
    schema = {
        "name": "t",
        "person": "id",
        "rows_per_person": rows,
        "columns": {"id": {"kind": "id"}, "ill": {"kind": "boolean"}},
    }
    owner = np.repeat(np.arange(2_000), 1 + np.arange(2_000) % 3)
    table = pd.DataFrame({"id": owner, "ill": owner % 2 == 0})
    for epsilon in (0.1, 1):
        drawn = sf.publish(table, schema=schema, epsilon=epsilon, seed=seed).data
        assert drawn.groupby("id").size().mean() < 1.3 * 2 if rows > 1 else len(drawn) == 2_000
