"""Verdicts follow from the numbers: a run as the paper tells it, its opposite, and no run."""

import pytest

from papers.chakrabarti2010 import learning, privacy
from papers.chakrabarti2010.learning import (
    BORDERS,
    EXACT,
    EXPECTED,
    LARGER,
    ORIGINAL,
    PLAIN,
    REALISED,
)
from papers.chakrabarti2010.published import claims
from papers.chakrabarti2010.settings import Settings
from papers.chakrabarti2010.views import DATA, PUBLIC
from papers.chakrabarti2010.writing import write_up
from papers.outcome import Outcome, Outcomes

SETTINGS = Settings()


def told(*, as_the_paper):
    """Made-up outcomes in which every claim on accuracies holds, or every claim fails."""
    found = Outcomes()
    for border in BORDERS:
        for view in (DATA, PUBLIC):
            measure = learning.accuracy(border, view)
            for figure in "23":
                found.add(Outcome(figure, ORIGINAL, None, 0, measure, 0.9))
                larger = 0.75 if as_the_paper else 0.95
                found.add(Outcome(figure, LARGER, None, 0, measure, larger))
                for j, epsilon in enumerate(SETTINGS.epsilons):
                    fall = -0.0005 * j if as_the_paper else 0.0005 * j
                    adult = (0.899, 0.9, 0.9, 0.9) if as_the_paper else (0.8, 0.8, 0.7, 0.8)
                    tumours = (0.8, 0.9, 0.9, 0.9) if as_the_paper else (0.8, 0.8, 0.7, 0.8)
                    means = adult if figure == "2" else tumours
                    names = (PLAIN, REALISED, EXPECTED, EXACT)
                    for name, mean in zip(names, means, strict=True):
                        found.add(Outcome(figure, name, epsilon, 0, measure, mean + fall))
    gap = 1.0 if as_the_paper else 1e-15
    for what in (privacy.MEANS, privacy.LAST):
        found.add(Outcome("3", privacy.LEAK, min(SETTINGS.epsilons), 0, what, gap))
    return found


def verdicts(found, figures=("2", "3")):
    return {claim.text: claim.verdict for claim in claims(found, Settings(figures=figures))}


def test_a_run_as_the_paper_tells_it_reaches_every_claim_on_accuracy():
    assert set(verdicts(told(as_the_paper=True)).values()) == {"reached"}


def test_the_opposite_reaches_none():
    assert set(verdicts(told(as_the_paper=False)).values()) == {"not reached"}


def test_what_did_not_run_is_not_judged():
    assert set(verdicts(Outcomes()).values()) == {"not run"}


def test_amplification_is_the_papers_for_one_attribute_alone():
    judged = claims(Outcomes(), Settings(figures=("4", "5")))
    reached = [claim.text for claim in judged if claim.verdict == "reached"]
    assert len(judged) == 12
    assert len(reached) == 3
    assert all(text.endswith(", one attribute") for text in reached)
    quoted = " ".join(claim.paper for claim in judged)
    for number in ("148", "0.13", "0.028"):
        assert number in quoted
    ours = " ".join(claim.ours for claim in judged)
    for number in ("148.4", "3.269e+06", "0.99969", "0.95661"):
        assert number in ours


@pytest.mark.parametrize("figure", ["2", "3", "4", "5"])
def test_only_figures_asked_for_are_judged(figure):
    judged = claims(told(as_the_paper=True), Settings(figures=(figure,)))
    assert {claim.figure for claim in judged} == {figure}


@pytest.mark.parametrize(("rows", "named"), [(None, "30,717"), (500, "500")])
def test_the_page_names_the_records_that_were_drawn(rows, named):
    page = write_up(Outcomes(), Settings(rows=rows), [], [])
    assert f"Of Adult's 45,222 complete records {named} are\n  drawn at random (30,717 in" in page
