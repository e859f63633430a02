"""Verdicts follow from the numbers: a run as the paper tells it, its opposite, and no run."""

import pytest

from papers.claim import BEYOND
from papers.outcome import Outcome, Outcomes
from papers.xu2019 import private_error, ratios
from papers.xu2019.accuracy import FREQUENT, accuracy_on
from papers.xu2019.corrected import corrected_claims
from papers.xu2019.directions import AG, EXACT, LIP, PPM, RANDOM
from papers.xu2019.private import LOP
from papers.xu2019.private_error import error_at
from papers.xu2019.published import claims, rising
from papers.xu2019.settings import RANKS, Settings, parts_of, ranks_upto
from papers.xu2019.shape import Shape

SHAPES = {
    name: Shape(name, 1000, width, 5, "Complete.", "format", 1.0, 10.0)
    for name, width in (("semeion", 40), ("waveform", 20))
}
RUN = Settings(trials=1, sets=tuple(SHAPES))


def told(*, as_the_paper: bool) -> Outcomes:
    """Made-up outcomes in which every claim holds, or every claim fails."""
    found, good = Outcomes(), as_the_paper

    def add(figure, who, epsilon, measure, value):
        found.add(Outcome(figure, who, epsilon, 0, measure, value))

    for name, shape in SHAPES.items():
        for k in ranks_upto(shape.width):
            theta = shape.width / (1000**1.5 * k**0.5) if good else 2.0 + k
            add("1", name, None, ratios.theta_at_rank(k), theta)
            add("3", name, 1.0, ratios.eta_at_rank(k), 0.5 / k if good else 2.0 + k)
        for n in parts_of(1000):
            add("2", name, None, ratios.theta_at_rows(n), 100 / n**1.5 if good else n)
        for epsilon in RUN.epsilons:
            add("4", name, epsilon, ratios.ERROR, epsilon / 20 if good else 20 / epsilon)
        worth = {AG: 3, LIP: 2, PPM: 1} if good else {AG: 1, LIP: 2, PPM: 3}
        for who, more in worth.items():
            for epsilon in RUN.budgets:
                gain = min(epsilon, 10) if good else -min(epsilon, 10)
                value = (
                    0.7 + 0.005 * more + 0.01 * gain if good else 0.7 + 0.03 * more + 0.01 * gain
                )
                add("5", who, epsilon, accuracy_on(name), value)
                add("5 private", who, epsilon, accuracy_on(name), value)
        add("5", RANDOM, None, accuracy_on(name), 0.3 if good else 0.99)
        add("5", FREQUENT, None, accuracy_on(name), 0.3 if good else 0.99)
        add("5", EXACT, None, accuracy_on(name), 0.99)
        for epsilon in RUN.budgets:
            for k in RANKS:
                eta = 0.5 * epsilon**0.01 / k if good else 2 * k / epsilon**0.01
                add("private", LIP, epsilon, error_at(name, k), 0.1 * eta**2)
                add("private", LOP, epsilon, error_at(name, k), 0.1)
                for who in (AG, PPM):
                    share = 0.5 if good else 2
                    add("private", who, epsilon, error_at(name, k), 0.1 * eta**2 * share)
            mean = 0.5 if good else 0.01
            add("private", private_error.MEAN, epsilon, error_at(name), mean)
    return found


def both(found, run=RUN):
    return claims(found, run, SHAPES) + corrected_claims(found, run, SHAPES)


def test_a_run_as_the_paper_tells_it_reaches_every_claim():
    judged = both(told(as_the_paper=True))
    figures = {claim.figure for claim in judged}
    assert figures == {"1", "2", "3", "4", "5", "3 private", "4 private", "5 private"}
    assert [claim.text for claim in judged if claim.verdict != "reached"] == []


def test_the_opposite_reaches_none():
    judged = both(told(as_the_paper=False))
    assert [claim.text for claim in judged if claim.verdict != "not reached"] == []


def test_a_data_set_where_a_claim_fails_is_named():
    found = told(as_the_paper=True)
    found.add(Outcome("1", "waveform", None, 1, ratios.theta_at_rank(10), 9.0))
    first = next(c for c in claims(found, RUN, SHAPES) if "below 1 at every k" in c.text)
    assert first.verdict == "reached in 1 of 2"
    assert first.ours.endswith("fails on waveform")


def test_what_was_not_run_is_not_judged():
    judged = claims(Outcomes(), RUN, SHAPES)
    assert {claim.verdict for claim in judged} == {"not run"}


@pytest.mark.parametrize("figure", ["1", "2", "3", "4", "5"])
def test_only_figures_asked_for_are_judged(figure):
    run = Settings(trials=1, figures=(figure,), sets=tuple(SHAPES))
    judged = both(told(as_the_paper=True), run)
    expected = {"3": {"3", "3 private", "4 private"}, "4": {"4", "3 private", "4 private"}}
    assert {c.figure for c in judged} == expected.get(
        figure, {figure, "5 private"} if figure == "5" else {figure}
    )


def test_questions_the_paper_does_not_ask_are_marked():
    asked = [c.text for c in both(told(as_the_paper=True)) if c.paper == BEYOND]
    assert any("random" in text for text in asked)
    assert any("public centre" in text for text in asked)
    assert not any("η rises" in text for text in asked)


def test_a_curve_that_stands_still_does_not_rise():
    assert rising([1.0, 2.0, 3.0]) is True
    assert rising([1.0, 1.0]) is False
    assert rising([float("nan"), 1.0]) is None


def test_the_first_budget_of_use_is_told():
    found = told(as_the_paper=True)
    (lip,) = (c for c in both(found) if c.text.startswith("lip errs less"))
    assert "semeion from ε = 0.1" in lip.ours
    (lip,) = (c for c in both(told(as_the_paper=False)) if c.text.startswith("lip errs less"))
    assert "waveform never" in lip.ours
