"""Columns as small whole numbers, for the synthesizers that take nothing else.

Whole numbers go into the twenty equal bins of the public range that the score uses as well
(without the bins in which no whole number lies), and come back drawn evenly from their bin.
"""

from typing import Any

import numpy as np
import pandas as pd
from protocol import binned

__all__ = ["Levels"]


class Levels:
    """The public levels of every column of a schema."""

    def __init__(self, schema: dict[str, Any]) -> None:
        self._categories: dict[str, pd.Index] = {}
        self._bins: dict[str, tuple[np.ndarray, ...]] = {}
        self.sizes: dict[str, int] = {}
        for name, column in schema["columns"].items():
            if column["kind"] == "category":
                self._categories[name] = pd.Index(column["values"])
                self.sizes[name] = len(column["values"])
            else:
                values = np.arange(column["low"], column["high"] + 1)
                bins = binned(values, column["low"], column["high"])
                level, first, count = np.unique(bins, return_index=True, return_counts=True)
                self._bins[name] = (np.searchsorted(level, bins), values, first, count)
                self.sizes[name] = len(level)

    def encode(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The level of every value, from 0."""
        codes = {}
        for name in self.sizes:
            if name in self._categories:
                codes[name] = self._categories[name].get_indexer(frame[name])
            else:
                level, values, _, _ = self._bins[name]
                codes[name] = level[frame[name].to_numpy() - values[0]]
        return pd.DataFrame(codes)

    def decode(self, codes: pd.DataFrame, seed: int) -> pd.DataFrame:
        """Values of these levels."""
        generator = np.random.default_rng(seed)
        frame = {}
        for name in self.sizes:
            code = codes[name].to_numpy().astype(int)
            if name in self._categories:
                frame[name] = self._categories[name][code]
            else:
                _, values, first, count = self._bins[name]
                frame[name] = values[first[code] + generator.integers(count[code])]
        return pd.DataFrame(frame)
