"""Workbooks: the codes of the same table in CSV, and each cell read by itself."""

import datetime as dt
import re
import tracemalloc
import zipfile

import pytest

from sfumato.errors import DataError, MissingExtra
from sfumato.table import source as sources
from sfumato.table.file import excel
from sfumato.table.source import open_source
from table.sources_world import COLUMNS, SECRET, codes, domain_of, records, texts

openpyxl = pytest.importorskip("openpyxl")
AGE = domain_of({"id": {"kind": "id"}, "age": COLUMNS["age"], "seen": COLUMNS["seen"]})


@pytest.fixture
def path(tmp_path):
    return tmp_path / "visits.xlsx"


def saved(path, *rows, title="2024", others=()):
    book = openpyxl.Workbook()
    book.active.title = title
    for row in rows:
        book.active.append(row)
    for other in others:
        book.create_sheet(other).append(["x"])
    book.save(path)
    return path


def read(path):
    return codes(path, AGE)


def rewritten(path, part, change):
    """The workbook with one of its parts changed."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts[part] = change(parts[part].decode()).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


def in_one_list(path):
    """The workbook with its texts in one list, as Excel writes them; some of it in bold."""
    held = []

    def listed(found):
        held.append(found[1])
        return f't="s"><v>{len(held) - 1}</v>'

    inline = re.compile(r't="inlineStr"><is><t[^>]*>(.*?)</t></is>', re.S)
    rewritten(path, "xl/worksheets/sheet1.xml", lambda xml: inline.sub(listed, xml))
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    texts = "".join(f"<si><r><t>{text[:1]}</t></r><r><t>{text[1:]}</t></r></si>" for text in held)
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
    part = f'<Override PartName="/xl/sharedStrings.xml" ContentType="{kind}"/></Types>'
    rewritten(path, "[Content_Types].xml", lambda xml: xml.replace("</Types>", part))
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("xl/sharedStrings.xml", f'<sst xmlns="{space}">{texts}</sst>')
    return path


@pytest.mark.parametrize("rows", [7, 1, 0])
@pytest.mark.parametrize("change", [str, in_one_list])
def test_a_sheet_gives_the_codes_of_the_table(path, rows, change):
    table = records(rows)
    plain = [list(record.values()) for record in table.to_pylist()]
    plain = [[*row[:-1], row[-1] and row[-1].replace(tzinfo=None)] for row in plain]
    assert codes(change(saved(path, list(COLUMNS), *plain))) == codes(table)


def test_a_sheet_is_named_behind_the_file_or_refused_with_those_there_are(path):
    saved(path, ["id", "age", "seen"], [1, 3, None], others=["old # one"])
    assert read(f"{path}#2024") == [[3, -1]]
    assert open_source(f"{path}#old # one").names == ("x",)
    with pytest.raises(DataError, match=r"has the sheets 2024, old # one: say which with --sheet"):
        open_source(path)
    with pytest.raises(DataError, match=r"has no sheet 2025: it has 2024, old # one"):
        open_source(f"{path}#2025")


DAY = dt.datetime.fromisoformat("2020-01-04")
CELLS = {
    "a date": (DAY, 3),
    "a moment of the day": (DAY.replace(hour=23), 3),
    "a date as text": ("2020-01-04", 3),
    "another text": (SECRET, -1),
    "a serial that is not shown as a date": (43834, -1),
    "an error": ("#N/A", -1),
    "a truth value": (True, -1),
    "nothing": (None, -1),
}


@pytest.mark.parametrize("name", CELLS)
def test_a_cell_is_read_by_itself(path, name):
    cell, code = CELLS[name]
    saved(path, ["id", "age", "seen"], [1, 3, DAY], [2, 3, cell], [3, 3, DAY])
    assert read(path) == [[3, 3], [3, code], [3, 3]]


@pytest.mark.parametrize("change", [str, in_one_list])
def test_what_a_workbook_escapes_is_read_as_what_it_stands_for(path, change):
    ward = domain_of({"ward": {"kind": "category", "values": ["a", "b c", "d_x12_"], "other": "o"}})
    rows = [["a_x000D_"], ["_x000a_a"], ["b_x0020_c"], ["d_x12_"], ["a_xD800_"], ["a_x000D"]]
    change(saved(path, ["ward_x000D_"], *rows))
    assert codes(path, ward) == [[0], [0], [1], [2], [3], [3]]


def test_formulas_are_read_as_last_computed_and_as_missing_if_they_never_were(path):
    saved(path, ["id", "age", "seen"], [1, "=1+2", DAY], [2, "=1+2", DAY])
    computed = "<f>1+2</f><v>3</v>"
    rewritten(
        path, "xl/worksheets/sheet1.xml", lambda xml: xml.replace("<f>1+2</f><v />", computed, 1)
    )
    assert read(path) == [[3, 3], [-1, 3]]


def test_an_empty_row_is_no_record_wherever_it_stands(path):
    rows = [["id", "age", "seen"], [], [1, 3, DAY], [], [None, " ", ""], [2, None, None], []]
    book = openpyxl.Workbook()
    for number, row in enumerate(rows, 3):  # two empty rows above the names
        for place, value in enumerate(row, 1):
            book.active.cell(number, place, value)
    book.active.cell(40, 2).font = openpyxl.styles.Font(bold=True)  # which has no value
    book.active.cell(5, 9, "a note beside the table")
    book.save(path)
    assert read(path) == [[3, 3], [-1, -1]]


def test_of_merged_cells_the_first_has_the_value(path):
    saved(path, ["id", "age", "seen"], [1, 3, DAY], [2, None, DAY])
    book = openpyxl.load_workbook(path)
    book.active.merge_cells("B2:B3")
    book.save(path)
    assert read(path) == [[3, 3], [-1, 3]]


def test_a_date_beyond_the_calendar_and_a_forged_cell_are_missing_and_touch_no_other(path):
    saved(path, ["id", "age", "seen"], [1, 3, DAY], [2, 4, DAY], [3, 5, DAY])

    def forge(xml):
        xml = xml.replace(">43834<", ">1e12<", 1)
        return xml.replace('<c r="B3" t="n"><v>4</v>', f'<c r="B3" t="n"><v>{SECRET}</v>')

    rewritten(path, "xl/worksheets/sheet1.xml", forge)
    assert read(path) == [[3, -1], [-1, 3], [5, 3]]


def test_rows_beyond_those_that_the_sheet_announces_are_read(path):
    saved(path, ["id", "age", "seen"], [1, 3, DAY], [2, 4, DAY])
    rewritten(path, "xl/worksheets/sheet1.xml", lambda xml: xml.replace("A1:C3", "A1:A2"))
    assert read(path) == [[3, 3], [4, 3]]


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ([], "has no header: the first row of the sheet must name the columns"),
        (["id", None, "seen"], "column 2 of the sheet has no name"),
        (["id", "age", "age"], "two columns have the same name"),
        (["id", "age", "note"], "column seen of the schema is not in the data"),
    ],
)
def test_headers_that_name_no_columns_are_refused(path, header, words):
    with pytest.raises(DataError, match=words):
        read(saved(path, header))


def test_locked_damaged_and_overfull_workbooks_are_refused_before_a_record_is_read(
    path, monkeypatch
):
    path.write_bytes(b"\xd0\xcf\x11\xe0" + SECRET.encode())
    with pytest.raises(DataError, match=r"is locked with a password, or of an old format"):
        open_source(path)
    whole = saved(path, ["id", "age", "seen"], *([i, i, SECRET] for i in range(999))).read_bytes()
    monkeypatch.setattr(excel, "MOST_TEXT", 100)
    with pytest.raises(DataError, match=r"holds more than 0 MB of texts: save it as CSV"):
        open_source(path)
    monkeypatch.undo()
    for broken in (whole[: len(whole) // 2], whole[:3000] + bytes(40) + whole[3040:], b""):
        path.write_bytes(broken)
        with pytest.raises(DataError, match=r"damaged") as error:
            open_source(path)
        assert SECRET not in "".join(texts(error.value))


def test_a_sheet_is_read_in_bounded_memory(path):
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet()
    sheet.append(["id", "age", "seen"])
    for number in range(5_000):
        sheet.append([number, 3, 2.5])
    book.save(path)

    def peak(rows):
        tracemalloc.start()
        try:
            assert open_source(path).has_rows(rows)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    assert peak(5_000) < peak(100) + 2**18  # the rows themselves, as objects, take ten times that


def test_without_openpyxl_a_workbook_is_refused_with_the_way_out(path, monkeypatch):
    saved(path, ["id"])
    monkeypatch.setitem(__import__("sys").modules, "openpyxl.reader.excel", None)
    with pytest.raises(MissingExtra, match=r"pip install 'sfumato\[excel\]', or save the sheet"):
        sources.open_source(path)
