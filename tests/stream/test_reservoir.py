"""The reservoir: a fair sample by skipping, responses drawn once, and what a bit can change."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import binomtest, chi2, chisquare, norm

from sfumato.errors import DataError, ParameterError
from sfumato.perturb.randomness import generator
from sfumato.privacy.guarantee import PureDP
from sfumato.privacy.randomness import SeededBits
from sfumato.privacy.response import RandomizedResponse
from sfumato.stream import reservoir as module
from sfumato.stream import source as source_module
from sfumato.stream.reservoir import Admissions, Reservoir, bits_at, pass_to
from sfumato.stream.source import open_bits

FALSE_ALARM = 1e-6  # chance that a right reservoir fails one statistical test
TRUTHFUL = RandomizedResponse("bits", PureDP(10**6))  # never flips within the age of the universe


class Watched:
    """Bits in memory that remember which of them were read."""

    def __init__(self, values):
        self.values, self.position, self.looked_at = np.asarray(values, np.uint8), 0, []

    def read(self, count):
        found = self.values[self.position : self.position + count]
        self.looked_at += range(self.position + 1, self.position + found.size + 1)
        self.position += found.size
        return found

    def skip(self, count):
        there = min(count, self.values.size - self.position)
        self.position += there
        return there


class Endless:
    """A stream of ones without an end."""

    position = 0

    def read(self, count):
        self.position += count
        return np.ones(count, np.uint8)

    def skip(self, count):
        self.position += count
        return count


class CountedBits:
    seeded = True

    def __init__(self, seed):
        self.source, self.drawn = SeededBits(seed), []

    def words(self, count):
        self.drawn.append(count)
        return self.source.words(count)


@pytest.fixture
def short_blocks(monkeypatch):
    """Admissions drawn a few at a time: fast for short streams, and blocks often end."""
    monkeypatch.setattr(module, "_BLOCK", 4)


def told(admissions, time):
    """Places and slots up to a time, in one piece."""
    blocks = list(admissions.until(time)) or [(np.empty(0, np.int64),) * 2]
    return tuple(np.concatenate(parts) for parts in zip(*blocks, strict=True))


def kept(admissions, size, time):
    """Which places are in the reservoir after so many bits."""
    held = np.arange(1, size + 1)
    places, slots = told(admissions, time)
    held[slots] = places
    return held


class TooEager(Admissions):
    """A plausible mistake: skips counted without the bit that ends them."""

    def _draw(self):
        before = self._last
        super()._draw()
        shorter = np.maximum(np.diff(self._places, prepend=before) - 1, 1)
        self._places = before + np.cumsum(shorter)
        self._last = int(self._places[-1])


@pytest.mark.parametrize(("kind", "passes"), [(Admissions, True), (TooEager, False)])
def test_every_sample_of_a_short_stream_is_equally_likely(kind, passes, short_blocks):
    floats, size, time = generator(SeededBits(1)), 3, 7
    found = Counter(
        tuple(sorted(kept(kind(size, floats), size, time).tolist())) for _ in range(8_000)
    )
    counts = [found[sample] for sample in combinations(range(1, time + 1), size)]
    assert sum(counts) == 8_000
    assert (chisquare(counts).pvalue > FALSE_ALARM) == passes


@pytest.mark.parametrize(("kind", "passes"), [(Admissions, True), (TooEager, False)])
@pytest.mark.parametrize("time", [60, 1000])
def test_every_bit_is_kept_with_chance_n_over_t(kind, passes, time, monkeypatch):
    monkeypatch.setattr(module, "_BLOCK", 64)
    floats, size, runs = generator(SeededBits(2)), 40, 2_500
    counts = np.zeros(time + 1)
    for _ in range(runs):
        counts[kept(kind(size, floats), size, time)] += 1
    due, spread = runs * size / time, runs * size / time * (1 - size / time)
    # One sample has no bit twice, which makes counts a little more alike than independent ones.
    statistic = ((counts[1:] - due) ** 2).sum() / spread * (time - 1) / time
    assert (chi2.sf(statistic, time - 1) > FALSE_ALARM) == passes


@pytest.mark.parametrize(("error", "passes"), [(1, True), (1.02, False), (0.98, False)])
def test_as_many_bits_are_read_as_the_harmonic_sum_says(error, passes):
    """n + n (H_t − H_n), about n (1 + ln(t / n)), on average; 2 % more or less are rejected."""
    size, time, runs = 50, 100_000, 600
    chances = size / np.arange(size + 1, time + 1)
    found = [told(Admissions(size, generator(SeededBits(i))), time)[0].size for i in range(runs)]
    mean, spread = chances.sum(), np.sqrt((chances * (1 - chances)).sum() / runs)
    assert size + mean == pytest.approx(size * (1 + np.log(time / size)), rel=0.01)
    z = abs(np.mean(found) - error * mean) / spread
    assert (2 * norm.sf(z) > FALSE_ALARM) == passes


def test_asking_in_pieces_tells_the_same_admissions(short_blocks):
    whole = told(Admissions(5, generator(SeededBits(3))), 400)
    pieces = Admissions(5, generator(SeededBits(3)))
    parts = [told(pieces, time) for time in (5, 6, 7, 50, 50, 399, 400)]
    for i in (0, 1):
        np.testing.assert_array_equal(whole[i], np.concatenate([part[i] for part in parts]))
    assert (np.diff(whole[0]) > 0).all()
    assert whole[0][0] > 5


@pytest.mark.parametrize(("block", "passes"), [(False, True), (True, False)])
def test_of_a_packed_file_few_bytes_are_read_for_each_admitted_bit(
    tmp_path, monkeypatch, block, passes
):
    """Blocks of 8 KiB where admissions are dense, then the byte that holds the bit.

    Control: a block for each, as whoever reads on would have it.
    """
    path, length, read = tmp_path / "long.bits", 10**9, []
    with path.open("wb") as file:
        file.truncate(length // 8)
    plain = source_module._File._bytes
    monkeypatch.setattr(
        source_module._File, "_bytes", lambda self, n: read.append(n) or plain(self, n)
    )
    if block:
        monkeypatch.setattr(
            source_module._Packed, "_jumped", property(lambda _: False, _ignored), raising=False
        )
    reservoir = Reservoir(775, RandomizedResponse("bits", PureDP(1)), SeededBits(5))
    with open_bits(path, "packed") as source:
        reservoir.follow(source, np.array([length]))
    assert reservoir.admitted > 10_000
    assert (sum(read) < 40 * reservoir.admitted) is passes


def _ignored(*_):
    """A value that is not kept."""


def test_only_admitted_bits_are_read(rng, short_blocks):
    stream = Watched(rng.integers(0, 2, 5_000))
    reservoir = Reservoir(20, RandomizedResponse("bits", PureDP(1)), SeededBits(4))
    reservoir.follow(stream, np.array([10, 300, 5_000]))
    places, _ = told(Admissions(20, generator(SeededBits(4))), 5_000)
    assert stream.looked_at == [*range(1, 21), *places.tolist()]
    assert reservoir.admitted == len(stream.looked_at) < 300
    assert reservoir.seen == stream.position == 5_000


@pytest.mark.parametrize("steps", [[1] * 300, [300], [7, 3, 1, 20, 269]])
def test_the_mean_is_that_of_the_bits_in_the_sample(steps, rng, short_blocks):
    """Against a reservoir kept by hand; until it is full, the mean of all bits."""
    size, bits = 12, rng.integers(0, 2, 300)
    admissions = Admissions(size, generator(SeededBits(5)))
    held, expected = {}, []
    replaced = dict(zip(*(part.tolist() for part in told(admissions, 300)), strict=True))
    for time in range(1, 301):
        if time <= size:
            held[time - 1] = bits[time - 1]
        elif time in replaced:
            held[replaced[time]] = bits[time - 1]
        expected.append(np.mean(list(held.values())))
    reservoir, stream, found, start = Reservoir(size, TRUTHFUL, SeededBits(5)), Watched(bits), [], 0
    for step in steps:
        found += reservoir.follow(stream, np.arange(start + 1, start + step + 1)).tolist()
        start += step
    np.testing.assert_allclose(found, expected)
    assert len(replaced) > 15


def test_without_flips_the_mean_is_exact_until_the_reservoir_is_full(rng):
    bits = rng.integers(0, 2, 500)
    times = np.arange(1, 501)
    found = Reservoir(500, TRUTHFUL, SeededBits(6)).follow(Watched(bits), times)
    np.testing.assert_allclose(found, np.cumsum(bits) / times)


def run(bits, size=10, seed=7):
    """Responses after every bit, means, and how the random bits were asked for."""
    words, stream, states, means = CountedBits(seed), Watched(bits), [], []
    reservoir = Reservoir(size, RandomizedResponse("bits", PureDP(1)), words)
    for time in range(1, len(bits) + 1):
        means.append(reservoir.follow(stream, np.array([time])))
        states.append(reservoir.responses.copy())
    return states, np.concatenate(means), words.drawn, stream.looked_at


def test_under_frozen_randomness_a_changed_bit_changes_its_own_response_and_nothing_else(rng):
    """So the loss of all states together is that of one response."""
    bits = rng.integers(0, 2, 60)
    states, means, drawn, looked_at = run(bits)
    felt = 0
    for place in range(1, 61):
        other = bits.copy()
        other[place - 1] ^= 1
        states2, means2, drawn2, looked_at2 = run(other)
        assert drawn2 == drawn  # what is drawn, and when, depends on no bit
        assert looked_at2 == looked_at
        differs = [np.flatnonzero(a != b) for a, b in zip(states, states2, strict=True)]
        slots = {int(slot) for found in differs for slot in found}
        times = [time for time, found in enumerate(differs, 1) if found.size]
        if place not in looked_at:
            assert not slots
            assert means2.tolist() == means.tolist()
            continue
        felt += 1
        assert len(slots) == 1
        assert times == list(range(place, times[-1] + 1))  # from its admission to its end
    assert 10 < felt < 60


@pytest.mark.parametrize("bit", [0, 1])
def test_bits_admitted_first_and_later_are_answered_at_the_stated_odds(bit):
    """Nine of ten responses took the place of an earlier one; odds 5 % off are rejected."""
    response, size, time = RandomizedResponse("bits", PureDP(1)), 40_000, 400_000
    reservoir, stream = Reservoir(size, response, SeededBits(12)), Watched(np.full(time, bit))
    for last in (size, time):
        reservoir.follow(stream, np.array([last]))
        flipped = int((reservoir.responses != bit).sum())
        for error, passes in ((1, True), (0.95, False), (1.05, False)):
            found = binomtest(flipped, size, error * response.flip_probability)
            assert (found.pvalue > FALSE_ALARM) == passes


def test_means_are_cut_to_the_range_of_a_share():
    response = RandomizedResponse("bits", PureDP("0.2"))
    found = Reservoir(3, response, SeededBits(8)).follow(Watched(np.zeros(400)), np.arange(1, 401))
    assert found.min() == 0
    assert found.max() <= 1


def test_a_stream_of_a_thousand_million_million_bits_is_passed_over_in_a_moment():
    reservoir, stream = Reservoir(1, TRUTHFUL, SeededBits(9)), Endless()
    assert reservoir.follow(stream, np.array([10**15])).tolist() == [1.0]
    assert 8 < reservoir.admitted < 120
    assert stream.position == reservoir.seen == 10**15


@pytest.mark.parametrize(
    ("length", "times"), [(4, [3, 5]), (9, [10]), (0, [1]), (30, [5, 1000]), (999, [1000])]
)
def test_a_stream_that_ends_too_early_is_refused_with_its_length(length, times):
    reservoir = Reservoir(10, TRUTHFUL, SeededBits(10))
    with pytest.raises(DataError, match=f"the stream ended after {length} bits, and bit"):
        reservoir.follow(Watched(np.zeros(length)), np.array(times))


def test_bits_at_places_that_are_missing_are_refused():
    with pytest.raises(DataError, match="ended after 3 bits, and bit 5 is needed"):
        list(bits_at(Watched([0, 1, 1]), np.array([2, 5])))
    with pytest.raises(DataError, match="ended after 3 bits, and bit 4 is needed"):
        pass_to(Watched([0, 1, 1]), 4, 0)


@pytest.mark.parametrize("times", [[], [0, 3], [3, 3], [4, 2], [-1]])
def test_times_that_do_not_ascend_are_refused(times):
    with pytest.raises(ParameterError, match="times must ascend"):
        Reservoir(2, TRUTHFUL, SeededBits(1)).follow(Endless(), np.array(times, np.int64))


def test_times_that_have_passed_are_refused():
    reservoir, stream = Reservoir(2, TRUTHFUL, SeededBits(1)), Endless()
    reservoir.follow(stream, np.array([7]))
    with pytest.raises(ParameterError, match="beyond the bits that have been seen"):
        reservoir.follow(stream, np.array([7]))


@pytest.mark.parametrize("size", [0, -3, 2.5, True, "4"])
def test_sizes_that_are_not_positive_whole_numbers_are_refused(size):
    with pytest.raises(ParameterError, match="size must be a whole number of at least 1"):
        Reservoir(size, TRUTHFUL, SeededBits(1))
