"""NOT PRIVATE: how many values of a file do not fit a schema, exactly, column by column.

A release tells the same under noise, one complaint per record; its owner, who has the records,
may look.  The look is counted in the ledger, because a schema that is chosen by looking is chosen
with the records' help; and no value of a record is shown.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.errors import BudgetError, LedgerError, SchemaError
from sfumato.inspection.fit_hint import MOST_VALUES, NO_TEXT, TORN_LINES, hint
from sfumato.inspection.partial_fit import DeclaredOnly
from sfumato.inspection.section import Line, Section
from sfumato.inspection.utility import AnySchema, has_rows, opened
from sfumato.ledger import Ledger
from sfumato.publishing.misfit_words import QUOTE_THEM, WRITE_OBJECTS, remedy
from sfumato.schema.blank import read_or_partial
from sfumato.schema.domain import Domain
from sfumato.schema.partial import PartialSchema
from sfumato.table.complaint import TORN, Complaint
from sfumato.table.first_complaint import complaints_of
from sfumato.table.header import check_header
from sfumato.table.records import Records
from sfumato.table.stored import distinct, plain
from sfumato.table.value import text_of

__all__ = ["ColumnMisfit", "SchemaFit", "check", "fit_section"]

# Where a hint tells more of what to do than the complaint.
_TO_DO = {TORN_LINES: QUOTE_THEM, NO_TEXT: WRITE_OBJECTS}


@dataclass(frozen=True, slots=True)
class ColumnMisfit:
    """Values of one column with one complaint: how many, what to do, and what they look like."""

    column: str
    complaint: str
    values: int
    remedy: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class SchemaFit:
    """NOT PRIVATE: what a file holds that its schema does not have."""

    dataset: str
    records: int
    fitting: int  # records that fit in every column
    misfits: tuple[ColumnMisfit, ...]
    counted: bool = False
    blank: tuple[str, ...] = ()  # columns whose range or values the schema does not declare

    def __bool__(self) -> bool:
        return self.fitting == self.records

    def share(self, misfit: ColumnMisfit) -> float:
        """Of all records."""
        return misfit.values / max(self.records, 1)


def check(
    data: Any,
    *,
    schema: AnySchema,
    ledger: Ledger | None = None,
    uncounted: bool = False,
) -> SchemaFit:
    """NOT PRIVATE: what does not fit, in every column, without noise; true where all fits.

    A `ledger` counts the look under the data set of the schema, before a record is read; or
    say `uncounted`.  Where the schema leaves a range or values blank, to be bought, values are held
    to what it does declare: kind, formats, the other end.

    >>> import pyarrow as pa
    >>> schema = {"name": "t", "columns": {"age": {"kind": "integer", "low": 0, "high": 110}}}
    >>> found = check(pa.table({"age": ["42", "45,5", "900"]}), schema=schema, uncounted=True)
    >>> [(misfit.complaint, misfit.values, misfit.hint) for misfit in found.misfits]
    [('unreadable', 1, 'looks like a decimal comma'), ('above', 1, '')]
    """
    declared = read_or_partial(schema)
    partial = declared if isinstance(declared, PartialSchema) else None
    domain = Domain.of(declared.template if isinstance(declared, PartialSchema) else declared)
    if domain.schema.tables is not None:
        raise SchemaError(
            "one file is looked at, and the schema is of two (tables): check persons and events "
            "each with a schema of their own columns"
        )
    source = opened(data, domain)
    check_header(source, domain, blank=() if partial is None else partial.categories)
    has_rows(source, 1)  # what cannot be read is not counted
    counted = _counted(domain.schema.name, ledger, uncounted=uncounted)
    records = Records(source, domain)
    if partial is None:
        return _exact(records, domain, counted=counted)
    found = _exact(DeclaredOnly.of(records, domain, partial), domain, counted=counted)
    return replace(found, blank=partial.bought)


def _counted(dataset: str, ledger: Ledger | None, *, uncounted: bool) -> bool:
    if uncounted:
        return False
    if ledger is None:
        raise LedgerError(
            "a look at the records is counted where their budget is kept: give the ledger "
            "(--ledger FILE), or say --uncounted"
        )
    try:
        ledger.inspect(dataset, what="check of the fit")
    except BudgetError as error:
        raise BudgetError(f"{error}, or say --uncounted") from None
    return True


def _exact(records: Records | DeclaredOnly, domain: Domain, *, counted: bool = False) -> SchemaFit:
    total = fitting = 0
    found = np.zeros((len(domain.axes), max(Complaint) + 1), np.int64)
    examples: defaultdict[tuple[int, Complaint], list[str | None]] = defaultdict(list)
    torn: Counter[tuple[int, Complaint]] = Counter()
    for batch, said in records.with_complaints():
        total += len(said)
        fitting += int((said == Complaint.FITS).all(axis=1).sum())
        for j, axis in enumerate(domain.axes):
            found[j] += np.bincount(said[:, j], minlength=found.shape[1])
            for complaint in complaints_of(axis):
                few = examples[j, complaint]
                here = np.flatnonzero(said[:, j] == complaint)[: MOST_VALUES - len(few)]
                few += _texts(batch.column(axis.name), here)
                if complaint is Complaint.UNREADABLE and batch.schema.metadata == TORN:
                    torn[j, complaint] += batch.column(axis.name).take(here).null_count
    misfits = []
    for j, axis in enumerate(domain.axes):
        for complaint in (said for said in complaints_of(axis) if found[j, said]):
            looks = hint(complaint, axis, examples[j, complaint], torn[j, complaint])
            todo = _TO_DO.get(looks) or remedy(complaint.words, axis)
            values = int(found[j, complaint])
            misfits.append(ColumnMisfit(axis.name, complaint.words, values, todo, looks))
    return SchemaFit(domain.schema.name, total, fitting, tuple(misfits), counted)


def _texts(column: pa.Array, places: NDArray[np.integer]) -> list[str | None]:
    """Some values as texts; None for what is missing."""
    if pa.types.is_dictionary(column.type):
        found, values = distinct(column)
        return _texts(values, found[places])
    stored = plain(column).take(places)
    if pa.types.is_large_string(stored.type):
        stored = stored.cast(pa.large_binary())
    elif pa.types.is_temporal(stored.type):
        # Their numbers tell them apart as well, and Python has no years beyond 9999.
        stored = stored.cast(pa.int32() if pa.types.is_date32(stored.type) else pa.int64())
    return [text_of(value) for value in stored.to_pylist()]


def fit_section(original: Any, domain: Domain) -> Section:
    """NOT PRIVATE: the same, as a part of a page for the owner's eyes."""
    fit = _exact(Records(opened(original, domain), domain), domain)
    lines = [Line("records that fit", f"{fit.fitting / max(fit.records, 1):.1%}", "in all columns")]
    for one in fit.misfits:
        told = f"{one.hint}; {one.remedy}" if one.hint else one.remedy
        lines.append(Line(f"{one.column}, {one.complaint}", f"{fit.share(one):.2%}", told))
    remark = (
        "Values that do not fit were cut to the range or replaced before anything was measured: "
        "all other figures are about values as they were read."
    )
    return Section("Fit", tuple(lines), remark if fit.misfits else "")
