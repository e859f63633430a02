"""reservoir-mean under audit: one answer for a bit, coins of the stated law, and a secret sample.

A series, and every look at the reservoir, must be hidden by a single coin: the run on a
neighbour is repeated with each coin turned, until one of them makes all that is seen the same.
For one mean from a secret sample, where the price lies in the sample, the whole law of the
output is computed: every sample that can be drawn, every way the coins can fall.
"""

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np

from sfumato.inspection.audit.bound import Claim
from sfumato.inspection.audit.coupled import Checked, Family, Run, compare, public, replay, stated
from sfumato.inspection.audit.sampled import LARGER, Effort, Sampled, judged
from sfumato.inspection.audit.stream_counter import streams
from sfumato.inspection.audit.stream_memory import memory
from sfumato.inspection.audit.trace import Trace, told, tracing
from sfumato.privacy import response
from sfumato.privacy.guarantee import PureDP
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import Bits, SeededBits
from sfumato.privacy.response import RandomizedResponse
from sfumato.publishing.stream import publish_stream
from sfumato.stream.recipe import StreamPlan
from sfumato.stream.reservoir import Reservoir
from sfumato.stream.reservoir_mean import METHOD
from sfumato.stream.source import open_bits

__all__ = ["check_answers", "check_coins", "check_reservoir", "sample_reservoir"]

_SIZES = (1, 3, 20)  # of a reservoir for 10 bits: always replacing, sometimes, never
_DEPTH = 4  # coins that are looked at


def check_reservoir(budget: PureDP) -> Iterator[Checked]:
    """Frozen checks of the series and of every look at the reservoir."""
    yield check_coins(budget)
    for text, way in (("published", _series), ("looked at", _looks), ("memory seen", _memory)):
        found = Checked(f"all means, {text}", budget)
        for size in _SIZES:
            found.join(check_answers(found.case, budget, way(budget, size)))
        yield found


def check_answers(case: str, budget: PureDP, publish: Callable[[Any], Any]) -> Checked:
    """Each bit must be hidden by one coin, whatever places are drawn."""
    found = Checked(case, budget)
    for seed, family in enumerate(_seeded()):
        first = replay(publish, family.base, seed)
        assert first is not None  # noqa: S101  there is no script to leave
        for text, values in family.neighbours:
            compare(found, f"{family.text}, {text}", first, _hidden(publish, values, first))
    return found


def _hidden(publish: Callable[[Any], Any], values: Any, first: Run) -> Run | None:
    """The run on a neighbour that looks the same, with no coin turned or with one."""
    script = first.trace.script
    second = replay(publish, values, 0, script)
    if second is None or second.view == first.view:
        return second
    for call, output in enumerate(script):
        for place in range(output.size):
            turned = [part.copy() for part in script]
            turned[call][place] ^= 1
            other = replay(publish, values, 0, turned)
            if other is not None and other.view == first.view:
                return other
    return second


def _series(budget: PureDP, size: int) -> Callable[[Any], Any]:
    def publish(values: Any) -> Any:
        bits, seed = values
        release = publish_stream(
            bits,
            horizon=bits.size,
            method="reservoir-mean",
            size=size,
            times="every=1",
            seed=seed,
            release="audit",
            progress=False,
            **stated(budget),
        )
        return public(release)

    return publish


def _looks(budget: PureDP, size: int) -> Callable[[Any], Any]:
    """The answers in the reservoir after every bit."""

    def publish(values: Any) -> list[Any]:
        bits, seed = values
        source, answers = open_bits(bits), RandomizedResponse("bits", budget)
        reservoir = Reservoir(size, answers, SeededBits(seed))
        seen = []
        for time in range(1, bits.size + 1):
            mean = reservoir.follow(source, np.array([time])).tolist()
            seen.append((mean, reservoir.responses.tolist(), reservoir.seen, reservoir.admitted))
        return seen

    return publish


def _memory(budget: PureDP, size: int) -> Callable[[Any], Any]:
    """Every number that a pan-private reservoir holds, after every bit."""

    def publish(values: Any) -> list[Any]:
        bits, seed = values
        source, answers = open_bits(bits), RandomizedResponse("bits", budget)
        reservoir = Reservoir(size, answers, SeededBits(seed), pan=True)
        seen = []
        for time in range(1, bits.size + 1):
            mean = reservoir.follow(source, np.array([time])).tolist()
            seen.append((mean, *_held(reservoir)))
        return seen

    return publish


def _held(reservoir: Reservoir) -> tuple[dict[str, float], list[Any]]:
    """All numbers in memory; the many places that are drawn together as bytes."""
    parts = dict(vars(reservoir))
    places = vars(parts.pop("_admissions")).values()
    plain = [part.tobytes() if isinstance(part, np.ndarray) else part for part in places]
    return memory(parts), [part for part in plain if isinstance(part, bytes | int | float)]


def _seeded() -> Iterator[Family]:
    for seed, family in enumerate(streams(10, 2)):
        others = [(text, (bits, seed)) for text, bits in family.neighbours]
        yield Family(family.text, (family.base, seed), others)


def check_coins(budget: PureDP) -> Checked:
    """Whether a flip is the first coin that settles: then it is e^−exponent times as likely."""
    found = Checked("the coins of an answer", budget)
    answers = RandomizedResponse("bits", budget)
    for coins in product((False, True), repeat=_DEPTH):
        for accepted in product((False, True), repeat=_DEPTH):
            settled = [c for c, yes in zip(coins, accepted, strict=True) if yes or not c]
            for count in (1, 2):
                expected = [*settled, False, False][:count]  # whatever comes later is no flip
                if _fallen(answers, coins, accepted, count) != expected:
                    found.violated("a flip is not the first coin that settles")
    return found


def _fallen(
    answers: RandomizedResponse, coins: tuple[bool, ...], accepted: tuple[bool, ...], count: int
) -> list[bool]:
    rest = [yes for yes, coin in zip(accepted, coins, strict=True) if coin]

    def thrown(several: int, _bits: Any) -> Any:
        return np.array([*coins, *[False] * several][:several])

    def asked(z: Any, _exact: Any, _bits: Any) -> Any:
        return np.array([*rest, *[True] * len(z)][: len(z)], bool)

    real = RandomizedResponse.flips  # as it is, not as a trace has it
    with (
        tracing(Trace()),
        told(response, "coins", thrown),
        told(response, "bernoulli_exp", asked),
    ):
        return [bool(flip) for flip in real(answers, count, SeededBits(0))]


def sample_reservoir(budget: PureDP, effort: Effort) -> Sampled:
    """Real answers to a single bit; the chance of each follows from the coins that are thrown."""
    found = []
    for planned in (budget, PureDP(LARGER * budget.epsilon)):
        plan = METHOD.price(1, planned, {"size": "1"})
        sides = []
        for bit in (0, 1):
            answers = [_mean(plan, bit, planned, effort.bits) for _ in range(effort.runs)]
            sides.append(float(planned.epsilon) * (1 - 2 * np.array(answers)))
        found.append(judged(sides, Claim.of(budget, ()), effort))
    return Sampled("the answer to one bit", budget, found[0], found[1])


def _mean(plan: StreamPlan, bit: int, planned: PureDP, bits: Bits) -> float:
    ((_, mean),) = plan.run(open_bits(np.array([bit], np.uint8)), Purse(planned, bits))
    return float(mean[0])
