"""The mutual protocol: promises, variance, bounds; what the thesis claims and does not hold."""

from fractions import Fraction
from itertools import product
from math import exp, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, chisquare

from sfumato.errors import ParameterError
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SeededBits
from sfumato.retrieval.mutual import (
    Answering,
    QueryPromise,
    coefficients,
    restored,
    sample_size,
    sampled_threshold,
    sparse,
)
from sfumato.retrieval.tail import sub_exponential

FALSE_ALARM = 1e-6  # chance that a right mechanism fails one statistical test


def noises(scale, shape, seed=1):
    """Draws of the query noise: a promise of 1/scale on a query of zeros."""
    size = int(np.prod(shape))
    promise = QueryPromise(1 / Fraction(scale), size)
    return promise.noisy(np.zeros(size, np.int64), SeededBits(seed)).reshape(shape)


@pytest.mark.parametrize("length", [2, 3, 4])
def test_the_promise_is_the_distance_between_queries(length):
    """All pairs of keyword queries: the loss of independent noises is ε times their ℓ₁ distance."""
    promise = QueryPromise(1, length)
    queries = [np.array(bits) for bits in product((0, 1), repeat=length)]
    apart = [(a, b, int(np.abs(a - b).sum())) for a in queries for b in queries]
    assert promise.toggled == min(d for _, _, d in apart if d)
    replaced = [d for a, b, d in apart if a.sum() == b.sum() and d == 2]
    assert {promise.replaced} == set(replaced)
    for k in range(1, length + 1):
        most = max(d for a, b, d in apart if a.sum() <= k and b.sum() <= k)
        assert promise.any_of(k) == most
    assert promise.anything == max(d for _, _, d in apart)


@pytest.mark.parametrize(("error", "passes"), [(1, True), (0.9, False), (1.1, False)])
def test_the_noise_on_a_query_has_the_stated_scale_and_no_other(error, passes):
    n = 100_000
    query = np.arange(n) % 2
    noise = QueryPromise("0.5", n).noisy(query, SeededBits(3)) - query
    p = exp(-0.5 / error)
    places = np.arange(-12, 13)
    chances = (1 - p) / (1 + p) * p ** np.abs(places)
    found = np.array([(noise == k).sum() for k in places])
    seen, expected = [*found, n - found.sum()], [*(chances * n), n * (1 - chances.sum())]
    assert (chisquare(seen, expected).pvalue > FALSE_ALARM) == passes


def answers(x, y, server, promise, draws, seed=0):
    """What the protocol answers, and what the client sent, many times over."""
    ours, theirs = server.noise(draws), SeededBits(seed)
    units = np.ones(draws * x.size, np.int64)
    tiled = np.tile(x, draws)
    noisy = Purse(ours.cost, SeededBits(seed + 1)).pay(ours).add(tiled, units)
    sent = np.array([promise.noisy(y, theirs) for _ in range(draws)])
    return (noisy.reshape(draws, -1) * sent).sum(axis=1), sent


def case(length=64, seed=0):
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 60, length), rng.integers(0, 2, length)
    return x, y, Answering(length, "replace-one", "0.5"), QueryPromise(1, length)


def test_answers_are_unbiased_with_the_stated_variance():
    x, y, server, promise = case()
    found, _ = answers(x, y, server, promise, 4000)
    spread = server.variance(x.astype(float), y.astype(float), promise) ** 0.5
    five = 5 / 4000**0.5  # standard errors: one in two million
    assert abs(found.mean() - x @ y) < five * spread
    assert found.std() == pytest.approx(spread, rel=0.1)
    # Theorem 9.2.1 of the thesis: the expected size of the error would be 0.
    assert np.abs(found - x @ y).mean() > spread / 2


@pytest.mark.parametrize(("factor", "covered"), [(1.0, True), (0.1, False)])
def test_the_bound_of_the_client_covers_what_it_does_not_know(factor, covered):
    x, y, server, promise = case()
    found, sent = answers(x, y, server, promise, 400)
    norm = float(np.linalg.norm(x))
    far = np.array([server.radius(y, q.astype(float), norm, 0.05) for q in sent])
    inside = int((np.abs(found - x @ y) <= far * factor).sum())
    assert (binomtest(inside, 400, 0.95, "less").pvalue > FALSE_ALARM) == covered


@pytest.mark.parametrize(("factor", "covered"), [(1.0, True), (0.05, False)])
def test_the_bound_before_any_noise_covers_all_answers(factor, covered):
    x, y, server, promise = case()
    found, _ = answers(x, y, server, promise, 2000)
    far = server.reach(x.astype(float), y.astype(float), promise, 0.05) * factor
    inside = int((np.abs(found - x @ y) <= far).sum())
    assert (binomtest(inside, 2000, 0.95, "less").pvalue > FALSE_ALARM) == covered


@pytest.mark.parametrize(("factor", "covered"), [(1.0, True), (0.2, False)])
def test_the_closed_form_covers_a_weighted_sum(factor, covered):
    weights = np.array([3.0, 1.0, 1.0, 0.5])
    sums = noises(2, (4000, 4)) @ weights
    far = sub_exponential(2.0, 3.0, float(np.linalg.norm(weights)), log(2 / 0.05))
    inside = int((np.abs(sums) <= far * factor).sum())
    assert (binomtest(inside, 4000, 0.95, "less").pvalue > FALSE_ALARM) == covered


def test_the_lower_bound_9_3_of_the_thesis_is_false():
    x, y = np.array([1.0, -1.0]), np.array([1.0, 1.0])
    assert np.abs(y).min() * np.linalg.norm(x) > abs(x @ y)


def test_theorem_9_2_3_of_the_thesis_holds_in_few_draws():
    """x = (1, 100, …, 100, 0, …), y = (1, 0, …, 0, 1, …): it is claimed for every draw."""
    n, epsilon, draws = 64, 0.5, 500
    x = np.array([1] + [100] * 31 + [0] * 32)
    y = np.array([1] + [0] * 31 + [1] * 32)
    server, promise = Answering(n, "add-remove", epsilon), QueryPromise(epsilon, n)
    found, sent = answers(x, y, server, promise, draws)
    noise, size = np.linalg.norm(sent - y, axis=1), np.linalg.norm(sent, axis=1)
    wide = np.sqrt(2 * n) / epsilon
    smallest = np.maximum(np.abs(sent).min(axis=1), 1e-9)
    claimed = noise + wide * size / (np.abs(found) / smallest + wide)
    held = np.abs(found - x @ y) / (x @ y) <= claimed
    assert held.mean() < 0.1


@given(st.lists(st.integers(-50, 50), min_size=2, max_size=40))
def test_coefficients_keep_inner_products_and_can_be_undone(values):
    x, y = np.array(values, float), np.array(values[::-1], float)
    assert coefficients(x) @ coefficients(y) == pytest.approx(x @ y, abs=1e-6)
    assert restored(coefficients(x), x.size) == pytest.approx(x, abs=1e-9)


def test_the_bound_counts_what_sparse_coefficients_leave_out():
    x, y, server, promise = case(256)
    noisy = promise.noisy(y, SeededBits(2))
    found = coefficients(noisy)
    threshold = sampled_threshold(found, "0.2", "0.05", SeededBits(3))
    kept = sparse(found, threshold)
    assert 0.2 < np.mean(kept != 0) < 0.7
    sent = restored(kept, 256)
    norm = float(np.linalg.norm(x))
    off = abs(x @ sent - x @ y)
    assert off <= server.radius(y, sent, norm, 0.05)
    # Without what was left out, the bound of the full query would be too small here or there.
    assert server.radius(y, sent, norm, 0.05) != server.radius(y, noisy.astype(float), norm, 0.05)


@pytest.mark.parametrize(("claim", "covered"), [("Hoeffding", True), ("thesis", False)])
def test_the_sampled_mean_of_sizes_is_as_near_as_it_says(claim, covered):
    """Theorem 9.4.1 has n ≥ max(w) (2 + σ)/σ² ln(2/λ): the range must enter squared."""
    error, chance, draws = 1, 0.05, 400
    bits = SeededBits(4)
    found = np.tile([0.0, -100.0], 50_000)
    n = {
        "Hoeffding": sample_size(100.0, error, chance),
        "thesis": int(100 * 3 * log(2 / chance)) + 1,
    }[claim]
    assert claim == "Hoeffding" or n == 1107
    if claim == "Hoeffding":
        means = np.array([sampled_threshold(found, error, chance, bits) for _ in range(draws)])
    else:
        rng = np.random.default_rng(0)
        means = np.abs(rng.choice(found, (draws, n))).mean(axis=1)
    inside = int((np.abs(means - 50) <= error).sum())
    assert (binomtest(inside, draws, 1 - chance, "less").pvalue > FALSE_ALARM) == covered


def test_two_wavelet_bases_do_not_give_a_multiple_of_the_inner_product():
    """Section 9.3 says C · (wᵀw); plain sums and differences are another basis."""
    x, y = np.array([1.0, 0, 0, 0]), np.array([0, 1.0, 0, 0])
    other = np.array([0.25, 0.25, 0.5, 0])  # averages in place of orthonormal figures
    assert x @ y == 0
    assert coefficients(y) @ other != 0


def test_queries_that_do_not_fit_are_refused():
    promise = QueryPromise(1, 4)
    with pytest.raises(ParameterError, match="must have 4 numbers"):
        promise.noisy(np.ones(3, np.int64), SeededBits(1))
    with pytest.raises(ParameterError, match="whole numbers"):
        promise.noisy(np.full(4, 0.5), SeededBits(1))
    with pytest.raises(ParameterError, match="keywords must be from 1 to 4"):
        promise.any_of(5)
    with pytest.raises(ParameterError, match="epsilon"):
        QueryPromise(0, 4)
    with pytest.raises(ParameterError, match="neighbours"):
        Answering(4, "nobody", 1)
    with pytest.raises(ParameterError, match="chance"):
        sub_exponential(1.0, 1.0, 1.0, 0.0)
