"""YAML and JSON as a person writes them, without silent choices.

A schema decides what is published, so nothing in it may be read otherwise than it looks:
a column declared twice is refused instead of losing one of the two, and `01` is the code
01, not the number one (nor `1:30` the number ninety), as YAML of old would have it.

>>> load("ward: [01, 02, 7]", where="schema")
{'ward': ['01', '02', 7]}
"""

import json
import re
from collections.abc import Collection
from typing import Any

import yaml
from pydantic import ValidationError

from sfumato.errors import SchemaError
from sfumato.schema.person_fault import person_fault
from sfumato.schema.yaml_loader import StrictLoader, twice
from sfumato.untrusted.misspelt import did_you_mean

__all__ = ["explain", "load"]

_KINDS = ("number", "integer", "category", "boolean", "date", "id", "code")
_LARGEST_SHOWN = 2**53  # of which all digits are written
_LARGEST_YAML = 2**22  # characters: PyYAML takes its time


def load(text: str, *, where: str) -> object:
    """The content of a YAML or JSON text; `where` names it in refusals."""
    try:
        if text.lstrip().startswith("{"):
            return json.loads(text, object_pairs_hook=_distinct)
    except ValueError:
        pass  # braces open a YAML mapping as well
    except _Twice as again:
        raise SchemaError(f"{where}: {again}") from None
    except RecursionError:
        raise SchemaError(f"{where}: nested too deeply") from None
    if len(text) > _LARGEST_YAML:
        raise SchemaError(f"{where}: longer than {_LARGEST_YAML:,} characters: write it as JSON")
    try:
        return yaml.load(text, Loader=StrictLoader)  # noqa: S506  a SafeLoader by descent
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or "not valid YAML"
        raise SchemaError(f"{where}{line}: {problem}") from None
    except (ValueError, OverflowError):
        # What looks like a date is read as one, even where the calendar has no such day.
        raise SchemaError(f"{where}: a date that does not exist: correct or quote it") from None
    except RecursionError:
        raise SchemaError(f"{where}: nested too deeply") from None


def explain(
    error: ValidationError, *, words: Collection[str] = (), column_words: Collection[str] = ()
) -> str:
    """All that is wrong, in the words of the schema file; columns with one fault together.

    `words` are those that a schema knows, `column_words` those of its columns.
    """
    faults: dict[str, dict[str | None, None]] = {}
    for item in error.errors(include_url=False):
        where, column = [str(part) for part in item["loc"]], None
        if where[:1] == ["columns"] and len(where) > 1:
            column, where = where[1], where[3 if where[2:3] and where[2] in _KINDS else 2 :]
        fault = person_fault(item["type"], where, column=column is not None)
        fault = fault or _fault(dict(item), where)
        fault = fault or _unknown(".".join(where), column, words, column_words)
        faults.setdefault(fault, {})[column] = None
    return "; ".join(f"{_place(list(columns))}: {fault}" for fault, columns in faults.items())


def _place(columns: list[str | None]) -> str:
    names = [column for column in columns if column is not None]
    return f"column{'s' * (len(names) > 1)} {', '.join(names)}" if names else "schema"


def _unknown(
    field: str, column: str | None, words: Collection[str], column_words: Collection[str]
) -> str:
    here, elsewhere = (words, column_words) if column is None else (column_words, words)
    if field in elsewhere:
        place = "a column, not of the schema" if column is None else "the schema, not of a column"
        return f"{field} is said of {place}: move it there"
    hint = "" if field in here else did_you_mean(field, here)  # other kinds have it
    return f"{field} is not known here{hint}: remove it or correct its name"


def _fault(item: dict[str, Any], where: list[str]) -> str | None:
    """What is wrong; None where a word is not known here."""
    field, message = ".".join(where), str(item["msg"])
    match item["type"]:
        case "union_tag_not_found" | "union_tag_invalid" | "model_attributes_type":
            return f"kind must be one of {', '.join(_KINDS)}"
        case "string_type" if where == ["[key]"]:
            return "the name is not text: put it in quotes, as numbers, yes, no, on and off need"
        case "string_type" | "int_type" if where[:1] == ["values"]:
            return "values must be texts or whole numbers: put the others in quotes"
        case _ if where[:1] == ["provenance"]:
            return "provenance must be declared, or the release and the epsilon that paid for it"
        case "literal_error" | "string_type" | "string_too_short" if where[:1] == ["other"]:
            return "other must be a text, or none where no other value occurs"
        case "float_parsing" | "int_parsing" if _meant(item["input"]):
            return f"{field}: write {_meant(item['input'])}, with no marks between its digits"
        case "extra_forbidden" | "invalid_key" if where and where[-1].isdigit():
            return "a comma ends a fact within braces: write numbers as 12000, not as 12,000"
        case "missing":
            return f"{field} is missing: declare it from public knowledge"
        case "extra_forbidden" if where == ["scale"]:
            return "scale is for columns of kind number or integer: remove it here"
        case "extra_forbidden":
            return None
        case "value_error":
            return str(item["ctx"]["error"])
        case _ if item["input"] is None:
            return f"{field} is blank: declare it from public knowledge"
        case "float_parsing" | "float_type" if field:
            return f"{field} must be a number, such as 12.5"
        case "int_parsing" | "int_type" | "int_from_float" if field:
            return f"{field} must be a whole number, such as 12"
        case "tuple_type":
            return f"{field} must be a list"
        case "dict_type" if where[:1] == ["aliases"]:
            return "aliases must be a mapping from values to lists of their spellings"
        case "model_type" if where == ["file"]:
            return "file must be a mapping from facts, such as decimal, to what the file has"
        case "literal_error" if where == ["scale"]:
            return "scale must be log or linear: leave it out to have it chosen by the range"
        case "literal_error" if where[-1:] == ["thousands"]:
            return f"{field} must be a comma, a point, a space, an apostrophe, _ or none"
        case "dict_type":
            return f"{field} must be a mapping from column names to their facts"
        case "less_than_equal" | "greater_than_equal" if abs(end := _end(item)) > _LARGEST_SHOWN:
            side = "less" if item["type"] == "less_than_equal" else "greater"
            return f"{field}: input should be {side} than or equal to {end:g}"
        case "too_long" if "max_length" in item.get("ctx", {}):
            most = item["ctx"]["max_length"]
            return f"{field} must have at most {most:,} items: put rare ones together"
        case "too_short" if field in ("values", "columns"):
            return f"{field} must not be empty"
    return f"{field}: {message[:1].lower()}{message[1:]}" if field else message


def _end(item: dict[str, Any]) -> float:
    """The end that a number lies beyond; of a day, none."""
    end = item["ctx"].get("le", item["ctx"].get("ge"))
    return end if isinstance(end, int | float) else 0


def _meant(written: Any) -> str | None:
    """The number that a person wrote with separators, as YAML has none."""
    bare = re.sub(r"[\s'\u2019_]", "", written) if isinstance(written, str) else ""
    if re.fullmatch(r"[+-]?[1-9][0-9]{0,2}([.,][0-9]{3})+", bare):
        return re.sub("[.,]", "", bare)
    if re.fullmatch(r"[+-]?[0-9]+(,[0-9]+)?", bare):
        return bare.replace(",", ".")
    return None


class _Twice(Exception):
    """A key occurs twice; not a ValueError, which `json` would raise for its own reasons."""


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content: dict[str, Any] = {}
    for key, value in pairs:
        if key in content:
            raise _Twice(twice(key))
        content[key] = value
    return content
