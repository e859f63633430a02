"""What a header must be like for a schema; no record is looked at.

What a frame or file declares is public, so a column stored as something that the schema cannot
mean is refused before anything is charged, with the way out.
"""

from collections.abc import Collection, Sequence

from sfumato.errors import DataError
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.table.source import Source, told
from sfumato.table.text import TextFile
from sfumato.table.type_check import check_types
from sfumato.untrusted.misspelt import did_you_mean

__all__ = ["check_columns", "check_header", "check_names", "fewest_records"]


def check_header(
    source: Source, domain: Domain, *, alone: bool = False, blank: Collection[str] = ()
) -> None:
    """Refuse a table whose header does not fit the schema; looks at no record.

    `alone`: each record is published by itself, so that there may be a single one.
    `blank`: categories whose values nobody declared, with others in their place.
    """
    check_columns(source, domain, blank=blank)
    if least := fewest_records(domain.schema, alone=alone):
        if not told(lambda: source.has_rows(least)):
            few = "no record" if alone else "fewer than two records: at least two are needed"
            raise DataError(f"the data has {few}")
        if isinstance(source, TextFile) and not told(source.is_terminated):
            raise DataError(
                f"{source.path} does not end with a line break, so that an empty last record could "
                "not be told from none: add a line break at its end"
            )


def fewest_records(schema: Schema, *, alone: bool = False) -> int:
    """Fewer are not published; under add-remove their number is private, so even none is."""
    if schema.neighbours != "replace-one":
        return 0
    return 1 if alone else 2


def check_columns(
    source: Source, domain: Domain, *, ids: Sequence[str] = (), blank: Collection[str] = ()
) -> None:
    """Refuse columns that are not those of the domain, and of these ids, or are stored otherwise.

    Nothing here depends on how many records there are.
    """
    check_names(source.names, [*ids, *(axis.name for axis in domain.axes)])
    extra = [name for name in source.names if name not in domain.schema.columns]
    if extra:
        raise DataError(
            f"column {', '.join(extra)} is not in the schema: declare it (kind: id is never "
            "read) or drop it"
        )
    check_types(source, domain, blank)


def check_names(names: Sequence[str], needed: Sequence[str]) -> None:
    """Refuse a header that lacks one of these columns; near spellings are pointed out.

    >>> check_names(["Age", "sex"], ["age", "sex"])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    sfumato.errors.DataError: column age (did you mean Age?) of the schema is not in the data: ...
    """
    spare = [name for name in names if name not in needed]
    absent = [f"{name}{did_you_mean(name, spare)}" for name in needed if name not in names]
    if absent:
        which, are = ("column", "is") if len(absent) == 1 else ("columns", "are")
        listed = ", ".join(absent)
        raise DataError(f"{which} {listed} of the schema {are} not in the data: check names")
