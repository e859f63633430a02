"""Sfumato beside other synthesizers, on tables that are built in or on your own.

    python benchmarks/peers/run.py --tables adult,covtype --data FOLDER -o OUT
    python benchmarks/peers/run.py --tables campaign --peers mosaic,mst --epsilon 1 -o OUT
    python benchmarks/peers/run.py --csv my.csv --schema my.yaml -o OUT

FOLDER holds adult/adult.csv.gz, covtype/covtype.parquet and nlswork/nlswork.csv.gz.  OUT gets
results.csv, to which each finished release is added and whose releases are not made again; then
results.md and results.png, from all that is in it.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from itertools import product
from typing import Any
from urllib.parse import quote

import pandas as pd
from catalogue import PEERS, REFERENCES
from environment import HERE, SOURCE, interpreter, our_version
from options import Options, options
from own import own_table
from public import read_records
from results import Results
from scores import score
from tables import Table, built_in
from task import Task

Cell = tuple[str, float | None, int]


def main() -> None:
    given = options(__doc__)
    results = Results(given.output)
    failed = []
    for table in _tables(given):
        results.describe(table)
        for cell in _missing(table, given, results):
            train, test = table.split(cell[2])
            made = _made(cell, table, train, given)
            if made is None:
                failed.append(_words(table, cell))
                continue
            synthetic, cost, program = made
            figures = score(table, synthetic, train, test) | cost
            results.append(_row(table, cell, program) | figures)
            brief = ", ".join(f"{key} {value:.3f}" for key, value in figures.items())
            print(_words(table, cell), brief, flush=True)
    results.show()
    if failed:
        raise SystemExit("no release from\n" + "\n".join(failed))


def _tables(given: Options) -> Iterator[Table]:
    if given.csv:
        yield own_table(given.csv, given.schema, given.label, given.target)
    else:
        for name in given.tables:
            yield built_in(name, given.data)


def _missing(table: Table, given: Options, results: Results) -> Iterator[Cell]:
    """What is asked for and not yet in the results."""
    trials = range(given.trials)
    references = product(REFERENCES, [None], trials)
    asked = product(given.peers, given.epsilon, trials)
    done = results.done(table.name)
    yield from (cell for cell in (*references, *asked) if cell not in done)


def _made(
    cell: Cell, table: Table, train: pd.DataFrame, given: Options
) -> tuple[pd.DataFrame, dict[str, float], str | None] | None:
    """The synthetic records of one cell, what they cost and which Sfumato made them."""
    name, epsilon, trial = cell
    if epsilon is None:
        again = train.sample(frac=1, replace=True, random_state=trial)
        return (train if name == "real" else again), {}, None
    peer = PEERS[name]
    place = given.work / "releases" / quote(table.name, safe="")
    folder = place / f"{name}-{epsilon:g}-{trial}"
    note, log = folder / "cost.json", folder / "log.txt"
    if not given.stored:
        ours = peer.environment is None
        program = our_version() if ours else None
        task = Task(epsilon, peer.delta, trial, len(train), peer.options, program)
        task.set(folder, train, table.schema)
        command = [interpreter(peer.environment, given.work), HERE / peer.script, folder]
        launcher = [sys.executable, HERE / "measured.py", note, str(given.limit)]
        here = os.environ | ({"PYTHONPATH": str(SOURCE)} if ours and SOURCE else {})
        with log.open("w") as told:
            subprocess.run([*launcher, *command], stdout=told, stderr=told, env=here, check=True)
    cost = json.loads(note.read_text()) if note.exists() else {"status": "none stored"}
    if cost.pop("status"):
        print(_words(table, cell), f"no release; see {log}", flush=True)
        return None
    program = json.loads((folder / "task.json").read_text()).get("program")
    return read_records(folder / "synthetic.csv", table.schema), cost, program


def _row(table: Table, cell: Cell, program: str | None) -> dict[str, Any]:
    name, epsilon, trial = cell
    delta = None if name in REFERENCES else PEERS[name].delta
    row = {"table": table.name, "peer": name, "epsilon": epsilon, "delta": delta}
    return row | {"trial": trial, "program": program}


def _words(table: Table, cell: Cell) -> str:
    name, epsilon, trial = cell
    budget = "" if epsilon is None else f" at ε = {epsilon:g}"
    return f"{table.name}, {name}{budget}, trial {trial}:"


if __name__ == "__main__":
    main()
