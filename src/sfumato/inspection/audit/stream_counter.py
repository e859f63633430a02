"""counter under audit: streams that differ in one bit, however they are counted and paused.

Both engines count single bits and blocks, in one piece, cut short, live and resumed.  Blocks of
2⁴⁰ bits are told, not read: there the square root rounds most.
"""

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.inspection.audit.coupled import Checked, Family, checked, public, stated
from sfumato.inspection.audit.sampled import Effort, Measure, Sampled, sampled
from sfumato.privacy.budget import Budget
from sfumato.publishing.stream import publish_stream
from sfumato.stream.counter import METHOD, Counter
from sfumato.stream.source import Source

__all__ = ["check_series", "sample_counter", "streams"]

Stream = NDArray[np.uint8]
_BLOCK = 2**40
_BLOCKS = 16  # of them in a stream: as long as a horizon may be
_CUTS = (1, 6, 8, 15)  # where a series of 16 bits is paused: first, inner, and borders of sums


def check_series(engine: str, budget: Budget, *, pan: bool = False) -> Iterator[Checked]:
    """Frozen checks of `publish_stream` with one engine."""
    name = "pan-private tree" if pan else engine
    long, several = (32, 2) if pan else (256, 4)  # its sums are measured one by one
    options: dict[str, Any] = {"engine": engine, "pan": pan}

    def series(horizon: int, given: Callable[[Any], Any] = lambda bits: bits, **more: Any) -> Any:
        def publish(bits: Any) -> Any:
            return public(_published(given(bits), horizon, budget, **options, **more))

        return publish

    blocks = series(_BLOCKS * _BLOCK, _Told, every=_BLOCK, smooth="none")
    for text, publish, families in (
        ("a single bit", series(1), streams(1)),
        ("a count for each of 16 bits", series(16, smooth="none"), streams(16, several)),
        ("13 bits, whole numbers", series(13), streams(13, 2)),
        ("14 bits in blocks of 3", series(14, every=3, smooth="monotone"), streams(14, 2)),
        ("11 bits of a horizon of 16", series(16), streams(11, 1)),
        ("a live source", series(9, iter), streams(9, 1)),
        (f"{long} bits", series(long, smooth="none"), _long(long)),
        ("blocks of 2**40 bits", blocks, islice(_told_blocks(), several)),
    ):
        yield checked(f"{name}, {text}", budget, publish, families)
    paused = Checked(f"{name}, paused and resumed", budget)
    for cut in _CUTS[-several:]:
        both = _resumed(budget, cut, options)
        paused.join(checked(paused.case, budget, both, streams(16, 1)))
    yield paused


def _published(bits: Any, horizon: int, budget: Budget, **options: Any) -> Any:
    return publish_stream(
        bits, horizon=horizon, seed=0, release="audit", progress=False, **stated(budget), **options
    )


def _resumed(budget: Budget, cut: int, options: dict[str, Any]) -> Callable[[Stream], Any]:
    """Both parts of a series that was paused after so many bits."""

    def publish(bits: Stream) -> Any:
        with TemporaryDirectory() as folder:
            state = Path(folder) / "counter.state"
            first = _published(bits[:cut], bits.size, budget, pause=state, **options)
            given = {"horizon": bits.size, **stated(budget), **options}
            second = publish_stream(bits, seed=0, resume=state, progress=False, **given)
        return public(first), public(second)

    return publish


def _flipped(bits: Stream) -> list[tuple[str, Stream]]:
    """All neighbours of a stream."""
    found = []
    for place in range(bits.size):
        other = bits.copy()
        other[place] ^= 1
        found.append((f"bit {place + 1}", other))
    return found


def streams(length: int, several: int = 4) -> Iterator[Family]:
    """A few streams, each with all of its neighbours."""
    rng = np.random.default_rng(length)
    some = {
        "mixed bits": rng.integers(0, 2, length),
        "all bits 0": np.zeros(length),
        "all bits 1": np.ones(length),
        "bits in turn": np.arange(length) % 2,
    }
    for text, bits in list(some.items())[:several]:
        whole = np.asarray(bits, np.uint8)
        yield Family(text, whole, _flipped(whole))


def _long(length: int) -> Iterator[Family]:
    """Longer streams, flipped at the borders of sums."""
    borders = [place + by for place in (0, length // 2, length) for by in (-2, -1, 0, 1)]
    for family in (Family("all bits 0", np.zeros(length, np.uint8), ()), *streams(length, 1)):
        others = _flipped(family.base)
        some = [others[place] for place in borders if 0 <= place < length]
        yield Family(family.text, family.base, some)


class _Told(Source):
    """Blocks of which only the counts exist."""

    def __init__(self, counts: NDArray[np.int64]) -> None:
        super().__init__()
        self._counts, self.length = counts, _BLOCK * counts.size

    @property
    def available(self) -> int:
        """All of them are there."""
        return _BLOCK * self._counts.size - self.position

    def ones(self, count: int) -> tuple[int, int]:
        """The next block; nobody asks for part of one."""
        block, self.position = self.position // _BLOCK, self.position + count
        return int(self._counts[block]), count


def _told_blocks() -> Iterator[Family]:
    rng = np.random.default_rng(40)
    for text, counts in (
        ("empty blocks", np.zeros(_BLOCKS, np.int64)),
        ("full blocks", np.full(_BLOCKS, _BLOCK)),
        ("mixed blocks", rng.integers(1, _BLOCK, _BLOCKS)),
        ("small blocks", rng.integers(1, 2**10, _BLOCKS)),
    ):
        moved = []
        for block in range(_BLOCKS):
            other = counts.copy()
            other[block] += -1 if counts[block] == _BLOCK else 1
            moved.append((f"a bit of block {block + 1}", other))
        yield Family(text, counts, moved)


def sample_counter(engine: str, budget: Budget, effort: Effort) -> Sampled:
    """Real noise on four bits of which the first is 0 or 1: it is in most sums."""

    def measure(planned: Budget) -> Measure:
        plan = METHOD.price(4, planned, {"engine": engine})
        return lambda stream, purse: Counter(plan, purse).count(stream)

    pair = np.array([0, 1, 0, 1], np.uint8), np.array([1, 1, 0, 1], np.uint8)
    return sampled(f"{engine}, the first of 4 bits", budget, measure, pair, effort)
