"""Frames of Dask for tests, and things that go wrong in their partitions, at the first attempt."""

import os
import signal
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from sfumato.release.part_file import PartFile, PartSink

_NEEDED = ("dask", "distributed", "pandas")
MISSING = next((f"{name} is not installed" for name in _NEEDED if not find_spec(name)), "")
SECRET = "SECRET-4711"
SCHEMA = {
    "name": "visits",
    "neighbours": "add-remove",
    "columns": {
        "patient": {"kind": "id"},
        "age": {"kind": "integer", "low": 0, "high": 110},
        "ward": {"kind": "category", "values": ["surgery", "cardiology"], "other": "elsewhere"},
        "cost": {"kind": "number", "low": 0, "high": 100, "step": 0.01},
    },
}
PUBLIC_NUMBER = SCHEMA | {"neighbours": "replace-one"}
PARTITIONS = 10  # more than one task merges


def records(rows: int = 1000) -> Any:
    """Made-up visits."""
    import pandas as pd

    rng = np.random.default_rng(5)
    wards = rng.choice(["surgery", "cardiology", "maternity", ""], rows)
    return pd.DataFrame(
        {
            "patient": np.arange(rows),
            "age": rng.integers(-5, 120, rows),
            "ward": wards,
            "cost": rng.uniform(0, 100, rows).round(2),
        }
    )


def frame_of(table: Any, trouble: Any = None) -> Any:
    """A frame of several partitions, in each of which there is trouble first, if any."""
    import dask.dataframe as dd

    frame = dd.from_pandas(table, npartitions=PARTITIONS, sort=False)
    if trouble is None:
        return frame
    return frame.map_partitions(trouble, meta=table.iloc[:0])


def first(flag: Path) -> bool:
    """Whether nobody, in any process, has asked before."""
    try:
        os.close(os.open(flag, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True


@dataclass(frozen=True)
class Dies:
    """The worker that reads a certain record is killed, once."""

    flag: Path

    def __call__(self, part: Any) -> Any:
        if 500 in set(part["patient"]) and first(self.flag):
            os.kill(os.getpid(), signal.SIGKILL)
        return part


@dataclass(frozen=True)
class Fails:
    """Reading a certain record fails with an error that quotes a secret, once or always."""

    flag: Path | None = None

    def __call__(self, part: Any) -> Any:
        if 500 in set(part["patient"]) and (self.flag is None or first(self.flag)):
            raise ValueError(f"cannot convert {SECRET}")
        return part


@dataclass(frozen=True)
class Grows:
    """A partition has more records after it was read for the first time."""

    flag: Path

    def __call__(self, part: Any) -> Any:
        import pandas as pd

        if 500 not in set(part["patient"]) or first(self.flag):
            return part
        return pd.concat([part, part.iloc[:1]])


@dataclass(frozen=True)
class Seen:
    """Leaves a trace of every partition that is read."""

    folder: Path

    def __call__(self, part: Any) -> Any:
        if len(part):  # of the empty twin nothing is read
            (self.folder / f"read-{part['patient'].iloc[0]}").touch()
        return part


@dataclass(frozen=True)
class DyingSink:
    """Writes parts as they are; half of one of them, at first, before its worker is killed."""

    folder: Path
    flag: Path

    def __call__(self, number: int, schema: pa.Schema, batches: Any) -> PartFile:
        if number == 3 and first(self.flag):
            (self.folder / ".partial-half").write_bytes(b"PAR1")
            next(iter(batches))
            os.kill(os.getpid(), signal.SIGKILL)
        return PartSink(self.folder)(number, schema, batches)
