"""Rows that the program decoded itself are read as stored, whatever the file's formats are."""

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import ParameterError, Refused
from sfumato.inspection.compare.comparison import compare
from sfumato.inspection.compare.contender import Contender
from sfumato.inspection.compare.private_choice import choose_method
from sfumato.inspection.compare.trial import Parts, run_trial
from sfumato.inspection.compare.worker import Worker
from sfumato.inspection.trial_check import verify_trial
from sfumato.ledger import Ledger
from sfumato.privacy.guarantee import PureDP
from sfumato.schema import Schema
from sfumato.schema.domain import Domain

SCHEMA = Schema.of(
    {
        "name": "t",
        "file": {"decimal": ",", "format": "%d.%m.%Y", "missing_words": ["k.A."]},
        "columns": {
            "share": {"kind": "number", "low": 0, "high": 100, "step": 1, "percent": True},
            "whole": {"kind": "integer", "low": 0, "high": 100, "percent": True},
            "seen": {"kind": "date", "low": "2020-01-01", "high": "2020-12-31"},
            "ward": {
                "kind": "category",
                "values": ["a", "b"],
                "other": "other",
                "aliases": {"a": ["A"]},
                "missing": "allowed",
            },
            "ill": {"kind": "boolean", "true": ["ja"], "false": ["nein"]},
        },
    }
)
N = 400
RNG = np.random.default_rng(0)
SHARES = RNG.integers(0, 101, N)
DATA = pa.table(
    {
        "share": [f"{k},0%" for k in SHARES],
        "whole": [f"{k}%" for k in SHARES],
        "seen": [f"{k % 28 + 1:02}.03.2020" for k in SHARES],
        "ward": [("A", "b", "k.A.", "c")[k % 4] for k in SHARES],
        "ill": [("ja", "nein")[k % 2] for k in SHARES],
    }
)


def test_a_plain_schema_says_nothing_about_texts_and_all_the_rest():
    plain = SCHEMA.plain()
    assert plain.file is None
    assert plain.to_json()["columns"] == {
        "share": {"kind": "number", "low": 0, "high": 100, "step": 1},
        "whole": {"kind": "integer", "low": 0, "high": 100},
        "seen": {"kind": "date", "low": "2020-01-01", "high": "2020-12-31"},
        "ward": {"kind": "category", "values": ["a", "b"], "other": "other", "missing": "allowed"},
        "ill": {"kind": "boolean"},
    }
    assert plain == Schema.of(plain.to_json())


def test_methods_are_compared_on_texts_with_formats():
    parts = Parts.of(DATA, Domain.of(SCHEMA), seed=0)
    modips = Contender("modips", "1", None, "1-differential privacy", True)
    assert {"one-way", "two-way"} <= set(run_trial(parts, modips, 0, seed=1).scores)


def test_a_private_choice_is_made_of_texts_with_formats(tmp_path):
    with Ledger.create(tmp_path / "budget.db") as ledger:
        ledger.grant("t", PureDP(9), reason="test")
        found = choose_method(
            DATA, SCHEMA, methods=["modips", "exponential"], epsilon=8, share="0.5", ledger=ledger
        )
        assert ledger.entry(found.release).state == "released"


def test_a_release_of_texts_with_formats_is_inspected_and_tried(tmp_path):
    for name in ("release", "trial"):
        sf.publish(
            DATA, schema=SCHEMA, method="modips", epsilon=1, misfit=1, folder=tmp_path / name
        )
    assert sf.inspect(sf.Release.load(tmp_path / "release"), DATA, progress=False).rows == N
    assert verify_trial(tmp_path / "release", tmp_path / "trial", DATA).passed


def test_where_every_method_is_refused_the_first_reason_is_said(monkeypatch):
    def refuse(*_, **__):
        raise Refused("the table is too odd")

    monkeypatch.setattr(Worker, "start", lambda self: None)
    monkeypatch.setattr(Worker, "run", refuse)
    with pytest.raises(ParameterError, match="the first, modips, says: the table is too odd"):
        compare(DATA, SCHEMA, epsilons=[1], methods=["modips"], trials=1)
