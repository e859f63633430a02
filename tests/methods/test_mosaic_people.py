"""mosaic where a person is the unit: the common promises of methods, kept for persons."""

import json
from functools import cache
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

import sfumato as sf
from panel_world import ONE, TWO, histories, linked
from sfumato.errors import ReleaseError
from sfumato.inspection.audit.replay import RecordingPurse
from sfumato.methods.mosaic.people_steps import PeopleSteps
from sfumato.privacy.budget import budget
from sfumato.privacy.guarantee import ZCDP, ApproxDP, PureDP, compose
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SeededBits
from sfumato.publishing.people_source import PeopleSource, given_tables, layout_of
from sfumato.publishing.table import price
from sfumato.synopsis.flat_people import FlatPeople
from sfumato.synopsis.panel import PanelSynopsis
from sfumato.synopsis.tables import pairs_of
from sfumato.table.people.people import People
from slowness import slow
from ticket_world import KINDS, linked_of, people_of
from ticket_world import domain as small_domain
from ticket_world import schema as small_schema

RELATIONS = ("replace-one", "add-remove")
BUDGETS = {
    "pure": {"epsilon": "2"},
    "approximate": {"epsilon": "2", "delta": "1e-6"},
    "zCDP": {"rho": "0.3"},
}
WORLDS = {"one file": (ONE, lambda t: t), "two files": (TWO, linked)}
each_world = pytest.mark.parametrize("world", WORLDS)
PERSONS = 150


@cache
def data(world):
    return WORLDS[world][1](histories(PERSONS, np.random.default_rng(3)))


def planned(world, records=3_000, neighbours="add-remove", **asked):
    schema = {**WORLDS[world][0], "neighbours": neighbours}
    return price(schema, fit=False, records=records, **(asked or {"epsilon": "2"}))


def published(tables, world, **given):
    schema = {**WORLDS[world][0], "neighbours": "add-remove"}
    asked = {"epsilon": 4, "fit": False, "records": 3_000, "seed": 7, "rows": 40}
    return sf.publish(tables, schema=schema, **(asked | given))


# Prices.


@each_world
@pytest.mark.parametrize("neighbours", RELATIONS)
@pytest.mark.parametrize("asked", BUDGETS.values(), ids=BUDGETS)
@pytest.mark.parametrize("records", [None, 40, 2_000, 1_000_000])
def test_all_steps_together_cost_the_budget_and_nothing_is_read_for_it(
    world, neighbours, asked, records
):
    plan = planned(world, records, neighbours, **asked)
    paid, whole = compose(*(event.cost for event in plan.events)), budget(**asked)
    match whole:
        case PureDP(epsilon=epsilon):
            assert paid.epsilon == epsilon
        case ZCDP(rho=rho):
            assert 0.9999 * rho < paid.rho <= rho  # a draw costs a rounding less
        case ApproxDP():
            assert plan.guarantee == whole
    assert plan.people
    assert plan.recount is not None


@pytest.mark.parametrize("neighbours", RELATIONS)
@pytest.mark.parametrize("asked", BUDGETS.values(), ids=BUDGETS)
def test_where_all_pairs_are_measured_no_draw_is_paid_for(neighbours, asked):
    for records in range(500, 30_000, 500):
        domain = planned("one file", records, neighbours, **asked).domain
        steps = PeopleSteps(domain, budget(**asked), records)
        every = len(pairs_of(len(steps.columns)))
        measured_pairs = len(steps.fixed) + steps.division.chosen
        assert steps.division.chosen == 0 or measured_pairs < every


# Frozen noise.


def frozen(linked_tables, neighbours, asked, records):
    schema = small_schema(linked_tables, neighbours)
    plan = price(schema, fit=False, records=records, **asked)
    dom = small_domain(linked_tables, neighbours)

    def run(persons, script=None):
        """Persons are lists of rows; of two files the first of each is in that of persons."""
        purse = RecordingPurse(plan.guarantee, script)
        rows = [(str(k), *row) for k, person in enumerate(persons) for row in person]
        if linked_tables:
            of_persons = [(str(k), person[0][0]) for k, person in enumerate(persons)]
            events = [(str(k), *row[1:]) for k, p in enumerate(persons) for row in p[1:]]
            people = linked_of(of_persons, [*events, ("nobody", *KINDS[0][1:])], dom)
        else:
            people = people_of(rows[::-1], dom)
        plan.measure(people, purse)
        return purse

    return run


rows_of_a_person = st.lists(st.sampled_from(KINDS), min_size=1, max_size=5)


@pytest.mark.long
@pytest.mark.parametrize("examples", [10, slow(80)])
@pytest.mark.parametrize("neighbours", RELATIONS)
@pytest.mark.parametrize("linked_tables", [False, True], ids=["one file", "two files"])
@pytest.mark.parametrize(
    ("asked", "records"),
    [({"epsilon": "2"}, 1_000), ({"rho": "0.2"}, 100_000)],
    ids=["pure", "zCDP"],
)
def test_no_person_moves_what_is_measured_beyond_its_sensitivity(
    linked_tables, neighbours, asked, records, examples
):
    run = frozen(linked_tables, neighbours, asked, records)
    others = st.lists(rows_of_a_person, min_size=1, max_size=4)

    @hypothesis_settings(max_examples=examples)
    @given(others, rows_of_a_person, rows_of_a_person)
    def check(stay, mine, theirs):
        first = run([*stay, mine])
        second = run(stay if neighbours == "add-remove" else [*stay, theirs], first.outputs)
        assert first.complete
        assert first.events == second.events
        for one, other in zip(first.draws, second.draws, strict=True):
            assert one.moved_apart(other) <= 1
        for noise, l1, l2 in first.distances(second):
            assert l1 <= float(noise.sensitivity.l1) * (1 + 1e-9)
            assert l2 <= float(noise.sensitivity.l2_squared) * (1 + 1e-9)

    check()


def test_a_person_of_many_rows_moves_every_kind_of_table_as_far_as_it_claims():
    """The control of the test above: half of any claim would be exceeded."""
    run = frozen(False, "add-remove", {"epsilon": "2"}, 1_000)
    first = run([[KINDS[0]]])
    furthest = {}
    for mine in ([KINDS[1]], [KINDS[1]] * 2, [KINDS[1]] * 5):
        for noise, l1, _ in first.distances(run([[KINDS[0]], mine], first.outputs)):
            share = l1 / float(noise.sensitivity.l1)
            furthest[noise.statistic] = max(share, furthest.get(noise.statistic, 0.0))
    assert set(furthest.values()) == {1.0}
    assert len(furthest) == 5


# One release, whoever asks for it and however the rows come.


@pytest.mark.long
@each_world
def test_the_same_seed_gives_the_same_release_whatever_holds_the_rows(world, tmp_path):
    tables = data(world) if world == "two files" else {"data": data(world)}
    before = {name: table.to_pandas() for name, table in tables.items()}
    rng = np.random.default_rng(5)

    def mixed(table):
        return table.take(pa.array(rng.permutation(table.num_rows)))

    def parquet(table):
        place = tmp_path / f"{rng.integers(2**40)}.parquet"
        pq.write_table(table, place, row_group_size=37)
        return place

    ways = [
        lambda table: table,
        lambda table: mixed(table).to_pandas(),
        lambda table: pl.from_arrow(mixed(table)),
        lambda table: parquet(mixed(table)),
        lambda table: pa.Table.from_batches(table.to_batches(max_chunksize=11)),
    ]
    found = []
    for way in ways:
        held = {name: way(table) for name, table in tables.items()}
        found.append(published(held.get("data", held), world))
    for one, other in pairwise(found):
        assert one.synopsis == other.synopsis
        assert [t.to_pylist() for t in one.tables.values()] == [
            t.to_pylist() for t in other.tables.values()
        ]
    for name, table in tables.items():
        pd.testing.assert_frame_equal(table.to_pandas(), before[name])


# The synopsis.


@cache
def measured(world):
    """A plan whose pairs are chosen, and the synopsis of a table."""
    plan = planned(world)
    return plan, plan.measure(_people(world, plan), Purse(plan.guarantee, SeededBits(1)))


def _people(world, plan):
    schema = plan.domain.schema
    layout = layout_of(schema.people)
    source = PeopleSource.of(given_tables(data(world), schema), plan.domain, layout)
    return People(source.rows, plan.domain, layout, key=b"k", persons=source.persons)


def written(world):
    plan, synopsis = measured(world)
    return plan, json.loads(json.dumps(synopsis.to_json()))


@each_world
def test_a_synopsis_is_the_same_after_it_was_written_and_read(world):
    plan, record = written(world)
    again = PanelSynopsis.from_json(record, FlatPeople.of(plan.domain))
    assert again.to_json() == record
    assert again.tables.chosen
    assert plan.recount(record) == plan.events


def swapped(place):
    def change(record):
        first, second = sorted(record[place])[:2]
        tables = record[place]
        tables[first], tables[second] = tables[second], tables[first]

    return change


def dropped(place):
    return lambda record: record[place].pop(sorted(record[place])[-1])


def relabelled(place):
    def change(record):
        tables = record[place]
        tables["0"] = tables.pop(sorted(tables)[0])

    return change


def other_bins(record):
    """A number in two bins, with tables that have as many."""
    bins = record["tables"]["bins"]
    axis = max(bins, key=lambda key: max(bins[key]))
    half = len(bins[axis]) // 2
    bins[axis] = [0] * half + [1] * (len(bins[axis]) - half)


def first_pair(record):
    return record["tables"]["pairs"][0]


CHANGES = {
    **{f"{kind} swapped": swapped(kind) for kind in ("next", "other")},
    **{f"{kind} dropped": dropped(kind) for kind in ("next", "other", "steps")},
    **{f"{kind} of a person's column": relabelled(kind) for kind in ("next", "other", "steps")},
    "other bins": other_bins,
    "a pair dropped": lambda record: record["tables"]["pairs"].pop(),
    "a pair of other columns": lambda record: first_pair(record).update(columns=[0, 1]),
    "a pair twice": lambda record: record["tables"]["pairs"].append(first_pair(record)),
    "fewer tickets": lambda record: record.update(whole=record["whole"] // 2),
    "tickets as text": lambda record: record.update(whole=str(record["whole"])),
    "tickets that are true": lambda record: record.update(whole=True),
    "something besides": lambda record: record.update(persons=3),
    "a number of persons": lambda record: record["tables"].update(rows=PERSONS),
    "half a ticket": lambda record: record["steps"][max(record["steps"])].__setitem__(0, 0.5),
    "one cell more": lambda record: record["steps"][max(record["steps"])].append(1),
}


@each_world
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_synopsis_that_no_plan_gives_is_refused(world, change):
    plan, record = written(world)
    change(record)
    with pytest.raises(ReleaseError):
        plan.recount(record)


def test_under_replace_one_the_number_of_persons_is_that_of_the_plan():
    plan = planned("one file", 5_000, "replace-one", epsilon="2").sized(PERSONS)
    record = plan.measure(_people("one file", plan), Purse(plan.guarantee, SeededBits(1))).to_json()
    assert plan.recount(record) == plan.events
    for other in (PERSONS + 1, None, True, float(PERSONS)):
        record["tables"]["rows"] = other
        with pytest.raises(ReleaseError):
            plan.recount(record)


# Small and odd tables.


@pytest.mark.long
@each_world
@pytest.mark.parametrize("neighbours", RELATIONS)
def test_few_persons_and_much_noise_still_give_a_release(world, neighbours):
    """No pair is worth its noise, and no table of two rows: how much stays the same is."""
    tables = WORLDS[world][1](histories(9, np.random.default_rng(0)))
    schema = {**WORLDS[world][0], "neighbours": neighbours}
    made = sf.publish(tables, schema=schema, epsilon="0.1", fit=False, records=9, seed=1, rows=20)
    assert [event.statistic for event in made.certificate.events] == [
        "one-way tables",
        "columns that stay the same",
    ]
    assert made.certificate.people.persons == 20


@pytest.mark.long
@pytest.mark.parametrize("neighbours", RELATIONS)
@pytest.mark.parametrize("levels", [3, 300])
def test_rows_of_two_files_have_values_where_the_schema_has_no_missing_ones(neighbours, levels):
    """Missing is where a person has no row: noise puts some of it beside rows."""
    rng = np.random.default_rng(0)
    columns = {
        "id": {"kind": "id"},
        "ill": {"kind": "boolean", "per": "person"},
        "day": {"kind": "integer", "low": 0, "high": 9},
        "size": {"kind": "number", "low": 0, "high": 1000, "step": 1},
        "ward": {"kind": "category", "values": [f"w{k}" for k in range(levels)]},
    }
    schema = {
        "name": "t",
        "neighbours": neighbours,
        "tables": {"persons": {"key": "id"}, "events": {"person": "id", "order": "day"}},
        "columns": columns,
    }
    ids = [str(k) for k in range(60)]
    events = {
        "id": rng.choice(ids[:20], 50),
        "day": rng.integers(0, 10, 50),
        "size": rng.integers(0, 1000, 50),
        "ward": [f"w{k}" for k in rng.integers(0, levels, 50)],
    }
    tables = {
        "persons": pa.table({"id": ids, "ill": rng.random(60) < 0.5}),
        "events": pa.table(events),
    }
    made = sf.publish(tables, schema=schema, epsilon=1, fit=False, records=9_000, seed=2, rows=300)
    assert made.tables["events"].num_rows
    assert all(column.null_count == 0 for column in made.tables["events"].columns)


@pytest.mark.parametrize(
    ("persons", "says", "paid"),
    [
        (200, "No table of two columns was measured", False),
        (10_000, "tables of some pairs of columns that were chosen", True),
        (10_000_000, "Tables of one and two columns are kept", True),
    ],
)
def test_the_limits_say_which_tables_were_measured(persons, says, paid):
    numbers = {f"n{k}": {"kind": "integer", "low": 0, "high": 99} for k in range(8)}
    schema = {"name": "t", "person": "id", "columns": {"id": {"kind": "id"}, **numbers}}
    plan = sf.price(schema | {"neighbours": "add-remove"}, epsilon=1, records=persons)
    assert says in plan.limits[0]
    assert ("two-way tables" in [event.statistic for event in plan.events]) == paid


def test_what_would_help_is_named_as_the_budget_was():
    schema = {
        "name": "t",
        "person": "id",
        "neighbours": "add-remove",
        "columns": {"id": {"kind": "id"}, "ill": {"kind": "boolean"}},
    }
    assert "a larger rho" in (sf.price(schema, rho="0.00001", records=300).doubt or "")
    assert "a larger epsilon" in (sf.price(schema, epsilon="0.01", records=300).doubt or "")
