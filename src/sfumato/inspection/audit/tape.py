"""A tape of what a method gives to the noise primitives, and what they are asked to draw.

The primitives are `discrete_laplace`, `discrete_gaussian`, `draw_index`, the redrawing of
records and their answers by randomized response.  While a tape runs, each of them is wrapped
wherever the package holds it; a wrapper acts only on `TapeBits`, so a release that is made
meanwhile gets its own noise from its own bits.  Noise is handed out as numbered marks: what the
method added to an exact value is then known to the last bit, together with the scale that was
really asked for, whatever the plan says.  With a script, the same outputs are given out again
(Cebere et al. 2026).

>>> from sfumato.privacy.guarantee import PureDP
>>> from sfumato.privacy.sensitivity import record
>>> with taped():
...     purse = TapePurse(PureDP(1), seed=1)
...     _ = purse.pay(Noise("ages", record(continuous=2), PureDP(1))).add(
...         np.array([41, 7]), np.array([1, 4]))
>>> [(one.name, one.exact.tolist(), one.size.tolist()) for one in purse.tape]
[('ages', [41, 7], [2.0, 8.0])]
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import RLock
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.measure import exponential
from sfumato.numeric.arrays import Codes, Whole
from sfumato.privacy import answer as answers
from sfumato.privacy import choice as choices
from sfumato.privacy import noise as samplers
from sfumato.privacy.answer import Response
from sfumato.privacy.choice import Choice
from sfumato.privacy.guarantee import Guarantee
from sfumato.privacy.keyed import NoiseKey
from sfumato.privacy.mechanism import Drawing, Event, Noise, Paid, PaidByPart, PaidDraws, Purse
from sfumato.privacy.randomness import Bits, SeededBits

__all__ = [
    "Added",
    "Answered",
    "Chosen",
    "Diverged",
    "Entry",
    "Fault",
    "Redrawn",
    "TapePurse",
    "taped",
]

_FIRST_MARK = 2**40  # marks stand in for noise: far from anything that is counted


class Diverged(Exception):
    """The replayed run asked for other draws than the one it replays."""


class Fault(Exception):
    """Noise that was not used as it was drawn: no sensitivity can make up for that."""


@dataclass(frozen=True, eq=False)
class Added:
    """NOT PRIVATE: exact values of one purchase, and the noise that really met them."""

    name: str
    noise: Noise
    purchase: int  # several additions may belong to one
    gaussian: bool
    exact: Whole
    units: Whole
    size: NDArray[np.float64]  # scale or variance of each entry, in its own steps
    output: Whole


@dataclass(frozen=True, eq=False)
class Chosen:
    """NOT PRIVATE: how far behind the best each candidate of a draw is, and the rate used."""

    name: str
    choice: Choice | None
    gaps: Whole
    rate: float
    output: Whole


@dataclass(frozen=True, eq=False)
class Redrawn:
    """NOT PRIVATE: one column of records that are drawn anew, and the law of each new code."""

    name: str
    law: Any
    codes: Whole
    output: Whole


@dataclass(frozen=True, eq=False)
class Answered:
    """NOT PRIVATE: one question that records answered, the way they did, and their answers."""

    name: str
    response: Response
    codes: Whole
    output: Whole


Entry = Added | Chosen | Redrawn | Answered


class TapeBits:
    """NOT PRIVATE: bits by which wrapped primitives know that they are on tape."""

    seeded: ClassVar[bool] = True

    def __init__(self, seed: int, script: Sequence[Whole] | None = None) -> None:
        self.inner, self.script = SeededBits(seed), script
        self.entries: list[Entry] = []
        self.declared: Choice | None = None  # of the draw that is being made
        self.spent = "draws"  # the event that was paid for last
        self.loose = False  # whether bits were used that no primitive asked for
        self._next, self._used = _FIRST_MARK, set[int]()
        self._calls: list[tuple[int, bool, float, Whole]] = []  # first mark, law, size, noise
        self.parts: dict[bytes, tuple[str, int, bytes]] = {}  # by key: purpose, number, records

    def words(self, count: int) -> NDArray[np.uint64]:
        """Bits that no primitive asked for: nothing can be said about what they hide."""
        self.loose = True
        return self.inner.words(count)

    def begin(self, purpose: str, number: int, codes: Codes, key: bytes) -> None:
        """From here on bits of a part of the records: each part has noise of its own."""
        if key in self.parts:
            raise Fault(f"{purpose}: two parts of the records have the same noise")
        self.parts[key] = purpose, number, np.ascontiguousarray(codes).tobytes()

    def scripted(self, shape: tuple[int, ...]) -> Whole | None:
        """The output that the script has in this place; None where there is no script."""
        if self.script is None:
            return None
        place = len(self.entries)
        if place >= len(self.script) or self.script[place].shape != shape:
            raise Diverged
        return self.script[place]

    def marks(self, gaussian: bool, size: Any, drawn: Whole, count: int) -> Whole:
        """Numbered marks in place of noise of this scale or variance."""
        first, self._next = self._next, self._next + count
        self._calls.append((first, gaussian, float(size), drawn))
        return np.arange(first, self._next, dtype=np.int64)

    def added(self, noise: Noise, purchase: int, exact: Whole, units: Whole, marks: Whole) -> Whole:
        """Write down what was added to what; the output that the method goes on with."""
        name, flat = noise.statistic, marks.ravel()
        firsts = np.array([call[0] for call in self._calls], np.int64)
        which = np.searchsorted(firsts, flat, side="right") - 1
        if not self._calls and flat.size:
            raise Fault(f"{name}: no noise was drawn")
        if flat.size and (flat.min() < _FIRST_MARK or flat.max() >= self._next):
            raise Fault(f"{name}: what is added is not the noise that was drawn")
        if np.unique(flat).size != flat.size:
            raise Fault(f"{name}: the same noise is added to two entries")
        if not self._used.isdisjoint(flat.tolist()):
            raise Fault(f"{name}: noise is added that was used before")
        self._used.update(flat.tolist())
        laws = np.array([call[1] for call in self._calls], bool)
        sizes = np.array([call[2] for call in self._calls])
        size = sizes[which].reshape(exact.shape) if flat.size else np.empty(exact.shape)
        output = self.scripted(exact.shape)
        if output is None:
            drawn = np.concatenate([call[3] for call in self._calls] or [flat])
            output = exact + drawn[flat - _FIRST_MARK].reshape(exact.shape)
        gaussian = bool(laws[which].any()) if flat.size else False
        if flat.size and laws[which].min() != laws[which].max():
            raise Fault(f"{name}: Laplace and Gaussian noise on one statistic")
        self.entries.append(Added(name, noise, purchase, gaussian, exact, units, size, output))
        return output


class TapePurse(Purse):
    """NOT PRIVATE: a purse whose noise is on tape; with a script, outputs are given out again."""

    bits: TapeBits

    def __init__(
        self, limit: Guarantee, *, seed: int = 0, script: Sequence[Whole] | None = None
    ) -> None:
        super().__init__(limit, TapeBits(seed, script))
        self.complete = True  # whether everything was bought as noise or as draws
        self._buying = False

    @property
    def tape(self) -> list[Entry]:
        """What was written down, in order."""
        return self.bits.entries

    @property
    def outputs(self) -> list[Whole]:
        """What was given out, as a script for another run."""
        return [entry.output for entry in self.tape]

    def spend(self, event: Event) -> Any:
        """Pay as usual; remembered, because draws do not say what they were paid with."""
        self.bits.spent = event.statistic
        self.complete &= self._buying
        return super().spend(event)

    def pay(self, noise: Noise) -> Paid:
        """Pay as usual; what is added afterwards is on tape."""
        self._buying = True
        paid = super().pay(noise)
        self._buying = False
        return _TapePaid(paid.noise, paid.bits, len(self.events))

    def spend_by_part(self, event: Event) -> NoiseKey:
        """Pay as usual; the bits of every part are those of the tape."""
        bits = self.spend(event)
        # The same key on every path, so that runs on neighbours can be compared.
        return _TapeKey(len(self.events).to_bytes(32), event.statistic, True, bits)

    def pay_by_part(self, noise: Noise) -> PaidByPart:
        """Pay as usual; what is added to any part afterwards is on tape."""
        self._buying = True
        paid = super().pay_by_part(noise)
        self._buying = False
        return _TapeByPart(paid.noise, paid.key, len(self.events))

    def pay_draws(self, event: Event, choice: Drawing) -> PaidDraws:
        """Pay as usual."""
        self._buying = True
        paid = super().pay_draws(event, choice)
        self._buying = False
        return paid


@dataclass(frozen=True, slots=True)
class _TapePaid(Paid):
    purchase: int

    def add(self, exact: Whole, units: Whole) -> Whole:
        assert isinstance(self.bits, TapeBits)  # noqa: S101  a tape purse has no others
        exact = np.asarray(exact)
        marks = np.asarray(Paid.add(self, exact, units)) - exact
        every = np.broadcast_to(np.asarray(units), exact.shape)
        return self.bits.added(self.noise, self.purchase, exact, every, marks)


@dataclass(frozen=True)
class _TapeKey(NoiseKey):
    tape: TapeBits

    def part(self, number: int, codes: Codes) -> Bits:
        self.tape.begin(self.purpose, number, codes, self.digest(number, codes))
        return self.tape


@dataclass(frozen=True, slots=True)
class _TapeByPart(PaidByPart):
    purchase: int

    def part(self, number: int, codes: Codes) -> Paid:
        return _TapePaid(self.noise, self.key.part(number, codes), self.purchase)


def _noise(original: Callable[..., Whole], gaussian: bool) -> Callable[..., Whole]:
    def wrapped(size: Any, count: int, bits: Any) -> Whole:
        if not isinstance(bits, TapeBits):
            return original(size, count, bits)
        wanted = count if bits.script is None else 0  # refuses a wrong size either way
        return bits.marks(gaussian, size, original(size, wanted, bits.inner), count)

    return wrapped


def _index(original: Callable[..., Whole]) -> Callable[..., Whole]:
    def wrapped(gaps: Whole, rate: Any, count: int, bits: Any) -> Whole:
        if not isinstance(bits, TapeBits):
            return original(gaps, rate, count, bits)
        output = bits.scripted((count,))
        if output is None:
            output = original(gaps, rate, count, bits.inner)
        elif output.size and output.max() >= len(gaps):
            raise Diverged
        name = bits.declared.statistic if bits.declared else bits.spent
        bits.entries.append(Chosen(name, bits.declared, np.array(gaps), float(rate), output))
        return output

    return wrapped


def _chosen(original: Callable[..., int]) -> Callable[..., int]:
    def wrapped(self: Choice, scores: Whole, bits: Any) -> int:
        if not isinstance(bits, TapeBits):
            return original(self, scores, bits)
        bits.declared = self
        found = original(self, scores, bits)
        bits.declared = None
        return found

    return wrapped


def _redrawn(original: Callable[..., Whole]) -> Callable[..., Whole]:
    def wrapped(law: Any, codes: Whole, bits: Any) -> Whole:
        if not isinstance(bits, TapeBits):
            return original(law, codes, bits)
        output = bits.scripted(codes.shape)
        if output is None:
            output = original(law, codes, bits.inner)
        bits.entries.append(Redrawn(bits.spent, law, np.array(codes), output))
        return output

    return wrapped


def _answered(original: Callable[..., Whole]) -> Callable[..., Whole]:
    def wrapped(response: Response, codes: Whole, bits: Any) -> Whole:
        if not isinstance(bits, TapeBits):
            return original(response, codes, bits)
        # Made even with a script, which hands out others: its shape is not known before.
        made = original(response, codes, bits.inner)
        output = bits.scripted(made.shape)
        output = made if output is None else output
        bits.entries.append(Answered(response.statistic, response, np.array(codes), output))
        return output

    return wrapped


_lock = RLock()


@contextmanager
def taped() -> Iterator[None]:
    """Wrap the primitives wherever the package holds them; one audit at a time."""
    with _lock:
        wrapped: list[tuple[Any, Any]] = [
            (samplers.discrete_laplace, _noise(samplers.discrete_laplace, False)),
            (samplers.discrete_gaussian, _noise(samplers.discrete_gaussian, True)),
            (choices.draw_index, _index(choices.draw_index)),
            (exponential._draw, _redrawn(exponential._draw)),
            (answers.answered, _answered(answers.answered)),
        ]
        undo: list[tuple[Any, str, Any]] = [(Choice, "draw", Choice.draw)]
        for name, module in list(sys.modules.items()):
            if name.startswith("sfumato.") and module is not None:
                for key, value in list(vars(module).items()):
                    undo += [(module, key, value) for old, _ in wrapped if value is old]
        try:
            for place, key, value in undo[1:]:
                setattr(place, key, next(new for old, new in wrapped if old is value))
            Choice.draw = _chosen(Choice.draw)  # type: ignore[method-assign]
            yield
        finally:
            for place, key, value in undo:
                setattr(place, key, value)
