"""What a run is asked for, checked before anything is made."""

import argparse
import tempfile
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from catalogue import PEERS, USUAL
from tables import BUILT_IN

__all__ = ["Options", "options"]


@dataclass(frozen=True)
class Options:
    """Which tables, who releases them, how often, and where it goes."""

    tables: list[str]
    data: Path | None
    csv: Path | None
    schema: Path | None
    label: str | None
    target: str | None
    peers: list[str]
    epsilon: list[float]
    trials: int
    limit: int
    stored: bool
    work: Path
    output: Path


def options(description: str | None) -> Options:
    """The options on the command line."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    tables = f"of {', '.join(BUILT_IN)}; adult if no --csv is given"
    parser.add_argument("--tables", type=_of(BUILT_IN), help=tables)
    parser.add_argument("--data", type=Path, help="folder of adult, covtype and nlswork")
    own = "your own table: CSV, CSV.gz or Parquet"
    parser.add_argument("--csv", type=Path, metavar="FILE", help=own)
    parser.add_argument("--schema", type=Path, help="its schema for Sfumato, YAML or JSON")
    score = "scored as the {} without being declared to anybody"
    parser.add_argument("--label", metavar="COLUMN", help=score.format("label"))
    parser.add_argument("--target", metavar="COLUMN", help=score.format("target"))
    usual = f"of {', '.join(PEERS)}; without it {', '.join(USUAL)}"
    parser.add_argument("--peers", type=_of(PEERS), default=USUAL, help=usual)
    parser.add_argument("--epsilon", type=_budgets, default=[0.1, 0.25, 0.5, 1.0])
    parser.add_argument("--trials", type=_positive, default=5)
    processor = "processor seconds for one release"
    parser.add_argument("--limit", type=_positive, default=3600, help=processor)
    stored = "score the releases kept under --work and make none"
    parser.add_argument("--stored", action="store_true", help=stored)
    scratch = Path(tempfile.gettempdir()) / "sfumato-peers"
    parser.add_argument("--work", type=Path, default=scratch, help="environments and releases")
    parser.add_argument("-o", "--output", type=Path, required=True)
    given = parser.parse_args()
    if wrong := _wrong(given):
        parser.error(wrong)
    given.tables = given.tables or ["adult"]
    return Options(**vars(given))


def _wrong(given: argparse.Namespace) -> str | None:
    if given.csv and given.tables:
        return "--csv is a table of your own, --tables are built in: give one of them"
    if bool(given.csv) != bool(given.schema):
        return "--csv and --schema go together"
    if (given.label or given.target) and not given.csv:
        return "--label and --target are for a table of your own, given with --csv"
    for file in filter(None, (given.csv, given.schema)):
        if not file.is_file():
            return f"{file} is not there"
    for name in () if given.csv else given.tables or ["adult"]:
        if file := BUILT_IN[name].file:
            if not given.data:
                return f"--data must name the folder that holds {file}"
            if not (given.data / file).is_file():
                return f"{given.data / file} is not there"
    return None


def _of(known: Collection[str]) -> Callable[[str], list[str]]:
    def names(text: str) -> list[str]:
        found = text.split(",")
        if unknown := [name for name in found if name not in known]:
            raise argparse.ArgumentTypeError(f"none is called {', '.join(unknown)}")
        return found

    return names


def _budgets(text: str) -> list[float]:
    try:
        found = [float(number) for number in text.split(",")]
    except ValueError:
        found = [0.0]
    if not all(0 < epsilon < float("inf") for epsilon in found):
        raise argparse.ArgumentTypeError("write positive numbers, as 0.1,1")
    return found


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError("write a whole number from 1")
    return int(text)
