"""Releases for the tests of reports: one of every kind of data, and frozen ones."""

from functools import cache

import numpy as np
import pyarrow as pa

import sfumato as sf
from neighbours import records
from sfumato.example import CLINIC, clinic
from sfumato.inspection.audit.replay import RecordingPurse
from sfumato.privacy.randomness import SeededBits
from sfumato.publishing.certify import certify
from sfumato.publishing.table import price
from sfumato.release.content import Content

__all__ = ["EDGES", "KINDS", "frozen", "made"]

SCHEMA = sf.Schema.parse(CLINIC)
EDGES = pa.table(
    {
        "source": [f"n{i % 7}" for i in range(40)],
        "target": [f"m{i % 11}" for i in range(40)],
        "weight": [1.0 + i % 13 for i in range(40)],
    }
)
_BITS = np.arange(1024) % 3 == 0
_KEYS = pa.table({"key": [f"area {i}" for i in range(50)], "count": [7 * i for i in range(50)]})

KINDS = {
    "table": lambda **to: sf.publish(clinic(800), schema=SCHEMA, epsilon=1, misfit=1, **to),
    "heuristic": lambda **to: sf.publish(
        clinic(300),
        schema=SCHEMA,
        method="jl-gauss",
        epsilon=1,
        delta="1e-6",
        accept_no_guarantee=True,
        **to,
    ),
    "network": lambda **to: sf.publish_network(
        EDGES, directed=True, epsilon=1, high=20, distance=1, step="0.1", **to
    ),
    "stream": lambda **to: sf.publish_stream(
        _BITS, horizon=1024, every=32, epsilon=1, delta="1e-6", **to
    ),
    "mean": lambda **to: sf.publish_stream(
        _BITS, horizon=1024, method="reservoir-mean", epsilon=2, times="every=64", size=256, **to
    ),
    "counts": lambda **to: sf.publish_counts(_KEYS, epsilon=1, **to),
}


def made(kind, **to):
    """A release of a kind; the same for all that ask for nothing of their own and only read it."""
    return KINDS[kind](**to) if to else _once(kind)


@cache
def _once(kind):
    return KINDS[kind]()


class _FrozenBits(SeededBits):
    """Bits that repeat and yet count as drawn in earnest, so that the page states its promise."""

    seeded = False


def frozen(schema, rows, script=None, **asked):
    """A release whose noisy numbers are told beforehand, and what they were."""
    plan = price(schema, **asked)
    purse = RecordingPurse(plan.guarantee, script, _FrozenBits(0))
    synopsis = plan.measure(records(rows, schema), purse)
    batches, content = [], Content()
    for batch in plan.render(synopsis, None, np.random.default_rng(0)):
        content.update(batch)
        batches.append(batch)
    paper = synopsis.to_json()
    certified = certify(plan.terms, purse, content, synopsis=paper, release="frozen", ledger=None)
    table = plan.table_of(batches)
    return sf.Release(certified, synopsis=paper, table=table), purse.outputs
