"""Where bits come in: counted into steps, and measured under noise before they go on."""

from typing import Any

import numpy as np

from sfumato.errors import ParameterError
from sfumato.numeric.arrays import Whole
from sfumato.privacy.mechanism import Paid
from sfumato.stream.counter_settings import Settings
from sfumato.stream.pan import NoisyTotals
from sfumato.stream.recipe import BitSource
from sfumato.stream.saved import Saved
from sfumato.stream.source import available
from sfumato.stream.square_root import DecayingSums
from sfumato.stream.tree import DyadicSums, levels

__all__ = ["ONE_LOOK", "ExactIntake", "Intake", "PanIntake", "intake"]

ONE_LOOK = (
    "a look can be announced only where a further one is covered: begin the count with "
    "intrusions=2 or more"
)
_TOGETHER = 1 << 14  # steps at a time, where their bits are at hand


class Intake:
    """A stream up to its horizon, cut into steps."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.steps = 0  # whole steps behind
        self.seen = 0  # bits of the step under way

    @property
    def position(self) -> int:
        """Bits that came in."""
        return min(self.steps * self.settings.every, self.settings.horizon) + self.seen

    @property
    def finished(self) -> bool:
        """Whether the horizon is reached."""
        return self.steps == self.settings.steps

    def begin(self) -> None:
        """What is done once, before the first bit."""

    def go_on(self) -> None:
        """What is done after a pause, before the next bit."""

    def check_announcement(self) -> None:
        """Refuse to announce a look after which no further one is covered."""
        raise ParameterError(ONE_LOOK)

    def announce(self) -> None:
        """Somebody has seen the memory: hide what comes from another look."""

    def take(self, source: BitSource) -> Whole | None:
        """Noisy measurements of the steps that are now complete, if any; None at the end."""
        raise NotImplementedError

    def to_json(self) -> dict[str, Any]:
        """What is in memory."""
        return {"steps": self.steps, "seen": self.seen}

    def restore(self, saved: Saved) -> None:
        """Go on from `to_json`."""
        self.steps = saved.whole("steps", most=self.settings.steps)
        self.seen = saved.whole("seen", most=max(0, self._length(self.steps) - 1))

    def _length(self, step: int) -> int:
        """Bits of a step: the last one ends at the horizon."""
        every = self.settings.every
        return min(every, self.settings.horizon - step * every)


class ExactIntake(Intake):
    """NOT PRIVATE inside: exact sums are held, and noise is added as they leave."""

    def __init__(self, settings: Settings, paid: Paid) -> None:
        super().__init__(settings)
        self._paid, self._ones = paid, 0  # ones of the step under way
        self._sums: DyadicSums | DecayingSums
        if settings.engine == "tree":
            self._sums = DyadicSums(levels(settings.steps))
        else:
            self._sums = DecayingSums(settings.design)

    def take(self, source: BitSource) -> Whole | None:
        """The steps whose bits are at hand, or the next one."""
        most = min(_TOGETHER, self.settings.steps - self.steps)
        if self.settings.every == 1:
            counts = source.read(min(most, max(1, available(source)))).astype(np.int64)
        else:
            counts = self._blocks(source, most)
        if not counts.size:
            return None
        self.steps += counts.size
        return self._paid.add(self._sums.query(counts), np.full(counts.size, self.settings.unit))

    def _blocks(self, source: BitSource, most: int) -> Whole:
        found: list[int] = []
        while len(found) < most:
            missing = self._length(self.steps + len(found)) - self.seen
            if found and available(source) < missing:
                break  # what is complete does not wait for what is not
            ones, bits = source.ones(missing)
            self._ones += ones
            self.seen += bits
            if bits < missing:
                break
            found.append(self._ones)
            self._ones = self.seen = 0
        return np.array(found, np.int64)

    def to_json(self) -> dict[str, Any]:
        """NOT PRIVATE: exact sums."""
        return {**super().to_json(), "ones": self._ones, "sums": self._sums.to_json()}

    def restore(self, saved: Saved) -> None:
        """Go on from `to_json`."""
        super().restore(saved)
        self._ones = saved.whole("ones", most=self.seen)
        self._sums.restore(saved.part("sums"), self.steps)


class PanIntake(Intake):
    """Bits go into noisy totals as they come; no exact sum outlives the call that made it."""

    def __init__(self, settings: Settings, paid: Paid) -> None:
        super().__init__(settings)
        self._totals = NoisyTotals(settings.steps, paid)

    def begin(self) -> None:
        """The first totals are born, with their noise."""
        self._totals.begin()

    def go_on(self) -> None:
        """Noise to come must not follow from what is in memory."""
        self._totals.drop_key()

    def check_announcement(self) -> None:
        """The last look that is covered needs no announcement."""
        covered = self.settings.intrusions
        if covered == 1:
            raise ParameterError(ONE_LOOK)
        if self._totals.announced >= covered - 1:
            raise ParameterError(
                f"intrusions={covered} covers {covered} looks, and all but the last were "
                "announced: go on without announcing this one, and let nobody look again"
            )

    def announce(self) -> None:
        """Fresh noise on every total."""
        self._totals.announce()

    def take(self, source: BitSource) -> Whole | None:
        """What is at hand of the step under way, or its next bit."""
        missing = self._length(self.steps) - self.seen
        ones, bits = source.ones(min(missing, max(1, available(source))))
        if not bits:
            return None
        self._totals.add(ones)
        self.seen += bits
        if bits < missing:
            return np.empty(0, np.int64)
        self.steps, self.seen = self.steps + 1, 0
        return self._totals.close()

    def to_json(self) -> dict[str, Any]:
        """Noisy totals, and how many bits there were."""
        found = {**super().to_json(), "totals": self._totals.to_json()}
        return found | ({"announced": self._totals.announced} if self._several else {})

    def restore(self, saved: Saved) -> None:
        """Go on from `to_json`."""
        super().restore(saved)
        self._totals.restore(saved.part("totals"), self.steps)
        if self._several:
            self._totals.announced = saved.whole("announced", most=self.settings.intrusions - 1)

    @property
    def _several(self) -> bool:
        return self.settings.intrusions > 1


def intake(settings: Settings, paid: Paid) -> Intake:
    """The intake for these settings."""
    return PanIntake(settings, paid) if settings.pan else ExactIntake(settings, paid)
