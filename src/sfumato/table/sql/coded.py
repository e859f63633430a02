"""Codes of records in PostgreSQL's own language, with the same bits as those of our encoder.

Numbers and dates are compared with thresholds.  Of categories the distinct values are fetched and
encoded here, since no database trims and spells as the encoder does; they go back as values that
are bound, as all values do, and never become text of a query.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa

from sfumato.errors import DataError
from sfumato.schema.domain import Axis, Domain, Grid
from sfumato.table.sql.name import quoted
from sfumato.table.sql.stored import StoredColumn, StoredTable
from sfumato.table.sql.threshold import Thresholds, order_of, read_alone

__all__ = ["KEPT", "Bound", "Coded", "check_countable"]

_UNLISTED = "\U0010ffff"  # a text that no schema is likely to list; any other would do
KEPT = " OFFSET 0"  # worked out once, not wherever it is named in the query around it
_EXACT = "C"  # a collation in which texts are equal if their bytes are


@dataclass
class Bound:
    """Values that are sent beside a query, each as text, and read once by the server."""

    texts: list[str] = field(default_factory=list, repr=False)

    def array(self, values: Iterable[object], kind: str) -> str:
        """How the query names an array of these."""
        self.texts.append("{" + ",".join(map(_element, values)) + "}")
        # As a query of its own: an expression would be worked out again for each record.
        return f"(SELECT ${len(self.texts)}::pg_catalog.{kind}[])"

    def number(self, value: int) -> str:
        """How the query names a whole number."""
        self.texts.append(str(value))
        return f"(SELECT ${len(self.texts)}::pg_catalog.int8)"


def _element(value: object) -> str:
    return '"' + str(value).replace("\\", "\\\\").replace('"', '\\"') + '"'


def check_countable(domain: Domain, table: StoredTable) -> None:
    """Refuse columns whose codes cannot be told inside the database; no record is looked at."""
    known = {column.name: column for column in table.columns}
    for axis in domain.axes:
        stored = known[axis.name].type
        if isinstance(axis, Grid):
            searched = order_of(stored) is not None and not axis.column.missing_words
            dated = pa.types.is_date(stored) or pa.types.is_timestamp(stored)
            possible = searched and dated == (axis.column.kind == "date")
            # As float8, a numeric without digits may overflow: one value would end the query.
            possible = possible and not (
                pa.types.is_floating(stored) and known[axis.name].asked.endswith(".text")
            )
        else:
            possible = not (pa.types.is_floating(stored) or pa.types.is_date(stored))
        if not possible:
            raise DataError(
                f"column {axis.name} cannot be counted inside the database: store it as a number "
                "or date of fixed digits (numeric(12, 2)), without words for missing; or let "
                "records be read (without in_database)"
            )


@dataclass(frozen=True, eq=False)
class Coded:
    """A query with a row of codes c0, c1 … and complaints m0, m1 … for each record."""

    query: str
    bound: Bound

    @classmethod
    def of(cls, domain: Domain, table: StoredTable) -> "Coded":
        """NOT PRIVATE: fetches the distinct values of categories."""
        bound, stored = Bound(), {column.name: column for column in table.columns}
        columns = [_column(domain, axis, stored[axis.name], table) for axis in domain.axes]
        inner = ", ".join(f"{column.value} AS x{j}" for j, column in enumerate(columns))
        outer, joins = [], []
        for j, column in enumerate(columns):
            code, said, join = column.told(j, bound)
            outer += [f"{code} AS c{j}", f"{said} AS m{j}"]
            joins.append(join)
        source = f"(SELECT {inner} FROM {table.table.quoted}) AS src"  # noqa: S608
        query = f"SELECT {', '.join(outer)} FROM {source} {' '.join(joins)}"  # noqa: S608
        return cls(query + KEPT, bound)


def _column(
    domain: Domain, axis: Axis, stored: StoredColumn, table: StoredTable
) -> "_Compared | _Looked":
    (gap,) = _told(domain, axis, pa.nulls(1, stored.type))
    if not isinstance(axis, Grid):
        text = f'{quoted(axis.name)}::pg_catalog.text COLLATE "{_EXACT}"'
        return _Looked(text, gap, *_levels(domain, axis, stored, text, table))
    order = order_of(stored.type)
    if order is None:
        raise DataError(f"column {axis.name} cannot be counted inside the database")
    return _Compared(_value(stored), gap, Thresholds.of(domain, axis, order))


def _value(stored: StoredColumn) -> str:
    """What is compared; nothing where it is not a number."""
    name, kind = quoted(stored.name), stored.type
    if pa.types.is_integer(kind):
        return f"{name}::pg_catalog.int8"
    if pa.types.is_floating(kind):
        return f"NULLIF({name}::pg_catalog.float8, 'NaN')"
    if pa.types.is_decimal(kind):
        units = 10**kind.scale
        return f"(NULLIF({name}::pg_catalog.numeric, 'NaN') * {units})::pg_catalog.int8"
    return stored.asked


def _levels(
    domain: Domain, axis: Axis, stored: StoredColumn, text: str, table: StoredTable
) -> tuple[tuple[int, ...], dict[str, tuple[int, ...]]]:
    """What a value that nobody listed is read as, and all that are read otherwise.

    Of those there are few, however many texts there are.
    """
    usual = _told(domain, axis, pa.array([_UNLISTED]))[0]
    asked = f"SELECT DISTINCT {stored.asked}, {text} FROM {table.table.quoted}"  # noqa: S608
    others = {}
    for batch in table.session.batches(f"{asked} WHERE {quoted(axis.name)} IS NOT NULL"):
        found = _told(domain, axis, stored.read(batch.column(0)))
        for value, told in zip(batch.column(1), found, strict=True):
            if told != usual:
                others[value.as_py()] = told
    return usual, others


def _told(domain: Domain, axis: Axis, column: pa.Array) -> list[tuple[int, ...]]:
    """Code and complaint of each value."""
    codes, said = read_alone(domain, axis, column)
    return list(zip(codes.tolist(), said.tolist(), strict=True))


@dataclass(frozen=True)
class _Compared:
    """A number or date, among thresholds."""

    value: str
    gap: tuple[int, ...]
    cuts: Thresholds

    def told(self, j: int, bound: Bound) -> tuple[str, str, str]:
        kind = _array_kind(self.cuts.order.stored)
        codes = bound.array(self._written(self.cuts.codes.tolist()), kind)
        ends = [self.cuts.fits, *([] if self.cuts.above is None else [self.cuts.above])]
        said = bound.array(self._written(ends), kind)
        code = f"pg_catalog.width_bucket(src.x{j}, {codes})"
        place = f"pg_catalog.width_bucket(src.x{j}, {said})"
        return (
            f"CASE WHEN src.x{j} IS NULL THEN {self.gap[0]} ELSE {code} END",
            f"CASE WHEN src.x{j} IS NULL THEN {self.gap[1]} ELSE "
            f"CASE {place} WHEN 0 THEN 2 WHEN 1 THEN 0 ELSE 3 END END",
            "",
        )

    def _written(self, keys: Sequence[int]) -> list[Any]:
        """As the server reads them: decimals in units of their last place, as they are compared."""
        values, kind = np.array(keys, np.int64), self.cuts.order.stored
        if pa.types.is_floating(kind):
            return [repr(value) for value in self.cuts.order.values(values).to_pylist()]
        if pa.types.is_date(kind):
            return [str(day) for day in values.astype("datetime64[D]")]
        if pa.types.is_timestamp(kind):
            zone = "+00" if kind.tz else ""
            return [f"{moment}{zone}" for moment in values.astype("datetime64[us]")]
        return [Decimal(key) for key in keys]


def _array_kind(stored: pa.DataType) -> str:
    if pa.types.is_floating(stored):
        return "float8"
    if pa.types.is_date(stored):
        return "date"
    if pa.types.is_timestamp(stored):
        return "timestamptz" if stored.tz else "timestamp"
    return "int8"


@dataclass(frozen=True)
class _Looked:
    """A category, among the values that occur."""

    value: str
    gap: tuple[int, ...]
    usual: tuple[int, ...]
    others: dict[str, tuple[int, ...]] = field(repr=False)

    def told(self, j: int, bound: Bound) -> tuple[str, str, str]:
        codes, said = ([told[k] for told in self.others.values()] for k in (0, 1))
        arrays = (
            bound.array(self.others, "text"),
            bound.array(codes, "int8"),
            bound.array(said, "int8"),
        )
        rows = ", ".join(f"pg_catalog.unnest({array})" for array in arrays)
        code, complaint = (
            f"CASE WHEN src.x{j} IS NULL THEN {self.gap[k]} "
            f"ELSE COALESCE(d{j}.{name}, {self.usual[k]}) END"
            for k, name in enumerate("cm")
        )
        join = f"LEFT JOIN ROWS FROM ({rows}) AS d{j}(t, c, m) ON d{j}.t = src.x{j}"
        return code, complaint, join
