"""Records of latent classes after sweeps: right tables, and every record as asked for."""

from dataclasses import replace

import numpy as np
import pytest

from sfumato.render.estimate import NoisyTables
from sfumato.render.latent import Settings
from sfumato.render.mosaic import sample
from sfumato.render.rules import Rules
from sfumato.render.sweeps import FEWEST
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.synopsis.bins import Fine, Merged, Partition
from sfumato.table.encode import encode

COLUMNS = {
    "ward": {"kind": "category", "values": list("abcdef")},
    "came": {"kind": "integer", "low": 0, "high": 7},
    "left": {"kind": "integer", "low": 0, "high": 7},
    "sick": {"kind": "boolean", "role": "label"},
}
PAIRS = ((0, 1), (0, 2), (1, 2))
# Too few latent classes for these tables, so that what is right is so by the sweeps.
POOR = Settings(components=2, restarts=1, steps=60)
FAIR = Settings(components=20, restarts=1, steps=300)


def domain_of(*constraints):
    return Domain.of(Schema.of({"name": "t", "columns": COLUMNS, "constraints": list(constraints)}))


PLAIN, ORDERED = domain_of(), domain_of("came <= left")
FINE = [Fine.of(k, axis) for k, axis in enumerate(PLAIN.axes[:3])]
PARTITION = Partition(tuple(Merged(fine, np.arange(fine.bins)) for fine in FINE), 3, 2)


def records(rng, rows=20_000):
    """Wards by the day they came, who left the same day or later; sick or not says how long."""
    sick = rng.integers(0, 2, rows)
    came = rng.integers(0, 8, rows)
    left = np.minimum(came + rng.integers(0, 2 + 3 * sick), 7)
    ward = np.where(rng.random(rows) < 0.8, came * 5 // 8, rng.integers(0, 6, rows))
    return np.stack([ward, came, left, sick], axis=1)


def table(codes, i, j):
    found = np.zeros((2, FINE[i].bins, FINE[j].bins))
    np.add.at(found, (codes[:, 3], codes[:, i], codes[:, j]), 1)
    return found


def tables(codes):
    """As they are, with noise of next to nothing."""
    one = np.hstack([table(codes, k, k).sum(axis=1) for k in range(3)])
    pairs = {pair: table(codes, *pair) for pair in PAIRS}
    return NoisyTables(PARTITION, {}, one, 1e-4, pairs, 1e-4, len(codes))


def drawn(codes, rng, rows=None, domain=PLAIN, settings=POOR, given=None):
    rules = Rules.of(domain, given)
    found = sample(
        tables(codes),
        model="latent",
        chosen=False,
        settings=settings,
        rows=rows,
        rules=rules,
        given=given or {},
        domain=domain,
        rng=rng,
    )
    found = np.vstack([np.empty((0, 4), int), *(encode(domain, batch) for batch in found)])
    assert rules.keeps(found).all()
    return found


def apart(found, wanted):
    """Total variation of two-way tables within classes, the worst of the pairs."""
    return max(
        np.abs(table(found, *p) / len(found) - table(wanted, *p) / len(wanted)).sum() / 2
        for p in PAIRS
    )


def test_without_noise_tables_are_right_although_the_model_is_poor(rng):
    codes = records(rng)
    assert apart(drawn(codes, rng), codes) < 0.03
    without = replace(POOR, swept_from=2.0)
    assert apart(drawn(codes, rng, settings=without), codes) > 0.3


def test_where_the_model_is_poor_sweeps_help_what_is_asked_for_too(rng):
    codes, given = records(rng), {1: np.isin(np.arange(8), (2, 3))}
    wanted = codes[given[1][codes[:, 1]]]
    without = replace(POOR, swept_from=2.0)
    far = [apart(drawn(codes, rng, 6_000, PLAIN, s, given), wanted) for s in (POOR, without)]
    assert far[0] < 0.8 * far[1]


def test_with_a_constraint_every_record_keeps_it_and_tables_are_right(rng):
    codes = records(rng)
    found = drawn(codes, rng, domain=ORDERED)
    assert (found[:, 1] <= found[:, 2]).all()
    assert len(found) == len(codes)
    assert apart(found, codes) < 0.03


@pytest.mark.parametrize("domain", [PLAIN, ORDERED], ids=["plain", "ruled"])
@pytest.mark.parametrize("sick", [None, 1])
def test_what_is_asked_for_is_what_comes(domain, sick, rng):
    """A range of one column, and a class or none: tables are those of the records that fit."""
    codes = records(rng)
    given = {1: np.isin(np.arange(8), (2, 3))}
    fits = np.isin(codes[:, 1], (2, 3))
    if sick is not None:
        given[3] = np.arange(2) == sick
        fits &= codes[:, 3] == sick
    found = drawn(codes, rng, 6_000, domain, FAIR, given)
    assert len(found) == 6_000
    assert set(found[:, 1]) == {2, 3}
    assert set(found[:, 3]) == ({0, 1} if sick is None else {sick})
    wanted = codes[fits]
    assert apart(found, wanted) < 0.08
    assert apart(drawn(codes, rng, 6_000, domain), wanted) > 0.5  # the control: all of them


@pytest.mark.parametrize("rows", [0, 1, 7, 300])
def test_few_records_are_some_of_many_that_were_moved(rows, rng):
    assert rows < FEWEST
    found = drawn(records(rng), rng, rows, ORDERED)
    assert found.shape == (rows, 4)


def test_few_records_have_no_more_chance_in_them_than_few_records_have(rng):
    """Their tables, added up over several releases, are right."""
    codes = records(rng)
    parts = [drawn(codes, np.random.default_rng(seed), 400) for seed in range(10)]
    assert apart(np.vstack(parts), codes) < 0.08
    assert not np.array_equal(parts[0], parts[1])
    assert np.array_equal(parts[0], drawn(codes, np.random.default_rng(0), 400))


def test_a_single_column_has_nothing_to_be_moved_to(rng):
    domain = Domain.of(
        Schema.of({"name": "t", "columns": {k: COLUMNS[k] for k in ("came", "sick")}})
    )
    columns = (Merged(Fine.of(0, domain.axes[0]), np.arange(8)),)
    partition = Partition(columns, 1, 2)
    one = table(records(rng), 1, 1).sum(axis=1)
    only = NoisyTables(partition, {}, one, 1e-4, {}, 1.0, 20_000)
    how = {"model": "latent", "chosen": False, "settings": POOR, "rows": 5_000, "given": {}}
    found = sample(only, **how, rules=Rules.of(domain), domain=domain, rng=rng)
    codes = np.vstack([encode(domain, batch) for batch in found])
    share = np.bincount(codes[:, 0], minlength=8) / 5_000
    np.testing.assert_allclose(share, one.sum(axis=0) / one.sum(), atol=0.03)
