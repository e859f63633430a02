"""Runs a program under the recorder, and finds what each power cut would break."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from power import acting
from power.disk import Cut, cuts, tree_of, write_tree
from sfumato.errors import Refused
from sfumato.ledger import Ledger
from sfumato.publishing.verify import verify
from sfumato.retrieval.desk import Answered
from sfumato.retrieval.store import AnswerStore

__all__ = ["LOOKS", "faults", "recorder"]

HERE = Path(__file__).parent
Judge = Callable[[tuple[str, ...]], list[str]]  # the faults, given what had been done
_UNIT = 10**6  # micro-epsilon
_PRICE = _UNIT // 100


def recorder(folder: Path) -> Path:
    """The recorder, compiled; skipped where that cannot be."""
    compiler = shutil.which("cc")
    if sys.platform != "linux" or compiler is None:
        pytest.skip("power cuts are recorded on Linux with a C compiler (cc): install one")
    made = folder / "recording.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", made, HERE / "recording.c"], check=True)
    return made


def faults(
    scenario: str, folder: Path, library: Path, *controls: str, torn: int, seed: int
) -> dict[str, str]:
    """What goes wrong, and the first moment at which it does."""
    root, record = folder / "root", folder / "record"
    root.mkdir()
    inode = root.stat().st_ino
    # What is kept of a ledger outside of it is under the same power.
    os.environ["XDG_STATE_HOME"] = str(root / "state")
    recorded = {"POWER_ROOT": str(root), "POWER_LOG": str(record), "LD_PRELOAD": str(library)}
    program = [sys.executable, HERE / "acting.py", scenario, *controls]
    subprocess.run(program, env=os.environ | recorded, check=True, timeout=120)
    real, look, found = tree_of(root), LOOKS[scenario], {}
    seen: dict[int, Judge] = {}
    kinds: set[Any] = set()
    for cut in cuts(record, inode, torn=torn, seed=seed):
        if not isinstance(cut, Cut):
            assert cut == real, "the recorder missed a change: its states mean nothing"
            continue
        number = hash(tuple(cut.tree.items()))
        if number not in seen:
            shutil.rmtree(root)
            root.mkdir()
            write_tree(root, cut.tree)
            seen[number] = look(root, kinds)
        last = cut.done[-1] if cut.done else "the start"
        for fault in seen[number](cut.done):
            found.setdefault(fault, f"after {last}, left was {cut.how}: {sorted(cut.tree)}")
    return found


def _refused(reason: str) -> Judge:
    return lambda done: ["the ledger is refused: " + reason] if "created" in done else []


def _charged(done: tuple[str, ...], state: str | None, granted: bool) -> list[str]:
    """What must be in the ledger, however the rest looks."""
    due = {
        "the grant is lost": "granted" in done and not granted,
        "the charge is lost": "reserve" in done and state is None,
        "the draw is lost": "draw" in done and state not in ("drawn", "released"),
        "the settlement is lost": "settle" in done and state != "released",
    }
    return [fault for fault, holds in due.items() if holds]


def _shown(folder: Path) -> tuple[bool, str]:
    """Whether a release is visible, and what is wrong with it if it is."""
    if not folder.exists():
        return False, ""
    try:
        return True, "; ".join(check.detail for check in verify(folder) if not check.passed)
    except Refused as error:
        return True, str(error)


def _after_publish(root: Path, kinds: set[Any]) -> Judge:
    visible, wrong = _shown(root / "out")
    names = tuple(sorted(path.name for path in root.glob("b.db*")))
    try:
        with Ledger(root / "b.db") as ledger:
            entry, granted = ledger.entry("r"), "people" in ledger.datasets()
    except Refused as error:
        return _refused(str(error))
    state = entry and entry.state
    # What is done next depends on the states of ledger and folder, and on a journal to roll back.
    kind = state, visible, names
    again = _again(root, state, visible) if granted and not wrong and kind not in kinds else []
    kinds.add(kind)

    def judge(done: tuple[str, ...]) -> list[str]:
        found = _charged(done, state, granted) + again
        if visible and state not in ("drawn", "released"):
            found.append("a release is visible that was never drawn")
        if visible and wrong:
            found.append("half a release is visible")
        if "published" in done and not visible:
            found.append("the release is lost")
        return found

    return judge


def _again(root: Path, state: str | None, visible: bool) -> list[str]:
    """The same request once more: finished or refused, and charged once either way."""
    lost = state in ("drawn", "released") and not visible
    try:
        acting.publish(root)
        found = ["a second draw for the same release"] if lost else []
    except Refused:
        found = [] if lost else ["the request is refused after the cut"]
    with Ledger(root / "b.db") as ledger:
        if ledger.balance("people").spent.micro_epsilon != _UNIT:
            found.append("the release is charged twice")
    return found


def _after_stream(root: Path, _: set[Any]) -> Judge:
    parts = [_shown(root / name) for name in ("first", "second")]
    try:
        with Ledger(root / "b.db") as ledger:
            entry, granted = ledger.entry("r"), "people" in ledger.datasets()
    except Refused as error:
        return _refused(str(error))
    state = entry and entry.state
    try:
        acting.stream(root, acting.BITS, "third", resume=root / "s.state")
        goes_on = True
    except Refused:
        goes_on = False

    def judge(done: tuple[str, ...]) -> list[str]:
        found = _charged(done, state, granted)
        if any(visible and wrong for visible, wrong in parts):
            found.append("half a release is visible")
        if "paused" in done and not parts[0][0]:
            found.append("the release is lost")
        if "paused" in done and "resuming" not in done and not goes_on:
            found.append("the state is lost")
        if goes_on and ("continued" in done or parts[1][0]):
            found.append("one state is taken up twice")
        return found

    return judge


def _after_desk(root: Path, _: set[Any]) -> Judge:
    try:
        with Ledger(root / "b.db") as ledger:
            if "people" not in ledger.datasets():
                return lambda done: ["the grant is lost"] if "granted" in done else []
            with AnswerStore(root / "answers.db") as store:
                given = store.count("people")
                spent = ledger.balance("people").spent.micro_epsilon
                names = ("first-one", "second-a", "second-b", "third-one")
                kept = {name: answer.value for name, answer in store.find("people", names).items()}
                desk = acting.desk_on(ledger, store)
                replies = desk.answer([acting.asked(name) for name in kept]) if kept else []
    except Refused as error:
        return _refused(str(error))

    def judge(done: tuple[str, ...]) -> list[str]:
        said = [text.split()[1:] for text in done if text.startswith("answered")]
        found = []
        if any(kept.get(name, float("nan")).hex() != value for name, value in said):
            found.append("an answer that was given is lost")
        if spent < max(given, len(said)) * _PRICE:
            found.append("an answer is not charged")
        if replies != [Answered(name, value) for name, value in kept.items()]:
            found.append("an answer that is kept is not repeated")
        return found

    return judge


LOOKS: dict[str, Callable[[Path, set[Any]], Judge]] = {
    "publish": _after_publish,
    "stream": _after_stream,
    "desk": _after_desk,
}
