"""Figure 1: the people, the two ways of adding noise, and the scale of that noise."""

import numpy as np
import pytest
from scipy.stats import kstest

from papers.jiang2013 import people
from papers.jiang2013.people import ATTRIBUTES, COMPONENT, HIGH, LOW
from papers.jiang2013.settings import Settings
from papers.outcome import Outcomes

FALSE_ALARM = 1e-6  # chance that a correct mechanism fails one statistical test


def test_people_are_inside_the_ranges_tied_to_each_other_and_repeatable():
    points = people.people()
    assert ((points >= LOW) & (points <= HIGH)).all()
    assert np.corrcoef(points.T)[0, 1] > 0.8
    np.testing.assert_array_equal(points, people.people())
    assert not np.array_equal(points, people.people(2))


def test_noise_on_the_component_moves_everyone_along_the_diagonal_only():
    moved = people.noisy(people.people(), COMPONENT, 1.0, 3)
    along = (moved - LOW) / (HIGH - LOW)
    np.testing.assert_allclose(along[:, 0], along[:, 1], atol=1e-12)


@pytest.mark.parametrize(("way", "scale"), [(ATTRIBUTES, 2), (COMPONENT, 1)])
@pytest.mark.parametrize(("wrong", "passes"), [(1, True), (0.85, False), (1.2, False)])
def test_noise_has_the_scale_the_budget_calls_for_and_no_other(way, scale, wrong, passes):
    """Two attributes share ε; one component has it whole.  In units of the range, over ε."""
    points, epsilon = people.people(), 0.5
    diagonal = HIGH - LOW
    exact = (points - LOW) / diagonal
    if way == COMPONENT:
        exact = np.repeat(((points - LOW) @ diagonal / (diagonal @ diagonal))[:, None], 2, axis=1)
    noise = [
        ((people.noisy(points, way, epsilon, seed) - LOW) / diagonal - exact)[:, 0]
        for seed in range(90)
    ]
    drawn = np.concatenate(noise) * epsilon / scale
    assert (kstest(drawn / wrong, "laplace").pvalue > FALSE_ALARM) == passes


def test_every_cell_is_run_and_clipping_never_hurts():
    settings, found, ticks = Settings(trials=2, epsilons=(0.5, 2.0)), Outcomes(), []
    people.run(settings, found, ticks.append)
    assert len(ticks) == 4
    for way in (ATTRIBUTES, COMPONENT):
        for epsilon in (0.5, 2.0):
            free = found.values("1", way, epsilon, people.ERROR)
            inside = found.values("1", way, epsilon, people.INSIDE)
            assert len(free) == 2
            assert (inside < free).all()
