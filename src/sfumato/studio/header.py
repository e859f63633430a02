"""The header of a file: names of columns, and nothing else; never shown where it may be a record.

>>> [looks_like_a_value(name) for name in ("age", "weight in kg", "31", "2024-05-01", "a@b.org")]
[False, False, True, True, True]
"""

import re
from dataclasses import dataclass
from pathlib import Path

from sfumato.errors import DataError
from sfumato.studio.words import several
from sfumato.table.draft import stored_kinds
from sfumato.table.file.opening import stem
from sfumato.untrusted.visible import visible

__all__ = ["MOST_COLUMNS", "Header", "looks_like_a_value", "read_header", "shown_name"]

MOST_COLUMNS = 500
_LONGEST = 60
_AS_UTF_8 = "save it as UTF-8 (in a spreadsheet: Save as, CSV UTF-8), into the same folder"
_VALUE = re.compile(
    r"""\s*(?:
        [-+]?[0-9][0-9.,' ]*(?:[eE][-+]?[0-9]+)?\s*[%€$]?   # a number
      | [0-9]{1,4}[-./][0-9]{1,2}[-./][0-9]{1,4}\b.*         # a date
      | [0-9]{1,2}:[0-9]{2}\b.*                              # a time
      | \S+@\S+\.\S+                                         # an e-mail address
    )\s*""",
    re.X | re.S,
)


@dataclass(frozen=True)
class Header:
    """Names of columns in their order, and the kinds that the file itself says it stores."""

    columns: dict[str, str | None]
    stem: str

    @property
    def doubtful(self) -> list[int]:
        """Positions, from 1 on, of names that look like values."""
        return [k for k, name in enumerate(self.columns, 1) if looks_like_a_value(name)]


def looks_like_a_value(name: str) -> bool:
    """Whether a name could be a value of a first record: a number, a day, an address, a text."""
    return len(name) > _LONGEST or _VALUE.fullmatch(name) is not None


def shown_name(name: str, place: int) -> str:
    """How a column is called on pages: by its position where the name may be a value."""
    return f"column {place + 1}" if looks_like_a_value(name) else visible(name)


def read_header(path: Path) -> Header:
    """The header of a file; no record is read."""
    try:
        found = stored_kinds(path)
    except DataError as refusal:
        # The folder is known; what is refused is said of the file's name alone.  Encodings are
        # declared to commands: here a file has to be UTF-8.
        said = str(refusal).replace(str(path), path.name)
        said = re.sub(r": declare .* or save it as UTF-8", f": {_AS_UTF_8}", said)
        raise DataError(said) from None
    if len(found) > MOST_COLUMNS:
        raise DataError(
            f"{path.name} has {several(len(found), 'column')}; the studio shows at most "
            f"{MOST_COLUMNS}. Write its schema with `sfumato schema draft`, or keep only the "
            "columns that are to be published"
        )
    return Header(found, stem(path)[:200])
