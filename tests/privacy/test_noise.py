"""Discrete Laplace and Gaussian: their law, by exact probabilities and by two oracles."""

import random
from decimal import Decimal, localcontext
from fractions import Fraction
from math import ceil

import numpy as np
import opendp.prelude as dp
import pytest
from scipy.special import ndtr
from scipy.stats import binomtest, chi2, chi2_contingency, laplace, norm

from sfumato.errors import ParameterError
from sfumato.privacy import enclosure, noise
from sfumato.privacy.enclosure import floor_exponential
from sfumato.privacy.noise import discrete_gaussian, discrete_laplace, uniform_below
from sfumato.privacy.randomness import SeededBits

FALSE_ALARM = 1e-6  # chance that a right sampler fails one statistical test
DIGITS = 40
SMALL = [Fraction(1, 10), Fraction(1, 3), Fraction(1), Fraction(73, 10), Fraction(1000)]
# Five per cent above the last is 2⁵⁵, the largest σ there is.
LARGE = [Fraction(10**6), Fraction(10**9), Fraction(2**40), Fraction(20 * 2**55, 21)]
ERRORS = [(Fraction(1), True), (Fraction(95, 100), False), (Fraction(105, 100), False)]

dp.enable_features("contrib")


@pytest.fixture
def bits():
    return SeededBits(0)


def ratio(x: Fraction) -> Decimal:
    return Decimal(x.numerator) / Decimal(x.denominator)


def laplace_below(scale: Fraction, cuts):
    """P(X < c) for every cut c, from the geometric series in decimals."""
    with localcontext(prec=DIGITS):
        step = -1 / ratio(scale)
        p = step.exp()
        tails = [(step * abs(c if c > 0 else 1 - c)).exp() / (1 + p) for c in map(int, cuts)]
        return np.array([float(1 - t if c > 0 else t) for t, c in zip(tails, cuts, strict=True)])


def gaussian_below(sigma: Fraction, cuts):
    """P(X < c), by the plain sum to 12 σ, or for large σ by the integral.

    The sum over k < c differs from Φ((c − ½) / σ) by less than 1 / (20 σ²) (midpoint rule).
    """
    if sigma > 10**4:
        return ndtr((np.asarray(cuts, float) - 0.5) / float(sigma))
    with localcontext(prec=DIGITS):
        step = (-1 / ratio(sigma**2)).exp()
        weights, factor = [Decimal(1)], (-1 / ratio(2 * sigma**2)).exp()
        for _ in range(ceil(12 * sigma) + 8):
            weights.append(weights[-1] * factor)
            factor *= step
        total = 2 * sum(weights) - weights[0]
        mass = np.array([float(w / total) for w in weights])
    below = np.concatenate(([0.0], np.cumsum(np.concatenate((mass[:0:-1], mass)))))
    return below[np.asarray(cuts) + mass.size - 1]


LAWS = {
    "laplace": (discrete_laplace, laplace_below, laplace.ppf),
    "gaussian": (lambda s, n, bits: discrete_gaussian(s * s, n, bits), gaussian_below, norm.ppf),
}


def cells(law: str, scale: Fraction, n: int):
    """Cuts between cells and the cells' exact chances, each expecting 20 draws or more."""
    _, below, quantile = LAWS[law]
    cuts = np.rint(float(scale) * quantile(np.linspace(1e-4, 1 - 1e-4, 61)))
    cuts = np.unique(np.concatenate((cuts, np.arange(-2, 4)))).astype(np.int64)
    kept, edges = [], [0.0]
    for cut, edge in zip(cuts, below(scale, cuts), strict=True):
        if min(edge - edges[-1], 1 - edge) * n >= 20:
            kept.append(cut)
            edges.append(edge)
    return np.array(kept), np.diff([*edges, 1.0])


def fit(draws, cuts, chances) -> float:
    """p-value of Pearson's chi-square."""
    found = np.bincount(np.searchsorted(cuts, draws, side="right"), minlength=chances.size)
    expected = chances * draws.size
    return chi2.sf(((found - expected) ** 2 / expected).sum(), chances.size - 1)


def same(a, b, cuts) -> float:
    """p-value of the two-sample chi-square."""
    table = [np.bincount(np.searchsorted(cuts, x), minlength=len(cuts) + 1) for x in (a, b)]
    return chi2_contingency(table).pvalue


@pytest.mark.parametrize(("error", "passes"), ERRORS)
@pytest.mark.parametrize(
    ("law", "scale"),
    # A Gaussian of σ = 1/10 is almost surely zero and has its own test.
    [("laplace", s) for s in SMALL + LARGE] + [("gaussian", s) for s in SMALL[1:] + LARGE],
    ids=str,
)
def test_draws_have_the_stated_law_and_no_other(law, scale, error, passes, bits):
    n = 4_000_000 if scale < Fraction(1, 3) else 500_000
    draws = LAWS[law][0](scale * error, n, bits)
    assert (fit(draws, *cells(law, scale, n)) > FALSE_ALARM) == passes


@pytest.mark.parametrize(("sigma", "passes"), [(Fraction(1, 10), True), (Fraction(1, 3), False)])
def test_a_very_narrow_gaussian_is_zero(sigma, passes, bits):
    assert (not discrete_gaussian(sigma**2, 100_000, bits).any()) == passes


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize(("shift", "passes"), [(0, True), (1, False)])
def test_draws_are_symmetric_about_zero(law, shift, passes, bits):
    draws = LAWS[law][0](Fraction(73, 10), 500_000, bits) + shift
    cuts = np.arange(-30, 31)
    halves = draws[::2], -draws[1::2]
    assert (same(*halves, cuts) > FALSE_ALARM) == passes


def careless_laplace(scale, size, bits):
    """A random sign on a geometric magnitude, without the care for zero."""
    words = bits.words(size)
    return floor_exponential(scale, words, bits) * np.where(words & np.uint64(1), -1, 1)


@pytest.mark.parametrize(
    ("sampler", "passes"), [(discrete_laplace, True), (careless_laplace, False)]
)
def test_zero_is_not_counted_twice(sampler, passes, bits):
    draws = sampler(Fraction(7), 200_000, bits)
    zero = np.diff(laplace_below(Fraction(7), [0, 1]))[0]
    found = binomtest(int((draws == 0).sum()), draws.size, zero)
    assert (found.pvalue > FALSE_ALARM) == passes


@pytest.mark.parametrize(("error", "passes"), ERRORS)
@pytest.mark.parametrize(("law", "far"), [("laplace", 7), ("gaussian", 3)])
def test_the_tail_has_its_mass(law, far, error, passes, bits):
    scale, n = Fraction(1000), 2_000_000
    draws = LAWS[law][0](scale * error, n, bits)
    mass = 2 * LAWS[law][1](scale, [-far * 1000])[0]
    found = binomtest(int(np.sum((draws < -far * 1000) | (draws >= far * 1000 + 1))), n, mass)
    assert (found.pvalue > FALSE_ALARM) == passes


@pytest.mark.parametrize(("error", "passes"), ERRORS)
@pytest.mark.parametrize("law", LAWS)
def test_neighbouring_cells_have_the_ratio_that_privacy_rests_on(law, error, passes, bits):
    scale, n = Fraction(2), 2_000_000
    draws = LAWS[law][0](scale * error, n, bits)
    k = np.arange(-6, 6)
    count = np.array([(draws == i).sum() for i in np.append(k, 6)], float)
    found = np.log(count[1:] / count[:-1])
    if law == "laplace":
        due = np.where(k < 0, 1, -1) / float(scale)
    else:
        due = -(2 * k + 1) / (2 * float(scale) ** 2)
    deviation = np.abs(found - due) / np.sqrt(1 / count[1:] + 1 / count[:-1])
    assert (deviation.max() < norm.isf(FALSE_ALARM / (2 * k.size))) == passes


@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(73, 10), Fraction(2**55, 7)], ids=str)
@pytest.mark.parametrize("law", LAWS)
def test_deciding_every_draw_by_rational_enclosures_changes_no_draw(law, scale, monkeypatch):
    fast = LAWS[law][0](scale, 1000, SeededBits(3))
    monkeypatch.setattr(enclosure, "SLOP", np.inf)
    decided = []
    for name in ("floor_exponential", "below_exp"):
        method = getattr(enclosure.Uniform, name)
        spy = lambda self, x, method=method: decided.append(1) or method(self, x)  # noqa: E731
        monkeypatch.setattr(enclosure.Uniform, name, spy)
    slow = LAWS[law][0](scale, 1000, SeededBits(3))
    np.testing.assert_array_equal(fast, slow)
    assert len(decided) >= 1000


@pytest.mark.slow
@pytest.mark.parametrize(("error", "passes"), [(1, True), (Fraction(5, 4), False)])
@pytest.mark.parametrize("law", LAWS)
def test_the_law_holds_when_rational_enclosures_decide_every_draw(
    law, error, passes, monkeypatch, bits
):
    monkeypatch.setattr(enclosure, "SLOP", np.inf)
    scale, n = Fraction(73, 10), 10_000
    draws = LAWS[law][0](scale * error, n, bits)
    assert (fit(draws, *cells(law, scale, n)) > FALSE_ALARM) == passes


@pytest.mark.parametrize(("error", "passes"), ERRORS)
@pytest.mark.parametrize("quotient_bits", [1, 3])
@pytest.mark.parametrize("law", LAWS)
def test_the_law_holds_wherever_the_magnitude_is_split(
    law, quotient_bits, error, passes, monkeypatch, bits
):
    monkeypatch.setattr(noise, "_WHOLE", 1)
    monkeypatch.setattr(noise, "_QUOTIENT_BITS", quotient_bits)
    scale, n = Fraction(73, 5), 500_000
    draws = LAWS[law][0](scale * error, n, bits)
    assert (fit(draws, *cells(law, scale, n)) > FALSE_ALARM) == passes


# A second implementation: Canonne, Kamath and Steinke (2020), algorithms 1 to 3, in integers.


def bernoulli_exp_slowly(gamma: Fraction, rng) -> bool:
    while gamma > 1:
        if not bernoulli_exp_slowly(Fraction(1), rng):
            return False
        gamma -= 1
    k = 1
    while rng.randrange(gamma.denominator * k) < gamma.numerator:
        k += 1
    return k % 2 == 1


def laplace_slowly(scale: Fraction, rng) -> int:
    t, s = scale.numerator, scale.denominator
    while True:
        u = rng.randrange(t)
        if not bernoulli_exp_slowly(Fraction(u, t), rng):
            continue
        v = 0
        while bernoulli_exp_slowly(Fraction(1), rng):
            v += 1
        magnitude, negative = (u + t * v) // s, rng.randrange(2)
        if magnitude or not negative:
            return -magnitude if negative else magnitude


def gaussian_slowly(sigma: Fraction, rng) -> int:
    t = int(sigma) + 1
    while True:
        y = laplace_slowly(Fraction(t), rng)
        if bernoulli_exp_slowly((abs(y) - sigma**2 / t) ** 2 / (2 * sigma**2), rng):
            return y


@pytest.mark.parametrize(("error", "passes"), [(1, True), (Fraction(23, 20), False)])
@pytest.mark.parametrize(
    ("law", "slow"), [("laplace", laplace_slowly), ("gaussian", gaussian_slowly)]
)
def test_a_plain_integer_sampler_agrees(law, slow, error, passes, bits):
    scale, rng = Fraction(15, 2), random.Random(0)
    theirs = np.array([slow(scale, rng) for _ in range(15_000)])
    ours = LAWS[law][0](scale * error, 500_000, bits)
    assert (same(ours, theirs, np.arange(-25, 26, 2)) > FALSE_ALARM) == passes


@pytest.mark.slow
@pytest.mark.parametrize(("error", "passes"), [(1, True), (Fraction(23, 20), False)])
@pytest.mark.parametrize("law", LAWS)
def test_opendp_agrees(law, error, passes, bits):
    scale = Fraction(15, 2)
    make, metric = {
        "laplace": (dp.m.make_laplace, dp.l1_distance(T=int)),
        "gaussian": (dp.m.make_gaussian, dp.l2_distance(T=float)),
    }[law]
    theirs = make(dp.vector_domain(dp.atom_domain(T=int)), metric, scale=7.5)([0] * 50_000)
    ours = LAWS[law][0](scale * error, 500_000, bits)
    assert (same(ours, np.array(theirs), np.arange(-25, 26, 2)) > FALSE_ALARM) == passes


class Scripted:
    """Bits that come from a list first and from a seed afterwards."""

    seeded = True

    def __init__(self, *words):
        self.script, self.rest = list(words), SeededBits(5)

    def words(self, count):
        head = [self.script.pop(0) for _ in range(min(count, len(self.script)))]
        return np.concatenate((np.array(head, np.uint64), self.rest.words(count - len(head))))


def test_a_draw_beyond_64_bits_is_the_true_draw_modulo_two_to_the_64():
    uniforms = [0, *[1 << 63] * 8]  # a draw of size 1 looks at 9 candidates; the first counts
    more = [0, 0, 0, 1 << 63]  # … and lies 244 zeros deep
    remainders, accepting = [1234567 << 23] * 9, [0] * 9
    found = discrete_laplace(
        Fraction(2**56), 1, Scripted(*uniforms, *more, *remainders, *accepting)
    )
    quotient = int(2**15 * 245 * Decimal(2).ln())
    true = (quotient << 41) + 1234567
    assert true >= 2**63
    assert int(found[0]) % 2**64 == true


def test_the_sign_is_a_bit_that_the_magnitude_does_not_use(bits):
    words = bits.words(9) >> np.uint64(12) << np.uint64(12)  # one draw looks at 9 candidates
    magnitude = floor_exponential(Fraction(50), words, bits)[0]
    assert magnitude > 0
    for low, sign in [(0b0, 1), (0b1, -1), (0b111111111110, 1), (0b111111111111, -1)]:
        script = Scripted(*(words | np.uint64(low)).tolist())
        assert discrete_laplace(Fraction(50), 1, script)[0] == sign * magnitude


@pytest.mark.parametrize("scale", [Fraction(1, 10**400), Fraction(1, 2**64), Fraction(1, 1000)])
def test_scales_too_small_for_floats_give_zero(scale, bits):
    assert not discrete_laplace(scale, 1000, bits).any()
    assert not discrete_gaussian(scale, 1000, bits).any()


@pytest.mark.parametrize(("stretch", "passes"), [(1, True), (1.05, False)])
@pytest.mark.parametrize("bound", [2, 6, 2**31, 3 * 2**61, 2**63])
def test_uniform_draws_fill_their_range_evenly(bound, stretch, passes, bits):
    draws = uniform_below(bound, 200_000, bits)
    assert draws.min() >= 0
    assert int(draws.max()) < bound
    parts = min(bound, 30)
    edges = [bound * i // parts for i in range(parts + 1)]
    chances = np.diff(edges).astype(float) / bound
    assert (fit(draws / stretch, np.array(edges[1:-1], float), chances) > FALSE_ALARM) == passes


def test_a_uniform_draw_below_one_is_zero(bits):
    assert not uniform_below(1, 100, bits).any()


@pytest.mark.parametrize("size", [0, 1, 7, 20_000])
def test_as_many_draws_come_as_were_asked_for(size, bits):
    for draws in (
        discrete_laplace(Fraction(3), size, bits),
        discrete_gaussian(Fraction(3), size, bits),
        uniform_below(3, size, bits),
    ):
        assert draws.shape == (size,)
        assert draws.dtype == np.int64


@pytest.mark.parametrize("value", [Fraction(0), Fraction(-1), 1, 0.5, "1", None])
def test_scales_that_are_not_positive_fractions_are_refused_by_name(value, bits):
    with pytest.raises(ParameterError, match="scale must be a Fraction above 0"):
        discrete_laplace(value, 1, bits)
    with pytest.raises(ParameterError, match="variance must be a Fraction above 0"):
        discrete_gaussian(value, 1, bits)


def test_the_largest_scale_is_granted_and_the_next_is_refused_with_a_remedy(bits):
    assert discrete_laplace(Fraction(2**56), 1, bits).size == 1
    assert discrete_gaussian(Fraction(2**110), 1, bits).size == 1
    with pytest.raises(
        ParameterError, match=r"scale .* 2\*\*56: coarsen the grid or raise epsilon"
    ):
        discrete_laplace(Fraction(2**57 + 1, 2), 1, bits)
    with pytest.raises(ParameterError, match=r"variance .* 2\*\*110: coarsen the grid"):
        discrete_gaussian(Fraction(2**110 + 1), 1, bits)


@pytest.mark.parametrize("size", [-1, 1.0, True, None])
def test_impossible_sizes_are_refused(size, bits):
    with pytest.raises(ParameterError, match="size"):
        discrete_laplace(Fraction(1), size, bits)


@pytest.mark.parametrize("bound", [0, -1, 2**63 + 1, 2.0, True])
def test_impossible_bounds_are_refused(bound, bits):
    with pytest.raises(ParameterError, match="bound"):
        uniform_below(bound, 1, bits)
