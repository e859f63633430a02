"""One line of text for what is known of a column, and back.

    0..110                                 a whole number
    30..200 by 0.1                         a number
    cardiology, surgery; other: elsewhere  one of a list; what is not in it becomes elsewhere
    2024-01-01..2025-12-31 by month        a date
    yes: ja; no: nein                      how the file writes yes and no

>>> read_facts("number", "30..200 by 0.1")
{'low': 30, 'high': 200, 'step': 0.1}
>>> text = written_facts("category", {"values": ["a,b", "c"], "other": False})
>>> text, read_facts("category", text)
('"a,b", c; other: none', {'values': ['a,b', 'c'], 'other': 'none'})
"""

import re
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

from sfumato.errors import ParameterError

__all__ = ["EXAMPLES", "read_facts", "written_facts"]

EXAMPLES = {
    "integer": "0..110",
    "number": "30..200 by 0.1",
    "category": "cardiology, surgery; other: elsewhere",
    "date": "2024-01-01..2025-12-31",
}
_WHOLE = re.compile(r"[-+]?[0-9]{1,18}")
_NUMBER = re.compile(r"[-+]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][-+]?[0-9]{1,3})?")
_RANGE = re.compile(
    r"(?P<low>.+?)\s*(?:\.\.+|…|\s+to\s+|\s+-\s+)\s*(?P<high>.+?)(?:\s+by\s+(?P<step>.+))?"
)
_PIECE = re.compile(r'"(?:[^"]|"")*"|[^",;]+|[,;]')
_WORDS = {"yes": "true", "no": "false", "missing": "missing_words", "written": "format"}
_SPOKEN = {fact: word for word, fact in _WORDS.items()}
_LISTS = ("true", "false", "missing_words")
_ALLOWED = {
    "integer": ("scale", "thousands", "percent", "missing_words", "increasing"),
    "number": ("scale", "decimal", "thousands", "percent", "missing_words", "increasing"),
    "date": ("format", "missing_words", "increasing"),
    "category": ("other", "book", "missing_words"),
    "boolean": ("true", "false", "missing_words"),
}
_MARKS = {"comma": ",", "point": ".", "space": " ", "apostrophe": "'"}
_MARK = re.compile(r"((?:^|;)\s*(?:decimal|thousands)\s*:\s*),(?=\s*(?:;|$))", re.I)
_OF_FILE = "how the file writes them is said above the columns"
_UNNAMED = {
    "category": "put commas between the values, and a semicolon only before other:, book: or "
    "missing:",
    "boolean": "write the words of the file as yes: ja; no: nein, or leave the field empty where "
    "they are yes and no, true and false or 1 and 0",
}
_STEPS = ("second", "minute", "hour", "day", "month", "year")


def read_facts(kind: str, text: str) -> dict[str, Any]:
    """The facts as a schema takes them; a `ParameterError` that says how to write them."""
    if kind == "id":
        return {}
    if kind in ("integer", "number"):
        text = _MARK.sub(r"\1comma", text)  # a comma that is meant, and parts nothing
    first, *rest = _parts(text)
    found: dict[str, Any] = {}
    if kind in ("integer", "number", "date"):
        found = _range(kind, ", ".join(first))
    elif kind == "boolean" or (first and first[0].startswith("book:")):
        rest = [first, *rest]
    elif first:
        found["values"] = [_level(value) for value in first]
    for part in filter(None, rest):
        found |= _said(kind, part)
    if kind == "category" and not {"values", "book"} & set(found):
        raise ParameterError(f"list the values, such as {EXAMPLES[kind]}")
    return found


def _parts(text: str) -> list[list[str]]:
    """What stands between semicolons, each cut at its commas; quotation marks hold together."""
    parts: list[list[str]] = [[]]
    word, text = "", " ".join(text.split())
    pieces = _PIECE.findall(text)
    if "".join(pieces) != text:
        raise ParameterError("quotation marks come in pairs")
    for piece in [*pieces, ";"]:
        if piece in ",;":
            if word.strip():
                parts[-1].append(word.strip())
            word = ""
            if piece == ";":
                parts.append([])
        else:
            word += piece
    return parts[:-1]


def _bare(word: str) -> str:
    """A word without the quotation marks around it."""
    return word[1:-1].replace('""', '"') if len(word) > 1 and word[0] == word[-1] == '"' else word


def _range(kind: str, text: str) -> dict[str, Any]:
    found = _RANGE.fullmatch(text)
    if found is None:
        raise ParameterError(
            f"write two ends with two points between them, such as {EXAMPLES[kind]}"
        )
    ends = {end: _end(kind, found[end]) for end in ("low", "high")}
    if (step := found["step"]) is None:
        return ends
    if kind != "date":
        return {**ends, "step": _end(kind, step)}
    if step not in _STEPS:
        raise ParameterError(f"by one of {', '.join(_STEPS)}")
    return {**ends, "step": step}


def _end(kind: str, text: str) -> Any:
    if kind == "date":
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            raise ParameterError(f"write dates as YYYY-MM-DD here; {_OF_FILE}") from None
        return moment if moment.time().isoformat() != "00:00:00" else moment.date()
    if _WHOLE.fullmatch(text):
        return int(text)
    if kind == "integer":
        raise ParameterError("write whole numbers, without points or blanks between the digits")
    if not _NUMBER.fullmatch(text):
        raise ParameterError(
            f"write numbers with a point here, and nothing else between the digits; {_OF_FILE}"
        )
    return float(text)


def _level(word: str) -> str | int:
    """A value of a list; one that reads as a number is one, and keeps its leading zeros as text."""
    name = word.partition(":")[0].strip().lower()
    if ":" in word and _WORDS.get(name, name) in _ALLOWED["category"]:
        raise ParameterError(f"put a semicolon before {name}:, or the value in quotation marks")
    text = _bare(word)
    return int(text) if re.fullmatch(r"-?(0|[1-9][0-9]{0,14})", text) else text


def _said(kind: str, part: list[str]) -> dict[str, Any]:
    """A fact by its name, such as other: elsewhere."""
    name, colon, value = part[0].partition(":")
    name = name.strip().lower()
    fact, value = _WORDS.get(name, name), _bare(value.strip())
    if not colon and kind in _UNNAMED:
        raise ParameterError(_UNNAMED[kind])
    if not colon or fact not in _ALLOWED[kind]:
        known = ", ".join(f"{_SPOKEN.get(one, one)}:" for one in _ALLOWED[kind])
        raise ParameterError(f"behind a semicolon one of {known} is known here")
    if fact in _LISTS:
        return {fact: [value, *map(_bare, part[1:])]}
    if len(part) > 1 or not value:
        raise ParameterError(f"{name}: one word or more, without commas, is needed")
    if fact in ("percent", "increasing"):
        if value.lower() not in ("yes", "true", "no", "false"):
            raise ParameterError(f"{name}: yes or no")
        return {fact: value.lower() in ("yes", "true")}
    if fact in ("decimal", "thousands"):
        value = _MARKS.get(value.lower(), value)
    return {fact: value}


def written_facts(kind: str, facts: Mapping[str, Any]) -> str:
    """The line that a person would type; facts that have no place in it are left out."""
    said = [
        f"{_SPOKEN.get(fact, fact)}: {_told(facts[fact])}"
        for fact in _ALLOWED.get(kind, ())
        if _has(facts, fact)
    ]
    if kind == "category" and facts.get("values"):
        said.insert(0, ", ".join(_quoted(str(value)) for value in facts["values"]))
    elif {"low", "high"} <= set(facts):
        ends = [_figure(facts[end]) for end in ("low", "high")]
        step = facts.get("step")
        usual = (None, 1) if kind == "integer" else (None, "day")
        by = f" by {_figure(step)}" if step not in usual else ""
        if all(ends):
            said.insert(0, f"{ends[0]}..{ends[1]}{by}")
    return "; ".join(said)


def _has(facts: Mapping[str, Any], fact: str) -> bool:
    return facts.get(fact) not in (None, []) and not (fact == "percent" and not facts[fact])


def _told(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "none"
    listed = value if isinstance(value, list | tuple) else [value]
    return ", ".join(_quoted(str(one)) for one in listed)


def _quoted(text: str) -> str:
    doubled = text.replace('"', '""')
    return f'"{doubled}"' if re.search(r'[",;:]|^\s|\s$|\s\s', text) else text


def _figure(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    if isinstance(value, date):
        return value.isoformat().removesuffix("T00:00:00")
    return str(value)
