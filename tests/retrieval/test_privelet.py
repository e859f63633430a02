"""Haar sums and differences: exact transform, sensitivity, law of the noise, variances."""

from itertools import product
from math import exp, log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import chi2, chisquare

from sfumato.errors import ParameterError
from sfumato.numeric.haar import haar, levels, node_sizes, rebuilt
from sfumato.privacy.guarantee import ZCDP, PureDP
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SeededBits
from sfumato.retrieval.histogram import Histogram
from sfumato.retrieval.privelet import Wavelet
from slowness import slow

FALSE_ALARM = 1e-6  # chance that a right mechanism fails one statistical test
COUNTS = arrays(np.int64, st.integers(2, 70), elements=st.integers(0, 2**20))


def tree(length, neighbours, budget, records=0):
    return Wavelet(length, neighbours, budget, records if neighbours == "replace-one" else None)


@given(COUNTS)
def test_the_transform_is_undone_exactly(values):
    assert rebuilt(haar(values))[: values.size].tolist() == values.tolist()


@given(COUNTS, st.randoms())
def test_inner_products_are_those_of_weighted_coefficients(values, random):
    query = np.array([random.randint(-3, 3) for _ in values], float)
    weights = haar(query) / node_sizes(query.size)
    assert float(haar(values) @ weights) == pytest.approx(float(values @ query), abs=1e-6)


@pytest.mark.parametrize("length", [2, 3, 4, 5, 7, 8, 13, 16])
@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
def test_brute_force_never_exceeds_the_sensitivity_and_attains_it(length, neighbours):
    """All places a record can have, and all places it can move to."""
    way, unit = tree(length, neighbours, PureDP(1)), np.eye(length, dtype=np.int64)
    base = np.arange(length)
    if neighbours == "add-remove":
        moves = [way.query(base + unit[i]) - way.query(base) for i in range(length)]
    else:
        places = product(range(length), repeat=2)
        moves = [way.query(base + unit[i]) - way.query(base + unit[j]) for i, j in places]
    assert max(int(np.abs(m).sum()) for m in moves) == way.sensitivity.l1
    assert max(int(m @ m) for m in moves) == way.sensitivity.l2_squared


@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
def test_what_a_record_moves_over_the_scales_adds_up_to_epsilon(neighbours):
    """On each level at most 1 (2 when replaced): the sum over levels of 1/scale is ε."""
    way = tree(16, neighbours, PureDP(1))
    moved = {"add-remove": levels(16) + 1, "replace-one": 2 * levels(16)}[neighbours]
    assert moved / way.noise.event.noise == 1


@pytest.mark.parametrize(("error", "passes"), [(1, True), (0.95, False), (1.05, False)])
def test_the_noise_on_coefficients_has_the_stated_scale_and_no_other(error, passes):
    n = 2**17
    way = tree(n, "add-remove", PureDP(9))
    values = np.arange(n) % 5
    noise = way.perturb(values, Purse(PureDP(9), SeededBits(2))) - haar(values)
    p = exp(-1 / (18 / 9 * error))
    places = np.arange(-15, 16)
    chances = (1 - p) / (1 + p) * p ** np.abs(places)
    found = np.array([(noise == k).sum() for k in places])
    seen, expected = [*found, n - found.sum()], [*(chances * n), n * (1 - chances.sum())]
    assert (chisquare(seen, expected).pvalue > FALSE_ALARM) == passes


@pytest.mark.parametrize(("error", "passes"), [(1, True), (0.5, False), (2, False)])
@pytest.mark.parametrize("budget", [PureDP(1), ZCDP("0.5")])
@pytest.mark.parametrize("neighbours", ["add-remove", slow("replace-one")])
def test_answers_vary_as_much_as_public_facts_say(neighbours, budget, error, passes):
    """Many independent trees; the sum of squares of many noises is close to Gaussian."""
    length, draws = 50, 800
    way = tree(length, neighbours, budget)
    query = np.zeros(length)
    query[3:41] = 1
    zeros, bits = np.zeros(length, np.int64), SeededBits(4)
    answers = [way.published(zeros, Purse(budget, bits)) @ query for _ in range(draws)]
    total = np.square(answers).sum() / (way.share(query).variance * error)
    # Heavier tails than the Gaussian's widen the statistic: kurtosis below 6 at one Laplace.
    wide = (chi2.isf(FALSE_ALARM / 2, draws) - draws) * np.sqrt(5 / 2)
    assert (abs(total - draws) < wide) == passes


def test_long_ranges_are_for_the_tree_and_single_keys_are_not():
    length = 2**14
    one, many = (way(length, "add-remove", PureDP(1)) for way in (Histogram, Wavelet))
    single, long = np.zeros(length), np.zeros(length)
    single[77], long[1000:14_000] = 1, 1
    assert many.share(long).variance < one.share(long).variance / 10
    assert one.share(single).variance < many.share(single).variance / 10


@given(st.integers(2, 400), st.data())
def test_a_range_never_weighs_more_than_its_two_ends(length, data):
    """Σ weights² ≤ 1 + 2h/4 for every range: the bound of the proof page."""
    start = data.draw(st.integers(0, length - 1))
    stop = data.draw(st.integers(start + 1, length))
    query = np.zeros(length)
    query[start:stop] = 1
    weights = tree(length, "add-remove", PureDP(1)).share(query).weights
    assert float(weights @ weights) <= 1 + 2 * levels(length) / 4


def test_a_public_number_of_records_is_published_as_it_is():
    way = tree(6, "replace-one", PureDP(1), records=15)
    found = way.perturb(np.arange(6), Purse(PureDP(1), SeededBits(1)))
    assert (found[0], found.size, way.query(np.arange(6)).size) == (15, 8, 7)
    with pytest.raises(ParameterError, match="records must be given"):
        Wavelet(6, "replace-one", PureDP(1))


def test_the_tree_is_as_high_as_it_must_be():
    assert [levels(n) for n in (2, 3, 4, 5, 1024, 1025)] == [1, 2, 2, 3, 10, 11]
    assert all(node_sizes(2**k).size == 2**k == 2 ** int(log2(2**k)) for k in range(1, 8))
