"""Rows in parts: the same whoever draws them, in whatever order, however often."""

import pickle

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SeededBits
from sfumato.publishing.row_stream import hashed_rows
from sfumato.publishing.table import price
from sfumato.render import drawing as module
from sfumato.render.drawing import BATCH_ROWS, Drawing
from sfumato.schema import Schema
from sfumato.table.records import Records
from sfumato.table.source import open_source

CLINIC = Schema.parse(sf.example.CLINIC)
RULED = Schema.of(
    {
        "name": "t",
        "columns": {n: {"kind": "integer", "low": 0, "high": 9} for n in "ab"},
        "constraints": ["a < b"],
    }
)


def uniform(start, count, rng):
    return pa.RecordBatch.from_pydict(
        {"row": np.arange(start, start + count), "u": rng.random(count)}
    )


def rendered(schema, table, rows, seed=1, **asked):
    """What a method draws from a seeded measurement."""
    plan = price(schema, epsilon=1, fit=False, **asked)
    plan = plan if plan.sized is None else plan.sized(table.num_rows)
    purse = Purse(plan.guarantee, SeededBits(seed))
    synopsis = plan.measure(Records(open_source(table), plan.domain), purse)
    return plan.render(synopsis, rows, np.random.default_rng(seed))


def test_parts_have_as_many_rows_as_a_batch_but_for_the_last():
    drawn = Drawing(uniform, 2 * BATCH_ROWS + 3, 5)
    assert [batch.num_rows for batch in drawn] == [BATCH_ROWS, BATCH_ROWS, 3]
    assert (Drawing(uniform, BATCH_ROWS, 5).parts, Drawing(uniform, 0, 5).parts) == (1, 0)
    assert list(Drawing(uniform, 0, 5)) == []
    assert drawn(1)["row"][0].as_py() == BATCH_ROWS


def test_a_part_depends_on_the_seed_and_its_number_alone():
    drawn = Drawing(uniform, 10 * BATCH_ROWS, 5)
    assert drawn(7).equals(drawn(7))
    assert drawn(7).equals(Drawing(uniform, 8 * BATCH_ROWS, 5)(7))  # nor on how many there are
    parts = [drawn(3)["u"], drawn(4)["u"], Drawing(uniform, 10 * BATCH_ROWS, 6)(3)["u"]]
    assert len({part[0].as_py() for part in parts}) == 3


def test_a_generator_gives_a_drawing_its_seed():
    first, again, other = (Drawing.of(uniform, 9, np.random.default_rng(s)) for s in (1, 1, 2))
    assert first.seed == again.seed != other.seed
    assert first.seed >= 2**64  # not few of them


@pytest.mark.parametrize("threads", [1, 3])
def test_threads_change_nothing(threads, monkeypatch):
    monkeypatch.setattr("sfumato.table.workers._cores", lambda: threads)
    drawn = Drawing(uniform, 5 * BATCH_ROWS + 1, 5)
    told = []
    found = [rows.batch for rows in hashed_rows(drawn, told.append)]
    assert pa.Table.from_batches(found).equals(pa.Table.from_batches(drawn))
    assert told == [BATCH_ROWS] * 5 + [1]


@pytest.mark.parametrize("model", ["latent", "forest"])
def test_mosaic_draws_the_same_part_after_a_pickle(model, monkeypatch):
    monkeypatch.setattr(module, "BATCH_ROWS", 100)
    drawn = rendered(CLINIC, sf.example.clinic(300), 250, model=model)
    sent = pickle.loads(pickle.dumps(drawn))
    assert [sent(k).num_rows for k in (2, 0, 1)] == [50, 100, 100]
    for k in (2, 1, 0, 1):
        assert sent(k).equals(drawn(k))
    assert len(pickle.dumps(drawn)) < 2**20


def test_rules_are_kept_within_each_part(monkeypatch):
    """One draw in two breaks the rule: every part is drawn until it is full."""
    monkeypatch.setattr(module, "BATCH_ROWS", 50)
    low = np.arange(300) % 9
    drawn = rendered(RULED, pa.table({"a": low, "b": low + 1}), 120)
    assert [drawn(k).num_rows for k in range(drawn.parts)] == [50, 50, 20]
    for batch in drawn:
        assert (batch["a"].to_numpy() < batch["b"].to_numpy()).all()
    assert drawn(1).equals(drawn(1))
