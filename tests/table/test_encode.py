"""Encoding: no value raises, no record touches another, and every spelling of a value agrees."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neighbours import ABSURD, MIXED, schema, table, text_rows, typed_rows
from sfumato.errors import DataError
from sfumato.schema import Schema
from sfumato.schema.domain import Domain, Grid
from sfumato.table.encode import encode
from sfumato.table.header import check_header
from sfumato.table.source import open_source

PLAIN = pa.string()
INT64 = st.integers(-(2**63), 2**63 - 1)
INT32 = st.integers(-(2**31), 2**31 - 1)
TEXT = st.one_of(st.sampled_from(ABSURD), st.text(max_size=12), st.from_regex(r"[+-]?\d*\.?\d*e?"))
DECIMAL = st.decimals(-(10**9), 10**9, places=2, allow_nan=False, allow_infinity=False)


def kinds(**facts):
    """One domain per kind of column, all named x."""
    columns = [
        {"kind": "number", "low": -5, "high": 1000},
        {"kind": "number", "low": 0, "high": 2, "step": 0.1},
        {"kind": "integer", "low": -7, "high": 7, "step": 7},
        {"kind": "category", "values": ["a", "b", 3, "true"], "other": "else"},
        {"kind": "category", "values": ["a", "2020-01-04"]},
        {"kind": "boolean"},
        {"kind": "date", "low": "1969-12-31", "high": "2020-12-31", "step": "second"},
        {"kind": "date", "low": "2020-01-01", "high": "2020-01-09"},
    ]
    return [one(**column, **facts) for column in columns]


def one(**column):
    known = {"name": "t", "neighbours": "add-remove", "columns": {"x": column}}
    return Domain.of(Schema.of(known))


def codes(domain, values, kind=None):
    column = values if isinstance(values, pa.Array) else pa.array(values, kind)
    return encode(domain, pa.RecordBatch.from_arrays([column], ["x"])).ravel().tolist()


def raw_texts(parts, kind=PLAIN):
    """Text of any bytes at all, as a file read without checks gives it."""
    offsets = np.cumsum([0, *(len(part) for part in parts)])
    wide = np.int32 if kind == PLAIN else np.int64
    buffers = [None, pa.py_buffer(offsets.astype(wide)), pa.py_buffer(b"".join(parts))]
    return pa.Array.from_buffers(kind, len(parts), buffers)


def viewed(integers, plain, kind):
    return pa.array(integers, plain).view(kind)


def columns():
    """Arrow columns of every stored type a table may have, with gaps."""

    def lists(values):
        return st.lists(st.one_of(st.none(), values), min_size=1, max_size=5)

    def typed(kind, values):
        return lists(values).map(lambda found: pa.array(found, kind))

    texts = lists(TEXT)
    moments = [
        lists(INT64).map(lambda found, kind=kind: viewed(found, pa.int64(), kind))
        for unit in ("s", "ms", "us", "ns")
        for kind in (pa.timestamp(unit), pa.timestamp(unit, "America/New_York"))
    ]
    return st.one_of(
        typed(pa.int64(), INT64),
        typed(pa.uint64(), st.integers(0, 2**64 - 1)),
        typed(pa.int8(), st.integers(-128, 127)),
        typed(pa.float64(), st.floats()),
        typed(pa.float32(), st.floats(width=32)),
        typed(pa.float16(), st.floats(width=16).map(np.float16)),
        typed(pa.decimal128(38, 2), DECIMAL),
        typed(pa.decimal256(76, 2), DECIMAL.map(lambda d: d * 10**40)),
        typed(pa.bool_(), st.booleans()),
        typed(pa.null(), st.none()),
        *(texts.map(lambda t, k=k: pa.array(t, k)) for k in (pa.string(), pa.large_string())),
        texts.map(lambda t: pa.array(t, pa.string_view())),
        texts.map(lambda t: pa.array(t, pa.string()).dictionary_encode()),
        typed(pa.float64(), st.floats()).map(lambda column: column.dictionary_encode()),
        st.lists(st.binary(max_size=6), min_size=1, max_size=5).map(raw_texts),
        *moments,
        lists(INT32).map(lambda found: viewed(found, pa.int32(), pa.date32())),
        lists(INT64).map(lambda found: viewed(found, pa.int64(), pa.date64())),
    )


DOMAINS = [*kinds(), *kinds(missing="allowed")]


def lets_in(column, domain):
    try:
        check_header(open_source(pa.table({"x": column})), domain)
    except DataError:
        return False
    return True


@pytest.mark.slow
@settings(max_examples=150)
@given(columns())
@pytest.mark.long
def test_all_that_the_header_lets_in_gets_a_code_of_the_domain_by_itself_alone(column):
    domains = [domain for domain in DOMAINS if lets_in(column, domain)]
    assert domains
    for domain in domains:
        (axis,) = domain.axes
        found = codes(domain, column)
        floor = -1 if isinstance(axis, Grid) and axis.missing else 0
        top = axis.points if isinstance(axis, Grid) else axis.codes - 1
        assert all(floor <= code <= top for code in found)
        assert found == [codes(domain, column.slice(i, 1))[0] for i in range(len(column))]


@settings(max_examples=40)
@given(st.lists(st.one_of(text_rows(), typed_rows()), min_size=1, max_size=5), st.data())
@pytest.mark.long
def test_encoding_a_table_is_encoding_its_records_in_any_split_and_order(rows, data):
    for known in (schema(), schema(columns={n: c | MISSABLE for n, c in MIXED["columns"].items()})):
        domain = Domain.of(known)
        order = data.draw(st.permutations(range(len(rows))))
        cut = data.draw(st.integers(0, len(rows)))
        batch = table(rows).combine_chunks().to_batches()[0]
        whole = encode(domain, batch)
        shuffled = batch.take(pa.array(order))
        halves = [encode(domain, part) for part in (shuffled.slice(0, cut), shuffled.slice(cut))]
        np.testing.assert_array_equal(whole[order], np.vstack(halves))
        np.testing.assert_array_equal(whole, encode(domain, batch.select(batch.schema.names[::-1])))


MISSABLE = {"missing": "allowed"}


def test_an_encoder_that_looks_at_the_column_is_caught_by_that_comparison():
    """Positive control: ranges and categories from the data make records touch each other."""

    def naive(values):
        found = np.asarray(values, float)
        return ((found - found.min()) / max(np.ptp(found), 1)).tolist()

    values = [1.0, 2.0, 900.0]
    assert naive(values) != [naive([value])[0] for value in values]


@given(st.one_of(st.floats(), st.integers(-(2**53), 2**53), st.floats(-6, 1001)))
def test_a_number_goes_to_the_nearest_point_of_its_range(value):
    domain = one(kind="number", low=-5, high=1000, missing="allowed")
    (code,) = codes(domain, [float(value)])
    if value != value:
        assert code == -1
    elif value in (np.inf, -np.inf):
        assert code == (2**15 if value > 0 else 0)
    else:
        exact = (min(max(Fraction(value), Fraction(-5)), Fraction(1000)) + 5) / 1005 * 2**15
        assert abs(code - exact) <= Fraction(1, 2) + Fraction(1, 10**9)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("+5", 5), ("5.", 5), (".5", 0.5), ("-.5", -0.5), ("  7 ", 7), ("7\n", 7), ("1.e2", 100)),
        *(("9" * 400, 1000), ("-" + "9" * 400, -5), ("9" * 300 + "e99", 1000), ("1e300", 1000)),
        *(
            ("1E+400", 1000),
            ("1e-400", 0),
            ("0." + "0" * 400 + "1", 0),
            ("1." + "1" * 5000, 10 / 9),
        ),
        *(("inf", 1000), ("-Infinity", -5), ("True", 1), ("false", 0), ("2e2", 200)),
        *((bad, None) for bad in ("", " ", "nan", "NaN", "0x1f", "½", "\0", "5\0", "1e", ".", "+")),
        *((bad, None) for bad in ("--5", "1,5", "5 5", "SECRET-4711", "None", "x" * 100_000)),
    ],
)
def test_numbers_written_out_are_read_as_numbers_and_all_else_is_missing(text, value):
    domain = one(kind="number", low=-5, high=1000, missing="allowed")
    assert codes(domain, [text, "3"]) == codes(domain, [value, 3.0], pa.float64())
    assert (codes(domain, [text]) == [-1]) == (value is None)


def test_what_is_missing_without_a_declared_level_stands_in_the_middle():
    grid = one(kind="integer", low=0, high=10)
    assert codes(grid, [None, 7], pa.int64()) == [5, 7]
    assert codes(one(kind="category", values=["a", "b"]), [None, "?", "", "b"]) == [0, 0, 0, 1]
    assert codes(one(kind="category", values=["a"], other="o"), [None, "?", "o"]) == [1, 1, 1]
    assert codes(one(kind="boolean"), [None, "?", "yes"]) == [0, 0, 1]


@pytest.mark.parametrize("declared", [[1, 3], ["1", "3"], [1.0, 3.0], ["1.00", "3.00"]])
def test_a_category_of_whole_numbers_is_found_however_they_are_stored(declared):
    domain = one(kind="category", values=declared, other="else")
    spellings = [
        pa.array([3, 1, 2]),
        pa.array([3.0, 1.0, 2.0]),
        pa.array(np.array([3, 1, 2], np.float16)),
        pa.array([Decimal("3.00"), Decimal("1.00"), Decimal("2.00")]),
        pa.array(["3", "1", "2"]),
        pa.array([" 3.0", "1.0 ", "2.0"]),
        pa.array(["3.00", "1.00", "2.00"], pa.large_string()).dictionary_encode(),
    ]
    assert {tuple(codes(domain, column)) for column in spellings} == {(1, 0, 2)}


def test_values_that_differ_only_in_a_decimal_keep_their_own_codes():
    domain = one(kind="category", values=["1", "1.0", "v2.0", "2.5"], other="else")
    assert codes(domain, ["1", "1.0", "v2.0", "v2", "2.5", "1.00"]) == [0, 1, 2, 4, 3, 0]


@pytest.mark.parametrize("bits", [32, 64])
def test_short_decimals_are_read_where_this_arrow_has_them(bits):
    kind = getattr(pa, f"decimal{bits}", None)
    if kind is None:
        pytest.skip("this Arrow has no short decimals")
    column = pa.array([Decimal("3.00"), None], kind(7, 2))
    assert codes(one(kind="category", values=["a", 3], missing="allowed"), column) == [1, 2]
    assert codes(one(kind="integer", low=0, high=9, missing="allowed"), column) == [3, -1]


def test_views_and_dictionaries_of_any_width_read_like_plain_text():
    plain = pa.array(["a", None, "b", "?"])
    texts, places = pa.array(["a", "b", "?"]), [0, None, 1, 2]
    stored = [plain.cast(pa.large_string()), plain.cast(pa.string_view())]
    for index in (pa.int8(), pa.uint32(), pa.int64(), pa.uint64()):
        for kind in (pa.string(), pa.large_string(), pa.string_view()):
            indices = pa.array(places, index)
            stored.append(pa.DictionaryArray.from_arrays(indices, texts.cast(kind)))
    domain = one(kind="category", values=["a", "b"], other="else", missing="allowed")
    assert {tuple(codes(domain, column)) for column in stored} == {(0, 3, 1, 2)}


def test_bytes_that_are_no_text_spoil_their_own_value_only():
    for kind in (pa.string(), pa.large_string()):
        column = raw_texts([b"7", b"\xff7", b"\xed\xa0\x80", b"8"], kind)
        assert codes(one(kind="integer", low=0, high=9, missing="allowed"), column) == [
            7,
            -1,
            -1,
            8,
        ]
        category = one(kind="category", values=["7", "8"], other="else", missing="allowed")
        assert codes(category, column) == [0, 3, 3, 1]


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2020-06-01", "2020-06-01"),
        ("2020-06-01 12:30:15.987654321", "2020-06-01T12:30:15"),
        ("2020-06-01T12:00:00+05:00", "2020-06-01T07:00:00"),
        ("2020-06-01T12:00:00Z", "2020-06-01T12:00:00"),
        ("2020-06-01T00:00:00+00:00:00.5", "2020-05-31T23:59:59"),
        ("9999-12-31T23:59:59-14:00", "2020-12-31"),
        ("0001-01-01T00:00:00+14:00", "1969-12-31"),
        ("1000-01-01", "1969-12-31"),
        *((bad, None) for bad in ("2020-02-30", "10000-01-01", "20200601", "1 June 2020", "\0")),
        *((bad, None) for bad in ("2020-06-01T99", "2020-06-01\0", "0000-01-01", "1590000000")),
    ],
)
def test_dates_written_out_are_read_in_utc_and_clipped_beyond_the_calendar(text, moment):
    domain = one(kind="date", low="1969-12-31", high="2020-12-31", step="hour", missing="allowed")
    expected = np.array([moment], "datetime64[us]")
    assert codes(domain, [text]) == codes(domain, pa.array(expected))
    assert (codes(domain, [text]) == [-1]) == (moment is None)


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "America/New_York"])
def test_stored_moments_are_floored_to_the_second_up_to_the_ends_of_64_bits(unit, zone):
    domain = one(kind="date", low="1969-12-31T23:59:50", high="1970-01-01T00:00:10", step="second")
    per = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
    ticks = [2**63 - 1, -(2**63) + 1, 0, per, -1, -2 * per, 3 * per - 1]
    stored = viewed(ticks, pa.int64(), pa.timestamp(unit, zone))
    assert codes(domain, stored) == [20, 0, 10, 11, 9, 8, 12]


def test_days_stored_at_the_ends_of_their_range_are_clipped():
    domain = one(kind="date", low="2020-01-01", high="2020-12-31", missing="allowed")
    days = viewed([2**31 - 1, -(2**31), 18262, None], pa.int32(), pa.date32())
    assert codes(domain, days) == [365, 0, 0, -1]
    ticks = viewed([2**63 - 1, -(2**63) + 1, 18263 * 86_400_000, None], pa.int64(), pa.date64())
    assert codes(domain, ticks) == [365, 0, 1, -1]


@pytest.mark.parametrize(
    ("true", "false"),
    [
        *((True, False), (1, 0), (1.0, 0.0), (Decimal("1.00"), Decimal("0.00")), ("1", "0")),
        *(("TRUE", "False"), (" yes", "no "), ("T", "f"), ("Y", "n"), ("1.0", "0.0")),
    ],
)
def test_booleans_are_read_from_words_and_numbers(true, false):
    domain = one(kind="boolean", missing="allowed")
    assert codes(domain, [true, None, false]) == [1, 2, 0]
    assert codes(domain, [2, -1, 0]) == [2, 2, 0]


@pytest.mark.slow
@pytest.mark.long
def test_a_huge_text_is_one_value_like_any_other():
    huge = "7" * 20_000_000
    for domain in DOMAINS:
        with_it = codes(domain, [huge, "a"])
        assert with_it[1:] == codes(domain, ["a"])
