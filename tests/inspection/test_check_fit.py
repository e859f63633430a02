"""sf.check: what does not fit, exactly, said without showing a value."""

import pyarrow as pa
import pytest

import sfumato as sf
from misfit_world import COLUMNS, WRONG, people, schema
from sfumato.errors import BudgetError, DataError, LedgerError
from sfumato.inspection.fit import fit_section
from sfumato.inspection.fit_hint import hint
from sfumato.ledger import Ledger
from sfumato.privacy.guarantee import PureDP
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.table.complaint import Complaint

ROWS = 500
HINTS = {
    "decimal comma": "looks like a decimal comma",
    "thousands": "looks like a comma between thousands",
    "percent signs": "looks like a percent sign",
    "the day first": "looks like a date with slashes, the day first",
    "latin-1": "looks like another encoding than UTF-8",
    "a code for missing": "most are one and the same value, as a code for missing would be",
    "a forgotten category": "most are one and the same value, as a code for missing would be",
    "other capitals": "differs from the list in capital letters alone",
}


@pytest.fixture(scope="module")
def right():
    return people(ROWS)


@pytest.fixture
def ledger(tmp_path):
    with Ledger.create(tmp_path / "budget.db") as opened:
        opened.grant("people", PureDP(1), reason="test")
        yield opened


def test_a_file_that_fits_is_true_and_has_nothing_to_say(right):
    found = sf.check(right, schema=schema(), uncounted=True)
    assert found
    assert (found.records, found.fitting, found.misfits) == (ROWS, ROWS, ())


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: wrong.name)
def test_each_wrong_file_is_told_with_its_remedy_and_what_it_looks_like(right, wrong):
    found = sf.check(wrong.table(right), schema=wrong.schema, uncounted=True)
    assert not found
    (only,) = found.misfits
    assert (only.column, only.complaint) == (wrong.column, wrong.complaint)
    assert only.values == found.records - found.fitting > 0
    assert only.hint == HINTS.get(wrong.name, "")
    assert any(word in only.remedy for word in ("declare", "widen", "list all values"))


def test_every_complaint_of_every_column_is_counted_not_only_the_first(right):
    both = WRONG[0].table(WRONG[2].table(right))
    found = sf.check(both, schema=schema(), uncounted=True)
    assert [(m.column, m.values) for m in found.misfits] == [("wage", ROWS), ("growth", ROWS)]
    assert found.fitting == 0
    assert found.share(found.misfits[0]) == 1


def test_no_value_of_a_record_is_said(right):
    for wrong in WRONG:
        data = wrong.table(right)
        if wrong.name == "latin-1":
            continue  # its bytes are no text
        said = repr(sf.check(data, schema=wrong.schema, uncounted=True))
        secret = {text for text in data[wrong.column].to_pylist() if len(text) > 3}
        listed = set(map(str, COLUMNS[wrong.column].get("values", ())))
        assert not any(text in said for text in secret - listed - {wrong.column})


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (["1.234,50", "2.000,00"], "looks like a point between thousands and a decimal comma"),
        (["1 234", "12 345.5"], "looks like a space between thousands"),
        (["€ 12", "€7.50"], "looks like a sign of a currency"),
        (["12 kg", "9kg"], "looks like a unit behind the number"),
        (["old", "young", None], ""),
        (["\ufffd"] * 20, "no text at all"),
        (["70\ufffd", "8\ufffd"], "looks like another encoding than UTF-8"),
        ([], ""),
    ],
)
def test_numbers_that_cannot_be_read_are_told_by_their_shape(values, said):
    (axis,) = Domain.of(Schema.of({"name": "t", "columns": {"a": COLUMNS["wage"]}})).axes
    assert hint(Complaint.UNREADABLE, axis, values) == said


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (["31.12.2020", "1.2.2021"], "looks like day.month.year"),
        (["12/31/2020", "01/13/2021"], "looks like a date with slashes, the month first"),
        (["01/02/2020", "03/04/2021"], "looks like a date with slashes"),
        (["20201231"], "looks like a date without separators"),
        (["31-12-2020"], "looks like day-month-year"),
    ],
)
def test_dates_that_cannot_be_read_are_told_by_their_shape(values, said):
    (axis,) = Domain.of(Schema.of({"name": "t", "columns": {"a": COLUMNS["joined"]}})).axes
    assert hint(Complaint.UNREADABLE, axis, values) == said


def test_two_words_for_true_and_false_are_no_code_for_missing():
    columns = {"smoker": {"kind": "boolean"}, "wage": COLUMNS["wage"]}
    smoker, wage = Domain.of(Schema.of({"name": "t", "columns": columns})).axes
    assert hint(Complaint.UNREADABLE, smoker, ["ja", "nein"] * 20) == ""
    assert "a code for missing" in hint(Complaint.UNREADABLE, wage, ["n.a."] * 20)


@pytest.mark.parametrize("kind", [pa.timestamp("s"), pa.timestamp("s", "Asia/Tokyo"), pa.date32()])
def test_dates_that_python_does_not_have_are_counted(kind):
    whole, far = (pa.int32(), 2**30) if kind == pa.date32() else (pa.int64(), 2**62)
    table = pa.table({"d": pa.array([far, 0, -far], whole).view(kind)})
    day = {"kind": "date", "low": "1970-01-01", "high": "1970-12-31"}
    schema = {"name": "t", "columns": {"d": day}}
    found = sf.check(table, schema=schema, uncounted=True)
    assert [(one.complaint, one.values) for one in found.misfits] == [("below", 1), ("above", 1)]


def test_lines_that_are_no_objects_are_told_from_another_encoding(tmp_path):
    (tmp_path / "x.jsonl").write_text("{'town': 'a', 'w': 1}\n" * 20)
    town = {"kind": "category", "values": ["a"], "other": "o", "missing": "allowed"}
    columns = {"town": town, "w": {"kind": "number", "low": 0, "high": 9, "missing": "allowed"}}
    schema = {"name": "t", "columns": columns}
    found = sf.check(tmp_path / "x.jsonl", schema=schema, uncounted=True)
    assert (found.fitting, [one.values for one in found.misfits]) == (0, [20, 20])
    assert all("write one object on each line" in one.remedy for one in found.misfits)


@pytest.mark.parametrize("torn", [True, False])
def test_values_with_an_unquoted_separator_are_told_as_torn_lines(torn, tmp_path):
    """Decimal commas in a file whose columns are separated by commas."""
    wage = "{},{}" if torn else '"{},{}"'
    lines = ["town,wage,age", *(f"Lund,{wage.format(k, k % 10)},30" for k in range(100, 200))]
    path = tmp_path / "people.csv"
    path.write_text("\n".join([*lines, ""]), "utf-8")
    declared = {name: COLUMNS[name] for name in ("town", "wage", "age")}
    facts = {"name": "people", "columns": declared}
    found = sf.check(path, schema=facts, uncounted=True)
    if torn:
        assert {one.column for one in found.misfits} == set(declared)
        for one in found.misfits:
            assert one.hint == (
                "lines with too many or too few fields (a separator inside unquoted values?)"
            )
            assert "put such values in quotes" in one.remedy
        with pytest.raises(sf.MisfitError, match="too many or too few fields"):
            sf.publish(path, schema=facts, epsilon=1000, seed=1)
    else:
        (one,) = found.misfits
        assert one.hint == "looks like a decimal comma"


def test_a_look_is_counted_before_a_record_is_read_or_said_to_be_uncounted(right, ledger):
    assert sf.check(right, schema=schema(), ledger=ledger).counted
    assert ledger.inspections("people") == {None: 1}
    with pytest.raises(LedgerError, match=r"give the ledger .* or say --uncounted"):
        sf.check(right, schema=schema())
    with pytest.raises(BudgetError, match="or say --uncounted"):
        sf.check(right, schema=schema() | {"name": "stranger"}, ledger=ledger)
    with pytest.raises(DataError):
        sf.check(right.select(["age"]), schema=schema(), ledger=ledger)
    assert ledger.inspections("people") == {None: 1}


def test_categories_of_pandas_and_dictionaries_are_looked_at_as_well(right):
    work = WRONG[8].table(right)["work"].combine_chunks()
    for column in (work.dictionary_encode(), work.cast(pa.string_view())):
        table = right.set_column(right.column_names.index("work"), "work", column)
        (only,) = sf.check(table, schema=schema(), uncounted=True).misfits
        assert (only.values, only.hint) == (ROWS, HINTS["other capitals"])


def test_a_table_without_records_fits():
    empty = pa.table({name: pa.array([], pa.string()) for name in COLUMNS})
    private = schema() | {"neighbours": "add-remove"}
    assert sf.check(empty, schema=private, uncounted=True).records == 0


def test_an_inspection_shows_the_shares_that_were_cut(right):
    narrow = schema(hours={"kind": "integer", "low": 0, "high": 55})
    fit = fit_section(right, Domain.of(Schema.of(narrow)))
    assert fit.title == "Fit"
    exact = sf.check(right, schema=narrow, uncounted=True)
    assert [line.what for line in fit.lines] == ["records that fit", "hours, above"]
    assert fit.lines[1].value == f"{exact.share(exact.misfits[0]):.2%}"
    assert "values as they were read" in fit.remark
