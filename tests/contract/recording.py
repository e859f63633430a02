"""A purse that writes down what every mechanism was given, and replays what it gave out.

Two neighbouring tables are measured with the same outputs frozen, so that adaptive
methods take the same path and the exact inputs can be compared with the sensitivity.
"""

import numpy as np

from sfumato.privacy.mechanism import Paid, Purse
from sfumato.privacy.randomness import SeededBits


class RecordingPurse(Purse):
    def __init__(self, limit, script=None):
        super().__init__(limit, SeededBits(0))
        self.script = script  # outputs of an earlier run, to be given out again
        self.calls = []  # (noise, exact values in real units) of each statistic
        self.outputs = []

    def pay(self, noise):
        super().pay(noise)
        statistic = len(self.calls)
        self.calls.append((noise, []))
        self.outputs.append([])
        return _RecordingPaid(noise, self.bits, self, statistic)

    def distances(self, other):
        """Per statistic: ℓ₁ and squared ℓ₂ distance between the exact inputs of two runs."""
        for (noise, mine), (_, theirs) in zip(self.calls, other.calls, strict=True):
            a, b = (np.concatenate([part.ravel() for part in parts]) for parts in (mine, theirs))
            moved = np.abs(a - b)
            yield noise, moved.sum(), (moved**2).sum()


class _RecordingPaid(Paid):
    __slots__ = ("purse", "statistic")

    def __init__(self, noise, bits, purse, statistic):
        super().__init__(noise, bits)
        object.__setattr__(self, "purse", purse)
        object.__setattr__(self, "statistic", statistic)

    def add(self, exact, units):
        _, parts = self.purse.calls[self.statistic]
        outputs = self.purse.outputs[self.statistic]
        parts.append(np.asarray(exact, dtype=float) / units)
        noisy = super().add(exact, units)
        if self.purse.script is not None:
            noisy = self.purse.script[self.statistic][len(outputs)]
        outputs.append(noisy)
        return noisy
