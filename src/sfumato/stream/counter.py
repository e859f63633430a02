"""counter: how many of the bits so far are one, published while the stream runs.

Guarantee.  All counts up to the horizon, together, are ε-differentially private (tree), or
ρ-zCDP and through it (ε, δ) (square-root, tree), between streams of the same length that differ
in one bit.  With `pan` the same holds for all counts and one look into the counter's memory, with
`intrusions` for several looks of which each is announced before the next.
Mechanism.  A step is one bit, or a block of `every` bits, so that one bit changes the count of
one step by one.  `sfumato.stream.tree` and `sfumato.stream.square_root` say what a step measures
and how far a bit moves all of it.  Exact discrete noise is added to the whole numbers; the rest,
floats included, is post-processing (`docs/proofs/counter.md`).

>>> from sfumato.privacy.guarantee import ApproxDP, PureDP
>>> plan = METHOD.price(2**20, PureDP(1), {"every": "65536"})
>>> plan.options["engine"], plan.events[0].noise
('tree', Fraction(5, 1))
>>> METHOD.price(2**20, ApproxDP(1, "1e-6"), {}).options["engine"]
'square-root'
"""

from collections.abc import Iterator
from typing import Any

from sfumato.plan import ContractCase
from sfumato.privacy.budget import Budget
from sfumato.privacy.mechanism import Purse
from sfumato.stream.counter_settings import ENGINES, SMOOTH, Settings
from sfumato.stream.counting import Counter
from sfumato.stream.recipe import BitSource, Released, StreamMethod, StreamPlan

__all__ = ["METHOD", "Counter"]

_LIMITS = {
    "whole": "Counts are rounded and kept between 0 and the number of bits: near these ends "
    "their mean is off.",
    "monotone": "Counts are rounded and never fall: each is the largest so far, which is biased "
    "upwards.",
    "none": "Counts are not cleaned: some are no whole numbers, some may be negative.",
}
_ONE_LOOK = (
    "The memory of the counter may be seen once, at any moment; a second look is not covered."
)
_LOOKS = (
    "The memory of the counter may be seen {} times, at any moments with an announcement between "
    "each two; looks beyond these, and two without an announcement between them, are not covered. "
    "An announcement adds noise to the sums that are under way."
)
_NOT_COVERED = (
    "Bits that the source of the stream holds (up to a chunk of those already counted among them), "
    "the bits being added at the moment of the look, and freed memory are not covered."
)
_BLOCKS = "Bits after the last whole block are counted at the horizon, not when the stream ends."


def plan(horizon: int, budget: Budget, **options: Any) -> StreamPlan:
    """A count after every step up to the horizon, for this budget altogether."""
    settings = Settings.read(horizon, budget, **options)
    settings.noise.check(settings.unit)
    limits = [_LIMITS[settings.smooth]]
    if settings.pan:
        looks = settings.intrusions
        limits.extend((_ONE_LOOK if looks == 1 else _LOOKS.format(looks), _NOT_COVERED))
    if settings.every > 1:
        limits.append(_BLOCKS)

    def run(source: BitSource, purse: Purse) -> Iterator[Released]:
        return Counter(made, purse).run(source)

    made = StreamPlan(
        method=METHOD.name,
        budget=budget,
        events=(settings.noise.event,),
        horizon=settings.horizon,
        pausable=True,
        looks=settings.intrusions,
        run=run,
        options=settings.options,
        limits=tuple(limits),
    )
    return made


METHOD = StreamMethod(
    name="counter",
    summary="Counts the ones so far, after every bit or block, under one charge for the stream.",
    promise="epsilon, (epsilon, delta) or rho; one bit, all counts together; pan-private if asked",
    source="Chan, Shi and Song 2011; Dwork, Naor, Pitassi and Rothblum 2010; Henzinger, "
    "Upadhyay and Upadhyay 2023",
    proof="proofs/counter.md",
    plan=plan,
    options={
        "engine": f"one of {', '.join(ENGINES)}; auto takes the tree for a pure budget and the "
        "square root otherwise",
        "every": "publish once per so many bits; 1 by default",
        "pan": "whether the memory of the counter may be seen once; false by default",
        "intrusions": "how many looks into the memory are covered, each announced before the next; "
        "1 with pan, which it implies",
        "smooth": f"one of {', '.join(SMOOTH)}: whole numbers between 0 and the bits so far "
        "(default), these never falling, or no clean-up",
    },
    use="a running count of a bit stream, after every bit or block",
    example="sfumato stream count visits.txt --horizon 4096 --every 512 --epsilon 1",
    contract=(ContractCase({"epsilon": "1"}, options={"every": 500}),),
)
