"""Data files: whatever stands in a private cell is read, and nothing tells of it."""

import csv
import gzip
import io
import json
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from fuzz.changes import bytes_changed, cell, words_changed
from fuzz.judge import Trial, command
from fuzz.schemas import COLUMNS, SCHEMA
from sfumato.publishing.doubt import unheard
from sfumato.publishing.table import publish

__all__ = ["BUDGETS", "FIGURE", "SECRETS", "WORD", "act_on", "csv_of", "make", "odd_rows"]

WORD, FIGURE = "Qzqvxsecret", "7391846250137"
SECRETS = (WORD, FIGURE)
_ROWS = 12
_PURE = (
    *("mosaic", "dp-lda", "dp-pca", "modips", "pca-gauss-mixture", "pca-gauss", "lap-pca", "lip"),
    *("compressive", "diffgen", "exponential", "identity-laplace"),
)
BUDGETS: dict[str, dict[str, Any]] = {name: {"epsilon": 1} for name in _PURE} | {
    name: {"epsilon": 1, "delta": "1e-6"} for name in ("analyze-gauss", "power-method")
}


def _rows(rng: Random, odd: bool) -> list[dict[str, str]]:
    """Records; every column holds a secret somewhere."""
    rows = [
        {
            "who": f"{WORD}{row}",
            "age": str(rng.randint(0, 110)),
            "weight": f"{rng.uniform(1, 250):.2f}",
            "ward": rng.choice("abcd"),
            "smoker": rng.choice(("true", "false")),
            "seen": str(date(2020 + rng.randrange(5), 1 + rng.randrange(12), 1)),
        }
        for row in range(_ROWS)
    ]
    for place in range(_ROWS if odd else 0):
        rows[place][rng.choice(list(COLUMNS))] = cell(rng)
    for name in COLUMNS:
        rng.choice(rows)[name] = rng.choice((WORD, FIGURE, f"{WORD} {cell(rng)}"))
    return rows


def odd_rows(rng: Random) -> list[dict[str, str]]:
    """Records with a secret in every column and odd cells."""
    return _rows(rng, odd=True)


def _csv(rows: list[dict[str, str]]) -> str:
    page = io.StringIO()
    writer = csv.DictWriter(page, list(COLUMNS), quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return page.getvalue()


def _parquet(rows: list[dict[str, Any]], **settings: Any) -> bytes:
    page = io.BytesIO()
    columns = {name: pa.array([row[name] for row in rows]) for name in COLUMNS}
    pq.write_table(pa.table(columns), page, **settings)
    return page.getvalue()


def csv_of(rng: Random) -> str:
    """A good file."""
    return _csv(_rows(rng, odd=False))


def make(rng: Random, folder: Path) -> Trial:
    """A file that is published, or that a schema is drafted from without reading its records."""
    level = rng.choice(("cells", "cells", "parquet cells", "types", "bytes", "words", "packed"))
    ending, private = ".csv", level in ("cells", "parquet cells")
    if level == "cells":
        content = _csv(_rows(rng, odd=True)).encode()
    elif level == "words":
        content = _lines_changed(rng, lambda text: words_changed(rng, text, 6))
    elif level == "bytes":
        content = _lines_changed(rng, lambda text: bytes_changed(rng, text.encode(), 6))
    elif level == "packed":
        ending, packed = ".csv.gz", gzip.compress(_csv(_rows(rng, odd=True)).encode(), mtime=0)
        content = bytes_changed(rng, packed, 2)
    else:
        ending = ".parquet"
        content = _parquet(_rows(rng, odd=level == "parquet cells"), compression="none")
        if level == "types":
            content = _typed(rng) if rng.random() < 0.5 else bytes_changed(rng, content, 2)
    file = folder / f"people{ending}"
    file.write_bytes(content)
    act, said = act_on(rng, file)
    return Trial(act, f"{said}, {level}: {content!r}", SECRETS, private)


def _lines_changed(rng: Random, change: Callable[[str], str | bytes]) -> bytes:
    """The header or the records changed, never both: what stands in a header is public."""
    header, _, records = _csv(_rows(rng, odd=False)).partition("\n")
    header += "\n"
    if rng.random() < 0.3:
        parts: tuple[str | bytes, ...] = (change(header), records)
    else:
        parts = header, change(records)
    return b"".join(
        part.encode("utf-8", "replace") if isinstance(part, str) else part for part in parts
    )


def act_on(rng: Random, file: Path) -> tuple[Any, str]:
    """What is done with a file, and what it is called."""
    method, out = rng.choice(list(BUDGETS)), str(file.parent / "out")
    schema = file.parent / "people.json"
    schema.write_text(json.dumps(SCHEMA))
    match rng.randrange(4):
        case 0:
            return command("schema", "draft", str(file)), "draft"
        case 1:
            words = ("publish", str(file), "--schema", str(schema), "--epsilon", "1", "--yes")
            return command(*words, "-o", out), "command publish"
        case _:
            asked = {"method": method, "folder": out, "on_doubt": unheard, **BUDGETS[method]}
            return lambda: publish(str(file), schema=SCHEMA, **asked).data, f"publish {method}"


def _typed(rng: Random) -> bytes:
    """Columns of types that no schema asks for."""
    kinds = (
        pa.array([[1], None, [2, 3]]),
        pa.array([{"a": 1}, None, {"a": 2}]),
        pa.array([b"\xff\xfe", None, WORD.encode()]),
        pa.array([Decimal("1.5"), None, Decimal(FIGURE)]),
        pa.array([datetime(2020, 1, 1), None, datetime(9999, 1, 1)], pa.timestamp("us")),  # noqa: DTZ001
        pa.array([date(2020, 1, 1), None, date(1, 1, 1)]),
        pa.array([1, None, 2], pa.time32("s")),
        pa.array([1, None, 2], pa.duration("ns")),
        pa.array([2**64 - 1, None, 3], pa.uint64()),
        pa.array(["a", None, WORD]).dictionary_encode(),
        pa.array([None, None, None], pa.null()),
        pa.array([0.5, float("nan"), float("inf")], pa.float16()),
        pa.array([True, None, False]),
        pa.array(["a", None, WORD], pa.large_string()),
    )
    names = list(COLUMNS)
    rng.shuffle(names)
    page = io.BytesIO()
    pq.write_table(pa.table([rng.choice(kinds) for _ in names], names=names), page)
    return page.getvalue()
