"""Sums that are made once are the sums; releases made from them are the releases."""

from fractions import Fraction

import numpy as np
import pytest

from papers.chanyaswad2017.compete import Remembered, planned, released
from papers.chanyaswad2017.data import forests
from papers.chanyaswad2017.settings import CONTENDERS
from papers.tests.made_up_uci import made_up, write_uci
from papers.uci import load
from papers.xu2019.private import Kept
from sfumato.privacy.guarantee import ApproxDP, PureDP
from sfumato.table.statistic import Rows

ONCE = [c for c in CONTENDERS["III"] if not c.bought]
RECORDS = ("compressive", "lop", "exponential")


@pytest.fixture(scope="module")
def task(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    write_uci(folder, "covtype", made_up("covtype", 500, np.random.default_rng(0)))
    return forests(load("covtype", folder), "III", 1, None)


def rank_of(contender):
    return 5 if contender.ranks is None or contender.ranks else None


@pytest.mark.parametrize("contender", ONCE, ids=lambda c: c.name)
def test_a_release_from_remembered_sums_is_the_release(contender, task):
    kept = Kept(task.private, task.domain)
    memory = Remembered(kept, task.rows)
    for epsilon, seed in ((1.0, 1), (5.0, 2), (1.0, 1)):
        plan = planned(contender, task, epsilon, rank_of(contender))
        _, ours = released(plan, memory, 50, seed)
        _, plain = released(plan, kept, 50, seed)
        assert ours.equals(plain)
        assert ours.num_rows == (task.rows if contender.name in RECORDS else 50)


def test_only_the_first_sums_are_made(task):
    memory, calls = Remembered(Kept(task.private, task.domain), 10), []

    class Counted(Rows):
        def add(self, total, records):
            calls.append(len(records))
            return super().add(total, records)

    for _ in range(2):
        assert memory.fold(Counted()) == sum(calls) == task.rows


@pytest.mark.parametrize("shown", [7, 10_000])
def test_only_the_first_records_are_released_in_their_place(shown, task):
    kept = Kept(task.private, task.domain)
    kept.codes = [kept.codes[0][:5], kept.codes[0][5:]]  # a batch ends among them
    mapped = np.vstack(list(Remembered(kept, shown).parts()))
    np.testing.assert_array_equal(mapped, np.vstack(kept.codes)[:shown])


def test_components_that_are_bought_differ_so_nothing_may_be_remembered():
    assert [c.name.split(", ")[1] for c in CONTENDERS["IV"] if c.bought] == ["Lap-PCA", "AG-PCA"]


def test_budgets_are_pure_or_have_one_over_n(task):
    by_name = {c.name: c for c in CONTENDERS["III"]}
    pure = planned(by_name["pca-gauss-mixture, Lap-PCA"], task, 0.5, 2)
    assert pure.guarantee == PureDP("0.5")
    both = planned(by_name["pca-gauss-mixture, AG-PCA"], task, 0.5, 2)
    assert both.guarantee == ApproxDP("0.5", Fraction(1, task.rows))


def test_public_components_are_those_of_the_public_part(task):
    by_name = {c.name: c for c in CONTENDERS["III"]}
    plan = planned(by_name["pca-gauss-mixture, Pub-PCA"], task, 1.0, 2)
    assert plan.options["basis"]["rows"] == task.public.num_rows == 100
