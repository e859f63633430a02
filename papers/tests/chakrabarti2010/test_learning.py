"""Borders, folds and learners on made-up tables."""

import numpy as np
import pytest

from papers.chakrabarti2010 import learning
from papers.chakrabarti2010.learning import (
    BAYES,
    BORDERS,
    EXACT,
    EXPECTED,
    LARGER,
    LEARNERS,
    LEAST,
    ORIGINAL,
    PLAIN,
    REALISED,
    accuracy,
    least_error,
)
from papers.chakrabarti2010.settings import Settings
from papers.chakrabarti2010.tables import Labelled
from papers.chakrabarti2010.views import DATA, PUBLIC, View
from papers.outcome import Outcomes

SOFT = View(
    low=np.full(4, -9.0),
    high=np.full(4, 9.0),
    centre=np.zeros(4),
    scale=np.full(4, 18.0),
    basis=np.eye(4),
    ranges=np.ones(4),
)


def ignore(what):
    pass


@pytest.fixture(scope="module")
def measured():
    rng = np.random.default_rng(5)
    y = rng.random(1_500) < 0.2
    table = Labelled(rng.normal(size=(1_500, 4)) + 1.5 * y[:, None], y)
    settings, found, ticks = Settings(trials=2, epsilons=(1000.0, 4.0)), Outcomes(), []
    learning.run("2", table, SOFT, settings, found, ticks.append)
    return table, settings, found, ticks


def test_every_learner_border_view_level_and_repetition_is_measured(measured):
    _, settings, found, ticks = measured
    assert len(ticks) == settings.steps // 2 == 8  # the settings count two figures
    for learner in LEARNERS:
        for border in BORDERS:
            for view in (DATA, PUBLIC):
                for epsilon in settings.epsilons:
                    values = found.values("2", learner, epsilon, accuracy(border, view))
                    assert len(values) == 2
                    assert ((values > 0) & (values < 1)).all()


def test_with_hardly_any_noise_all_learners_reach_the_original(measured):
    _, _, found, _ = measured
    for border in BORDERS:
        for view in (DATA, PUBLIC):
            measure = accuracy(border, view)
            original = found.summary("2", ORIGINAL, None, measure)[0]
            for learner in LEARNERS:
                assert found.summary("2", learner, 1000.0, measure)[0] == pytest.approx(
                    original, abs=0.01
                )


def test_under_noise_knowing_its_law_saves_the_smaller_class(measured):
    _, _, found, _ = measured
    measure = accuracy(BAYES, DATA)
    plain, ours, told, larger = (
        found.summary("2", who, epsilon, measure)[0]
        for who, epsilon in ((PLAIN, 4.0), (EXPECTED, 4.0), (REALISED, 4.0), (LARGER, None))
    )
    assert plain < larger + 0.02
    assert min(ours, told) > plain + 0.03


def test_guessing_the_larger_class_is_as_good_as_it_is_large(measured):
    table, _, found, _ = measured
    measure = accuracy(BAYES, DATA)
    larger = found.summary("2", LARGER, None, measure)[0]
    assert larger == pytest.approx(1 - table.y.mean(), abs=1e-9)


def test_the_same_seed_gives_the_same_numbers_and_another_seed_others(measured):
    table, settings, found, _ = measured

    def numbers(seed):
        again = Outcomes()
        learning.run(
            "2", table, SOFT, Settings(trials=2, epsilons=(4.0,), seed=seed), again, ignore
        )
        return [again.values("2", EXACT, 4.0, accuracy(LEAST, view)) for view in (DATA, PUBLIC)]

    first = [found.values("2", EXACT, 4.0, accuracy(LEAST, view)) for view in (DATA, PUBLIC)]
    np.testing.assert_array_equal(numbers(settings.seed), first)
    assert not np.array_equal(numbers(2), first)


@pytest.mark.parametrize("ties", [False, True])
def test_no_other_border_errs_less(ties, rng):
    scores = rng.normal(size=60)
    y = scores + rng.normal(size=60) > 0
    if ties:  # as good as all records in the second class
        y[:] = True
    at = least_error(scores, y)
    errors = [np.mean((scores > b) != y) for b in np.concatenate([scores, [-9.0, 9.0]])]
    assert np.mean((scores > at) != y) <= min(errors)


def test_the_border_of_least_error_may_give_all_to_one_class():
    assert least_error(np.array([1.0, 2.0]), np.array([False, False])) == np.inf
    assert least_error(np.array([1.0, 2.0]), np.array([True, True])) == -np.inf
