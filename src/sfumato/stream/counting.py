"""A counter at work: bits in, noisy running counts out, and a state that can be resumed once."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import DataError, ParameterError, ReleaseError
from sfumato.privacy.mechanism import Purse
from sfumato.stream.counter_settings import Settings
from sfumato.stream.intake import Intake, intake
from sfumato.stream.recipe import BitSource, Released, StreamPlan
from sfumato.stream.saved import Saved
from sfumato.stream.source import Source, open_bits
from sfumato.stream.square_root import RecoveredCounts
from sfumato.stream.state import Series, plan_digest, save, take
from sfumato.stream.tree import DyadicCounts, levels

__all__ = ["Counter", "check_length", "check_new", "go_to_new"]

_EXACT = "NOT PRIVATE: holds exact partial sums of the stream; for its owner alone"
_NOISY = "pan-private: holds noisy totals; private as long as memory is not seen a second time"
_SEVERAL = "pan-private: holds noisy totals; seen by others, it is resumed as seen (--seen)"


def check_length(source: BitSource, horizon: int, counted: int = 0) -> None:
    """Refuse a stream that is known to be longer than its horizon: how long it is, is public.

    `counted` bits came before those of the source.
    """
    length = source.length if isinstance(source, Source) else None
    if length is not None and length + counted > horizon:
        raise DataError(
            f"the stream is longer than its horizon of {horizon} bits: raise horizon, or cut it"
        )


def check_new(longest: int | None, position: int) -> None:
    """Refuse a whole stream of so many bits at most, if it cannot go beyond this position."""
    if longest is not None and longest <= position:
        raise _nothing_new(position, shorter=longest < position)


def pass_over(source: BitSource, position: int) -> None:
    """Go to where a counter is, in a source that starts anew."""
    if source.position > position:
        raise DataError("the source is ahead of the counter: open it from its start")
    missing = position - source.position
    if source.skip(missing) < missing:
        raise _nothing_new(position, shorter=True)


def go_to_new(source: Source, position: int) -> None:
    """Go to the first bit that was not counted; there must be one."""
    pass_over(source, position)
    if source.ended():
        raise _nothing_new(position, shorter=False)


def _nothing_new(position: int, *, shorter: bool) -> DataError:
    # Lengths are public.  What the bits are is not compared: the refusal would depend on them.
    if not position:
        return DataError("the stream has no bit: the state is left as it is")
    what = "is shorter than what" if shorter else "has no bit beyond what"
    return DataError(
        f"the stream {what} was counted of it already, {position} bits: give all bits from the "
        "first on, or say that these are the new ones alone (--append, append=True)"
    )


class Counter:
    """A running count of one stream: paid for when it is made, and continued by itself alone.

    >>> from sfumato.privacy.guarantee import PureDP
    >>> from sfumato.privacy.randomness import SeededBits
    >>> from sfumato.stream.counter import METHOD
    >>> plan = METHOD.price(8, PureDP(20), {})
    >>> counter = Counter(plan, Purse(plan.budget, SeededBits(1)))
    >>> counter.count([1, 0, 1])
    (array([1, 2, 3]), array([1., 1., 2.]))
    >>> counter.count([1]), counter.position
    ((array([4]), array([3.])), 4)
    """

    def __init__(self, plan: StreamPlan, purse: Purse) -> None:
        self._set_up(plan, purse)
        # Asked for before anything else, so that the ledger has the draw before there is a bit or
        # a state: what was begun can be paused and taken up again, but never refunded.
        purse.bits.words(1)
        self._intake.begin()

    def _set_up(self, plan: StreamPlan, purse: Purse) -> None:
        settings = Settings.read(plan.horizon, plan.budget, **plan.options)
        paid = purse.pay(settings.noise)
        kind = "seeded test" if paid.bits.seeded else "release"
        self._settings, self._ended = settings, False
        self._belongs_to = {"plan": plan_digest(plan), "kind of run": kind}
        self._intake: Intake = intake(settings, paid)
        self._counts: DyadicCounts | RecoveredCounts
        if settings.engine == "tree":
            self._counts = DyadicCounts(levels(settings.steps))
        else:
            self._counts = RecoveredCounts(settings.design)
        self._highest = 0.0  # count that was published
        self._process = os.getpid()

    @property
    def position(self) -> int:
        """How many bits were counted."""
        return self._intake.position

    @property
    def horizon(self) -> int:
        """How many bits may be counted."""
        return self._settings.horizon

    def run(self, source: BitSource, *, append: bool = False) -> Iterator[Released]:
        """Publish until the bits or the horizon end.

        A source that starts anew is passed over up to where the counter is, unless `append` says
        that it holds new bits alone.  Bits after the last whole block are held until it is full or
        the horizon is reached.  A stream may end early; one that is known to be longer is refused,
        others are not read beyond the horizon.
        """
        if append:
            check_length(source, self.horizon, self.position - source.position)
        else:
            check_length(source, self.horizon)
            pass_over(source, self.position)
        yield from self._over(source)

    def count(self, bits: Any) -> Released:
        """Count bits that have come (an array, a list): what that publishes, if anything."""
        given = open_bits(bits)
        if given.length is None:
            raise ParameterError("count takes an array or a list of bits; run takes a source")
        if given.length > self.horizon - self.position:
            raise ParameterError(
                "these bits pass the horizon: a longer stream needs a plan and a charge of its own"
            )
        checked = given.read(given.length)  # refused as a whole, or counted as a whole
        parts = [(np.empty(0, np.int64), np.empty(0)), *self._over(open_bits(checked))]
        return np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts])

    def save(self, path: str | Path, series: Series) -> None:
        """Put the state into a file and end this counter: `resume` goes on, once."""
        self._check()
        state = {
            "intake": self._intake.to_json(),
            "counts": self._counts.to_json(),
            "highest": self._highest,
        }
        self._ended = True
        try:
            save(
                path,
                state,
                self._belongs_to | series.facts,
                position=self.position,
                caution=self._caution,
            )
        except ReleaseError:
            self._ended = False  # nothing was written
            raise

    def announce(self) -> None:
        """Say that somebody has seen the memory: fresh noise hides what comes from the next look.

        As often as looks are covered (`intrusions`), less the last.

        >>> from sfumato.privacy.guarantee import PureDP
        >>> from sfumato.privacy.randomness import SystemBits
        >>> from sfumato.stream.counter import METHOD
        >>> plan = METHOD.price(8, PureDP(1), {"intrusions": 2})
        >>> counter = Counter(plan, Purse(plan.budget, SystemBits()))
        >>> counter.announce()
        """
        self._check()
        self._intake.check_announcement()
        self._ended = True  # interrupted in here, some totals would lack their noise
        self._intake.announce()
        self._ended = False

    @classmethod
    def resume(
        cls,
        path: str | Path,
        plan: StreamPlan,
        purse: Purse,
        series: Series,
        *,
        seen: bool = False,
    ) -> "Counter":
        """Go on from a saved state, which is used up.

        The release was charged when it began.  The purse is a new one for the same plan: its
        noise is fresh, and what was measured before the pause is not measured again.  `seen`
        announces that somebody may have looked into memory or file.
        """
        counter = cls.__new__(cls)
        counter._set_up(plan, purse)

        def restore(saved: Saved, position: int) -> None:
            counter._restore(saved, position)
            if seen:
                counter._intake.check_announcement()

        take(path, counter._belongs_to | series.facts, restore)
        # As in the beginning: a part that was begun is drawn, whether or not bits come.
        purse.bits.words(1)
        counter._intake.go_on()
        if seen:
            counter._intake.announce()
        return counter

    @property
    def _caution(self) -> str:
        looks = self._settings.intrusions
        return _EXACT if looks == 0 else _NOISY if looks == 1 else _SEVERAL

    def _restore(self, saved: Saved, position: int) -> None:
        self._intake.restore(saved.part("intake"))
        self._counts.restore(saved.part("counts"), self._intake.steps)
        self._highest = saved.real("highest", most=self.horizon)
        if self.position != position:
            raise saved.damaged("position")

    def _over(self, source: BitSource) -> Iterator[Released]:
        apart = source.position - self.position
        while not self._intake.finished:
            self._check()
            if source.position - self.position != apart:
                raise ReleaseError("another run is counting the same stream: run one at a time")
            # An interrupt in here leaves half a step, which nobody may go on from.
            self._ended = True
            before = self._intake.steps
            noisy = self._intake.take(source)
            counts = None if noisy is None else self._counts.estimate(noisy)
            self._ended = False
            if counts is None:
                return
            if counts.size:
                yield self._published(before, counts)

    def _published(self, before: int, counts: NDArray[np.float64]) -> Released:
        """Times and cleaned counts of the steps after `before`: post-processing."""
        settings = self._settings
        steps = before + np.arange(1, counts.size + 1)
        times = np.minimum(steps * settings.every, settings.horizon)
        if settings.smooth != "none":
            counts = np.clip(np.rint(counts), 0, times)
        if settings.smooth == "monotone":
            counts = np.maximum(np.maximum.accumulate(counts), self._highest)
            self._highest = float(counts[-1])
        return times, counts

    def _check(self) -> None:
        if self._process != os.getpid():
            raise ReleaseError("a counter cannot be used in a forked process: two would count")
        if self._ended:
            raise ReleaseError("this counter was saved or interrupted and cannot be resumed")

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError("a counter cannot be pickled or copied: two would count the same bits")
