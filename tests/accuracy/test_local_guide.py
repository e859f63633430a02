"""The guide for local answers is true: its examples and its commands run."""

import doctest
import re
import shlex
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
from typer.testing import CliRunner

from sfumato.cli.application import app

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "local.md"
SURVEY = """
name: survey
columns:
  cheated: {kind: boolean}
  party: {kind: category, values: [left, right, none], other: none}
  income: {kind: integer, low: 0, high: 200}
"""


def test_every_example_says_what_happens():
    found = doctest.testfile(str(GUIDE), module_relative=False, encoding="utf-8")
    assert found.attempted > 10
    assert found.failed == 0


def test_every_command_runs_in_its_order(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    table = {
        "cheated": rng.random(300) < 0.1,
        "party": rng.choice(["left", "right", "none"], 300),
        "income": rng.integers(0, 90, 300),
    }
    pacsv.write_csv(pa.table(table), "survey.csv")
    Path("survey.yaml").write_text(SURVEY)
    commands = re.findall(r"^    sfumato (.+)$", GUIDE.read_text("utf-8"), flags=re.M)
    assert len(commands) == 3
    for command in commands:
        result = CliRunner().invoke(app, shlex.split(command))
        assert result.exit_code == 0, (command, result.output)
