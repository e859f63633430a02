"""A reservoir of responses: a fair sample of the bits so far, each hidden as it is admitted.

The first n bits are admitted.  Bit t > n is admitted with chance n / t in place of one that is
there, so after any t bits every bit has been kept with the same chance (Vitter 1985).  Which
bit is admitted next does not depend on any bit, so its place is drawn and the bits before it are
passed over (Algorithm L, Li 1994): about n (1 + ln(t / n)) of t bits are ever looked at.  How many
bytes a source fetches for them is its own affair (`sfumato.stream.source`).

A bit is answered by randomized response when it is read, once, and only the answer is kept.

Guarantee.  ε-differential privacy for everything that is computed from responses and places,
however often: for the series of all states of the reservoir, and so for whatever is published.
This is pan-privacy against any number of looks into the reservoir (responses, counts, places).
With `pan` it is so for the memory of the process: bits are answered as they come, each flip is
drawn when its bit is there, and no key is kept.  Without it, the key of the random bits and the
flips of a block to come lie in memory as well, and while the reservoir fills, bits wait until the
source has as many as were asked for.  What the source itself holds is not covered.
Limits.  Places come from float logarithms and a fast generator.  They are independent of the
bits, so their errors touch how even the sample is (by about 2⁻⁵⁰), never the promise.
"""

from collections.abc import Iterator

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from sfumato.errors import DataError, ParameterError
from sfumato.numeric.arrays import Whole
from sfumato.perturb.randomness import generator
from sfumato.privacy.randomness import Bits
from sfumato.privacy.response import RandomizedResponse
from sfumato.stream.pan import UnkeyedBits
from sfumato.stream.recipe import BitSource
from sfumato.stream.source import available

__all__ = ["Admissions", "Reservoir", "bits_at", "check_enough", "pass_to"]


_BLOCK = 1 << 12  # admissions drawn together
_FAR = 1 << 50  # farther than any stream; a block of such jumps still fits 64 bits


class Admissions:
    """Places of the bits that enter a full reservoir, and which of its slots they take.

    >>> from sfumato.privacy.randomness import SeededBits
    >>> list(Admissions(2, generator(SeededBits(1))).until(12))
    [(array([3, 4]), array([1, 0]))]
    """

    def __init__(self, size: int, floats: Generator) -> None:
        self._size, self._floats = size, floats
        self._log_w = 0.0  # every bit has a uniform key, those below w are admitted
        self._last = size  # the place behind which the next block goes on
        self._places = self._slots = np.empty(0, np.int64)

    def until(self, time: int) -> Iterator[tuple[Whole, Whole]]:
        """The admissions that come next, up to this time, in blocks; each is told once."""
        while self._last <= time or self._places.size:
            if not self._places.size:
                self._draw()
            count = int(np.searchsorted(self._places, time, side="right"))
            if not count:
                return
            found = self._places[:count], self._slots[:count]
            self._places, self._slots = self._places[count:], self._slots[count:]
            yield found

    def _draw(self) -> None:
        first, second = self._floats.standard_exponential((2, _BLOCK))
        log_w = self._log_w - np.cumsum(first) / self._size
        with np.errstate(all="ignore"):  # w may round to 1 or to 0: the jump is then 0 or far
            near_one = np.log(-np.expm1(log_w))
            rate = np.where(log_w > -0.5, near_one, np.log1p(-np.exp(log_w)))  # ln(1 − w)
            jumps = np.fmin(np.floor(second / -rate), _FAR).astype(np.int64) + 1
        self._log_w = float(log_w[-1])
        self._places = self._last + np.cumsum(jumps)
        self._last = int(self._places[-1])
        self._slots = self._floats.integers(self._size, size=_BLOCK)


def bits_at(source: BitSource, places: Whole, behind: int = 0) -> Iterator[int]:
    """The bits at these places, counted from 1; what lies between is passed over.

    `behind` is how many places the source has passed.

    >>> from sfumato.stream.source import open_bits
    >>> list(bits_at(open_bits([0, 1, 0, 0, 1]), np.array([2, 3, 5])))
    [1, 0, 1]
    """
    for place in places.tolist():
        between = place - behind - 1
        passed = source.skip(between) if between else 0
        bit = source.read(1)
        if not bit.size:
            raise _ended(behind + passed, place)
        behind = place
        yield int(bit[0])


def pass_to(source: BitSource, time: int, behind: int) -> None:
    """Pass over what is left up to this time; a stream that ends before it is refused.

    >>> from sfumato.stream.source import open_bits
    >>> source = open_bits([0, 1, 0, 1])
    >>> pass_to(source, 3, 0)
    >>> source.position
    3
    """
    passed = source.skip(time - behind)
    if passed < time - behind:
        raise _ended(behind + passed, time)


def check_enough(length: int, time: int) -> None:
    """Refuse a stream of so many bits, or fewer, that ends before this time."""
    if length < time:
        raise _ended(length, time)


def _ended(length: int, time: int) -> DataError:
    # The length is public, because neighbouring streams are equally long.
    return DataError(
        f"the stream ended after {length} bits, and bit {time} is needed: "
        "publish at earlier times, or wait for more bits"
    )


class Reservoir:
    """Responses to n of the bits seen, and the mean that they tell.

    >>> from sfumato.privacy.guarantee import PureDP
    >>> from sfumato.privacy.randomness import SeededBits
    >>> from sfumato.stream.source import open_bits
    >>> stream = open_bits(np.tile(np.array([0, 0, 0, 1], np.uint8), 10_000))
    >>> reservoir = Reservoir(500, RandomizedResponse("bits", PureDP(2)), SeededBits(1))
    >>> reservoir.follow(stream, np.array([100, 20_000, 40_000])).round(2)
    array([0.22, 0.27, 0.2 ])
    >>> reservoir.seen, reservoir.admitted
    (40000, 2664)
    """

    def __init__(
        self, size: int, response: RandomizedResponse, bits: Bits, *, pan: bool = False
    ) -> None:
        if isinstance(size, bool) or not isinstance(size, int) or size < 1:
            raise ParameterError(f"size must be a whole number of at least 1, got {size!r}")
        self.responses = np.empty(0, np.uint8)
        self.seen = self.admitted = 0
        self._ones = 0
        self._size, self._response, self._pan = size, response, pan
        self._admissions = Admissions(size, generator(bits))
        # Places may be foretold from memory, because they do not depend on bits; flips may not.
        self._bits = UnkeyedBits() if pan and not bits.seeded else bits

    def follow(self, source: BitSource, times: Whole) -> NDArray[np.float64]:
        """Read on to the last of these times; the mean at each, cut to [0, 1]."""
        if not times.size or times[0] <= self.seen or (np.diff(times) <= 0).any():
            raise ParameterError("times must ascend, from beyond the bits that have been seen")
        early = int(np.searchsorted(times, self._size, side="right"))
        ones = np.empty(times.size, np.int64)
        if self.seen < self._size:
            ones[:early] = self._fill(source, times[:early], int(times[-1]))
        if early < times.size:
            ones[early:] = self._replace(source, times[early:])
        share = ones / np.minimum(times, self._size)
        return np.clip(self._response.debiased(share), 0, 1)

    def _fill(self, source: BitSource, times: Whole, last: int) -> Whole:
        """Admit bits while there is room; how many responses were one at these times."""
        wanted = min(self._size, last) - self.seen
        fresh = self._answered(source, wanted)
        ones = self._ones + np.cumsum(fresh, dtype=np.int64)
        if fresh.size < wanted:
            raise _ended(self.seen + fresh.size, self.seen + wanted)
        found = ones[times - self.seen - 1]
        self.responses = np.concatenate((self.responses, fresh))
        self._ones = int(ones[-1])
        self.seen += wanted
        self.admitted += wanted
        return found

    def _answered(self, source: BitSource, wanted: int) -> NDArray[np.uint8]:
        """Responses to the next bits, fewer only at the end."""
        if not self._pan:
            return self._response.respond(source.read(wanted), self._bits)
        found = [np.empty(0, np.uint8)]
        while wanted and (bits := source.read(min(wanted, max(1, available(source))))).size:
            found.append(self._response.respond(bits, self._bits))
            wanted -= bits.size
        return np.concatenate(found)

    def _replace(self, source: BitSource, times: Whole) -> Whole:
        """Admit bits in place of others; how many responses were one at these times."""
        last, told = int(times[-1]), 0
        ones = np.empty(times.size, np.int64)
        for places, slots in self._admissions.until(last):
            counts = self._admit(source, places, slots)
            known = int(np.searchsorted(times, places[-1], side="left"))
            ones[told:known] = counts[np.searchsorted(places, times[told:known], side="right")]
            told = known
        ones[told:] = self._ones
        pass_to(source, last, self.seen)
        self.seen = last
        return ones

    def _admit(self, source: BitSource, places: Whole, slots: Whole) -> Whole:
        """How many responses were one before these admissions, and after each of them."""
        counts, held = [self._ones], self.responses
        read = bits_at(source, places, self.seen)
        for bit, slot, flip in zip(read, slots.tolist(), self._flips(places.size), strict=True):
            response = bit ^ flip
            self._ones += response - int(held[slot])
            held[slot] = response
            counts.append(self._ones)
        self.seen = int(places[-1])
        self.admitted += places.size
        return np.array(counts)

    def _flips(self, count: int) -> Iterator[bool]:
        """All at once, when the first bit has been read; with `pan` one by one, each after its bit.

        With `pan` no flip waits in memory for a bit to come: whoever has seen the flip and then
        sees the response knows the bit.
        """
        if not self._pan:
            yield from self._response.flips(count, self._bits).tolist()
            return
        for _ in range(count):
            yield bool(self._response.flips(1, self._bits)[0])
