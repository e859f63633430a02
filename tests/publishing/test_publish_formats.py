"""Files as they are: read by their declared formats, published, verified, and read again."""

import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import DataError
from sfumato.inspection import as_read

SCHEMA = """\
name: clinic
file:
  encoding: cp1252
  delimiter: ";"
  decimal: ","
  thousands: "."
  format: "%d.%m.%Y"
  true: [ja]
  false: [nein]
  missing_words: ["k. A.", -99]
columns:
  größe: {kind: number, low: 0, high: 2500, step: 0.5, missing: allowed}
  anteil: {kind: number, low: 0, high: 100, step: 0.5, percent: true}
  stadt: {kind: category, values: [Zürich, Bern], aliases: {Zürich: [ZH, Zuerich]}, other: sonst}
  raucht: {kind: boolean, missing: allowed}
  tag: {kind: date, low: 2024-01-01, high: 2024-12-31}
"""
LINES = [
    ("1.234,50", "45,5%", "Zürich", "ja", "03.05.2024"),
    ("-99", "0%", "ZH", "k. A.", "31.12.2024"),
    ("k. A.", "100%", "Bern", "nein", "01.01.2024"),
    ("12", "7,0 %", "Genève", "Nein", "29.02.2024"),
]
READ = {
    "größe": [1234.5, None, None, 12.0],
    "anteil": [45.5, 0.0, 100.0, 7.0],
    "stadt": ["Zürich", "Zürich", "Bern", "sonst"],
    "raucht": [True, None, False, False],
    "tag": ["2024-05-03", "2024-12-31", "2024-01-01", "2024-02-29"],
}


@pytest.fixture
def clinic(tmp_path):
    (tmp_path / "schema.yaml").write_text(SCHEMA, "utf-8")
    lines = [("größe", "anteil", "stadt", "raucht", "tag"), *LINES * 50]
    content = "".join(";".join(line) + "\r\n" for line in lines)
    (tmp_path / "clinic.csv").write_bytes(content.encode("cp1252"))
    return tmp_path


def test_a_file_is_read_by_what_is_declared(clinic):
    found = as_read(clinic / "clinic.csv", clinic / "schema.yaml")
    first = {name: found[name].to_pylist()[:4] for name in found.column_names}
    assert first | {"tag": [str(day) for day in first["tag"]]} == READ


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_release_of_such_a_file_verifies_and_carries_the_facts(clinic, form):
    folder = clinic / "release"
    release = sf.publish(
        clinic / "clinic.csv",
        schema=clinic / "schema.yaml",
        epsilon=20,
        folder=folder,
        format=form,
    )
    assert all(check.passed for check in sf.verify(folder))
    facts = release.certificate.public_schema.to_json()
    assert facts["file"]["decimal"] == ","
    assert facts["columns"]["stadt"]["aliases"] == {"Zürich": ["ZH", "Zuerich"]}
    assert {*release.data["stadt"].to_pylist()} <= {"Zürich", "Bern", "sonst"}
    # What is released is written plainly, and read as what it is.
    assert as_read(release.data, clinic / "schema.yaml").equals(release.data)


def test_without_the_declaration_nothing_of_it_is_read_as_something_else(clinic):
    plain = SCHEMA.replace('  decimal: ","\n  thousands: "."\n  format: "%d.%m.%Y"\n', "")
    found = as_read(clinic / "clinic.csv", sf.Schema.parse(plain))
    assert found["größe"].to_pylist()[:4] == [None, None, None, 12.0]
    assert {str(day) for day in found["tag"].to_pylist()} == {"2024-07-01"}  # the middle


def test_another_encoding_is_refused_before_the_charge(clinic):
    ledger = sf.Ledger.create(clinic / "ledger")
    before = ledger.head
    wrong = sf.Schema.parse(SCHEMA.replace("  encoding: cp1252\n", ""))
    with pytest.raises(DataError, match=r"declare its encoding .*in a schema, file: encoding:"):
        sf.publish(clinic / "clinic.csv", schema=wrong, epsilon=1, ledger=ledger)
    assert ledger.unfinished() == []
    assert ledger.head == before


def test_a_stored_table_under_the_same_schema_is_taken_as_stored(clinic):
    found = as_read(clinic / "clinic.csv", clinic / "schema.yaml")
    typed = found.drop_columns(["anteil"])
    content = sf.Schema.read(clinic / "schema.yaml").to_json()
    del content["columns"]["anteil"]
    schema = sf.Schema.of(content)
    assert as_read(typed, schema).equals(typed)
    codes = pa.array([-99.0, 12.0] * 100)
    missing = as_read(typed.set_column(0, "größe", codes), schema)
    assert missing["größe"].to_pylist() == [None, 12.0] * 100
