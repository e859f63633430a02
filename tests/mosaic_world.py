"""Three columns of three levels, whole or within two classes, and tables of made-up records."""

import numpy as np

from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.synopsis.bins import Fine, Merged, Partition

CATEGORIES = {"kind": "category", "values": ["a", "b", "c"]}
DOMAIN = Domain.of(Schema.of({"name": "t", "columns": dict.fromkeys(("u", "v", "w"), CATEGORIES)}))
FINE = tuple(Fine.of(i, axis) for i, axis in enumerate(DOMAIN.axes))
PARTITION = Partition(tuple(Merged(c, np.arange(c.bins)) for c in FINE), None, 1)
CLASSED = Partition(PARTITION.columns, 3, 2)


def exact_tables(rng, partition, rows=900):
    """Pairs and columns of made-up records, class by class."""
    kind = rng.integers(0, partition.classes, rows)
    codes = rng.integers(0, 3, (rows, 3))
    codes[:, 1] = np.where(rng.random(rows) < 0.6, codes[:, 0], codes[:, 1])
    one = np.zeros((partition.classes, 9))
    np.add.at(one, (kind[:, None], codes + 3 * np.arange(3)), 1)
    pairs = {}
    for i, j in ((0, 1), (0, 2), (1, 2)):
        pairs[i, j] = np.zeros((partition.classes, 3, 3))
        np.add.at(pairs[i, j], (kind, codes[:, i], codes[:, j]), 1)
    return one, pairs


def chain(rng, partition=PARTITION, rows=3_000):
    """u decides v, v decides w, each three times out of four."""
    kind = rng.integers(0, partition.classes, rows)
    u = rng.integers(0, 3, rows)
    v = np.where(rng.random(rows) < 0.75, u, rng.integers(0, 3, rows))
    w = np.where(rng.random(rows) < 0.75, (v + kind) % 3, rng.integers(0, 3, rows))
    codes = np.stack([u, v, w], axis=1)
    one, pairs = np.zeros((partition.classes, 9)), {}
    np.add.at(one, (kind[:, None], codes + 3 * np.arange(3)), 1)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        pairs[i, j] = np.zeros((partition.classes, 3, 3))
        np.add.at(pairs[i, j], (kind, codes[:, i], codes[:, j]), 1)
    return one, pairs
