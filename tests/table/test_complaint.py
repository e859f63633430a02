"""Every value has one complaint, by a rule that looks at it alone; asking does not change codes."""

from datetime import date, datetime
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings

from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.table.complaint import Complaint
from sfumato.table.encode import encode, read
from table.test_encode import DOMAINS, columns, raw_texts

FITS, UNREADABLE, BELOW, ABOVE, NOT_LISTED, MISSING = Complaint
LETTERS = dict(zip("fubanm", Complaint, strict=True))
NUMBER = {"kind": "number", "low": 0, "high": 10}
WARD = {"kind": "category", "values": ["a", "b", 3]}
DAY = {"kind": "date", "low": "2020-01-01", "high": "2020-12-31"}
TRUTH = {"kind": "boolean"}
OPEN = {"missing": "allowed"}


def said(column, values):
    domain = Domain.of(Schema.of({"name": "t", "columns": {"x": column}}))
    values = values if isinstance(values, pa.Array) else pa.array(values)
    batch = pa.RecordBatch.from_arrays([values], ["x"])
    codes, complaints = read(domain, batch)
    np.testing.assert_array_equal(codes, encode(domain, batch))
    assert complaints.dtype == np.uint8
    return [Complaint(one) for one in complaints.ravel()]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        *((good, FITS) for good in ("0", "10", " 7.5 ", "1e1", "true", "-0", "10.0000")),
        *(("-0.01", BELOW), ("-1e400", BELOW), ("-inf", BELOW), ("-" + "9" * 400, BELOW)),
        *(("10.01", ABOVE), ("1e400", ABOVE), ("Infinity", ABOVE), ("9" * 400, ABOVE)),
        *((bad, UNREADABLE) for bad in ("7,5", "1,234.50", "1.234,50", "45.1%", "1_0", "seven")),
        *((bad, UNREADABLE) for bad in ("NA", "?", "٧", "0x1", "1e", ".", "+-1", "\ufffd", "\0")),
        *((gap, MISSING) for gap in ("", " ", "\t", "nan", "NaN")),
    ],
)
def test_a_number_written_out_has_one_complaint(text, complaint):
    assert said(NUMBER, [text, "3"]) == [complaint, FITS]
    allowed = FITS if complaint is MISSING else complaint
    assert said(NUMBER | OPEN, [text, "3"]) == [allowed, FITS]


@pytest.mark.parametrize(
    ("column", "values", "letters"),
    [
        (NUMBER, [-1.0, 0.0, 10.0, 11.0, np.inf, -np.inf], "bffaab"),
        (NUMBER, [None, np.nan, 1.0], "mmf"),
        (NUMBER, [Decimal("10.00"), Decimal("10.01"), None], "fam"),
        (NUMBER, [True, None], "fm"),
        (WARD, ["a", " b ", "3.0", "c", "", None], "fffnmm"),
        (WARD, [3, 4, None], "fnm"),
        (WARD, [3.0, np.nan], "fm"),
        (WARD | {"other": "o"}, ["a", "o", "c", "", "\ufffd"], "fffmu"),
        (WARD | {"other": "o"} | OPEN, ["c", "", None], "fff"),
        (WARD | OPEN, ["A", "nan", ""], "nnf"),
        (TRUTH, ["yes", "0.00", "2", "ja", "", None], "ffuumm"),
        (TRUTH | OPEN, [0, 1, 2, None], "ffuf"),
        (TRUTH, [True, None], "fm"),
        (DAY, ["2019-12-31", "2020-12-31T13:00", "2021-01-01"], "bfa"),
        (DAY, ["31.12.2020", "2020-02-30", "", None], "uumm"),
        (DAY | OPEN, ["31.12.2020", "", None], "uff"),
        (DAY, [date(2020, 5, 5), date(1900, 1, 1), None], "fbm"),
        (DAY, [datetime(2020, 12, 31, 9), datetime(9999, 1, 1), None], "fam"),  # noqa: DTZ001
    ],
)
def test_a_stored_value_has_one_complaint(column, values, letters):
    complaints = [LETTERS[letter] for letter in letters]
    assert said(column, values) == complaints
    repeated = pa.array([*values, values[0]]).dictionary_encode()
    assert said(column, repeated) == [*complaints, complaints[0]]


def test_bytes_that_are_no_text_are_unreadable_and_not_missing():
    column = raw_texts([b"3", b"\xff3", b""])
    for kind in (NUMBER, WARD, TRUTH, DAY):
        assert said(kind, column)[1:] == [UNREADABLE, MISSING]
        assert said(kind | OPEN, column)[1:] == [UNREADABLE, FITS]


def test_an_end_of_the_range_kept_in_32_bits_still_fits_and_a_step_beyond_does_not():
    column = {"kind": "number", "low": 0.1, "high": 0.7}
    assert said(column, pa.array([0.1, 0.7], pa.float32())) == [FITS, FITS]
    assert said(column, [0.1 + 0.6, 0.70001, 0.09999]) == [FITS, ABOVE, BELOW]
    fine = {"kind": "number", "low": 10**9, "high": 10**9 + 1}
    assert said(fine, [10.0**9 + 1, 10.0**9 + 1.001, 10.0**9 - 0.001]) == [FITS, ABOVE, BELOW]
    whole = {"kind": "integer", "low": 0, "high": 2**40}
    assert said(whole, [2**40, 2**40 + 1]) == [FITS, ABOVE]


@settings(max_examples=15)
@given(columns())
def test_asking_changes_no_code_and_no_complaint_depends_on_another_value(column):
    for domain in DOMAINS:
        batch = pa.RecordBatch.from_arrays([column], ["x"])
        codes, complaints = read(domain, batch)
        np.testing.assert_array_equal(codes, encode(domain, batch))
        alone = [read(domain, batch.slice(i, 1))[1] for i in range(batch.num_rows)]
        np.testing.assert_array_equal(complaints, np.vstack(alone))
