"""One constraint on codes: whether records keep it, which codes it leaves, how to move to it.

What is still possible is one mask per axis, with missing last, so that code -1 finds it.

>>> a = Order((0, 1), "<=", np.array([0.0, 5.0, 10.0]), np.array([0.0, 4.0, 8.0]))
>>> codes = np.array([[0, 0], [1, 1], [1, 2]])
>>> a.keeps(codes).tolist()
[True, False, True]
>>> everything = [np.ones(3, bool), np.ones(3, bool)]
>>> [mask.tolist() for mask in a.narrowed(everything)]  # nothing is as much as 10
[[True, True, False], [True, True, True]]
>>> a.moved(codes[1:2], everything, np.random.default_rng()).tolist()  # 4 becomes 8
[[1, 2]]
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from sfumato.numeric.arrays import Mask
from sfumato.schema.domain import MISSING

__all__ = ["AnyCodes", "Fixed", "Order", "Rule"]

AnyCodes = NDArray[np.integer[Any]]  # codes, whatever the width of the integers
_COMPARED: Mapping[str, Callable[[Any, Any], Any]] = {
    "<=": np.less_equal,
    "<": np.less,
    "==": np.equal,
    "!=": np.not_equal,
}


class Rule(Protocol):
    """A constraint on the codes of some axes."""

    @property
    def axes(self) -> tuple[int, ...]:
        """The axes it is about."""

    def keeps(self, codes: AnyCodes) -> Mask:
        """Which records keep it; one row per record, all axes."""

    def narrowed(self, possible: Sequence[Mask]) -> list[Mask]:
        """For each of its axes the codes that occur in some record that keeps it."""

    def moved(
        self, codes: AnyCodes, possible: Sequence[Mask], rng: np.random.Generator
    ) -> AnyCodes:
        """Codes of its axes near to those of records that break it; rarely not near enough."""


@dataclass(frozen=True, eq=False)
class Order:
    """Two axes of numbers or dates; a missing value keeps any order."""

    axes: tuple[int, int]
    relation: Literal["<=", "<", "==", "!="]
    first: NDArray[Any]  # what each code stands for, in rising order
    second: NDArray[Any]

    def keeps(self, codes: AnyCodes) -> Mask:
        """Whether one is missing, or they stand to each other as they should."""
        x, y = (codes[:, axis] for axis in self.axes)
        held = _COMPARED[self.relation](self.first[x], self.second[y])
        return np.asarray(held | (x == MISSING) | (y == MISSING))

    def narrowed(self, possible: Sequence[Mask]) -> list[Mask]:
        """Ends of the ranges, shared values, or all but the only value of the other."""
        x, y = (possible[axis] for axis in self.axes)
        x = self._beside(x, self.first, y, self.second, np.max)
        return [x, self._beside(y, self.second, x, self.first, np.min)]

    def _beside(
        self,
        here: Mask,
        values: NDArray[Any],
        there: Mask,
        others: NDArray[Any],
        end: Callable[[Any], Any],
    ) -> Mask:
        if not there.any():
            return np.zeros_like(here)
        if there[len(others) :].any():  # missing is beside anything
            return here
        known = np.unique(others[there[: len(others)]])
        if self.relation == "==":
            left = np.isin(values, known)
        elif self.relation == "!=":
            left = values != known[0] if len(known) == 1 else np.ones(len(values), bool)
        else:
            pair = (values, end(known)) if end is np.max else (end(known), values)
            left = _COMPARED[self.relation](*pair)
        result = here.copy()
        result[: len(values)] &= left
        return result

    def moved(
        self, codes: AnyCodes, possible: Sequence[Mask], rng: np.random.Generator
    ) -> AnyCodes:
        """The second is raised as far as needed; equal columns take the value of either.

        Orders only raise, so that several of them end at the least record above the drawn one.
        """
        x, y = (codes[:, axis].copy() for axis in self.axes)
        masks = [possible[axis] for axis in self.axes]
        if self.relation == "!=":
            return np.stack([x, _beyond(self.second, masks[1], y)], axis=1)
        side: Literal["left", "right"] = "right" if self.relation == "<" else "left"
        follows = rng.random(len(x)) < (0.5 if self.relation == "==" else 1)
        y[follows] = _raised(self.second, masks[1], self.first[x[follows]], side)
        x[~follows] = _raised(self.first, masks[0], self.second[y[~follows]], side)
        return np.stack([x, y], axis=1)


def _raised(
    values: NDArray[Any], mask: Mask, least: NDArray[Any], side: Literal["left", "right"]
) -> AnyCodes:
    """The first possible code whose value is not below; else missing, or the last."""
    codes = np.flatnonzero(mask[: len(values)])
    missing = mask[len(values) :].any() or not len(codes)
    last = MISSING if missing else int(codes[-1])
    return np.append(codes, last)[np.searchsorted(values[codes], least, side=side)]


def _beyond(values: NDArray[Any], mask: Mask, drawn: AnyCodes) -> AnyCodes:
    """The next possible value above, else the one below."""
    above = _raised(values, mask, values[drawn], "right")
    codes = np.flatnonzero(mask[: len(values)])
    below = codes[np.maximum(np.searchsorted(values[codes], values[drawn], side="left") - 1, 0)]
    return np.where(values[above] != values[drawn], above, below)


@dataclass(frozen=True, eq=False)
class Fixed:
    """Codes of categories and booleans that only occur, or never occur, together."""

    axes: tuple[int, ...]
    sizes: tuple[int, ...]  # codes of each axis
    listed: NDArray[np.int64]  # one combination per row, none twice
    allowed: bool  # else forbidden

    @cached_property
    def _keys(self) -> NDArray[np.int64]:
        return np.sort(self._key(self.listed))

    def _key(self, codes: AnyCodes) -> NDArray[np.int64]:
        strides = [prod(self.sizes[k + 1 :]) for k in range(len(self.sizes))]
        return np.asarray(codes.astype(np.int64) @ np.array(strides, np.int64))

    def keeps(self, codes: AnyCodes) -> Mask:
        """Whether the combination is listed, or is not."""
        return np.asarray(np.isin(self._key(codes[:, list(self.axes)]), self._keys) == self.allowed)

    def narrowed(self, possible: Sequence[Mask]) -> list[Mask]:
        """Codes of allowed combinations, or those with a combination that is not forbidden."""
        listed = self._possible(possible)
        counts = [
            np.bincount(column, minlength=size)
            for column, size in zip(listed.T, self.sizes, strict=True)
        ]
        if self.allowed:
            return [count > 0 for count in counts]
        sizes = [int(possible[axis].sum()) for axis in self.axes]
        all_others = [prod(sizes[:k] + sizes[k + 1 :]) for k in range(len(sizes))]
        return [
            possible[axis] & (count < most)
            for axis, count, most in zip(self.axes, counts, all_others, strict=True)
        ]

    def _possible(self, possible: Sequence[Mask]) -> NDArray[np.int64]:
        inside = [possible[axis][self.listed[:, k]] for k, axis in enumerate(self.axes)]
        return self.listed[np.logical_and.reduce(inside)]

    def moved(
        self, codes: AnyCodes, possible: Sequence[Mask], rng: np.random.Generator
    ) -> AnyCodes:
        """An allowed combination with the fewest changes; or any other value in one column."""
        found = codes[:, list(self.axes)].copy()
        rows = np.arange(len(found))
        if not self.allowed:
            which = rng.integers(len(self.axes), size=len(found))
            for k, axis in enumerate(self.axes):
                here = rows[which == k]
                found[here, k] = rng.choice(np.flatnonzero(possible[axis]), len(here))
            return found
        listed = self._possible(possible)
        different, which = np.unique(found, axis=0, return_inverse=True)
        for k, combination in enumerate(different):
            changes = (listed != combination).sum(axis=1)
            nearest = np.flatnonzero(changes == changes.min())
            here = rows[which.ravel() == k]
            found[here] = listed[rng.choice(nearest, len(here))]
        return found
