"""reservoir-mean from a secret sample under audit: the whole law of the one published mean.

Which samples are drawn, and how likely, follows from the exact uniform draws that the code asks
for; how likely a flip is, from the coins that it throws.  For every stream and every value that
can be published its probability is then a finite sum, and so is the loss between neighbours.
"""

from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product
from math import exp, inf, log
from typing import Any

import numpy as np

from sfumato.inspection.audit.coupled import Checked, public, replay, stated
from sfumato.inspection.audit.price import Price
from sfumato.inspection.audit.trace import Coins, Trace, told, tracing
from sfumato.privacy import subsample
from sfumato.privacy.guarantee import PureDP
from sfumato.privacy.randomness import SeededBits
from sfumato.publishing.stream import publish_stream
from sfumato.stream import reservoir_mean

__all__ = ["check_single"]

Sample = tuple[int, ...]
_SHAPES = ((1, 3), (2, 4), (3, 3))  # bits that are kept, of how many
_DRAWS = 5  # uniform draws that are looked at
_ROUNDING = 1e-11  # of floats, in ε; the price is rounded down by less


def check_single(budget: PureDP) -> Iterator[Checked]:
    """The law of `publish_stream(single=True)` for all streams of a few bits."""
    for size, population in _SHAPES:
        yield _check(budget, size, population)


def _check(budget: PureDP, size: int, population: int) -> Checked:
    found = Checked(f"one mean, from {size} of {population} bits in secret", budget)
    samples = _samples(found, size, population)
    laws = {
        bits: _law(found, budget, np.array(bits, np.uint8), samples)
        for bits in product((0, 1), repeat=population)
    }
    for bits, law in laws.items():
        for place in range(population):
            other = laws[(*bits[:place], 1 - bits[place], *bits[place + 1 :])]
            found.found(f"bit {place + 1} of {''.join(map(str, bits))}", _loss(law, other))
    return found


def _samples(found: Checked, size: int, population: int) -> dict[Sample, Fraction]:
    """How likely each sample is, from the uniform draws that lead to it."""
    hits: dict[Sample, int] = defaultdict(int)
    secret_sample = vars(reservoir_mean)["secret_sample"]  # as the method has it
    for row in product(range(population), repeat=_DRAWS):
        told_row = iter(row)

        def uniform(bound: int, count: int, _bits: Any, row: Iterator[int] = told_row) -> Any:
            if bound != population:
                found.violated("the sample is not drawn among all bits")
            return np.array([next(row) for _ in range(count)], np.int64)

        with tracing(Trace()), told(subsample, "uniform_below", uniform):
            try:
                drawn = secret_sample(size, population, SeededBits(0))
            except StopIteration:
                continue  # more draws would decide
        hits[tuple(drawn.tolist())] += 1
    wanted = list(combinations(range(population), size))
    if sorted(hits) != wanted or len(set(hits.values())) > 1:
        found.violated(f"not every {size} of {population} bits are equally likely to be sampled")
    total = sum(hits.values())
    return {sample: Fraction(count, total) for sample, count in hits.items()}


def _law(
    found: Checked, budget: PureDP, bits: Any, samples: dict[Sample, Fraction]
) -> dict[str, float]:
    """What can be published of these bits, and how likely it is."""
    law: dict[str, float] = defaultdict(float)
    for sample, chance in samples.items():
        for coins in product((0, 1), repeat=len(sample)):

            def publish(values: Any, sample: Sample = sample) -> Any:
                with told(reservoir_mean, "secret_sample", lambda *_: np.array(sample)):
                    return public(_published(values, len(sample), budget))

            run = replay(publish, bits, 0, [np.array(coins)])
            if run is None:
                found.violated("which coins are thrown depends on the bits")
                continue
            for fault in run.trace.faults:
                found.violated(fault)
            odds = [
                exp(-float(call.exponent)) for call in run.trace.calls if isinstance(call, Coins)
            ]
            if len(odds) != 1:
                found.violated("the bits of a sample are not answered once")
                continue
            flips = sum(coins)
            falling = odds[0] ** flips / (1 + odds[0]) ** len(coins)
            law[str(run.view)] += float(chance) * falling
    return law


def _published(bits: Any, size: int, budget: PureDP) -> Any:
    return publish_stream(
        bits,
        horizon=bits.size,
        method="reservoir-mean",
        size=size,
        single=True,
        seed=0,
        release="audit",
        progress=False,
        **stated(budget),
    )


def _loss(law: dict[str, float], other: dict[str, float]) -> Price:
    if law.keys() != other.keys():
        return Price(bare=True)
    worst = max(abs(log(law[view] / other[view])) for view in law)
    return Price(bare=True) if worst == inf else Price(pure=Fraction(max(worst - _ROUNDING, 0.0)))
