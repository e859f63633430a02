"""A released running count: what is known of the ones in any stretch of its stream.

*Tree.*  The count at step t holds the noise of every dyadic sum it is put together from, one for
each binary one of t: one draw at its birth, and up to one more for every look at its memory that
is covered (`intrusions`, or one with `pan`).  Two counts share the sums that they have in common,
so a stretch holds the noises of those that only one end has: exactly.
*Square root.*  The count at step t holds the noise of every step s ≤ t, times h_{t−s}; with
noise of fine steps that is a Gaussian up to a bounded rest (`gaussian_sum`).

Cleaning.  `whole` rounds and cuts to 0 … t.  The truth lies there, so one count comes no farther
from it; but in a stretch a count that was cut hides its noise, as weights at a bound do (`edges`).
`monotone` releases the largest so far: its count is at least the noisy one, and above the truth by
no more than the largest noise up to then, so bounds hold with all these noises below it at once.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import sqrt
from typing import ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.accuracy.discrete_sum import DiscreteSum, Part
from sfumato.accuracy.gaussian_sum import GaussianSum
from sfumato.accuracy.noisy import Entries, Noisy, law_of
from sfumato.errors import ParameterError, ReleaseError
from sfumato.numeric.arrays import Vector, Whole
from sfumato.release.certificate import Certificate, stated
from sfumato.synopsis.decaying import Design

__all__ = ["COLUMN", "Series", "series"]

COLUMN = "bits"
_ONE, _HALF = Fraction(1), 0.5
_FOR_CLEANING = Fraction(1, 10)  # of the chance of being wrong
_MOST_STEPS = 2**22
_FAR = 100  # deviations: noise is never so large
_SHARPNESS = 2.0**-53  # of a float
_ROUNDING = 1 + 1e-9  # of a variance that is summed in floats

_BORN_AND_SEEN = 2  # noises of a sum whose memory may be seen once


@dataclass(frozen=True, eq=False)
class _Figures(Entries):
    """Released counts by row; the noise of row k is that of all that step k was put together of."""

    times: Whole
    every: int
    smooth: str
    independent: ClassVar[bool] = False

    def down(self, noisy: Noisy, chance: Fraction) -> float:
        return self._reach(noisy, chance, 1)

    def up(self, noisy: Noisy, chance: Fraction) -> float:
        return self._reach(noisy, chance, -1)

    def clipped(self, noisy: Noisy) -> int:
        if self.smooth == "monotone":
            return len(noisy.weights)
        if self.smooth == "none" or len(noisy.weights) == 1:  # a count comes nearer to the truth
            return 0
        return sum(not 0 < float(self.values[row]) < int(self.times[row]) for row in noisy.weights)

    def caution(self, noisy: Noisy) -> str:
        changed = self.clipped(noisy)
        if not changed:
            return ""
        if self.smooth == "monotone":
            return (
                "Counts of this release never fall: each is the largest so far, so these bounds "
                "hold for all noises up to then at once, and there is no p-value."
            )
        return (
            f"{changed} of the {len(noisy.weights)} counts it is made of lie at 0 or at the number "
            "of bits, to which noisy counts are cut back: of these only that is known, which the "
            "bounds stated here allow for."
        )

    def step_of(self, row: int) -> int:
        """Which release of the series a row is."""
        return int(-(-int(self.times[row]) // self.every))

    @property
    def noisiest(self) -> int:
        """The row of a single count with most noise."""
        raise NotImplementedError

    def largest(self, row: int, chance: Fraction) -> float:
        """What no noise up to a row exceeds, except with this chance."""
        raise NotImplementedError

    def _reach(self, noisy: Noisy, chance: Fraction, side: int) -> float:
        if self.smooth == "monotone":
            each = chance / len(noisy.weights)
            return float(noisy.step) * sum(
                abs(weight) * self._single(row, each, high=weight * side > 0)
                for row, weight in noisy.weights.items()
            )
        if self.smooth == "none" or len(noisy.weights) == 1:
            return noisy.law.one_sided(chance)
        reach = noisy.law.one_sided(chance * (1 - _FOR_CLEANING))
        each = chance * _FOR_CLEANING / len(noisy.weights)
        for row, weight in noisy.weights.items():
            # A count that is added may have been below 0, one that is taken away above all bits.
            bottom = weight * side > 0
            value, most = float(self.values[row]), int(self.times[row])
            if value <= 0 if bottom else value >= most:
                reach += float(noisy.step) * abs(weight) * self._single(row, each, high=False)
        return reach

    def _single(self, row: int, chance: Fraction, *, high: bool) -> float:
        """How far one count may be off: `high`, above the truth and the largest so far."""
        if high and self.smooth == "monotone":
            return self.largest(row, chance)
        return self.law(Noisy(self, {row: 1}, self.size)).one_sided(chance)


@dataclass(frozen=True, eq=False)
class _Dyadic(_Figures):
    """Counts of the tree."""

    looks: int  # noises of one sum, at most

    @property
    def exact(self) -> bool:
        """With several looks covered nobody is told how many were announced, each with a noise."""
        return self.looks <= _BORN_AND_SEEN

    @property
    def noisiest(self) -> int:
        return int(np.bitwise_count(-(-self.times // self.every)).argmax())

    def parts(self, noisy: Noisy) -> Iterator[Part]:
        """The dyadic sums of all counts, those that cancel left out."""
        sums: Counter[int] = Counter()
        for row, weight in noisy.weights.items():
            step = self.step_of(row)
            while step:
                sums[step] += weight
                step &= step - 1
        for weight, count in Counter(abs(w) for w in sums.values() if w).items():
            yield Part(self.kind, self.size, count * self.looks, weight)

    def noises(self, noisy: Noisy) -> int:
        return sum(part.count for part in self.parts(noisy))

    def largest(self, row: int, chance: Fraction) -> float:
        step = self.step_of(row)
        most = (step + 1).bit_length() - 1  # binary ones of a number up to it
        laws = (DiscreteSum.of([Part(self.kind, self.size, k * self.looks)]) for k in
                range(1, most + 1))  # fmt: skip
        return max(law.one_sided(chance / step) for law in laws)


@dataclass(frozen=True, eq=False)
class _Decaying(_Figures):
    """Counts of the square root."""

    design: Design

    def law(self, noisy: Noisy) -> GaussianSum:
        rows = sorted(noisy.weights)
        steps = {row: self.step_of(row) for row in rows}
        if len(rows) == 1:
            at, weight = steps[rows[0]] - 1, abs(noisy.weights[rows[0]])
            squares, sizes = weight**2 * float(self._squares[at]), weight * float(self._sizes[at])
        else:
            found = np.zeros(steps[rows[-1]])
            for row in rows:
                found[: steps[row]] += noisy.weights[row] * self._response[steps[row] - 1 :: -1]
            squares, sizes = float(found @ found), float(np.abs(found).sum())
        last, step = steps[rows[-1]], float(noisy.step)
        spread = sqrt(float(self.size) * squares * _ROUNDING)
        rounded = sum(abs(weight) for weight in noisy.weights.values()) * self._rounded(last)
        # Half a step of each noise, and what the measured sums stray by.
        grain = sizes * (_HALF + sum(self.design.weights)) / self.design.unit + rounded
        fine = float(self.size * self.design.unit**2)
        return GaussianSum(spread * step, grain * step * _ROUNDING, last / (8 * fine))

    @property
    def noisiest(self) -> int:
        return len(self.times) - 1

    def noises(self, noisy: Noisy) -> int:
        return max(self.step_of(row) for row in noisy.weights)

    def largest(self, row: int, chance: Fraction) -> float:
        # Later counts have more noise, so the last law covers all.
        law = self.law(Noisy(self, {row: 1}, self.size))
        return law.one_sided(chance / self.step_of(row))

    def _rounded(self, last: int) -> float:
        """What floats and rounding to whole numbers add to a count."""
        noise = sqrt(float(self.size) * float(self._squares[last - 1]))
        largest = float(self.times[-1]) + 4 * _FAR * noise
        floats = last * 4 * (self.design.decays + 2) * _SHARPNESS * largest
        return floats + (0.0 if self.smooth == "none" else _HALF)

    @cached_property
    def _response(self) -> Vector:
        return self.design.response(self.step_of(len(self.times) - 1))

    @cached_property
    def _squares(self) -> NDArray[np.float64]:
        return np.cumsum(self._response**2)

    @cached_property
    def _sizes(self) -> NDArray[np.float64]:
        return np.cumsum(np.abs(self._response))


@dataclass(frozen=True, eq=False)
class Series(Mapping[str, Noisy]):
    """The ones between any two released times; by name, those between neighbouring ones."""

    entries: _Figures
    start: int | None  # the time before the first row at which the count is known to be 0

    def __getitem__(self, name: str) -> Noisy:
        return self.best({name: 1})

    def __iter__(self) -> Iterator[str]:
        times = self.entries.times.tolist()
        known = times if self.start is None else [self.start, *times]
        return (_named(a + 1, b) for a, b in pairwise(known))

    def __len__(self) -> int:
        return max(len(self.entries.times) - (self.start is None), 0)

    def at(self, row: int) -> Noisy:
        """The ones up to the time of a row."""
        return self._noisy({row: 1}, int(self.entries.times[row]))

    def best(self, weights: Mapping[str, int]) -> Noisy:
        """A combination of the ones in several stretches."""
        rows: Counter[int] = Counter()
        length = 0
        for name, weight in weights.items():
            first, last = self._ends(name)
            rows[self._row(last)] += weight
            if first > 1:
                rows[self._row(first - 1)] -= weight
            length += last - first + 1
        return self._noisy({row: weight for row, weight in rows.items() if weight}, length)

    def listed(self, values: Sequence[str]) -> list[str]:
        """Stretches as they were asked for; refused if two of them share a bit."""
        ends = sorted(self._ends(value) for value in values)
        for (_, last), (first, _) in pairwise(ends):
            if first <= last:
                raise ParameterError("these stretches share bits: ask for each bit once")
        if not ends:
            raise ParameterError('say which bits: "1 to 1024" are the first 1024')
        return [_named(*end) for end in ends]

    def _noisy(self, rows: Mapping[int, int], length: int) -> Noisy:
        nothing = Fraction(0)
        return Noisy(
            self.entries, rows, self.entries.size, nothing, _ONE, nothing, Fraction(length),
            whole=True,
        )  # fmt: skip

    def _row(self, time: int) -> int:
        row = int(np.searchsorted(self.entries.times, time))
        if row < len(self.entries.times) and int(self.entries.times[row]) == time:
            return row
        near = self.entries.times[max(row - 1, 0) : row + 1].tolist()
        raise ParameterError(
            f"no count was released at time {time}: a stretch begins after a released time and "
            f"ends at one; near it there is {' and '.join(map(str, near)) or 'none'}"
        )

    @staticmethod
    def _ends(value: str) -> tuple[int, int]:
        low, _, high = value.partition(" to ")
        try:
            first, last = int(low), int(high or low)
        except ValueError:
            first, last = 0, 0
        if not 1 <= first <= last:
            raise ParameterError(f'bits are written as "1 to 1024" or as one number, not {value!r}')
        return first, last


def _named(first: int, last: int) -> str:
    return str(last) if first == last else f"{first} to {last}"


def series(certificate: Certificate, table: pa.Table) -> Series:
    """The counts of a `counter` release."""
    options, (event,) = certificate.options, certificate.events
    horizon, every = stated(certificate.stream).horizon, options["every"]
    engine, smooth, looked_at = options["engine"], options["smooth"], options["pan"]
    looks = options.get("intrusions", int(looked_at))  # each sum has a noise more for every one
    known = engine in ("tree", "square-root") and smooth in ("whole", "monotone", "none")
    if not known or type(looks) is not int or looks < 0 or type(every) is not int or every < 1:
        raise ReleaseError("the certificate does not state how its counts were made")
    kind, size = law_of(event)
    times = np.asarray(table.column("time"), np.int64)
    values = np.asarray(table.column("value"), np.float64)
    if not len(times):
        raise ReleaseError("no count was published, so there is nothing to say about one")
    if (np.diff(times) <= 0).any() or times[0] < 1 or times[-1] > horizon:
        raise ReleaseError("the times do not rise from where the series begins to its horizon")
    if not np.isfinite(values).all() or ((times % every != 0) & (times != horizon)).any():
        raise ReleaseError("the counts are not numbers at the times that the certificate states")
    entries: _Figures
    if engine == "tree":
        entries = _Dyadic(values, kind, size, times, every, smooth, 1 + looks)
    else:
        if -(-int(times[-1]) // every) > _MOST_STEPS:
            raise ReleaseError(
                f"the noise of a square-root count is not worked out beyond {_MOST_STEPS:,} steps: "
                "count larger blocks (every), or choose engine tree"
            )
        design = Design(-(-horizon // every), every)
        _ = design.direct  # refused here, if there is no such design
        entries = _Decaying(values, kind, size, times, every, smooth, design)
    continues = certificate.continues
    begins = 0 if continues is None or continues.start == 0 else None
    return Series(entries, begins)
