"""Other files than CSV and Parquet: no cell stops a release, and damage is refused in our words."""

import io
import json
import re
import zipfile
from importlib.util import find_spec
from pathlib import Path
from random import Random

import pandas as pd

from fuzz.changes import bytes_changed
from fuzz.judge import Trial
from fuzz.schemas import COLUMNS
from fuzz.tables import SECRETS, act_on, csv_of, odd_rows

__all__ = ["make"]

_UNWRITABLE = re.compile("[\x00-\x1f\ud800-\udfff\ufffe\uffff]")  # that a sheet cannot hold
_NEEDED = {"sheet": "openpyxl", "stata": "pyreadstat", "spss": "pyreadstat"}
_ENDINGS = {"lines": ".jsonl", "sheet": ".xlsx", "archive": ".zip", "stata": ".dta", "spss": ".sav"}


def make(rng: Random, folder: Path) -> Trial:
    """A file with odd cells, or a good one of which some bytes are others."""
    kinds = [kind for kind in _ENDINGS if find_spec(_NEEDED.get(kind, "json"))]
    kind, damaged = rng.choice(kinds), rng.random() < 0.5
    file = folder / f"people{_ENDINGS[kind]}"
    content = _written(rng, kind, folder)
    if damaged:
        content = bytes_changed(rng, content, 3)
    file.write_bytes(content)
    act, said = act_on(rng, file)
    # Without a header there is nothing to draft a schema from.
    private = not damaged and not (kind == "lines" and said == "draft")
    return Trial(act, f"{said}, {kind}: {content!r}", SECRETS, private)


def _written(rng: Random, kind: str, folder: Path) -> bytes:
    page, rows = io.BytesIO(), odd_rows(rng)
    if kind == "lines":
        return "".join(json.dumps(row) + "\n" for row in rows).encode()
    if kind == "sheet":
        import openpyxl

        book = openpyxl.Workbook()
        book.active.append(list(COLUMNS))
        for row in rows:
            book.active.append([_UNWRITABLE.sub("", row[name])[:100] or "-" for name in COLUMNS])
        book.save(page)
        return page.getvalue()
    if kind == "archive":
        with zipfile.ZipFile(page, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("people.csv", csv_of(rng))
        return page.getvalue()
    texts = [{n: _UNWRITABLE.sub("", text)[:50] for n, text in row.items()} for row in rows]
    import pyreadstat

    write = pyreadstat.write_dta if kind == "stata" else pyreadstat.write_sav
    write(pd.DataFrame(texts, columns=list(COLUMNS)), str(folder / "written"))
    return (folder / "written").read_bytes()
