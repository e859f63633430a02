"""All columns as lines of text, and what was proposed from their names."""

import json

import pytest

from sfumato.schema import Schema
from sfumato.studio.draft import Draft, TypedColumn
from sfumato.studio.lines import read_lines, written_lines
from sfumato.studio.preset import proposed
from studio_world import studio

COLUMNS = [
    TypedColumn("id", "id"),
    TypedColumn("age", "integer", "0..110", missing=True),
    TypedColumn("age group", "category", "0-17, 18+; other: none"),
    TypedColumn("weight", "number", "30..200"),
    TypedColumn("height", "number", "1..2 by 0.01", per_person=True),
    TypedColumn("Height", "number"),
    TypedColumn("seen", "date", "2024-01-01..2024-12-31 by month"),
    TypedColumn("smokes", "boolean"),
    TypedColumn("drinks", "boolean", "yes: ja; no: nein", missing=True, per_person=True),
    TypedColumn("fruit", "category", "date palm, 1..2; other: rest"),
    TypedColumn("what: is", "category", '"a; predicted", b; other: none'),
    TypedColumn("31"),
    TypedColumn("a\u202eb", "category", "x, y; other: none"),
    TypedColumn("open", "category"),
]
HERE = "/d/t/schema"


def draft(*columns):
    return Draft("t", "t", "t.csv", list(columns), predicts="age group")


def test_lines_are_read_as_they_were_written():
    whole = draft(*COLUMNS)
    found = read_lines(whole, written_lines(whole))
    assert found.faults == []
    for place, column in enumerate(COLUMNS):
        said = found.said[place]
        assert (said.kind, said.facts) == (column.kind, column.facts)
        assert (said.missing, said.per_person) == (column.missing, column.per_person)
        assert said.predicted == (column.name == "age group")


@pytest.mark.parametrize(
    ("line", "kind", "facts"),
    [
        ("age 0..110", "integer", "0..110"),
        ("AGE: 0..110", "integer", "0..110"),
        ("age = 0 to 110", "integer", "0 to 110"),
        ("age\twhole number\t0..110", "integer", "0..110"),
        ("age: 0..110 by 0.5", "number", "0..110 by 0.5"),
        ("age: 0..1x0", "number", "0..1x0"),
        ("age: 2024-13-01..2024-12-31", "date", "2024-13-01..2024-12-31"),
        ("age: young, old", "category", "young, old"),
        ("age: number 0..110; MAY LACK ; predicted", "number", "0..110"),
        ("age: yes or no; yes: ja; no: nein", "boolean", "yes: ja; no: nein"),
        ("age: never released", "id", ""),
        ("age: id", "id", ""),
        ("age: yes/no", "boolean", ""),
        ("age: Integer 0..110", "integer", "0..110"),
        ("age: one of a list", "category", ""),
        ("age:", "", ""),
        ("age", "", ""),
    ],
)
def test_what_a_column_is_follows_from_how_it_is_written(line, kind, facts):
    said = read_lines(draft(TypedColumn("age"), TypedColumn("age group")), line).said[0]
    assert (said.kind, said.facts) == (kind, facts)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("wight: 0..9", "begins with no column's name: wight: 0..9"),
        ("ages 0..9", "begins with no column's name"),
        ("age: 0..9\nage: 1..2", "names a column a second time: age: 1..2"),
        ("age\nage\nage\n", "more lines than columns"),
        ("age: a, b; predicted\nsex: f, m; predicted", "Only one column"),
        ("\u202eage", "begins with no column's name: \\u202eage"),
    ],
)
def test_a_line_that_cannot_be_placed_is_named(text, said):
    assert said in " ".join(read_lines(draft(TypedColumn("age"), TypedColumn("sex")), text).faults)


def test_a_word_that_is_said_very_often_is_read_at_once():
    said = read_lines(draft(TypedColumn("age")), "age: 0..9" + "; may lack" * 30_000).said[0]
    assert (said.kind, said.facts, said.missing) == ("integer", "0..9", True)


def test_of_names_that_differ_in_the_size_of_letters_the_exact_one_is_meant():
    both = draft(TypedColumn("age"), TypedColumn("AGE"))
    assert list(read_lines(both, "AGE: 0..9").said) == [1]
    assert list(read_lines(both, "Age: 0..9\nage: 0..8").said) == [0, 1]


@pytest.mark.parametrize(
    ("name", "kind", "facts", "source"),
    [
        ("age_years", "integer", "0..120", "people live for 0 to 120 years"),
        ("age_at_admission", "integer", "0..120", "people live for 0 to 120 years"),
        ("Âge", "integer", "0..120", "people live for 0 to 120 years"),
        ("SEX", "category", "", ""),
        ("SysBP", "number", "60..260 by 1", "only a guess: usual for a systolic pressure in mmHg"),
        ("los_days", "number", "0..365 by 1", "only a guess: usual for a stay of up to a year"),
        ("weight", "", "", ""),
        ("zip", "", "", ""),
        ("cost", "number", "", ""),
    ],
)
def test_names_propose_what_is_known_and_say_what_is_guessed(name, kind, facts, source):
    found = proposed(name)
    assert (found.kind, found.facts) == (kind, facts)
    assert found.source.startswith(source)
    assert bool(found.source) == bool(source)


def test_what_a_file_stores_counts_more_than_a_guess():
    assert (proposed("sys_bp", "integer").kind, proposed("sys_bp", "integer").facts) == (
        "integer",
        "60..260",
    )
    assert proposed("sys_bp", "date").facts == ""
    assert proposed("smoker_bmi", "boolean").kind == "boolean"


@pytest.fixture
def visitor(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "t.csv").write_text("age,sys_bp,sex\n")
    with studio(tmp_path) as found:
        found.post("/new", {"file": "t.csv", "header": "yes", "unit": "one", "held": "secret"})
        yield found


def kept(visitor):
    return json.loads((visitor.folder / "datasets/t/draft.json").read_text())


def fields(visitor, **changes):
    """What a browser would send of the page as it stands."""
    from html import unescape

    page = visitor.get(HERE).text
    lines = unescape(page.partition('name="lines"')[2].partition(">\n")[2].partition("</text")[0])
    marks = page.partition('name="lines-before" value="')[2].partition('"')[0]
    form = {"lines": lines.replace("\n", "\r\n"), "lines-before": marks}
    for place, column in enumerate(kept(visitor)["columns"]):
        form |= {f"k{place}": column["kind"], f"f{place}": column["facts"]}
        form |= {f"m{place}": "on"} if column["missing"] else {}
    return form | changes


def test_a_line_that_was_changed_counts_and_all_others_leave_the_fields_alone(visitor):
    form = fields(visitor, f0="0..99", do="lines")
    assert form["lines"].splitlines()[1:] == ["sys_bp: number 60..260 by 1", "sex: one of a list"]
    form["lines"] = form["lines"].replace("one of a list", "f, m; other: none; may lack; predicted")
    assert visitor.post(HERE, form).leads_to == f"{HERE}?check=1#columns"
    age, pressure, sex = kept(visitor)["columns"]
    assert (age["facts"], age["proposed"], age["source"]) == ("0..99", False, "")
    assert (pressure["facts"], pressure["proposed"]) == ("60..260 by 1", True)
    assert (sex["kind"], sex["facts"], sex["missing"]) == ("category", "f, m; other: none", True)
    assert kept(visitor)["predicts"] == "sex"


def test_lines_that_cannot_be_read_stay_as_they_were_typed_and_the_others_are_kept(visitor):
    typed = "age: 5..9\nsecks: <b>f, m</b>\n"
    reply = visitor.post(HERE, fields(visitor, lines=typed, do="next"))
    assert reply.status == 422
    assert "begins with no column&#39;s name: secks: &lt;b&gt;f, m&lt;/b&gt;" in reply.text
    assert ">\nage: 5..9\nsecks: &lt;b&gt;f, m&lt;/b&gt;</textarea>" in reply.text
    assert kept(visitor)["columns"][0]["facts"] == "5..9"


def test_nothing_is_declared_before_somebody_accepts_what_was_proposed(visitor):
    typed = {"f2": "f, m; other: none", "known": "law", "source": "act", "unread": "on"}
    page = visitor.send(HERE, fields(visitor, **typed, do="next")).text
    assert "Check what was proposed, and confirm that it holds." in page
    assert "proposed: only a guess: usual for a systolic pressure in mmHg" in page
    assert "all 2 columns marked as proposed" in page
    assert not (visitor.folder / "datasets/t/schema.yaml").exists()
    reply = visitor.post(HERE, fields(visitor, **typed, accept="on", do="next"))
    assert reply.leads_to == "/d/t/budget"
    columns = Schema.read(visitor.folder / "datasets/t/schema.yaml").columns
    assert columns["age"].source == "people live for 0 to 120 years"
    assert columns["sys_bp"].source == "only a guess: usual for a systolic pressure in mmHg"
    assert columns["sex"].source == "act"


def test_a_guess_that_is_changed_is_none_and_takes_the_source_of_all(visitor):
    typed = {"f1": "70..250", "f2": "f, m; other: none", "known": "common", "unread": "on"}
    visitor.post(HERE, fields(visitor, **typed, accept="on", do="next"))
    columns = Schema.read(visitor.folder / "datasets/t/schema.yaml").columns
    assert columns["sys_bp"].source == columns["sex"].source == "common knowledge"
    reply = visitor.send(HERE, fields(visitor, known="law", source="common knowledge", unread="on"))
    assert "Say where ranges and values are known from" in reply.text


def test_one_line_says_that_all_columns_may_lack_a_value(visitor):
    typed = "age: 0..110\nALL COLUMNS: may lack\nsys_bp: 60..260\nsex: never released"
    assert visitor.post(HERE, fields(visitor, lines=typed, do="lines")).status == 303
    columns = kept(visitor)["columns"]
    assert [column["missing"] for column in columns] == [True, True, False]
    assert columns[0]["facts"] == "0..110"


def test_a_column_that_is_called_like_all_of_them_is_that_one():
    odd = draft(TypedColumn("all columns"), TypedColumn("age"))
    found = read_lines(odd, "all columns: may lack")
    assert (found.all_may_lack, found.said[0].missing, list(found.said)) == (False, True, [0])
