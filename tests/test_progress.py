"""Progress shows itself to people at terminals and in notebooks, and to nobody else."""

import io
import sys
import types

import pyarrow as pa
import pytest

import sfumato as sf
from sfumato import progress
from sfumato.example import CLINIC, clinic


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Handle:
    """What IPython hands out for an output that is changed later."""

    def __init__(self, shown):
        self.shown = shown

    def update(self, bundle, *, raw):
        assert raw
        self.shown.append(bundle["text/plain"])


@pytest.fixture
def terminal(monkeypatch):
    """Sit down at one: called within the test, because pytest sets the streams before it."""

    def sit_down():
        out, err = Terminal(), Terminal()
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setattr(sys, "stdout", out)
        monkeypatch.setattr(sys, "stderr", err)
        return out, err

    return sit_down


@pytest.fixture
def notebook(monkeypatch):
    """A kernel that remembers every text it was shown."""
    shown = []

    def display(bundle, *, raw, display_id):
        assert raw
        assert display_id
        shown.append(bundle["text/plain"])
        return Handle(shown)

    shell = types.SimpleNamespace(kernel=object())
    package = types.ModuleType("IPython")
    package.get_ipython = lambda: shell
    package.display = types.ModuleType("IPython.display")
    package.display.display = display
    monkeypatch.setitem(sys.modules, "IPython", package)
    monkeypatch.setitem(sys.modules, "IPython.display", package.display)
    monkeypatch.setattr(progress, "_PAUSE", 0)
    return shown


def publish(**said):
    table = pa.table({"ill": [True, False, True] * 20})
    schema = {"name": "t", "columns": {"ill": {"kind": "boolean"}}}
    return sf.publish(table, schema=schema, epsilon=1, **said)


def test_a_terminal_sees_bars_on_standard_error_alone(terminal):
    out, err = terminal()
    publish()
    assert "reading records" in err.getvalue()
    assert out.getvalue() == ""


def test_one_word_switches_it_off(terminal, notebook):
    out, err = terminal()
    publish(progress=False)
    assert (out.getvalue(), err.getvalue(), notebook) == ("", "", [])


@pytest.mark.parametrize("which", ["stdout", "stderr"])
def test_nothing_is_shown_where_either_goes_into_a_file(terminal, monkeypatch, which):
    terminal()
    monkeypatch.setattr(sys, which, io.StringIO())
    publish()
    assert sys.stdout.getvalue() == sys.stderr.getvalue() == ""


def test_programs_without_standard_streams_publish_too(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    assert publish().certificate.rows == 60


def test_a_notebook_keeps_an_empty_line_and_is_never_told_a_number_of_records(notebook, capsys):
    publish()
    # Once: what does not fit and what the method measures are counted in one pass.
    assert notebook[:-1] == ["reading records", "writing the release"]
    assert notebook[-1] == ""
    assert capsys.readouterr() == ("", "")


def test_a_line_is_emptied_even_where_the_work_was_refused(notebook):
    def divide():
        with progress.working() as say:
            say("dividing")
            return 1 / 0

    with pytest.raises(ZeroDivisionError):
        divide()
    assert notebook == ["dividing", ""]


def test_short_work_shows_no_line_at_all(notebook, monkeypatch):
    monkeypatch.setattr(progress, "_PAUSE", 60)
    publish()
    assert notebook == []


def test_a_shell_without_a_kernel_is_no_notebook(notebook, monkeypatch):
    monkeypatch.setattr(sys.modules["IPython"], "get_ipython", lambda: types.SimpleNamespace())
    publish()
    assert notebook == []


def test_a_function_is_told_instead(terminal, notebook):
    told, (_, err) = [], terminal()
    publish(progress=lambda phase, rows: told.append((phase, rows)))
    assert set(told) == {("read", 60), ("write", 60)}
    assert (err.getvalue(), notebook) == ("", [])


@pytest.mark.slow
def test_other_long_work_shows_itself_as_well(notebook, tmp_path):
    budget = tmp_path / "budget.db"  # looks are counted in a ledger named by its path
    with sf.Ledger.create(budget) as ledger:
        ledger.grant("clinic", epsilon=1, reason="data board")
    patients, schema = clinic(120), sf.Schema.parse(CLINIC)
    release = sf.publish(patients, schema=schema, epsilon=1, seed=1, progress=False)
    assert sf.inspect(release, patients, ledger=budget).counted
    assert {"distributions", "attacks"} <= set(notebook)
    roads = pa.table({"source": ["x"], "target": ["y"], "weight": [3]})
    sf.publish_network(roads, directed=False, epsilon=1, high=9)
    sf.publish_stream([0, 1] * 8, horizon=16, epsilon=1, every=8)
    assert any(line.startswith("after 16 bits: ") for line in notebook)
    found = sf.compare(
        patients, schema, epsilons=[1], methods=["modips"], trials=1, ledger=str(budget)
    )
    assert found.methods == ("modips",)
    with sf.Ledger(budget) as ledger:
        assert sum(ledger.inspections("clinic").values()) == 2
    assert "trying methods: 1 of 1" in notebook
    assert notebook[-1] == ""


def test_a_wish_that_is_none_is_refused_before_anything_is_charged(tmp_path):
    with sf.Ledger.create(tmp_path / "budget.db") as ledger:
        ledger.grant("t", epsilon=1, reason="data board")
        with pytest.raises(sf.ParameterError, match="progress must be True, False or a function"):
            publish(progress="no", ledger=ledger)
        assert ledger.balance("t").releases == 0
