"""Schemas from dictionaries: what is stated is taken over, the rest is blank; never a traceback."""

import json
from datetime import date

import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import SchemaError
from sfumato.schema.dictionary import schema_from
from sfumato.schema.dictionary.redcap import read as read_redcap
from sfumato.schema.strict_yaml import load

REDCAP = (
    "Variable / Field Name,Form Name,Field Type,Field Label,"
    '"Choices, Calculations, OR Slider Labels",Text Validation Type OR Show Slider Number,'
    "Text Validation Min,Text Validation Max,Identifier?,"
    "Branching Logic (Show field only if...),Required Field?"
)
API = (
    "field_name,form_name,field_type,field_label,select_choices_or_calculations,"
    "text_validation_type_or_show_slider_number,text_validation_min,text_validation_max,"
    "identifier,branching_logic,required_field"
)


@pytest.fixture
def found(tmp_path):
    """The schema that a dictionary of this name and content becomes, as YAML reads it."""

    def read(name, content, **options):
        path = tmp_path / name
        text = content if isinstance(content, str) else json.dumps(content)
        path.write_text(text, encoding="utf-8")
        return load(schema_from(path, **options), where="schema")

    return read


def redcap(found, *fields, header=REDCAP):
    """The columns of fields after the record's name, without their sources."""
    rows = [header, "record_id,form,text,,,,,,,,y", *fields]
    columns = found("d.csv", "\n".join(rows) + "\n")["columns"]
    assert columns.pop("record_id") == {"kind": "id"}
    assert columns.pop("form_complete") == {"kind": "id"}
    for column in columns.values():
        assert column.pop("source", "REDCap data dictionary d.csv").endswith("d.csv")
    return columns


@pytest.mark.parametrize("header", [REDCAP, API])
@pytest.mark.parametrize(
    ("field", "column"),
    [
        ("form,text,,,integer,18,99,,,y", {"kind": "integer", "low": 18, "high": 99}),
        ("form,text,,,integer,18.5,99,,,y", {"kind": "integer", "low": None, "high": 99}),
        ("form,text,,,number_2dp,-1.5,,,,y", {"kind": "number", "low": -1.5, "high": None}),
        (
            'form,text,,,number_1dp_comma_decimal,"0,5","9,5",,,y',
            {"kind": "number", "low": 0.5, "high": 9.5, "decimal": ","},
        ),
        (
            "form,text,,,date_dmy,2020-01-01,today,,,y",
            {"kind": "date", "low": date(2020, 1, 1), "high": None},
        ),
        (
            "form,text,,,datetime_seconds_mdy,,,,,y",
            {"kind": "date", "low": None, "high": None, "step": "second"},
        ),
        (
            'form,radio,,"1, Yes | 2, No, never",,,,,,y',
            {
                "kind": "category", "values": [1, 2], "other": "none",
                "aliases": {"1": ["Yes"], "2": ["No, never"]},
            },
        ),
        (
            'form,dropdown,,"01, Same | x, Same",,,,,,y',
            {"kind": "category", "values": ["01", "x"], "other": "none"},
        ),
        ("form,dropdown,,,,,,,,y", {"kind": "category", "values": None, "other": "other"}),
        ("form,yesno,,,,,,,,y", {"kind": "boolean"}),
        ("form,truefalse,,,,,,,,", {"kind": "boolean", "missing": "allowed"}),
        ("form,yesno,,,,,,,[age] > 20,y", {"kind": "boolean", "missing": "allowed"}),
        ("form,slider,,,number,,,,,y", {"kind": "integer", "low": 0, "high": 100}),
        ("form,calc,,[a]/[b],,,,,,y", {"kind": "number", "low": None, "high": None}),
        ("form,text,,,integer,18,99,y,,y", {"kind": "id"}),
        ("form,checkbox,,\"1, a\",,,,y,,", {"kind": "id"}),
        ("form,notes,,,,,,,,", {"kind": "id"}),
        ("form,file,,,,,,,,", {"kind": "id"}),
        ("form,text,,,email,,,,,", {"kind": "id"}),
        ("form,text,,,,,,,,", {"kind": None}),
        ("form,text,,,time,,,,,", {"kind": None}),
        ("form,sql,,select,,,,,,", {"kind": None}),
    ],
)  # fmt: skip
def test_a_field_of_redcap_becomes_a_column(found, field, column, header):
    assert redcap(found, f"x,{field}", header=header) == {"x": column}


def test_a_checkbox_is_one_column_for_each_choice_and_words_on_a_form_are_none(found):
    race, hello = 'checkbox,,"1, White | -9, Not said",,,,,,', "descriptive,,,,,,,,"
    spelt = {"kind": "boolean", "true": ["1", "Checked"], "false": ["0", "Unchecked"]}
    columns = redcap(found, f"race,form,{race}", f"hello,form,{hello}")
    assert columns == {"race___1": spelt, "race____9": spelt}


def test_a_code_that_is_listed_twice_is_remarked():
    raw = f'{REDCAP}\nid,f,text\nx,f,radio,,"1, a | 2, b | 1, c",,,,,,y\ny,f,radio,,"1, a",,,,,,y\n'
    _, x, y, _ = read_redcap(raw.encode(), "d.csv").columns
    assert x.facts["values"] == [1, 2]
    assert x.remarks == ["code 1 is listed twice, and its last label taken: correct it"]
    assert y.remarks == []


def field(found, facts, **more):
    package = {"fields": [{"name": "x", **facts}, {"name": "z", "type": "boolean"}], **more}
    schema = found("tableschema.json", package)
    return schema["columns"]["x"]


@pytest.mark.parametrize(
    ("facts", "column"),
    [
        (
            {"type": "integer", "constraints": {"minimum": 0, "maximum": "110"}},
            {"kind": "integer", "low": 0, "high": 110},
        ),
        (
            {"type": "number", "decimalChar": ",", "groupChar": ".", "bareNumber": False},
            {"kind": "number", "low": None, "high": None, "decimal": ",", "thousands": "."},
        ),
        ({"type": "year"}, {"kind": "integer", "low": None, "high": None}),
        (
            {"type": "date", "format": "%d/%m/%Y", "constraints": {"minimum": "2020-01-01"}},
            {
                "kind": "date", "low": date(2020, 1, 1), "high": None,
                "format": "%d/%m/%Y",
            },
        ),
        ({"type": "date", "format": "any"}, {"kind": "date", "low": None, "high": None}),
        (
            {"type": "datetime"},
            {"kind": "date", "low": None, "high": None, "step": "second"},
        ),
        (
            {"type": "boolean", "trueValues": ["ja"], "falseValues": ["nein"]},
            {"kind": "boolean", "true": ["ja"], "false": ["nein"]},
        ),
        ({"type": "boolean", "trueValues": ["ja"]}, {"kind": "boolean"}),
        (
            {"type": "string", "constraints": {"enum": ["a", "no", "01"]}},
            {"kind": "category", "values": ["a", "no", "01"], "other": "none"},
        ),
        (
            {"type": "integer", "categories": [{"value": 1, "label": "low"}, 2]},
            {"kind": "category", "values": [1, 2], "other": "none"},
        ),
        ({"type": "string"}, {"kind": "category", "values": None, "other": "other"}),
        ({}, {"kind": "category", "values": None, "other": "other"}),
        (
            {"missingValues": ["", "?"], "type": "boolean"},
            {"kind": "boolean", "missing_words": ["?"]},
        ),
        ({"type": "geopoint"}, {"kind": "id"}),
        ({"type": "integer", "constraints": {"unique": True}}, {"kind": "id"}),
        ({"type": "duration"}, {"kind": None}),
        ({"type": 3}, {"kind": None}),
        ({"type": "number", "constraints": []}, {"kind": "number", "low": None, "high": None}),
    ],
)  # fmt: skip
def test_a_field_of_frictionless_becomes_a_column(found, facts, column):
    read = field(found, facts)
    read.pop("source", None)
    if column["kind"] not in (None, "id"):
        assert read.pop("missing") == "allowed"
    assert read == column


def test_a_required_field_does_not_miss_and_a_key_is_never_read(found):
    rules = {"constraints": {"required": True}, "type": "boolean"}
    assert field(found, rules) == {"kind": "boolean"}
    assert field(found, rules, primaryKey=["x"]) == {"kind": "id"}


def test_a_package_states_how_its_files_are_written_and_which_table_is_meant(found):
    schema = {"fields": [{"name": "x", "type": "boolean"}], "missingValues": ["", "NA", "-99"]}
    one = {"name": "a", "schema": schema, "encoding": "latin1", "dialect": {"delimiter": ";"}}
    package = {"resources": [one, {"name": "b", "schema": schema}]}
    read = found("datapackage.json", package, table="a")
    assert read["name"] == "a"
    words = {"missing_words": ["NA", "-99"]}
    assert read["file"] == {"delimiter": ";", "encoding": "latin1", **words}
    assert found("datapackage.json", package, table="b")["file"] == words
    with pytest.raises(SchemaError, match="say with --table which one is meant: a, b"):
        found("datapackage.json", package)


def csvw(found, column, **more):
    columns = [column, {"name": "z", "datatype": "boolean"}, {"name": "v", "virtual": True}]
    document = {"@context": "http://www.w3.org/ns/csvw", "url": "data/t.csv", **more}
    read = found("t.csv-metadata.json", {**document, "tableSchema": {"columns": columns}})
    assert list(read["columns"])[1:] == ["z"]
    return read


@pytest.mark.parametrize(
    ("datatype", "column"),
    [
        (
            {"base": "integer", "minimum": 0, "maxInclusive": "9"},
            {"kind": "integer", "low": 0, "high": 9},
        ),
        ("nonNegativeInteger", {"kind": "integer", "low": 0, "high": None}),
        ("positiveInteger", {"kind": "integer", "low": 1, "high": None}),
        (
            {"base": "decimal", "format": {"decimalChar": ",", "groupChar": "."}},
            {"kind": "number", "low": None, "high": None, "decimal": ",", "thousands": "."},
        ),
        (
            {"base": "number", "format": "0.0%", "minimum": 0, "maximum": 1},
            {"kind": "number", "low": None, "high": None, "percent": True},
        ),
        (
            {"base": "date", "format": "dd.MM.yyyy"},
            {"kind": "date", "low": None, "high": None, "format": "%d.%m.%Y"},
        ),
        ({"base": "date", "format": "EEE"}, {"kind": "date", "low": None, "high": None}),
        (
            "dateTime",
            {"kind": "date", "low": None, "high": None, "step": "second"},
        ),
        ({"base": "boolean", "format": "Y|N"}, {"kind": "boolean", "true": ["Y"], "false": ["N"]}),
        ({"base": "boolean", "format": "Y"}, {"kind": "boolean"}),
        ("gYear", {"kind": "integer", "low": None, "high": None}),
        ("string", {"kind": "category", "values": None, "other": "other"}),
        ("duration", {"kind": None}),
        ({"base": []}, {"kind": None}),
    ],
)  # fmt: skip
def test_a_column_of_csvw_becomes_a_column(found, datatype, column):
    read = csvw(found, {"name": "x", "datatype": datatype})["columns"]["x"]
    read.pop("source", None)
    if column["kind"] is not None:
        assert read.pop("missing") == "allowed"
    assert read == column


def test_csvw_inherits_names_its_header_and_states_its_dialect(found):
    dialect = {"encoding": "utf-16", "delimiter": "\t", "quoteChar": "'"}
    said = {"titles": {"en": ["Is it"]}, "datatype": "boolean", "required": True}
    read = csvw(found, said, null=["-", ""], dialect=dialect)
    assert read["columns"]["Is it"] == {"kind": "boolean", "missing_words": ["-"]}
    assert read["file"] == {"encoding": "utf-16", "delimiter": "\t", "quote": "'"}
    assert read["name"] == "t"
    assert csvw(found, {"name": "l", "separator": ";"})["columns"]["l"] == {"kind": "id"}


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("d.csv", "age,ward\n1,a\n", "this is no REDCap data dictionary"),
        ("d.csv", "", "this is no REDCap data dictionary"),
        ("d.csv", f"{REDCAP}\n", "describes no columns"),
        ("d.csv", f'{REDCAP}\nx,"a', "it is not CSV in UTF-8"),
        ("d.csv", f"{REDCAP}\nx,f,text\nx,f,text\n", "names a column twice"),
        ("d.json", "{", "it is not JSON, or incomplete"),
        ("d.json", '{"a": 1, "a": 2}', "a name occurs twice in it"),
        ("d.json", "[1]", "this is no REDCap"),
        ("d.json", {"a": 1}, "this is no REDCap"),
        ("d.json", {"fields": []}, "describes no columns"),
        ("d.json", {"fields": [{"type": "integer"}]}, "a field has no name"),
        ("d.json", {"fields": [3]}, "a field has no name"),
        ("d.json", {"schema": "other.json"}, "lies in another file"),
        ("d.json", {"schema": 3}, "no table schema with fields"),
        ("d.json", {"resources": []}, "say with --table"),
        ("d.json", {"tables": [3]}, "say with --table"),
        ("d.json", {"tableSchema": {"columns": [{}]}}, "neither a title nor a name"),
        ("d.json", {"tableSchema": {"columns": [3]}}, "a column is no object"),
        ("d.json", {"tableSchema": "s.json"}, "lies in another file"),
        ("d.json", {"@context": "csvw"}, "no tableSchema with columns"),
        ("absent/d.json", None, "cannot be read"),
    ],
)
def test_what_is_no_dictionary_is_refused_by_its_file_and_rule(tmp_path, name, content, reason):
    path = tmp_path / name
    if content is not None:
        path.write_text(content if isinstance(content, str) else json.dumps(content))
    with pytest.raises(SchemaError) as caught:
        schema_from(path)
    assert str(path) in str(caught.value)
    assert reason in str(caught.value)


def test_words_of_strangers_stay_words(found):
    hostile = "x\n  evil: {kind: id}\u202e\x1b[2K"
    facts = {
        "name": hostile,
        "title": hostile,
        "type": "string",
        "constraints": {"enum": [hostile]},
    }
    schema = found("d.json", {"name": hostile, "fields": [facts, {"name": "z", "type": "boolean"}]})
    assert list(schema["columns"]) == [hostile, "z"]
    assert schema["columns"][hostile]["values"] == [hostile]
    assert schema["name"] == hostile


def test_a_file_that_is_too_large_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("sfumato.schema.dictionary._LARGEST", 10)
    (tmp_path / "d.json").write_text('{"fields": []}')
    with pytest.raises(SchemaError, match="it has more than 10 bytes"):
        schema_from(tmp_path / "d.json")


def test_what_a_package_declares_is_how_its_file_is_read(tmp_path):
    rules = {"minimum": 0, "maximum": 5000}
    dates = {"minimum": "2020-01-01", "maximum": "2024-12-31"}
    fields = [
        {
            "name": "cost",
            "type": "number",
            "decimalChar": ",",
            "groupChar": ".",
            "constraints": rules,
        },
        {"name": "day", "type": "date", "format": "%d/%m/%Y", "constraints": dates},
        {"name": "ok", "type": "boolean", "trueValues": ["ja"], "falseValues": ["nein"]},
        {"name": "ward", "type": "string", "constraints": {"enum": ["a", "b"]}},
    ]
    resource = {
        "name": "visits",
        "encoding": "utf-16",
        "dialect": {"delimiter": ";"},
        "schema": {"fields": fields, "missingValues": ["", "k. A."]},
    }
    (tmp_path / "datapackage.json").write_text(json.dumps({"resources": [resource]}))
    (tmp_path / "s.yaml").write_text(schema_from(tmp_path / "datapackage.json"))
    (tmp_path / "t.csv").write_text(
        "cost;day;ok;ward\n1.234,5;03/05/2024;ja;a\nk. A.;k. A.;nein;k. A.\n",
        encoding="utf-16",
    )
    read = sf.inspection.as_read(tmp_path / "t.csv", sf.Schema.read(tmp_path / "s.yaml"))
    first, second = read.to_pylist()
    assert abs(first.pop("cost") - 1234.5) < 0.1  # on the grid
    assert first == {"day": date(2024, 5, 3), "ok": True, "ward": "a"}
    assert second == {"cost": None, "day": None, "ok": False, "ward": None}


def test_codes_and_labels_of_an_export_are_the_same_values(tmp_path):
    rows = ["id,f,text,,,,,,,,", 'sex,f,radio,,"1, Female | 2, Male",,,,,,y']
    rows += ['ill,f,checkbox,,"1, a",,,,,,']
    (tmp_path / "d.csv").write_text("\n".join([API, *rows]) + "\n")
    (tmp_path / "s.yaml").write_text(schema_from(tmp_path / "d.csv"))
    read = [
        sf.inspection.as_read(
            pa.table({"id": ["1"], "sex": [sex], "ill___1": [ill]}),
            sf.Schema.read(tmp_path / "s.yaml"),
        ).to_pylist()
        for sex, ill in (("2", "1"), ("Male", "Checked"))
    ]
    assert read[0] == read[1] == [{"sex": 2, "ill___1": True}]
