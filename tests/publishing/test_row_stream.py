"""Rows on their way out: drawn and hashed by threads, in their order, and none left behind."""

import threading

import numpy as np
import pyarrow as pa
import pytest

from sfumato.publishing.row_stream import hashed_rows
from sfumato.release.content import Content, leaf_digest
from sfumato.render.drawing import BATCH_ROWS, Drawing


def uniform(start, count, rng):
    """A model of rows that know their number."""
    return pa.record_batch({"row": np.arange(start, start + count), "u": rng.random(count)})


@pytest.fixture(params=[1, 3])
def threads(request, monkeypatch):
    monkeypatch.setattr("sfumato.table.workers._cores", lambda: request.param)


@pytest.mark.usefixtures("threads")
def test_threads_change_nothing():
    drawn, told, content = Drawing(uniform, 5 * BATCH_ROWS + 1, 5), [], Content()
    found = list(hashed_rows(drawn, told.append))
    assert pa.Table.from_batches([rows.batch for rows in found]) == pa.Table.from_batches(drawn)
    assert told == [BATCH_ROWS] * 5 + [1]
    assert [rows.digest for rows in found] == [*(leaf_digest(drawn(k)) for k in range(5)), None]
    for rows in found:
        content.update(rows)
    plain = Content()
    for batch in drawn:
        plain.update(batch)
    assert content.hexdigest() == plain.hexdigest()


def test_no_thread_outlives_a_stream_that_is_given_up(monkeypatch):
    monkeypatch.setattr("sfumato.table.workers._cores", lambda: 3)
    before = threading.active_count()
    rows = hashed_rows(Drawing(uniform, 50 * BATCH_ROWS, 5))
    next(rows)
    assert threading.active_count() > before
    rows.close()
    assert threading.active_count() == before


@pytest.mark.usefixtures("threads")
def test_what_a_model_raises_comes_out(monkeypatch):
    def broken(start, count, rng):
        if start:
            raise ZeroDivisionError("here")
        return uniform(start, count, rng)

    with pytest.raises(ZeroDivisionError, match="here"):
        list(hashed_rows(Drawing(broken, 3 * BATCH_ROWS, 5)))


def test_rows_that_are_not_drawn_come_as_they_are_in_the_types_asked_for():
    texts = pa.array(["a", "b"]).dictionary_encode()
    batch = pa.RecordBatch.from_arrays([texts], names=["t"])
    columns = pa.schema([pa.field("t", pa.string(), nullable=False)])
    (found,) = hashed_rows(iter([batch]), columns=columns)
    assert found.batch.schema == columns
    assert found.batch.to_pydict() == {"t": ["a", "b"]}
