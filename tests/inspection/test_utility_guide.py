"""The guide to utility is true: its examples run, and it names every measure and model."""

import doctest
from inspect import signature
from pathlib import Path

import pytest
from threadpoolctl import threadpool_limits

from sfumato import inspection

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "utility.md"


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    """Threads that wait for each other cost more than they save on tables this small."""
    with threadpool_limits(1):
        yield


@pytest.mark.slow
def test_the_examples_of_the_guide_run():
    found = doctest.testfile(str(GUIDE), module_relative=False, encoding="utf-8")
    assert found.attempted > 20
    assert found.failed == 0


def test_every_measure_and_model_is_in_the_guide():
    text = GUIDE.read_text(encoding="utf-8")
    measures = [name for name in inspection.__all__ if name.islower()]
    assert len(measures) == 19
    for name in (*measures, *inspection.MODELS):
        assert f"`{name}`" in text


def test_the_guide_and_the_package_say_that_scores_are_not_private():
    assert "not private" in GUIDE.read_text(encoding="utf-8")
    assert "NOT PRIVATE" in (inspection.__doc__ or "")
    public = {"noise_ratio", "sensitivity_gain"}  # of sizes alone: no table goes in
    matrices = {"matrix_distortion"}  # of what has no columns
    for name in inspection.__all__:
        if name.islower():
            measure = getattr(inspection, name)
            assert measure.__doc__.startswith("NOT PRIVATE") != (name in public), name
            bare = name in public | matrices
            assert ("schema" in signature(measure).parameters) != bare, name
