"""From the fully generalised table downwards: nodes, cuts and the walk between them; all public.

A column is a row of positions, and every node a run of them: an interval of numbers, or
the values below a branch of the taxonomy.  A cut holds the nodes in use.  The walk asks a guide
for each decision, so that the walk that measures and the one that reads a published synopsis
again are the same lines.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from sfumato.schema import Category
from sfumato.schema.domain import Axis, Grid, Levels

__all__ = ["Cut", "Guide", "Hierarchy", "Node", "walk"]

_FEW = 4  # so many levels come straight below the top; more are halved, again and again
_MOST_CELLS = 2**20  # leaves times classes: what a synopsis can hold

Run = tuple[int, int]  # positions start … stop − 1


class Node(NamedTuple):
    """A run of positions of one column."""

    column: int
    start: int
    stop: int


@dataclass(frozen=True)
class Hierarchy:
    """The code at each position of a column, and the runs that each branch falls into.

    >>> from sfumato.schema import Schema
    >>> from sfumato.schema.domain import Domain
    >>> ward = {"kind": "category", "values": ["a", "b", "c"], "taxonomy": [["c", "a"], "b"]}
    >>> axis = Domain.of(Schema.of({"name": "t", "columns": {"ward": ward}})).axes[0]
    >>> hierarchy = Hierarchy.of(axis)
    >>> hierarchy.order.tolist(), hierarchy.branches
    ([2, 0, 1], {(0, 2): ((0, 1), (1, 2)), (0, 3): ((0, 2), (2, 3))})
    """

    axis: Axis
    order: NDArray[np.int32]
    branches: Mapping[Run, tuple[Run, ...]]
    names: Mapping[Run, str] = field(default_factory=dict)  # of branches, as the taxonomy says

    @classmethod
    def of(cls, axis: Axis) -> "Hierarchy":
        """Numbers in their order, missing first; levels by their taxonomy, missing last."""
        if isinstance(axis, Grid):
            return cls(axis, np.arange(-int(axis.missing), axis.points + 1, dtype=np.int32), {})
        order: list[int] = []
        branches: dict[Run, tuple[Run, ...]] = {}
        _grow(_tree(axis), order, branches)
        names: dict[Run, str] = {}
        if isinstance(axis.column, Category) and axis.column.taxonomy is not None:
            _named(axis.column.taxonomy, 0, names)
        return cls(axis, np.array(order, np.int32), branches, names)

    @property
    def number(self) -> bool:
        """Whether an interval may be split anywhere."""
        return isinstance(self.axis, Grid)

    @cached_property
    def place(self) -> NDArray[np.int64]:
        """The position of each code; code -1 is found from the end."""
        place = np.empty(len(self.order), np.int64)
        place[self.order] = np.arange(len(self.order))
        return place

    def spelt(self, start: int, stop: int) -> list[Any]:
        """A node as the synopsis writes it: its first and last code, or its values."""
        if not isinstance(self.axis, Levels):
            return [int(self.order[start]), int(self.order[stop - 1])]
        values = [*self.axis.values, None]  # the last level is missing, where it is declared
        return [values[code] for code in self.order[start:stop]]


def _tree(axis: Levels) -> Any:
    """Nested lists of codes."""
    column = axis.column
    if isinstance(column, Category) and column.taxonomy is not None:
        code = {str(value).strip(): i for i, value in enumerate(axis.values)}
        return [*_coded(column.taxonomy, code), *([axis.codes - 1] * axis.missing)]
    return _halved(list(range(axis.codes)))


def _coded(taxonomy: Any, code: Mapping[str, int]) -> list[Any]:
    parts = taxonomy.values() if isinstance(taxonomy, Mapping) else taxonomy
    return [
        _coded(part, code) if isinstance(part, list | tuple | Mapping) else code[str(part).strip()]
        for part in parts
    ]


def _named(taxonomy: Any, start: int, names: dict[Run, str]) -> int:
    """Note the runs of the named parts; gives back the position after the last value."""
    if not isinstance(taxonomy, list | tuple | Mapping):
        return start + 1
    for part in taxonomy:
        mapped = isinstance(taxonomy, Mapping)
        stop = _named(taxonomy[part] if mapped else part, start, names)
        if mapped and stop - start > 1:
            names[start, stop] = part  # of branches with the same values the outermost
        start = stop
    return start


def _halved(codes: list[int]) -> list[Any]:
    if len(codes) <= _FEW:
        return codes
    middle = (len(codes) + 1) // 2
    return [_halved(codes[:middle]), _halved(codes[middle:])]


def _grow(tree: Any, order: list[int], branches: dict[Run, tuple[Run, ...]]) -> Run:
    """Write the leaves of a tree into `order`, and its branches by the runs they became."""
    start = len(order)
    if isinstance(tree, int):
        order.append(tree)
    else:
        parts = [_grow(part, order, branches) for part in tree]
        if len(parts) > 1:  # a branch with a single part says nothing
            branches[start, len(order)] = tuple(parts)
    return start, len(order)


class Cut:
    """The nodes in use, column by column, and the split points drawn so far."""

    def __init__(self, columns: Sequence[Hierarchy], classes: int) -> None:
        self.columns, self.classes = columns, classes
        self.nodes = [[(0, len(column.order))] for column in columns]
        self.points: dict[Node, int] = {}

    @property
    def cells(self) -> int:
        """How many counts the leaves have, by class."""
        return prod(len(nodes) for nodes in self.nodes) * self.classes

    def parts(self, node: Node) -> tuple[Run, ...]:
        """What a candidate falls into: its branches, or the two sides of its split point."""
        if node in self.points:
            return (node.start, self.points[node]), (self.points[node], node.stop)
        return self.columns[node.column].branches[node.start, node.stop]

    def candidates(self) -> list[Node]:
        """The nodes that can be specialised without more leaves than a synopsis holds."""
        return [node for node in self._all() if self._divisible(node) and self._affordable(node)]

    def unsplit(self) -> list[Node]:
        """Intervals of two points or more that lack a split point."""
        return [
            node
            for node in self._all()
            if self.columns[node.column].number
            and node.stop - node.start > 1
            and node not in self.points
        ]

    def specialise(self, node: Node) -> None:
        """Put the parts of a node in its place."""
        nodes = self.nodes[node.column]
        at = nodes.index((node.start, node.stop))
        nodes[at : at + 1] = self.parts(node)

    def _all(self) -> Iterator[Node]:
        return (Node(c, *run) for c, runs in enumerate(self.nodes) for run in runs)

    def _divisible(self, node: Node) -> bool:
        run = (node.start, node.stop)
        return node in self.points or run in self.columns[node.column].branches

    def _affordable(self, node: Node) -> bool:
        here, more = len(self.nodes[node.column]), len(self.parts(node)) - 1
        return self.cells // here * (here + more) <= _MOST_CELLS


class Guide(Protocol):
    """Who decides: the exponential mechanism, or a synopsis that is read again."""

    def split(self, step: int, nodes: Sequence[Node]) -> list[int]:
        """The first position of the upper part of each interval; the intervals are disjoint."""

    def choose(self, step: int, candidates: Sequence[Node]) -> Node:
        """The candidate to specialise."""


def walk(cut: Cut, steps: int, guide: Guide) -> None:
    """Specialise up to `steps` times; each interval gets a split point as soon as it exists."""
    for interval in cut.unsplit():
        cut.points[interval] = guide.split(0, [interval])[0]
    for step in range(1, steps + 1):
        candidates = cut.candidates()
        if not candidates:
            return
        cut.specialise(guide.choose(step, candidates))
        if intervals := cut.unsplit():
            cut.points.update(zip(intervals, guide.split(step, intervals), strict=True))
