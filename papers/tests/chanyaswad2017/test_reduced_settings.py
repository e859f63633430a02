"""Who competes where, at which budgets."""

import pytest

from papers.chanyaswad2017.settings import ALPHAS, GRID, RANKS, TABLES, Settings
from sfumato.errors import ParameterError


@pytest.mark.parametrize(
    ("wrong", "rule"),
    [
        ({"trials": 0}, "trials must be at least 1"),
        ({"figures": ("V",)}, "figures must be of II, III, IV, 1, 2"),
        ({"epsilons": ()}, "at least one budget"),
    ],
)
def test_impossible_settings_are_refused_by_name(wrong, rule):
    with pytest.raises(ParameterError, match=rule):
        Settings(**wrong)


def test_twenty_trials_and_the_budget_of_the_tables_are_the_defaults():
    assert (Settings().trials, Settings().shown) == (20, 1.0)
    assert Settings(epsilons=(0.1, 0.7, 3.0)).shown == 0.7


@pytest.mark.parametrize("table", TABLES)
def test_every_rival_of_the_paper_takes_part(table):
    methods = {contender.method for contender in Settings().contenders[table]}
    assert {"compressive", "exponential", "modips", "jl-gauss"} < methods
    assert ("dp-pca" if table == "II" else "lop") in methods


def test_figure_one_alone_runs_the_reduced_method_and_nobody_else():
    settings = Settings(figures=("1",))
    for table in TABLES:
        ((contender, budgets),) = settings.wanted(table)
        assert contender.method.startswith("pca-gauss")
        assert contender.ranks is None
        assert budgets == settings.epsilons


def test_a_table_alone_is_at_its_budget():
    assert {budgets for _, budgets in Settings(figures=("III",)).wanted("III")} == {(1.0,)}
    assert not Settings(figures=("III",)).wanted("II")


def test_dimensions_are_given_from_few_to_many():
    assert all(list(ranks) == sorted(set(ranks)) for ranks in RANKS.values())


def test_the_grid_of_shares_is_for_bought_components_alone():
    settings = Settings(figures=(GRID,), trials=20)
    asked = [(table, c, budgets) for table in TABLES for c, budgets in settings.wanted(table)]
    assert {c.name.split(", ")[1] for _, c, _ in asked} == {"Lap-PCA", "AG-PCA"}
    assert {budgets for _, _, budgets in asked} == {(1.0,)}
    for _, contender, _ in asked:
        assert list(settings.shares(contender).items()) == [(None, 20), *((a, 5) for a in ALPHAS)]
    assert len(ALPHAS) == 9
    assert settings.steps == 4 * (20 + 9 * 5) + 2 * 20
    public = next(c for c in settings.contenders["III"] if c.public)
    assert settings.shares(public) == {None: 20}
