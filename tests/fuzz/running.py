"""Runs inputs one after the other in a process of its own, with bounds on time and memory."""

import faulthandler
import json
import os
import resource
import select
import shutil
import signal
import tempfile
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from fuzz.judge import Trial, fault_of

__all__ = ["Failure", "Maker", "failures"]

MEMORY = 3 * 2**30  # bytes of addresses beyond what the process starts with
PATIENCE = 120  # seconds without a sign, on a busy machine
Maker = Callable[[Random, Path], Trial]  # an input, made in an empty folder


@dataclass(frozen=True)
class Failure:
    """An input that did what none may, and how to make it again."""

    fault: str
    index: int
    said: str

    def __str__(self) -> str:
        return f"input {self.index}: {self.fault}\n    {self.said[:600]}"


def failures(maker: Maker, name: str, seed: int, indices: range) -> tuple[list[Failure], int, int]:
    """The inputs of a kind that fail, and how many were done and refused as they should be.

    A child that dies is replaced by one that goes on after it.
    """
    found: list[Failure] = []
    fine = {False: 0, True: 0}
    start = indices.start
    while start < indices.stop:
        last, said, ended = start, "", False
        for sign in _signs(maker, name, seed, range(start, indices.stop)):
            last, said = sign["index"], sign.get("said", said)
            if sign.get("fault"):
                found.append(Failure(sign["fault"], last, said))
            if "refused" in sign:
                fine[sign["refused"]] += 1
            ended = ended or bool(sign.get("ended"))
        start = indices.stop if ended else last + 1
    return found, fine[False], fine[True]


def trial_of(maker: Maker, name: str, seed: int, index: int, folder: Path) -> Trial:
    """The same input for the same words, on any machine."""
    return maker(Random(f"{name} {seed} {index}"), folder)


def _signs(maker: Maker, name: str, seed: int, indices: range) -> Iterator[dict[str, Any]]:
    """What the child says: before each input how it was made, after it what was wrong."""
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # fork beside pytest's threads
        child = os.fork()
    if not child:
        os.close(reader)
        _child(maker, name, seed, indices, writer)
    os.close(writer)
    index, text, ended = indices.start, b"", False
    with os.fdopen(reader, "rb", buffering=0) as signs:
        while True:
            if not select.select([signs], [], [], PATIENCE)[0]:
                os.kill(child, signal.SIGKILL)
                yield {"index": index, "fault": f"hangs for {PATIENCE} s"}
                break
            if not (piece := signs.read(2**16)):
                break
            *lines, text = (text + piece).split(b"\n")
            for line in lines:
                sign = json.loads(line)
                index, ended = sign["index"], bool(sign.get("ended"))
                yield sign
    _, status = os.waitpid(child, 0)
    if not ended and os.waitstatus_to_exitcode(status) != -signal.SIGKILL:
        code = os.waitstatus_to_exitcode(status)
        yield {"index": index, "fault": f"ends the whole process with {code}"}


def _child(maker: Maker, name: str, seed: int, indices: range, writer: int) -> None:
    """Never returns into the test that forked it."""

    def sign(**content: Any) -> None:
        os.write(writer, json.dumps(content).encode() + b"\n")

    try:
        faulthandler.disable()  # a crash is reported by the parent
        used = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        place = Path(tempfile.mkdtemp(prefix="fuzz-"))
        os.environ["COLUMNS"] = "200"  # no sentence, and no secret, is broken over two lines
        index = indices.start
        for index in indices:
            folder = place / "inner" / "input"  # what goes up a step or two stays inside
            folder.mkdir(parents=True)
            # Each input is the first that its ledger and this user see.
            os.environ["XDG_STATE_HOME"] = str(place / "inner" / "state")
            trial = trial_of(maker, name, seed, index, folder)
            sign(index=index, said=trial.said)
            fault, refused = fault_of(trial, folder)
            sign(index=index, **({"fault": fault} if fault else {"refused": refused}))
            shutil.rmtree(place / "inner", ignore_errors=True)
        shutil.rmtree(place, ignore_errors=True)
        sign(index=indices.stop - 1, ended=True)
        os._exit(0)
    except BaseException as error:
        sign(index=index, fault=f"the fuzzer itself fails: {error!r}")
        os._exit(3)
