"""The start page: what there is, what is left, what stopped, and what to do next."""

import re
from threading import Event

import pytest

from sfumato.errors import LedgerError
from sfumato.ledger import Ledger
from sfumato.privacy.guarantee import PureDP
from sfumato.studio import warming
from studio_world import studio


@pytest.fixture
def visitor(tmp_path):
    with studio(tmp_path) as found:
        yield found


def test_an_empty_folder_says_where_files_go_and_offers_the_made_up_clinic(visitor):
    found = visitor.get("/").text
    assert f"{visitor.folder}/data" in found
    assert "Try with a made-up clinic" in found
    assert "nothing but the names of the files" in found


def test_the_made_up_clinic_has_a_schema_at_once_and_is_offered_once(visitor):
    assert "Confirm" not in visitor.send("/example").text
    page = visitor.get("/d/made-up-clinic/schema?check=1").text
    assert "All columns are declared" in page
    assert "<li>made up</li>" in page
    assert "Try with" not in visitor.get("/").text
    assert visitor.post("/example").status == 409


def test_columns_that_are_all_declared_are_to_be_confirmed(visitor):
    visitor.post("/example")
    found = visitor.get("/").text
    assert "9 of 9 columns declared" in found
    assert ">Confirm the columns<" in found


def test_what_is_left_of_a_budget_is_shown_beside_looks_and_releases(visitor):
    visitor.post("/example")
    assert "nothing granted yet" in visitor.get("/").text
    with Ledger.create(visitor.folder / "budget.db") as ledger:
        ledger.grant("made-up-clinic", epsilon=4, reason="board")
        ledger.grant("elsewhere <b>", epsilon=1, delta="1e-9", reason="board")
        ledger.inspect("made-up-clinic", what="fit")
        ledger.reserve("r-1", "made-up-clinic", PureDP(1), plan="c0ffee00", protects="one record")
        ledger.draw("r-1", None)
    found = visitor.get("/").text
    row = next(part for part in found.split("<tr>") if "made-up-clinic</th>" in part)
    assert "ε 3 left of ε 4" in row
    assert 'value="75"' in row
    assert '<td data-of="Releases"><a href="/ledger/made-up-clinic">1<' in row
    assert '<td data-of="Looks">1</td>' in row
    assert "elsewhere &lt;b&gt;" in found
    assert "known to the ledger alone" in found
    assert "<code>r-1</code>" in found


def test_a_damaged_ledger_is_said_in_words(visitor):
    (visitor.folder / "budget.db").write_bytes(b"no ledger at all")
    reply = visitor.get("/")
    with pytest.raises(LedgerError) as refusal:
        Ledger(visitor.folder / "budget.db")
    assert reply.status == 409
    assert str(refusal.value).partition(" ")[2][:20] in reply.text
    assert visitor.said == []


def test_a_data_set_to_which_nothing_was_granted_has_no_bar(visitor):
    with Ledger.create(visitor.folder / "budget.db") as ledger:
        ledger.create_dataset("survey", reason="next")
    for path in ("/", "/ledger"):
        found = visitor.get(path).text
        assert "survey" in found
        assert "<progress" not in found
        assert "nothing left of nothing" not in found


def test_who_received_a_release_is_told_how_to_open_it(visitor):
    found = visitor.get("/").text
    assert "Open a release I received" in found
    assert "sfumato studio --received <i>FOLDER</i>" in found


def test_what_the_promise_needs_is_loaded_after_the_first_page_and_once(visitor, monkeypatch):
    asked = Event()
    monkeypatch.setattr(warming, "_AFTER", 0.01)
    monkeypatch.setattr(warming, "offered", lambda *_, **__: asked.set())
    warming.warm_up.cache_clear()
    visitor.get("/new")
    assert warming.warm_up.cache_info().misses == 0
    for _ in range(2):
        visitor.get("/")
    assert asked.wait(10)
    assert warming.warm_up.cache_info().misses == 1


def test_files_that_can_be_begun_are_named_and_lead_to_the_questions_about_them(visitor):
    data = visitor.folder / "data"
    for name in ("patients.csv", "visits & more.parquet", "notes.pdf", "README.txt"):
        (data / name).write_text("age,ward\n31,a\n")
        (data / name).chmod(0)
    found = visitor.get("/").text
    assert "Nothing here yet" not in found
    ways = re.findall(r'href="(/new\?file=[^"]*)">Begin with ([^<]*)<', found)
    assert [name for _, name in ways] == ["patients.csv", "visits &amp; more.parquet"]
    for way, name in ways:
        assert f'name="file" value="{name}" checked' in visitor.get(way).text
    (data / "patients.csv").chmod(0o600)
    answers = {"file": "patients.csv", "header": "yes", "unit": "one", "held": "secret"}
    visitor.send("/new", answers)
    found = visitor.get("/").text
    assert "Begin with patients.csv" not in found
    assert "Begin with visits" in found
    assert " checked" not in visitor.get("/new?file=elsewhere").text.partition("</fieldset>")[0]


def test_many_files_are_not_all_named(visitor):
    for k in range(30):
        (visitor.folder / "data" / f"f{k:02}.csv").touch()
    found = visitor.get("/").text
    assert found.count("Begin with") == 12
    assert "and 18 more" in found


def test_files_that_lie_beside_the_data_folder_are_named_until_there_is_something_in_it(visitor):
    for name in ("patients.csv", "notes.pdf", ".hidden.csv"):
        (visitor.folder / name).write_text("age\n31\n")
    Ledger.create(visitor.folder / "budget.db").close()
    assert "beside that folder and not in it: patients.csv. Move" in visitor.get("/").text
    (visitor.folder / "patients.csv").rename(visitor.folder / "data" / "patients.csv")
    found = visitor.get("/").text
    assert "beside that folder" not in found
    assert "Begin with patients.csv" in found
