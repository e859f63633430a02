"""Exact decisions: bounds that bracket, ties that only more bits break, and the self-test."""

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import floor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from sfumato.errors import Refused
from sfumato.privacy import enclosure
from sfumato.privacy.enclosure import Uniform, bernoulli_exp, floor_exponential, self_test
from sfumato.privacy.randomness import SeededBits, SystemBits

FALSE_ALARM = 1e-6
FINE = Context(prec=120)
LOG, EXP = np.log, np.exp  # the true ones, for those that are spoilt on purpose
SCALES = st.fractions(min_value=Fraction(1, 1000), max_value=2**20, max_denominator=10**6)


def fraction(x: Fraction, function) -> Fraction:
    """ln or exp to 120 digits, far more than any decision below needs."""
    return Fraction(function(FINE.divide(Decimal(x.numerator), Decimal(x.denominator))))


class Script:
    """Bits that are written down beforehand, and counted."""

    seeded = True

    def __init__(self, *words):
        self.left = list(words)

    def words(self, count):
        taken, self.left = self.left[:count], self.left[count:]
        assert len(taken) == count, "more bits were drawn than the script holds"
        return np.array(taken, np.uint64)


def row_of_bits(x: Fraction, after: int) -> tuple[int, list[int]]:
    """The first 52 bits of x, the next 3 · 64, and one word of our choice."""
    bits = floor(x * 2 ** (52 + 192))
    return bits >> 192, [
        bits >> 128 & (2**64 - 1),
        bits >> 64 & (2**64 - 1),
        bits & (2**64 - 1),
        after,
    ]


@pytest.mark.parametrize(("after", "side"), [(0, 0), (2**64 - 1, -1)])
@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(10), Fraction(10**6, 7)], ids=str)
def test_a_uniform_at_the_very_edge_is_decided_by_its_244th_bit(scale, after, side):
    edge = 5
    first, rest = row_of_bits(fraction(-edge / scale, FINE.exp), after)
    script = Script(*rest)
    # A little less than exp(−5 / scale) means a little more than 5.
    assert floor_exponential(scale, np.array([first << 12], np.uint64), script)[0] == edge + side
    assert script.left == []


@pytest.mark.parametrize(("after", "accepted"), [(0, True), (2**64 - 1, False)])
@pytest.mark.parametrize("z", [Fraction(1, 10**9), Fraction(1), Fraction(22, 7)], ids=str)
def test_a_probability_at_the_very_edge_is_decided_by_its_244th_bit(z, after, accepted):
    first, rest = row_of_bits(fraction(-z, FINE.exp), after)
    script = Script(first << 12, *rest)
    assert bernoulli_exp(np.array([float(z)]), lambda _: z, script)[0] == accepted
    assert script.left == []


def answers(scale: Fraction, k: int) -> tuple[int, int]:
    """The least and the greatest answer over U in [k, k + 1] / 2⁵²."""
    ends = [-scale * fraction(Fraction(j, 2**52), FINE.ln) for j in (k + 1, k)]
    return floor(ends[0]), floor(ends[1])


@settings(deadline=None)  # what is decided is tested, not how fast
@given(SCALES, st.integers(1, 40), st.integers(-3, 3))
def test_no_float_decides_wrongly_next_to_an_edge(scale, edge, offset):
    near = floor(fraction(-edge / scale, FINE.exp) * 2**52) + offset
    k = min(max(near, 1), 2**52 - 1)
    found = floor_exponential(scale, np.array([k << 12], np.uint64), SeededBits(2))[0]
    least, greatest = answers(scale, k)
    assert least <= found <= greatest


def wrong_decisions(off, monkeypatch) -> int:
    """How many of some uniforms near an edge are misjudged when log and exp are off by this."""
    monkeypatch.setattr(np, "log", lambda x: LOG(x) * (1 + off))
    monkeypatch.setattr(np, "exp", lambda x, out: np.multiply(EXP(x), 1 + off, out=out))
    scale, wrong = Fraction(10**6), 0
    for edge in range(100_000, 3_000_000, 100_000):
        z = edge / scale
        p = fraction(-z, FINE.exp)
        for k in (floor(p * 2**52) + sign * 2**i for i in range(1, 24) for sign in (1, -1)):
            least, greatest = answers(scale, k)
            word = np.array([k << 12], np.uint64)
            wrong += not least <= floor_exponential(scale, word, SeededBits(2))[0] <= greatest
            accepted = bernoulli_exp(np.array([float(z)]), lambda _, z=z: z, Script(*word, 0, 0))
            wrong += accepted[0] != (Fraction(k, 2**52) < p)
    return wrong


@pytest.mark.parametrize("off", [2.0**-39, -(2.0**-39)])
def test_functions_as_bad_as_assumed_decide_nothing_wrongly(off, monkeypatch):
    assert wrong_decisions(off, monkeypatch) == 0


@pytest.mark.parametrize("off", [2.0**-34, -(2.0**-34)])
def test_functions_worse_than_assumed_would_be_noticed(off, monkeypatch):
    assert wrong_decisions(off, monkeypatch) > 0


@settings(deadline=None)  # what is decided is tested, not how fast
@given(st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=20), SCALES)
def test_the_vector_decides_as_the_single_uniform_does(words, scale):
    bits = SeededBits(2)
    one_by_one = [Uniform(bits, w >> 12, 52).floor_exponential(scale) for w in words]
    found = floor_exponential(scale, np.array(words, np.uint64), SeededBits(2))
    assert found.tolist() == one_by_one


UNIT = st.fractions(min_value=Fraction(1, 10**9), max_value=1, max_denominator=10**15)


@settings(deadline=None)
@given(UNIT, st.integers(5, 30))
def test_bounds_of_ln_bracket_the_truth_within_two_digits(x, digits):
    least, most = (enclosure._ln(x, way, digits) for way in (ROUND_FLOOR, ROUND_CEILING))
    truth = fraction(x, FINE.ln)
    assert least < truth <= most <= 0
    assert most - least <= 100 * (1 - truth) / Fraction(10**digits)


@settings(deadline=None)
@given(st.fractions(min_value=0, max_value=10**4), st.integers(5, 30))
def test_bounds_of_exp_bracket_the_truth(z, digits):
    least, most = (enclosure.exp_bound(-z, way, digits) for way in (ROUND_FLOOR, ROUND_CEILING))
    truth = fraction(-z, Context(prec=120, Emin=-9999).exp)
    assert 0 <= least <= truth <= most <= 1
    assert most - least <= 100 * (1 + z) / Fraction(10**digits)


def test_an_edge_inside_the_last_decimal_of_the_interval_still_asks_for_bits():
    k = 2**52 * 3 // 7
    true_log = -fraction(Fraction(k, 2**52), FINE.ln)
    scale = 5 / true_log * (1 + Fraction(1, 10**28))  # at U = k / 2⁵², 5 and a trace more
    script = Script(2**63)
    assert Uniform(script, k, 52).floor_exponential(scale) == 4
    assert script.left == []


def test_a_probability_below_all_floats_can_still_be_met():
    assert Uniform(Script(*[0] * 80)).below_exp(Fraction(3000))


def test_fifty_two_zeros_are_never_decided_by_floats():
    script = Script(2**63)
    found = floor_exponential(Fraction(10), np.array([0], np.uint64), script)[0]
    assert found == floor(10 * 53 * fraction(Fraction(2), FINE.ln))
    assert script.left == []


def test_a_uniform_without_any_bit_draws_all_it_needs():
    script = Script(0, 2**63)
    assert Uniform(script).floor_exponential(Fraction(1)) == floor(65 * np.log(2))
    assert script.left == []


@pytest.mark.parametrize(("claimed", "passes"), [(1, True), (Fraction(99, 100), False)])
@pytest.mark.parametrize("z", [Fraction(1, 3), Fraction(1), Fraction(3)], ids=str)
def test_acceptance_has_probability_exp_minus_z(z, claimed, passes):
    n = 2_000_000
    accepted = bernoulli_exp(np.full(n, float(z)), lambda _: z, SeededBits(0))
    chance = float(fraction(-z * claimed, FINE.exp))
    assert (binomtest(int(accepted.sum()), n, chance).pvalue > FALSE_ALARM) == passes


@pytest.mark.parametrize("z", [Fraction(10**7), Fraction(10**300), Fraction(10**400)])
def test_an_exponent_beyond_all_decimals_is_simply_refused(z):
    assert not Uniform(SeededBits(0)).below_exp(z)


def test_the_self_test_passes_here():
    self_test(SystemBits())


@pytest.mark.parametrize(
    ("name", "broken"),
    [
        ("log", lambda x: LOG(x) * (1 + 2.0**-46)),
        ("log", lambda x: LOG(x) + 2.0**-60),  # only seen next to 1
        ("log", lambda x: LOG(x.astype(np.float32)).astype(float)),
        ("log", lambda x: LOG(x) + np.nan),
        ("exp", lambda x: EXP(x) * (1 - 2.0**-46)),
        ("exp", lambda x: np.where(x < -64, 2.0**-88, EXP(x))),  # only seen far out
    ],
)
def test_the_self_test_catches_a_function_that_is_slightly_off(name, broken, monkeypatch):
    monkeypatch.setattr(np, name, broken)
    with pytest.raises(Refused, match=name):
        self_test(SystemBits())
