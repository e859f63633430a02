"""Frictionless: a datapackage.json, one of its resources, or a Table Schema by itself."""

from typing import Any

from sfumato.schema.dictionary.found import Dictionary, FoundColumn, texts

__all__ = ["is_one", "read"]

_TIMES = {"date": None, "datetime": "second"}


def is_one(document: dict[str, Any]) -> bool:
    """Whether this is a package, a resource or a Table Schema."""
    return any(isinstance(document.get(key), list) for key in ("resources", "fields")) or (
        "schema" in document
    )


def read(document: dict[str, Any], table: str | None) -> Dictionary:
    """The table of that name, or the only one."""
    resource = _resource(document, table)
    schema = resource.get("schema", resource)
    if isinstance(schema, str):
        raise ValueError("its table schema lies in another file: give that one")
    if not isinstance(schema, dict) or not isinstance(schema.get("fields"), list):
        raise ValueError("it has no table schema with fields")
    keys = texts(schema.get("primaryKey") or [])
    name = resource.get("name")
    source = f"Frictionless table schema {name}" if isinstance(name, str) else "Table Schema"
    columns = [_column(field, keys, source) for field in schema["fields"]]
    found = Dictionary("Frictionless", name if isinstance(name, str) else None, columns)
    _file(found, resource, schema)
    return found


def _resource(document: dict[str, Any], table: str | None) -> dict[str, Any]:
    resources = document.get("resources")
    if not isinstance(resources, list):
        return document
    named = [r for r in resources if isinstance(r, dict)]
    if table is not None:
        named = [r for r in named if r.get("name") == table]
    if len(named) != 1:
        names = ", ".join(texts([r.get("name") for r in resources if isinstance(r, dict)]))
        raise ValueError(f"say with --table which one is meant: {names or 'none has a name'}")
    return named[0]


def _file(found: Dictionary, resource: dict[str, Any], schema: dict[str, Any]) -> None:
    dialect = resource.get("dialect")
    if isinstance(dialect, dict):
        for said, fact in (("delimiter", "delimiter"), ("quoteChar", "quote")):
            if isinstance(dialect.get(said), str):
                found.file[fact] = dialect[said]
        if dialect.get("header") is False:
            found.remarks.append("The file has no header: put a line with the names above it.")
    if isinstance(encoding := resource.get("encoding"), str) and encoding.lower() != "utf-8":
        found.file["encoding"] = encoding
    if words := [word for word in texts(schema.get("missingValues") or []) if word.strip()]:
        found.file["missing_words"] = words


def _column(field: Any, keys: list[str], source: str) -> FoundColumn:
    if not isinstance(field, dict) or not isinstance(field.get("name"), str) or not field["name"]:
        raise ValueError("a field has no name")
    column = FoundColumn(field["name"], source)
    for said in ("title", "description"):
        if isinstance(field.get(said), str):
            column.remark(field[said])
    rules = field.get("constraints")
    rules = rules if isinstance(rules, dict) else {}
    if field["name"] in keys or rules.get("unique") is True:
        column.never_read("a key of the table")
        return column
    _fill(column, field, rules)
    kind = column.facts["kind"]
    if kind not in (None, "id"):
        if rules.get("required") is not True:
            column.facts["missing"] = "allowed"
        if words := [word for word in texts(field.get("missingValues") or []) if word.strip()]:
            column.facts["missing_words"] = words
    return column


def _fill(column: FoundColumn, field: dict[str, Any], rules: dict[str, Any]) -> None:
    listed = rules.get("enum") or _categories(field)
    kind = field.get("type", "string")
    if not isinstance(kind, str):
        column.unknown("of no type")
    elif kind == "boolean":
        _boolean(column, field)
    elif isinstance(listed, list) and listed:
        column.values(texts(listed) if kind == "string" else _plain(listed))
    elif kind in ("number", "integer"):
        _number(column, field, rules)
    elif kind == "year":
        column.range("integer", rules.get("minimum"), rules.get("maximum"))
    elif kind in _TIMES:
        _date(column, field, rules)
    elif kind == "string":
        column.unlisted()
    elif kind in ("object", "array", "geojson", "geopoint"):
        column.never_read(f"{kind}, which has no kind here")
    else:
        column.unknown(f"of the type {kind}")


def _plain(values: list[Any]) -> list[str | int]:
    """Whole numbers as they are; numbers beyond as they are written."""
    kept = [v for v in values if isinstance(v, str | int | float) and not isinstance(v, bool)]
    return [value if isinstance(value, int) else str(value) for value in kept]


def _categories(field: dict[str, Any]) -> list[Any]:
    categories = field.get("categories")
    if not isinstance(categories, list):
        return []
    return [c.get("value") if isinstance(c, dict) else c for c in categories]


def _boolean(column: FoundColumn, field: dict[str, Any]) -> None:
    column.facts = {"kind": "boolean"}
    true, false = (texts(field.get(key) or []) for key in ("trueValues", "falseValues"))
    if true and false:
        column.facts |= {"true": true, "false": false, "source": column.source}
    elif true or false:
        column.remark("words for only one of true and false are given: declare both")


def _number(column: FoundColumn, field: dict[str, Any], rules: dict[str, Any]) -> None:
    column.range(str(field["type"]), rules.get("minimum"), rules.get("maximum"))
    if "exclusiveMinimum" in rules or "exclusiveMaximum" in rules:
        column.remark("the dictionary excludes an end of its range: declare low and high")
    for said, fact in (("decimalChar", "decimal"), ("groupChar", "thousands")):
        if isinstance(field.get(said), str) and (said, field[said]) != ("decimalChar", "."):
            column.facts[fact] = field[said]
    if field.get("bareNumber") is False:
        column.remark("values carry signs such as % or €: declare percent: true, or remove them")


def _date(column: FoundColumn, field: dict[str, Any], rules: dict[str, Any]) -> None:
    column.range("date", rules.get("minimum"), rules.get("maximum"))
    step = _TIMES[field["type"]]
    if step:
        column.facts["step"] = step
    written = field.get("format", "default")
    if isinstance(written, str) and "%" in written:
        column.facts["format"] = written.removeprefix("fmt:")
    elif written != "default":
        column.remark("how dates are written is not said: declare format, as in %d.%m.%Y")
