"""Drafts: a private file gives its header and nothing else; a public one a proposal to check."""

import gzip
from contextlib import suppress
from datetime import UTC, date, datetime
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import DataError, SchemaError
from sfumato.schema import Category, Schema
from sfumato.schema.column_guess import Proposal
from sfumato.table.draft import draft

SECRET = "Rosalind"


@pytest.fixture
def save(tmp_path):
    """Write a file of any kind under this name."""

    def write(name, content):
        path = tmp_path / name
        if isinstance(content, pa.Table):
            pq.write_table(content, path)
        else:
            raw = content if isinstance(content, bytes) else content.encode()
            path.write_bytes(gzip.compress(raw) if name.endswith(".gz") else raw)
        return path

    return write


def proposed(*values):
    """The column that a public file with these values in one column would get."""
    seen = Proposal()
    seen.see(values)
    lines = ["name: t", "columns:", "  x:", *(f"    {fact}" for fact in seen.facts())]
    return "\n".join(lines)


def column(*values):
    return Schema.parse(proposed(*values)).columns["x"]


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz"])
@pytest.mark.parametrize(
    "records", ["", "1,x\n", f"{SECRET},{SECRET}\n" * 1000, '"', b"\xff\xfe\x00\n", ",\n,\n,,,\n"]
)
def test_a_draft_of_a_private_csv_does_not_depend_on_its_records(save, name, records):
    records = records if isinstance(records, bytes) else records.encode()
    text = draft(save(name, b"age,ward\n" + records), public=False)
    assert text == draft(save(name, "age,ward\n5,a\n"), public=False)


def test_a_draft_of_a_private_parquet_file_does_not_depend_on_its_records(save):
    kinds = pa.schema([("age", pa.int64()), ("ward", pa.dictionary(pa.int8(), pa.string()))])
    texts = set()
    for ages, wards in ([5], ["a"]), ([7, None], [SECRET, None]), ([], []):
        table = pa.table(
            [
                pa.array(ages, pa.int64()),
                pa.array(wards)
                .cast(pa.string())
                .dictionary_encode()
                .cast(kinds.field("ward").type),
            ],
            schema=kinds,
        )
        texts.add(draft(save("t.parquet", table), public=False))
    assert len(texts) == 1


def test_a_draft_of_a_public_file_does_depend_on_its_records(save):
    one = draft(save("t.csv", "age\n5\n90\n"), public=True)
    assert one != draft(save("t.csv", "age\n5\n9000\n"), public=True)


def test_a_private_csv_leaves_every_kind_blank_and_the_check_lists_the_columns(save):
    text = draft(save("clinic.csv", "age,ward\n5,a\n"), public=False)
    assert "no record was read" in text
    assert "name: clinic\n" in text
    assert text.count("kind:  # number, integer, category, boolean, date or id") == 2
    with pytest.raises(SchemaError, match="columns age, ward: kind must be one of number, integer"):
        Schema.parse(text)


def test_a_private_parquet_file_gives_stored_kinds_and_blank_ranges(save):
    types = {
        "i": pa.int16(),
        "f": pa.float32(),
        "m": pa.decimal128(9, 2),
        "b": pa.bool_(),
        "d": pa.date32(),
        "t": pa.timestamp("us", "UTC"),
        "s": pa.string(),
        "l": pa.large_string(),
        "c": pa.dictionary(pa.int8(), pa.string()),
        "n": pa.null(),
        "nested": pa.list_(pa.int8()),
    }
    text = draft(save("t.parquet", pa.schema(types.items()).empty_table()), public=False)
    kinds = [line.split("#")[0].split() for line in text.splitlines() if "kind:" in line]
    assert [" ".join(kind[1:]) for kind in kinds] == [
        *("integer", "number", "number", "boolean", "date", "date"),
        *("category", "category", "category", "", "id"),
    ]
    assert text.count("low:  # declare from public knowledge") == 5
    with pytest.raises(SchemaError) as caught:
        Schema.parse(text)
    message = str(caught.value)
    assert "columns i, f, m, d, t: low is blank: declare it from public knowledge" in message
    assert "columns s, l, c: values is blank: declare it from public knowledge" in message
    assert "column n: kind must be one of" in message


def test_a_public_file_becomes_a_schema_that_a_person_is_told_to_check(save):
    text = draft(
        save(
            "open.csv.gz",
            "age,weight,ward,smoker,seen,note\n"
            "17,61.5,b,true,2020-03-01,\n"
            "90, 99.25 , a,False,2024-07-09,x\n"
            "40,,b,,2021-01-01,x\n",
        ),
        public=True,
    )
    assert text.startswith("# Drafted from the records of open.csv.gz, which was declared public.")
    assert "A person must check every line" in text
    assert Schema.parse(text).to_json() == {
        "name": "open",
        "columns": {
            "age": {"kind": "integer", "low": 10, "high": 90},
            "weight": {"kind": "number", "low": 60, "high": 100, "missing": "allowed"},
            "ward": {"kind": "category", "values": ["a", "b"]},
            "smoker": {"kind": "boolean", "missing": "allowed"},
            "seen": {"kind": "date", "low": "2020-01-01", "high": "2024-12-31"},
            "note": {"kind": "category", "values": ["x"], "missing": "allowed"},
        },
    }


def test_a_public_parquet_file_is_read_through_its_stored_types(save):
    table = pa.table(
        {
            "i": pa.array([1, 2, None], pa.int32()),
            "f": [0.5, float("nan"), 2.0],
            "m": [Decimal("0.10"), Decimal("0.90"), None],
            "b": [True, False, None],
            "d": [date(1999, 5, 5), None, date(2001, 1, 1)],
            "t": pa.array([datetime(2020, 1, 1, 7, tzinfo=UTC)] * 3, pa.timestamp("ns", "UTC")),
            "c": pa.array(["x", "y", "x"]).dictionary_encode(),
            "nested": [[1], [2], []],
        }
    )
    columns = Schema.parse(draft(save("t.pq", table), public=True)).to_json()["columns"]
    assert columns == {
        "i": {"kind": "integer", "low": 1, "high": 2, "missing": "allowed"},
        "f": {"kind": "number", "low": 0.5, "high": 2, "missing": "allowed"},
        "m": {"kind": "number", "low": 0.1, "high": 0.9, "missing": "allowed"},
        "b": {"kind": "boolean", "missing": "allowed"},
        "d": {"kind": "date", "low": "1999-01-01", "high": "2001-12-31", "missing": "allowed"},
        "t": {"kind": "date", "low": "2020-01-01", "high": "2020-12-31", "step": "hour"},
        "c": {"kind": "category", "values": ["x", "y"]},
        "nested": {"kind": "id"},
    }


@pytest.mark.parametrize(
    ("low", "high", "friendly"),
    [
        (17, 90, (10, 90)),
        (12_285, 1_484_705, (0, 1_500_000)),
        (-3, 3, (-3, 3)),
        (-31, 58, (-40, 60)),
        (1, 99, (0, 100)),
        (5, 5, (5, 6)),
        (0, 0, (0, 1)),
        (1234, 1234, (1000, 2000)),
    ],
)
def test_whole_ranges_are_rounded_outward_to_friendly_numbers(low, high, friendly):
    found = column(str(low), str(high))
    assert (found.kind, found.low, found.high) == ("integer", *friendly)


@settings(deadline=None, max_examples=200)
@given(st.lists(st.floats(-1e250, 1e250), min_size=1, max_size=5))
def test_a_proposed_range_holds_every_number_and_is_at_most_twice_as_wide(numbers):
    spread = max(numbers) - min(numbers)
    if 0 < spread < 1e-100:
        return  # narrower than any schema allows
    found = column(*map(repr, numbers), "0.5")
    assert found.low <= min(numbers)
    assert found.high >= max(numbers)
    if spread > 1e-9 * max(map(abs, numbers)):
        assert found.high - found.low <= 1.6 * (max(*numbers, 0.5) - min(*numbers, 0.5))


@settings(deadline=None)
@given(st.lists(st.integers(-(2**52), 2**52), min_size=1, max_size=5).map(lambda n: [*n, 2]))
def test_a_proposed_range_holds_every_whole_number(numbers):
    found = column(*map(str, numbers))
    assert found.low <= min(numbers) <= max(numbers) <= found.high


@settings(deadline=None, max_examples=50)
@given(st.lists(st.datetimes(), min_size=1, max_size=5))
def test_a_proposed_range_of_dates_holds_every_day(moments):
    found = column(*(moment.isoformat() for moment in moments))
    assert found.low <= min(moments)
    assert found.high.date() >= max(moments).date()


@settings(deadline=None)
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), max_size=60))
def test_any_public_texts_give_a_column_or_a_blank(texts):
    texts = [text.strip() for text in texts]
    try:
        found = column(*texts)
    except SchemaError:
        assert "kind:  # no value was seen" in proposed(*texts) or "kind: id" in proposed(*texts)
    else:
        if isinstance(found, Category):
            assert set(found.values) == {text for text in texts if text}


@pytest.mark.parametrize(
    ("times", "step"),
    [
        (["2020-01-01"], "day"),
        (["2020-01-01", "2020-01-01T05:00"], "hour"),
        (["2020-01-01 05:00", "2020-01-01 05:01"], "minute"),
        (["2020-01-01T05:01:01+02:00"], "second"),
    ],
)
def test_the_step_of_a_date_is_the_finest_that_was_seen(times, step):
    assert column(*times).step == step


def test_codes_with_leading_zeros_are_not_numbers():
    assert column("01", "02", "10").values == ("01", "02", "10")


def test_zero_and_one_are_a_boolean_with_a_word_on_the_digits():
    assert column("0", "1").kind == "boolean"
    assert "would keep the digits" in proposed("0", "1")


def test_marks_for_missing_values_are_missing_in_numbers_and_values_in_categories():
    assert (column("1", "NA", "9").kind, column("1", "NA", "9").missing) == ("integer", "allowed")
    assert column("a", "NA").values == ("NA", "a")
    assert "empty cells would be missing" in proposed("a", "NA")
    assert column("a", "NA").missing is None


def test_fifty_texts_are_a_list_and_fifty_one_are_an_id():
    texts = [f"v{i:02}" for i in range(51)]
    assert column(*texts[:50]).values == tuple(texts[:50])
    with pytest.raises(SchemaError, match="at least one column besides the ids"):
        column(*texts)
    assert "more than 50 different texts" in proposed(*texts)


def test_numbers_that_no_grid_holds_are_ids():
    assert "kind: id  # too large for a number" in proposed(str(2**60))


def test_a_later_batch_can_widen_a_range_or_change_the_kind():
    seen = Proposal()
    seen.see(["10", "20"])
    seen.see(["90", None])
    assert seen.facts() == ["kind: integer", "low: 10", "high: 90", "missing: allowed"]
    seen.see(["0.5"])
    assert seen.facts() == ["kind: number", "low: 0", "high: 90", "missing: allowed"]
    seen.see(["many"])
    assert seen.facts()[0] == "kind: category"


def test_a_column_without_values_is_left_blank():
    assert "kind:  # no value was seen" in proposed("", None, "NA")


def test_names_and_values_that_yaml_would_misread_are_quoted(save):
    header, record = '"no","2020-01-01","a: b","[x]","é\u2028x"', "yes,#,[],~,1e5"
    found = Schema.parse(draft(save("off.csv", f"{header}\n{record}\n"), public=True))
    assert found.name == "off"
    assert list(found.columns) == ["no", "2020-01-01", "a: b", "[x]", "é\u2028x"]
    assert found.columns["no"].values == ("yes",)
    assert found.columns["2020-01-01"].values == ("#",)


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("t.csv", "", "has no header"),
        ("t.csv", f"\n{SECRET}\n", "has no header"),
        ("t.csv.gz", "", "has no header"),
        ("t.csv", f"a,,b\n{SECRET},1,2\n", "column 2 has no name: name it in the header"),
        ("t.csv", f"39,{SECRET}\n40,x\n", "the name of column 1 is a number: if the first line is"),
        (
            "t.csv",
            f"a,b,a\n{SECRET},1,2\n",
            "two columns have the same name: rename or drop one of them",
        ),
        ("t.parquet", "", "cannot be read: it is damaged or half-written"),
        ("t.parquet", f"PAR1{SECRET}PAR1", "cannot be read: it is damaged or half-written"),
        ("t.parquet", pa.table({}), "has no columns"),
        (
            "t.dat",
            SECRET,
            "the ending is not known: use .csv, .csv.gz, .parquet, .xlsx, .jsonl, .zip",
        ),
        ("t.xlsx", SECRET, "cannot be read: it is damaged or half-written"),
        ("t.zip", SECRET, "cannot be read: it is damaged or half-written"),
        ("t.xls", SECRET, ".xls is not read: save it as .xlsx"),
        ("t.json", SECRET, ".json is not read: write one object per line"),
    ],
)
@pytest.mark.parametrize("public", [False, True])
def test_bad_files_are_refused_in_one_line_that_names_the_file_and_no_value(
    save, name, content, reason, public
):
    path = save(name, content)
    with pytest.raises(DataError) as caught:
        draft(path, public=public)
    message = str(caught.value)
    assert str(path) in message
    assert reason in message
    assert "\n" not in message
    assert SECRET not in message


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.parquet"])
@settings(deadline=None, max_examples=60)
@given(content=st.binary(max_size=40), text=st.text('ab,;"\n\r01 ', max_size=40))
def test_any_bytes_give_a_draft_or_a_refusal(tmp_path_factory, name, content, text):
    path = tmp_path_factory.mktemp("draft") / name
    for raw, public in ((content, False), (text.encode(), False), (text.encode(), True)):
        path.write_bytes(gzip.compress(raw) if name.endswith(".gz") else raw)
        # Anything but a draft or a DataError would leave the block as an error.
        with suppress(DataError):
            assert draft(path, public=public).startswith("# Drafted from the")


@pytest.mark.parametrize("public", [False, True])
def test_a_missing_file_and_a_folder_are_refused(tmp_path, public):
    with pytest.raises(DataError, match=r"t\.csv does not exist"):
        draft(tmp_path / "t.csv", public=public)
    with pytest.raises(DataError, match="is a folder"):
        draft(tmp_path, public=public)


@pytest.mark.parametrize("public", [False, True])
def test_a_file_that_only_claims_to_be_compressed_is_refused(tmp_path, public):
    path = tmp_path / "t.csv.gz"
    path.write_text(f"a,b\n{SECRET},1\n")
    with pytest.raises(DataError, match="cannot be read") as caught:
        draft(path, public=public)
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("text", [b"\xff", b"a\xffb"])
def test_a_public_file_that_is_not_utf8_is_refused_without_its_bytes(save, text):
    path = save("t.csv", b"a,b\nx," + text + b"\n")
    with pytest.raises(DataError) as caught:
        draft(path, public=True)
    assert str(caught.value) == (
        f"{path} could not be read to its end: it is damaged, or not UTF-8 text"
    )
