"""Methods that draw records: part k is a function of the release, the seed and k."""

import pickle

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.example import CLINIC, clinic
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SeededBits
from sfumato.render import drawing
from sfumato.render.drawing import Drawing
from sfumato.schema import Schema
from sfumato.table.records import Records
from sfumato.table.source import open_source

WITH_DELTA = {"epsilon": 1, "delta": "1e-6"}
ASKED = {
    "mosaic": {"epsilon": 1},
    "forest": {"epsilon": 1, "model": "forest"},
    "diffgen": {"method": "diffgen", "epsilon": 1},
    "generalised": {"method": "diffgen", "epsilon": 1, "values": "generalised"},
    "dp-lda": {"method": "dp-lda", "epsilon": 1},
    "greedy": {"method": "dp-lda", "epsilon": 1, "sampler": "greedy"},
    "modips": {"method": "modips", "epsilon": 1},
    "jl-gauss": {"method": "jl-gauss", **WITH_DELTA},
    "pca-gauss": {"method": "pca-gauss", "epsilon": 1},
    "regression": {"method": "pca-gauss-regression", "epsilon": 1, "target": "age"},
    "mixture": {"method": "pca-gauss-mixture", "epsilon": 1},
    "components": {"method": "pca-gauss-mixture", "epsilon": 1, "space": "components"},
}


def drawn(asked, rows, seed):
    plan = sf.price(Schema.parse(CLINIC), **asked)
    purse = Purse(plan.guarantee, SeededBits(1))
    synopsis = plan.measure(Records(open_source(clinic(300)), plan.domain), purse)
    return plan.render(synopsis, rows, np.random.default_rng(seed)), plan


@pytest.mark.parametrize("name", ASKED)
def test_parts_are_the_same_elsewhere_and_in_any_order(name, monkeypatch):
    monkeypatch.setattr(drawing, "BATCH_ROWS", 40)
    made, plan = drawn(ASKED[name], 100, seed=3)
    assert isinstance(made, Drawing)
    there = pickle.loads(pickle.dumps(made))
    backwards = [there(k) for k in (2, 1, 0)][::-1]
    table = plan.table_of(made)
    assert table.num_rows == 100
    assert plan.table_of(backwards) == table
    assert plan.table_of(drawn(ASKED[name], 100, seed=3)[0]) == table


@pytest.mark.parametrize("name", [name for name in ASKED if name != "greedy"])
def test_another_seed_draws_other_rows(name):
    """But for the greedy sampler, in which nothing is random."""
    first, second = (pa.Table.from_batches(drawn(ASKED[name], 60, seed)[0]) for seed in (1, 2))
    assert first != second
