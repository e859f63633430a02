"""The judge of the fuzzer bites: what must not happen is found, what may happen is not."""

import logging
import os
import sys
import time
import warnings

import pytest

from fuzz.judge import Trial, command
from fuzz.running import failures
from sfumato.errors import DataError, MissingExtra

CELL = "Qzqvxsecret"


def refuse(error):
    raise error


def leave(code):
    sys.exit(code)


def chained():
    try:
        int(CELL)
    except ValueError as error:
        raise DataError("column age is wrong") from error


def hidden():
    try:
        int(CELL)
    except ValueError:
        raise DataError("column age is wrong") from None


def busy():
    while True:
        pass


FAULTS = {
    "an error that quotes a cell": (lambda _: refuse(ValueError(CELL)), "tells a secret"),
    "an error of another kind": (lambda _: refuse(KeyError("x")), "raises KeyError"),
    "a refusal that quotes a cell": (lambda _: refuse(DataError(CELL)), "tells a secret"),
    "a cause that quotes a cell": (lambda _: chained(), "tells a secret"),
    "a printed cell": (lambda _: print(CELL), "tells a secret"),
    "a logged cell": (lambda _: logging.getLogger("x").error(CELL), "tells a secret"),
    "a warning of a cell": (lambda _: warnings.warn(CELL, stacklevel=1), "tells a secret"),
    "a warning": (lambda _: warnings.warn("x", RuntimeWarning, stacklevel=1), "warns: Runtime"),
    "a file name": (lambda folder: (folder / CELL).touch(), "a file name holds a secret"),
    "a file": (lambda folder: (folder / "a").write_text(f"x{CELL}"), "a holds a secret"),
    "a wordless refusal": (lambda _: refuse(DataError("")), "refuses without a word"),
    "an exit code": (lambda _: leave(3), "exit code 3"),
    "memory": (lambda _: bytearray(2**40), "raises MemoryError"),
    "a process that ends": (lambda _: os._exit(9), "ends the whole process with 9"),
    "a process that is killed": (lambda _: os.abort(), "ends the whole process with -6"),
}
FINE = {
    "nothing": lambda _: None,
    "a refusal": lambda _: refuse(DataError("column age: give a number")),
    "a missing extra": lambda _: refuse(MissingExtra("pip install it")),
    "a refusal that hides its cause": lambda _: hidden(),
    "an exit code": lambda _: leave(2),
    "a command": lambda _: command("methods")(),
    "a refused command": lambda _: command("verify", "nowhere")(),
    "an input that holds a secret": lambda folder: (folder / "input").read_text(),
}


def found(act, *, private=False):
    def maker(_, folder):
        (folder / "input").write_text(CELL)
        return Trial(lambda: act(folder), "an input", (CELL,), private)

    return [failure.fault for failure in failures(maker, "control", 0, range(2))[0]]


@pytest.mark.parametrize("name", FAULTS)
def test_every_fault_is_found_in_each_input(name):
    act, fault = FAULTS[name]
    faults = found(act)
    assert len(faults) == 2
    assert all(text.startswith(fault) for text in faults), faults


@pytest.mark.parametrize("name", FINE)
def test_what_may_happen_is_not_found(name):
    assert found(FINE[name]) == []


def test_a_refusal_is_a_fault_where_only_a_private_cell_differs():
    assert found(FINE["a refusal"], private=True) == ["refuses because of a private cell"] * 2
    assert found(FINE["an exit code"], private=True) == ["refuses because of a private cell"] * 2
    assert found(FINE["nothing"], private=True) == []


def test_an_input_that_takes_too_long_is_stopped(monkeypatch):
    monkeypatch.setattr("fuzz.judge.SECONDS", 0.2)
    assert found(lambda _: busy()) == ["takes more than 0.2 s of processor time"] * 2


def test_an_input_that_hangs_is_killed(monkeypatch):
    monkeypatch.setattr("fuzz.running.PATIENCE", 0.5)
    assert found(lambda _: time.sleep(60)) == ["hangs for 0.5 s"] * 2


def test_the_same_seed_makes_the_same_inputs(tmp_path):
    from fuzz.running import trial_of
    from fuzz.test_fuzz import KINDS

    for kind, (maker, _) in KINDS.items():
        said = []
        for turn in range(2):
            folder = tmp_path / f"{kind}{turn}" / "input"
            folder.mkdir(parents=True)
            made = trial_of(maker, kind, 3, 0, folder).said
            said.append(made.replace(str(folder), ""))
        assert said[0] == said[1], kind
