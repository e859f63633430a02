"""The columns: what is typed is kept, judged beside its field, and becomes a schema."""

import json

import pytest

from sfumato.schema import Schema
from studio_world import studio

HEADER = "patient,age,weight,ward,admitted,outcome"
TYPED = {
    "k0": "id",
    "k1": "integer",
    "f1": "0..110",
    "k2": "number",
    "f2": "30..200 by 0.1",
    "m2": "on",
    "k3": "category",
    "f3": "cardiology, surgery; other: elsewhere",
    "k4": "date",
    "f4": "2024-01-01..2025-12-31",
    "k5": "category",
    "f5": "home, care; other: none",
    "y": "5",
    "known": "code book",
    "source": "hospital manual 2024",
    "unread": "on",
}
HERE = "/d/patients/schema"


@pytest.fixture
def visitor(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "patients.csv").write_text(f"{HEADER}\nP1,31,70,surgery,2024-05-01,home\n")
    with studio(tmp_path) as found:
        answers = {"file": "patients.csv", "header": "yes", "held": "secret"}
        found.post("/new", answers | {"unit": "one"})
        found.post(
            "/new",
            answers | {"unit": "several", "person": "patient", "rows": "8", "name": "visits"},
        )
        yield found


def schema_of(visitor, slug="patients"):
    return Schema.read(visitor.folder / "datasets" / slug / "schema.yaml")


def test_what_is_typed_becomes_the_schema(visitor):
    assert visitor.post(HERE, TYPED | {"do": "next"}).leads_to != f"{HERE}?check=1#open"
    found = schema_of(visitor)
    assert found.to_json()["columns"]["weight"] == {
        "kind": "number",
        "low": 30,
        "high": 200,
        "step": 0.1,
        "missing": "allowed",
        "source": "hospital manual 2024",
    }
    assert found.columns["patient"].kind == "id"
    assert (found.columns["ward"].other, found.columns["outcome"].other) == ("elsewhere", False)
    assert found.label == "outcome"
    notes = (visitor.folder / "datasets/patients/notes.yaml").read_text()
    assert "no range or value was read off the records: true" in notes


def test_how_the_file_writes_its_values_is_said_once_for_all_columns(visitor):
    said = {"numbers": "1.234,5", "dates": "31.12.2024", "absent": "k.A., -99"}
    visitor.post(HERE, TYPED | said | {"do": "next"})
    found = schema_of(visitor).to_json()["file"]
    assert found == {
        "decimal": ",",
        "thousands": ".",
        "format": "%d.%m.%Y",
        "missing_words": ["k.A.", "-99"],
    }
    page = visitor.get(HERE).text
    assert "selected>1.234,5</option>" in page
    assert "selected>31.12.2024</option>" in page
    assert 'value="k.A., -99"' in page


def test_what_a_code_book_says_of_the_file_is_shown_and_stays_until_it_is_changed(visitor):
    book = "file: {decimal: ',', encoding: latin-1, format: '%d %b %Y'}\ncolumns: {age: {kind: id}}"
    visitor.post(HERE, TYPED | {"do": "import", "pasted": book})
    page = visitor.get(HERE).text
    assert "selected>1234,5</option>" in page
    assert "selected>as the code book says</option>" in page
    said = {"numbers": "1234.5", "dates": "as the code book says", "absent": ""}
    visitor.post(HERE, TYPED | said | {"do": "next"})
    assert schema_of(visitor).to_json()["file"] == {"encoding": "latin-1", "format": "%d %b %Y"}


def test_rows_of_persons_become_a_schema_of_persons(visitor):
    typed = TYPED | {"do": "next", "who": "0", "rows": "8", "p1": "on"}
    visitor.post("/d/visits/schema", typed)
    found = schema_of(visitor, "visits")
    assert (found.person, found.rows_per_person) == ("patient", 8)
    assert found.columns["age"].per == "person"


@pytest.mark.parametrize("rows", ["", "0", "many", "-1", "9" * 9, "²"])
@pytest.mark.parametrize("who", ["", "0", "1", "99", "x"])
def test_rows_of_persons_need_a_number_and_a_column_that_is_never_released(visitor, rows, who):
    typed = TYPED | {"do": "next", "who": who, "rows": rows}
    assert visitor.post("/d/visits/schema", typed).leads_to.endswith("?check=1#open")
    assert visitor.get("/d/visits/schema?check=1").status == 200
    assert not (visitor.folder / "datasets/visits/schema.yaml").exists()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"f1": "110..0"}, "low must be below high"),
        ({"f1": "0..x"}, "whole numbers"),
        ({"f2": "0..1 by 0.3"}, "whole number of steps"),
        ({"f3": "a, a; other: none"}, "values must differ"),
        ({"f3": "a, b"}, "say what a value becomes"),
        ({"k1": "", "f1": ""}, "choose what it is"),
        ({"k1": "nonsense", "f1": ""}, "choose what it is"),
        ({"f4": "2025-12-31..2024-01-01"}, "low must be below high"),
        ({"source": ""}, "where ranges and values are known from"),
        ({"known": "rumour"}, "where ranges and values are known from"),
        ({"k0": "", "k1": "id", "k2": "id", "k3": "id", "k4": "id", "k5": "id"}, "choose"),
        ({f"k{k}": "id" for k in range(6)}, "at least one column besides the ids"),
        ({"f5": "home; other: none"}, "at least two values"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_written(visitor, change, said):
    reply = visitor.post(HERE, TYPED | change | {"do": "next"})
    assert reply.leads_to == f"{HERE}?check=1#open"
    assert said.lower() in visitor.get(f"{HERE}?check=1").text.lower()
    assert not (visitor.folder / "datasets/patients/schema.yaml").exists()


def test_without_the_word_that_no_record_was_looked_at_nothing_is_written(visitor):
    typed = {name: value for name, value in TYPED.items() if name != "unread"}
    assert "Confirm that no range" in visitor.send(HERE, typed | {"do": "next"}).text
    assert not (visitor.folder / "datasets/patients/schema.yaml").exists()


def test_a_message_stands_in_the_row_that_it_is_about_and_is_tied_to_its_field(visitor):
    found = visitor.send(HERE, TYPED | {"f2": "200..30", "do": "check"}).text
    row = next(part for part in found.split("<tr>") if "weight" in part and "name=k2 " in part)
    assert "Low must be below high: correct one of them." in row
    assert "aria-describedby=e2>" in row
    assert found.count("Low must be below high") == 1


def test_everything_typed_is_there_again_even_where_it_is_wrong(visitor):
    odd = '"><b>x</b> 110..0'
    found = visitor.send(HERE, TYPED | {"f1": odd, "do": "check"}).text
    assert "&#34;&gt;&lt;b&gt;x&lt;/b&gt; 110..0" in found
    assert 'value="30..200 by 0.1"' in found
    assert visitor.get(HERE).text.count(" checked") == 3  # weight may lack, outcome, the word


def test_columns_with_familiar_names_are_proposed_and_say_so(visitor):
    found = visitor.get(HERE).text
    row = next(part for part in found.split("<tr>") if "name=k1 " in part)
    assert "proposed: people live for 0 to 120 years" in row
    assert 'value="0..120"' in row
    assert "proposed" not in visitor.send(HERE, TYPED | {"do": "check"}).text


def test_a_change_takes_back_that_all_is_declared(visitor):
    visitor.post(HERE, TYPED | {"do": "next"})
    assert "Choose the promise" in visitor.get("/").text
    visitor.post(HERE, TYPED | {"f1": "0..100", "do": "check"})
    assert (
        json.loads((visitor.folder / "datasets/patients/draft.json").read_text())["declared"]
        is False
    )


def test_what_becomes_of_each_column_is_said_when_all_is_declared(visitor):
    found = visitor.send(HERE, TYPED | {"do": "check"}).text
    assert "All columns are declared" in found
    assert "0 … 110: 111 points; a missing one becomes the middle" in found


IDLE = "No column may lack a value"


@pytest.mark.parametrize(("lacks", "told"), [({}, True), ({"m1": "on"}, False)])
def test_words_for_missing_that_no_column_may_lack_are_hinted_at_and_not_refused(
    visitor, lacks, told
):
    typed = {name: one for name, one in TYPED.items() if not name.startswith("m")}
    typed |= {"absent": "NA", "do": "check", **lacks}
    found = visitor.send(HERE, typed).text
    assert (IDLE in found) == told
    assert "All columns are declared" in found
    assert IDLE not in visitor.send(HERE, typed | {"absent": ""}).text


def test_a_word_for_missing_of_a_column_that_may_not_lack_it_is_hinted_at_beside_it(visitor):
    said = "a record with a word for missing does not fit unless"
    typed = TYPED | {"f1": "0..110; missing: 999", "do": "check"}
    assert said in visitor.send(HERE, typed).text
    assert said not in visitor.send(HERE, typed | {"m1": "on"}).text


def test_records_are_read_for_proposals_only_where_they_were_said_to_be_public(visitor):
    reply = visitor.post(HERE, {"do": "propose"})
    assert (reply.status, "holds secrets" in reply.text) == (409, True)
    public = {"file": "patients.csv", "header": "yes", "unit": "one", "held": "public"}
    visitor.post("/new", public | {"name": "open sample"})
    found = visitor.send("/d/open-sample/schema", {"do": "propose"}).text
    assert "its records." in found
    assert "surgery" in found


def test_two_hundred_columns_are_one_page_and_are_judged_at_once(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "wide.csv").write_text(
        ",".join(f"lab_value_{k}" for k in range(200)) + "\n"
    )
    with studio(tmp_path) as visitor:
        visitor.post("/new", {"file": "wide.csv", "header": "yes", "unit": "one", "held": "secret"})
        typed = {"do": "check", "known": "law", "source": "x", "unread": "on"}
        for k in range(200):
            typed |= {f"k{k}": "number", f"f{k}": "0..100 by 0.1", f"m{k}": "on"}
        styles = sum(len(visitor.get(f"/static/studio.{kind}").body) for kind in ("css", "js"))
        for page in (visitor.get("/d/wide/schema?check=1"), visitor.send("/d/wide/schema", typed)):
            assert page.status == 200
            assert len(page.body) + styles < 150_000
        assert "All columns are declared" in visitor.seen[-1].text
