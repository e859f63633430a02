"""Every draw of noise while the code that publishes runs: what was under it, and how large it was.

The primitives are watched where they are called: `discrete_laplace` and `discrete_gaussian`
under `Paid.add`, the coins of `RandomizedResponse`, the draw of `Choice`.  So what is written
down is the noise that was drawn and not the noise that was planned.  Each sum is made twice,
once without noise and once with numbers that tell the draws apart: that shows the exact value,
which draw it got, and whether it got it whole.  Then comes the output, from a fixed path or from
a script, as if that noise had been drawn.

NOT PRIVATE, and made for made-up data.  Only the context that traces is touched: a release in
another thread draws its noise as ever.

>>> from sfumato.privacy.guarantee import PureDP
>>> from sfumato.privacy.mechanism import Noise, Purse
>>> from sfumato.privacy.randomness import SeededBits
>>> from sfumato.privacy.sensitivity import Sensitivity
>>> one = Noise("count", Sensitivity(Fraction(1), Fraction(1)), PureDP("1/4"))
>>> trace = Trace()
>>> with tracing(trace):
...     noisy = Purse(PureDP(1), SeededBits(0)).pay(one).add(np.array([41]), np.array([1]))
>>> call = trace.calls[0]
>>> call.exact, call.laws, call.output == noisy, trace.faults
(array([41]), (('laplace', Fraction(4, 1)),), array([ True]), [])
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from threading import RLock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.numeric.arrays import Whole
from sfumato.privacy import choice, mechanism, response
from sfumato.privacy.mechanism import Paid
from sfumato.privacy.response import RandomizedResponse

__all__ = [
    "Added",
    "Call",
    "Coins",
    "Diverged",
    "Drawn",
    "Script",
    "Trace",
    "told",
    "tracing",
]

Law = tuple[str, Fraction]  # laplace and its scale, or gaussian and its variance
NO_NOISE: Law = ("none", Fraction(0))
Script = Sequence[Whole]  # an output for each call

_PROBE = 2**40  # far above anything that is counted here; no sum, half or double is one of them


class Diverged(Exception):
    """The replayed run asked for other noise than the one that it replays."""


@dataclass(frozen=True)
class Added:
    """NOT PRIVATE: whole numbers that were put under noise together."""

    statistic: str
    exact: Whole
    laws: tuple[Law, ...]
    law: Whole  # for each number, which of the laws its noise was drawn by
    output: Whole

    @property
    def noise(self) -> Whole:
        """What was drawn for each number."""
        return self.output - self.exact


@dataclass(frozen=True)
class Coins:
    """Flips of randomized response, each e^−exponent times as likely as none."""

    exponent: Fraction
    output: Whole


@dataclass(frozen=True)
class Drawn:
    """NOT PRIVATE: a draw with P(i) ∝ exp(−rate · gapᵢ)."""

    rate: Fraction
    gaps: Whole
    output: Whole


Call = Added | Coins | Drawn


class Trace:
    """What was drawn in one run, in order; `faults` are what no honest noise does."""

    def __init__(self, script: Script | None = None, path: int = 0) -> None:
        self.calls: list[Call] = []
        self.faults: list[str] = []
        self._script, self._path, self._rng = script, path, np.random.default_rng(path)
        self._first: int | None = None  # what the primitives give out next: this, and on by twos
        self._asked: list[tuple[Law, int]] = []

    @property
    def script(self) -> list[Whole]:
        """What was given out, as a script for another run."""
        return [call.output for call in self.calls]

    def drawn(self, law: Law, size: int) -> Whole:
        """In place of a primitive: the next numbers, and a note of how large the noise is."""
        if self._first is None:
            self.faults.append("noise was drawn outside of the account")
            return np.zeros(size, np.int64)
        before = sum(count for _, count in self._asked)
        self._asked.append((law, size))
        told = self._first + 2 * (before + np.arange(size, dtype=np.int64))
        return told if self._first else np.zeros(size, np.int64)

    def added(self, paid: Paid, exact: Whole, units: Whole, add: Callable[..., Whole]) -> Whole:
        """In place of `Paid.add`: the sum without noise, which draw it got, and its output."""
        size, name = int(np.size(exact)), paid.noise.statistic
        first = _PROBE + 2 * int(self._rng.integers(_PROBE // 4)) + 1
        still, asked = self._with(add, paid, exact, units, 0)
        moved, again = self._with(add, paid, exact, units, first)
        if asked != again:
            self.faults.append(f"{name}: how noise is drawn differs from one time to the next")
        laws, law = _laws(asked)
        which = _places(first, law.size, (moved - still).ravel())
        got = which[which >= 0]
        if got.size < size:
            self.faults.append(f"{name}: a value leaves without noise, or with part of it")
        if np.unique(got).size < got.size:
            self.faults.append(f"{name}: two values share one draw of noise")
        law = np.append(law, len(laws))[which]  # -1, no noise at all, is the last
        laws = (*laws, NO_NOISE)
        self._check_stated(paid, np.broadcast_to(units, np.shape(exact)).ravel(), laws, law)
        output = self._output(size, lambda: still.ravel() + self._made_up(laws, law))
        self.calls.append(Added(name, still.ravel(), laws[:-1], law, output))
        return output.reshape(np.shape(exact))

    def flipped(self, answers: RandomizedResponse, count: int, flips: Callable[..., Any]) -> Any:
        """In place of `RandomizedResponse.flips`: by the code that decides, with told coins."""
        exponents: set[Fraction] = set()
        output = self._output(count, lambda: self._rng.integers(0, 2, count))
        for told in (np.ones(count, np.int64), output):
            given = _flips(answers, told, flips, exponents)
        if len(exponents) != 1 and count:
            self.faults.append("the coins of one answer are not all alike")
        if not np.array_equal(given, output.astype(bool)):
            self.faults.append("a flip does not follow its coin")
        self.calls.append(Coins(min(exponents, default=Fraction(0)), output))
        return given

    def chosen(self, gaps: Whole, rate: Fraction, size: int) -> Whole:
        """In place of `draw_index`: positions of the script, or some that stand in front."""
        near = np.flatnonzero(gaps == gaps.min())
        output = self._output(size, lambda: self._rng.choice(near, size))
        if output.size and not 0 <= int(output.min()) <= int(output.max()) < len(gaps):
            raise Diverged
        self.calls.append(Drawn(rate, np.array(gaps), output))
        return output

    def _with(
        self, add: Callable[..., Whole], paid: Paid, exact: Whole, units: Whole, first: int
    ) -> tuple[Whole, list[tuple[Law, int]]]:
        self._first, self._asked = first, []
        try:
            return np.asarray(add(paid, exact, units)), self._asked
        finally:
            self._first = None

    def _output(self, size: int, made: Callable[[], Whole]) -> Whole:
        if self._script is None:
            return np.asarray(made(), np.int64)
        at = len(self.calls)
        if at >= len(self._script) or self._script[at].size != size:
            raise Diverged
        return self._script[at]

    def _made_up(self, laws: Sequence[Law], law: Whole) -> Whole:
        """Noise of the right size, and none on the first path: all runs are told the same."""
        scale = np.array([sqrt(s) if kind == "gaussian" else float(s) for kind, s in laws])
        size = scale[law] * bool(self._path)
        made: Whole = np.rint(self._rng.laplace(size=law.size) * size).astype(np.int64)
        return made

    def _check_stated(self, paid: Paid, units: Whole, laws: Sequence[Law], law: Whole) -> None:
        stated = paid.noise.event
        power = 1 if stated.mechanism == "discrete-laplace" else 2
        for unit in np.unique(units):
            size = (stated.noise or Fraction(0)) * int(unit) ** power
            used = {laws[k] for k in np.unique(law[units == unit])}
            if used != {(stated.mechanism.removeprefix("discrete-"), size)}:
                self.faults.append(f"{stated.statistic}: the noise drawn is not the noise stated")


def _laws(asked: Sequence[tuple[Law, int]]) -> tuple[tuple[Law, ...], Whole]:
    laws = tuple(dict.fromkeys(law for law, _ in asked))
    places = [np.full(size, laws.index(law), np.int64) for law, size in asked]
    return laws, np.concatenate([*places, np.empty(0, np.int64)])


def _places(first: int, count: int, found: Whole) -> Whole:
    """Which of the numbers first, first + 2 … each one is; -1 where it is none of them."""
    at = (found - first) // 2
    return np.where((found == first + 2 * at) & (at >= 0) & (at < count), at, -1)


def _flips(
    answers: RandomizedResponse, coins: Whole, flips: Callable[..., Any], exponents: set[Fraction]
) -> Any:
    """The flips that these coins lead to where each that asks is accepted; notes what it asks."""

    def thrown(count: int, _bits: Any) -> NDArray[np.bool_]:
        return np.resize(coins, count).astype(bool) if coins.size else np.zeros(count, bool)

    def asked(z: Any, exact: Callable[[int], Fraction], _bits: Any) -> NDArray[np.bool_]:
        exponents.update(Fraction(exact(i)) for i in range(len(z)))
        return np.ones(len(z), bool)

    with told(response, "coins", thrown), told(response, "bernoulli_exp", asked):
        return flips(answers, int(coins.size), None)


_ACTIVE: ContextVar[Trace | None] = ContextVar("trace", default=None)
_TURN = RLock()  # one trace at a time


@contextmanager
def told(place: Any, name: str, other: Callable[..., Any]) -> Iterator[None]:
    """Something else under a name, for a while and in the context that traces alone."""
    real = getattr(place, name)

    def here(*arguments: Any) -> Any:
        return (real if _ACTIVE.get() is None else other)(*arguments)

    setattr(place, name, here)
    try:
        yield
    finally:
        setattr(place, name, real)


@contextmanager
def tracing(trace: Trace) -> Iterator[None]:
    """Write down what is drawn in this context; no other context notices."""
    with _TURN, ExitStack() as stack:
        for place, name, watch in _WATCHED:
            stack.enter_context(told(place, name, watch(trace, getattr(place, name))))
        before = _ACTIVE.set(trace)
        try:
            yield
        finally:
            _ACTIVE.reset(before)


def _laplace(trace: Trace, _real: Any) -> Callable[..., Any]:
    return lambda scale, count, _bits: trace.drawn(("laplace", scale), count)


def _gaussian(trace: Trace, _real: Any) -> Callable[..., Any]:
    return lambda variance, count, _bits: trace.drawn(("gaussian", variance), count)


def _add(trace: Trace, real: Any) -> Callable[..., Any]:
    return lambda paid, exact, units: trace.added(paid, exact, units, real)


def _coin(trace: Trace, real: Any) -> Callable[..., Any]:
    return lambda answers, count, _bits: trace.flipped(answers, count, real)


def _index(trace: Trace, _real: Any) -> Callable[..., Any]:
    return lambda gaps, rate, size, _bits: trace.chosen(gaps, rate, size)


_WATCHED: tuple[tuple[Any, str, Callable[[Trace, Any], Callable[..., Any]]], ...] = (
    (mechanism, "discrete_laplace", _laplace),
    (mechanism, "discrete_gaussian", _gaussian),
    (Paid, "add", _add),
    (RandomizedResponse, "flips", _coin),
    (choice, "draw_index", _index),
)
