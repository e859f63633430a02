"""The rows of a workbook's sheets, each cell read as text by itself.

openpyxl reads what a workbook says about its sheets, texts and styles.  The cells are taken off
the sheet here: openpyxl would stop where the sheet says that its rows end, keep an empty shell of
each row, and raise for a cell that is not what it says it is.
"""

import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, time
from functools import cache
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from sfumato.errors import MissingExtra
from sfumato.table.value import STORED, text_among_texts

__all__ = ["Workbook", "opened_workbook"]

_SPACE = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_DATA, _ROW, _VALUE, _INLINE, _TEXT = (_SPACE + tag for tag in ("sheetData", "row", "v", "is", "t"))
_MOST_COLUMNS = 16_384  # that a sheet can have
_LETTERS = re.compile(r"[A-Z]{1,3}")
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")  # what XML cannot hold, as the return _x000D_
_MIDNIGHT = time(0)


@dataclass(frozen=True)
class Workbook:
    """An open workbook: its sheets by title, and what its cells refer to."""

    archive: ZipFile = field(repr=False)
    sheets: Mapping[str, str]
    texts: Sequence[str] = field(repr=False)
    epoch: datetime
    dates: frozenset[str]  # styles under which a number is shown as a date

    def rows(self, title: str) -> Iterator[list[str | None]]:
        """NOT PRIVATE: the rows that a sheet lists, as trimmed texts; None where there is none."""
        from openpyxl.xml.functions import iterparse

        with self.archive.open(self.sheets[title]) as sheet:
            listed = None
            for event, element in iterparse(sheet, events=("start", "end")):
                if event == "start":
                    listed = element if element.tag == _DATA else listed
                elif element.tag == _ROW:
                    yield self._row(element)
                    if listed is not None:
                        listed.clear()
                elif element.tag == _DATA:
                    return

    def _row(self, cells: Any) -> list[str | None]:
        row: list[str | None] = []
        for cell in cells:
            letters = _LETTERS.match(cell.get("r", ""))
            place = _place(letters[0]) if letters else len(row)
            if place < _MOST_COLUMNS:
                row += [None] * (place + 1 - len(row))
                row[place] = self._text(cell)
        return row

    def _text(self, cell: Any) -> str | None:
        try:
            found = self._value(cell)
        except Exception:  # a cell that is not what it says it is
            return None
        if isinstance(found, str):
            found = _ESCAPED.sub(_character, found)
        text = text_among_texts(found) or ""
        mark = STORED if text.startswith(STORED) else ""
        return mark + text.strip() if text.strip() else None

    def _value(self, cell: Any) -> object:
        kind, value = cell.get("t", "n"), cell.findtext(_VALUE)
        if kind == "inlineStr":
            return _plain(cell.find(_INLINE))
        if value is None or kind == "e":
            return None
        if kind == "s":
            return self.texts[int(value)]
        if kind == "b":
            return bool(int(value))
        if kind != "n":
            return value
        if cell.get("s") in self.dates:
            return self._date(float(value))
        return value if value.isdigit() else float(value)

    def _date(self, serial: float) -> object:
        """The moment; without its time of day where that is midnight."""
        from openpyxl.utils.datetime import from_excel

        moment = from_excel(serial, self.epoch)
        midnight = isinstance(moment, datetime) and moment.time() == _MIDNIGHT
        return moment.date() if midnight else moment


def _character(code: re.Match[str]) -> str:
    """What an escape stands for; half a character as one that cannot be read."""
    return chr(int(code[1], 16)).encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def _plain(text: Any) -> str:
    """A text that the cell holds itself, without its fonts."""
    from openpyxl.cell.text import Text

    whole = text.findtext(_TEXT)
    return whole if whole is not None else str(Text.from_tree(text).content)


@contextmanager
def opened_workbook(path: Path) -> Iterator[Workbook]:
    """NOT PRIVATE: a workbook, without its sheets having been read."""
    try:
        from openpyxl.reader.excel import ExcelReader
        from openpyxl.styles.stylesheet import apply_stylesheet
    except ImportError:
        raise MissingExtra(
            "Excel workbooks need openpyxl: pip install 'sfumato[excel]', or save the sheet as CSV"
        ) from None
    with path.open("rb") as file:
        reader = ExcelReader(file, read_only=True, data_only=True, keep_links=False)
        with reader.archive as archive:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about styles that are not known
                reader.read_manifest()
                reader.read_strings()
                reader.read_workbook()
                apply_stylesheet(archive, reader.wb)
            sheets = {
                sheet.name: part.target
                for sheet, part in reader.parser.find_sheets()
                if "chartsheet" not in part.Type
            }
            # Spans of time stay numbers: of days.
            dates = set(reader.wb._date_formats) - set(reader.wb._timedelta_formats)
            styles = frozenset(str(style) for style in dates)
            yield Workbook(archive, sheets, reader.shared_strings, reader.wb.epoch, styles)


@cache
def _place(letters: str) -> int:
    """Of a column: 0 for A, 26 for AA."""
    place = 0
    for letter in letters:
        place = 26 * place + ord(letter) - ord("A") + 1
    return place - 1
