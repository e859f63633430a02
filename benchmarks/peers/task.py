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

__all__ = ["Task"]


@dataclass(frozen=True)
class Task:
    """One release: how private, with which seed, and what else the synthesizer is told."""

    epsilon: float
    delta: float | None
    seed: int
    options: dict[str, Any]

    @classmethod
    def told(cls) -> "Task":
        """The task of the folder on the command line."""
        return cls(**json.loads((_folder() / "task.json").read_text()))

    @property
    def schema(self) -> dict[str, Any]:
        """Ranges and values, which are public."""
        return json.loads((_folder() / "schema.json").read_text())

    @property
    def train(self) -> pd.DataFrame:
        """The records to be released."""
        return pd.read_csv(_folder() / "train.csv", keep_default_na=False)

    def answer(self, synthetic: pd.DataFrame) -> None:
        """Leave the synthetic records."""
        synthetic[list(self.schema["columns"])].to_csv(_folder() / "synthetic.csv", index=False)

    def set(self, folder: Path, train: pd.DataFrame, schema: dict[str, Any]) -> None:
        """Write down what `told` reads."""
        folder.mkdir(parents=True, exist_ok=True)
        train.to_csv(folder / "train.csv", index=False)
        (folder / "schema.json").write_text(json.dumps(schema))
        (folder / "task.json").write_text(json.dumps(asdict(self)))


def _folder() -> Path:
    return Path(sys.argv[1])
