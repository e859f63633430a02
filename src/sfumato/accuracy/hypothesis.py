"""What may hold exactly between two columns, as blocks of their table that would be empty.

A bin can be spoken of by itself where it holds one value: of a category any bin, of a number or
date a bin of one code (a -1 for "never") or missing.  An order is about the cells in which every
value of one bin is above every value of the other; where bins overlap nothing can be told.

>>> from sfumato.schema import Schema
>>> from sfumato.schema.domain import Domain
>>> from sfumato.synopsis.bins import Fine, Merged
>>> domain = Domain.of(Schema.of({"name": "t", "columns": {
...     "sex": {"kind": "category", "values": ["f", "m"]},
...     "ward": {"kind": "category", "values": ["maternity", "surgery", "eyes"]}}}))
>>> sides = [
...     Side.of(axis, Merged(Fine.of(k, axis), np.arange(axis.codes)))
...     for k, axis in enumerate(domain.axes)
... ]
>>> found = hypotheses(*sides)
>>> len(found), found[0].words
(12, 'where sex is f, ward is maternity')
>>> found[0].constraint.forbidden
(('f', 'surgery'), ('f', 'eyes'))
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np

from sfumato.accuracy.side import Side, ends
from sfumato.numeric.arrays import Mask
from sfumato.schema.constraint import Combination, Constraint, level, ordering
from sfumato.schema.domain import MISSING

__all__ = ["Hypothesis", "declares", "hypotheses", "matched"]

_MOST_LISTED = 1_000  # combinations in one suggestion: beyond it nobody would read them


class Line(NamedTuple):
    """A bin of the first (0) or second (1) column, and its only companion in the other."""

    side: int
    bin: int
    companion: int


@dataclass(frozen=True, eq=False)
class Hypothesis:
    """A block of cells that would be empty, and how that is said."""

    words: str
    block: Mask
    constraint: str | Combination | None  # None where none of the schema can say it
    line: Line | None = None  # where the block is a bin without one companion
    untold: Mask | None = None  # of an order: cells whose records may keep or break it

    @property
    def orders(self) -> bool:
        """Whether it is about which column is the larger one."""
        return isinstance(self.constraint, str)


def hypotheses(a: Side, b: Side) -> list[Hypothesis]:
    """Everything that is tried on one table; no block comes twice.

    Of two that are about the same cells, what a constraint can say comes first.
    """
    found: dict[bytes, Hypothesis] = {}
    for one in [*_orders(a, b), *_companions(a, b), *_cells(a, b)]:
        if one.block.any() and not one.block.all():
            found.setdefault(one.block.tobytes(), one)
    return list(found.values())


def matched(one: Hypothesis, other: Hypothesis, a: Side, b: Side) -> Hypothesis | None:
    """Both together, where they say one thing: only with each other, or equal."""
    block = one.block | other.block
    if one.orders and other.orders:
        text = _order_text(a, "==", b)
        if text is None:
            return None
        words = f"{a.axis.name} equals {b.axis.name}"
        return Hypothesis(words, block, text, untold=one.untold)
    if one.line is None or one.line.side != 0 or other.orders:
        return None
    v, w = one.line.bin, one.line.companion
    if not np.array_equal(other.block, _line(block.shape, Line(1, w, v))):
        return None
    return Hypothesis(f"{a.said(v)} exactly where {b.said(w)}", block, _listing(a, b, block))


def declares(
    constraints: Iterable[Constraint], said: str | Combination | None, a: Side, b: Side
) -> bool:
    """Whether a schema says it already."""
    names = a.axis.name, b.axis.name
    for known in constraints:
        if isinstance(known, str) and isinstance(said, str):
            if set(_orders_of(said, names)) <= set(_orders_of(known, names)):
                return True
        elif isinstance(known, Combination) and isinstance(said, Combination):
            if set(known.columns) != set(names):
                continue
            codes = _codes(said, a, b), _codes(known, a, b)
            if codes[0] <= codes[1] if known.forbidden else not codes[0] & codes[1]:
                return True
    return False


def _orders_of(text: str, names: tuple[str, str]) -> list[tuple[str, str]]:
    """Which column is at most which other."""
    try:
        first, relation, second = ordering(text, names)
    except ValueError:  # about other columns
        return []
    ways = {"<": [(first, second)], ">": [(second, first)], "!": []}
    return ways.get(relation[0], [(first, second), (second, first)])


def _codes(listed: Combination, a: Side, b: Side) -> set[tuple[int, int]]:
    """Combinations as codes of the first and the second column."""
    turned = listed.columns[0] != a.axis.name
    pairs = [pair[::-1] if turned else pair for pair in listed.listed]
    return {
        (level(a.axis.name, a.axis.column, v), level(b.axis.name, b.axis.column, w))
        for v, w in pairs
    }


def _companions(a: Side, b: Side) -> list[Hypothesis]:
    """A bin that occurs with only one bin of the other column."""
    shape, found = (len(a.names), len(b.names)), []
    for v, w in product(a.single, b.single):
        for line in (Line(0, v, w), Line(1, w, v)):
            when, then = (a.said(v), b.said(w)) if line.side == 0 else (b.said(w), a.said(v))
            block = _line(shape, line)
            words = f"where {when}, {then}"
            found.append(Hypothesis(words, block, _listing(a, b, block), line))
    return found


def _line(shape: tuple[int, ...], line: Line) -> Mask:
    block = np.zeros(shape, bool)
    turned = block if line.side == 0 else block.T
    turned[line.bin] = True
    turned[line.bin, line.companion] = False
    return block


def _cells(a: Side, b: Side) -> list[Hypothesis]:
    """Two values that never meet; of categories only, where a constraint can say so."""
    found = []
    for v, w in product(a.single, b.single) if a.listed and b.listed else ():
        block = np.zeros((len(a.names), len(b.names)), bool)
        block[v, w] = True
        words = f"never {a.said(v)} and {b.said(w)}"
        found.append(Hypothesis(words, block, _listing(a, b, block)))
    return found


def _listing(a: Side, b: Side, block: Mask) -> Combination | None:
    """The combinations of a block, as a constraint lists them."""
    if not (a.listed and b.listed):
        return None
    cells = np.argwhere(block).tolist()
    pairs = tuple(pair for v, w in cells for pair in product(a.values[v], b.values[w]))
    if len(pairs) > _MOST_LISTED:
        return None
    return Combination(columns=(a.axis.name, b.axis.name), forbidden=pairs)


def _orders(a: Side, b: Side) -> list[Hypothesis]:
    compared = ends(a, b)
    if compared is None:
        return []
    (low_a, high_a), (low_b, high_b) = compared
    there = np.outer([code != MISSING for code in a.first], [code != MISSING for code in b.first])
    above = np.array([[x > y for y in high_b] for x in low_a]) & there
    below = np.array([[x < y for y in low_b] for x in high_a]) & there
    found = []
    for small, large, block in ((a, b, above), (b, a, below)):
        if text := _order_text(small, "<=", large):
            words = f"{small.axis.name} is at most {large.axis.name}"
            found.append(Hypothesis(words, block, text, untold=there & ~above & ~below))
    return found


def _order_text(a: Side, relation: str, b: Side) -> str | None:
    """The constraint, unless signs in the names could make it mean something else."""
    names = a.axis.name, b.axis.name
    plain = all(name == name.strip() and not set(name) & set("<>=!") for name in names)
    return f"{names[0]} {relation} {names[1]}" if plain else None
