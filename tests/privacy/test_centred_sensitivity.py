"""Centred sensitivities: every pair of records of small domains, through the code that runs."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from sfumato.privacy.centred_sensitivity import (
    eigenvalues,
    largest_square,
    mixture,
    regression,
    scatter,
    sums,
)
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.synopsis.centred import UNIT, Centred
from sfumato.synopsis.scatter import ScatterLayout

SHAPES = [(2, 0, 0), (3, 0, 0), (1, 1, 0), (0, 3, 0), (2, 2, 0), (1, 0, 1), (0, 2, 1), (0, 0, 2)]
SHAPES += [(1, 1, 1), (2, 1, 1), (1, 0, 2), (0, 1, 2)]
RADII = [None, "0.4", "1", "1.3", "5"]


def centred(continuous, binary, blocks, radius):
    columns = {f"x{i}": {"kind": "integer", "low": 0, "high": 4} for i in range(continuous)}
    columns |= {f"b{i}": {"kind": "boolean"} for i in range(binary)}
    columns |= {f"c{i}": {"kind": "category", "values": ["u", "v", "w"]} for i in range(blocks)}
    return Centred.of(Domain.of(Schema.of({"name": "t", "columns": columns})), radius)


def all_records(space):
    sizes = [axis.codes for axis in space.features.domain.axes]
    return space.design(np.array(list(product(*map(range, sizes))), np.int32))


def farthest(F):
    l1 = max(np.abs(F - f).sum(axis=1).max() for f in F)
    l2 = max(((F - f) ** 2).sum(axis=1).max() for f in F)
    return l1, l2


def entries(space, neighbours):
    """What each record adds to the released entries, in real units."""
    layout = ScatterLayout(space, neighbours)
    Z = all_records(space)
    packed = [layout.pack(1, np.outer(z, z).astype(np.int64)) / layout.units for z in Z]
    return layout, np.array(packed)


@pytest.mark.parametrize("radius", RADII)
@pytest.mark.parametrize("shape", SHAPES)
def test_no_pair_of_records_moves_the_scatter_further_than_is_claimed(shape, radius):
    layout, F = entries(centred(*shape, radius), "replace-one")
    l1, l2 = farthest(F)
    assert l1 <= layout.sensitivity.l1
    assert l2 <= layout.sensitivity.l2_squared
    if radius is None:  # in the box the claim is near what pairs of this coarse grid reach
        assert l1 >= 0.6 * float(layout.sensitivity.l1)
        assert l2 >= 0.6 * float(layout.sensitivity.l2_squared)


@pytest.mark.parametrize("radius", RADII)
@pytest.mark.parametrize("shape", SHAPES)
def test_no_single_record_moves_the_scatter_further_than_is_claimed(shape, radius):
    layout, F = entries(centred(*shape, radius), "add-remove")
    l1, l2 = np.abs(F).sum(axis=1).max(), (F**2).sum(axis=1).max()
    assert l1 <= layout.sensitivity.l1
    assert l2 <= layout.sensitivity.l2_squared
    if radius is None:
        assert l1 == pytest.approx(float(layout.sensitivity.l1))


@pytest.mark.parametrize("radius", RADII)
@pytest.mark.parametrize("shape", SHAPES)
def test_no_record_moves_the_sums_further_than_is_claimed(shape, radius):
    space = centred(*shape, radius)
    Z = all_records(space) / UNIT
    pair = ScatterLayout(space, "replace-one").sums_sensitivity
    alone = ScatterLayout(space, "add-remove").sums_sensitivity
    l1, l2 = farthest(Z)
    assert l1 <= pair.l1
    assert l2 <= pair.l2_squared
    assert np.abs(Z).sum(axis=1).max() <= alone.l1
    assert (Z**2).sum(axis=1).max() <= alone.l2_squared
    if radius is None:
        assert (l1, l2) == (pair.l1, pair.l2_squared)


@pytest.mark.parametrize("radius", RADII)
@pytest.mark.parametrize("shape", SHAPES)
def test_no_record_is_longer_than_the_largest_square(shape, radius):
    space = centred(*shape, radius)
    longest = (all_records(space) ** 2).sum(axis=1).max()
    assert longest <= space.largest_square * UNIT**2
    assert space.largest_square == largest_square(**space.shape)


def test_a_claim_a_tenth_smaller_is_caught():
    """Positive control: the same comparison fails for sensitivities that are too small."""
    layout, F = entries(centred(0, 3, 0, None), "replace-one")
    l1, _ = farthest(F)
    assert l1 > 0.85 * float(layout.sensitivity.l1)
    layout, F = entries(centred(2, 2, 0, None), "add-remove")
    assert np.abs(F).sum(axis=1).max() > 0.9 * float(layout.sensitivity.l1)


def test_centring_divides_the_noise_of_numbers_by_four():
    from sfumato.privacy.sensitivity import moments

    ratio = moments(20).l1 / scatter(20).l1
    assert 4 < ratio < 4.6
    assert moments(20).l2_squared / scatter(20).l2_squared > 8


def test_the_ball_beats_the_published_scale():
    """A published 2d against √(d(d+3)/2) for the unit ball."""
    for d, gain in ((2, 1.78), (10, 2.48), (100, 2.78)):
        # So small a ball that the box of the ranges never binds.
        ours = scatter(d, width=d, radius=Fraction(1, 100)).l1 * 100**2
        assert 2 * d / ours >= gain


def spectra(Z):
    return np.linalg.eigvalsh(Z.T @ Z)[::-1]


@pytest.mark.parametrize("rank", [1, 2, 3, 4])
def test_eigenvalues_move_no_further_than_is_claimed(rank, rng):
    claimed = eigenvalues(rank, Fraction(1))
    alone = eigenvalues(rank, Fraction(1), "add-remove")
    worst = 0.0
    for _ in range(400):
        Z = rng.normal(size=(rng.integers(1, 6), 4))
        Z /= np.linalg.norm(Z, axis=1, keepdims=True)
        other = Z.copy()
        other[0] = rng.normal(size=4)
        other[0] /= np.linalg.norm(other[0])
        moved = np.abs(spectra(Z) - spectra(other))[:rank]
        worst = max(worst, moved.sum())
        assert moved.sum() <= float(claimed.l1) + 1e-12
        assert (moved**2).sum() <= float(claimed.l2_squared) + 1e-12
        added = np.abs(spectra(Z) - spectra(Z[1:]))[:rank]
        assert added.sum() <= float(alone.l1) + 1e-12
        assert (added**2).sum() <= float(alone.l2_squared) + 1e-12
    assert worst > 0.5


def test_two_orthogonal_records_attain_the_move_of_two_eigenvalues():
    h1, h2 = np.array([1, 1, 1, 1]) / 2, np.array([1, 1, -1, -1]) / 2
    before, after = np.array([h1] * 4 + [h2]), np.array([h1] * 3 + [h2] * 2)
    moved = np.abs(spectra(before) - spectra(after))
    assert moved.sum() == pytest.approx(float(eigenvalues(2, Fraction(1)).l1))


def in_ball(rng, count, rank):
    x = rng.normal(size=(count, rank))
    sparse = rng.random((count, rank)) < 0.5
    x = np.where(sparse & (np.arange(count) % 3 == 0)[:, None], 0, x)
    signs = np.where(np.arange(count)[:, None] % 5 == 0, np.sign(x) + (x == 0), x)
    return signs / np.maximum(np.linalg.norm(signs, axis=1, keepdims=True), 1e-300)


def triangle(Z):
    i, j = np.triu_indices(Z.shape[1])
    return Z[:, i] * Z[:, j]


@pytest.mark.parametrize("rank", [1, 2, 3, 6])
def test_regression_moments_move_no_further_than_is_claimed(rank, rng):
    pair, alone = regression(rank), regression(rank, "add-remove")
    x = np.vstack([in_ball(rng, 300, rank), np.zeros((2, rank)), np.ones((1, rank)) / rank**0.5])
    y = np.where(np.arange(len(x)) % 2, 1.0, -1.0)
    Z = np.vstack([np.column_stack([x, s * y]) for s in (1, -1, 0)])
    for part, F in ((0, Z), (1, triangle(Z))):
        claimed, single = (pair.sums, alone.sums) if part == 0 else (pair.second, alone.second)
        l1, l2 = farthest(F)
        assert l1 <= float(claimed.l1) + 1e-9
        assert l2 <= float(claimed.l2_squared) + 1e-9
        assert np.abs(F).sum(axis=1).max() <= float(single.l1) + 1e-9
        assert (F**2).sum(axis=1).max() <= float(single.l2_squared) + 1e-9
    if rank == 1:
        assert farthest(triangle(Z))[0] == pytest.approx(float(pair.second.l1))


@pytest.mark.parametrize("rank", [1, 2, 3, 6])
def test_class_moments_in_a_ball_move_no_further_than_is_claimed(rank, rng):
    pair, alone = mixture(rank, 3), mixture(rank, 3, "add-remove")
    x = np.vstack([in_ball(rng, 120, rank), np.ones((1, rank)) / rank**0.5])
    x = np.vstack([x, -x])
    for part, F in (("counts", np.ones((len(x), 1))), ("sums", x), ("second", triangle(x))):
        by_class = np.vstack([np.kron(np.eye(3)[c], F) for c in (0, 1)])
        l1, l2 = farthest(by_class)
        assert l1 <= float(getattr(pair, part).l1) + 1e-9
        assert l2 <= float(getattr(pair, part).l2_squared) + 1e-9
        assert l1 == pytest.approx(float(getattr(pair, part).l1))  # the claim is attained
        assert np.abs(F).sum(axis=1).max() <= float(getattr(alone, part).l1) + 1e-9
        assert (F**2).sum(axis=1).max() <= float(getattr(alone, part).l2_squared) + 1e-9
    assert mixture(rank, 2).counts.l1 == 1


def test_sums_of_two_records_in_a_ball_are_two_radii_apart():
    assert sums(3, width=3, radius=Fraction(1, 4)).l2_squared == Fraction(1, 4)
