"""What is typed or pasted into the studio, and drafts as they lie there: judged, or refused."""

import json
from pathlib import Path
from random import Random

from fuzz.changes import bytes_changed, nested_changed, words_changed
from fuzz.judge import Trial
from sfumato.errors import SchemaError
from sfumato.studio.codebook import code_book, take_over
from sfumato.studio.declaring import declared
from sfumato.studio.draft import Draft, TypedColumn

__all__ = ["make"]

_TYPED = (
    ("age", "integer", "0..110 by 5; scale: log"),
    ("weight", "number", '30..200 by 0.1; decimal: ","'),
    ("ward", "category", 'cardiology, "a;b", 07; other: elsewhere'),
    ("born", "date", "1900-01-01..2025-12-31 by month; written: %m/%Y"),
    ("smokes", "boolean", "yes: ja, j; no: nein; missing: NA"),
)
_BOOK = "name\twhat\tknown\tmissing\n" + "".join("\t".join(row) + "\n" for row in _TYPED)
_SCHEMA = """\
name: clinic
columns:
  age: {kind: integer, low: 0, high: 110, missing: allowed}
  ward: {kind: category, values: [a, b], other: none, aliases: {a: [x]}, role: label}
  born: {kind: date, low: 1900-01-01, high: 2025-12-31}
  smokes: {kind: boolean, true: [ja], false: [nein]}
file: {decimal: ","}
"""


def make(rng: Random, _folder: Path) -> Trial:
    """Fields of a page, a pasted code book, or a draft."""
    kind = rng.choice(("fields", "book", "draft"))
    draft = Draft("t", "t", "t.csv", [TypedColumn(*one) for one in _TYPED], predicts="ward")
    if kind == "fields":
        place = rng.randrange(len(_TYPED))
        column = draft.columns[place]
        column.facts = words_changed(rng, column.facts)
        return Trial(lambda: _judged(draft), f"fields: {column.facts!r}")
    if kind == "book":
        text = words_changed(rng, rng.choice((_BOOK, _SCHEMA)))
        return Trial(lambda: _taken(draft, text), f"book: {text!r}")
    good = json.loads(draft.to_json())
    if rng.random() < 0.5:
        text = json.dumps(nested_changed(rng, good), default=str)
    else:
        text = bytes_changed(rng, draft.to_json().encode()).decode("utf-8", "replace")
    return Trial(lambda: _judged(Draft.from_json("t", text)), f"draft: {text!r}")


def _taken(draft: Draft, text: str) -> None:
    take_over(draft, code_book(text, "pasted"))
    _judged(Draft.from_json("t", draft.to_json()))


def _judged(draft: Draft) -> None:
    """What is wrong is said beside the fields; here that counts as a refusal."""
    found = declared(draft)
    if found.schema is None:
        raise SchemaError("; ".join([*found.faults.values(), *found.whole]))
