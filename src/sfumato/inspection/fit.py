"""NOT PRIVATE: how many values of a file do not fit a schema, exactly, column by column.

A release tells the same under noise, one complaint per record; its owner, who has the records,
may look.  The look is counted in the ledger, because a schema that is chosen by looking is chosen
with the records' help; and no value of a record is shown.  Where a person is the unit it is rows
that are counted here, all that there are, one by one.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.errors import BudgetError, DataError, LedgerError
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
from sfumato.table.type_check import check_types
from sfumato.table.value import text_of

__all__ = ["ColumnMisfit", "FileFit", "SchemaFit", "check", "fit_section"]

_BOTH = ("persons", "events")

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
    records: int = 0  # of its file


@dataclass(frozen=True, slots=True)
class FileFit:
    """A file: how many records it has, and how many of them fit in each of its columns."""

    name: str
    records: int
    fitting: int


@dataclass(frozen=True, slots=True)
class SchemaFit:
    """NOT PRIVATE: what a file holds that its schema does not have."""

    dataset: str
    files: tuple[FileFit, ...]  # one, or those of persons and events
    misfits: tuple[ColumnMisfit, ...]
    counted: bool = False
    blank: tuple[str, ...] = ()  # columns whose range or values the schema does not declare
    unit: str = "records"  # rows, where that is not what is protected

    @property
    def records(self) -> int:
        """How many there are, of all files."""
        return sum(file.records for file in self.files)

    @property
    def fitting(self) -> int:
        """Records that fit in every column of their file."""
        return sum(file.fitting for file in self.files)

    def __bool__(self) -> bool:
        return self.fitting == self.records

    def share(self, misfit: ColumnMisfit) -> float:
        """Of all records of its file."""
        return misfit.values / max(misfit.records, 1)


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
    to what it does declare: kind, formats, the other end.  Where it is of two files (`tables`),
    `data` is a dict of both, `persons` and `events`.

    >>> import pyarrow as pa
    >>> schema = {"name": "t", "columns": {"age": {"kind": "integer", "low": 0, "high": 110}}}
    >>> found = check(pa.table({"age": ["42", "45,5", "900"]}), schema=schema, uncounted=True)
    >>> [(misfit.complaint, misfit.values, misfit.hint) for misfit in found.misfits]
    [('unreadable', 1, 'looks like a decimal comma'), ('above', 1, '')]
    """
    declared = read_or_partial(schema)
    partial = declared if isinstance(declared, PartialSchema) else None
    domain = Domain.of(declared.template if isinstance(declared, PartialSchema) else declared)
    blank = () if partial is None else partial.categories
    files: list[tuple[str, Records | DeclaredOnly, Domain]] = []
    for name, given, own in _files(data, domain):
        source = opened(given, own)
        if own is domain:
            check_header(source, domain, blank=blank)
        else:
            check_types(source, own, blank)
        has_rows(source, 1)  # what cannot be read is not counted
        records = Records(source, own)
        held = records if partial is None else DeclaredOnly.of(records, own, partial)
        files.append((name, held, own))
    counted = _counted(domain.schema.name, ledger, uncounted=uncounted)
    exact = [_exact(*file) for file in files]
    return SchemaFit(
        domain.schema.name,
        tuple(file for file, _ in exact),
        tuple(misfit for _, misfits in exact for misfit in misfits),
        counted,
        () if partial is None else partial.bought,
        "records" if domain.schema.people is None else "rows",
    )


def _files(data: Any, domain: Domain) -> Iterator[tuple[str, Any, Domain]]:
    """Name, data and own columns of each file."""
    people = domain.schema.people
    both = isinstance(data, Mapping) and set(data) == set(_BOTH)
    if people is None or not people.linked:
        if both and not set(_BOTH) <= set(domain.schema.columns):  # else columns of one table
            raise DataError(
                "two tables were given, persons and events, and the schema is of one file: leave "
                "out that of persons (--persons)"
            )
        yield "data", data, domain
        return
    if not both:
        raise DataError(
            "the schema is of two files (tables): give that of persons as well, with --persons "
            'FILE; in Python, {"persons": …, "events": …} and nothing else'
        )
    for name, columns in zip(_BOTH, (people.per_person, people.per_row), strict=True):
        axes = tuple(axis for axis in domain.axes if axis.name in columns)
        yield name, data[name], Domain(domain.schema, axes)


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


def _exact(
    name: str, records: Records | DeclaredOnly, domain: Domain
) -> tuple[FileFit, tuple[ColumnMisfit, ...]]:
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
    misfits, bought = [], domain.schema.people is None
    for j, axis in enumerate(domain.axes):
        for complaint in (said for said in complaints_of(axis) if found[j, said]):
            looks = hint(complaint, axis, examples[j, complaint], torn[j, complaint])
            todo = _TO_DO.get(looks) or remedy(complaint.words, axis, bought=bought)
            values = int(found[j, complaint])
            misfits.append(ColumnMisfit(axis.name, complaint.words, values, todo, looks, total))
    return FileFit(name, total, fitting), tuple(misfits)


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
    file, misfits = _exact("data", Records(opened(original, domain), domain), domain)
    fit = SchemaFit(domain.schema.name, (file,), misfits)
    lines = [Line("records that fit", f"{fit.fitting / max(fit.records, 1):.1%}", "in all columns")]
    for one in misfits:
        told = f"{one.hint}; {one.remedy}" if one.hint else one.remedy
        lines.append(Line(f"{one.column}, {one.complaint}", f"{fit.share(one):.2%}", told))
    remark = (
        "Values that do not fit were cut to the range or replaced before anything was measured: "
        "all other figures are about values as they were read."
    )
    return Section("Fit", tuple(lines), remark if misfits else "")
