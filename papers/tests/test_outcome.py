"""Outcomes: cells, summaries, and a CSV with every trial."""

import csv

import numpy as np
import pytest

from papers.outcome import Outcome, Outcomes


def some():
    found = Outcomes()
    for trial, value in enumerate([1.0, 0.1 + 0.2, 3.0]):
        found.add(Outcome("2", "a", 0.5, trial, "error", value))
    found.add(Outcome("2", "b", None, 0, "error", 7.0))
    found.add(Outcome("3", "c", 0.5, 0, "error", 8.0))
    return found


def test_a_cell_holds_its_own_trials_in_order():
    assert some().values("2", "a", 0.5, "error").tolist() == [1.0, 0.1 + 0.2, 3.0]
    assert some().values("2", "a", 0.25, "error").size == 0


def test_the_summary_is_mean_and_sample_deviation():
    mean, spread = some().summary("2", "a", 0.5, "error")
    assert mean == pytest.approx(np.mean([1, 0.3, 3]))
    assert spread == pytest.approx(np.std([1, 0.3, 3], ddof=1))


def test_too_few_trials_leave_figures_undefined():
    mean, spread = some().summary("2", "b", None, "error")
    assert mean == 7
    assert np.isnan(spread)
    assert np.isnan(some().summary("2", "nobody", None, "error")).all()


def test_contenders_are_listed_once_by_figure():
    assert some().contenders("2") == ["a", "b"]
    assert some().contenders("3") == ["c"]


def test_the_file_keeps_every_digit(tmp_path):
    some().write(tmp_path / "results.csv")
    with (tmp_path / "results.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(some()) == 5
    assert [float(row["value"]) for row in rows] == [row.value for row in some()]
    assert [row["epsilon"] for row in rows] == ["0.5", "0.5", "0.5", "", "0.5"]
