"""From noisy tables to records: every code possible, every table as the model has it."""

import numpy as np
import pytest

from sfumato.render.decode import BATCH_ROWS
from sfumato.render.estimate import NoisyTables, one_ways
from sfumato.render.latent import Settings
from sfumato.render.mosaic import fine_counts, merged, sample
from sfumato.render.rules import Rules
from sfumato.schema import Schema
from sfumato.schema.domain import MISSING, Domain
from sfumato.synopsis.bins import Fine, Partition
from sfumato.synopsis.tables import Layout
from sfumato.table.encode import encode

DOMAIN = Domain.of(
    Schema.of(
        {
            "name": "t",
            "columns": {
                "size": {"kind": "number", "low": 0, "high": 1, "missing": "allowed"},
                "sick": {"kind": "boolean", "role": "label"},
                "ward": {"kind": "category", "values": ["a", "b", "c"]},
            },
        }
    )
)
LAYOUT = Layout.of(DOMAIN)
FINE = tuple(Fine.of(k, axis, 512, 128) for k, axis in LAYOUT.columns.items())
QUICK = Settings(components=10, restarts=1, steps=60)
MODELS = ("latent", "forest")


def tables(rng, rows=1_000, public=True):
    """Noisy tables of a spike at 0, a slope, and missing; the classes differ in the wards."""
    level = np.linspace(1, 10, FINE[0].bins)
    level[0], level[-1] = 300, 100
    fine = rng.multinomial(rows, level / level.sum())
    found = fine_counts(FINE, {0: fine}, {}, 2.0, rows if public else None)
    partition = Partition(tuple(merged(FINE, found, 6)), LAYOUT.label, LAYOUT.classes)
    first = np.bincount(partition.columns[0].group, found[0].counts) / 2
    one = np.hstack([[first, first], rows * np.array([[0.4, 0.08, 0.02], [0.02, 0.08, 0.4]])])
    return NoisyTables(
        partition, found, one + rng.normal(0, 2, one.shape), 4.0, rows=rows if public else None
    )


def drawn(given, rng, model="forest", rows=None):
    rules, how = Rules.of(DOMAIN), {"model": model, "settings": QUICK, "chosen": True}
    found = sample(given, **how, rows=rows, rules=rules, given={}, domain=DOMAIN, rng=rng)
    return [encode(DOMAIN, batch) for batch in found]


@pytest.mark.parametrize("model", MODELS)
def test_every_code_is_one_of_its_axis(model, rng):
    codes = np.vstack(drawn(tables(rng), rng, model))
    assert codes.shape == (1_000, 3)
    size, sick, ward = codes.T
    assert ((size == MISSING) | ((size >= 0) & (size <= DOMAIN.axes[0].points))).all()
    assert set(sick) == {0, 1}
    assert set(ward) == {0, 1, 2}


@pytest.mark.parametrize("model", MODELS)
def test_records_follow_the_one_way_tables_and_fine_counts(model, rng):
    given = tables(rng, 20_000)
    codes = np.vstack(drawn(given, rng, model))
    ones = one_ways(given)
    share = ones.counts[:, given.partition.block(1)] / ones.total
    found = np.zeros((2, 3))
    np.add.at(found, (codes[:, 1], codes[:, 2]), 1 / len(codes))
    assert np.abs(found - share).sum() / 2 < (0.01 if model == "forest" else 0.06)
    fine = FINE[0]
    inside = np.bincount(fine.place[codes[:, 0]], minlength=fine.bins) / len(codes)
    wanted = given.fine[0].counts / given.fine[0].counts.sum()
    assert np.abs(inside - wanted).sum() / 2 < 0.05
    assert np.abs(inside[::-1] - wanted).sum() / 2 > 0.1  # the control: another table is far


def test_values_inside_a_bin_are_spread_over_all_of_it(rng):
    codes = np.vstack(drawn(tables(rng, 20_000), rng))[:, 0]
    fine = FINE[0]
    wide = fine.stop - fine.start > 100  # narrow ones are single codes, ends and small numbers
    place = codes[(codes != MISSING) & wide[fine.place[codes]]]
    bins = fine.place[place]
    assert len(place) > 5_000
    away = (place - fine.start[bins]) / (fine.stop[bins] - fine.start[bins])
    assert abs(away.mean() - 0.5) < 0.02
    assert away.min() < 0.01
    assert away.max() > 0.98


def test_as_many_rows_come_as_are_asked_for_counted_or_estimated(rng):
    for rows in (0, 1, 7, BATCH_ROWS + 5):
        batches = drawn(tables(rng), rng, rows=rows)
        assert sum(map(len, batches)) == rows
        assert all(len(batch) <= BATCH_ROWS for batch in batches)
    given = tables(rng, public=False)
    assert sum(map(len, drawn(given, rng))) == round(one_ways(given).total)
