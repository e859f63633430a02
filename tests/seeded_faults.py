"""Faults to be seeded into networks, streams, counts, choices, parts, and who must see each."""

from dataclasses import replace
from fractions import Fraction
from math import floor

import numpy as np

from fit_faults import FIT_FAULTS
from part_faults import PART_FAULTS
from range_faults import RANGE_FAULTS, VALUE_FAULTS
from sfumato.graph import edge_laplace
from sfumato.inspection.compare import fitness, private_choice
from sfumato.privacy import mechanism
from sfumato.privacy.guarantee import PureDP
from sfumato.privacy.mechanism import Noise
from sfumato.privacy.response import RandomizedResponse
from sfumato.privacy.sensitivity import Sensitivity
from sfumato.retrieval import count_plan, privelet
from sfumato.retrieval.counts import Counts
from sfumato.retrieval.histogram import Histogram
from sfumato.retrieval.mutual import Answering
from sfumato.stream import pan, reservoir_mean, square_root, tree
from sfumato.stream.counting import Counter
from sfumato.stream.reservoir import Reservoir
from sfumato.synopsis import decaying

__all__ = ["FAULTS", "distance_rounded_down"]


def too_low_a_tree(monkeypatch):
    def lower(steps):
        height = Fraction(max(1, tree.levels(steps) - 1))
        return Sensitivity(height, height)

    monkeypatch.setattr(tree, "sensitivity", lower)


def half_noise_on_one_level(monkeypatch):
    real = Noise.draw

    def draw(self, units, bits):
        noise = real(self, units, bits)
        noise[::2] = real(replace(self, budget=PureDP(2 * self.budget.epsilon)), units[::2], bits)
        return noise

    monkeypatch.setattr(Noise, "draw", draw)


def halved_noise(monkeypatch):
    real = Noise.draw
    monkeypatch.setattr(Noise, "draw", lambda self, units, bits: real(self, units, bits) // 2)


def shared_noise(monkeypatch):
    real = Noise.draw
    monkeypatch.setattr(
        Noise, "draw", lambda self, units, bits: np.full_like(units, real(self, units, bits)[0])
    )


def cut_noise(monkeypatch):
    real = Noise.draw
    monkeypatch.setattr(
        Noise, "draw", lambda self, units, bits: np.clip(real(self, units, bits), -50, 50)
    )


def weights_not_cut_above(monkeypatch):
    def codes(self, weight):
        inside = np.clip(np.nan_to_num(weight), float(self.low), 1e9)
        return np.floor((inside - float(self.low)) / float(self.step) + 0.5).astype(np.int64)

    monkeypatch.setattr(edge_laplace.Grid, "codes", codes)


def distance_rounded_down(monkeypatch):
    monkeypatch.setattr(edge_laplace, "ceil", floor)


def exact_total_in_the_account(monkeypatch):
    """The largest weight, to scale the published errors by."""
    real = edge_laplace.Grid.codes

    def codes(self, weight):
        object.__setattr__(self, "seen", float(np.nanmax(weight)))
        return real(self, weight)

    monkeypatch.setattr(edge_laplace.Grid, "codes", codes)
    monkeypatch.setattr(edge_laplace, "expected", lambda noise, grid: {"largest": grid.seen})


def remainders_dropped(monkeypatch):
    def measure(counts, direct, weight, power, total, rest, out):
        for t in range(counts.size):
            for j in range(total.size):
                total[j] += (int(counts[t]) << int(power[j])) - (int(total[j]) >> (j + 1))
            out[t] = direct * int(counts[t]) + int(weight @ total)

    monkeypatch.setattr(square_root, "measure", measure)


def rounding_not_priced(monkeypatch):
    real = decaying._root_above
    first = iter([])

    def root(square):
        nonlocal first
        found = next(first, None)
        if found is None:  # the first root of each pair is the rounding
            first = iter([real(square)])
            return 0
        return real(square)

    monkeypatch.setattr(decaying, "_root_above", root)


def coefficients_cut(monkeypatch):
    real = square_root.Design._squares

    def squares(self, later):
        return real(self, min(later, 3))

    monkeypatch.setattr(square_root.Design, "_squares", squares)


def no_noise_at_birth(monkeypatch):
    monkeypatch.setattr(pan.NoisyTotals, "_bear", lambda self, below: None)


def no_noise_at_the_end(monkeypatch):
    def close(self):
        closing = tree.level(self.position + 1)
        found = self._totals[[closing]]
        self._totals[closing] = 0
        self.position += 1
        self._open = self._opened()
        self._bear(closing)
        return found

    monkeypatch.setattr(pan.NoisyTotals, "close", close)


def no_noise_after_a_look(monkeypatch):
    def announce(self):
        self.announced += 1

    monkeypatch.setattr(pan.NoisyTotals, "announce", announce)


def fresh_noise_on_one_total_alone(monkeypatch):
    def announce(self):
        first = np.flatnonzero(self._open)[:1]
        self._totals[first] = self._noisy(self._totals[first])
        self.announced += 1

    monkeypatch.setattr(pan.NoisyTotals, "announce", announce)


def budget_of_each_look_not_shared(monkeypatch):
    """All looks at the scale that hides a single level."""
    monkeypatch.setattr(tree, "sensitivity", lambda steps: Sensitivity(Fraction(1), Fraction(1)))


def exact_count_kept(monkeypatch):
    real = pan.NoisyTotals.add

    def add(self, ones):
        self.ones = getattr(self, "ones", 0) + ones
        real(self, ones)

    monkeypatch.setattr(pan.NoisyTotals, "add", add)


def counts_cut_to_the_exact_count(monkeypatch):
    real = Counter._published

    def published(self, before, counts):
        times, found = real(self, before, counts)
        return times, np.minimum(found, self._intake._sums._sums.sum())

    monkeypatch.setattr(Counter, "_published", published)


def sums_doubled_by_a_pause(monkeypatch):
    real = tree._Held.restore

    def restore(self, saved, position):
        real(self, saved, position)
        self._sums = 2 * self._sums

    monkeypatch.setattr(tree.DyadicSums, "restore", restore)


def coin_with_twice_the_epsilon(monkeypatch):
    real = RandomizedResponse.flips

    def flips(self, count, bits):
        return real(replace(self, budget=PureDP(2 * self.budget.epsilon)), count, bits)

    monkeypatch.setattr(RandomizedResponse, "flips", flips)


def two_answers_to_a_bit(monkeypatch):
    def fill(self, source, times, last):
        wanted = min(self._size, last) - self.seen
        bits = source.read(wanted)
        told, kept = (self._response.respond(bits, self._bits) for _ in range(2))
        ones = self._ones + np.cumsum(told, dtype=np.int64)
        self.responses = np.concatenate((self.responses, kept))
        self._ones = int(self.responses.sum())
        found = ones[times - self.seen - 1]
        self.seen += wanted
        self.admitted += wanted
        return found

    monkeypatch.setattr(Reservoir, "_fill", fill)


def bits_admitted_by_their_value(monkeypatch):
    real = Reservoir._admit

    def admit(self, source, places, slots):
        found = real(self, source, places, slots)
        if self.responses.all():
            self._response.flips(1, self._bits)
        return found

    monkeypatch.setattr(Reservoir, "_admit", admit)


def exact_bit_kept_beside_the_answers(monkeypatch):
    real = Reservoir.follow

    def follow(self, source, times):
        found = real(self, source, times)
        if self._pan:
            self.last = int(source._values[source.position - 1])
        return found

    monkeypatch.setattr(Reservoir, "follow", follow)


def sample_among_the_first(monkeypatch):
    real = reservoir_mean.secret_sample
    monkeypatch.setattr(
        reservoir_mean,
        "secret_sample",
        lambda size, population, bits: real(size, max(size, population - 1), bits),
    )


def too_much_amplification(monkeypatch):
    real = reservoir_mean.within_amplified
    monkeypatch.setattr(
        reservoir_mean,
        "within_amplified",
        lambda total, size, population: real(total, size, 2 * population),
    )
    monkeypatch.setattr(reservoir_mean, "amplified", lambda base, size, population: PureDP(1))


def wrong_weight_of_a_coefficient(monkeypatch):
    real = privelet.haar

    def haar(values):
        found = real(values)
        found[1] *= 2
        return found

    monkeypatch.setattr(privelet, "haar", haar)


def replaced_at_the_price_of_added(monkeypatch):
    one = Sensitivity(Fraction(1), Fraction(1))
    monkeypatch.setattr(Histogram, "sensitivity", property(lambda self: one))


def records_added_up_after_the_cut(monkeypatch):
    monkeypatch.setattr(Counts, "records", property(lambda self: int(self.values.sum())))


def shares_above_the_whole(monkeypatch):
    monkeypatch.setattr(count_plan, "shared", lambda whole, *parts: (whole, whole))
    monkeypatch.setattr(mechanism, "_within", lambda spent, limit: True)


def shares_above_the_whole_that_the_purse_refuses(monkeypatch):
    monkeypatch.setattr(count_plan, "shared", lambda whole, *parts: (whole, whole))


def answers_at_the_price_of_one(monkeypatch):
    real = Answering.noise

    def noise(self, answers):
        return replace(real(self, answers), sensitivity=real(self, 1).sensitivity)

    monkeypatch.setattr(Answering, "noise", noise)


def scores_at_half_their_sensitivity(monkeypatch):
    real = fitness.PairCells.sensitivity.fget
    monkeypatch.setattr(fitness.PairCells, "sensitivity", property(lambda self: real(self) / 2))


def answers_at_half_their_sensitivity(monkeypatch):
    real = fitness.RightAnswers.sensitivity.fget
    monkeypatch.setattr(fitness.RightAnswers, "sensitivity", property(lambda self: real(self) / 2))


def parts_that_overlap(monkeypatch):
    real = private_choice.dealt
    monkeypatch.setattr(private_choice, "dealt", lambda codes, n: (codes, real(codes, n)[1]))


def parts_by_the_record(monkeypatch):
    """A record's value decides which candidate gets it."""

    def dealt(codes, candidates):
        mine = codes[:, 0] == 0
        return codes[::3], [codes[mine], codes[~mine]]

    monkeypatch.setattr(private_choice, "dealt", dealt)


def score_told_beside_the_choice(monkeypatch):
    score, within, seen = fitness.PairCells.score, private_choice._within, []

    def watched(self, release, held_out):
        seen.append(score(self, release, held_out))
        return seen[-1]

    monkeypatch.setattr(fitness.PairCells, "score", watched)
    monkeypatch.setattr(private_choice, "_within", lambda *facts: within(*facts) + sum(seen[-1:]))


def all_of_it_left(monkeypatch):
    monkeypatch.setattr(private_choice, "_left_of", lambda whole, stage: whole)


_SEEN_BY = {
    too_low_a_tree: "tree",
    half_noise_on_one_level: "tree",
    halved_noise: "Gaussian tree",
    shared_noise: "weights",
    cut_noise: "counts",
    weights_not_cut_above: "weights",
    distance_rounded_down: "weights, Gaussian",
    exact_total_in_the_account: "weights",
    remainders_dropped: "square root",
    rounding_not_priced: "square root",
    coefficients_cut: "square root",
    no_noise_at_birth: "memory",
    no_noise_at_the_end: "pan",
    no_noise_after_a_look: "looks",
    fresh_noise_on_one_total_alone: "looks",
    budget_of_each_look_not_shared: "looks",
    exact_count_kept: "memory",
    counts_cut_to_the_exact_count: "tree",
    sums_doubled_by_a_pause: "tree",
    coin_with_twice_the_epsilon: "reservoir",
    two_answers_to_a_bit: "reservoir",
    bits_admitted_by_their_value: "reservoir",
    exact_bit_kept_beside_the_answers: "reservoir",
    sample_among_the_first: "single",
    too_much_amplification: "single",
    wrong_weight_of_a_coefficient: "counts",
    replaced_at_the_price_of_added: "counts, Gaussian",
    records_added_up_after_the_cut: "counts",
    shares_above_the_whole: "counts",
    shares_above_the_whole_that_the_purse_refuses: "counts",
    answers_at_the_price_of_one: "desk",
    scores_at_half_their_sensitivity: "choice",
    answers_at_half_their_sensitivity: "judge",
    parts_that_overlap: "choice",
    parts_by_the_record: "choice",
    score_told_beside_the_choice: "choice",
    all_of_it_left: "split",
    **dict.fromkeys(PART_FAULTS, "parts"),
    **dict.fromkeys(FIT_FAULTS, "fit"),
    **dict.fromkeys(RANGE_FAULTS, "ranges"),
    **dict.fromkeys(VALUE_FAULTS, "values"),
}

FAULTS = {fault.__name__: (fault, check) for fault, check in _SEEN_BY.items()}
