"""Good releases of every kind, the commands that read them, and a way to run these in-process."""

import atexit
import json
import shutil
import sys
import time
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import pyarrow.csv as pacsv

import sfumato as sf
from report.worlds import EDGES, made
from sfumato.cli import main
from sfumato.example import CLINIC, clinic
from sfumato.release.digest import digest
from sfumato.release.folder import sha256

__all__ = ["KINDS", "copied", "readers", "resealed", "run", "unseen"]

WHOLE, COLUMNS = sf.Schema.parse(CLINIC), ("age", "sex", "outcome")
KINDS = ("table", "network", "stream", "counts")


@cache
def _place() -> Path:
    place = Path(mkdtemp(prefix="sfumato-received-"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    pacsv.write_csv(clinic(100).select(COLUMNS), place / "clinic.csv")
    pacsv.write_csv(EDGES, place / "edges.csv")
    return place


@cache
def _good(kind):
    folder = _place() / kind
    if kind == "table":  # a narrow one: there are many readings
        kept = {name: column for name, column in WHOLE.columns.items() if name in COLUMNS}
        schema = sf.Schema(name="clinic", columns=kept)
        sf.publish(clinic(100).select(COLUMNS), schema=schema, epsilon=1, folder=folder)
    else:
        made(kind, folder=folder)
    return folder


def copied(kind, to):
    """A good release of this kind, to be damaged."""
    return shutil.copytree(_good(kind), to / kind)


def readers(kind, folder, to):
    """The arguments of every command that reads a release of this kind."""
    shown = ["verify", str(folder)]
    common = [
        shown,
        ["report", str(folder), "-o", str(to / "page.html"), "--force"],
        ["accuracy", str(folder)],
        ["accuracy", str(folder), "--json"],
        ["schema", "suggest", str(folder)],
        ["query", "ask", str(folder), "--keys", "area 1,area 2"],
        ["graph", "compare", str(_place() / "edges.csv"), str(folder)],
    ]
    own = {
        "table": [
            ["inspect", str(folder), "--original", str(_place() / "clinic.csv")],
            ["accuracy", str(folder), "--column", "age", "--pair", "age", "outcome"],
        ],
        "network": [["accuracy", str(folder), "--sum", "source=n1"]],
        "stream": [],
        "counts": [["query", "ask", str(folder), "--from", "area 3", "--to", "area 9"]],
    }
    return common + own[kind]


def resealed(folder, paper, synopsis=None):
    """Write certificate and synopsis with all hashes adjusted, as a forger would."""
    if synopsis is not None:
        (folder / "synopsis.json").write_text(json.dumps(synopsis))
        if "synopsis" in paper:
            paper["synopsis"] = digest(synopsis)
    if isinstance(paper.get("files"), dict):
        for name in paper["files"]:
            if name in ("data.csv", "synopsis.json"):
                paper["files"][name] = sha256(folder / name)
    if "seal" in paper:
        paper["seal"] = digest(paper)
    (folder / "release.json").write_text(json.dumps(paper))


def run(arguments, monkeypatch, capsys):
    """The exit code and everything that was printed; any other exception is a failure."""
    monkeypatch.setattr(sys, "argv", ["sfumato", *arguments])
    start, code = time.process_time(), 0
    try:
        main()
    except SystemExit as leaving:
        code = leaving.code
    out, err = capsys.readouterr()
    assert time.process_time() - start < 60, arguments
    return code, out + err


def unseen(text):
    """Characters that a terminal would obey, or that nobody sees; line breaks are ours."""
    return {character for character in text if not character.isprintable()} - {"\n"}
