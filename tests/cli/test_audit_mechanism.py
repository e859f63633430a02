"""`sfumato audit` of networks, streams, counts and choices, as a person meets it."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from seeded_faults import distance_rounded_down
from sfumato.cli import app
from sfumato.cli.audit import MECHANISMS as NAMED
from sfumato.inspection.audit.mechanisms import MECHANISMS

pytestmark = pytest.mark.usefixtures("wide")

RUNNER = CliRunner(env={"COLUMNS": "160", "NO_COLOR": "1"})


def run(words):
    return RUNNER.invoke(app, ["audit", *words.split()])


def test_the_help_names_every_mechanism():
    assert tuple(MECHANISMS) == NAMED
    shown = run("--help").stdout
    for name in MECHANISMS:
        assert name in shown


def test_the_guide_has_the_command_of_every_mechanism():
    guide = (Path(__file__).parents[2] / "docs" / "guide" / "audit.md").read_text("utf-8")
    for name in MECHANISMS:
        assert f"    sfumato audit {name}" in guide


@pytest.mark.slow
def test_a_sound_mechanism_is_not_contradicted_and_the_exit_code_is_0():
    done = run("private-choice --runs 600 --seed 1 --epsilon 2")
    assert done.exit_code == 0, done.output
    for words in (
        "private-choice · one of several methods",
        "a choice between two methods",
        "epsilon 2",
        "1 of the promise",
        "the draw of the judge",
        ": caught",
        "600 runs on each of two neighbours, 99 % confidence",
        "not contradicted: no pair of neighbours costs more than 1 of what is promised",
    ):
        assert words in done.stdout


@pytest.mark.slow
def test_a_broken_mechanism_is_caught_and_the_exit_code_is_1(monkeypatch):
    distance_rounded_down(monkeypatch)
    done = run("edge-laplace --runs 20 --seed 1")
    assert done.exit_code == 1, done.output
    assert "more than promised" in done.stdout
    assert "a weight just below a border, that weight by 3/5: costs 1.5 times" in done.stdout


@pytest.mark.parametrize("option", ["--schema x.yaml", "--option rank=1", "--picture a.svg"])
def test_what_is_for_tables_alone_is_refused(option):
    done = run(f"counter {option}")
    assert done.exit_code == 2
    assert "is for methods for tables" in done.output
