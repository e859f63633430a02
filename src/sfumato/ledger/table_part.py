"""Parts of one table that are charged apart: what a record of each kind has borne so far.

Guarantee.  Under add-remove a release that reads only the records of a part costs the others
nothing, so a record bears what was spent on the whole table and on the parts it lies in, and
`Parted.dearest` is no less than what any record has borne in parts.  The proof page is
docs/proofs/parts.md.
Reach.  A part is a set of codes of one column.  Parts are told apart only within a *frame*, which
is one declared table and one of its columns: there a record has one code, and sums are kept
code by code.  Between frames nothing is known, so the dearest codes of all frames are added up.

>>> north = TablePart("region=n", "f00d" * 4, ((0, 0),))
>>> south = TablePart("region=s", "f00d" * 4, ((1, 1),))
>>> spent = Parted().charged(north, Charge(2)).charged(south, Charge(3))
>>> print(spent.dearest.micro_epsilon, spent.within(north).micro_epsilon)
3 2
"""

import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, reduce
from itertools import pairwise
from typing import Any

from sfumato.errors import LedgerError
from sfumato.ledger.amount import NOTHING, most, plus, units
from sfumato.privacy.budget import Charge

__all__ = ["DIVISIBLE", "MOST_CELLS", "Parted", "TablePart"]

# The one promise under which parts are charged apart.  A person with several records may have
# them in several parts, and a record that is replaced may move from one part to another.
DIVISIBLE = "one record (row) of the table; add-remove"
MOST_CELLS = 4_096  # runs of codes in one account: every line of it lists them
_MOST_CODES = 2**31
Runs = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class TablePart:
    """Records whose code in one column is one of these; a code depends on its record alone."""

    name: str  # as its owner wrote it
    frame: str  # a digest of the declared table and of the name of the column
    codes: Runs  # first and last code of each run, ascending, with a gap between runs

    @property
    def sound(self) -> bool:
        """Whether the runs are written in the one way in which they can be."""
        ends = [end for run in self.codes for end in run]
        whole = all(type(end) is int and 0 <= end < _MOST_CODES for end in ends)
        apart = all(b[0] > a[1] + 1 for a, b in pairwise(self.codes))
        return bool(ends) and whole and apart and all(low <= high for low, high in self.codes)

    def to_json(self) -> dict[str, Any]:
        """What the line of a charge holds."""
        return {"name": self.name, "frame": self.frame, "codes": [list(run) for run in self.codes]}

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> "TablePart":
        """A part from what `to_json` wrote."""
        found = cls(
            str(record["name"]), str(record["frame"]), tuple((a, b) for a, b in record["codes"])
        )
        if not found.sound:
            raise ValueError("not a part of a table")
        return found


@dataclass(frozen=True, slots=True)
class _Frame:
    """One column of one declared table: what was spent on each of its codes."""

    cells: tuple[tuple[int, int, Charge], ...] = ()  # runs that have borne the same, above nothing
    table: str | None = None  # fingerprint of the one table that its parts are drawn from

    def dearest(self, codes: Runs | None = None) -> Charge:
        """The most that any code has borne, or any of these."""
        found = (
            spent
            for first, last, spent in self.cells
            if codes is None or any(first <= high and low <= last for low, high in codes)
        )
        return reduce(most, found, NOTHING)

    def moved(self, codes: Runs, amount: Charge, sign: int) -> "_Frame":
        """The same with an amount added to these codes, or taken from them."""
        steps: dict[int, list[int]] = defaultdict(lambda: [0, 0, 0])
        moves = [*((*cell, 1) for cell in self.cells), *((*run, amount, sign) for run in codes)]
        for first, last, spent, way in moves:
            for k, unit in enumerate(units(spent)):
                steps[first][k] += way * unit
                steps[last + 1][k] -= way * unit
        level, cells = [0, 0, 0], list[tuple[int, int, Charge]]()
        for start, end in pairwise(sorted(steps)):
            level = [a + b for a, b in zip(level, steps[start], strict=True)]
            if min(level) < 0:
                raise LedgerError("the ledger is damaged: more is given back than a part has borne")
            here = (start, end - 1, Charge(*level))
            if cells and cells[-1][1] == start - 1 and cells[-1][2] == here[2]:
                here = (cells.pop()[0], *here[1:])
            if here[2] != NOTHING:
                cells.append(here)
        return replace(self, cells=tuple(cells))


@dataclass(frozen=True, slots=True)
class Parted:
    """What was spent on parts of a data set, frame by frame; a part of its balance."""

    frames: tuple[tuple[str, _Frame], ...] = ()  # by name

    @property
    def dearest(self) -> Charge:
        """The most that a record can have borne in parts, unit by unit."""
        return reduce(plus, (frame.dearest() for _, frame in self.frames), NOTHING)

    def within(self, part: TablePart) -> Charge:
        """The most that a record of this part can have borne in parts."""
        borne = (
            frame.dearest(part.codes if name == part.frame else None) for name, frame in self.frames
        )
        return reduce(plus, borne, NOTHING)

    @property
    def size(self) -> int:
        """How many runs of codes are kept apart."""
        return sum(len(frame.cells) for _, frame in self.frames)

    def table(self, part: TablePart) -> str | None:
        """The fingerprint of the table that parts of this frame were drawn from."""
        return self._frame(part).table

    def charged(self, part: TablePart, amount: Charge) -> "Parted":
        """After a charge for this part."""
        return self._with(part, self._frame(part).moved(part.codes, amount, 1))

    def refunded(self, part: TablePart, amount: Charge) -> "Parted":
        """After that charge was given back."""
        return self._with(part, self._frame(part).moved(part.codes, amount, -1))

    def drawn(self, part: TablePart, table: str | None) -> "Parted":
        """After noise was drawn for this part of the table with this fingerprint."""
        frame = self._frame(part)
        return self._with(part, replace(frame, table=frame.table or table))

    def _frame(self, part: TablePart) -> _Frame:
        return dict(self.frames).get(part.frame, _Frame())

    def _with(self, part: TablePart, frame: _Frame) -> "Parted":
        """A frame on which nothing is left goes: what was drawn is never given back."""
        found = {**dict(self.frames), part.frame: frame}
        return Parted(tuple((name, found[name]) for name in sorted(found) if found[name].cells))

    def to_text(self) -> str | None:
        """What a line holds; nothing where no part was charged."""
        if not self.frames:
            return None
        written = {
            name: {"cells": [[a, b, *units(c)] for a, b, c in frame.cells], "table": frame.table}
            for name, frame in self.frames
        }
        return json.dumps(written, sort_keys=True, separators=(",", ":"))

    @classmethod
    def of(cls, text: str | None) -> "Parted":
        """From what `to_text` wrote."""
        return _UNDIVIDED if text is None else _parted(text)


_UNDIVIDED = Parted()


@lru_cache(maxsize=256)  # the lines of an account say the same until something is charged
def _parted(text: str) -> Parted:
    try:
        found = {
            name: _Frame(
                tuple((a, b, Charge(*spent)) for a, b, *spent in frame["cells"]),
                frame["table"],
            )
            for name, frame in json.loads(text).items()
        }
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
        raise LedgerError("the ledger is damaged: parts of a table cannot be read") from error
    return Parted(tuple((name, found[name]) for name in sorted(found)))
