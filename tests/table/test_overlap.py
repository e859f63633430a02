"""Rows taken from a table are recognised; rows that only coincide with it are not."""

from itertools import product

import numpy as np
import pyarrow as pa
import pytest

from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.table import overlap as module
from sfumato.table.overlap import SHARE, Sketch, sketches, taken_from
from sfumato.table.records import Records
from sfumato.table.source import open_source


def sketch(rows):
    """Values stand for their hashes: spread evenly, as those of a keyed hash are."""
    mixed = np.asarray(rows, np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(32)
    return Sketch.of(mixed * np.uint64(0xD6E8FEB86659FD93))


def found(public, records):
    return taken_from(sketch(public), sketch(records))


def laws(size):
    """Populations over so many values: even, falling slowly and fast, and two that differ."""
    falling, steep = (1 / np.arange(1, size + 1) ** power for power in (1, 2))
    halves = np.where(np.arange(size) < size // 2, 19.0, 1.0)
    return [law / law.sum() for law in (np.ones(size), falling, steep, halves, halves[::-1])]


@pytest.mark.parametrize("size", [10, 1_000, 100_000])
def test_independent_tables_are_never_taken_for_each_other(size, rng):
    """225 pairs of populations and sizes; each would alarm with a chance of at most 1e-6."""
    known = laws(size)
    for (p, b), (n, m) in product(product(known, known), product((60, 900, 6_000), repeat=2)):
        assert not found(rng.choice(size, m, p=b), rng.choice(size, n, p=p))


def test_split_pairs_are_at_most_as_many_as_whole_ones_where_that_is_closest(rng):
    """The bound of the rule is nearly attained, and `SHARE` lies above it."""
    shares = []
    for _ in range(20):
        one, other = (rng.integers(20_000, size=5_000) for _ in range(2))
        of_one, of_other = (np.bincount(rows, minlength=20_000) for rows in (one, other))
        pairs = of_one + of_other == 2
        shares.append(np.mean(of_one[pairs] == 1))
    assert 0.48 < np.mean(shares) < 0.52 < SHARE


@pytest.mark.parametrize(
    ("taken", "name"),
    [
        (lambda rows, rng: rows, "the table"),
        (lambda rows, rng: rng.permutation(rows), "in another order"),
        (lambda rows, rng: np.concatenate([rows, rows]), "twice"),
        (lambda rows, rng: rng.choice(rows, rows.size // 2, replace=False), "a half"),
        (lambda rows, rng: rng.choice(rows, rows.size), "drawn with replacement"),
        (lambda rows, rng: rows[:50], "the first rows"),
        (lambda rows, rng: np.concatenate([rows[:300], 10**9 + np.arange(700)]), "among others"),
    ],
)
@pytest.mark.parametrize("size", [10_000, 10**6, 10**12])
def test_a_table_or_a_sample_of_it_is_recognised_where_few_rows_repeat(taken, name, size, rng):
    rows = rng.integers(size, size=1_000)
    public = taken(rows, rng)
    if name == "the first rows" and size == 10_000:
        return  # too few for a table in which a tenth of the rows repeat
    assert found(public, rows)
    assert found(rows, public)


def test_the_very_table_is_recognised_where_all_rows_repeat(rng):
    rows = rng.integers(4, size=500)
    assert found(rng.permutation(rows), rows)
    other = rows.copy()
    other[0] = (other[0] + 1) % 4
    assert not found(other, rows)


def test_it_takes_twenty_eight_rows_to_call_them_a_sample(rng):
    rows = rng.integers(10**12, size=1_000)
    assert not found(rows[:27], rows)
    assert found(rows[:28], rows)


@pytest.mark.parametrize(("public", "records"), [([], []), ([1, 2], []), ([], [1, 2])])
def test_empty_tables_are_not_taken_from_each_other(public, records):
    assert not found(public, records)


def test_large_tables_are_compared_in_bounded_memory_whatever_the_order(rng, monkeypatch):
    monkeypatch.setattr(module, "_MOST", 1_000)
    rows = rng.integers(10**12, size=60_000)
    parts = [sketch(part) for part in np.split(rows, 60)]
    forth, back = parts[0], parts[-1]
    for part in parts[1:]:
        forth = forth.merged(part)
    for part in parts[-2::-1]:
        back = back.merged(part)
    assert forth.limit == back.limit
    assert np.array_equal(np.sort(forth.digests), np.sort(back.digests))
    assert 300 < forth.digests.size <= 1_000
    assert taken_from(sketch(rows[:10_000]), forth)
    assert not taken_from(sketch(rng.integers(10**12, size=10_000)), forth)


def test_the_chosen_columns_alone_are_compared_as_they_are_encoded(rng):
    schema = {"name": "t", "columns": {}}
    for name in "abc":
        schema["columns"][name] = {"kind": "number", "low": 0, "high": 1}
    domain = Domain.of(Schema.of(schema))
    values = {name: rng.random(200) for name in "abc"}
    texts = {name: [f"{v:.17g}" for v in column] for name, column in values.items()}
    texts["c"] = texts["c"][::-1]
    one, other = (Records(open_source(pa.table(t)), domain) for t in (values, texts))
    assert taken_from(*sketches((one, other), (0, 1)))
    assert not taken_from(*sketches((one, other), (0, 1, 2)))
