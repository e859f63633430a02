"""Verdicts: counted from cells, and silent about what was not run."""

import pytest

from papers.claim import judged, less, percent


@pytest.mark.parametrize(
    ("cells", "verdict"),
    [
        ([True, True], "reached"),
        ([False, None], "not reached"),
        ([True, False, None], "reached in 1 of 2"),
        ([None], "not run"),
        ([], "not run"),
    ],
)
def test_the_verdict_counts_what_was_run(cells, verdict):
    claim = judged("1", "text", "paper", "ours", cells)
    assert claim.verdict == verdict
    assert claim.ours == ("not run" if verdict == "not run" else "ours")


def test_a_comparison_with_nothing_is_no_comparison():
    assert less(1, 2) is True
    assert less(2, 1) is False
    assert less(float("nan"), 1) is less(1, float("inf")) is None


def test_shares_are_told_in_percent():
    assert percent(0.8531) == "85.3 %"
