"""What a release script is told, and where it leaves its records.

    python SCRIPT FOLDER

FOLDER holds train.csv, schema.json (public facts) and task.json; the script adds synthetic.csv.
"""

import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from public import facts, read_records

__all__ = ["Task"]


@dataclass(frozen=True)
class Task:
    """One release: how private, with which seed, and what else the synthesizer is told.

    `program` is which Sfumato it is, for the record.
    """

    epsilon: float
    delta: float | None
    seed: int
    rows: int
    options: dict[str, Any]
    program: str | None = None

    @classmethod
    def told(cls) -> "Task":
        """The task of the folder on the command line."""
        return cls(**json.loads((_folder() / "task.json").read_text()))

    @property
    def schema(self) -> dict[str, Any]:
        """Ranges and values, which are public."""
        return json.loads((_folder() / "schema.json").read_text())

    @property
    def file(self) -> Path:
        """The records to be released, as a file."""
        return _folder() / "train.csv"

    @property
    def train(self) -> pd.DataFrame:
        """The records to be released."""
        return read_records(self.file, self.schema)

    def answer(self, synthetic: pd.DataFrame) -> None:
        """Leave the synthetic records."""
        synthetic[list(facts(self.schema))].to_csv(_folder() / "synthetic.csv", index=False)

    def set(self, folder: Path, train: pd.DataFrame, schema: dict[str, Any]) -> None:
        """Write down what `told` reads."""
        folder.mkdir(parents=True, exist_ok=True)
        train.to_csv(folder / "train.csv", index=False)
        (folder / "schema.json").write_text(json.dumps(schema))
        (folder / "task.json").write_text(json.dumps(asdict(self)))


def _folder() -> Path:
    return Path(sys.argv[1])
