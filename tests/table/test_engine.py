"""Engines: tasks that can be sent away, answers that can be merged, one file in order."""

import pickle
import threading
from itertools import chain

import numpy as np
import pyarrow as pa
import pytest

from kept_codes import KeptCodes
from sfumato.errors import DataError
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.table import engine as module
from sfumato.table import workers
from sfumato.table.engine import Local, engine_of
from sfumato.table.fingerprint import Tally
from sfumato.table.fold import FoldTask
from sfumato.table.records import Records
from sfumato.table.source import Inside, open_source
from sfumato.table.statistic import Rows

SECRET = "SECRET-4711"
COLUMNS = {"x": {"kind": "integer", "low": 0, "high": 99}, "ward": {"kind": "boolean"}}
DOMAIN = Domain.of(Schema.of({"name": "t", "columns": COLUMNS}))
TABLE = pa.table({"x": np.arange(40) * 3 % 100, "ward": np.arange(40) % 3 == 0})
KEY = b"k" * 32


class Pieces:
    """A source of several batches, which may break off."""

    kind, types, names = "arrow", {}, ["x", "ward"]

    def __init__(self, table=TABLE, size=7, error=None):
        self._batches, self._error = table.to_batches(max_chunksize=size), error

    def batches(self, columns):
        yield from (batch.select(list(columns)) for batch in self._batches)
        if self._error:
            raise self._error

    def has_rows(self, count):
        return sum(batch.num_rows for batch in self._batches) >= count


class Elsewhere(Local):
    """An engine that sends every task away as bytes, runs it twice, and merges by a tree."""

    def fold(self, columns, task):
        sent = pickle.dumps(task)
        batches = list(self.source.batches(columns))
        answers = [pickle.loads(sent)([batch]) for batch in batches for _ in range(2)][::2]
        while len(answers) > 1:
            pairs = [answers[k : k + 2] for k in range(0, len(answers), 2)]
            answers = [pickle.loads(sent).merged(pair) for pair in reversed(pairs)]
        return iter(answers)


def test_records_on_any_engine_give_the_same_totals_and_fingerprint():
    here, there = Records(Pieces(), DOMAIN, key=KEY), Records(Elsewhere(Pieces()), DOMAIN, key=KEY)
    assert here.fold(Rows()) == there.fold(Rows()) == 40
    assert sorted(here.fold(KeptCodes())) == sorted(there.fold(KeptCodes()))
    assert here.fingerprint() == there.fingerprint() is not None


def test_a_task_counts_records_inside_a_part_and_all_of_them():
    inside = Inside(1, np.array([False, True]))
    task = FoldTask(DOMAIN, (Rows(), KeptCodes()), (Rows(), Tally(KEY, DOMAIN)), inside)
    rows, kept, every, tallied = task.total(Local(Pieces()).fold(task.columns, task))
    assert (rows, every, tallied.rows) == (14, 40, 40)
    assert {code for _, code in kept} == {1}


def test_whatever_a_task_meets_comes_back_as_a_marker_without_a_value():
    task = FoldTask(DOMAIN, (Rows(),))
    wrong = pa.RecordBatch.from_pydict({"other": [SECRET]})
    for batches in (Pieces(error=ValueError(SECRET)).batches(["x", "ward"]), [wrong]):
        answer = task(batches)
        assert SECRET.encode() not in answer
        for failed in (answer, task.merged([task([]), answer])):
            with pytest.raises(DataError, match="could not be read to its end") as error:
                task.total([failed])
            assert error.value.__cause__ is error.value.__context__ is None


@pytest.mark.parametrize("most", [1, 2, 3])
def test_work_is_shared_out_and_every_item_is_seen_once(most, monkeypatch):
    monkeypatch.setattr(workers, "_cores", lambda: 3)
    found = workers.shared_out(list, range(1000), most)
    assert len(found) == most
    assert sorted(chain.from_iterable(found)) == list(range(1000))


def test_an_error_of_a_thread_or_of_the_items_is_raised_and_nobody_waits():
    before = set(threading.enumerate())

    def fails(items):
        next(items, None)  # the other thread may have ended it for all
        raise ValueError("in the work")

    def items():
        yield from range(50)
        raise ValueError("in the items")

    with pytest.raises(ValueError, match="in the work"):
        workers.shared_out(fails, iter(range(10**9)))
    with pytest.raises(ValueError, match="in the items"):
        workers.shared_out(sum, items())
    assert set(threading.enumerate()) <= before


def test_totals_that_are_large_have_few_threads(monkeypatch):
    monkeypatch.setattr(workers, "_cores", lambda: 4)
    monkeypatch.setattr(module, "_MOST_BYTES", 40)
    task = FoldTask(DOMAIN, (Tally(KEY, DOMAIN),))  # 16 bytes
    assert len(list(Local(Pieces()).fold(task.columns, task))) == 2


def test_what_runs_tasks_is_its_own_engine_and_all_else_runs_here():
    given = Elsewhere(Pieces())
    assert engine_of(given) is given
    local = engine_of(open_source(TABLE))
    assert isinstance(local, Local)
    assert (local.kind, list(local.names), local.has_rows(40)) == ("arrow", ["x", "ward"], True)
    assert set(local.types) == {"x", "ward"}
