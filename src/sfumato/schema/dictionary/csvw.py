"""CSVW: the metadata of CSV on the Web (W3C), of one table or a group of them."""

import re
from typing import Any

from sfumato.schema.dictionary.found import Dictionary, FoundColumn, texts

__all__ = ["is_one", "read", "strptime_codes"]

_CODES = {"yyyy": "%Y", "MM": "%m", "M": "%m", "dd": "%d", "d": "%d", "HH": "%H", "mm": "%M"}
_CODES |= {"ss": "%S"}
_PART = re.compile(r"([A-Za-z])\1*|[^A-Za-z]")
_NUMBERS = {"number", "decimal", "double", "float"}
_WHOLE = {"integer", "long", "int", "short", "byte", "negativeInteger", "nonPositiveInteger"}
_FROM_0 = {"nonNegativeInteger", "unsignedLong", "unsignedInt", "unsignedShort", "unsignedByte"}
_TEXTS = {"string", "normalizedString", "token", "language", "Name", "NMTOKEN", "any", "anyURI"}
_TIMES = {"date": None, "datetime": "second", "dateTime": "second", "dateTimeStamp": "second"}
_INHERITED = ("datatype", "null", "separator", "required")


def is_one(document: dict[str, Any]) -> bool:
    """Whether this is metadata of CSV on the Web."""
    return "csvw" in str(document.get("@context", ""))[:1_000] or any(
        key in document for key in ("tables", "tableSchema")
    )


def read(document: dict[str, Any], table: str | None) -> Dictionary:
    """The table of that address, or the only one."""
    described = _table(document, table)
    schema = described.get("tableSchema", document.get("tableSchema"))
    if isinstance(schema, str):
        raise ValueError("its table schema lies in another file: put it into this one")
    if not isinstance(schema, dict) or not isinstance(schema.get("columns"), list):
        raise ValueError("it has no tableSchema with columns")
    url = described.get("url")
    source = f"CSVW metadata of {url}" if isinstance(url, str) else "CSVW metadata"
    keys = texts(schema.get("primaryKey") or [])
    above = [document, described, schema]
    columns = [
        _column(said, keys, source, above)
        for said in schema["columns"]
        if not (isinstance(said, dict) and said.get("virtual") is True)
    ]
    name = url.rpartition("/")[2].partition(".")[0] if isinstance(url, str) else None
    found = Dictionary("CSVW metadata", name or None, columns)
    _file(found, described.get("dialect", document.get("dialect")))
    return found


def _table(document: dict[str, Any], table: str | None) -> dict[str, Any]:
    tables = document.get("tables")
    if not isinstance(tables, list):
        return document
    named = [t for t in tables if isinstance(t, dict)]
    if table is not None:
        named = [t for t in named if t.get("url") == table]
    if len(named) != 1:
        urls = ", ".join(texts([t.get("url") for t in tables if isinstance(t, dict)]))
        raise ValueError(f"say with --table which one is meant: {urls or 'none has a url'}")
    return named[0]


def _file(found: Dictionary, dialect: Any) -> None:
    if not isinstance(dialect, dict):
        return
    for said in ("encoding", "delimiter", "quoteChar"):
        if isinstance(dialect.get(said), str) and dialect[said].lower() != "utf-8":
            found.file[said.removesuffix("Char")] = dialect[said]
    if dialect.get("header") is False or dialect.get("headerRowCount") == 0:
        found.remarks.append("The file has no header: put a line with the names above it.")
    if dialect.get("skipRows") or dialect.get("commentPrefix"):
        found.remarks.append("The file has lines that are no records: remove them first.")


def _column(said: Any, keys: list[str], source: str, above: list[dict[str, Any]]) -> FoundColumn:
    if not isinstance(said, dict):
        raise ValueError("a column is no object")
    titles = said.get("titles")
    if isinstance(titles, dict):  # by language
        titles = next(iter(titles.values()), None)
    header = next(iter(texts(titles)), None) if titles else None
    name = header or said.get("name")
    if not isinstance(name, str) or not name:
        raise ValueError("a column has neither a title nor a name")
    said = {key: part[key] for key in _INHERITED for part in above if key in part} | said
    column = FoundColumn(name, source)
    if isinstance(description := said.get("dc:description"), str):
        column.remark(description)
    if said.get("name") in keys:
        column.never_read("a key of the table")
    elif said.get("separator"):
        column.never_read("cells that hold lists")
    else:
        _fill(column, said.get("datatype", "string"))
        _missing(column, said)
    return column


def _missing(column: FoundColumn, said: dict[str, Any]) -> None:
    if column.facts["kind"] in (None, "id"):
        return
    if said.get("required") is not True:
        column.facts["missing"] = "allowed"
    if words := [word for word in texts(said.get("null", [])) if word.strip()]:
        column.facts["missing_words"] = words


def _fill(column: FoundColumn, datatype: Any) -> None:
    facts = datatype if isinstance(datatype, dict) else {"base": datatype}
    base, form = facts.get("base", "string"), facts.get("format")
    low = facts.get("minimum", facts.get("minInclusive"))
    high = facts.get("maximum", facts.get("maxInclusive"))
    if {"minExclusive", "maxExclusive"} & set(facts):
        column.remark("the dictionary excludes an end of its range: declare low and high")
    if not isinstance(base, str):
        column.unknown("of no type")
    elif base in _NUMBERS or base in _WHOLE or base in _FROM_0 | {"positiveInteger"}:
        if low is None and base not in _NUMBERS | _WHOLE:
            low = int(base == "positiveInteger")
        _number(column, "number" if base in _NUMBERS else "integer", low, high, form)
    elif base == "boolean":
        _boolean(column, form)
    elif base in _TIMES:
        _date(column, base, low, high, form)
    elif base == "gYear":
        column.range("integer", low, high)
    elif base in _TEXTS:
        column.unlisted()
    else:
        column.unknown(f"of the type {base}")


def _number(column: FoundColumn, kind: str, low: Any, high: Any, form: Any) -> None:
    pattern = form.get("pattern") if isinstance(form, dict) else form
    if isinstance(pattern, str) and "%" in pattern:
        column.range(kind, None, None)
        column.facts["percent"] = True
        column.remark("values are written with %: low and high are in percent")
    else:
        column.range(kind, low, high)
    if isinstance(pattern, str) and "‰" in pattern:
        column.remark("values are written with ‰: convert them first")
    if isinstance(form, dict):
        for said, fact in (("decimalChar", "decimal"), ("groupChar", "thousands")):
            if isinstance(form.get(said), str) and (said, form[said]) != ("decimalChar", "."):
                column.facts[fact] = form[said]


def _boolean(column: FoundColumn, form: Any) -> None:
    column.facts = {"kind": "boolean"}
    if isinstance(form, str):
        true, bar, false = (part.strip() for part in form.partition("|"))
        if true and bar and false:
            column.facts |= {"true": [true], "false": [false], "source": column.source}
        else:
            column.remark("the words for true and false are not clear: declare both")


def _date(column: FoundColumn, base: str, low: Any, high: Any, form: Any) -> None:
    column.range("date", low, high)
    if step := _TIMES[base]:
        column.facts["step"] = step
    if form is None:
        return
    codes = strptime_codes(form) if isinstance(form, str) else None
    if codes is None:
        column.remark("how dates are written is not said in a known way: declare format")
    else:
        column.facts["format"] = codes


def strptime_codes(pattern: str) -> str | None:
    """A pattern of dates in the codes of a schema; None where a part of it has none.

    >>> strptime_codes("dd.MM.yyyy HH:mm"), strptime_codes("yyyy-MM-dd'T'HH"), strptime_codes("EEE")
    ('%d.%m.%Y %H:%M', None, None)
    """
    written = []
    for part in _PART.finditer(pattern):
        text = part.group()
        code = _CODES.get(text, "T" if text == "T" else None) if text[0].isalpha() else text
        if code is None or text in "%'":
            return None
        written.append(code)
    return "".join(written)
