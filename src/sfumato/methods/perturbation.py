"""Plans for perturbations without a proof: a row per record, numbers changed, label kept.

Every number, integer or date is read as its place in its public range, from -½ to ½, so
that no column counts more for its unit; the perturbation works on that matrix, and the
result is written back in the schema's units (dates as days since 1970-01-01).
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.random import Generator

from sfumato.errors import SchemaError
from sfumato.methods.row_per_record import check_neighbours
from sfumato.numeric.arrays import Codes, Matrix
from sfumato.perturb.randomness import generator
from sfumato.plan import ContractCase, Plan
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import Heuristic
from sfumato.privacy.mechanism import Event, Purse
from sfumato.render.decode import BATCH_ROWS, Decoder
from sfumato.schema.domain import Domain, Grid
from sfumato.table.records import Records

__all__ = ["PROMISE", "PROOF", "Numbers", "Perturbed", "numbers_alone", "perturbation_plan"]

PROOF = "proofs/perturbation.md"
PROMISE = "nothing: there is no proof"

_SECONDS_PER_DAY = 86_400
_OUTSIDE = "Values may lie outside the range of their column."
_DATES = "Dates are days since 1970-01-01, as decimal numbers."


@dataclass(frozen=True)
class Perturbed:
    """NOT PRIVATE: the changed matrix, and what a reader needs to know about the change."""

    matrix: Matrix
    facts: Mapping[str, Any] | None = None
    labels: pa.ChunkedArray | None = None

    def to_json(self) -> dict[str, Any] | None:
        """The facts, where there are any."""
        return None if self.facts is None else dict(self.facts)


@dataclass(frozen=True)
class Numbers:
    """The columns of a schema that a perturbation changes, and the label beside them."""

    domain: Domain

    @classmethod
    def of(cls, method: str, domain: Domain) -> "Numbers":
        """Refused where a column is neither a number nor the label, or may be missing."""
        check_neighbours(method, domain)
        for position, axis in enumerate(domain.axes):
            if isinstance(axis, Grid):
                if axis.missing:
                    raise SchemaError(
                        f"column {axis.name}: {method} cannot change a value that is missing: "
                        "without missing: allowed it is put at the middle of its range"
                    )
            elif position != domain.label:
                raise SchemaError(
                    f"column {axis.name}: {method} changes numbers and dates only: declare "
                    "kind: id to leave it out, or role: label to keep it as it is"
                )
        numbers = cls(domain)
        if not numbers.names:
            raise SchemaError(f"{method} needs at least one number, integer or date column")
        return numbers

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The columns that are changed."""
        return tuple(axis.name for axis in self.domain.axes if isinstance(axis, Grid))

    @cached_property
    def label(self) -> pa.Field | None:
        """The label as it is written: whole numbers where all its values are, else text."""
        if self.domain.label is None:
            return None
        axis = self.domain.axes[self.domain.label]
        kind = self._decoder.schema.field(axis.name).type
        text = axis.missing or not pa.types.is_integer(kind)
        return pa.field(axis.name, pa.string() if text else kind, nullable=False)

    @cached_property
    def columns(self) -> pa.Schema:
        """Names and types of the released table, in the order of the schema."""
        number = {name: pa.field(name, pa.float64(), nullable=False) for name in self.names}
        return pa.schema([number.get(axis.name, self.label) for axis in self.domain.axes])

    @cached_property
    def bounds(self) -> tuple[Matrix, Matrix]:
        """The lowest and the highest value of each column, in the schema's units."""
        ends = [[0, axis.points] if isinstance(axis, Grid) else [0, 0] for axis in self.domain.axes]
        low, high = self._units(self._decoder.batch(np.array(ends, np.int32).T))
        return low, high

    def read(self, records: Records) -> tuple[Matrix, pa.ChunkedArray | None]:
        """NOT PRIVATE: all records as shares of their ranges about the middle, and labels."""
        low, high = self.bounds

        def part(codes: Codes) -> tuple[Matrix, pa.Array | None]:
            batch = self._decoder.batch(codes)
            Z = self._units(batch)
            Z -= (low + high) / 2
            Z /= high - low
            return Z, None if self.label is None else _labels(batch, self.label)

        matrices, labels = zip(*map(part, records.parts()), strict=True)
        kept = None if self.label is None else pa.chunked_array(labels, self.label.type)
        return np.concatenate(matrices), kept

    def restored(self, Z: Matrix) -> Matrix:
        """Shares of the ranges as values in the schema's units."""
        low, high = self.bounds
        values: Matrix = Z * (high - low)
        values += (low + high) / 2
        return values

    @cached_property
    def _decoder(self) -> Decoder:
        return Decoder(self.domain)

    def _units(self, batch: pa.RecordBatch) -> Matrix:
        return np.column_stack([_floats(batch.column(name)) for name in self.names])


def perturbation_plan(
    method: str,
    domain: Domain,
    budget: Budget | None,
    *,
    reason: str,
    change: Callable[[Matrix, Generator], Perturbed],
    options: dict[str, Any],
    components: pa.Schema | None = None,
) -> Plan:
    """A plan that shows the records changed; `components` are columns of the change's own."""
    numbers, unproved = Numbers.of(method, domain), Heuristic(reason)
    event = Event("records", "perturbation", None, None, unproved)
    columns = components or numbers.columns

    def measure(records: Records, purse: Purse) -> Perturbed:
        bits = purse.spend(event)
        Z, labels = numbers.read(records)
        # Drawn from even where nothing is random, so that the ledger knows of the release.
        found = change(Z, generator(bits))
        matrix = found.matrix if components else numbers.restored(found.matrix)
        return Perturbed(matrix, found.facts, labels)

    def render(found: Perturbed, *_: object) -> Iterator[pa.RecordBatch]:
        label = None if numbers.label is None else numbers.label.name
        for start in range(0, len(found.matrix), BATCH_ROWS):
            values = iter(found.matrix[start : start + BATCH_ROWS].T)
            arrays = [
                found.labels.slice(start, BATCH_ROWS).combine_chunks()
                if found.labels is not None and field.name == label
                else pa.array(next(values))
                for field in columns
            ]
            yield pa.RecordBatch.from_arrays(arrays, schema=columns)

    dates = any(axis.column.kind == "date" for axis in domain.axes)
    shown = ("the number of records", "the order of the records")
    return Plan(
        method=method,
        domain=domain,
        budget=budget,
        events=(event,),
        measure=measure,
        render=render,
        options=options,
        row="record",
        columns=columns,
        unproved=unproved,
        invariants=(*shown, "the label of every record") if numbers.label else shown,
        limits=() if components else (_OUTSIDE, *((_DATES,) if dates else ())),
    )


def _floats(column: pa.Array) -> Matrix:
    if pa.types.is_timestamp(column.type):
        return np.asarray(column.cast(pa.int64())) / _SECONDS_PER_DAY
    if pa.types.is_date(column.type):
        column = column.cast(pa.int32())
    return np.asarray(column.cast(pa.float64()))


def _labels(batch: pa.RecordBatch, label: pa.Field) -> pa.Array:
    values = batch.column(label.name).cast(label.type)
    return values.fill_null("(missing)") if values.null_count else values


def numbers_alone(*, random: bool = True, **options: Any) -> tuple[ContractCase, ...]:
    """The contract of a change of numbers without a proof; not all of them draw noise."""
    return (
        ContractCase(options=options, frozen=False, promised=False, numbers=True, random=random),
    )
