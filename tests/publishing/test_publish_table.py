"""Publishing: charged before reading, drawn before noise, whole or not at all, once."""

import gzip
import os
import shutil
import signal
import time

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from killing import CAN_TRACE, in_child, kill_at_every_change, kill_at_every_line
from ledger_world import forget_heads
from sfumato.errors import (
    BudgetError,
    DataError,
    ParameterError,
    Refused,
    ReleaseError,
    SchemaError,
)
from sfumato.example import CLINIC, clinic
from sfumato.ledger import Ledger
from sfumato.privacy.guarantee import PureDP
from sfumato.privacy.randomness import SystemBits
from sfumato.publishing import table as publishing
from sfumato.schema import Schema
from sfumato.table.engine import Local
from sfumato.table.source import Frame
from sfumato.table.text import TextFile

SCHEMA = Schema.parse(CLINIC)
PATIENTS = clinic(60)


@pytest.fixture
def ledger(tmp_path):
    with Ledger.create(tmp_path / "budget.db") as ledger:
        ledger.grant("clinic", PureDP(2), reason="test")
        yield ledger


def epsilon_spent(ledger):
    return ledger.balance("clinic").spent.micro_epsilon / 1e6


def test_a_release_is_charged_once_and_settled(ledger, tmp_path):
    release = sf.publish(PATIENTS, schema=SCHEMA, epsilon=1, ledger=ledger, folder=tmp_path / "r")
    entry = ledger.entry(release.certificate.release)
    assert entry.state == "released"
    assert epsilon_spent(ledger) == 1
    assert all(check.passed for check in sf.verify(tmp_path / "r", ledger=ledger))


def test_the_same_id_returns_the_stored_release_without_a_second_charge(ledger, tmp_path):
    given = {"schema": SCHEMA, "epsilon": 1, "ledger": ledger, "release": "autumn"}
    first = sf.publish(PATIENTS, folder=tmp_path / "r", **given)
    second = sf.publish(PATIENTS, folder=tmp_path / "r", **given)
    assert second.table.equals(first.table)
    assert epsilon_spent(ledger) == 1
    with pytest.raises(ReleaseError, match="never drawn twice"):
        sf.publish(PATIENTS, folder=tmp_path / "other", **given)
    with pytest.raises(ReleaseError, match="other settings"):
        sf.publish(PATIENTS, folder=tmp_path / "r", **(given | {"epsilon": "0.5"}))
    assert epsilon_spent(ledger) == 1


def test_an_exhausted_budget_is_refused_and_nothing_is_written(ledger, tmp_path):
    for name in "ab":
        sf.publish(PATIENTS, schema=SCHEMA, epsilon=1, ledger=ledger, folder=tmp_path / name)
    with pytest.raises(BudgetError, match="clinic"):
        sf.publish(PATIENTS, schema=SCHEMA, epsilon="1e-6", ledger=ledger, folder=tmp_path / "c")
    assert not list(tmp_path.glob("*c*"))


def test_nothing_but_the_header_is_read_before_the_charge_is_on_disk(ledger, monkeypatch, tmp_path):
    seen = []
    batches, words = Local.batches, SystemBits.words

    def reading(self, columns):
        seen.append(("read", Ledger(tmp_path / "budget.db").unfinished()[0].state))
        return batches(self, columns)

    def drawing(self, count):
        drawn = words(self, count)
        seen.append(("draw", Ledger(tmp_path / "budget.db").unfinished()[0].state))
        return drawn

    monkeypatch.setattr(Local, "batches", reading)
    monkeypatch.setattr(SystemBits, "words", drawing)
    sf.publish(PATIENTS, schema=SCHEMA, epsilon=1, ledger=ledger)
    assert seen[0] == ("read", "reserved")
    # Bins that earlier noise decides are unions of bins that were counted: there is one pass.
    assert set(seen[1:]) == {("draw", "drawn")}


def test_renaming_the_data_set_does_not_renew_its_budget(ledger, tmp_path):
    sf.publish(PATIENTS, schema=SCHEMA, epsilon=1, ledger=ledger)
    ledger.grant("clinic two", PureDP(2), reason="test")
    renamed = SCHEMA.model_copy(update={"name": "clinic two"})
    pq.write_table(PATIENTS.take(pa.array(np.arange(60)[::-1])), tmp_path / "other.parquet")
    with pytest.raises(BudgetError, match="already known as 'clinic'"):
        sf.publish(tmp_path / "other.parquet", schema=renamed, epsilon=1, ledger=ledger)
    with pytest.raises(BudgetError, match="already known as 'clinic'"):
        sf.publish(PATIENTS, schema=renamed, method="identity-laplace", epsilon=1, ledger=ledger)


def test_a_seeded_run_is_refused_by_the_ledger(ledger):
    with pytest.raises(ParameterError, match="seeded"):
        sf.publish(PATIENTS, schema=SCHEMA, epsilon=1, ledger=ledger, seed=1)
    assert epsilon_spent(ledger) == 0


def test_a_file_that_breaks_off_stays_charged_and_says_how_to_refund(ledger, tmp_path):
    path = tmp_path / "c.parquet"
    pq.write_table(clinic(5_000), path)
    spoilt = bytearray(path.read_bytes())
    spoilt[20_000:40_000] = bytes(20_000)  # data pages; the footer is whole
    path.write_bytes(spoilt)
    with pytest.raises(DataError, match="sfumato ledger refund") as refusal:
        sf.publish(path, schema=SCHEMA, epsilon=1, ledger=ledger, folder=tmp_path / "r")
    assert epsilon_spent(ledger) == 1
    assert not list(tmp_path.glob("*r*partial*"))
    (open_entry,) = ledger.unfinished("clinic")
    assert open_entry.release in str(refusal.value)
    ledger.refund(open_entry.release, reason="the file was damaged")
    assert epsilon_spent(ledger) == 0


def test_a_half_written_text_file_is_refused_before_the_charge(ledger, tmp_path):
    pacsv.write_csv(clinic(2_000), tmp_path / "c.csv")
    whole = gzip.compress((tmp_path / "c.csv").read_bytes())
    (tmp_path / "c.csv.gz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match="damaged or half-written"):
        sf.publish(tmp_path / "c.csv.gz", schema=SCHEMA, epsilon=1, ledger=ledger)
    assert epsilon_spent(ledger) == 0


BAD = {
    "epsilon 0": ({"epsilon": 0}, ParameterError, "epsilon"),
    "epsilon negative": ({"epsilon": -1}, ParameterError, "epsilon"),
    "epsilon nan": ({"epsilon": float("nan")}, ParameterError, "epsilon"),
    "epsilon infinite": ({"epsilon": float("inf")}, ParameterError, "epsilon"),
    "epsilon text": ({"epsilon": "lots"}, ParameterError, "epsilon"),
    "no budget": ({"epsilon": None}, ParameterError, "budget"),
    "delta 1": ({"delta": 1}, ParameterError, "delta"),
    "delta negative": ({"delta": -1e-9}, ParameterError, "delta"),
    "both currencies": ({"rho": 1}, ParameterError, "not both"),
    "unknown method": ({"method": "magic"}, ParameterError, "modips"),
    "unknown option": ({"colour": "red"}, ParameterError, "colour"),
    "rows negative": ({"rows": -1}, ParameterError, "rows"),
    "rows beyond any table": ({"rows": 2**40 + 1}, ParameterError, "rows must be from 0 to"),
    "rows beyond any float": ({"rows": 10**400}, ParameterError, "rows must be from 0 to"),
    "rows beyond printing": ({"rows": -(10**5000)}, ParameterError, "rows must be from 0 to"),
    "rows by halves": ({"rows": 2.5}, ParameterError, "rows must be a whole number, got 2.5"),
    "rows for identity": ({"method": "identity-laplace", "rows": 3}, ParameterError, "rows"),
    "delta for identity": ({"method": "identity-laplace", "delta": "1e-9"}, ParameterError, "pure"),
    "no rows": ({"data": PATIENTS.slice(0, 0)}, DataError, "fewer than two"),
    "one row": ({"data": PATIENTS.slice(0, 1)}, DataError, "fewer than two"),
    "missing column": ({"data": PATIENTS.drop_columns(["age"])}, DataError, "age"),
    "extra column": (
        {"data": PATIENTS.append_column("zip", pa.array(["1"] * 60))},
        DataError,
        "zip.*declare it",
    ),
    "no such file": ({"data": "nowhere.csv"}, DataError, "does not exist"),
    "not a table": ({"data": 7}, DataError, "int"),
    "no such schema": ({"schema": "nowhere.yaml"}, SchemaError, "nowhere"),
    "label of one level": (
        {
            "schema": {
                "name": "t",
                "columns": {"a": {"kind": "category", "values": ["x"], "role": "label"}},
            }
        },
        SchemaError,
        "two values",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused_in_one_line_before_anything_is_charged_or_written(
    name, ledger, tmp_path
):
    changes, kind, words = BAD[name]
    given = {"data": PATIENTS, "schema": SCHEMA, "epsilon": 1, "ledger": ledger} | changes
    before = sorted(path.name for path in tmp_path.iterdir())
    with pytest.raises(kind, match=words) as refusal:
        sf.publish(given.pop("data"), folder=tmp_path / "r", **given)
    assert isinstance(refusal.value, Refused)
    assert "\n" not in str(refusal.value)
    assert epsilon_spent(ledger) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_a_folder_that_exists_or_cannot_be_written_is_refused_before_the_charge(ledger, tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "file").write_text("mine")
    for place in (
        tmp_path / "there",
        tmp_path / "file",
        tmp_path / "file" / "r",
        tmp_path / "no" / "r",
    ):
        with pytest.raises(ReleaseError, match=r"there|file|no"):
            sf.publish(PATIENTS, schema=SCHEMA, epsilon=1, ledger=ledger, folder=place)
    assert epsilon_spent(ledger) == 0
    assert (tmp_path / "file").read_text() == "mine"


def test_control_c_leaves_nothing_half_written(ledger, tmp_path):
    def stop(phase, rows):
        if phase == "write":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sf.publish(
            PATIENTS, schema=SCHEMA, epsilon=1, ledger=ledger, folder=tmp_path / "r", progress=stop
        )
    assert not list(tmp_path.glob("*r*partial*"))
    assert not (tmp_path / "r").exists()
    assert epsilon_spent(ledger) == 1  # the noise was drawn: the charge stays


class Killed:
    """One publish, to be killed anywhere, and what must hold wherever it was."""

    def __init__(self, home):
        self.home, self.place, self.seen = home, home / "work", set()

    def prepare(self):
        shutil.rmtree(self.place, ignore_errors=True)
        forget_heads()
        self.place.mkdir()
        with Ledger.create(self.place / "budget.db") as ledger:
            ledger.grant("clinic", PureDP(2), reason="test")

    def publish(self):
        return sf.publish(
            PATIENTS,
            schema=SCHEMA,
            epsilon=1,
            ledger=Ledger(self.place / "budget.db"),
            folder=self.place / "release",
            model="forest",  # because there are many tries
        )

    def check(self, k):
        folder = self.place / "release"
        with Ledger(self.place / "budget.db") as ledger:
            ledger.verify()
            spent = epsilon_spent(ledger)
            entries = ledger.unfinished("clinic")
            if folder.exists():
                checks = {check.name: check.passed for check in sf.verify(folder)}
                assert all(checks.values()), checks
                assert spent == 1
                assert all(entry.state == "drawn" for entry in entries)
            visible = {p.name for p in self.place.iterdir() if not p.name.startswith(".")}
            assert visible <= {"budget.db", "budget.db.key", "budget.db-journal", "release"}
            assert len(entries) <= 1
            assert spent >= len(entries)
        existed, before = folder.exists(), _data(folder)
        states = *(entry.state for entry in entries), existed
        left = spent, states, len([*self.place.rglob("*")])
        if left in self.seen:  # what comes of it was tried
            return
        self.seen.add(left)
        again = self.publish()
        with Ledger(self.place / "budget.db") as ledger:
            ledger.verify()
            # A folder that had appeared is recognised, not drawn again; else a new charge is made.
            assert epsilon_spent(ledger) == (spent if existed else spent + 1)
            assert ledger.entry(again.certificate.release).state == "released"
        assert all(check.passed for check in sf.verify(folder))
        assert not existed or _data(folder) == before
        assert not [p for p in self.place.iterdir() if "partial" in p.name]


def _data(folder):
    return (folder / "data.csv").read_bytes() if folder.exists() else None


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.long
def test_killed_at_a_line_of_publishing_spent_is_never_below_released(tmp_path):
    work = Killed(tmp_path)
    files = ("sfumato/publishing/table.py", "release/folder.py")
    survived = kill_at_every_line(work.publish, files, work.check, work.prepare, stride=29)
    assert survived > 80


@pytest.mark.slow
@pytest.mark.skipif(not CAN_TRACE, reason="needs ptrace on Linux x86-64")
def test_killed_anywhere_spent_is_never_below_released(tmp_path, state_folder):
    work = Killed(tmp_path)
    within = tmp_path, state_folder
    assert kill_at_every_change(work.publish, work.check, work.prepare, within) > 15


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_disk_that_fills_up_leaves_no_release_and_a_readable_ledger(tmp_path):
    import resource

    work = Killed(tmp_path)
    work.prepare()

    def small_disk():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, 2_000))
        with pytest.raises(Refused):
            work.publish()

    assert in_child(small_disk) == 0
    assert not (work.place / "release").exists()
    with Ledger(work.place / "budget.db") as ledger:
        ledger.verify()


def test_a_release_does_not_depend_on_the_clock(ledger, monkeypatch, tmp_path):
    monkeypatch.setattr(time, "time", lambda: 0.0)
    sf.publish(PATIENTS, schema=SCHEMA, epsilon=1, ledger=ledger, folder=tmp_path / "a")
    monkeypatch.setattr(time, "time", lambda: 4e9)
    sf.publish(PATIENTS, schema=SCHEMA, epsilon=1, ledger=ledger, folder=tmp_path / "b")
    with pytest.raises(BudgetError):
        sf.publish(PATIENTS, schema=SCHEMA, epsilon=1, ledger=ledger, folder=tmp_path / "c")


@pytest.mark.slow
def test_under_add_remove_the_number_of_rows_is_noisy():
    """T16: nothing in the release equals the number of records but by chance."""
    known = SCHEMA.model_copy(update={"neighbours": "add-remove"})
    patients = clinic(1_000)
    found = {sf.publish(patients, schema=known, epsilon=1).certificate.rows for _ in range(5)}
    assert len(found) > 1
    assert all(abs(rows - 1_000) < 4_000 for rows in found)
    assert sf.publish(patients, schema=SCHEMA, epsilon=1).certificate.rows == 1_000


CLASSES = [f"c{k}" for k in range(16)]
SPREAD = {  # sixteen classes by twelve cells: noise adds up
    "name": "clinic",
    "neighbours": "add-remove",
    "columns": {
        "kind": {"kind": "category", "values": CLASSES, "role": "label"},
        "level": {"kind": "category", "values": CLASSES[:12]},
    },
}


@pytest.mark.parametrize("asked", [{"epsilon": "8e-6"}, {"rho": "3e-11"}], ids=str)
def test_noise_on_the_number_of_rows_counts_every_cell_that_is_added_up(asked, ledger):
    event = sf.price(SPREAD, **asked).measured[0]
    assert event.statistic == "one-way tables"
    assert float(event.noise) ** (1 if "epsilon" in asked else 0.5) < 200_000  # of one cell
    table = pa.table({"kind": CLASSES, "level": CLASSES[:12] + CLASSES[:4]})
    with pytest.raises(ParameterError, match="say how many rows to draw"):
        sf.publish(table, schema=SPREAD, ledger=ledger, **asked)
    assert ledger.unfinished() == []
    # The control: of two cells, and so much of the same noise, the sum is small enough.
    few = {"kind": {"kind": "boolean"}}
    plan = sf.price(SPREAD | {"columns": few}, **asked)
    assert plan.events == sf.price(SPREAD, **asked).events
    publishing.check_rows(None, plan)


@pytest.mark.parametrize("kind", ["pandas", "csv"])
def test_ids_are_not_read_even_to_count_the_records(kind, tmp_path, monkeypatch):
    asked = []
    batches = {"pandas": Frame.batches, "csv": TextFile.batches}[kind]

    def watched(self, columns):
        asked.extend(columns)
        return batches(self, columns)

    monkeypatch.setattr(Frame if kind == "pandas" else TextFile, "batches", watched)
    columns = {"patient": {"kind": "id"}, "smoker": {"kind": "boolean"}}
    table = pa.table({"patient": ["p", "q", "r"], "smoker": [True, False, True]})
    pacsv.write_csv(table, tmp_path / "c.csv")
    data = table.to_pandas() if kind == "pandas" else tmp_path / "c.csv"
    release = sf.publish(data, schema={"name": "t", "columns": columns}, epsilon=1)
    assert release.certificate.options["records"] == 3
    assert set(asked) == {"smoker"}


def test_rows_can_be_asked_for():
    assert sf.publish(PATIENTS, schema=SCHEMA, epsilon=1, rows=7).data.num_rows == 7
    assert sf.publish(PATIENTS, schema=SCHEMA, epsilon=1, rows=0).data.num_rows == 0


def test_the_public_names_are_exactly_those_announced():
    assert {name for name in sf.__all__ if hasattr(sf, name)} == set(sf.__all__)
    assert sf.publish is publishing.publish
    with pytest.raises(AttributeError):
        sf.no_such_name  # noqa: B018  the look-up is the test
