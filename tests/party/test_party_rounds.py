"""Later rounds: the same records, counted where the first round was."""

import json

import numpy as np
import pyarrow as pa
import pytest

from party_world import NAMES, World, schema, table
from sfumato import party
from sfumato.errors import PartyError
from sfumato.ledger import Ledger
from sfumato.ledger.kept_head import note_file
from sfumato.methods.mosaic.steps import Steps
from sfumato.privacy.guarantee import ZCDP
from sfumato.publishing.verify import verify
from sfumato.synopsis.bins import Merged, Partition

MOSAIC = {"method": "mosaic", "schema": schema("add-remove"), "epsilon": None, "rho": "1/10"}


def ledger_at(path):
    made = Ledger.create(path)
    made.grant("study", ZCDP(1), reason="approved")
    return made


@pytest.fixture
def world(tmp_path):
    return World(tmp_path, **MOSAIC).joined()


@pytest.fixture
def ledger(tmp_path):
    with ledger_at(tmp_path / "north.db") as made:
        yield made


def opened(world, ledger=None):
    """The first round is over; north may have charged it."""
    world.contribute("north", seeds={}, ledger=ledger)
    return world.contribute("south", "west", seeds={}).open()


def second(world, **more):
    return party.contribute(world.exchange, world.state("north"), world.tables["north"], **more)


def refused(world, said, **more):
    before = world.state("north").read_bytes()
    with pytest.raises(PartyError, match=said):
        second(world, **more)
    assert world.state("north").read_bytes() == before
    assert not (world.folder / "north.contribution-2.json").exists()


def test_both_rounds_are_one_charge_and_one_release(world, ledger):
    opened(world, ledger)
    assert ledger.entry("study-1").state == "drawn"
    made = second(world, ledger=ledger)
    assert (made.round, made.charged) == (2, False)
    assert ledger.entry("study-1").state == "released"
    assert ledger.balance("study").spent == ledger.entry("study-1").charge


@pytest.mark.parametrize("counted", [True, False])
def test_other_records_than_those_of_the_first_round_are_refused(world, ledger, counted):
    used = ledger if counted else None
    opened(world, used)
    world.tables["north"] = world.tables["west"]
    refused(world, "not the records of the first round", ledger=used)


def test_the_same_records_in_another_order_are_the_same(world):
    opened(world)
    rows = world.tables["north"]
    world.tables["north"] = rows.take(list(range(rows.num_rows))[::-1])
    assert second(world).round == 2


def test_a_first_round_that_was_charged_is_followed_with_its_ledger(world, ledger, tmp_path):
    opened(world, ledger)
    refused(world, "give the same one with --ledger")
    with ledger_at(tmp_path / "other.db") as other:
        refused(world, "charged to another ledger", ledger=other)
        assert other.entry("study-1") is None


def test_a_ledger_that_was_put_back_does_not_hold_the_first_round(world, tmp_path):
    kept = tmp_path / "kept.db"
    ledger_at(tmp_path / "own.db").close()
    kept.write_bytes((tmp_path / "own.db").read_bytes())
    with Ledger(tmp_path / "own.db") as own:
        opened(world, own)
        note_file(own.ledger_id).unlink()  # as on another computer
    with Ledger(kept) as old:
        refused(world, "does not hold the first round as drawn", ledger=old)


def test_a_first_round_without_a_ledger_is_not_charged_later(world, ledger):
    opened(world)
    refused(world, "No ledger counts this release", ledger=ledger)
    assert ledger.entry("study-1") is None


def test_bins_are_compared_and_not_only_how_many_there_are(world, monkeypatch):
    world.tables = {name: table(k, rows=5_000) for k, name in enumerate(NAMES)}
    world.contribute().open().contribute("north")
    real = Steps._bins_found

    def moved(self, first):
        """One edge elsewhere, as another version of numpy might round it."""
        found, partition = real(self, first)
        [k] = [k for k, c in enumerate(partition.columns) if c.bins < c.fine.bins]
        group = partition.columns[k].group.copy()
        edge = int(np.flatnonzero(np.diff(group))[0])
        group[edge + 1] = group[edge]
        columns = list(partition.columns)
        columns[k] = Merged(columns[k].fine, group)
        return found, Partition(tuple(columns), partition.label, partition.classes)

    monkeypatch.setattr(Steps, "_bins_found", moved)
    world.contribute("south")
    with pytest.raises(PartyError, match="different lengths or bins"):
        world.open("north")
    files = [world.folder / f"{name}.contribution-2.json" for name in ("north", "south")]
    north, south = (json.loads(file.read_text()) for file in files)
    assert north["lengths"] == south["lengths"]


def test_numbers_with_many_codes_may_be_missing(tmp_path):
    columns = {
        "dose": {"kind": "integer", "low": 0, "high": 2000, "missing": "allowed"},
        "ill": {"kind": "boolean"},
    }
    said = {"schema": schema("add-remove", columns), "method": "mosaic", "records": 1_000_000}
    said |= {"model": "forest"}  # which is drawn from sooner
    world = World(tmp_path, **said).joined()
    codes = [event.statistic for event in world.exchange.agreement.plan.events]
    assert "code tables" in codes
    doses, ill = pa.array([None, 7] * 20, pa.int64()), [True, False] * 20
    world.tables = dict.fromkeys(NAMES, pa.table({"dose": doses, "ill": ill}))
    world.contribute().open().contribute().open()
    assert world.combined(rows=5).table.num_rows == 5


def test_a_state_that_says_nothing_of_the_first_round_is_refused(world):
    opened(world)
    state = json.loads(world.state("north").read_text())
    world.state("north").write_text(json.dumps(state | {"first": None}))
    refused(world, "does not say what the first round was about")


def test_the_certificate_of_two_rounds_tells_its_agreement(tmp_path):
    world = World(tmp_path, **MOSAIC, records="3000", where="ward=a").joined()
    world.contribute().open().contribute().open()
    world.combined(folder=tmp_path / "release")
    assert all(check.passed for check in verify(tmp_path / "release"))


def test_a_test_run_stays_one(world):
    opened(world)
    refused(world, "one round is a test run", seed=1)


def test_a_file_that_is_written_again_settles_nothing_of_another_agreement(world, ledger, tmp_path):
    second_release = World(tmp_path / "other", release="study-1", epsilon="1/100").joined()
    ledger.reserve("study-1", "study", ZCDP("1/10"), plan="c0ffee00", protects="x")
    ledger.draw("study-1", None)
    second_release.contribute("north", seeds={})
    party.contribute(
        second_release.exchange,
        second_release.state("north"),
        second_release.tables["north"],
        ledger=ledger,
    )
    assert ledger.entry("study-1").state == "drawn"
