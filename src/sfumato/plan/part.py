"""A part of a table that is released by itself: records with these values in one column.

Which records belong to it depends on the declared column and on each record alone, never on other
records; a value that cannot be read has a code of its own or stands for one, and so belongs to
exactly one of two parts that have no code in common.  Under add-remove parts without a common
record cost their maximum (docs/proofs/parts.md).  Under replace-one they would not: a record may
leave one part and enter another, and the number of records in a part is not public.

>>> from sfumato.schema import Schema
>>> domain = Domain.of(Schema.of({"name": "t", "neighbours": "add-remove", "columns": {
...     "age": {"kind": "integer", "low": 16, "high": 20, "missing": "allowed"}}}))
>>> part = DeclaredPart.of(domain, "age=18..")
>>> part.facts, part.charged.codes
({'age': '18..'}, ((2, 4),))
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sfumato.errors import ParameterError, SchemaError
from sfumato.ledger.table_part import TablePart
from sfumato.numeric.arrays import Mask
from sfumato.plan.plan import Method, Plan
from sfumato.privacy.budget import Budget
from sfumato.render.where import parse_where, where_masks
from sfumato.schema.domain import Axis, Domain
from sfumato.schema.person import check_one_row_each
from sfumato.table.source import PartOf, Source

__all__ = ["DeclaredPart", "plan_of_part"]

_LONGEST_NAME = 200


@dataclass(frozen=True, eq=False)
class DeclaredPart:
    """Records with these values in one column; a public fact."""

    domain: Domain
    axis: Axis
    text: str  # as in `where`: f, a|b, 18..30, or nothing for a missing value
    mask: Mask  # by code of the column, with missing last

    @classmethod
    def of(cls, domain: Domain, part: str | Mapping[str, Any]) -> "DeclaredPart":
        """The part that a condition on one column declares."""
        check_one_row_each(
            domain.schema.people, "part: parts of a table take", "release the whole table"
        )
        asked = parse_where(domain, part, "part")
        if len(asked) != 1:
            raise ParameterError(
                "part: give a condition on one column, such as region=North or age=18..30"
            )
        ((place, mask),) = where_masks(domain, asked, "part").items()
        if domain.schema.neighbours != "add-remove":
            raise SchemaError(
                "part: the schema declares neighbours: replace-one, under which a record may leave "
                "one part for another and the number of records of a part would have to be "
                "public: declare neighbours: add-remove, or release the whole table"
            )
        axis = domain.axes[place]
        return cls(domain, axis, asked[axis.name], mask)

    @property
    def facts(self) -> dict[str, str]:
        """What a certificate says of it."""
        return {self.axis.name: self.text}

    def __str__(self) -> str:
        return f"{self.axis.name}={self.text}"

    @property
    def charged(self) -> TablePart:
        """What the ledger compares it with others by."""
        schema = self.domain.schema.to_json()
        declared = {
            "schema": schema,
            "order": [(axis.name, axis.codes) for axis in self.domain.axes],
            "column": self.axis.name,
        }
        frame = hashlib.sha256(json.dumps(declared, sort_keys=True).encode()).hexdigest()
        edges = np.flatnonzero(np.diff(np.concatenate(([0], self.mask, [0]))))
        runs = ((int(first), int(end) - 1) for first, end in edges.reshape(-1, 2))
        return TablePart(_line(str(self)), frame, tuple(runs))

    def of_source(self, source: Source) -> PartOf:
        """NOT PRIVATE: the records of a source that belong to it."""
        return PartOf(source, self.domain, self.axis, self.mask)


def _line(name: str) -> str:
    """As much of a name as a line of the ledger shows; what it is told apart by are its codes."""
    shown = "".join(c if c.isprintable() else "�" for c in name).strip()
    return shown if len(shown) <= _LONGEST_NAME else f"{shown[:_LONGEST_NAME]}…"


def plan_of_part(
    chosen: Method,
    domain: Domain,
    budget: Budget | None,
    options: Mapping[str, Any],
    part: str | Mapping[str, Any] | None,
) -> Plan:
    """The plan of a method for a part of the table, or for all of it.

    A method that draws only such records as one asks for is asked for those of the part.
    """
    if part is None:
        return chosen.price(domain, budget, options)
    declared = DeclaredPart.of(domain, part)
    if "where" in chosen.options:
        asked = parse_where(domain, options.get("where"))
        if asked.get(declared.axis.name, declared.text) != declared.text:
            raise ParameterError(
                f"where: column {declared.axis.name} is that of the part, of which records are "
                "drawn anyway: leave it out of where"
            )
        options = {**options, "where": {**asked, **declared.facts}}
    return replace(chosen.price(domain, budget, options), part=declared)
