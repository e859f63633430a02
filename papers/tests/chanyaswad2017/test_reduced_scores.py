"""Best cells, losses, intervals and who is better."""

import numpy as np
import pytest
from scipy.stats import t

from papers.chanyaswad2017.compete import at
from papers.chanyaswad2017.scores import Scores, half_width
from papers.outcome import Outcome, Outcomes


def told(table, cells):
    found = Outcomes()
    for (name, rank), values in cells.items():
        for trial, value in enumerate(values):
            found.add(Outcome(table, name, 1.0, trial, at(table, rank), value))
    return Scores(found, table, 20)


CELLS = {
    ("ours", 2): [0.9, 0.8],
    ("ours", 5): [0.3, 0.5],
    ("ours", 10): [0.6, 0.6],
    ("ours", 20): [0.99, 0.98],
    ("plain", None): [0.1, 0.2],
}


@pytest.mark.parametrize(("table", "rank"), [("II", 10), ("III", 2), ("IV", 5)])
def test_the_best_cell_reduces_and_counts_from_the_fewest_dimensions(table, rank):
    assert told(table, CELLS).best("ours", 1.0).rank == rank


def test_a_method_without_components_has_one_cell_and_an_unknown_one_has_none():
    scores = told("III", CELLS)
    assert scores.best("plain", 1.0).mean == pytest.approx(0.15)
    assert np.isnan(scores.best("nobody", 1.0).mean)
    assert np.isnan(scores.best("ours", 3.0).mean)


def test_curves_run_over_all_ranks_in_order():
    assert [cell.rank for cell in told("III", CELLS).curve("ours", 1.0)] == [2, 5, 10, 20]


@pytest.mark.parametrize(("table", "sign"), [("II", 1), ("III", 1), ("IV", -1)])
def test_a_loss_is_positive_where_the_release_is_worse(table, sign):
    scores = told(table, {("low", None): [0.1, 0.1], ("high", None): [0.4, 0.4]})
    low, high = (scores.cell(name, 1.0) for name in ("low", "high"))
    assert scores.loss(low, high) == pytest.approx(sign * 0.3)


def test_a_loss_is_to_the_median_of_records_that_score_in_two_ways():
    scores = told("II", {("real", None): [0.29, 0.29, 0.17], ("ours", None): [0.1, 0.2]})
    assert scores.loss(scores.cell("ours", 1.0), scores.cell("real", 1.0)) == pytest.approx(0.14)


@pytest.mark.parametrize(("table", "better"), [("III", True), ("IV", False)])
def test_better_means_the_right_direction_and_significant(table, better):
    far = {("a", None): [0.9, 0.91, 0.92], ("b", None): [0.1, 0.11, 0.12]}
    scores = told(table, far)
    assert scores.better(scores.cell("a", 1.0), scores.cell("b", 1.0)) is better
    assert scores.better(scores.cell("b", 1.0), scores.cell("a", 1.0)) is not better
    near = told(table, {("a", None): [0.1, 0.9], ("b", None): [0.2, 0.85]})
    for first, second in ("ab", "ba"):
        assert near.better(near.cell(first, 1.0), near.cell(second, 1.0)) is False


def test_what_was_not_run_is_not_judged():
    scores = told("III", CELLS)
    assert scores.better(scores.best("nobody", 1.0), scores.best("plain", 1.0)) is None


def test_intervals_are_those_of_student(rng):
    values = rng.normal(size=12)
    low, high = t.interval(0.95, 11, values.mean(), values.std(ddof=1) / np.sqrt(12))
    assert half_width(values) == pytest.approx((high - low) / 2)
    assert np.isnan(half_width([1.0]))
