"""`sfumato publish` asks before it charges for what is hardly better than guessing."""

import os
import pty
import signal
import sys
from select import select

import pyarrow as pa
import pyarrow.csv as pacsv
import pytest
import yaml

import sfumato as sf
from commands import run
from sfumato.cli.demo import _spread
from sfumato.example import CLINIC, clinic

QUESTION = "Publish all the same? [y/N] "
SAID = "expected to be hardly better than guessing"
CTRL_C, PATIENCE = b"\x03", 2  # seconds, after which a person presses it again
WORDS = "publish few.csv --schema clinic.yaml --epsilon 1 --model forest --ledger budget.db -o r"


@pytest.fixture
def desk(tmp_path):
    """A table of too few records, and a ledger."""
    pacsv.write_csv(clinic(40), tmp_path / "few.csv")
    (tmp_path / "clinic.yaml").write_text(CLINIC)
    with sf.Ledger.create(tmp_path / "budget.db") as ledger:
        ledger.grant("clinic", sf.PureDP(2), reason="test")
    return tmp_path


def charged(desk):
    """What was published and charged, in releases; 0 only if nothing at all was left."""
    with sf.Ledger(desk / "budget.db") as ledger:
        releases = ledger.balance("clinic").releases
    left = {path.name for path in desk.iterdir()} - {
        "few.csv",
        "clinic.yaml",
        "budget.db",
        "budget.db.key",
    }
    assert left == ({"r"} if releases else set())
    return releases


def at_a_terminal(desk, typed, words=WORDS):
    """The exit code, and what is seen, where a person sits before it and types this."""
    child, terminal = pty.fork()
    if child == 0:
        # Whoever runs the tests in the background has Ctrl-C ignored, which a child would inherit.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.chdir(desk)
        os.environ |= {"COLUMNS": "200", "NO_COLOR": "1"}
        for name in [name for name in sys.modules if name.startswith("sfumato.cli")]:
            del sys.modules[name]  # what looked at the terminal when it was imported
        sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")  # noqa: SIM115
        sys.argv = ["sfumato", *words.split()]
        code = 99
        try:
            from sfumato.cli import main

            main()
            code = 0
        except SystemExit as leaving:
            code = int(leaving.code or 0)
        finally:
            sys.stdout.flush()
            os._exit(code)
    seen, answered = b"", False
    while True:
        if not select([terminal], [], [], PATIENCE)[0]:
            if answered and typed == CTRL_C:  # it came before the question was listened to
                os.write(terminal, typed)
            continue
        try:
            seen += os.read(terminal, 4_096)
        except OSError:  # the other end is closed
            break
        if not answered and QUESTION.encode() in seen:
            os.write(terminal, typed)
            answered = True
    _, status = os.waitpid(child, 0)
    os.close(terminal)
    return os.waitstatus_to_exitcode(status), seen.decode().replace("\r\n", "\n")


@pytest.mark.parametrize("typed", [b"n\n", b"\n", b"yup\n", b"\x04"], ids=ascii)
def test_anything_but_yes_leaves_everything_as_it_was(desk, typed):
    code, seen = at_a_terminal(desk, typed)
    assert (code, charged(desk)) == (1, 0)
    assert SAID in seen
    assert "nothing was charged or published" in seen


@pytest.mark.parametrize("typed", [b"y\n", b" YES \n"], ids=ascii)
def test_a_yes_publishes(desk, typed):
    code, seen = at_a_terminal(desk, typed)
    assert (code, charged(desk)) == (0, 1)
    assert SAID in seen[seen.index(QUESTION) :]  # the promise repeats it


def test_ctrl_c_at_the_question_leaves_everything_as_it_was(desk):
    code, seen = at_a_terminal(desk, CTRL_C)
    assert (code, charged(desk)) == (130, 0)
    assert "Traceback" not in seen
    assert "stopped: no file was left half-written" in seen


def test_nobody_is_asked_where_there_is_no_doubt(desk):
    pacsv.write_csv(clinic(300), desk / "few.csv")
    code, seen = at_a_terminal(desk, b"")
    assert (code, charged(desk)) == (0, 1)
    assert QUESTION not in seen


def test_without_a_terminal_it_is_refused_and_the_way_on_is_named(desk):
    done = run(WORDS, cwd=desk)
    assert (done.returncode, charged(desk)) == (1, 0)
    assert done.stderr.startswith("refused: The release is expected to be hardly better than")
    assert "Nothing was charged; add --yes to publish it all the same" in done.stderr


def test_yes_is_not_asked_again(desk):
    done = run(f"{WORDS} --yes", cwd=desk)
    assert (done.returncode, charged(desk)) == (0, 1)
    assert QUESTION not in done.stdout
    assert SAID in done.stdout
    again = run(WORDS, cwd=desk)
    assert again.returncode == 0
    assert "already released" in again.stdout


@pytest.mark.slow
def test_a_poor_demo_says_so(tmp_path):
    done = run("demo --epsilon 0.001 -o d", cwd=tmp_path)
    assert done.returncode == 0
    assert SAID in done.stdout
    assert "Warning" not in done.stderr


def test_an_agreement_shows_the_doubt(tmp_path):
    public = yaml.safe_load(CLINIC) | {"neighbours": "add-remove"}
    (tmp_path / "clinic.yaml").write_text(yaml.safe_dump(public))
    words = "party agree e --schema clinic.yaml --method mosaic --release s --party a --party b"
    said = run(f"{words} --epsilon 0.1 --delta 1e-9 --option records=60", cwd=tmp_path).stdout
    assert "hardly better than guessing" in " ".join(said.split())


def test_a_column_of_which_noise_leaves_no_value_is_drawn_empty():
    nothing, before = pa.array([None, None], pa.int64()), pa.array([1, 2, 3])
    assert set(_spread(nothing, before)) == {0.0}
