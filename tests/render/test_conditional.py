"""Models given what is asked: against the enumeration of everything they can draw."""

from itertools import product

import numpy as np
import pytest

from sfumato.render.conditional import Asked, forest_given, mixture_given
from sfumato.render.estimate import NoisyTables, OneWays
from sfumato.render.forest import Forest
from sfumato.render.latent import Mixture
from sfumato.synopsis.bins import Fine, Merged, Partition

BINS, CLASSES = (2, 3, 2, 2), 2
ASKED = Asked(
    (np.array([1.0, 0.25]), np.array([0.0, 1.0, 0.5]), np.ones(2), np.array([0.0, 1.0])),
    np.array([True, True]),
)


def partition():
    columns = []
    for axis, bins in enumerate(BINS):
        codes = np.arange(bins)
        columns.append(Merged(Fine(axis, codes, codes + 1, 0), codes))
    return Partition(tuple(columns), len(BINS), CLASSES)


def every():
    """All records, as a class and four bins."""
    return product(range(CLASSES), *(range(bins) for bins in BINS))


def mixture(rng):
    weight = rng.random((5, CLASSES))
    blocks = [rng.random((5, bins)) for bins in BINS]
    return Mixture(
        weight / weight.sum(), np.hstack([b / b.sum(axis=1, keepdims=True) for b in blocks])
    )


def mixture_chance(model, record):
    share, at = model.weight[:, record[0]].copy(), partition().offset
    for column, value in enumerate(record[1:]):
        share *= model.chance[:, at[column] + value]
    return share.sum()


def forest(rng):
    """Column 0 with 1, 1 with 3; 2 alone."""
    shares = rng.random((CLASSES, *BINS)) + 0.05
    known = partition()
    pairs = {(0, 1): shares.sum(axis=(3, 4)), (1, 3): shares.sum(axis=(1, 3))}
    others = [tuple(1 + k for k in range(4) if k != column) for column in range(4)]
    ones = OneWays(
        np.hstack([shares.sum(axis=axes) for axes in others]), shares.sum(axis=(1, 2, 3, 4))
    )
    return Forest(ones, pairs, NoisyTables(known, {}, None, 1.0))


def forest_chance(model, record):
    known, (klass, *bins) = partition(), record
    share = model.ones.classes[klass] / model.ones.total
    for column, parent in model.steps():
        if parent is None:
            counts = model.ones.counts[klass, known.block(column)]
        else:
            counts = model.table(parent, column)[klass, bins[parent]]
        share *= counts[bins[column]] / counts.sum() if counts.sum() else 0.0
    return share


MODELS = [(mixture, mixture_given, mixture_chance), (forest, forest_given, forest_chance)]


@pytest.mark.parametrize(("made", "given", "chance"), MODELS)
@pytest.mark.parametrize("classes", [[True, True], [False, True]])
def test_a_model_given_what_is_asked_is_the_model_among_those_that_fit(
    made, given, chance, classes, rng
):
    model, asked = made(rng), Asked(ASKED.shares, np.array(classes))
    found, share = given(model, asked)
    before = np.array([chance(model, record) for record in every()])
    fits = np.array(
        [
            asked.classes[klass] * np.prod([s[b] for s, b in zip(asked.shares, bins, strict=True)])
            for klass, *bins in every()
        ]
    )
    assert before.sum() == pytest.approx(1)
    assert share == pytest.approx((before * fits).sum())
    after = np.array([chance(found, record) for record in every()])
    np.testing.assert_allclose(after, before * fits / share, atol=1e-12)
    assert np.abs(after - before).max() > 0.01  # and not the model as it was


@pytest.mark.parametrize(("made", "given", "chance"), MODELS)
def test_what_nearly_never_fits_neither_vanishes_nor_overflows(made, given, chance, rng):
    tiny = Asked(tuple(np.full(bins, 1e-200) for bins in BINS), np.array([True, True]))
    model = made(rng)
    found, share = given(model, tiny)
    assert share == 0.0  # 1e-800, as a float has it
    record = (1, 0, 2, 1, 1)
    assert chance(found, record) == pytest.approx(chance(model, record))


def test_what_was_never_estimated_can_still_be_asked_for(rng):
    model = forest(rng)
    model.ones.counts[:, :1] = 0
    only = Asked((np.array([1.0, 0.0]), *(np.ones(bins) for bins in BINS[1:])), np.ones(2, bool))
    found, share = forest_given(model, only)
    assert 0 < share < 1e-9
    assert sum(forest_chance(found, r) for r in every() if r[1] == 0) == pytest.approx(1)
