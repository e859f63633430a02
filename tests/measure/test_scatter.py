"""Second moments about the centre: exact integers, whatever the order, and what they mean."""

import numpy as np
import pyarrow as pa
import pytest

from neighbours import schema
from sfumato.example import CLINIC, clinic
from sfumato.measure.scatter import Scatter, exact_scatter
from sfumato.privacy.guarantee import ZCDP, PureDP
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SeededBits
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.synopsis.centred import UNIT, Centred
from sfumato.synopsis.scatter import ScatterLayout
from sfumato.table.records import Records
from sfumato.table.source import open_source

DOMAIN = Domain.of(Schema.parse(CLINIC))
PATIENTS = clinic(700)


def records(table=PATIENTS):
    return Records(open_source(table), DOMAIN)


def by_hand(space, table=PATIENTS):
    """The same sums in Python integers."""
    codes = np.vstack(list(records(table).parts()))
    Z = space.design(codes).astype(np.int64).astype(object)
    return Z.sum(axis=0), Z.T @ Z


@pytest.mark.parametrize("radius", [None, "1.2"])
def test_the_query_is_the_sum_of_python_integers(radius):
    space = Centred.of(DOMAIN, radius)
    layout = ScatterLayout(space, "replace-one")
    entries, sums = Scatter(layout, PureDP(1)).query(records())
    total, second = by_hand(space)
    assert (sums == total).all()
    assert (entries == second[layout.triangle]).all()


def test_the_order_and_cut_of_the_records_change_nothing(rng):
    layout = ScatterLayout(Centred.of(DOMAIN, "1.1"), "add-remove")
    first = exact_scatter(layout, records())
    shuffled = PATIENTS.take(pa.array(rng.permutation(PATIENTS.num_rows)))
    pieces = pa.concat_tables([shuffled.slice(0, 13), shuffled.slice(13)])
    second = exact_scatter(layout, records(pieces))
    for a, b in zip(first, second, strict=True):
        assert np.array_equal(a, b)


@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
@pytest.mark.parametrize("radius", [None, "1.2"])
def test_with_little_noise_the_covariance_is_that_of_the_records(neighbours, radius):
    space = Centred.of(DOMAIN, radius)
    layout = ScatterLayout(space, neighbours)
    limit = PureDP(10**9)
    scatter = Scatter(layout, PureDP(10**8), PureDP(10**8))
    synopsis = scatter.perturb(records(), Purse(limit, SeededBits(1)))
    codes = np.vstack(list(records().parts()))
    Z = space.design(codes) / UNIT
    assert np.allclose(synopsis.covariance, np.cov(Z.T, bias=True), atol=1e-5)
    assert np.allclose(synopsis.second, Z.T @ Z / len(Z), atol=1e-5)


def test_squares_of_two_valued_features_are_known_without_asking():
    layout = ScatterLayout(Centred.of(DOMAIN), "replace-one")
    scatter = Scatter(layout, ZCDP(1))
    synopsis = scatter.perturb(records(), Purse(ZCDP(1), SeededBits(1)))
    fixed = layout.fixed_squares
    assert fixed.any()
    assert (np.diag(synopsis.second)[fixed] == 0.25).all()
    assert not ScatterLayout(Centred.of(DOMAIN, "1"), "replace-one").fixed_squares.any()


def test_without_a_budget_for_sums_the_centre_is_the_public_one():
    layout = ScatterLayout(Centred.of(Domain.of(schema())), "replace-one")
    assert Scatter(layout, PureDP(1)).sums_noise is None
    assert len(Scatter(layout, PureDP(1)).events) == 1


def test_dummies_of_one_block_have_no_released_product():
    space = Centred.of(DOMAIN)
    layout = ScatterLayout(space, "replace-one")
    block = [item.block for item in space.features.items]
    pairs = list(zip(*layout.triangle, strict=True))
    assert not any(i != j and block[i] is not None and block[i] == block[j] for i, j in pairs)
