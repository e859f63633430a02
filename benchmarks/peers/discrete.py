"""Columns as small whole numbers, for the synthesizers that take nothing else.

Numbers go into the twenty equal bins of the public range that the score uses as well (without the
bins in which no step of the column lies), and come back drawn evenly from their bin.  Missing
values have a level of their own.  Somebody who knows that a column is money would cut it otherwise:
`scaled` levels grow with their distance from nought, which has one of its own.
"""

from typing import Any

import numpy as np
import pandas as pd
from public import Listed, Ordered, facts

__all__ = ["BINS", "Levels", "binned"]

BINS = 20
# Steps are drawn one by one up to here; beyond, rounding a draw from the bin comes to the same.
MOST_STEPS = 100_000
# A range with nought in it and this many steps spans orders of magnitude.
WIDE = 1_000


def binned(numbers: np.ndarray, column: Ordered, bins: int = BINS) -> np.ndarray:
    """Which of so many equal public bins each number falls into; missing ones into one more."""
    share = (numbers - column.low) / (column.high - column.low)
    known = np.clip((np.nan_to_num(share) * bins).astype(int), 0, bins - 1)
    return np.where(np.isnan(numbers), bins, known)


class Levels:
    """The public levels of every column of a schema."""

    def __init__(self, schema: dict[str, Any], *, scaled: bool = False) -> None:
        self._facts = facts(schema)
        ranges = {n: c for n, c in self._facts.items() if isinstance(c, Ordered)}
        self._bins = {
            name: _Scaled(column) if scaled and _wide(column) else _Equal(column)
            for name, column in ranges.items()
        }
        self.sizes = {
            name: column.size if isinstance(column, Listed) else self._bins[name].size
            for name, column in self._facts.items()
        }

    def encode(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The level of every value, from 0."""
        codes = {}
        for name, column in self._facts.items():
            if isinstance(column, Listed):
                codes[name] = column.codes(frame[name])
            else:
                codes[name] = self._bins[name].codes(column.numbers(frame[name]))
        return pd.DataFrame(codes)

    def decode(self, codes: pd.DataFrame, seed: int) -> pd.DataFrame:
        """Values of these levels."""
        generator = np.random.default_rng(seed)
        frame = {}
        for name, column in self._facts.items():
            code = codes[name].to_numpy().astype(int)
            if isinstance(column, Ordered):
                code = self._bins[name].drawn(code, generator)
            frame[name] = column.written(code)
        return pd.DataFrame(frame)


class _Equal:
    """The equal bins of one range that hold a step of it, and what lies in each."""

    def __init__(self, column: Ordered) -> None:
        self._column = column
        self._kept = np.arange(BINS)
        self._steps: tuple[np.ndarray, ...] | None = None
        last = 0 if column.step is None else round((column.high - column.low) / column.step)
        if 0 < last <= MOST_STEPS:
            values = column.low + np.arange(last + 1) * column.step
            bins = binned(values, column)
            self._kept, first, count = np.unique(bins, return_index=True, return_counts=True)
            self._steps = values, first, count
        self.size = len(self._kept) + column.missing

    def codes(self, numbers: np.ndarray) -> np.ndarray:
        # A missing value has the bin after the last, and so the level after the last.
        return np.searchsorted(self._kept, binned(numbers, self._column))

    def drawn(self, code: np.ndarray, generator: np.random.Generator) -> np.ndarray:
        absent = code >= len(self._kept)
        code = np.where(absent, 0, code)
        if self._steps is None:
            width = (self._column.high - self._column.low) / BINS
            numbers = self._column.low + (self._kept[code] + generator.random(len(code))) * width
        else:
            values, first, count = self._steps
            numbers = values[first[code] + generator.integers(count[code])]
        return np.where(absent, np.nan, numbers)


class _Scaled:
    """Nought, then bins whose width grows with their distance from it: equal under arsinh."""

    def __init__(self, column: Ordered) -> None:
        self._unit = column.step or (column.high - column.low) / MOST_STEPS
        ends = np.arcsinh(np.array([column.low, column.high]) / self._unit)
        self._stretched = Ordered(*ends, None, column.missing)
        self.size = BINS + column.missing

    def codes(self, numbers: np.ndarray) -> np.ndarray:
        bins = binned(np.arcsinh(numbers / self._unit), self._stretched, BINS - 1)
        return np.where(numbers == 0, 0, bins + 1)

    def drawn(self, code: np.ndarray, generator: np.random.Generator) -> np.ndarray:
        low, high = self._stretched.low, self._stretched.high
        place = low + (code - 1 + generator.random(len(code))) * (high - low) / (BINS - 1)
        numbers = np.where(code == 0, 0, np.sinh(place) * self._unit)
        return np.where(code >= BINS, np.nan, numbers)


def _wide(column: Ordered) -> bool:
    steps = np.inf if column.step is None else (column.high - column.low) / column.step
    return column.low <= 0 <= column.high and column.origin is None and steps >= WIDE
