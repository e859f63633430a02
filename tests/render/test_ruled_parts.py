"""Parts of a release that keeps rules, or copies few records: full, and the same again."""

import pickle

import numpy as np
import pyarrow as pa

from sfumato.plan.made_up import FLAT
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SeededBits
from sfumato.publishing.table import price
from sfumato.render import drawing
from sfumato.schema import Schema
from sfumato.table.records import Records
from sfumato.table.source import open_source

RULED = {
    "name": "t",
    "columns": {n: {"kind": "integer", "low": 0, "high": 9} for n in "ab"},
    "constraints": ["a < b"],
}


def rendered(schema, table, rows, **asked):
    """What a method draws from a seeded measurement."""
    plan = price(Schema.of(schema), epsilon=1, fit=False, **asked)
    purse = Purse(plan.guarantee, SeededBits(1))
    synopsis = plan.measure(Records(open_source(table), plan.domain), purse)
    return plan.render(synopsis, rows, np.random.default_rng(1))


def test_rules_are_kept_within_each_part(monkeypatch):
    """About every second draw breaks the rule: every part is drawn until it is full."""
    monkeypatch.setattr(drawing, "BATCH_ROWS", 50)
    low = np.arange(300) % 9
    drawn = rendered(RULED, pa.table({"a": low, "b": low + 1}), 120)
    assert [drawn(k).num_rows for k in range(drawn.parts)] == [50, 50, 20]
    for batch in drawn:
        assert (batch["a"].to_numpy() < batch["b"].to_numpy()).all()
    assert pickle.loads(pickle.dumps(drawn))(1).equals(drawn(1))


def test_copies_of_a_small_table_are_drawn_in_parts(monkeypatch):
    monkeypatch.setattr(drawing, "BATCH_ROWS", 40)
    table = pa.table({"ward": ["a", "b"] * 50, "stage": [0, 4] * 50})
    drawn = rendered(FLAT, table, 100, method="small-database", size=4)
    assert [batch.num_rows for batch in drawn] == [40, 40, 20]
    assert pickle.loads(pickle.dumps(drawn))(2).equals(drawn(2))


def test_a_model_is_small_enough_to_be_sent():
    columns = {f"x{k}": {"kind": "number", "low": 0, "high": 1} for k in range(5)}
    table = pa.table({name: np.linspace(0, 1, 200) for name in columns})
    drawn = rendered({"name": "t", "columns": columns}, table, 100)
    assert len(pickle.dumps(drawn)) < 2**22  # half a megabyte for a column of 32,769 codes
