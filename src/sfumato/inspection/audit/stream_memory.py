"""The pan-private counter under audit: all counts, and looks into its memory.

A look shows every number that the counter holds.  Noise that was drawn before it may hide a bit
there: the births of totals are shifted until the memory is as before, and what that costs is
added.  A number in memory that no draw can shift shows its bits bare.  Of two looks the first is
announced; what came between them must be hidden by noise that was drawn then.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from sfumato.inspection.audit.coupled import Checked, Run, compare, replay
from sfumato.inspection.audit.stream_counter import Stream, streams
from sfumato.numeric.arrays import Whole
from sfumato.privacy.budget import Budget
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SystemBits
from sfumato.stream.counter import METHOD, Counter
from sfumato.stream.counter_settings import Settings

__all__ = ["check_memory", "memory"]

Memory = dict[str, float]
Influence = dict[tuple[int, int], Memory]  # of each draw on what is in memory


def check_memory(budget: Budget, looks: int = 1) -> Iterator[Checked]:
    """Every moment of so many looks, every bit before, between and after them."""
    for horizon, every in ((8, 1), (11, 2)) if looks == 1 else ((6, 1), (7, 3)):
        often = "one look at any moment" if looks == 1 else f"{looks} looks, announced"
        case = Checked(f"{often}, {horizon} bits in steps of {every}", budget)
        plan = METHOD.price(
            horizon, budget, {"intrusions": looks, "every": every, "smooth": "none"}
        )
        for moments in combinations_with_replacement(range(horizon + 1), looks):
            look, (family,) = _looked(plan, moments), streams(horizon, 1)
            first = replay(look, family.base, sum(moments))
            assert first is not None  # noqa: S101  there is no script to leave
            influence = _influence(look, family.base, first)
            for text, bits in family.neighbours:
                where = f"{text}, a look after {' and '.join(map(str, moments))}"
                compare(case, where, first, _hidden(look, bits, first, influence))
        yield case


def _looked(plan: Any, moments: Sequence[int]) -> Callable[[Stream], Any]:
    """What a recipient and an intruder see together; each look but the last is announced."""

    def publish(bits: Stream) -> tuple[list[float], Memory]:
        counter = Counter(plan, Purse(plan.budget, SystemBits()))
        counts: list[float] = []
        seen: Memory = {}
        for look, moment in enumerate(moments):
            counts += counter.count(bits[counter.position : moment])[1].tolist()
            seen |= memory(counter, f"look {look + 1}")
            if look < len(moments) - 1:
                counter.announce()
        return [*counts, *counter.count(bits[counter.position :])[1].tolist()], seen

    return publish


def memory(thing: Any, name: str = "memory") -> Memory:
    """Every number that an object of the stream package holds, by where it is."""
    if isinstance(thing, np.ndarray):
        thing = thing.tolist()
    if isinstance(thing, int | float):
        return {name: thing}
    if isinstance(thing, list | tuple):
        parts = ((str(place), part) for place, part in enumerate(thing))
    elif isinstance(thing, dict):
        parts = ((str(key), part) for key, part in thing.items())
    elif type(thing).__module__.startswith("sfumato.stream") and not isinstance(thing, Settings):
        parts = iter(vars(thing).items())
    else:
        return {}
    return {at: value for key, part in parts for at, value in memory(part, f"{name}.{key}").items()}


def _influence(look: Callable[[Stream], Any], bits: Stream, first: Run) -> Influence:
    """What one step more in each draw changes in memory, where it changes one number by one."""
    found: Influence = {}
    for call, place in _places(first.trace.script):
        second = replay(look, bits, 0, _shifted(first.trace.script, {(call, place): 1}))
        if second is not None and (moved := _moved(first, second)):
            found[call, place] = moved
    return found


def _hidden(
    look: Callable[[Stream], Any], bits: Stream, first: Run, influence: Influence
) -> Run | None:
    """The run on a neighbour whose memory and outputs are as before, if noise can make it so."""
    second = replay(look, bits, 0, first.trace.script)
    if second is None:
        return None
    shifts = {}
    for name, moved in _moved(first, second).items():
        draws = [draw for draw, changes in influence.items() if changes == {name: 1}]
        if draws:
            shifts[draws[-1]] = -int(moved)
    return replay(look, bits, 0, _shifted(first.trace.script, shifts)) if shifts else second


def _moved(first: Run, second: Run) -> Memory:
    before, after = first.view[1], second.view[1]
    return {at: after[at] - before[at] for at in before if after[at] != before[at]}


def _places(script: Sequence[Whole]) -> Iterator[tuple[int, int]]:
    for call, output in enumerate(script):
        yield from ((call, place) for place in range(output.size))


def _shifted(script: Sequence[Whole], shifts: dict[tuple[int, int], int]) -> list[Whole]:
    other = [output.copy() for output in script]
    for (call, place), step in shifts.items():
        other[call][place] += step
    return other
