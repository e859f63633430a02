"""A made-up table of people at work, and ten schemas or files that do not fit each other."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

__all__ = ["COLUMNS", "ROWS", "WRONG", "Wrong", "people", "schema"]

ROWS = 45_000
REGIONS = ("north", "south", "east", "west")
TOWNS = ("Malmö", "Åbo", "Lund", "Umeå", "Paris", "London")
COLUMNS = {
    "age": {"kind": "integer", "low": 16, "high": 95},
    "hours": {"kind": "integer", "low": 0, "high": 99},
    "wage": {"kind": "number", "low": 0, "high": 200, "step": 0.01},
    "gain": {"kind": "integer", "low": 0, "high": 100_000},
    "growth": {"kind": "number", "low": -50, "high": 150, "step": 0.1},
    "weight": {"kind": "number", "low": 30, "high": 250, "step": 0.1},
    "joined": {"kind": "date", "low": "2000-01-01", "high": "2024-12-31"},
    "region": {"kind": "category", "values": list(REGIONS)},
    "town": {"kind": "category", "values": list(TOWNS)},
    "work": {"kind": "category", "values": ["private", "state", "own", "none"]},
    "smoker": {"kind": "boolean"},
}


def schema(**changed):
    """The right one, with these columns declared otherwise."""
    return {"name": "people", "columns": {**COLUMNS, **changed}}


def people(rows=ROWS, seed=7):
    """Every column as a file writes it: texts that fit the schema."""
    draw = np.random.default_rng(seed)
    gain = np.where(draw.random(rows) < 0.085, draw.lognormal(8.6, 0.6, rows), 0)
    gain = np.where(gain > 0, np.clip(gain, 1_000, 99_999), 0).astype(int)
    days = draw.integers(0, 9_000, rows).astype("timedelta64[D]") + np.datetime64("2000-01-01")
    hours = np.clip(draw.normal(40, 12, rows), 1, 99).astype(int)
    found = {
        "age": np.clip(draw.normal(39, 13, rows), 17, 90).astype(int).astype(str),
        "hours": hours.astype(str),
        "wage": [f"{value:.2f}" for value in np.clip(draw.lognormal(3, 0.5, rows), 5, 199)],
        "gain": gain.astype(str),
        "growth": [f"{value:.1f}" for value in np.clip(draw.normal(5, 20, rows), -49, 149)],
        "weight": [f"{value:.1f}" for value in np.clip(draw.normal(75, 15, rows), 35, 200)],
        "joined": days.astype(str),
        "region": draw.choice(REGIONS, rows, p=(0.4, 0.3, 0.22, 0.08)),
        "town": draw.choice(TOWNS, rows, p=(0.1, 0.05, 0.4, 0.05, 0.2, 0.2)),
        "work": draw.choice(COLUMNS["work"]["values"], rows, p=(0.6, 0.2, 0.15, 0.05)),
        "smoker": draw.choice(["true", "false"], rows, p=(0.3, 0.7)),
    }
    return pa.table({name: pa.array(list(values), pa.string()) for name, values in found.items()})


def _rewritten(name, write):
    def change(table):
        texts = pa.array([write(text) for text in table[name].to_pylist()], pa.string())
        return table.set_column(table.column_names.index(name), name, texts)

    return change


def _in_latin(table):
    raw = [text.encode("latin-1") for text in table["town"].to_pylist()]
    ends = np.cumsum([0, *map(len, raw)]).astype(np.int32)
    parts = [None, pa.py_buffer(ends), pa.py_buffer(b"".join(raw))]
    texts = pa.Array.from_buffers(pa.string(), len(raw), parts)
    return table.set_column(table.column_names.index("town"), "town", texts)


def _coded(table):
    lost = np.random.default_rng(1).random(table.num_rows) < 0.07
    texts = np.where(lost, "-99", np.array(table["age"].to_pylist()))
    return table.set_column(0, "age", pa.array(texts.tolist(), pa.string()))


@dataclass(frozen=True)
class Wrong:
    """What is wrong, where it shows, and what a release should say of it."""

    name: str
    column: str
    complaint: str
    change: object = staticmethod(lambda table: table)  # of the file
    declared: dict | None = None  # in place of the right declaration

    def table(self, table):
        return self.change(table)

    @property
    def schema(self):
        return schema() if self.declared is None else schema(**{self.column: self.declared})


def _narrow(name, **ends):
    return {**COLUMNS[name], **ends}


WRONG = (
    Wrong("decimal comma", "wage", "unreadable", _rewritten("wage", lambda t: t.replace(".", ","))),
    Wrong("thousands", "gain", "unreadable", _rewritten("gain", lambda t: f"{int(t):,}")),
    Wrong("percent signs", "growth", "unreadable", _rewritten("growth", lambda t: f"{t}%")),
    Wrong(
        "the day first",
        "joined",
        "unreadable",
        _rewritten("joined", lambda t: "/".join(reversed(t.split("-")))),
    ),
    Wrong("latin-1", "town", "unreadable", _in_latin),
    Wrong("too narrow a range", "hours", "above", declared=_narrow("hours", high=55)),
    Wrong(
        "a forgotten category",
        "region",
        "not listed",
        declared={"kind": "category", "values": list(REGIONS[:3])},
    ),
    Wrong("a code for missing", "age", "below", _coded),
    Wrong("other capitals", "work", "not listed", _rewritten("work", str.title)),
    Wrong(
        "another unit", "weight", "above", _rewritten("weight", lambda t: f"{1000 * float(t):.0f}")
    ),
)
