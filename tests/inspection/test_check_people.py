"""sf.check where a person is the unit: rows, of one file or of two, for the owner's eyes."""

import json

import pyarrow as pa
import pyarrow.csv as pacsv
import pytest

import sfumato as sf
from commands import run
from sfumato.errors import DataError
from sfumato.inspection.page import write_page
from visits_world import PEOPLE, ROWS, TWO_FILES, visits


def persons():
    """Two of three were born when nobody was."""
    return pa.table({"patient": [1, 2, 3], "born": [1950, 1850, 2050]})


def events():
    """One of four visits is longer than any can be."""
    found = {"patient": [1, 1, None, 9], "year": [2015] * 4, "days": [3, 999, 3, 3]}
    return pa.table({**found, "cured": [True] * 4})


def test_of_one_file_rows_are_counted_and_called_so():
    found = sf.check(visits(), schema=PEOPLE, uncounted=True)
    assert found
    assert (found.unit, found.records, len(found.files)) == ("rows", 160, 1)
    assert sf.check(visits(), schema=ROWS, uncounted=True).unit == "records"


def test_of_two_files_each_is_held_to_its_own_columns_and_all_rows_count():
    both = {"persons": persons(), "events": events()}
    found = sf.check(both, schema=TWO_FILES, uncounted=True)
    assert [(file.name, file.records, file.fitting) for file in found.files] == [
        ("persons", 3, 1),
        ("events", 4, 3),
    ]
    shares = [(one.column, one.complaint, found.share(one)) for one in found.misfits]
    assert shares == [("born", "below", 1 / 3), ("born", "above", 1 / 3), ("days", "above", 1 / 4)]
    assert (found.records, found.fitting, bool(found)) == (7, 4, False)


def test_one_file_of_two_and_two_of_one_are_refused():
    for data in (events(), {"persons": persons()}):
        with pytest.raises(DataError, match="give that of persons as well"):
            sf.check(data, schema=TWO_FILES, uncounted=True)
    both = {"persons": persons(), "events": events()}
    with pytest.raises(DataError, match="leave out that of persons"):
        sf.check(both, schema=PEOPLE, uncounted=True)


def test_a_file_that_lacks_a_column_of_its_own_is_refused():
    for both in (
        {"persons": events(), "events": events()},
        {"persons": persons(), "events": persons()},
    ):
        with pytest.raises(DataError, match=r"of the schema (is|are) not in the data"):
            sf.check(both, schema=TWO_FILES, uncounted=True)


def test_columns_of_one_table_may_be_called_persons_and_events():
    columns = {"persons": {"kind": "boolean"}, "events": {"kind": "boolean"}}
    data = {"persons": [True, False], "events": [True, True]}
    assert sf.check(data, schema={"name": "t", "columns": columns}, uncounted=True)


def test_the_command_takes_both_files_and_says_that_rows_are_counted(tmp_path):
    pacsv.write_csv(persons(), tmp_path / "p.csv")
    pacsv.write_csv(events(), tmp_path / "e.csv")
    (tmp_path / "s.json").write_text(json.dumps(TWO_FILES))
    words = "check e.csv --persons p.csv --schema s.json --uncounted -o page.html"
    done = run(words, cwd=tmp_path)
    assert done.returncode == 0
    said = " ".join(done.stdout.split())
    assert "visits, persons · 1 of 3 rows fit in every column" in said
    assert "visits, events · 3 of 4 rows fit in every column" in said
    assert "counted by row: those without an id too" in said
    assert "rows of persons" in (tmp_path / "page.html").read_text("utf-8")


def test_the_page_of_one_file_names_no_file(tmp_path):
    found = sf.check(visits(), schema=ROWS, uncounted=True)
    write_page(found, tmp_path / "page.html", template="check.html")
    page = (tmp_path / "page.html").read_text("utf-8")
    assert "<dt>records</dt><dd>160, of which 160 fit in every column</dd>" in page
