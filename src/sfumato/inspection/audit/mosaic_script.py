"""The tables of a `mosaic` synopsis in the order in which they were bought, to be replayed."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sfumato.numeric.arrays import Whole

__all__ = ["mosaic_script"]


def mosaic_script(synopsis: Mapping[str, Any]) -> list[list[Whole]]:
    """One entry per purchase: wide columns, all codes, columns by class, draws of pairs, pairs.

    Of tables of codes, those that were not kept stand as 0: they are not kept again.

    >>> [[part.tolist() for part in parts] for parts in mosaic_script({
    ...     "bins": {"0": [0, 1], "2": [0, 0], "10": [0, 0, 1]}, "runs": {},
    ...     "columns": {"10": [7, 8, 9]}, "classes": [[1, 2, 3, 4, 5]], "chosen": [[0, 2]],
    ...     "pairs": [{"columns": [0, 2], "counts": [[[1, 2], [3, 4]]]}]})]
    [[[7, 8, 9]], [[1, 2, 3, 4, 5]], [[1]], [[1, 2, 3, 4]]]
    """
    axes = sorted(synopsis["bins"], key=int)
    fine = [
        table
        for axis in sorted(synopsis["columns"], key=int)
        for table in (synopsis["columns"][axis], synopsis["runs"].get(axis, []))
    ]
    ends = np.cumsum([max(synopsis["bins"][axis]) + 1 for axis in axes])[:-1]
    classes = np.split(np.array(synopsis["classes"], np.int64), ends, axis=1)
    pairs = [table["counts"] for table in synopsis["pairs"]]
    script = [[_flat(fine)]] if fine else []
    if "codes" in synopsis:
        script.append([_flat([_all_codes(synopsis, axis) for axis in axes])])
    script.append([_flat(classes)])
    if synopsis["chosen"]:
        script.append(_positions(synopsis["chosen"], len(axes)))
    return [*script, [_flat(pairs)]] if pairs else script


def _all_codes(synopsis: Mapping[str, Any], axis: str) -> Whole:
    """By class and code; nothing of a column whose codes were not counted."""
    if axis not in synopsis["codes"]:
        return np.empty(0, np.int64)
    heavy = synopsis["codes"][axis]
    table = np.zeros((len(synopsis["classes"]), synopsis["edges"][axis][-1]), np.int64)
    table[:, np.array(heavy["codes"], np.int64)] = heavy["counts"]
    return table


def _flat(tables: Sequence[Any]) -> Whole:
    return np.concatenate([np.array(table, np.int64).ravel() for table in tables])


def _positions(chosen: Sequence[Sequence[int]], columns: int) -> list[Whole]:
    """Where each chosen pair stood among the candidates of its draw."""
    part, found = np.arange(columns), []
    for first, second in chosen:
        i, j = np.nonzero(np.triu(part[:, None] != part[None, :]))
        found.append(np.flatnonzero((i == first) & (j == second)))
        part[part == part[second]] = part[first]
    return found
