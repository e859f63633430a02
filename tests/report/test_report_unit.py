"""What a release, its page and the terminal say of a person as the unit."""

import json
import re
from dataclasses import fields, replace

import pytest

from sfumato.cli.show import promise
from sfumato.plan import PERSON, RECORD
from sfumato.publishing.table import price, publish_plan
from sfumato.publishing.verify import checks
from sfumato.release.digest import digest
from sfumato.release.facts import facts_of
from sfumato.release.kind import ESTIMATE, KINDS, TABLE
from sfumato.report.html import html_page
from sfumato.report.officer import Account, officer_html
from visits_world import PEOPLE, ROWS, plan_for_persons, visits

NO_ACCOUNT = Account(**{field.name: "" for field in fields(Account)})


@pytest.fixture(params=["replace-one", "add-remove"])
def release(request, toy_people):
    return publish_plan(plan_for_persons({**PEOPLE, "neighbours": request.param}), visits())


@pytest.fixture(scope="module")
def of_rows():
    return publish_plan(price(ROWS, method="modips", epsilon=1, fit=False), visits())


def words(text):
    return re.sub(r"\s+", " ", re.sub(r"(?s)<style>.*?</style>|<[^>]+>", " ", text))


def test_the_certificate_names_the_person_and_the_bound(release):
    certificate = release.certificate
    assert certificate.unit == PERSON
    assert certificate.public_schema.people.rows == 64
    assert dict(facts_of(certificate))["protects"].startswith(f"{PERSON}; ")
    assert any("At most 64 rows of a person are used" in line for line in certificate.limits)


def test_the_terminal_says_that_a_person_is_hidden(release, of_rows, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    promise(release)
    assert "any one person with all of their rows" in capsys.readouterr().out.replace("\n", " ")
    promise(of_rows)
    assert "any one row: what it holds" in capsys.readouterr().out


def test_the_page_speaks_of_persons_wherever_it_spoke_of_rows(release, of_rows):
    said, before = words(html_page(release)), words(html_page(of_rows))
    assert f"Unit: {PERSON}." in said
    assert "odds of a guess about one person" in said
    assert "knows all rows of all persons but one" in said
    assert "Neighbours are two sets of persons" in said
    assert "a person with many records is many units" not in said
    assert "likely about that row" not in said
    assert f"Unit: {RECORD}." in before
    assert "odds of a guess about one row" in before
    assert "a person with many records is many units" in before


@pytest.mark.usefixtures("toy_people")
def test_under_replace_one_the_number_of_rows_is_not_public():
    release = publish_plan(plan_for_persons(), visits())
    assert "How many persons there are is public, how many rows is not" in words(html_page(release))


def test_the_officer_is_asked_about_the_unit_that_there_is(release, of_rows):
    said = words(officer_html(release, NO_ACCOUNT))
    assert f"Unit of privacy {PERSON}" in said
    assert "must protect: a person with all of their rows" in said
    before = words(officer_html(of_rows, NO_ACCOUNT))
    assert "must protect: one person is one record, or the weaker promise" in before


def test_kinds_have_words_for_persons_and_stay_themselves_otherwise():
    assert all(kind.in_words_of(RECORD) is kind for kind in KINDS)
    for kind in (TABLE, ESTIMATE):
        told = kind.in_words_of(PERSON)
        assert (told.name, told.section, told.rows) == (kind.name, kind.section, kind.rows)
        assert (told.about, told.record) == ("one person", "person")


def test_a_release_that_claims_persons_by_a_method_that_takes_rows_does_not_verify(tmp_path):
    plan = replace(plan_for_persons(), method="modips", sized=None)
    publish_plan(plan, visits(), folder=tmp_path / "release")
    failed = checks(tmp_path / "release").failed
    assert [check.name for check in failed] == ["plan"]
    assert "modips measures each row as a unit of its own" in failed[0].detail


def slipped_in(paper):
    """What a certificate states of persons."""
    return {"schema": {**paper["schema"], "person": "patient"}, "people": {"persons": 40}}


@pytest.mark.parametrize(
    "forge",
    [
        lambda paper: None,
        lambda paper: paper.update(unit=PERSON),
        lambda paper: paper.update(slipped_in(paper)),
        lambda paper: paper.update(unit=PERSON, **slipped_in(paper)),
    ],
    ids=["sound", "another unit", "a person slipped in", "both"],
)
def test_a_release_of_rows_cannot_be_made_one_of_persons_by_its_certificate(forge, tmp_path):
    plan = price(ROWS, method="modips", epsilon=1, fit=False)
    publish_plan(plan, visits(), folder=tmp_path / "release")
    place = tmp_path / "release" / "release.json"
    paper = json.loads(place.read_text())
    forge(paper)
    paper["seal"] = digest(paper)
    place.write_text(json.dumps(paper, indent=2, ensure_ascii=False) + "\n")
    failed = [check.name for check in checks(tmp_path / "release").failed]
    sound = paper["unit"] == RECORD and "person" not in paper["schema"]
    assert failed == ([] if sound else ["plan", "data"][: 1 + ("people" in paper)])
