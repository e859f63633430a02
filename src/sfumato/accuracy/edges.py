"""Sums of the weights of a network whose weights were released under noise.

Noisy weights are cut back to the public range, so one that lies at a bound is censored: all
that is known of it is that value plus noise was there or beyond.  For sums this costs as much
as such a weight can hide.  Let E be the noise of the whole sum, and let all single noises
stay below q₁ together except with a tenth of the chance; then, E staying below q except
with the rest of it,

    truth ≥ Σ noisy − q ≥ Σ released − q − (number at the lower bound) · q₁

because a noisy weight is at least its true one less q₁, and so at least the bound less q₁.
Upwards likewise with those at the upper bound.  This holds whatever was cut back.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.accuracy.noisy import Entries, Noisy, law_of
from sfumato.errors import ParameterError, ReleaseError
from sfumato.release.certificate import Certificate

__all__ = ["ENDS", "Edges", "edges"]

ENDS = ("source", "target", "node")  # node: either end
_FOR_CLIPPING = Fraction(1, 10)  # of the chance of being wrong


@dataclass(frozen=True, eq=False)
class _Clipped(Entries):
    """Codes of weights, those outside `floor` … `last` cut back."""

    floor: int  # 1 where weight 0 may not be released
    last: int

    def down(self, noisy: Noisy, chance: Fraction) -> float:
        low, high = self._hiding(noisy)
        # What is subtracted hides as much as it may have been above.
        return self._reach(noisy, chance, low[0] + high[1], self.floor * low[0])

    def up(self, noisy: Noisy, chance: Fraction) -> float:
        low, high = self._hiding(noisy)
        return self._reach(noisy, chance, high[0] + low[1], self.floor * low[1])

    def clipped(self, noisy: Noisy) -> int:
        return sum(sum(pair) for pair in self._hiding(noisy))

    def caution(self, noisy: Noisy) -> str:
        cut = self.clipped(noisy)
        return (
            f"{cut:,} of {noisy.noises:,} weights lie at a bound, to which noisy weights are cut "
            "back: of these only that is known, which the bounds stated here allow for."
            if cut
            else ""
        )

    def _reach(self, noisy: Noisy, chance: Fraction, hidden: int, lifted: int) -> float:
        q = noisy.law.one_sided(chance * (1 - _FOR_CLIPPING))
        if not hidden:
            return q
        which = next(iter(noisy.weights))
        single = self.total([which], noisy.step).law.one_sided(
            chance * _FOR_CLIPPING / noisy.noises
        )
        return q + hidden * single + lifted * float(noisy.step)

    def _hiding(self, noisy: Noisy) -> tuple[tuple[int, int], tuple[int, int]]:
        """How many lie at the lower and upper bound, by the sign they are counted with."""
        where = np.fromiter(noisy.weights, np.int64, noisy.noises)
        added = np.fromiter(noisy.weights.values(), np.int64, noisy.noises) > 0
        codes = self.values[where]
        low, high = codes <= self.floor, codes >= self.last
        return (
            (int((low & added).sum()), int((low & ~added).sum())),
            (int((high & added).sum()), int((high & ~added).sum())),
        )


@dataclass(frozen=True, eq=False)
class Edges:
    """Released edges; every weight a number of steps above `low`."""

    source: NDArray[Any]
    target: NDArray[Any]
    entries: Entries
    low: Fraction
    high: Fraction
    step: Fraction

    def __len__(self) -> int:
        return len(self.source)

    def edge(self, which: int) -> Noisy:
        """The weight of one edge."""
        return self._total(np.array([which]))

    def weight(self, column: str, names: Sequence[str]) -> Noisy:
        """The total weight of the edges whose source, target or either end has a given name.

        Which edges these are is public, so a name that no edge has is refused.
        """
        if column not in ENDS:
            raise ParameterError(f"an edge has no {column}: choose one of {', '.join(ENDS)}")
        chosen = np.zeros(len(self), bool)
        if column != "target":
            chosen |= np.isin(self.source, names)
        if column != "source":
            chosen |= np.isin(self.target, names)
        if not chosen.any():
            raise ParameterError(f"no edge has the {column} {' or '.join(names)}")
        return self._total(np.flatnonzero(chosen))

    def _total(self, which: NDArray[np.int64]) -> Noisy:
        number = len(which)
        return Noisy(
            self.entries,
            dict.fromkeys(which.tolist(), 1),
            self.entries.steps(self.step),
            number * self.low,
            self.step,
            number * self.low,
            number * self.high,
        )


def edges(certificate: Certificate, table: pa.Table) -> Edges:
    """The weights of an `edge-laplace` release."""
    if certificate.method != "edge-laplace":
        raise ReleaseError(
            f"{certificate.method} does not simply add noise of a known law to weights, so "
            "nothing exact can be said about them; edge-laplace does"
        )
    options, event = certificate.options, certificate.events[0]
    low, high, step = (Fraction(options[name]) for name in ("low", "high", "step"))
    if step <= 0 or not low < high:
        raise ReleaseError("the certificate does not state the grid of the weights")
    law, size = law_of(event)  # in steps
    weight = np.asarray(table.column("weight"), np.float64)
    codes = np.rint((weight - float(low)) / float(step)).astype(np.int64)
    entries = _Clipped(
        codes,
        law,
        size * step ** (1 if law == "laplace" else 2),
        floor=1 if low == 0 else 0,
        last=int((high - low) / step),
    )
    source, target = (np.array(table.column(end).to_pylist(), object) for end in ENDS[:2])
    return Edges(source, target, entries, low, high, step)
