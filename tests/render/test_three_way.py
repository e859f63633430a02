"""What pairs imply of triples, and what noisy triples say beyond it."""

import numpy as np
import pytest

from sfumato.render.estimate import NoisyTables
from sfumato.render.three_way import bands_of, implied, wanted_triples, without_triples
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.synopsis.bins import Fine, Merged, Partition
from sfumato.synopsis.tables import pairs_of
from sfumato.synopsis.triples import Triples

NUMBER = {"kind": "integer", "low": 0, "high": 5}
DOMAIN = Domain.of(
    Schema.of(
        {
            "name": "t",
            "columns": {
                "a": NUMBER,
                "b": {"kind": "category", "values": ["x", "y", "z"]},
                "y": {**NUMBER, "missing": "allowed"},
            },
        }
    )
)
FINE = tuple(Fine.of(i, axis) for i, axis in enumerate(DOMAIN.axes))
PARTITION = Partition(tuple(Merged(f, np.arange(f.bins)) for f in FINE), None, 1)
TARGET, BAND = 2, np.array([0, 0, 1, 1, 2, 2, 3])
BANDS = np.arange(4)[:, None] == BAND


def tables(joint, variance=1e-6, triples=None):
    """All pairs of a joint table of a, b and y."""
    one = np.concatenate([joint.sum(axis=tuple({0, 1, 2} - {c})) for c in range(3)])[None]
    pairs = {(i, j): joint.sum(axis=3 - i - j)[None] for i, j in pairs_of(3)}
    rows = round(float(joint.sum()))
    return NoisyTables(
        PARTITION,
        {},
        one,
        variance,
        pairs,
        variance,
        rows,
        triples=triples,
        triple_variance=variance,
    )


def joint(rng, interaction):
    """Each two of three columns depend on each other, and all three together where asked."""
    a, b, y = (rng.normal(0, 0.5, size) for size in ((6, 3), (6, 7), (3, 7)))
    log = a[:, :, None] + b[:, None, :] + y[None]
    log = log + interaction * rng.normal(0, 1, (6, 3, 7))
    return 30_000 * np.exp(log) / np.exp(log).sum()


def in_bands(found):
    return np.einsum("aby,ty->tab", found, BANDS)


def matrix(found):
    """Pairs by two cells, with something in the diagonal."""
    whole = np.zeros((PARTITION.cells, PARTITION.cells))
    for i, j in pairs_of(3):
        whole[PARTITION.block(i), PARTITION.block(j)] = found.sum(axis=3 - i - j)
    whole += whole.T
    for c in range(3):
        block = PARTITION.block(c)
        whole[block, block] = np.diag(found.sum(axis=tuple({0, 1, 2} - {c})))
    return whole


@pytest.mark.parametrize("interaction", [0.0, 1.0])
def test_what_is_implied_has_the_pairs_and_is_right_where_bands_do_not_interact(rng, interaction):
    found = joint(rng, interaction)
    if not interaction:  # within bands as well
        found = np.einsum("tab,ty->aby", in_bands(found) / BANDS.sum(axis=1)[:, None, None], BANDS)
        by = in_bands(found)
        log = np.log(by)
        log -= _interaction(log)
        by = np.exp(log)
        found = np.einsum("tab,ty->aby", by / BANDS.sum(axis=1)[:, None, None], BANDS)
    table = implied(matrix(found), PARTITION, TARGET, BAND)
    block = table[:, PARTITION.block(0), PARTITION.block(1)]
    assert block.sum(axis=0) == pytest.approx(found.sum(axis=2), rel=1e-3)
    assert block.sum(axis=1) == pytest.approx(in_bands(found).sum(axis=1), rel=1e-3)
    assert block.sum(axis=2) == pytest.approx(in_bands(found).sum(axis=2), rel=1e-3)
    assert np.abs(_interaction(np.log(block))).max() < 1e-6
    away = np.abs(block - in_bands(found)).sum() / found.sum()
    assert away > 0.1 if interaction else away < 1e-3


def _interaction(log):
    """What no sum of functions of two of the three explains."""
    for axis in range(3):
        log = log - log.mean(axis=axis, keepdims=True)
    return log


def test_bands_are_runs_of_about_equal_mass_and_missing_is_apart(rng):
    band = bands_of(rng.random(20) + 0.5, 19)
    sizes = np.bincount(band)
    assert band.tolist() == sorted(band.tolist())
    assert len(sizes) == 6
    assert sizes[-1] == 1
    assert sizes[:5].min() >= 2
    assert bands_of(np.array([0.0, -3.0]), 2).tolist() == [0, 0]  # nothing is known of them
    assert bands_of(np.array([4.0]), 1).tolist() == [0]


def test_before_a_triple_is_measured_it_is_expected_as_its_pairs_imply(rng):
    found = joint(rng, 1.0)
    expectation = without_triples(tables(found), TARGET)
    assert expectation.counts.shape[0] == int(expectation.band.max()) + 1 == len(expectation.values)
    assert expectation.values[-1] == 0  # missing
    block = expectation.counts[:, PARTITION.block(0), PARTITION.block(1)]
    assert block.sum(axis=0) == pytest.approx(found.sum(axis=2), rel=0.02)


def test_a_clear_triple_is_wanted_as_it_is_and_noise_alone_is_not(rng):
    found = joint(rng, 1.0)
    exact, total = in_bands(found), float(found.sum())
    share = matrix(found) / total
    clear = Triples(TARGET, BAND, {(0, 1): exact})
    wanted = wanted_triples(tables(found, 1e-3, clear), share, total)[0, 1]
    assert total * wanted == pytest.approx(exact, rel=0.01, abs=0.5)
    expected = implied(total * share, PARTITION, TARGET, BAND)
    expected = expected[:, PARTITION.block(0), PARTITION.block(1)]
    noise = Triples(TARGET, BAND, {(0, 1): expected + rng.normal(0, 1, expected.shape)})
    wanted = wanted_triples(tables(found, 1.0, noise), share, total)[0, 1]
    assert np.square(total * wanted - expected).mean() < 0.5  # of the noise, which is 1
    assert wanted_triples(tables(found), share, total) == {}


def test_what_is_implied_is_finite_where_noise_left_no_record(rng):
    nothing = rng.normal(-3, 1, (PARTITION.cells, PARTITION.cells))
    table = implied(nothing + nothing.T, PARTITION, TARGET, BAND)
    assert np.isfinite(table).all()
    assert (table >= 0).all()
