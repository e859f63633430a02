"""Stata, SAS and SPSS: the codes of the same table, by types that the header declares."""

import datetime as dt
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from sfumato.errors import DataError, MissingExtra
from sfumato.table.file import statistical
from sfumato.table.source import number_of_records, open_source
from table.sources_world import COLUMNS, DOMAIN, SECRET, codes, domain_of, records, texts

pyreadstat = pytest.importorskip("pyreadstat")
WRITERS = {
    ".dta": pyreadstat.write_dta,
    ".sav": pyreadstat.write_sav,
    ".zsav": lambda frame, path: pyreadstat.write_sav(frame, path, compress=True),
    ".xpt": pyreadstat.write_xport,
}


def frame_of(table):
    """As pandas would hold it for these programs: numbers, texts and dates, no truth values."""
    plain = {}
    for name in table.column_names:
        column = table[name]
        if name in ("size", "age", "grade", "smoker"):
            numbers = pd.Series(column.to_pylist(), dtype=object).astype(float)
            plain[name] = numbers.clip(upper=1e70)  # SAS knows no more
        elif name == "at":
            plain[name] = column.cast(pa.timestamp("ms")).to_pandas()
        else:
            plain[name] = pd.Series(column.to_pylist(), dtype=object)
    return pd.DataFrame(plain)


@pytest.mark.parametrize("ending", WRITERS)
@pytest.mark.parametrize("rows", [7, 1])
def test_a_file_gives_the_codes_of_the_table(tmp_path, ending, rows):
    table = records(rows)
    WRITERS[ending](frame_of(table), str(tmp_path / f"visits{ending}"))
    assert codes(tmp_path / f"visits{ending}") == codes(table)


def test_sas_tables_are_read_as_transport_files_are(tmp_path, monkeypatch):
    """Which nothing but SAS writes: the reader's own function for them is taken for granted."""
    WRITERS[".xpt"](frame_of(records()), str(tmp_path / "x.xpt"))
    (tmp_path / "x.xpt").rename(tmp_path / "x.sas7bdat")
    monkeypatch.setattr(pyreadstat, "read_sas7bdat", pyreadstat.read_xport)
    assert codes(tmp_path / "x.sas7bdat") == codes(records())


def test_types_are_those_of_the_header_and_a_wrong_kind_is_refused(tmp_path):
    frame = frame_of(records()).assign(grade=np.int8(3))
    WRITERS[".dta"](frame, str(tmp_path / "x.dta"))
    source = open_source(tmp_path / "x.dta")
    assert source.types["size"] == pa.float64()
    assert source.types["grade"] == pa.int64()
    assert source.types["ward"] == pa.large_string()
    assert source.types["seen"] == source.types["at"] == pa.timestamp("s")
    assert number_of_records(source, DOMAIN) == 7
    assert [source.has_rows(7), source.has_rows(8)] == [True, False]
    with pytest.raises(DataError, match="column seen is declared integer but stored as timestamp"):
        codes(tmp_path / "x.dta", domain_of(COLUMNS | {"seen": COLUMNS["age"]}))


LABELLED = {
    "id": {"kind": "id"},
    "ward": {"kind": "category", "values": ["Chirurgie ä", "2"], "other": "else"},
}


@pytest.mark.parametrize("ending", [".dta", ".sav"])
def test_value_labels_are_read_only_when_asked_for(tmp_path, ending):
    path = tmp_path / f"x{ending}"
    frame = pd.DataFrame({"ward": [1.0, 2.0, 9.0, np.nan]})
    labels = {"ward": {1: "Chirurgie ä", 9: "unknown"}}
    WRITERS[ending](frame, str(path), variable_value_labels=labels)
    assert codes(f"{path}#labels", domain_of(LABELLED)) == [[0], [1], [2], [2]]
    assert codes(path, domain_of(LABELLED)) == [[2], [1], [2], [2]]
    with pytest.raises(DataError, match="behind # only the word labels is known"):
        open_source(f"{path}#label")


def test_numbers_without_a_label_are_numbers_however_texts_are_written(tmp_path):
    size = {"kind": "number", "low": 0, "high": 2000, "decimal": ",", "thousands": "."}
    domain = domain_of({"size": size | {"missing": "allowed"}})
    frame = pd.DataFrame({"size": [1.234, 7.0, -1.5, 1500.0, np.nan]})
    path = tmp_path / "x.sav"
    WRITERS[".sav"](frame, str(path), variable_value_labels={"size": {99.0: "0,5"}})
    assert codes(f"{path}#labels", domain) == codes(path, domain) == codes(frame, domain)


def test_what_a_file_declares_missing_is_missing(tmp_path):
    frame = pd.DataFrame({"age": [3.0, -99.0, 98.0]})
    WRITERS[".sav"](frame, str(tmp_path / "x.sav"), missing_ranges={"age": [-99]})
    assert codes(tmp_path / "x.sav", domain_of({"age": COLUMNS["age"]})) == [[3], [-1], [7]]


@pytest.mark.parametrize("ending", [".dta", ".sav"])
def test_bytes_that_are_no_letters_touch_no_other_record(tmp_path, ending):
    path = tmp_path / f"x{ending}"
    WRITERS[ending](pd.DataFrame({"wärd": ["äöü", "a", SECRET]}), str(path))
    content = path.read_bytes()
    path.write_bytes(content.replace("äöü".encode(), b"\xff\xfe\xc3abc"))
    column = {"kind": "category", "values": ["a", "äöü"], "other": "else"}
    assert codes(path, domain_of({"wärd": column})) == [[2], [0], [2]]
    path.write_bytes(content)
    assert codes(path, domain_of({"wärd": column})) == [[1], [0], [2]]


def test_old_stata_files_are_in_the_letters_of_their_time(tmp_path):
    WRITERS[".dta"](pd.DataFrame({"ward": ["xx", "a"]}), str(tmp_path / "x.dta"), version=12)
    content = (tmp_path / "x.dta").read_bytes()
    assert content.count(b"xx") == 1
    (tmp_path / "x.dta").write_bytes(content.replace(b"xx", "é€".encode("cp1252")))
    column = {"kind": "category", "values": ["é€"], "other": "else"}
    assert codes(tmp_path / "x.dta", domain_of({"ward": column})) == [[0], [1]]


@pytest.mark.parametrize(
    ("ending", "format", "value"),
    [
        (".dta", "%td", 21918),
        (".dta", "%tdDD/NN/CCYY", 21918.9),
        (".dta", "%-td", 21918),
        (".dta", "%tc", 21918 * 86_400_000 + 999),
        (".dta", "%tCHH:MM", 21918 * 86_400_000),
        (".sav", "DATE11", 13797475200),
        (".sav", "EDATE10", 13797475200),
        (".sav", "DATETIME20", 13797475200.5),
        (".xpt", "DATE9.", 21918),
        (".xpt", "MMDDYY10.", 21918),
        (".xpt", "E8601DA.", 21918),
        (".xpt", "DATETIME20.", 21918 * 86_400),
    ],
)
def test_dates_count_from_where_their_format_says(ending, format, value):
    date = statistical._date(Path(f"x{ending}"), "double", format)
    far = np.array([value, 1e300, -1e300, np.nan, np.inf])
    first, *others = statistical._moments(far, *date).tolist()
    assert first.date() == dt.date(2020, 1, 4)
    last, earliest = map(dt.datetime.fromisoformat, ("9999-12-31T23:59:59", "0001-01-01"))
    assert others == [last, earliest, None, last]


@pytest.mark.parametrize("case", ["x.dta %9.0g", "x.sav F8.2", "x.xpt TIME8.", "x.xpt "])
def test_other_formats_are_numbers(case):
    path, format = case.split(" ")
    assert statistical._date(Path(path), "double", format) is None


def test_files_are_read_in_parts(tmp_path, monkeypatch):
    WRITERS[".sav"](pd.DataFrame({"age": np.arange(10.0)}), str(tmp_path / "x.sav"))
    monkeypatch.setattr(statistical, "BATCH_ROWS", 4)
    source = open_source(tmp_path / "x.sav")
    assert [batch.num_rows for batch in source.batches(["age"])] == [4, 4, 2]
    silent = replace(source, rows=None)  # some writers do not say how many there are
    assert [batch.num_rows for batch in silent.batches(["age"])] == [4, 4, 2]
    assert [silent.has_rows(10), silent.has_rows(11)] == [True, False]


@pytest.mark.parametrize("ending", [*WRITERS, ".sas7bdat"])
@pytest.mark.parametrize("content", [b"", SECRET.encode() * 99])
def test_files_that_are_not_what_they_are_called_are_refused(tmp_path, ending, content):
    path = tmp_path / f"x{ending}"
    path.write_bytes(content)
    with pytest.raises(DataError, match="it is damaged or half-written") as error:
        open_source(path)
    assert SECRET not in "".join(texts(error.value))


def test_without_pyreadstat_a_file_is_refused_with_the_way_out(tmp_path, monkeypatch):
    (tmp_path / "x.sav").write_bytes(b"x")
    monkeypatch.setitem(__import__("sys").modules, "pyreadstat", None)
    with pytest.raises(MissingExtra, match=r"pip install 'sfumato\[stat\]', or save as CSV"):
        open_source(tmp_path / "x.sav")
