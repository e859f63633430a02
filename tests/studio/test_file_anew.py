"""The questions about a file, answered anew: what stays, and what goes once that is said."""

import json
import re

import pytest

from jobs_world import NAME, REVIEW, World, confirmed
from sfumato.ledger import Ledger
from studio_world import studio

BEFORE = "age,ward,note\n31,surgery,x\n"
ANSWERS = {"file": "patients.csv", "header": "yes", "unit": "one", "held": "secret"}
HERE, COLUMNS = "/d/patients/file", "/d/patients/schema"
TYPED = {
    "k0": "integer",
    "f0": "0..99",
    "k1": "category",
    "f1": "care, surgery; other: none",
    "m1": "on",
    "y": "1",
    "k2": "id",
    "known": "code book",
    "source": "manual, page 12",
    "unread": "on",
}


def draft(visitor):
    return json.loads((visitor.folder / "datasets/patients/draft.json").read_text())


def names(visitor):
    return [column["name"] for column in draft(visitor)["columns"]]


def mark(reply):
    return re.search('name="columns" value="([0-9a-f]+)"', reply.text)[1]


def write(visitor, text, name="patients.csv"):
    (visitor.folder / "data" / name).write_text(text)


@pytest.fixture
def visitor(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "patients.csv").write_text(BEFORE)
    with studio(tmp_path) as found:
        found.send("/new", ANSWERS)
        assert found.post(COLUMNS, TYPED | {"do": "next"}).leads_to == "/d/patients/budget"
        yield found


def test_the_page_shows_what_was_answered_and_the_columns_lead_to_it(visitor):
    assert f'href="{HERE}"' in visitor.get(COLUMNS).text
    found = visitor.get(HERE).text
    for field, value in ANSWERS.items():
        assert re.search(f'name="{field}" value="{value}" checked', found)
    assert 'name="name"' not in found  # in the ledger: that stays


def test_columns_that_are_still_there_keep_what_was_typed_wherever_they_stand(visitor):
    write(visitor, "ward,sex,age,note\nsurgery,f,31,x\n")
    assert visitor.post(HERE, ANSWERS).leads_to == f"{COLUMNS}?fresh=1"
    found = draft(visitor)
    kept = {column["name"]: column for column in found["columns"]}
    assert names(visitor) == ["ward", "sex", "age", "note"]
    assert (kept["ward"]["facts"], kept["ward"]["missing"]) == ("care, surgery; other: none", True)
    assert (kept["age"]["facts"], kept["note"]["kind"]) == ("0..99", "id")
    assert (found["predicts"], found["source"]) == ("ward", "manual, page 12")
    assert "1 column is new" in visitor.get(f"{COLUMNS}?fresh=1").text
    # What was confirmed was about other columns, and the schema is written again.
    assert (found["declared"], found["unread"]) == (False, False)
    assert visitor.get("/d/patients/budget").leads_to == f"{COLUMNS}?check=1"


def test_where_nothing_changed_all_of_it_stays(visitor):
    before = draft(visitor)
    assert visitor.post(HERE, ANSWERS).leads_to == f"{COLUMNS}?fresh=0"
    assert draft(visitor) == before
    assert "no column is new" in visitor.get(f"{COLUMNS}?fresh=0").text


def test_what_was_typed_is_dropped_only_once_that_is_said(visitor):
    write(visitor, "age,note\n31,x\n")
    reply = visitor.post(HERE, ANSWERS)
    assert (reply.status, draft(visitor)["declared"]) == (422, True)
    assert "What you typed of 1 column would be dropped: ward." in reply.text
    assert visitor.post(HERE, ANSWERS | {"drop": "on"}).status == 303
    assert (names(visitor), draft(visitor)["predicts"]) == (["age", "note"], "")


def test_what_a_name_alone_proposed_goes_without_a_question(visitor):
    write(visitor, "age,ward,note,sys_bp\n31,surgery,x,180\n")
    visitor.post(HERE, ANSWERS)
    assert draft(visitor)["columns"][3]["proposed"]
    write(visitor, BEFORE)
    assert visitor.post(HERE, ANSWERS).status == 303
    assert names(visitor) == ["age", "ward", "note"]


def test_another_file_another_unit_and_whether_it_holds_secrets_can_be_said(visitor):
    write(visitor, "who,age,ward,note\n1,31,surgery,x\n", "visits.csv")
    again = {"file": "visits.csv", "unit": "several", "person": "who", "rows": "8"}
    assert "No column has this name" in visitor.post(HERE, ANSWERS | again | {"person": "x"}).text
    assert visitor.post(HERE, ANSWERS | again | {"held": "public"}).status == 303
    found = draft(visitor)
    assert (found["file"], found["person"], found["public"]) == ("visits.csv", "who", True)
    assert (found["name"], found["columns"][0]["kind"]) == ("patients", "id")
    found["columns"][2]["per_person"] = True
    (visitor.folder / "datasets/patients/draft.json").write_text(json.dumps(found))
    assert visitor.post(HERE, ANSWERS | {"drop": "on"}).status == 303
    assert not any(column["per_person"] for column in draft(visitor)["columns"])


def test_what_was_read_off_the_records_does_not_stay_where_they_are_secret_now(visitor):
    visitor.post(HERE, ANSWERS | {"held": "public"})
    visitor.post(COLUMNS, {"do": "propose"})
    assert draft(visitor)["read_records"]
    visitor.post(HERE, ANSWERS | {"held": "public"})
    assert draft(visitor)["read_records"]  # still what everybody may read
    reply = visitor.post(HERE, ANSWERS)
    assert "would be dropped: age, ward, note." in reply.text
    assert visitor.post(HERE, ANSWERS | {"drop": "on"}).status == 303
    found = draft(visitor)
    assert not found["read_records"]
    assert not any("records" in column["source"] for column in found["columns"])


def test_rules_between_columns_go_with_a_column_that_is_gone(visitor):
    book = "{name: t, constraints: [age < size], columns: {age: {kind: integer, low: 0, high: 9}}}"
    visitor.post(COLUMNS, TYPED | {"do": "import", "pasted": book, "dates": "31.12.2024"})
    write(visitor, BEFORE.replace("note", "rest"))
    assert "constraints" in draft(visitor)["beyond"]
    visitor.post(HERE, ANSWERS | {"drop": "on"})
    assert list(draft(visitor)["beyond"]) == ["file"]


def test_fields_of_other_columns_are_not_taken_for_these(visitor):
    stale = mark(visitor.get(COLUMNS))
    write(visitor, "note,ward,age\nx,surgery,31\n")
    visitor.post(HERE, ANSWERS)
    before = draft(visitor)
    reply = visitor.post(COLUMNS, TYPED | {"do": "check", "columns": stale})
    assert (reply.status, "read anew since" in reply.text) == (409, True)
    assert draft(visitor) == before
    fresh = mark(visitor.get(COLUMNS))
    assert visitor.post(COLUMNS, TYPED | {"do": "check", "columns": fresh}).status == 303


def test_a_header_that_cannot_be_read_changes_nothing(visitor):
    before = draft(visitor)
    for text in ("31,58\n", "2024-05-01,b\n", ""):
        write(visitor, text)
        reply = visitor.post(HERE, ANSWERS)
        assert (reply.status, draft(visitor)) == (422, before)
        assert "2024-05-01" not in reply.text
    (visitor.folder / "data" / "patients.csv").unlink()
    found = visitor.get(HERE).text
    assert f'href="{HERE}">Reload' in found
    assert 'action="/example"' not in found


def test_a_name_that_is_taken_leads_to_the_data_set_that_has_it(visitor):
    found = visitor.post("/new", ANSWERS).text
    assert f'<a href="{HERE}">answer its questions anew</a>' in found


def test_a_header_that_changed_is_refused_with_a_way_back_to_the_file(tmp_path):
    world = World(tmp_path).choose()
    (world.project.data / "visits.csv").write_text("years,ward\n31,north\n")
    with studio(tmp_path) as visitor:
        job = confirmed(visitor)
        visitor.get(f"/jobs/{job}/events")
        text = visitor.get(f"/jobs/{job}").text
        assert "age" in text
        assert '<a class="button" href="/d/visits/file">To the file</a>' in text
        answers = ANSWERS | {"file": "visits.csv", "drop": "on"}
        assert visitor.post("/d/visits/file", answers).leads_to == "/d/visits/schema?fresh=2"
        assert "not declared yet" in visitor.get(REVIEW).text
    with Ledger(world.ledger_path) as ledger:
        assert str(ledger.balance(NAME).left) == "epsilon 3"


def test_twins_are_told_the_same_and_no_record_is_read(tmp_path):
    seen = []
    for name, rows in (("one", "1,2,3\n"), ("two", '"9,\xff\n' + "7,8,9\n" * 999)):
        (tmp_path / name / "data").mkdir(parents=True)
        path = tmp_path / name / "data" / "patients.csv"
        path.write_text("age,ward,note\n" + rows)
        with studio(tmp_path / name) as visitor:
            visitor.send("/new", ANSWERS)
            visitor.send(COLUMNS, TYPED | {"do": "check"})
            path.write_text("age,ward,size\n" + rows)
            journey = [visitor.get(HERE), visitor.post(HERE, ANSWERS)]
            journey += [visitor.post(HERE, ANSWERS | {"drop": "on"}), visitor.get(COLUMNS)]
        told = [r.text.replace(f"/{name}/", "/").replace(f"/{name}<", "/<") for r in journey]
        seen.append([(r.status, r.headers, text) for r, text in zip(journey, told, strict=True)])
    assert seen[0] == seen[1]
