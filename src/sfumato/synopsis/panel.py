"""What `mosaic` measured of persons: flat tables, and tables of two rows of a person.

All counts are in tickets: `whole` of them are one person.  Besides the tables of flat rows
(`sfumato.synopsis.flat_people`) there are, for columns of rows, tables of a row and the next one,
of a row and one half of the person's rows away, and of the step from a number to the next; where
noise leaves nothing of these, one table of how many columns stay the same from row to row.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from sfumato.errors import ReleaseError
from sfumato.numeric.arrays import Whole
from sfumato.schema.domain import Grid
from sfumato.synopsis.flat_people import FlatPeople
from sfumato.synopsis.tables import Layout, MosaicSynopsis
from sfumato.synopsis.whole import whole_numbers

__all__ = ["NEXT", "OTHER", "STAYING", "STEPS", "PanelSynopsis", "Spec", "step_edges"]

# What the kinds of tables are called in a certificate.
NEXT, OTHER, STEPS = "tables of next rows", "tables of other rows", "tables of steps"
STAYING = "columns that stay the same"
_FINEST, _GROWTH = 200, 1.4  # parts of a range that the smallest step is, and how bins grow


class Spec(NamedTuple):
    """Which table: of one flat column, of two, or of two rows of a person in these columns."""

    kind: Literal["one", "pair", "next", "other", "step", "stay"]
    columns: tuple[int, ...]


def step_edges(axis: Grid) -> Whole:
    """Where bins of differences between two codes begin: 0 by itself, then ever wider.

    >>> from sfumato.schema.column import Integer
    >>> step_edges(Grid("a", Integer(kind="integer", low=0, high=9), 9, 9)).tolist()
    [-9, -8, -5, -3, -2, -1, 0, 1, 2, 3, 4, 6, 9, 10]
    """
    end, unit = axis.points + 1, max(1, axis.points // _FINEST)
    edges, width = [1], float(unit)
    while edges[-1] < end:
        edges.append(min(edges[-1] + int(width), end))
        width *= _GROWTH
    up = np.array(edges, np.int64)
    return np.concatenate([1 - up[::-1], up])


@dataclass(frozen=True, eq=False)
class PanelSynopsis:
    """Noisy tables of persons; by flat column what is said of two rows."""

    whole: int  # tickets of a person
    tables: MosaicSynopsis
    next: Mapping[int, Whole]  # by bin of a row and bin of the next one
    other: Mapping[int, Whole]  # by bin of a row and bin of one half of the rows away
    steps: Mapping[int, Whole]  # by bin of the difference to the row before
    staying: Whole | None = None  # by how many columns are in the same bin as in the row before

    def to_json(self) -> dict[str, Any]:
        """Whole numbers, by the places of flat columns."""
        return {
            "kind": "panel",
            "whole": self.whole,
            "tables": self.tables.to_json(),
            "next": {str(j): table.tolist() for j, table in self.next.items()},
            "other": {str(j): table.tolist() for j, table in self.other.items()},
            "steps": {str(j): table.tolist() for j, table in self.steps.items()},
            **({} if self.staying is None else {"staying": self.staying.tolist()}),
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any], flat: FlatPeople) -> "PanelSynopsis":
        """The inverse of `to_json`; refused where a table has not the cells that it should."""
        try:
            tables = MosaicSynopsis.from_json(record["tables"], Layout.of(flat.domain))
            following, others, steps = (
                {int(j): whole_numbers(table) for j, table in record[kind].items()}
                for kind in ("next", "other", "steps")
            )
            staying = whole_numbers(record["staying"]) if "staying" in record else None
            found = cls(_ticket_number(record["whole"]), tables, following, others, steps, staying)
        except (KeyError, TypeError, ValueError, AttributeError):
            raise ReleaseError("the synopsis does not hold the tables that it should") from None
        found._check(flat)
        return found

    def _check(self, flat: FlatPeople) -> None:
        bins = np.diff(self.tables.partition.offset)
        of_two = [(j, table.shape) for kind in (self.next, self.other) for j, table in kind.items()]
        sound = all(j in flat.rows and shape == (bins[j], bins[j]) for j, shape in of_two)
        for j, table in self.steps.items():
            axis = flat.domain.axes[j] if j in flat.numbers else None
            sound &= isinstance(axis, Grid) and table.shape == (len(step_edges(axis)) - 1,)
        varying = len(flat.rows) - (flat.order is not None)
        if self.staying is not None:
            sound &= self.staying.shape == (varying + 1,)
        if not sound:
            raise ReleaseError("a table of the synopsis has not the cells that its bins call for")


def _ticket_number(number: Any) -> int:
    if type(number) is not int or number < 1:
        raise ValueError("not a number of tickets")
    return number
