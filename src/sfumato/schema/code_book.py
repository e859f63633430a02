"""Public code books: lists of codes that a category may take its values from.

Only codes are kept here, no titles: facts that anybody may use.  ISO allows the free use of its
country codes, in programs as well; those below are from the public-domain table of the time-zone
database.  NACE is law of the European Union (Regulation (EC) 1893/2006, amended by 2023/137),
whose texts may be reused.  The chapters of ICD-10 are their numerals: the titles, on which the
World Health Organization holds rights, are left out.

A column that names a book becomes a plain category with every value written out, so that no
certificate needs a book to be read.

>>> book("nace-2").values[:3], book("iso-3166").source
(('A', 'B', 'C'), 'ISO 3166-1 alpha-2 country codes, as of 2023-04')
"""

import csv
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from sfumato.untrusted.plain_file import content

__all__ = ["BOOKS", "CodeBook", "book"]

_LARGEST = 2**22  # bytes of a file
_MOST = 10_000  # codes, as many as a category may list
_COUNTRIES = """
AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ
BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM
DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS
GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN
KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ
MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM
PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV
SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI
VN VU WF WS YE YT ZA ZM ZW
"""
_CHAPTERS = "I II III IV V VI VII VIII IX X XI XII XIII XIV XV XVI XVII XVIII XIX XX XXI XXII"


class CodeBook(NamedTuple):
    """Codes in their order, and where they are from."""

    values: tuple[str, ...]
    source: str


BOOKS = {
    "iso-3166": CodeBook(
        tuple(_COUNTRIES.split()), "ISO 3166-1 alpha-2 country codes, as of 2023-04"
    ),
    "icd-10-chapters": CodeBook(tuple(_CHAPTERS.split()), "ICD-10, numerals of its 22 chapters"),
    "nace-2": CodeBook(tuple("ABCDEFGHIJKLMNOPQRSTU"), "NACE Rev. 2, letters of its 21 sections"),
    "nace-2.1": CodeBook(
        tuple("ABCDEFGHIJKLMNOPQRSTUV"), "NACE Rev. 2.1, letters of its 22 sections"
    ),
}


def book(name: str, folder: Path | None = None) -> CodeBook:
    """A bundled book, or the codes of a CSV file in `folder` that its owner calls public.

    Refused, with a `ValueError`: a name that is neither, and a file outside of the folder, also by
    a link.
    """
    if name in BOOKS:
        return BOOKS[name]
    bundled = f"the bundled ones are {', '.join(BOOKS)}"
    if not name.endswith(".csv"):
        raise ValueError(f"there is no code book {name}: {bundled}; or name a public .csv file")
    if folder is None:
        raise ValueError(
            f"the code book {name} is a file, which is looked for beside a schema file only: "
            "save the schema, or list the values"
        )
    path = PurePosixPath(name)
    outside = path.is_absolute() or "\\" in name or ".." in path.parts
    if outside or not (folder / path).parent.resolve().is_relative_to(folder.resolve()):
        raise ValueError(f"the code book {name} must lie beside the schema: copy it there")
    return _of_file(folder / path, name)


def _of_file(path: Path, name: str) -> CodeBook:
    try:
        raw = content(path, _LARGEST)
        text = raw.decode("utf-8-sig")
        rows = list(csv.reader(text.splitlines(), strict=True))
    except OSError as error:
        raise ValueError(f"the code book {name} cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, csv.Error):
        raise ValueError(f"the code book {name} cannot be read: it is not CSV in UTF-8") from None
    header = [cell.strip().lower() for cell in rows[0]] if rows else []
    at = header.index("code") if "code" in header else 0
    codes = tuple(row[at].strip() for row in rows[1:] if len(row) > at and row[at].strip())
    if not codes:
        raise ValueError(
            f"the code book {name} has no codes: the first line names the columns, and the codes "
            "stand in the one called code, or else in the first"
        )
    if len(codes) > _MOST:
        raise ValueError(f"the code book {name} has more than {_MOST:,} codes: use a coarser level")
    return CodeBook(codes, f"code book {path.name}, SHA-256 {sha256(raw).hexdigest()}")
