"""Made-up stays in a clinic with relations that hold exactly, nearly, or not at all.

Only what `mosaic` measures is made, not the records that it would draw.
"""

import json
from dataclasses import replace

import numpy as np
import pyarrow as pa

import sfumato as sf
from certificates import made_up
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SeededBits
from sfumato.publishing.table import price
from sfumato.schema.domain import Domain
from sfumato.table.records import Records
from sfumato.table.source import open_source

ROWS = 30_000
GAUSSIAN, LAPLACE = {"epsilon": 1, "delta": "1e-9"}, {"epsilon": 4}
STAYS = {
    "name": "stays",
    "columns": {
        "since": {"kind": "integer", "low": -1, "high": 200},
        "visits": {"kind": "integer", "low": 0, "high": 12},
        "sex": {"kind": "category", "values": ["f", "m"]},
        "pregnant": {"kind": "boolean", "missing": "allowed"},
        "part": {"kind": "number", "low": 0, "high": 100, "step": 0.5},
        "whole": {"kind": "number", "low": 0, "high": 100, "step": 0.5},
    },
}


def stays(broken=0.0, seed=1):
    """Never (-1) with no visit, pregnant only if f, a part of a whole; a share breaks all three."""
    rng = np.random.default_rng(seed)
    seen = rng.random(ROWS) < 0.4
    female, expecting = rng.random(ROWS) < 0.5, rng.random(ROWS) < 0.3
    whole, part = np.sort(rng.uniform(0, 100, (2, ROWS)), axis=0)[::-1]
    table = {
        "since": np.where(seen, rng.integers(1, 201, ROWS), -1),
        "visits": np.where(seen, rng.integers(1, 13, ROWS), 0),
        "sex": np.where(female, "f", "m"),
        "pregnant": [bool(e) if f else None for f, e in zip(female, expecting, strict=True)],
        "part": part,
        "whole": whole,
    }
    wrong = np.arange(ROWS) < broken * ROWS
    table["visits"] = np.where(wrong, 5, table["visits"])
    table["since"] = np.where(wrong, -1, table["since"])
    table["sex"] = np.where(wrong, "m", table["sex"])
    table["pregnant"] = [True if w else p for w, p in zip(wrong, table["pregnant"], strict=True)]
    table["part"], table["whole"] = np.where(wrong, [[95.0], [5.0]], [part, whole])
    return pa.table(table)


def strangers(seed=1):
    """The same columns, which have nothing to do with each other."""
    rng, table = np.random.default_rng(seed), stays()
    columns = {name: table[name].take(rng.permutation(ROWS)) for name in table.column_names}
    return pa.table(columns)


def prepared(table, schema=STAYS):
    """Records to measure, as often as wanted."""
    return Records(open_source(table), Domain.of(sf.Schema.of(schema)))


def release_of(records, budget, seed, schema=STAYS):
    """The papers of one release."""
    read = sf.Schema.of(schema)
    plan = price(read, method="mosaic", **budget)
    plan = plan.sized(ROWS) if plan.sized else plan
    synopsis = plan.measure(records, Purse(plan.guarantee, SeededBits(seed)))
    paper = made_up(plan.events, method="mosaic", schema=read.to_json())
    return sf.Release(paper, synopsis=json.loads(json.dumps(synopsis.to_json())))


def understated(release, times):
    """The same counts, under noise that is stated to be so many times smaller than it is."""
    paper = release.certificate
    events = [replace(event, noise=event.noise / times) for event in paper.events]
    stated = made_up(events, method="mosaic", schema=paper.public_schema.to_json())
    return sf.Release(stated, synopsis=release.synopsis)
