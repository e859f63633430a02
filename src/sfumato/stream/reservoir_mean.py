"""reservoir-mean: the share of ones so far, at chosen times, from few of the bits.

(Liu 2015, chapter 8, with randomized response in place of one-sided noise.)  One sample of n
bits serves all times; which bits are in it does not depend on any bit.

Guarantee.  ε-differential privacy for the whole series: each admitted bit is answered once,
all else is post-processing.  With `single` there is one time, and the sample is drawn by exact
means and kept secret: then a response may lose more than ε, and the one published mean still
loses ε at most (`sfumato.privacy.subsample`).  With `pan` the promise covers any number of looks
into the memory as well, announced or not.
Accuracy.  At each time from bit n on, the mean is off by more than σ with chance at most λ if

    n ≥ ((e^ε + 1) / (e^ε − 1))² · ln(2 / λ) / (2σ²).

>>> plan = METHOD.price(10**6, PureDP(1), {"times": "every=250000", "sigma": "0.1"})
>>> print(plan.limits[0])
The mean of 864 responses is off by more than 0.1 with a chance of at most 0.05 at any one time.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from math import ceil, expm1, log, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ParameterError
from sfumato.plan import ContractCase
from sfumato.plan.options import truth, whole
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import PureDP, exact
from sfumato.privacy.mechanism import Event, Purse
from sfumato.privacy.response import RandomizedResponse
from sfumato.privacy.subsample import amplified, secret_sample, within_amplified
from sfumato.stream.recipe import BitSource, Released, StreamMethod, StreamPlan
from sfumato.stream.reservoir import Reservoir, bits_at, pass_to

__all__ = ["METHOD"]

_LONGEST = 2**50  # bits of a stream
_LARGEST = 10**9  # bits that are kept
_MOST_TIMES = 10**6
_TOGETHER = 1 << 16  # times within so many bits are published together
_STEEP = 700.0  # beyond this epsilon nothing changes in a float
_SEEN = (
    "The sample must stay secret: towards whoever sees which bits are read, a response promises "
    "{base} instead of {total}."
)
_PAN = (
    "The memory of the program may be seen at any number of moments. Bits that the source of the "
    "stream holds, those being answered at the moment of a look, and freed memory are not covered."
)

Run = Callable[[BitSource, Purse], Iterator[Released]]


def plan(
    horizon: int,
    budget: Budget,
    times: Any = None,
    size: Any = None,
    sigma: Any = None,
    confidence: Any = "0.95",
    single: Any = False,
    pan: Any = False,
) -> StreamPlan:
    """Responses to a sample of `size` bits, or of as many as an error of `sigma` asks for."""
    if not isinstance(budget, PureDP):
        raise ParameterError(
            "randomized response promises pure epsilon-DP only: leave out delta and rho"
        )
    horizon = whole("horizon", horizon, _LONGEST, "bits")
    when, alone, seen = _times(times, horizon), truth("single", single), truth("pan", pan)
    if alone and seen:
        raise ParameterError("pan shows which bits are in the sample: leave out single, or pan")
    failure = float(1 - exact("confidence", confidence, below=1))
    last = int(when[-1])
    if alone and when.size > 1:
        raise ParameterError(
            f"single is for one time, got {when.size}: a series shows when its sample changes, "
            "so the sample is not secret; leave out single, or all times but one"
        )
    if (size is None) == (sigma is None):
        raise ParameterError("give either size (bits to keep) or sigma (error to stay within)")
    if size is not None:
        kept = min(whole("size", size, _LARGEST, "bits"), last)
    else:
        within = float(exact("sigma", sigma, below=1))
        kept = _enough(budget, within, failure, last, alone)
    base = within_amplified(budget, kept, last) if alone else budget
    response = RandomizedResponse(
        f"responses to {kept} secretly chosen bits" if alone else "responses to admitted bits", base
    )
    event = response.event
    if alone:
        event = replace(event, cost=amplified(base, kept, last))
    given = {"size": size, "sigma": sigma, "confidence": confidence}
    return StreamPlan(
        method=METHOD.name,
        budget=budget,
        events=(event,),
        horizon=horizon,
        run=_once(response, event, kept, last) if alone else _series(response, kept, when, seen),
        options={
            "times": times if isinstance(times, str) else ",".join(map(str, when.tolist())),
            "single": alone,
            **{name: str(value) for name, value in given.items() if value is not None},
            **({"pan": True} if seen else {}),
        },
        limits=(
            *_errors(response, min(kept, int(when[0])), kept, failure),
            *((_SEEN.format(base=base, total=budget),) if base != budget else ()),
            *((_PAN,) if seen else ()),
        ),
        needs=last,
    )


def _series(response: RandomizedResponse, kept: int, times: NDArray[np.int64], pan: bool) -> Run:
    def run(source: BitSource, purse: Purse) -> Iterator[Released]:
        reservoir = Reservoir(kept, response, purse.spend(response.event), pan=pan)
        for group in np.split(times, np.flatnonzero(np.diff(times // _TOGETHER)) + 1):
            yield group, reservoir.follow(source, group)

    return run


def _once(response: RandomizedResponse, event: Event, kept: int, time: int) -> Run:
    def run(source: BitSource, purse: Purse) -> Iterator[Released]:
        bits = purse.spend(event)
        places = secret_sample(kept, time, bits) + 1
        flips = response.flips(kept, bits).tolist()
        ones = sum(bit ^ flip for bit, flip in zip(bits_at(source, places), flips, strict=True))
        pass_to(source, time, int(places[-1]))
        share = response.debiased(np.array([ones / kept]))
        yield np.array([time]), np.clip(share, 0, 1)

    return run


def _enough(budget: PureDP, sigma: float, failure: float, last: int, alone: bool) -> int:
    """How many responses keep the error within sigma; refused if more than there can be."""
    kept = RandomizedResponse("bits", budget).sample_size(sigma, failure)
    if alone:
        # A response to n of t secret bits may lose ln(1 + (t / n) g), g = e^ε − 1, so its contrast
        # is 1 / (1 + 2n / (t g)), and n = A (1 + 2n / (t g))² is a quadratic equation.
        needed = log(2 / failure) / (2 * sigma**2)
        shared = 2 * needed / (last * expm1(min(float(budget.epsilon), _STEEP)))
        if 4 * shared <= 1:
            kept = ceil(2 * needed / (1 - 2 * shared + sqrt(1 - 4 * shared)))
    if kept > min(last, _LARGEST):
        raise ParameterError(
            f"sigma asks for responses to {kept} bits, more than the last time or {_LARGEST}: "
            "raise sigma or epsilon, lower the confidence, or publish later"
        )
    return kept


def _times(times: Any, horizon: int) -> NDArray[np.int64]:
    """Ascending times, at most the horizon, from `every=K`, a text, a number or numbers."""
    if times is None:
        return np.array([horizon])
    if isinstance(times, str) and times.strip().startswith("every="):
        step = whole("times every", times.strip().removeprefix("every="), horizon, "horizon")
        if horizon // step > _MOST_TIMES:
            raise ParameterError(f"times must be at most {_MOST_TIMES}: publish less often")
        return np.arange(step, horizon + 1, step)
    several = isinstance(times, Iterable) and not isinstance(times, str)
    items = list(times) if several else str(times).split(",")
    found = np.array([whole("times", str(item).strip(), horizon, "horizon") for item in items])
    if not 1 <= found.size <= _MOST_TIMES or (np.diff(found) <= 0).any():
        raise ParameterError(
            f"times must be 1 to {_MOST_TIMES} numbers in ascending order, each of them once"
        )
    return found


def _errors(response: RandomizedResponse, first: int, kept: int, failure: float) -> tuple[str, ...]:
    """How far off a mean may be, of the first number of responses and of all; rounded up."""

    def within(count: int) -> str:
        return f"{min(1.0, ceil(response.error(count, failure) * 10**4) / 10**4):.4g}"

    chance = f"with a chance of at most {failure:.4g} at any one time"
    late = f"The mean of {kept} responses is off by more than {within(kept)} {chance}."
    if first == kept:
        return (late,)
    return late, f"Before bit {kept} there are fewer: {within(first)} takes its place at {first}."


METHOD = StreamMethod(
    name="reservoir-mean",
    summary="The share of ones so far, at chosen times, from a sample of the bits.",
    promise="epsilon-DP for the whole series, between streams that differ in one bit",
    source="Liu 2015, chapter 8, with randomized response and corrected bounds",
    proof="proofs/reservoir-mean.md",
    plan=plan,
    options={
        "times": "when to publish, in bits: 100,1000,5000 or every=1000; at the horizon by default",
        "size": "how many bits to keep; or sigma",
        "sigma": "the error to stay within, from the time on when so many bits have come; or size",
        "confidence": "the chance, at any one time, of staying within the error; 0.95 by default",
        "single": "publish once, from a sample that stays secret: a smaller error; no by default",
        "pan": "whether the memory may be seen, as often as anybody likes; false by default",
    },
    use="a mean of a bit stream at a few times, where reading every bit costs too much",
    example="sfumato stream mean visits.txt --times 2048,4096 --sigma 0.2 --epsilon 1",
    contract=(ContractCase({"epsilon": "1"}, options={"times": "1000,4000", "size": 500}),),
)
