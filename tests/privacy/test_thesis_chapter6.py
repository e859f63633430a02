"""What Liu 2015 says of differential privacy in chapters 6 and 10.1, right and wrong.

Each statement that is false in print is here with the event that refutes it, next to the
statement that is true, so that neither can come back unnoticed.
"""

from math import exp, inf, log, sinh

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import expon, gamma, laplace

from sfumato.accuracy.small_values import averaged
from sfumato.privacy.guarantee import PureDP, compose
from sfumato.privacy.response import RandomizedResponse
from sfumato.privacy.subsample import disjoint

EPSILONS = [0.1, 0.5, 1.0, 2.0]


def loss(p, q):
    """The largest log ratio between two laws on the same outcomes; infinite if one rules out."""
    p, q = np.asarray(p, float), np.asarray(q, float)
    if ((p > 0) != (q > 0)).any():
        return inf
    seen = p > 0
    return float(np.abs(np.log(p[seen] / q[seen])).max())


def rounded_laplace(epsilon, value=0.0, outcomes=range(-40, 42)):
    """Law of a value plus Laplace(1/ε), rounded to whole numbers."""
    edges = np.arange(min(outcomes), max(outcomes) + 2) - 0.5
    # Lower tails on the left and upper tails on the right, for digits far out on both sides.
    below = np.diff(laplace.cdf(edges, value, 1 / epsilon))
    above = -np.diff(laplace.sf(edges, value, 1 / epsilon))
    return np.where(edges[:-1] < value, below, above)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_one_sided_noise_has_an_event_of_infinite_loss(epsilon):
    """Theorems 6.2.2 and 8.3.1: a value in [0, 1) proves that the bit was 0."""
    edges = np.array([0, 1, 2, 3, inf])
    zero, one = (np.diff(expon.cdf(edges, bit, 1 / epsilon)) for bit in (0, 1))
    assert loss(zero, one) == inf
    assert zero[0] == pytest.approx(1 - exp(-epsilon))
    assert one[0] == 0
    two_sided = [np.diff(laplace.cdf([-inf, *edges], bit, 1 / epsilon)) for bit in (0, 1)]
    assert loss(*two_sided) <= epsilon + 1e-12


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("stated", [0, 1, 5, 50])
def test_one_sided_noise_is_not_even_approximately_private(epsilon, stated):
    """δ at every stated ε' is 1 − e^−ε; at ε' = 0 that is the total variation distance."""

    def excess(x):
        return max(0.0, expon.pdf(x, 0, 1 / epsilon) - exp(stated) * expon.pdf(x, 1, 1 / epsilon))

    delta = quad(excess, 0, 1)[0] + quad(excess, 1, 200 / epsilon, limit=200)[0]
    assert delta == pytest.approx(1 - exp(-epsilon), abs=1e-7)


@pytest.mark.parametrize(("bits", "chance"), [(1, 0.632), (2, 0.264), (5, 0.0037), (10, 1.1e-7)])
def test_sums_of_one_sided_noise_keep_the_event(bits, chance):
    assert gamma.cdf(1, bits) == pytest.approx(chance, rel=0.02)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_randomized_response_loses_epsilon_with_less_variance_than_one_sided_noise(epsilon):
    mechanism = RandomizedResponse("bit", PureDP(epsilon))
    q = mechanism.flip_probability
    assert loss([1 - q, q], [q, 1 - q]) == pytest.approx(epsilon)
    assert mechanism.variance < 1 / epsilon**2 < 2 / epsilon**2


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_rounding_the_output_costs_nothing(epsilon):
    """Theorem 6.2.3 charges 2ε; the largest log ratio of counts is ε, and it is reached."""
    here, there = rounded_laplace(epsilon, 0), rounded_laplace(epsilon, 1)
    assert loss(here, there) == pytest.approx(epsilon, rel=1e-9)
    assert here[40] == pytest.approx(1 - exp(-epsilon / 2))
    assert here[43] == pytest.approx(sinh(epsilon / 2) * exp(-3 * epsilon))
    for value in (0.3, 0.5, -7.25):  # whatever the value is
        pair = (rounded_laplace(epsilon, value), rounded_laplace(epsilon, value + 1))
        assert loss(*pair) <= epsilon * (1 + 1e-9)


def test_the_ratio_at_the_centre_is_0_719_at_epsilon_1():
    here, there = rounded_laplace(1, 0), rounded_laplace(1, 1)
    assert log(here[40] / there[40]) == pytest.approx(0.719, abs=5e-4)


def test_rounding_the_noise_instead_tells_neighbours_apart_for_certain():
    """Definition 6.2.10: f + [e] has the support f + Z, which 0 and 0.5 do not share."""
    noise = np.rint(laplace.rvs(size=1000, random_state=0))
    zero, half = set((0 + noise).tolist()), set((0.5 + noise).tolist())
    assert not zero & half
    rounded = set(np.rint(0.5 + laplace.rvs(size=1000, random_state=1)).tolist())
    assert zero & rounded  # rounding the sum mixes them again


@given(st.lists(st.integers(0, 3), min_size=82, max_size=82))
def test_post_processing_by_any_function_loses_no_more(function):
    """Not only by the linear functions that the chapter speaks of."""
    here, there = rounded_laplace(1, 0), rounded_laplace(1, 1)
    merged = [np.bincount(function, weights=law, minlength=4) for law in (here, there)]
    assert loss(*merged) <= 1 + 1e-9


def test_losses_of_several_answers_about_one_record_add_up():
    laws = [(rounded_laplace(e, 0), rounded_laplace(e, 1)) for e in (0.5, 1)]
    joint = [np.multiply.outer(one, other) for one, other in zip(*laws, strict=True)]
    together = compose(PureDP("0.5"), PureDP(1))
    assert loss(*joint) == pytest.approx(float(together.epsilon))


@pytest.mark.parametrize(("first", "second"), [(0.5, 0.5), (0.3, 0.7)])
def test_noise_in_two_parts_of_a_budget_is_only_more_noise(first, second):
    """d + e1 + e2 is said to boost accuracy; it is min(ε1, ε2)-private with a larger variance."""
    wide = np.arange(-600, 601)  # whole-number noise, so that the sum is a convolution
    one, other, undivided = (np.exp(-e * np.abs(wide)) for e in (first, second, first + second))
    both = np.convolve(one, other, mode="same")

    def variance(law):
        return float(wide**2 @ law / law.sum())

    assert variance(both) > 4 * variance(undivided)
    middle = both[200:-200]
    least = min(first, second)
    assert 0.99 * least < loss(middle[:-1], middle[1:]) <= least * (1 + 1e-9)


def test_parallel_composition_is_a_statement_about_records_that_come_or_go():
    """Where a record may change its group, two groups are seen to change."""
    parts = PureDP(1), PureDP(1)
    noise = rounded_laplace(1, 0), rounded_laplace(1, 1)
    joined = [np.multiply.outer(noise[a], noise[b]) for a, b in ((0, 1), (1, 0), (0, 0))]
    moved, gone = loss(joined[0], joined[1]), loss(joined[0], joined[2])
    assert gone == pytest.approx(float(disjoint(*parts, neighbours="add-remove").epsilon))
    assert moved == pytest.approx(float(disjoint(*parts, neighbours="replace-one").epsilon))
    assert moved == pytest.approx(2 * gone)


@pytest.mark.parametrize(
    ("groups", "apart"), [(1, 0.093), (10, 0.277), (100, 0.737), (1000, 0.9996)]
)
def test_averaging_groups_of_noise_tells_neighbours_apart(groups, apart):
    """Section 10.1; the figure also by inverting the characteristic function of the noise."""
    found = averaged(groups, 10, 1.0).told_apart
    assert found == pytest.approx(apart, abs=5e-4)
    half = groups / 2

    def kernel(t):
        return half * np.sinc(t * half / np.pi) * (1 + t * t) ** (-10.0 * groups)

    inverted = 2 / np.pi * quad(kernel, 0, 12 / np.sqrt(groups), limit=500)[0]
    assert found == pytest.approx(inverted, abs=1e-6)


@pytest.mark.parametrize("groups", [2, 4])
def test_the_tails_of_averaged_noise_lose_as_much_as_all_the_groups(groups):
    """Sequential composition: n answers about one record lose n ε."""
    wide = np.arange(-900, 901)
    noise = np.exp(-0.5 * np.abs(wide))  # ε = 1/2 per step
    total = noise
    for _ in range(groups - 1):
        total = np.convolve(total, noise, mode="same")
    total = total[500:-500]
    found = loss(total[:-groups], total[groups:])
    whole = compose(*[PureDP("0.5")] * groups)
    assert 0.95 * float(whole.epsilon) < found <= float(whole.epsilon)
    assert found > 0.5 * 1.5  # and not the ε that the section claims
