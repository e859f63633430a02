"""Frames: anything in a cell of objects, and the extremes of every type of column."""

from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from fuzz.changes import cell, number
from fuzz.judge import Trial
from fuzz.schemas import COLUMNS, SCHEMA
from fuzz.tables import BUDGETS, FIGURE, SECRETS, WORD
from sfumato.errors import SfumatoError
from sfumato.publishing.doubt import unheard
from sfumato.publishing.table import publish

__all__ = ["make"]

_ROWS = 12
_LAST = 2**63 - 1


def make(rng: Random, folder: Path) -> Trial:
    """A pandas frame; no cell may make a difference to whether it is published."""
    method = rng.choice(list(BUDGETS))
    frame, twin = (_objects if rng.random() < 0.5 else _typed)(rng)

    def published(data: Any, place: str) -> Callable[[], Any]:
        asked = {"method": method, "folder": folder / place, **BUDGETS[method]}
        return lambda: publish(data, schema=SCHEMA, on_doubt=unheard, **asked).data

    try:
        published(twin, "twin")()
        accepted = True
    except SfumatoError:
        accepted = False  # by the types of its columns
    said = f"publish a frame by {method}: {[_said(frame[name]) for name in COLUMNS]}"
    return Trial(
        published(frame, "out"),
        said.encode("utf-8", "backslashreplace").decode(),
        SECRETS,
        private_change=accepted,
    )


def _said(column: pd.Series) -> str:
    try:
        return f"{column.name} {column.dtype} {column.tolist()!r}"
    except (ValueError, OverflowError):  # pandas cannot print every moment that it holds
        return f"{column.name} {column.dtype} {column.astype('int64').tolist()!r}"


def _objects(rng: Random) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Columns of objects, most of one kind; and the same with that kind alone."""
    usual, share = _usual(rng), rng.choice((0.02, 0.1, 0.9))
    filled = {
        name: [_thing(rng) if rng.random() < share else usual[name] for _ in range(_ROWS)]
        for name in COLUMNS
    }
    plain = {name: [usual[name]] * _ROWS for name in COLUMNS}
    return pd.DataFrame(filled, dtype=object), pd.DataFrame(plain, dtype=object)


def _thing(rng: Random) -> Any:
    return rng.choice(
        (
            *(cell(rng), number(rng), WORD, int(FIGURE), float(FIGURE), 10**400, None, True),
            *(float("nan"), float("-inf"), Decimal("1e400"), Decimal("NaN"), b"\xff", [1], {}, ()),
            *(date(2020, 2, 2), datetime(2020, 2, 2), pd.NaT, pd.NA, {WORD: WORD}, "\ud800"),  # noqa: DTZ001
            *(complex(1, 2), object, range(3), pd.Timestamp("2021-01-01", tz="UTC")),
            *(np.float32(0.1), np.datetime64(_LAST, "s"), pd.Interval(0, 1), np.array([1, 2])),
        )
    )


def _usual(rng: Random) -> dict[str, Any]:
    figure: Any = rng.choice((41, 41.5, "41", Decimal("41"), True, None, b"41", np.float32(0.1)))
    day: Any = rng.choice((date(2021, 3, 1), datetime(2021, 3, 1), pd.Timestamp("2021-03-01")))  # noqa: DTZ001
    truth: Any = rng.choice((True, "true", 1, None))
    ward: Any = rng.choice(("a", b"a", 1, None, ("a",), pd.Interval(0, 1)))
    kinds = {"age": figure, "weight": figure, "ward": ward, "smoker": truth, "seen": day}
    return {"who": WORD, **kinds}


def _typed(rng: Random) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Columns of one type each with extreme values, and the same types with tame ones."""
    types: dict[str, tuple[Any, tuple[Any, ...]]] = {
        "int8": (41, (-128, 127, 0)),
        "uint64": (41, (2**64 - 1, 0, int(FIGURE))),
        "float16": (41, (np.inf, -np.inf, np.nan, 6e4)),
        "float32": (41, (np.inf, np.nan, 3e38, 1e-45)),
        "float64": (41, (np.inf, -np.inf, np.nan, 1e308, 5e-324, -0.0, float(FIGURE))),
        "complex128": (41, (complex("nan"), complex("inf"), 1j)),
        "bool": (True, (False,)),
        "boolean": (True, (pd.NA, False)),
        "Int64": (41, (pd.NA, _LAST, -_LAST, int(FIGURE))),
        "string": ("a", (pd.NA, "", WORD, "x" * 5000, "\0")),
        "category": ("a", ("b", WORD, None)),
        "datetime64[s]": (0, (253402300800, -(2**53), _LAST, -_LAST)),
        "datetime64[ms]": (0, (253402300800000, _LAST, -_LAST)),
        "datetime64[ns]": (0, (_LAST, -_LAST, 1)),
        "timedelta64[ns]": (0, (_LAST, -_LAST)),
    }
    names = [*types, "with a zone", "nested"]
    frame, twin = {}, {}
    for column in COLUMNS:
        name = rng.choice(names)
        if name in types:
            usual, odd = types[name]
            extreme = [rng.choice((usual, *odd)) for _ in range(_ROWS)]
            frame[column] = _series(extreme, name)
            twin[column] = _series([usual] * _ROWS, name)
        elif name == "nested":
            frame[column] = _arrow([rng.choice(([1], None, [])) for _ in range(_ROWS)])
            twin[column] = _arrow([[1]] * _ROWS)
        else:
            zone = rng.choice(("UTC", "Europe/Berlin", "America/New_York", "+14:00"))
            extreme = [rng.choice((0, _LAST, -_LAST, 2**62)) for _ in range(_ROWS)]
            frame[column], twin[column] = _zoned(extreme, zone), _zoned([0] * _ROWS, zone)
    return pd.DataFrame(frame), pd.DataFrame(twin)


def _series(values: list[Any], name: str) -> pd.Series:
    if name.startswith(("datetime64", "timedelta64")):
        return pd.Series(np.array(values, np.int64).view(name))
    with np.errstate(over="ignore"):
        return pd.Series(values, dtype=name)


def _arrow(values: list[Any]) -> pd.Series:
    return pd.Series(values, dtype=pd.ArrowDtype(pa.list_(pa.int64())))


def _zoned(values: list[int], zone: str) -> pd.Series:
    return pd.Series(pa.array(values).view(pa.timestamp("ns", zone)).to_pandas())
