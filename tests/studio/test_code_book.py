"""Code books of others: taken over into the fields, wherever they come from."""

import json

import pytest

from sfumato.errors import Refused
from sfumato.schema import Schema
from sfumato.studio.codebook import code_book, take_over
from sfumato.studio.draft import Draft, TypedColumn
from studio_world import studio

REDCAP = (
    "Variable / Field Name,Form Name,Field Type,Field Label,"
    '"Choices, Calculations, OR Slider Labels",Text Validation Type OR Show Slider Number,'
    "Text Validation Min,Text Validation Max,Identifier?,Required Field?\n"
    "record_id,base,text,Record ID,,,,,,\n"
    "age,base,text,Age at entry,,integer,0,110,,y\n"
    'sex,base,radio,Sex,"1, female | 2, male",,,,,y\n'
    "email,base,text,E-mail,,email,,,y,\n"
)
FRICTIONLESS = json.dumps(
    {
        "fields": [
            {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 110}},
            {"name": "sex", "type": "string", "constraints": {"enum": ["f", "m"]}},
        ]
    }
)
CSVW = json.dumps(
    {
        "@context": "http://www.w3.org/ns/csvw",
        "tableSchema": {
            "columns": [
                {"name": "age", "datatype": {"base": "integer", "minimum": 0, "maximum": 110}}
            ]
        },
    }
)
SCHEMA = """\
name: clinic
columns:
  patient: {kind: id}
  age: {kind: integer, low: 0, high: 110, source: manual}
  sex: {kind: category, values: [f, m], other: none, aliases: {f: [female]}, role: label}
  cost: {kind: number, low: 0, high: 1000, step: 0.01, decimal: ","}
  born: {kind: date, low: 1900-01-01, high: 2025-12-31, format: "%d.%m.%Y"}
  smokes: {kind: boolean, true: [ja], false: [nein], missing: allowed}
file: {delimiter: ";"}
constraints: [age <= cost]
"""
ROWS = (
    "Column\tWhat\tKnown\tMissing\n"
    "age\twhole number\t0..110\tyes\n"
    "sex\tone of a list\tf, m; other: none\n"
)


def fields(book):
    return {column.name: (column.kind, column.facts) for column in book.columns}


@pytest.mark.parametrize(
    "text", [REDCAP, REDCAP.replace(",", "\t"), FRICTIONLESS, CSVW, SCHEMA, ROWS]
)
def test_every_kind_of_code_book_fills_in_the_fields(text):
    if "\t" in text and "Variable" in text:  # as a spreadsheet copies it
        text = "\n".join(
            line.replace("1\t female | 2\t male", "1, female | 2, male").replace('"', "")
            for line in text.splitlines()
        ).replace("Choices\t Calculations\t OR", "Choices, Calculations, OR")
    assert fields(code_book(text, "book"))["age"] == ("integer", "0..110")


def test_a_redcap_dictionary_keeps_codes_labels_and_identifiers():
    book = code_book(REDCAP, "dictionary.csv")
    assert fields(book)["sex"] == ("category", "1, 2; other: none")
    assert fields(book)["email"] == ("id", "")
    age, sex = book.columns[1], book.columns[2]
    assert age.label == "Age at entry"
    assert sex.beyond["aliases"] == {"1": ["female"], "2": ["male"]}


def test_a_schema_comes_back_as_it_was(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.csv").write_text("patient;age;sex;cost;born;smokes\n")
    (tmp_path / "clinic.yaml").write_text(SCHEMA)
    with studio(tmp_path) as visitor:
        visitor.post("/new", {"file": "a.csv", "header": "yes", "unit": "one", "held": "secret"})
        page = visitor.send("/d/a/schema", {"do": "import", "book": "clinic.yaml"})
        assert "6 taken over" in page.text
        draft = json.loads((tmp_path / "datasets/a/draft.json").read_text())
        typed = {"known": "code book", "source": "clinic.yaml", "unread": "on", "do": "next"}
        for place, column in enumerate(draft["columns"]):
            typed |= {f"k{place}": column["kind"], f"f{place}": column["facts"]}
            typed |= {f"m{place}": "on"} if column["missing"] else {}
        typed["y"] = "2"
        assert "What is promised" in visitor.send("/d/a/schema", typed).text
    found = Schema.read(tmp_path / "datasets/a/schema.yaml").to_json()
    expected = Schema.parse(SCHEMA).to_json()
    for column in expected["columns"].values():
        if column["kind"] != "id":
            column.setdefault("source", "clinic.yaml")
    assert found == expected | {"name": "a"}


def test_other_columns_keep_what_was_typed_and_near_names_are_found():
    draft = Draft(
        "", "a", "a.csv", [TypedColumn("AGE"), TypedColumn("ward", "category", "a; other: none")]
    )
    assert take_over(draft, code_book(ROWS, "pasted")) == 1
    assert [(one.name, one.facts) for one in draft.columns] == [
        ("AGE", "0..110"),
        ("ward", "a; other: none"),
    ]


NO_BOOKS = ["", "  \n ", "nonsense", "[1, 2]", "{", "{}", "a\tb\n", "a: [", '"a\tb', "\x00", "a,31"]


@pytest.mark.parametrize("text", [*NO_BOOKS, '{"columns": 1}', "columns: 1"])
def test_what_is_no_code_book_is_refused_in_words(text):
    with pytest.raises(Refused):
        code_book(text, "pasted")


def test_a_code_book_that_cannot_be_read_is_told_beside_its_field_and_is_not_lost(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.csv").write_text("age\n")
    (tmp_path / "latin.csv").write_bytes(b"\xff\xfe")
    with studio(tmp_path) as visitor:
        visitor.post("/new", {"file": "a.csv", "header": "yes", "unit": "one", "held": "secret"})
        reply = visitor.post("/d/a/schema", {"do": "import", "pasted": "<b>nonsense", "f0": "0..9"})
        assert reply.status == 422
        assert "&lt;b&gt;nonsense" in reply.text
        assert 'value="0..9"' in reply.text
        for name, said in (
            ("latin.csv", "not UTF-8"),
            ("data/a.csv", "no such file"),
            ("", "no such"),
        ):
            reply = visitor.post("/d/a/schema", {"do": "import", "book": name})
            assert (reply.status, said in reply.text) == (422, True)


def test_two_hundred_columns_come_from_a_redcap_dictionary_and_stay_a_small_page(tmp_path):
    label = "Laboratory value as measured at entry into the study, in mmol/l, visit"
    fields = [f'lab_{k},base,text,"{label} {k}",,number,0,{k + 1}.5,,' for k in range(199)]
    (tmp_path / "dictionary.csv").write_text("\n".join([*REDCAP.splitlines()[:2], *fields]))
    (tmp_path / "data").mkdir()
    header = ",".join(["record_id", *(f"lab_{k}" for k in range(199))])
    (tmp_path / "data" / "labs.csv").write_text(f"{header}\n")
    with studio(tmp_path) as visitor:
        visitor.post("/new", {"file": "labs.csv", "header": "yes", "unit": "one", "held": "secret"})
        page = visitor.send("/d/labs/schema", {"do": "import", "book": "dictionary.csv"})
        styles = sum(len(visitor.get(f"/static/studio.{kind}").body) for kind in ("css", "js"))
        assert "200 taken over" in page.text
        assert "All fields are filled in" in page.text
        assert "Laboratory value as measured" in page.text
        assert len(page.body) + styles < 150_000
        assert len(visitor.get("/d/labs/schema?check=1").body) + styles < 150_000
