"""Files of Stata, SAS and SPSS, some rows at a time.

Their headers declare names, types, formats and value labels, which are public.  Values are read as
they are stored, as codes; with `labels` those of columns that have labels are read as these, and
codes without one as themselves.  Values that a file declares missing are missing.

Texts are taken out byte by byte and decoded here, since the reader stops at bytes that are not of
the file's encoding.  Dates are counted from a day and in a unit that the format of the column
tells; those beyond the years 1 to 9999 become the nearest of them.
"""

import codecs
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.errors import MissingExtra
from sfumato.table.file.batch import BATCH_ROWS
from sfumato.table.value import text_among_texts

__all__ = ["StatisticalFile"]

_RAW = "LATIN1"  # in which every byte is a letter
_DAY, _SECOND, _MILLISECOND = 86_400_000, 1000, 1  # in thousandths of a second
_SAS_DATES = re.compile(r"(WEEKDATE|WEEKDATX|WORDDAT|DATE|[DM]{2}[DM]{2}YY|YYMMDD|[EIB]S?8601DA)")
_SAS_MOMENTS = re.compile(r"(DATETIME|DTDATE|DATEAMPM|MDYAMPM|[EIB]S?8601D[TN])")
_SPSS_DATES = re.compile(r"(A|E|J|S)?DATE(TIME)?[0-9.]*|YMDHMS[0-9.]*")
_CALENDAR = np.array(["0001-01-01T00:00:00", "9999-12-31T23:59:59"], "datetime64[s]")
_1960, _1582 = (np.datetime64(day, "s").astype(np.int64) for day in ("1960-01-01", "1582-10-14"))


@dataclass(frozen=True)
class StatisticalFile:
    """A .dta, .sas7bdat, .xpt, .sav or .zsav file."""

    path: Path
    names: tuple[str, ...]
    types: dict[str, pa.DataType] = field(repr=False)
    encoding: str
    stored: Mapping[str, str] = field(repr=False)  # the name as its bytes read
    dates: Mapping[str, tuple[int, int]] = field(repr=False)  # where they count from, and in what
    labels: Mapping[str, Mapping[Any, str]] = field(repr=False)  # that are read
    rows: int | None
    kind: Literal["statistical"] = "statistical"

    @classmethod
    def open(cls, path: Path, *, labels: bool) -> "StatisticalFile":
        """Read the header, and nothing else."""
        _, stated = _read(path, metadataonly=True, encoding=None)
        _, raw = _read(path, metadataonly=True)
        encoding = _encoding(path, stated.file_encoding)
        stored = {_decoded(name, encoding) or name: name for name in raw.column_names}
        found = {
            name: {code: _decoded(label, encoding) or label for code, label in given.items()}
            for name, column in stored.items()
            if labels and (given := raw.variable_value_labels.get(column))
        }
        kinds, formats = raw.readstat_variable_types, raw.original_variable_types
        dates = {
            name: date
            for name, column in stored.items()
            if name not in found and (date := _date(path, kinds[column], formats[column] or ""))
        }
        types = {name: _type(kinds[column]) for name, column in stored.items()}
        types |= dict.fromkeys(dates, pa.timestamp("s")) | dict.fromkeys(found, pa.large_string())
        rows = raw.number_rows
        known = rows if isinstance(rows, int) and rows >= 0 else None
        return cls(path, tuple(stored), types, encoding, stored, dates, found, known)

    def batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """All records, by the types that the header declares."""
        done, wanted = 0, [self.stored[name] for name in columns]
        while self.rows is None or done < self.rows:
            values, _ = _read(self.path, usecols=wanted, row_offset=done, row_limit=BATCH_ROWS)
            found = [self._column(name, values[self.stored[name]]) for name in columns]
            batch = pa.RecordBatch.from_arrays(found, list(columns))
            if not batch.num_rows:
                return
            yield batch
            done += batch.num_rows

    def _column(self, name: str, values: list[Any]) -> pa.Array:
        kind = self.types[name]
        if name in self.labels:
            labels = self.labels[name]
            return pa.array([_labelled(value, labels, self.encoding) for value in values], kind)
        if pa.types.is_large_string(kind):
            return pa.array([_decoded(value, self.encoding) for value in values], kind)
        numbers = np.array([_number(value) for value in values], np.float64)
        if name in self.dates:
            return pa.array(_moments(numbers, *self.dates[name]))
        return pa.array(numbers, from_pandas=True).cast(kind, safe=False)

    def has_rows(self, count: int) -> bool:
        """Whether there are so many, by the header; where it is silent, by reading them."""
        if self.rows is not None:
            return self.rows >= count
        values, _ = _read(self.path, row_limit=max(count, 1))
        return len(next(iter(values.values()), [])) >= count


def _read(path: Path, *, encoding: str | None = _RAW, **options: Any) -> tuple[Any, Any]:
    try:
        import pyreadstat
    except ImportError:
        raise MissingExtra(
            f"{path.suffix} files need pyreadstat: pip install 'sfumato[stat]', or save as CSV"
        ) from None
    readers: dict[str, Any] = {
        ".dta": pyreadstat.read_dta,
        ".xpt": pyreadstat.read_xport,
        ".sas7bdat": pyreadstat.read_sas7bdat,
    }
    read = readers.get(path.suffix.lower(), pyreadstat.read_sav)
    found: tuple[Any, Any] = read(
        str(path),
        encoding=encoding,
        disable_datetime_conversion=True,  # it raises for dates beyond the calendar
        output_format="dict",
        **options,
    )
    return found


def _encoding(path: Path, stated: str | None) -> str:
    """What the file states; of Stata's what its release implies; else UTF-8."""
    if path.suffix.lower() == ".dta":
        with path.open("rb") as file:
            release = re.match(rb"<stata_dta><header><release>(\d+)", file.read(40))
        return "utf-8" if release and int(release[1]) >= 118 else "cp1252"
    try:
        return codecs.lookup(stated or "utf-8").name
    except LookupError:
        return "utf-8"


def _type(kind: str) -> pa.DataType:
    if "string" in kind:
        return pa.large_string()
    return pa.int64() if "int" in kind else pa.float64()


def _date(path: Path, kind: str, format: str) -> tuple[int, int] | None:
    """From which second, counted from 1970, and in which unit the dates of a column count."""
    if "string" in kind:
        return None
    if path.suffix.lower() == ".dta":
        format = format.replace("-", "", 1)
        if format.startswith(("%td", "%d")):
            return int(_1960), _DAY
        return (int(_1960), _MILLISECOND) if format.startswith(("%tc", "%tC")) else None
    if path.suffix.lower() in (".sav", ".zsav"):
        return (int(_1582), _SECOND) if _SPSS_DATES.fullmatch(format) else None
    if _SAS_MOMENTS.match(format):
        return int(_1960), _SECOND
    return (int(_1960), _DAY) if _SAS_DATES.match(format) else None


def _decoded(text: object, encoding: str) -> str | None:
    """A text; a number among texts stays one."""
    if isinstance(text, str):
        return text.encode(_RAW).decode(encoding, "replace")
    return text_among_texts(text)


def _labelled(value: Any, labels: Mapping[Any, str], encoding: str) -> str | None:
    return labels[value] if value in labels else _decoded(value, encoding)


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else float("nan")


def _moments(numbers: NDArray[np.float64], origin: int, unit: int) -> NDArray[np.datetime64]:
    low, high = _CALENDAR.astype(np.int64)
    with np.errstate(invalid="ignore", over="ignore"):
        seconds = np.clip(np.floor(numbers * unit / 1000) + origin, low, high)
    missing = np.isnan(seconds)
    moments: NDArray[np.datetime64]
    moments = np.where(missing, 0, seconds).astype(np.int64).astype("datetime64[s]")
    moments[missing] = np.datetime64("NaT")
    return moments
