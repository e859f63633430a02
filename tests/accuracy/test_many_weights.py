"""Laws of means of numbers: a hundred weights at once, at a bounded number of points, exactly."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from sfumato.accuracy import discrete_sum
from sfumato.accuracy.coming_back import CELLS, worth
from sfumato.accuracy.discrete_sum import DiscreteSum, Part
from sfumato.accuracy.transform import DiscreteLaplace, NarrowGaussian, WideGaussian
from sfumato.accuracy.whole_quantile import smallest_safe
from sfumato.privacy.noise import discrete_gaussian, discrete_laplace
from sfumato.privacy.randomness import SeededBits

FALSE_ALARM = 1e-6  # chance that a right law fails one statistical test
RUNS = 4_000
MOST_POINTS = 30_000  # of the line, for one tail of the mean of a number
MOST_TAILS = 16  # asked for one quantile; halving takes more than twenty
DRAWN = {"laplace": discrete_laplace, "gaussian": discrete_gaussian}
# By codes: as many bins, or a hundred of which one or a few hold more codes than the others.
WIDTHS = [*range(2, 40, 5), 98, 99, 100, 101, 102, 110, 120, 127, 150, 199, 200, 256, 400, 1000]


def marks(codes):
    """The weights of bins of a number: their middles about that of the range, in half codes."""
    bins = min(codes, 100)
    edges = np.unique(
        np.concatenate([[0], 1 + np.arange(bins - 1) * (codes - 2) // max(bins - 2, 1), [codes]])
    )
    return [int(w) for w in abs(2 * (edges[:-1] + edges[1:] - 1) - 2 * (codes - 1)) if w]


def mean_of(codes, kind="laplace", size=46):
    return DiscreteSum.of([Part(kind, Fraction(size), 1, weight) for weight in marks(codes)])


@pytest.fixture
def work(monkeypatch):
    """How many points each integral took."""
    points = []

    def noting(pieces, k, **how):
        class Noted:
            def __init__(self, piece):
                self.piece = piece

            def __getattr__(self, name):
                return getattr(self.piece, name)

            def log_mgf(self, s):
                points.append(len(s))
                return self.piece.log_mgf(s)

        return line([Noted(piece) for piece in pieces], k, **how)

    line = discrete_sum.line
    monkeypatch.setattr(discrete_sum, "line", noting)
    return points


@pytest.mark.parametrize(("kind", "sizes"), [("laplace", (3, 46, 4_000)), ("gaussian", (9, 10**6))])
def test_no_width_of_a_number_makes_the_law_of_its_mean_costly(kind, sizes, work):
    for codes in WIDTHS:
        for size in sizes:
            work.clear()
            found = mean_of(codes, kind, size)
            tail = found.tail(2 * found.deviation)
            assert tail.value > 0.01, codes  # it was worked out, not only bounded
            assert max(work, default=0) <= MOST_POINTS, (codes, size)  # none: in closed form


def test_the_points_that_are_bounded_are_those_of_the_integral(work):
    """The control: where nobody looks at where the transform comes back, they are many more."""
    found = mean_of(101)
    found.tail(2 * found.deviation)
    few, found = max(work), mean_of(101)
    found.__dict__["_worth"] = None
    found.tail(2 * found.deviation)
    assert max(work) > 100 * few
    assert max(work) > MOST_POINTS


@pytest.mark.parametrize("codes", [20, 99, 101, 128, 256])
@pytest.mark.parametrize(("kind", "size"), [("laplace", "31/2"), ("gaussian", 300)])
def test_reaches_of_means_cover_the_noise_that_is_really_added(codes, kind, size):
    found, weights = mean_of(codes, kind, Fraction(size)), marks(codes)
    drawn = DRAWN[kind](Fraction(size), RUNS * len(weights), SeededBits(codes))
    noise = np.abs(drawn.reshape(RUNS, -1) @ np.array(weights))
    reach = found.two_sided(0.05)
    expected = 2 * found.tail(reach, strict=True).value
    assert expected <= 0.05
    assert binomtest(int((noise > reach).sum()), RUNS, expected).pvalue > FALSE_ALARM
    short = int((noise > 0.8 * reach).sum())  # must be caught
    assert binomtest(short, RUNS, 0.05, alternative="greater").pvalue < FALSE_ALARM


@pytest.mark.parametrize("codes", [2, 3, 6, 9, 12])
def test_tails_of_small_means_are_those_of_plain_convolution(codes):
    chances = np.ones(1)
    shared = int(np.gcd.reduce(marks(codes)))
    for weight in marks(codes):
        k = np.arange(-260, 261)
        one = np.zeros(520 * (weight // shared) + 1)
        one[:: weight // shared] = np.exp(-np.abs(k) / 6)
        chances = np.convolve(chances, one / one.sum())
    found, middle = mean_of(codes, size=6), len(chances) // 2
    for far in (0.3, 1, 2, 4):
        k = int(far * found.deviation / found.step) + 1
        tail, plain = found.tail(k * found.step), chances[middle + k :].sum()
        assert tail.value == pytest.approx(plain, rel=1e-10)
        assert abs(tail.value - plain) <= tail.error + 1e-12 * plain


ONE_KIND = st.lists(
    st.tuples(st.floats(1, 1e6), st.integers(1, 40), st.integers(1, 300)), min_size=1, max_size=12
)


@given(ONE_KIND, st.floats(0.01, 0.99), st.floats(0, np.pi))
def test_noises_taken_together_have_the_product_of_their_transforms(noises, up, turn):
    for kind in (DiscreteLaplace, WideGaussian):
        together = kind(*zip(*noises, strict=True))
        alone = [kind([size], [count], [weight]) for size, count, weight in noises]
        theta = up * min(together.limit, 1 / max(s**0.5 * w for s, _, w in noises))
        s = np.array([theta + 0j, theta + 1j * turn])
        parts = sum(piece.log_mgf(s) for piece in alone)
        both = np.exp(together.log_mgf(s) - parts)
        np.testing.assert_allclose(both, 1, rtol=1e-9 * (1 + abs(parts).max()))
        for name in ("slope", "curvature"):
            expected = sum(getattr(piece, name)(theta) for piece in alone)
            assert getattr(together, name)(theta) == pytest.approx(expected, rel=1e-9)


@given(st.floats(1, 3), st.floats(-2, 2), st.floats(-np.pi, np.pi))
def test_both_forms_of_the_transform_of_a_discrete_gaussian_are_the_same(variance, theta, turn):
    s = np.array([theta + 1j * turn])
    wide = WideGaussian([variance], [3], [2]).log_mgf(s / 2)
    narrow = NarrowGaussian([variance], [3], [2]).log_mgf(s / 2)
    height = NarrowGaussian([variance], [3], [2]).log_mgf(s.real / 2 + 0j).real
    # Near a zero of M only the difference beside its peak says anything.
    np.testing.assert_allclose(np.exp(wide - height), np.exp(narrow - height), atol=1e-12)


@pytest.mark.parametrize("variance", ["1/5", "1/4", "0.6", "0.99"])
def test_less_noise_than_a_record_has_bounds_up_the_line_and_few_points(variance, work):
    part = Part("gaussian", Fraction(variance), 1, 1)
    turns = np.linspace(0, np.pi, 400)
    narrow = NarrowGaussian([float(part.size)], [1], [1])
    for theta in (0.01, 0.5 / part.held, 1 / part.held, 3.3):  # half-way and whole steps aside
        logs = narrow.log_mgf(theta + 1j * turns).real
        assert (logs - logs[0] <= part.fallen(turns) + 1e-9).all()
    found = mean_of(101, "gaussian", variance)
    assert found.tail(2 * found.deviation).value > 0.01
    assert max(work) <= MOST_POINTS


@given(
    st.lists(st.tuples(st.integers(1, 60), st.sampled_from([2, 7, 30])), min_size=2, max_size=9),
    st.sampled_from(["laplace", "gaussian"]),
)
def test_whatever_is_left_out_is_worth_less_than_is_said(noises, kind):
    parts = [Part(kind, Fraction(size), 1, weight) for weight, size in noises]
    found = worth(parts, DiscreteSum.of(parts).deviation)
    pieces = DiscreteSum(tuple(parts))._pieces
    turns = (np.arange(40_000) + 0.5) * (np.pi / 40_000)
    part = np.floor(turns * (found.parts / np.pi)).astype(int)
    inside = ((part[:, None] >= found.runs[:, 0]) & (part[:, None] < found.runs[:, 1])).any(axis=1)
    theta = 0.4 * min(min(piece.limit for piece in pieces), 0.5)
    logs = sum(piece.log_mgf(theta + 1j * turns).real for piece in pieces)
    bottom = sum(piece.log_mgf(np.array([theta + 0j])).real[0] for piece in pieces)
    assert inside[0]
    assert (logs[~inside] - bottom < -60 + 1e-6).all()


def test_parts_that_are_worth_a_point_are_found_on_both_sides_of_half_way():
    even = [Part("laplace", Fraction(40), 1, weight) for weight in range(2, 100, 2)]
    assert len(worth(even, 1e4).runs) == 2
    alone = worth([*even, Part("laplace", Fraction(40), 30, 99)], 1e4)
    assert len(alone.runs) == 1  # what is odd keeps it down
    assert alone.runs[0, 1] / alone.parts < 1 / (CELLS * 99)
    assert alone.points(10**6, 2e6, 10) is None


@given(st.floats(1e-9, 0.9), st.floats(0.3, 1e6), st.sampled_from([0.5, 1.0, 2.0]), st.floats(0, 1))
def test_a_quantile_is_found_in_few_tails_and_its_neighbour_was_looked_at(
    allowed, scale, bent, nearly
):
    asked = {}

    def beyond(k):
        asked[k] = 0.5 * (1 - 0.1 * nearly) * np.exp(-((k / scale) ** bent))
        return asked[k]

    found = smallest_safe(beyond, allowed, scale)
    assert asked[found] <= allowed
    assert found == 0 or asked[found - 1] > allowed
    assert len(asked) <= MOST_TAILS * 2
    if scale > 100 and bent > 0.5:
        assert len(asked) <= MOST_TAILS
