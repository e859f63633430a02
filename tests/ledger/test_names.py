"""Names of data sets that are almost the same."""

import pytest

from sfumato.errors import LedgerError
from sfumato.ledger.names import almost, no_mistake
from sfumato.ledger.rules import unknown


@pytest.mark.parametrize(
    ("name", "known", "meant"),
    [
        ("adlut", ["adult", "clinic"], "adult"),
        ("ADULT", ["adult"], "adult"),
        ("clinc", ["adult", "clinic"], "clinic"),
        ("survey 2026", ["adult", "clinic"], None),
        ("a", ["b"], None),
        ("ab", ["ac"], None),
        ("adult", [], None),
        ("survey-2026", ["survey-2025"], None),
        ("wave 3 of 12", ["wave 2 of 12", "wave 3 of 11"], None),
        ("Survey-2026", ["survey-2025", "survey-2024"], None),
        ("survey-02025", ["survey-2025"], "survey-2025"),
        ("survye-2026", ["survey-2025", "survey-2026"], "survey-2026"),
        ("survye-2026", ["survey-2025"], "survey-2025"),
        ("clinic2", ["clinic"], "clinic"),
        ("\u00e9", ["e\u0301"], "e\u0301"),
        ("Klinik Su\u0308d", ["Klinik S\u00fcd", "Klinik Nord"], "Klinik S\u00fcd"),
    ],
)
def test_the_name_that_was_probably_meant_is_found_and_no_other(name, known, meant):
    assert almost(name, known) == meant


def test_the_most_similar_of_several_is_named():
    assert almost("clinic-nort", ["clinic-north", "clinic-sort", "clinic"]) == "clinic-north"


def test_the_refusal_says_how_to_open_the_account_and_quotes_the_name_for_a_shell():
    with pytest.raises(LedgerError, match=r"create-dataset 'the clinic; ls' --reason"):
        no_mistake("the clinic; ls", ["the clinic; l"])
    no_mistake("survey", ["clinic", "adult"])


def test_whoever_asks_for_a_mistyped_name_is_told_the_one_that_was_meant():
    assert "did you mean 'clinic', which has one? If not: grant it" in str(
        unknown("clinik", ["clinic", "adult"])
    )
    assert "mean" not in str(unknown("visits", ["clinic", "adult"]))
