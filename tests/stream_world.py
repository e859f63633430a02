"""Streams for tests: what a plan publishes, what it measured, and noise that is told beforehand."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from sfumato.inspection.audit.replay import RecordingPurse
from sfumato.privacy.mechanism import Paid, Purse
from sfumato.privacy.randomness import SeededBits
from sfumato.stream.counter import METHOD
from sfumato.stream.source import open_bits

__all__ = ["ToldPurse", "all_streams", "largest_moves", "measurements", "planned", "series"]


def planned(horizon, budget, **options):
    return METHOD.price(horizon, budget, options)


def series(plan, data, purse=None):
    """Times and values of a whole run."""
    purse = purse or Purse(plan.budget, SeededBits(3))
    with open_bits(data) as source:
        parts = [(np.empty(0, np.int64), np.empty(0)), *plan.run(source, purse)]
    return tuple(np.concatenate(part) for part in zip(*parts, strict=True))


def measurements(plan, data):
    """NOT PRIVATE: the exact whole numbers that a run put under noise, and their unit."""
    purse = RecordingPurse(plan.budget)
    series(plan, data, purse)
    (statistic,) = purse.statistics
    return statistic.flat(statistic.exact), int(statistic.units[0][0])


def all_streams(length):
    return list(product((0, 1), repeat=length))


def largest_moves(plan, length):
    """Largest ℓ₁ and squared ℓ₂ distance over all pairs of neighbouring streams, in counts."""
    unit = 1
    found = {}
    for stream in all_streams(length):
        found[stream], unit = measurements(plan, np.array(stream))
    moves = [
        np.abs(found[stream] - found[(*stream[:i], 1, *stream[i + 1 :])])
        for stream in found
        for i in range(length)
        if stream[i] == 0
    ]
    l1 = max(int(move.sum()) for move in moves) / unit
    l2 = max(sum(int(m) ** 2 for m in move) for move in moves) / unit**2
    return l1, l2


class ToldPurse(Purse):
    """Noise from a list that several purses may share; by default there is none."""

    def __init__(self, limit, noise: Iterator[int] | None = None):
        super().__init__(limit, SeededBits(0))
        self.noise = noise

    def pay(self, noise):
        return _ToldPaid(noise, self.spend(noise.event), self.noise)


@dataclass(frozen=True, slots=True)
class _ToldPaid(Paid):
    told: Iterator[int] | None

    def add(self, exact, units):
        if self.told is None:
            return exact.copy()
        return exact + np.array([next(self.told) for _ in exact], np.int64)
