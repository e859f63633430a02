"""`sfumato audit` as a person meets it: verdicts, exit codes, pictures, refusals."""

from contextlib import contextmanager

import pytest
from typer.testing import CliRunner

from sfumato.cli import app
from sfumato.errors import MissingExtra, ParameterError, ReleaseError, SchemaError

pytestmark = pytest.mark.usefixtures("wide")

RUNNER = CliRunner(env={"COLUMNS": "160", "NO_COLOR": "1"})


def run(words, **kwargs):
    """With frozen noise on the small table alone, unless a test asks for more."""
    if "--effort" not in words and "--controls" not in words and words:
        words += " --effort 0"
    return RUNNER.invoke(app, ["audit", *words.split()], **kwargs)


@pytest.mark.slow
def test_a_sound_method_is_not_contradicted_and_the_exit_code_is_0():
    done = run("identity-laplace --epsilon 2 --runs 800 --seed 1")
    assert done.exit_code == 0, done.output
    for words in (
        "identity-laplace · 800 runs on each table",
        "2-differential privacy, replace-one",
        "smoker=False or smoker=True",
        "tables, settings: 1",
        "records: moved by 1 of its declared sensitivity",
        "all at their worst, under the noise that is drawn: epsilon 2 of 2",
        "planned for 6-differential privacy: caught for each of them",
        "an audit proves no privacy",
        "of 2, 99 % confidence",
        "at 6-differential privacy epsilon of at least",
        "not contradicted: epsilon of at least",
    ):
        assert words in done.stdout
    bars = [line for line in done.stdout.splitlines() if "▁" in line]
    assert [line.split()[-1] for line in bars] == ["smoker=False", "smoker=True"]


@pytest.mark.slow
def test_a_broken_method_is_caught_and_the_exit_code_is_1():
    words = "lip --epsilon 1 --option as_published=true --option rank=1 --runs 200 --seed 1"
    done = run(words + " --confidence 0.999999")
    assert done.exit_code == 1, done.output
    assert "caught: epsilon is at least" in done.stdout
    assert "never on the other table: more runs may raise the bound without end" in done.stdout
    assert "no guarantee: the rows are projected" in done.stdout
    assert "99.9999 % confidence" in done.stdout


@pytest.mark.slow
def test_a_fault_that_the_small_table_hides_is_caught_on_the_rich_ones(monkeypatch):
    from sfumato.synopsis import scatter

    honest = scatter.scatter
    monkeypatch.setattr(scatter, "scatter", lambda **k: honest(**(k | {"blocks": 0})))
    words = "lap-pca --epsilon 1 --runs 20 --seed 1"
    small = run(words)
    assert small.exit_code == 0
    done = run(words + " --effort 8")
    assert done.exit_code == 1, done.output
    assert "times the claimed sensitivity between" in done.stdout
    assert "caught: plain columns, replace-one: second moments" in done.stdout


def test_an_audit_without_power_says_so_and_proves_nothing():
    done = run("dp-lda --epsilon 1 --runs 20 --seed 1")
    assert done.exit_code == 0
    assert "no power: at 3-differential privacy only" in done.stdout


def test_gaussian_claims_are_shown_in_their_own_currency():
    done = run("modips --rho 0.5 --runs 100 --seed 1")
    assert done.exit_code == 0
    assert "rho " in done.stdout
    assert "epsilon" not in done.stdout
    both = run("modips --epsilon 1 --delta 0.01 --runs 40 --seed 1").stdout
    assert "at delta 0.01" in both
    assert "delta " in both


def test_an_own_schema_is_audited(tmp_path):
    schema = tmp_path / "own.yaml"
    schema.write_text(
        "{name: own, columns: {ward: {kind: category, values: [a, b, c], other: none}}}"
    )
    done = run(f"modips --epsilon 1 --runs 40 --schema {schema} --seed 1")
    assert done.exit_code == 0
    assert "ward=a or ward=" in done.stdout


@pytest.mark.parametrize(("name", "start"), [("a.svg", b"<?xml"), ("a.png", b"\x89PNG")])
def test_the_picture_is_written_whole_and_alone(name, start, tmp_path):
    done = run(f"modips --epsilon 1 --runs 100 --seed 1 --picture {tmp_path / name}")
    assert done.exit_code == 0
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_bytes().startswith(start)
    if name.endswith("svg"):
        text = (tmp_path / name).read_text()
        for words in ("log-likelihood ratio", "last record: smoker=True", "region:", "claimed 1"):
            assert words in text


@contextmanager
def interrupted(*_):
    """A progress bar during which Ctrl-C is pressed."""

    def tick(_phase, _runs):
        raise KeyboardInterrupt

    yield tick


def test_an_interrupted_audit_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr("sfumato.inspection.audit.auditing.phases", interrupted)
    done = run(f"modips --epsilon 1 --runs 100 --picture {tmp_path / 'a.svg'}")
    assert done.exit_code == 130
    assert list(tmp_path.iterdir()) == []


def test_a_picture_that_is_interrupted_half_way_leaves_the_old_one(tmp_path, monkeypatch):
    from matplotlib.figure import Figure

    def half(_self, path, **_):
        path.write_bytes(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr(Figure, "savefig", half)
    (tmp_path / "a.svg").write_text("the old one")
    done = run(f"modips --epsilon 1 --runs 40 --picture {tmp_path / 'a.svg'}")
    assert done.exit_code == 130
    assert [path.read_text() for path in tmp_path.iterdir()] == ["the old one"]


def test_a_picture_without_matplotlib_is_refused_before_the_runs(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    done = run(f"modips --epsilon 1 --picture {tmp_path / 'a.svg'}")
    assert isinstance(done.exception, MissingExtra)
    assert "pip install matplotlib" in str(done.exception)


def test_a_picture_that_cannot_be_written_is_refused_in_one_line(tmp_path, monkeypatch):
    from matplotlib.figure import Figure

    def full(_self, _path, **_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Figure, "savefig", full)
    done = run(f"modips --epsilon 1 --runs 40 --picture {tmp_path / 'a.svg'}")
    assert isinstance(done.exception, ReleaseError)
    assert "No space left" in str(done.exception)


@pytest.mark.parametrize(
    ("words", "error", "said"),
    [
        ("magic --epsilon 1", ParameterError, "no method 'magic'"),
        ("modips", ParameterError, "a budget is needed"),
        ("modips --epsilon 0", ParameterError, "epsilon must be"),
        ("modips --epsilon 1 --delta 2", ParameterError, "delta must be"),
        ("modips --epsilon 1 --rho 1", ParameterError, "either rho"),
        ("modips --epsilon 1 --runs 1", ParameterError, "runs must be"),
        ("modips --epsilon 1 --confidence 1", ParameterError, "confidence must be"),
        ("modips --epsilon 1 --option rank=2", ParameterError, "no option rank"),
        ("modips --epsilon 1 --schema nowhere.yaml", SchemaError, "nowhere.yaml"),
        ("modips --epsilon 1 --picture a.pdf", ParameterError, "must end in .svg or .png"),
        ("modips --epsilon 1 --picture nowhere/a.svg", ParameterError, "folder that exists"),
        ("identity-laplace --rho 1", ParameterError, "pure"),
        ("--controls --epsilon none", ParameterError, "epsilon must be"),
        ("modips --epsilon 1e12", ParameterError, "epsilon must be at most 100 in an audit"),
        ("modips --epsilon 1 --effort -1", ParameterError, "effort must be"),
        ("--controls --epsilon 1e12", ParameterError, "epsilon must be at most 100"),
    ],
)
def test_wrong_input_is_refused_by_name(words, error, said):
    done = run(words)
    assert isinstance(done.exception, error)
    assert said in str(done.exception)


@pytest.mark.parametrize(
    "words",
    ["", "modips --controls", "modips --epsilon 1 --option rank", "modips --runs many", "--huh"],
)
def test_wrong_usage_is_exit_code_2(words):
    assert run(words).exit_code == 2


@pytest.mark.slow
def test_every_control_is_caught_and_listed():
    from sfumato.inspection.audit.controls import BROKEN

    done = run("--controls --runs 3000 --seed 1")
    assert done.exit_code == 0, done.output
    assert done.stdout.count("yes") == len(BROKEN)
    for name in BROKEN:
        assert name.split()[0] in done.stdout
    assert "limited by the runs" in done.stdout


@pytest.mark.slow
def test_controls_that_are_missed_are_an_exit_code_of_1():
    done = run("--controls --runs 20 --epsilon 8 --seed 1")
    assert done.exit_code == 1
    assert "the audit missed one" in done.stdout
