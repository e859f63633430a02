"""What can be asked for, and seeds that do not depend on what else is run."""

import pytest

from papers.jiang2013.settings import Contender, Settings
from sfumato.errors import ParameterError


@pytest.mark.parametrize(
    ("wrong", "rule"),
    [
        ({"trials": 0}, "trials must be at least 1"),
        ({"rows": 99}, "rows must be at least 100"),
        ({"figures": ("5",)}, "figures must be of 1, 2, 3, 4"),
        ({"figures": ()}, "figures must be of 1, 2, 3, 4"),
        ({"epsilons": ()}, "at least one budget"),
    ],
)
def test_impossible_settings_are_refused_by_name(wrong, rule):
    with pytest.raises(ParameterError, match=rule):
        Settings(**wrong)


@pytest.mark.parametrize(
    ("contender", "epsilon", "rule"),
    [
        (Contender("no-such-method"), 1.0, "no method 'no-such-method'"),
        (Contender("identity-laplace", {"colour": "red"}), 1.0, "no option colour"),
        (Contender("identity-laplace"), -1.0, "epsilon must be"),
    ],
)
def test_what_cannot_be_planned_is_refused_before_anything_runs(contender, epsilon, rule):
    settings = Settings(figures=("2",), records=(contender,), epsilons=(epsilon,))
    with pytest.raises(ParameterError, match=rule):
        settings.check_prices()


def test_methods_of_figures_that_are_not_asked_for_are_not_planned():
    Settings(figures=("1",), records=(Contender("no-such-method"),)).check_prices()


def test_the_paper_compares_ten_ranks_with_two_baselines_and_three_class_methods():
    names = [contender.name for contender in Settings().contenders]
    assert names[0] == "dp-pca rank=1"
    assert names[9:12] == ["dp-pca rank=10", "identity-laplace", "exponential"]
    assert names[12:15] == ["dp-lda sampler=greedy", "diffgen score=max", "diffgen score=infogain"]
    assert Settings().epsilons == (0.1, 0.25, 0.5, 1.0, 1.25, 1.5)


def test_seeds_differ_by_cell_and_run_and_nothing_else():
    one, other = Settings(), Settings(trials=3, figures=("2",), epsilons=(0.5,))
    assert one.seed_of("2", "a", 0.5, 0) == other.seed_of("2", "a", 0.5, 0)
    cells = [("2", name, e, t) for name in "ab" for e in (0.1, 0.5) for t in range(9)]
    seeds = [settings.seed_of(*cell) for settings in (one, Settings(seed=2)) for cell in cells]
    assert len(set(seeds)) == len(seeds)
