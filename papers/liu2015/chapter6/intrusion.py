"""Definitions 6.2.7 and 6.2.8: what somebody sees who looks into the memory, once and twice.

The definitions speak of the state alone.  A counter that holds x₁ + η and later publishes
x₁ + x₂ + η meets them, and tells x₂ to whoever has seen both.  So the joint law is asked for; the
library's counter keeps to it, with one look at any moment and with two of which the first is
announced (`sfumato.inspection.audit.stream_memory`, with frozen noise, over all moments).  Its
sample of answers keeps to it however often it is looked at.
"""

from itertools import product
from math import exp

import numpy as np

from papers.liu2015.chapter6.measure import APART, Law, apart
from papers.liu2015.settings import Settings
from papers.outcome import Outcome, Outcomes
from sfumato.inspection.audit.stream_memory import check_memory, memory
from sfumato.inspection.audit.stream_reservoir import check_reservoir
from sfumato.privacy.guarantee import PureDP
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SeededBits
from sfumato.stream.counter import METHOD, Counter

__all__ = [
    "ANNOUNCED", "BOTH", "EPSILON", "FRESH", "OFTEN", "ONCE", "OUTPUT", "READ", "SHARE", "STATE",
    "UNANNOUNCED", "audit_counter", "look_twice", "work_out_memory",
]  # fmt: skip

EPSILON = 1
STATE, OUTPUT, BOTH = "the state alone", "the output alone", "state and output"
FRESH = "state and output, with noise at both"
ONCE, ANNOUNCED, UNANNOUNCED = "one look", "two looks, announced", "two looks, not announced"
OFTEN = "any looks, none announced"
SHARE, READ = "share of ε that is lost", "bit between two looks read off"
WIDE = 30  # whole numbers to either side
BITS, BEFORE = 8, 4  # of the stream; before the bit that is read off
RUNS = 100  # in each trial


def work_out_memory(found: Outcomes) -> None:
    """The two bits of the counterexample, by enumeration."""
    for who in (STATE, OUTPUT, BOTH, FRESH):
        laws = {bits: _law(who, *bits) for bits in product((0, 1), (0, 1))}
        furthest = max(
            apart(laws[one], laws[other])
            for one in laws
            for other in laws
            if sum(a != b for a, b in zip(one, other, strict=True)) == 1
        )
        found.add(Outcome("6.2.7", who, EPSILON, 0, APART, furthest))


def audit_counter(found: Outcomes) -> None:
    """What looks at any moments and all outputs cost together, with frozen noise."""
    for who, looks in ((ONCE, 1), (ANNOUNCED, 2)):
        case = next(check_memory(PureDP(EPSILON), looks))
        lost = case.share if not case.violations else float("inf")
        found.add(Outcome("6.2.8", who, EPSILON, 0, SHARE, lost))
    *_, case = check_reservoir(PureDP(EPSILON))  # the last is about memory
    lost = case.share if not case.violations else float("inf")
    found.add(Outcome("6.2.8", OFTEN, EPSILON, 0, SHARE, lost))


def _law(who: str, first: int, second: int) -> Law:
    """What is seen of a total that is born with noise, looked at after one bit, and published.

    Each bit enters one sum, so that noise of scale 1/ε hides it.
    """
    size = 4 * WIDE + 3
    seen = np.zeros((size, size))
    noise = range(-WIDE, WIDE + 1)
    for birth in noise:
        state = birth + first
        for release in noise if who == FRESH else (0,):
            output = state + second + release
            chance = exp(-EPSILON * (abs(birth) + abs(release)))
            seen[state + 2 * WIDE, output + 2 * WIDE] += chance
    seen /= seen.sum()
    return seen.sum(axis=1) if who == STATE else seen.sum(axis=0) if who == OUTPUT else seen


def look_twice(trial: int, settings: Settings, found: Outcomes) -> None:
    """How often the bit between two looks is told by the difference of what they saw."""
    plan = METHOD.price(BITS, PureDP(EPSILON), {"intrusions": 2})
    rng = np.random.default_rng(settings.seed_of("6", trial))
    for who, announced in ((ANNOUNCED, True), (UNANNOUNCED, False)):
        right = 0
        for run in range(RUNS):
            bits = rng.integers(0, 2, BEFORE + 1)
            bits_of_noise = SeededBits(settings.seed_of("6", who, trial, run))
            counter = Counter(plan, Purse(plan.budget, bits_of_noise))
            counter.count(bits[:BEFORE])
            before = _total(counter)
            if announced:
                counter.announce()
            counter.count(bits[BEFORE:])
            right += (_total(counter) - before >= 1) == bool(bits[BEFORE])
        found.add(Outcome("6.2.8", who, EPSILON, trial, READ, right / RUNS))


def _total(counter: Counter) -> float:
    """The total of the whole stream, which is under way until its last bit."""
    totals = [v for name, v in memory(counter).items() if "_totals._totals" in name]
    return totals[-1]
