"""A table that somebody brings along: a file that Sfumato reads, with a schema of Sfumato.

Records are read as Sfumato reads them, so that everybody is given the same ones: dates and truth
values as declared, unlisted values as `other`, unreadable ones as missing.  Only numbers are not
moved to the grid of a release, because that is a part of what is compared.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from environment import use_source
from public import Listed
from tables import Table

__all__ = ["own_table"]

FEWEST = 60


def own_table(file: Path, schema: Path, label: str | None, target: str | None) -> Table:
    """The records of a file; refused in one sentence if it or its schema cannot be used."""
    use_source()
    from sfumato.errors import SfumatoError

    try:
        name, facts, frame = _read(file, schema)
    except SfumatoError as error:
        raise SystemExit(str(error)) from None
    if len(frame) < FEWEST:
        raise SystemExit(f"{file}: at least {FEWEST} records are needed, a third of them to test")
    roles = {column.get("role"): name for name, column in facts["columns"].items()}
    label = _predicted(label, roles.get("label"), "label", facts)
    target = _predicted(target, roles.get("target"), "target", facts)
    table = Table(name, frame, facts, label, target)
    _check(table)
    return table


def _read(file: Path, path: Path) -> tuple[str, dict[str, Any], pd.DataFrame]:
    from sfumato.inspection import as_read
    from sfumato.schema import Schema
    from sfumato.schema.formats import written
    from sfumato.schema.written_number import written_in
    from sfumato.table.read_numbers import numbers
    from sfumato.table.source import columns_of, open_source

    schema = Schema.read(path)
    mapped = as_read(file, schema)
    kinds = {name: column.kind for name, column in schema.released.items()}
    ranges = [name for name, kind in kinds.items() if kind in ("number", "integer")]
    source = columns_of(open_source(file, list(kinds), schema.file), tuple(ranges))
    frame = {}
    for name, kind in kinds.items():
        values = mapped[name].to_pandas()
        column = schema.released[name]
        if kind in ("number", "integer"):
            how = written_in(written(column, schema.file))
            raw = np.concatenate([numbers(chunk, how) for chunk in source[name].chunks])
            frame[name] = _off_the_grid(values, raw, column)
        elif kind == "boolean":
            frame[name] = values.map({True: "true", False: "false"})
        elif kind == "date":
            frame[name] = values.map(lambda day: day.isoformat(), na_action="ignore")
        else:
            frame[name] = values
    facts = schema.plain().to_json()
    facts["columns"] = {name: facts["columns"][name] for name in kinds}
    return schema.name, facts, pd.DataFrame(frame)


def _off_the_grid(mapped: pd.Series, raw: np.ndarray, column: Any) -> pd.Series:
    """Numbers within the range as they were written; whatever was mapped stays as mapped."""
    numbers = mapped.to_numpy(float, na_value=np.nan)
    kept = ~np.isnan(numbers) & (raw >= column.low) & (raw <= column.high)
    if column.step is not None:
        raw = column.low + np.round((raw - column.low) / column.step) * column.step
    found = pd.Series(np.where(kept, raw, numbers))
    return found.round().astype("Int64") if column.kind == "integer" else found


def _predicted(
    asked: str | None, declared: str | None, role: str, schema: dict[str, Any]
) -> str | None:
    if asked and declared and asked != declared:
        raise SystemExit(f"the schema declares {declared} as {role}: leave out --{role}")
    if asked and asked not in schema["columns"]:
        raise SystemExit(f"--{role} {asked}: the schema has no column of that name")
    return asked or declared


def _check(table: Table) -> None:
    """That there is something to predict."""
    label, target = table.label, table.target
    if label and not isinstance(table.facts[label], Listed):
        raise SystemExit(f"label {label} is no category or boolean: name it with --target")
    if label and table.frame[label].nunique() < 2:
        raise SystemExit(f"label {label} has the same value in all records: nothing to predict")
    if target and isinstance(table.facts[target], Listed):
        raise SystemExit(f"target {target} is no number or date: name it with --label")
    if target and table.frame[target].nunique() < 2:
        raise SystemExit(f"target {target} has the same value in all records: nothing to predict")
    if len(table.facts) < 2:
        raise SystemExit("a table of one column has no joint distribution to compare")
