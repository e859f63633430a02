"""What synthetic records keep of the real ones: tables, means, quantiles, and what they teach.

A distance is the total variation between synthetic and released records, in the mean over tables:
`one_way` and `two_way` with numbers in twenty equal public bins, `three_way` in eight, over at most
sixty triples that are the same for all, `deciles` over all pairs with numbers cut at the deciles of
the released column, so that it sees inside a heavy tail.  Errors of means are parts of the mean
absolute value, those of quantiles (10, 50 and 90 %) parts of the range between the outer two, where
these differ; the middle column counts, and the worst is noted beside.
"""

from collections.abc import Iterable
from itertools import combinations

import numpy as np
import pandas as pd
from discrete import BINS, binned
from learners import best_area, best_r2
from public import Listed, Ordered
from tables import Table

__all__ = ["SCORES", "score"]

SCORES = [
    *("auc", "r2", "one_way", "two_way", "three_way", "deciles"),
    *("mean_error", "mean_worst", "quantile_error", "quantile_worst"),
]
MOST_TRIPLES, COARSE = 60, 8
QUANTILES = (0.1, 0.5, 0.9)
Codes = dict[str, tuple[np.ndarray, int]]


def score(
    table: Table, synthetic: pd.DataFrame, train: pd.DataFrame, test: pd.DataFrame
) -> dict[str, float]:
    """All scores of these records; `auc` and `r2` where there is something to predict."""
    found = {}
    if table.label:
        found["auc"] = best_area(table.facts, table.label, synthetic, test)
    if table.target:
        found["r2"] = best_r2(table.facts, table.target, synthetic, test)
    names = list(table.facts)
    pairs = list(combinations(names, 2))
    equal = [_equal(table, frame, BINS) for frame in (synthetic, train)]
    coarse = [_equal(table, frame, COARSE) for frame in (synthetic, train)]
    tenths = [_tenths(table, frame, train) for frame in (synthetic, train)]
    found["one_way"] = _distance(*equal, [(name,) for name in names])
    found["two_way"] = _distance(*equal, pairs)
    found["three_way"] = _distance(*coarse, _triples(names))
    found["deciles"] = _distance(*tenths, pairs)
    return found | _errors(table, synthetic, train)


def _equal(table: Table, frame: pd.DataFrame, bins: int) -> Codes:
    """The level of every value with numbers in equal public bins, and how many there are."""
    codes = {}
    for name, column in table.facts.items():
        if isinstance(column, Listed):
            codes[name] = column.codes(frame[name]), column.size
        else:
            codes[name] = binned(column.numbers(frame[name]), column, bins), bins + 1
    return codes


def _tenths(table: Table, frame: pd.DataFrame, train: pd.DataFrame) -> Codes:
    """The same with numbers cut at the deciles of the released records, equal ones once."""
    codes = {}
    for name, column in table.facts.items():
        if isinstance(column, Listed):
            codes[name] = column.codes(frame[name]), column.size
            continue
        real, numbers = column.numbers(train[name]), column.numbers(frame[name])
        cuts = np.unique(np.nanquantile(real, np.arange(1, 10) / 10)) if _some(real) else []
        codes[name] = np.searchsorted(cuts, numbers, side="right"), len(cuts) + 2
        codes[name][0][np.isnan(numbers)] = len(cuts) + 1
    return codes


def _distance(ours: Codes, real: Codes, tables: Iterable[tuple[str, ...]]) -> float:
    """Mean total variation over these tables."""
    found = []
    for names in tables:
        shape = tuple(real[name][1] for name in names)
        shares = []
        for codes in (ours, real):
            cells = np.ravel_multi_index(tuple(codes[name][0] for name in names), shape)
            shares.append(np.bincount(cells, minlength=int(np.prod(shape))) / len(cells))
        found.append(np.abs(shares[0] - shares[1]).sum() / 2)
    return float(np.mean(found)) if found else 0.0


def _triples(names: list[str]) -> list[tuple[str, ...]]:
    every = list(combinations(names, 3))
    if len(every) <= MOST_TRIPLES:
        return every
    chosen = np.random.default_rng(0).choice(len(every), MOST_TRIPLES, replace=False)
    return [every[place] for place in sorted(chosen)]


def _errors(table: Table, synthetic: pd.DataFrame, train: pd.DataFrame) -> dict[str, float]:
    means, quantiles = [], []
    for name, column in table.facts.items():
        if not isinstance(column, Ordered):
            continue
        ours, real = (column.numbers(frame[name]) for frame in (synthetic, train))
        if not _some(real):
            continue
        if not _some(ours):  # nothing but missing values is as wrong as can be said
            ours = np.array([column.low])
        size = np.nanmean(np.abs(real))
        if size > 0:
            means.append(abs(np.nanmean(ours) - np.nanmean(real)) / size)
        true, found = (np.nanquantile(numbers, QUANTILES) for numbers in (real, ours))
        if true[-1] > true[0]:
            quantiles.append(np.abs(found - true).mean() / (true[-1] - true[0]))
    errors = {}
    for name, values in (("mean", means), ("quantile", quantiles)):
        if values:
            errors |= {f"{name}_error": float(np.median(values)), f"{name}_worst": max(values)}
    return errors


def _some(numbers: np.ndarray) -> bool:
    return not np.isnan(numbers).all()
