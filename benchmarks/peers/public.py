"""The public facts of a column, for programs that know nothing of Sfumato.

A column is a list of values, or an ordered range in which dates count their steps.  Whoever makes a
release, and the score, look at records through these facts alone.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

__all__ = ["Listed", "Ordered", "facts", "read_records"]

ENDS = ("low", "high")
UNITS = {"second": "s", "minute": "m", "hour": "h", "day": "D", "month": "M", "year": "Y"}


@dataclass(frozen=True)
class Listed:
    """One of these values, or missing."""

    values: tuple[str, ...]
    missing: bool

    @property
    def size(self) -> int:
        """How many levels it has; missing is the last."""
        return len(self.values) + self.missing

    def codes(self, column: pd.Series) -> np.ndarray:
        """The level of each value."""
        texts = column.map(_text, na_action="ignore")
        codes = pd.Index(self.values).get_indexer(texts)
        codes[texts.isna().to_numpy()] = len(self.values)
        if (codes < 0).any() or codes.max(initial=0) >= self.size:
            raise ValueError(f"column {column.name} has values that are not listed")
        return codes

    def written(self, codes: np.ndarray) -> np.ndarray:
        """The value of each level; missing ones are None."""
        return np.array([*self.values, None], dtype=object)[codes]


@dataclass(frozen=True)
class Ordered:
    """A number or date of a public range; as numbers, dates are steps from the first."""

    low: float
    high: float
    step: float | None
    missing: bool
    origin: np.datetime64 | None = None

    def numbers(self, column: pd.Series) -> np.ndarray:
        """Every value as a number, missing ones not a number."""
        if self.origin is None:
            return pd.to_numeric(column).to_numpy(float, na_value=np.nan)
        moments = pd.to_datetime(column).to_numpy("datetime64[s]").astype(self.origin.dtype)
        steps = (moments - self.origin).astype(float)
        return np.where(np.isnat(moments), np.nan, steps)

    def written(self, numbers: np.ndarray) -> np.ndarray | pd.Series:
        """Numbers on the steps of the range, dates as texts."""
        if self.step is None:
            return numbers
        steps = np.clip(np.round((numbers - self.low) / self.step), 0, self._last)
        if self.origin is not None:
            moments = self.origin + np.nan_to_num(steps).astype(int)
            texts = moments.astype("datetime64[D]" if self._by_day else "datetime64[s]").astype(str)
            return np.where(np.isnan(steps), None, texts)
        values = self.low + steps * self.step
        whole = float(self.step).is_integer() and float(self.low).is_integer()
        return pd.Series(values).round().astype("Int64") if whole else values

    @property
    def _last(self) -> int:
        return round((self.high - self.low) / self.step)

    @property
    def _by_day(self) -> bool:
        return np.datetime_data(self.origin.dtype)[0] in "DMY"


def facts(schema: dict[str, Any]) -> dict[str, Listed | Ordered]:
    """What is public about each column that is released, from a schema as plain JSON."""
    kept = {name: column for name, column in schema["columns"].items() if column["kind"] != "id"}
    return {name: _fact(column) for name, column in kept.items()}


def read_records(path: Any, schema: dict[str, Any]) -> pd.DataFrame:
    """Records as this harness writes them: texts for lists and dates, nothing where missing."""
    columns = facts(schema)
    texts = {n: str for n, c in columns.items() if isinstance(c, Listed) or c.origin is not None}
    frame = pd.read_csv(path, dtype=texts, keep_default_na=False, na_values=[""])
    return frame[list(columns)]


def _fact(column: dict[str, Any]) -> Listed | Ordered:
    kind, missing = column["kind"], column.get("missing") == "allowed"
    if kind == "boolean":
        return Listed(("false", "true"), missing)
    if kind == "category":
        others = [column["other"]] if column.get("other") else []
        return Listed(tuple(_text(value) for value in (*column["values"], *others)), missing)
    if kind == "date":
        unit = UNITS[column.get("step", "day")]
        low, high = (np.datetime64(column[end]).astype(f"datetime64[{unit}]") for end in ENDS)
        return Ordered(0.0, float((high - low).astype(int)), 1.0, missing, low)
    step = column.get("step", 1 if kind == "integer" else None)
    return Ordered(column["low"], column["high"], step, missing)


def _text(value: Any) -> str:
    """Values as the schema lists them: 3.0 is 3, and truth values are in small letters."""
    if isinstance(value, bool | np.bool_):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()
