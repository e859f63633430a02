"""The results of all runs so far: one line for each release, and what each table is."""

import csv
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd
from figures import report
from picture import picture
from scores import SCORES
from tables import Table

__all__ = ["Results"]

FIELDS = [
    *("table", "peer", "epsilon", "delta", "trial", *SCORES),
    *("cpu_seconds", "peak_megabytes", "program", "date"),
]
NUMBERS = [*SCORES, "cpu_seconds", "peak_megabytes"]


class Results:
    """results.csv and tables.json in a folder, and what is shown of them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file, self._facts = folder / "results.csv", folder / "tables.json"
        if self._file.exists() and list(pd.read_csv(self._file, nrows=0).columns) != FIELDS:
            raise SystemExit(f"{self._file} has other columns than this version writes: move it")

    def describe(self, table: Table) -> None:
        """Note which table this is; another one of the same name would spoil the results."""
        known, found = self._tables(), table.described()
        if known.setdefault(table.name, found) != found:
            raise SystemExit(
                f"{self._folder} has results of another table called {table.name}: "
                "name the schema otherwise, or give another folder with -o"
            )
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._facts.write_text(json.dumps(known, indent=1) + "\n")
        except OSError as error:
            raise SystemExit(f"-o {self._folder}: {error.strerror}") from None

    def done(self, table: str) -> set[tuple[str, float | None, int]]:
        """The cells of a table that are there."""
        if not self._file.exists():
            return set()
        rows = pd.read_csv(self._file)
        rows = rows[rows["table"] == table]
        budgets = [None if pd.isna(epsilon) else epsilon for epsilon in rows["epsilon"]]
        return set(zip(rows["peer"], budgets, rows["trial"], strict=True))

    def append(self, row: dict[str, Any]) -> None:
        """Add one release."""
        fresh = not self._file.exists()
        figures = {key: round(row[key], 5) for key in NUMBERS if key in row}
        with self._file.open("a", newline="") as target:
            writer = csv.DictWriter(target, FIELDS, lineterminator="\n")
            if fresh:
                writer.writeheader()
            writer.writerow(row | figures | {"date": datetime.now(UTC).date().isoformat()})

    def show(self) -> None:
        """Write results.md and results.png."""
        results, tables = pd.read_csv(self._file), self._tables()
        programs = ", ".join(sorted(results["program"].dropna().unique()))
        source = f"ours by {programs}" if programs else "none of ours yet"
        (self._folder / "results.md").write_text(report(results, tables, source))
        picture(results, list(tables), self._folder / "results.png")

    def _tables(self) -> dict[str, Any]:
        return json.loads(self._facts.read_text()) if self._facts.exists() else {}
