"""Short forms of an owner's schema: other: none, kind: code; certificates know neither."""

import csv
import json

import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import SchemaError
from sfumato.schema import Schema
from sfumato.schema.code_book import BOOKS
from sfumato.schema.domain import Domain


def one(column, reader=Schema.of):
    return reader({"name": "t", "columns": {"x": column}}).columns["x"]


def written_beside(tmp_path, column, **files):
    for name, content in files.items():
        (tmp_path / f"{name}.csv").write_bytes(content)
    path = tmp_path / "s.yaml"
    path.write_text(json.dumps({"name": "t", "columns": {"x": column}}))
    return path


@pytest.mark.parametrize("word", ["none", " none ", False])
def test_none_says_that_there_is_no_other_value(word):
    column = one({"kind": "category", "values": ["a", "b"], "other": word})
    assert column.other is False
    (axis,) = Domain.of(Schema.of({"name": "t", "columns": {"x": column.model_dump()}})).axes
    assert axis.values == ("a", "b")
    assert (axis.unknown, axis.unusable) == (0, 0)


def test_none_reads_as_the_schema_that_leaves_it_out_but_says_so():
    said = Schema.of({"name": "t", "columns": {"x": {"kind": "category", "values": [1, 2]}}})
    unsaid = Schema.parse("{name: t, columns: {x: {kind: category, values: [1, 2], other: none}}}")
    assert said.unsaid == ("x",)
    assert unsaid.unsaid == ()
    assert [Domain.of(s).axes[0].codes for s in (said, unsaid)] == [2, 2]
    assert Schema.parse(unsaid.to_yaml()) == unsaid == Schema.from_json(unsaid.to_json())


def test_a_certificate_of_old_in_which_none_is_a_level_is_read_as_it_was():
    column = one({"kind": "category", "values": ["a"], "other": "none"}, Schema.from_json)
    assert column.other == "none"
    assert Schema.from_json({"name": "t", "columns": {"x": column.model_dump()}}).unsaid == ()


def test_a_release_under_none_verifies(tmp_path):
    table = pa.table({"x": ["a", "b", "z", None] * 20, "c": ["FR", "XX", "NO", "NA"] * 20})
    schema = {
        "name": "t",
        "columns": {
            "x": {"kind": "category", "values": ["a", "b"], "other": "none"},
            "c": {"kind": "code", "book": "iso-3166"},
        },
    }
    release = sf.publish(table, schema=schema, epsilon=1, folder=tmp_path / "r")
    assert set(release.data["x"].to_pylist()) <= {"a", "b"}
    assert all(check.passed for check in sf.verify(tmp_path / "r"))
    kept = json.loads((tmp_path / "r" / "release.json").read_text())["schema"]["columns"]
    assert kept["x"]["other"] is False
    assert len(kept["c"]["values"]) == 249
    assert kept["c"]["kind"] == "category"
    assert kept["c"]["source"].startswith("ISO 3166-1")


@pytest.mark.parametrize(("name", "size"), [
    ("iso-3166", 249), ("icd-10-chapters", 22), ("nace-2", 21), ("nace-2.1", 22),
])  # fmt: skip
def test_a_bundled_book_becomes_a_plain_category_with_other(name, size):
    column = one({"kind": "code", "book": name, "missing": "allowed", "role": "group"})
    assert column.kind == "category"
    assert column.values == BOOKS[name].values
    assert len(set(column.values)) == size
    assert (column.other, column.missing, column.role) == ("other", "allowed", "group")
    assert column.source == BOOKS[name].source


def test_a_code_may_go_without_other_and_have_a_source_of_its_own():
    column = one({"kind": "code", "book": "nace-2", "other": "none", "source": "our code book"})
    assert (column.other, column.source) == (False, "our code book")


def test_a_book_that_is_a_file_is_read_beside_the_schema_and_its_digest_is_kept(tmp_path):
    content = "label,code\nred,1\ngreen,02\n,\n".encode("utf-8-sig")
    path = written_beside(tmp_path, {"kind": "code", "book": "colours.csv"}, colours=content)
    column = Schema.read(path).columns["x"]
    assert column.values == ("1", "02")
    assert column.source.startswith("code book colours.csv, SHA-256 ")
    (tmp_path / "colours.csv").unlink()
    assert one(column.model_dump(), Schema.from_json) == column  # a certificate needs no book


def test_without_a_column_called_code_the_first_one_counts(tmp_path):
    path = written_beside(tmp_path, {"kind": "code", "book": "c.csv"}, c=b"id,name\nA,x\nB,y\n")
    assert Schema.read(path).columns["x"].values == ("A", "B")


def test_a_link_out_of_the_folder_is_no_book(tmp_path):
    elsewhere, here = tmp_path / "elsewhere", tmp_path / "here"
    elsewhere.mkdir()
    here.mkdir()
    (elsewhere / "c.csv").write_bytes(b"code\nA\nB\n")
    (here / "c.csv").symlink_to(elsewhere / "c.csv")
    (here / "part").symlink_to(elsewhere)
    (here / "own").mkdir()
    (here / "own" / "c.csv").write_bytes(b"code\nA\nB\n")
    for name, reason in (("c.csv", "it is a link"), ("part/c.csv", "must lie beside the schema")):
        with pytest.raises(SchemaError, match=reason):
            Schema.read(written_beside(here, {"kind": "code", "book": name}))
    path = written_beside(here, {"kind": "code", "book": "own/c.csv"})
    assert Schema.read(path).columns["x"].values == ("A", "B")


@pytest.mark.parametrize(
    ("column", "reason"),
    [
        ({"kind": "code"}, "column x: book must name a code book"),
        ({"kind": "code", "book": 3}, "column x: book must name a code book"),
        ({"kind": "code", "book": "iso"}, "there is no code book iso: the bundled ones are iso-31"),
        ({"kind": "code", "book": "nace-2", "values": ["A"]}, "leave values out"),
        ({"kind": "code", "book": "nace-2", "low": 3}, "low is not known here"),
        ({"kind": "code", "book": "nace-2", "other": "A"}, "values must differ"),
        ({"kind": "code", "book": "absent.csv"}, "cannot be read: No such file"),
        ({"kind": "code", "book": "../s.csv"}, "must lie beside the schema: copy it there"),
        ({"kind": "code", "book": "/etc/hosts.csv"}, "must lie beside the schema: copy it there"),
        ({"kind": "code", "book": "empty.csv"}, "has no codes: the first line names the columns"),
        ({"kind": "code", "book": "header.csv"}, "has no codes"),
        ({"kind": "code", "book": "bytes.csv"}, "it is not CSV in UTF-8"),
        ({"kind": "code", "book": "quote.csv"}, "it is not CSV in UTF-8"),
        ({"kind": "code", "book": "long.csv"}, "has more than 10,000 codes"),
        ({"kind": "code", "book": "twice.csv"}, "values must differ from each other"),
        ({"kind": "category", "values": ["a"], "other": 0}, "other must be a text"),
        ({"kind": "category", "values": ["a"], "other": True}, "other must be a text, or none"),
    ],
)
def test_what_is_no_short_form_is_refused_by_column_rule_and_remedy(tmp_path, column, reason):
    files = {
        "empty": b"",
        "header": b"code\n",
        "bytes": b"code\n\xff\n",
        "quote": b'code\n"a"b"\n',
        "long": b"code\n" + b"".join(b"%d\n" % i for i in range(10_001)),
        "twice": b"code\na\na\n",
    }
    path = written_beside(tmp_path, column, **files)
    with pytest.raises(SchemaError, match="x: ") as caught:
        Schema.read(path)
    assert reason in str(caught.value)


def test_a_book_that_is_a_file_is_not_looked_for_without_a_schema_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "c.csv").write_text("code\na\n")
    with pytest.raises(SchemaError, match="is looked for beside a schema file only"):
        one({"kind": "code", "book": "c.csv"})


@pytest.mark.parametrize("book", ["nace-2", "c.csv"])
def test_what_others_wrote_names_no_book(book):
    with pytest.raises(SchemaError, match="kind must be one of"):
        one({"kind": "code", "book": book}, Schema.from_json)


def test_country_codes_are_two_capital_letters_and_survive_a_csv(tmp_path):
    values = BOOKS["iso-3166"].values
    assert all(len(v) == 2 and v.isalpha() and v.isupper() for v in values)
    with (tmp_path / "t.csv").open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([["x"], *([v] for v in values)])
    schema = {"name": "t", "columns": {"x": {"kind": "code", "book": "iso-3166"}}}
    assert sf.inspection.as_read(tmp_path / "t.csv", schema)["x"].to_pylist() == list(values)


def test_a_source_is_kept_and_bounded():
    column = {"kind": "boolean", "source": "the form, question 7"}
    assert one(column).source == "the form, question 7"
    for wrong in ("", "x" * 501, 3):
        with pytest.raises(SchemaError, match="source"):
            one({"kind": "boolean", "source": wrong})


def test_no_other_value_is_written_in_the_word_that_its_owner_writes():
    known = Schema.of(
        {
            "name": "t",
            "columns": {
                "sex": {"kind": "category", "values": ["f", "m"], "other": "none"},
                "ward": {"kind": "category", "values": ["eyes", "ears"], "other": "elsewhere"},
            },
        }
    )
    assert "other: none" in known.to_yaml()
    assert "other: false" not in known.to_yaml()
    assert Schema.parse(known.to_yaml()) == known == Schema.from_json(known.to_json())
