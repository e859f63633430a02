"""What a secret sample and disjoint parts promise: by enumeration, and rounded the right way."""

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations, product
from math import comb, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from sfumato.errors import ParameterError
from sfumato.privacy.guarantee import PureDP
from sfumato.privacy.randomness import SeededBits
from sfumato.privacy.response import RandomizedResponse
from sfumato.privacy.subsample import amplified, disjoint, secret_sample, within_amplified

FALSE_ALARM = 1e-6  # chance that a right mechanism fails one statistical test


def law_of_the_sum(bits, size, epsilon):
    """Exact law of how many of `size` sampled bits are answered by one."""
    q = RandomizedResponse("bits", PureDP(epsilon)).flip_probability
    law = np.zeros(size + 1)
    for sample in combinations(bits, size):
        one = np.array([1.0])
        for bit in sample:
            one = np.convolve(one, [q, 1 - q] if bit else [1 - q, q])
        law += one
    return law / comb(len(bits), size)


def worst_loss(law, population):
    """The largest log ratio over all neighbouring streams and outcomes."""
    rests = product((0, 1), repeat=population - 1)
    return max(np.abs(np.log(law((0, *rest)) / law((1, *rest)))).max() for rest in rests)


@pytest.mark.parametrize(
    ("size", "population", "epsilon"), [(2, 5, 1), (1, 4, 2), (3, 4, 0.5), (4, 6, 3), (5, 5, 1)]
)
def test_enumeration_attains_the_amplified_loss_and_never_exceeds_it(size, population, epsilon):
    found = worst_loss(lambda bits: law_of_the_sum(bits, size, epsilon), population)
    stated = float(amplified(PureDP(epsilon), size, population).epsilon)
    assert found == pytest.approx(stated, abs=1e-9)


def test_two_of_five_bits_at_epsilon_1_lose_0_52314():
    assert float(amplified(PureDP(1), 2, 5).epsilon) == pytest.approx(0.52314, abs=5e-6)


def test_integer_noise_on_a_sampled_count_stays_within_the_amplified_loss():
    """Another base mechanism: a discrete Laplace of scale 1 on the count of the sample."""
    values = np.arange(-60, 64)

    def law(bits):
        shifted = [np.exp(-np.abs(values - sum(s))) for s in combinations(bits, 2)]
        return np.mean(shifted, axis=0)

    assert worst_loss(law, 5) <= float(amplified(PureDP(1), 2, 5).epsilon)
    assert worst_loss(law, 5) > 0.5


sizes = st.integers(1, 10**6)
epsilons = st.fractions(Fraction(1, 10**9), 40, max_denominator=10**9)


def true_amplified(epsilon, share):
    with localcontext(prec=150):
        e, p = (Decimal(x.numerator) / Decimal(x.denominator) for x in (epsilon, share))
        return Fraction((1 + p * (e.exp() - 1)).ln())


@given(epsilons, sizes, sizes)
def test_a_promise_is_rounded_up_and_by_no_more_than_needed(epsilon, size, more):
    stated = amplified(PureDP(epsilon), size, size + more).epsilon
    truth = true_amplified(epsilon, Fraction(size, size + more))
    assert truth <= stated <= min(truth + Fraction(2, 10**12), epsilon)


@given(epsilons, sizes, sizes)
def test_what_may_be_spent_on_a_sample_amounts_to_the_total_and_never_more(epsilon, size, more):
    total = PureDP(epsilon)
    base = within_amplified(total, size, size + more)
    assert base.epsilon >= epsilon
    assert amplified(base, size, size + more).epsilon <= epsilon
    beyond = base.epsilon + Fraction(3, 10**12)  # a little more would be too much
    share = Fraction(size, size + more)
    assert true_amplified(beyond, share) > epsilon - Fraction(1, 10**12)


def test_a_sample_of_everything_amplifies_nothing():
    assert amplified(PureDP("0.3"), 7, 7) == PureDP("0.3") == within_amplified(PureDP("0.3"), 7, 7)


def test_budgets_at_both_ends_keep_their_promise():
    huge, tiny = PureDP(10**9), PureDP("1e-15")
    assert log(10) - 1e-9 < 10**9 - amplified(huge, 1, 10).epsilon <= log(10)
    assert amplified(tiny, 1, 10).epsilon <= tiny.epsilon
    assert within_amplified(tiny, 1, 10) == tiny  # below the smallest step nothing is gained


@pytest.mark.parametrize(("size", "population"), [(0, 5), (6, 5), (-1, 5)])
def test_samples_that_do_not_exist_are_refused(size, population):
    for refused in (amplified, within_amplified):
        with pytest.raises(ParameterError, match=f"size must be from 1 to {population}"):
            refused(PureDP(1), size, population)
    with pytest.raises(ParameterError, match=f"size must be from 1 to {population}"):
        secret_sample(size, population, SeededBits(1))


def smallest_of_more(size, population, bits):
    """A plausible mistake: the smallest of the different values, where there is one too many."""
    return secret_sample(size + 1, population, bits)[:size]


@pytest.mark.parametrize(("sampler", "passes"), [(secret_sample, True), (smallest_of_more, False)])
@pytest.mark.parametrize(("size", "population"), [(2, 6), (4, 6), (3, 7)])
@pytest.mark.long
def test_every_sample_is_equally_likely(size, population, sampler, passes):
    bits = SeededBits(11)
    samples = {sample: i for i, sample in enumerate(combinations(range(population), size))}
    found = [samples[tuple(sampler(size, population, bits).tolist())] for _ in range(6_000)]
    counts = np.bincount(found, minlength=len(samples))
    assert (chisquare(counts).pvalue > FALSE_ALARM) == passes


def test_a_sample_of_all_is_all_and_a_large_one_has_no_place_twice():
    assert secret_sample(5, 5, SeededBits(1)).tolist() == [0, 1, 2, 3, 4]
    places = secret_sample(40_000, 100_000, SeededBits(1))
    assert (np.diff(places) > 0).all()
    assert 0 <= places[0] < places[-1] < 100_000


def enumerated(*parts):
    """Worst loss of two noisy group counts: if a record comes or goes, and if one is replaced."""
    values = np.arange(-40, 44)

    def law(table):
        counts = [sum(record == group for record in table) for group in (0, 1)]
        laws = [
            np.exp(-float(part.epsilon) * np.abs(values - count))
            for part, count in zip(parts, counts, strict=True)
        ]
        return np.multiply.outer(*laws)

    def loss(one, other):
        return np.abs(np.log(law(one) / law(other))).max()

    rests = list(product((0, 1), repeat=2))
    comes = max(loss((a, *rest), rest) for rest in rests for a in (0, 1))
    moves = max(loss((a, *rest), (b, *rest)) for rest in rests for a in (0, 1) for b in (0, 1))
    return comes, moves


@pytest.mark.parametrize(("one", "other"), [("1", "0.5"), ("1", "1"), ("0.2", "2")])
def test_parts_lose_the_largest_if_a_record_comes_and_at_most_twice_that_if_it_moves(one, other):
    parts = PureDP(one), PureDP(other)
    comes, moves = enumerated(*parts)
    assert comes == pytest.approx(float(disjoint(*parts, neighbours="add-remove").epsilon))
    assert comes < moves <= float(disjoint(*parts, neighbours="replace-one").epsilon) + 1e-12


def test_twice_the_largest_is_attained_where_two_parts_lose_the_same():
    parts = PureDP(1), PureDP(1)
    stated = disjoint(*parts, neighbours="replace-one")
    assert enumerated(*parts)[1] == pytest.approx(float(stated.epsilon))


def test_no_parts_are_refused():
    with pytest.raises(ParameterError, match="at least one promise"):
        disjoint(neighbours="add-remove")
