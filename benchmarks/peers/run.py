"""Sfumato beside other synthesizers on Adult, in one run.

    python benchmarks/peers/run.py --data FOLDER -o OUT
    python benchmarks/peers/run.py --data FOLDER --peers mosaic,mst --epsilon 1 --trials 2 -o OUT

FOLDER holds adult/adult.csv.gz.  OUT gets results.csv, to which each finished release is added and
whose releases are not made again; then results.md and results.png, from all that is in it.
"""

import argparse
import csv
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd
from catalogue import PEERS, REFERENCES
from environment import HERE, interpreter
from figures import picture, table
from protocol import SCHEMA, adult, score, split
from task import Task

FIELDS = [
    *("peer", "epsilon", "delta", "trial", "auc", "accuracy", "one_way", "two_way"),
    *("cpu_seconds", "peak_megabytes", "date"),
]
Cell = tuple[str, float | None, int]


def main() -> None:
    given = _arguments()
    given.output.mkdir(parents=True, exist_ok=True)
    file, frame = given.output / "results.csv", adult(given.data)
    failed = []
    for cell in _missing(given, file):
        name, epsilon, trial = cell
        train, test = split(frame, trial)
        made = _made(cell, train, given)
        if made is None:
            failed.append(_words(cell))
            continue
        synthetic, cost = made
        scores = asdict(score(synthetic, train, test)) | cost
        delta = PEERS[name].delta if name in PEERS else None
        row = {"peer": name, "epsilon": epsilon, "delta": delta, "trial": trial}
        _append(file, row | {key: round(value, 5) for key, value in scores.items()})
        print(_words(cell), "AUC {auc:.3f}, two-way {two_way:.3f}".format(**scores), flush=True)
    results = pd.read_csv(file)
    (given.output / "results.md").write_text(table(results))
    picture(results, given.output / "results.png")
    if failed:
        raise SystemExit("no release from\n" + "\n".join(failed))


def _missing(given: argparse.Namespace, file: Path) -> Iterator[Cell]:
    """What is asked for and not yet in the results."""
    done = set()
    if file.exists():
        rows = pd.read_csv(file)
        rows["epsilon"] = rows["epsilon"].astype(object).where(rows["epsilon"].notna(), None)
        done = set(rows[["peer", "epsilon", "trial"]].itertuples(index=False, name=None))
    trials = range(given.trials)
    references = product(REFERENCES, [None], trials)
    for cell in (*references, *product(given.peers, given.epsilon, trials)):
        if cell not in done:
            yield cell


def _made(
    cell: Cell, train: pd.DataFrame, given: argparse.Namespace
) -> tuple[pd.DataFrame, dict[str, float]] | None:
    """The synthetic records of one cell and what they cost, unless the synthesizer gave up."""
    name, epsilon, trial = cell
    if epsilon is None:
        again = train.sample(frac=1, replace=True, random_state=trial)
        return (train if name == "real" else again), {}
    peer = PEERS[name]
    folder = given.work / "releases" / f"{name}-{epsilon:g}-{trial}"
    Task(epsilon, peer.delta, trial, peer.options).set(folder, train, SCHEMA)
    note, log = folder / "cost.json", folder / "log.txt"
    command = [interpreter(peer.environment, given.work), HERE / peer.script, folder]
    with log.open("w") as told:
        launcher = [sys.executable, HERE / "measured.py", note, str(given.limit)]
        subprocess.run([*launcher, *command], stdout=told, stderr=told, check=True)
    cost = json.loads(note.read_text())
    if cost.pop("status"):
        print(_words(cell), f"no release; see {log}", flush=True)
        return None
    return pd.read_csv(folder / "synthetic.csv", keep_default_na=False), cost


def _append(file: Path, row: dict[str, Any]) -> None:
    fresh = not file.exists()
    with file.open("a", newline="") as target:
        writer = csv.DictWriter(target, FIELDS, lineterminator="\n")
        if fresh:
            writer.writeheader()
        writer.writerow(row | {"date": datetime.now(UTC).date().isoformat()})


def _words(cell: Cell) -> str:
    name, epsilon, trial = cell
    budget = "" if epsilon is None else f" at ε = {epsilon:g}"
    return f"{name}{budget}, trial {trial}:"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder with adult/adult.csv.gz")
    parser.add_argument("--peers", type=_names, default=list(PEERS), help=f"of {', '.join(PEERS)}")
    parser.add_argument("--epsilon", type=_numbers, default=[0.1, 0.25, 0.5, 1.0])
    parser.add_argument("--trials", type=int, default=5)
    parser.add_argument("--limit", type=int, default=3600, help="processor seconds for one release")
    scratch = Path(tempfile.gettempdir()) / "sfumato-peers"
    parser.add_argument("--work", type=Path, default=scratch, help="environments and releases")
    parser.add_argument("-o", "--output", type=Path, required=True)
    return parser.parse_args()


def _names(text: str) -> list[str]:
    names = text.split(",")
    if unknown := [name for name in names if name not in PEERS]:
        raise argparse.ArgumentTypeError(f"no peer is called {', '.join(unknown)}")
    return names


def _numbers(text: str) -> list[float]:
    return [float(number) for number in text.split(",")]


if __name__ == "__main__":
    main()
