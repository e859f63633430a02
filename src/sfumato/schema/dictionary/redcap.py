"""A data dictionary of REDCap, as its project page downloads it or its interface exports it.

Codes are taken for the values, as in raw exports, with the labels as their aliases; dates are
exported as YYYY-MM-DD whatever the form shows.  A checkbox is one column for each of its choices.
"""

import csv
import re
from collections import Counter
from io import StringIO

from sfumato.schema.dictionary.found import Dictionary, FoundColumn

__all__ = ["is_one", "read"]

_FIELDS = {  # as downloaded, and as the interface names them
    "name": ("Variable / Field Name", "field_name"),
    "form": ("Form Name", "form_name"),
    "type": ("Field Type", "field_type"),
    "label": ("Field Label", "field_label"),
    "choices": ("Choices, Calculations, OR Slider Labels", "select_choices_or_calculations"),
    "validation": (
        "Text Validation Type OR Show Slider Number",
        "text_validation_type_or_show_slider_number",
    ),
    "low": ("Text Validation Min", "text_validation_min"),
    "high": ("Text Validation Max", "text_validation_max"),
    "identifier": ("Identifier?", "identifier"),
    "branching": ("Branching Logic (Show field only if...)", "branching_logic"),
    "required": ("Required Field?", "required_field"),
}
_NEEDED = ("name", "type")
_PERSONAL = ("email", "phone", "ssn", "mrn", "zipcode", "postalcode", "vmrn")


def is_one(raw: bytes) -> bool:
    """Whether the first line is that of a REDCap dictionary."""
    try:
        header = next(csv.reader(StringIO(raw[:100_000].decode("utf-8", "replace"))), [])
    except csv.Error:
        return False
    return all(_at(header, field) is not None for field in _NEEDED)


def read(raw: bytes, file: str) -> Dictionary:
    """The columns that an export of this project has."""
    try:
        rows = list(csv.reader(StringIO(raw.decode(), newline=""), strict=True))
    except (UnicodeDecodeError, csv.Error):
        raise ValueError("it is not CSV in UTF-8: save it again as such") from None
    places = {field: _at(rows[0], field) for field in _FIELDS}
    columns: list[FoundColumn] = []
    forms: dict[str, None] = {}
    for row in rows[1:]:
        said = {
            field: row[at].strip() if at is not None and at < len(row) else ""
            for field, at in places.items()
        }
        if not said["name"]:
            continue
        forms[said["form"]] = None
        columns += _columns(said, first=not columns, source=f"REDCap data dictionary {file}")
    for form in filter(None, forms):
        status = FoundColumn(f"{form}_complete", "")
        status.never_read("the form's own status (0, 1, 2), where it was exported")
        columns.append(status)
    return Dictionary(
        "REDCap data dictionary",
        None,
        columns,
        remarks=[
            "Exports may have further columns, as redcap_event_name: declare or drop them.",
            "Several rows of a person (events, repeats) are hidden one by one, not together.",
        ],
    )


def _at(header: list[str], field: str) -> int | None:
    names = [cell.strip() for cell in header]
    return next((names.index(name) for name in _FIELDS[field] if name in names), None)


def _columns(said: dict[str, str], *, first: bool, source: str) -> list[FoundColumn]:
    if said["type"] == "descriptive":  # words on the form: no column
        return []
    if said["type"] == "checkbox" and said["identifier"].lower() != "y":
        return _checkbox(said, source)
    column = FoundColumn(said["name"], source)
    if said["label"]:
        column.remark(said["label"])
    if first:
        column.never_read("the name of the record")
        return [column]
    if said["identifier"].lower() == "y":
        column.never_read("marked as an identifier")
        return [column]
    _fill(column, said)
    kind = column.facts.get("kind")
    if kind not in (None, "id") and (said["required"].lower() != "y" or said["branching"]):
        column.facts["missing"] = "allowed"
    return [column]


def _fill(column: FoundColumn, said: dict[str, str]) -> None:
    match said["type"]:
        case "yesno" | "truefalse":
            column.facts = {"kind": "boolean"}
        case "radio" | "dropdown":
            _choices(column, said)
        case "slider":
            column.range("integer", said["low"] or 0, said["high"] or 100)
        case "calc":
            column.range("number", said["low"], said["high"])
        case "notes":
            column.never_read("free text")
        case "file" | "signature":
            column.never_read("a file")
        case "text" | "":
            _text(column, said)
        case _:
            column.unknown("a field that has no kind of its own")


def _text(column: FoundColumn, said: dict[str, str]) -> None:
    validation = said["validation"].lower()
    if validation in ("integer", "int"):
        column.range("integer", said["low"], said["high"])
    elif validation.startswith(("number", "float")):
        comma = "comma_decimal" in validation
        low, high = (said[end].replace(",", ".") if comma else said[end] for end in ("low", "high"))
        column.range("number", low, high)
        if comma:
            column.facts["decimal"] = ","
    elif validation.startswith("date"):
        column.range("date", said["low"], said["high"])
        if validation.startswith("datetime"):
            column.facts["step"] = "second" if "seconds" in validation else "minute"
    elif validation.startswith(_PERSONAL):
        column.never_read("tells one person")
    else:
        column.unknown(f"text checked as {validation}" if validation else "text of any kind")


def _pairs(text: str) -> list[tuple[str, str]]:
    """Choices such as 1, Yes | 2, No."""
    choices = (choice.partition(",") for choice in text.split("|"))
    return [(code.strip(), label.strip()) for code, _, label in choices if code.strip()]


def _choices(column: FoundColumn, said: dict[str, str]) -> None:
    listed = _pairs(said["choices"])
    if not listed:
        column.unlisted()
        return
    pairs = dict(listed)
    if len(pairs) < len(listed):
        twice = next(code for code, times in Counter(c for c, _ in listed).items() if times > 1)
        column.remark(f"code {twice} is listed twice, and its last label taken: correct it")
    codes = [int(c) if re.fullmatch(r"-?(0|[1-9][0-9]{0,14})", c) else c for c in pairs]
    column.values(codes)
    labels = [label for label in pairs.values() if label]
    distinct = len(set(labels)) == len(labels) and not set(labels) & set(pairs)
    if labels and distinct:
        column.facts["aliases"] = {code: [label] for code, label in pairs.items() if label}
    elif labels:
        column.remark("values are the codes of a raw export; labels are not distinct")


def _checkbox(said: dict[str, str], source: str) -> list[FoundColumn]:
    columns = []
    for code, label in dict(_pairs(said["choices"])).items():
        name = re.sub(r"[^a-z0-9_]", "_", code.lower())
        column = FoundColumn(f"{said['name']}___{name}", source)
        if label:
            column.remark(label)
        column.facts = {
            "kind": "boolean",
            "true": ["1", "Checked"],
            "false": ["0", "Unchecked"],
            "source": source,
        }
        columns.append(column)
    return columns
