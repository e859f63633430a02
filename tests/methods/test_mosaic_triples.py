"""Triples with a target: planned where they are worth it, bought, verified, and kept by records."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import sfumato as sf
from sfumato.errors import ReleaseError
from sfumato.inspection.audit.replay import RecordingPurse
from sfumato.methods import METHODS
from sfumato.methods.mosaic.steps import Steps
from sfumato.methods.mosaic.triple_shares import triples_for
from sfumato.privacy.budget import budget
from sfumato.privacy.guarantee import ZCDP, compose
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.synopsis.tables import Layout, MosaicSynopsis
from sfumato.table.records import Records
from sfumato.table.source import open_source

LEVEL = {"kind": "category", "values": ["a", "b", "c", "d"]}
COLUMNS = {
    "left": LEVEL,
    "right": LEVEL,
    "size": {"kind": "number", "low": 0, "high": 1},
    "dose": {"kind": "integer", "low": 0, "high": 99, "role": "target", "missing": "allowed"},
}
DOSE = 3
PLAIN_DOSE = {name: fact for name, fact in COLUMNS["dose"].items() if name != "role"}


def schema(columns=COLUMNS, neighbours="replace-one"):
    return {"name": "t", "neighbours": neighbours, "columns": columns}


def people(rows, seed=0):
    """The dose is high where exactly one of two letters is an a or a b: no pair shows it."""
    rng = np.random.default_rng(seed)
    left, right = rng.integers(0, 4, (2, rows))
    high = (left < 2) != (right < 2)
    dose = np.clip(rng.normal(np.where(high, 75, 25), 10), 0, 99).astype(int)
    letters = np.array(LEVEL["values"])
    return pa.table(
        {
            "left": letters[left],
            "right": letters[right],
            "size": rng.random(rows),
            "dose": pa.array(dose, mask=rng.random(rows) < 0.05),
        }
    )


def measured(rows=3_000, neighbours="replace-one", rho=10, records=30_000):
    """Three triples are possible: two are chosen where `records` are few, else all are taken."""
    domain = Domain.of(Schema.of(schema(neighbours=neighbours)))
    plan = METHODS["mosaic"].plan(domain, ZCDP(rho), records)
    purse = RecordingPurse(plan.guarantee)
    return plan, plan.measure(Records(open_source(people(rows)), domain), purse), purse


def apart(table):
    """How much higher the dose is where exactly one letter is an a or a b."""
    one, two = (pc.is_in(table[c].cast("string"), pa.array(["a", "b"])) for c in ("left", "right"))
    high, dose = pc.xor(one, two), pc.cast(table["dose"], "float64")
    means = [pc.mean(dose.filter(rows)).as_py() for rows in (high, pc.invert(high))]
    return means[0] - means[1]


@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
@pytest.mark.parametrize(("rho", "records"), [("0.1", 5_000), (1, 30_000), (100, 30_000)])
def test_triples_are_bought_as_planned_and_all_steps_cost_the_budget(neighbours, rho, records):
    plan, synopsis, purse = measured(300, neighbours, rho, records)
    names = [event.statistic for event in plan.events]
    # Where all are taken there is nothing to choose, and no choice is paid for.
    choice = ["triples to measure"] if records < 30_000 else []
    assert names[names.index("two-way tables") + 1 :] == [*choice, "three-way tables"]
    assert len(synopsis.triples.tables) == (2 if choice else 3)
    rho = float(rho)
    assert tuple(purse.events) == plan.events
    assert purse.complete
    assert 0.999 * rho < compose(*(event.cost for event in plan.events)).rho <= rho
    assert plan.rounds == ()  # which triples there are is not known before records are seen
    assert set(synopsis.triples.tables) <= {(0, 1), (0, 2), (1, 2)}


def test_no_triples_are_bought_where_there_is_no_number_to_predict_or_too_much_noise():
    plain = {**COLUMNS, "dose": PLAIN_DOSE}
    labelled = {**COLUMNS, "left": {**LEVEL, "role": "label"}}
    category = {**plain, "left": {**LEVEL, "role": "target"}}
    few = {name: COLUMNS[name] for name in ("left", "dose")}
    for columns, asked, revision in (
        (plain, {"rho": 10}, 2),
        (labelled, {"rho": 10}, 2),
        (category, {"rho": 10}, 2),
        (few, {"rho": 10}, 2),
        (COLUMNS, {"rho": 10}, 1),
        (COLUMNS, {"rho": "1e-6"}, 2),
        (COLUMNS, {"epsilon": 10}, 2),
    ):
        what = Steps(Domain.of(Schema.of(schema(columns))), budget(**asked), 30_000, revision)
        assert what.division.triples == 0, asked
        assert "three-way tables" not in [event.statistic for event in what.events]
    what = Steps(Domain.of(Schema.of(schema())), budget(rho=10), 30_000)
    assert what.division.triples == 3


def test_shares_grow_with_what_is_clear_and_pairs_keep_most():
    every = [triples_for(clear, 12, 100) for clear in np.geomspace(10, 1e6, 200)]
    shares = [float(one.share) for one in every]
    assert shares == sorted(shares)
    assert shares[0] == 0
    assert max(shares) <= 0.2
    assert [one.chosen for one in every] == sorted(one.chosen for one in every)
    assert every[-1].chosen == 55
    assert triples_for(1e6, 12, 2_000).chosen == 0  # counts in bands would be too many


@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
def test_a_synopsis_with_triples_comes_back_from_its_file_as_it_was(neighbours):
    plan, synopsis, _ = measured(300, neighbours)
    paper = json.loads(json.dumps(synopsis.to_json(), sort_keys=True))
    again = MosaicSynopsis.from_json(paper, Layout.of(plan.domain))
    assert again.to_json() == synopsis.to_json()
    assert again.triples.target == DOSE
    if neighbours == "add-remove":
        assert plan.recount(paper) == plan.events


def _swapped(paper):
    paper["triples"][0]["columns"] = [1, 0]


def _finer(paper):
    """A band for each bin, with tables to it."""
    bins = len(paper["bands"])
    assert bins > 7
    paper["bands"] = list(range(bins))
    for triple in paper["triples"]:
        triple["counts"] = (triple["counts"] * bins)[:bins]


SPOILT = {
    "no triples": lambda paper: [paper.pop(name) for name in ("bands", "triples")],
    "no bands": lambda paper: paper.pop("bands"),
    "a triple less": lambda paper: paper["triples"].pop(),
    "a triple twice": lambda paper: paper["triples"].append(paper["triples"][0]),
    "a triple with the target": lambda paper: paper["triples"][0].update(columns=[0, DOSE]),
    "a triple of no columns": lambda paper: paper["triples"][0].update(columns=[0, 9]),
    "columns in reverse": _swapped,
    "all of them in another order": lambda paper: paper["triples"].reverse(),
    "more about a triple": lambda paper: paper["triples"][0].update(note="more"),
    "another table": lambda paper: paper["triples"][0]["counts"].pop(),
    "bands in reverse": lambda paper: paper["bands"].reverse(),
    "bands of other bins": lambda paper: paper["bands"].append(paper["bands"][-1]),
    "a band for each bin": lambda paper: paper.update(bands=list(range(len(paper["bands"])))),
    "more bands than there may be": _finer,
    "missing in a band": lambda paper: paper["bands"].__setitem__(-1, paper["bands"][-2]),
    "true for a count": lambda paper: paper["triples"][0]["counts"][0][0].__setitem__(0, True),
}


@pytest.fixture(scope="module")
def sound():
    plan, synopsis, _ = measured(300, "add-remove", 100)
    assert len(synopsis.triples.tables) == 3
    return plan, json.dumps(synopsis.to_json())


@pytest.mark.parametrize("name", SPOILT)
def test_triples_that_cannot_be_of_their_plan_are_refused(name, sound):
    plan, text = sound
    assert plan.recount(json.loads(text)) == plan.events
    paper = json.loads(text)
    SPOILT[name](paper)
    assert json.dumps(paper) != text
    with pytest.raises(ReleaseError, match="synopsis"):
        plan.recount(paper)


def test_triples_are_refused_where_none_were_planned(sound):
    _, text = sound
    plain = {**COLUMNS, "dose": PLAIN_DOSE}
    domain = Domain.of(Schema.of(schema(plain, "add-remove")))
    with pytest.raises(ReleaseError, match="synopsis"):
        METHODS["mosaic"].plan(domain, ZCDP(100), 30_000).recount(json.loads(text))


def test_records_of_a_release_have_what_no_pair_shows_and_it_verifies(tmp_path):
    table = people(3_000)
    assert apart(table) > 45
    release = sf.publish(table, schema=schema(), rho=10, seed=1, folder=tmp_path / "r")
    assert apart(release.data) > 35
    assert all(check.passed for check in sf.verify(tmp_path / "r"))


def test_without_triples_records_have_little_of_it():
    release = sf.publish(people(3_000), schema=schema(), rho=10, seed=1, revision=1)
    assert apart(release.data) < 20


def test_a_release_of_some_records_keeps_most_of_it_among_them():
    where = "left=a,size=0..0.5"
    release = sf.publish(people(3_000), schema=schema(), rho=10, seed=1, where=where)
    assert set(release.data["left"].to_pylist()) == {"a"}
    assert apart(release.data) > 25
