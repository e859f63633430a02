"""A fuzz of formats: what was written is what is read, or it is unreadable; never another value.

The writers and the second readings here share nothing with the program: numbers are taken apart
with str.split, dates by their places.
"""

from datetime import date, timedelta
from decimal import Decimal
from itertools import product

import numpy as np
import pyarrow as pa
import pytest

from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.schema.written_number import Written
from sfumato.table.column import of_objects
from sfumato.table.complaint import Complaint
from sfumato.table.encode import read
from sfumato.table.read_numbers import numbers

STYLES = [
    Written(decimal, thousands, percent)
    for decimal, thousands, percent in product(".,", (None, ",", ".", " ", "'"), (False, True))
    if decimal != thousands
]
DAYS = [date(2000, 1, 1) + timedelta(days=97 * k) for k in range(100)]
FORMATS = [
    "%d.%m.%Y",
    "%d/%m/%Y",
    "%m/%d/%Y",
    "%Y-%m-%d",
    "%Y%m%d",
    "%d%m%Y",
    "%d %b %Y",
    "%d.%m.%y",
]


def draws(rng, count=60):
    """Numbers of many sizes and few digits, all of which a float keeps."""
    digits = rng.integers(0, 10 ** rng.integers(1, 9, count))
    places = rng.integers(0, 4, count)
    signs = rng.choice([-1, 1], count)
    return [
        Decimal(int(s * d)).scaleb(-int(p)) for s, d, p in zip(signs, digits, places, strict=True)
    ]


def written(number, style):
    """As a spreadsheet of that country shows it."""
    plain = f"{number:,f}" if style.thousands else f"{number:f}"
    marks = {",": style.thousands or "", ".": style.decimal}
    return "".join(marks.get(c, c) for c in plain) + "%" * style.percent


def meaning(text, style):
    """What a text means to a strict reader; None where it breaks the style."""
    if text.endswith("%") != style.percent:
        return None
    bare = text.removesuffix("%").removeprefix("-")
    whole, mark, rest = bare.partition(style.decimal)
    groups = whole.split(style.thousands) if style.thousands else [whole]
    sound = len(groups) == 1 or (
        1 <= len(groups[0]) <= 3 and groups[0][0] != "0" and all(len(g) == 3 for g in groups[1:])
    )
    digits = "".join(groups)
    if not sound or not all(part.isdigit() for part in (digits, rest or "0")):
        return None
    return Decimal(("-" if text.startswith("-") else "") + digits + ("." * bool(mark)) + rest)


@pytest.mark.parametrize("style", STYLES, ids=str)
def test_numbers_written_in_the_declared_style_are_read_exactly(rng, style):
    drawn = draws(rng)
    texts = [written(number, style) for number in drawn]
    assert [meaning(text, style) for text in texts] == drawn  # the two sides of the test agree
    assert numbers(pa.array(texts), style).tolist() == [float(number) for number in drawn]


def test_numbers_in_another_style_are_unreadable_unless_the_text_is_sound_in_the_declared_one(rng):
    other, misread = 0, 0
    for declared, used in product(STYLES, STYLES):
        texts = [written(number, used) for number in draws(rng, 25)]
        meant = [meaning(text, declared) for text in texts]
        expected = [np.nan if number is None else float(number) for number in meant]
        np.testing.assert_array_equal(numbers(pa.array(texts), declared), expected)
        other += sum(number is None for number in meant)
        misread += sum(
            number is not None and number != meaning(text, used)
            for number, text in zip(meant, texts, strict=True)
        )
    assert other > 1000  # unreadable
    assert misread > 10  # 1.234 for 1234 is a sound text: nobody can tell it from the number


@pytest.mark.parametrize(
    ("text", "style"),
    [
        *(("1.234", Written(",")), ("1.234,50", Written(",")), ("1,234.50", Written())),
        *(("1,5", Written()), ("1.5", Written(",", ".")), ("1.23", Written(",", "."))),
        *(("0.123", Written(",", ".")), ("12.34.567", Written(",", ".")), ("1 234", Written(","))),
        *(("45.1%", Written()), ("45.1", Written(percent=True)), ("12,34,567", Written(".", ","))),
        *(("1.234e2", Written(",", ".")), ("1,234'567", Written(".", ",")), ("1..5", Written())),
    ],
)
def test_a_text_that_breaks_the_declaration_is_not_a_number(text, style):
    assert np.isnan(numbers(pa.array([text]), style)).all()


@pytest.mark.parametrize("space", [" ", "\u00a0", "\u202f", "\u2009"])
def test_a_space_stands_for_every_space(space):
    for declared in (" ", "\u00a0", "\u202f"):
        found = numbers(pa.array([f"1{space}234,5", f"45,1{space}"]), Written(",", declared))
        assert found.tolist() == [1234.5, 45.1]


def codes_and_words(column, values):
    domain = Domain.of(Schema.of({"name": "t", "columns": {"x": column}}))
    values = values if isinstance(values, pa.Array) else pa.array(values)
    found, said = read(domain, pa.RecordBatch.from_arrays([values], ["x"]))
    return found.ravel().tolist(), [Complaint(one).words for one in said.ravel()]


@pytest.mark.parametrize("form", FORMATS)
def test_dates_written_in_the_declared_format_are_read_exactly(form):
    column = {"kind": "date", "low": "2000-01-01", "high": "2030-12-31", "format": form}
    found, said = codes_and_words(column, [day.strftime(form) for day in DAYS])
    assert found == [(day - DAYS[0]).days for day in DAYS]
    assert set(said) == {"fits"}


def test_dates_in_another_format_are_unreadable_unless_day_and_month_could_change_places():
    for declared, used in product(FORMATS, FORMATS):
        if declared == used:
            continue
        column = {"kind": "date", "low": "1980-01-01", "high": "2060-12-31", "format": declared}
        found, said = codes_and_words(column, [day.strftime(used) for day in DAYS])
        swapped = {declared, used} == {"%d/%m/%Y", "%m/%d/%Y"}
        digits = {declared, used} == {"%Y%m%d", "%d%m%Y"}
        for day, code, word in zip(DAYS, found, said, strict=True):
            read_as = date(1980, 1, 1) + timedelta(days=code)
            if swapped and day.day <= 12:
                assert read_as == date(day.year, day.day, day.month)
            elif digits and word == "fits":  # 20012005: a sound text of both, another day
                assert day.strftime(used) == read_as.strftime(declared)
            else:
                assert word in ("unreadable", *("below", "above") * digits), (declared, used)


def test_truth_values_are_read_by_their_declared_words_and_by_no_others(rng):
    column = {"kind": "boolean", "true": ["Ja", "Ö", 1], "false": ["nein", 2], "missing": "allowed"}
    column["missing_words"] = [9, "k. A."]
    texts = [
        "ja",
        " JA ",
        "ö",
        "1",
        "1.0",
        "Nein",
        "2",
        "k. A.",
        "9",
        "9.0",
        "",
        "yes",
        "0",
        "k. a.",
    ]
    found, said = codes_and_words(column, texts)
    assert found == [1] * 5 + [0] * 2 + [2] * 7
    assert said == ["fits"] * 11 + ["unreadable"] * 3
    found, said = codes_and_words(column, [1, 2, 9, None, 0])
    assert (found, said) == ([1, 0, 2, 2, 2], ["fits"] * 4 + ["unreadable"])
    assert codes_and_words(column, [True, False])[0] == [1, 0]  # stored as what they are


def test_categories_are_read_by_their_values_and_aliases_exactly():
    column = {"kind": "category", "values": ["a", "b", 3], "missing": "allowed"}
    column |= {"aliases": {"a": ["A", "Alpha"], 3: ["III"]}, "missing_words": ["?", -99]}
    texts = ["a", "A", " Alpha", "III", "3.0", "?", "-99", "-99.0", "alpha", "iii"]
    found, said = codes_and_words(column, texts)
    assert found == [0, 0, 0, 2, 2, 3, 3, 3, 3, 3]
    assert said == ["fits"] * 8 + ["not listed"] * 2
    assert codes_and_words(column, [3, -99, None]) == ([2, 3, 3], ["fits"] * 3)
    assert codes_and_words(column | {"other": "o"}, ["?", "alpha"]) == ([4, 3], ["fits"] * 2)


def test_a_code_with_zeros_behind_the_point_is_no_other_code():
    column = {"kind": "category", "values": ["250.00", "250.01", 3], "other": "o"}
    texts = ["250.00", "250", "250.0", "3", "3.0", "3.00"]
    assert codes_and_words(column, texts)[0] == [0, 3, 3, 2, 2, 2]
    stored = pa.array([250.0, 250.01])
    assert codes_and_words(column, stored)[0] == [3, 1]
    mixed = {"kind": "category", "values": ["250.00", "E11.9"], "other": "n. a."}
    assert codes_and_words(mixed, ["250.00", "250", "E11.9"])[0] == [0, 2, 1]


def test_decimals_are_the_levels_that_the_same_numbers_are():
    column = {"kind": "category", "values": [1.5, 2.5, 3, 1e-7, "0.1234567890123456789"]}
    values = [Decimal(t) for t in ("1.50", "2.5", "3.00", "1E-7", "0.12345678901234567890")]
    assert codes_and_words(column, pa.array(values[:3], pa.decimal128(5, 2)))[0] == [0, 1, 2]
    assert codes_and_words(column, pa.array(values, pa.decimal128(30, 20)))[0] == [0, 1, 2, 3, 4]
    assert codes_and_words(column, of_objects([*values, "x"]))[0][:5] == [0, 1, 2, 3, 4]
    assert codes_and_words(column, pa.array([1.5, 2.5, 3.0, 1e-7]))[0] == [0, 1, 2, 3]
    assert codes_and_words(column, of_objects([Decimal("1E-999999")]))[1] == ["not listed"]


def test_words_for_missing_are_found_in_stored_numbers_and_dates():
    number = {"kind": "integer", "low": 0, "high": 9, "missing_words": [-99, "NA"]}
    for values in ([-99, 3], [-99.0, 3.0], ["-99", "3"], ["-99.0", "3"], ["NA", "3"], [None, 3]):
        assert codes_and_words(number, values) == ([4, 3], ["missing", "fits"])
        assert codes_and_words(number | {"missing": "allowed"}, values) == ([-1, 3], ["fits"] * 2)
        repeated = pa.array(values).dictionary_encode()
        assert codes_and_words(number, repeated) == ([4, 3], ["missing", "fits"])
    assert codes_and_words(number, ["na", "-98"])[1] == ["unreadable", "below"]
    comma = number | {"decimal": ",", "missing_words": [-99.5]}
    assert codes_and_words(comma, ["-99,5", "-99,50", "-99.5"])[1] == ["missing"] * 3
    for word in ("-9,9", "-1.009,9"):
        stored = float(word.replace(".", "").replace(",", "."))
        spelt = comma | {"thousands": ".", "missing_words": [word]}
        for values in ([stored, 3.0], [word, "3"], [word + "0", "3"]):
            assert codes_and_words(spelt, values)[1] == ["missing", "fits"]
        assert codes_and_words(spelt, of_objects([stored, word, "x"]))[1][:2] == ["missing"] * 2
    day = {
        "kind": "date",
        "low": "2020-01-01",
        "high": "2020-01-09",
        "missing_words": ["1900-01-01"],
    }
    for values in ([date(1900, 1, 1), date(2020, 1, 3)], ["1900-01-01", "2020-01-03"]):
        assert codes_and_words(day, values) == ([4, 2], ["missing", "fits"])
    digits = day | {"format": "%Y%m%d", "missing_words": [99999999]}
    for values in ([99999999, 20200103, 20201399], ["99999999", "20200103", "x"]):
        assert codes_and_words(digits, values)[1] == ["missing", "fits", "unreadable"]


def test_numbers_and_dates_stored_among_texts_are_what_they_are():
    """Also where the texts are written otherwise: a workbook, a column of Python objects."""
    number = {"kind": "number", "low": 0, "high": 2000, "decimal": ",", "thousands": "."}
    mixed = of_objects(["1.234", 1.234, Decimal("1.250"), 7, "7,5"])
    domain = Domain.of(Schema.of({"name": "t", "columns": {"x": number}}))
    found, said = read(domain, pa.RecordBatch.from_arrays([mixed], ["x"]))
    assert set(said.ravel()) == {Complaint.FITS}
    near = np.rint(np.array([1234, 1.234, 1.25, 7, 7.5]) / 2000 * 2**15)
    assert found.ravel().tolist() == near.tolist()
    day = {"kind": "date", "low": "2020-01-01", "high": "2020-12-31", "format": "%Y-%d-%m"}
    assert codes_and_words(day, of_objects(["2020-02-01", date(2020, 2, 1)]))[0] == [1, 31]
    share = {"kind": "number", "low": 0, "high": 100, "percent": True}
    assert codes_and_words(share, of_objects(["45.1%", 0.451]))[1] == ["fits", "unreadable"]
    truth = {"kind": "boolean", "true": ["ja"], "false": ["nein"]}
    assert codes_and_words(truth, of_objects(["ja", False, "no"]))[1] == [
        "fits",
        "fits",
        "unreadable",
    ]


NUMERIC = {"kind": "boolean", "true": [-1, 2.5], "false": [0, 1], "missing": "allowed"}


@pytest.mark.parametrize("beside", ["ja", None, True, 7, date(2020, 1, 1)])
def test_numbers_for_truth_are_the_same_beside_a_text_as_in_a_column_of_numbers(beside):
    values = [-1.0, 0.0, 2.5, 1.0, 3.0, -2.5]
    expected = [1, 0, 1, 0, 2, 2]
    for column in (pa.array(values), pa.array([Decimal(str(v)) for v in values])):
        assert codes_and_words(NUMERIC, column)[0] == expected
    assert codes_and_words(NUMERIC, pa.array([-1, 0, 1, 3]))[0] == [1, 0, 0, 2]
    for kind in (float, np.float64, lambda v: Decimal(str(v)), str):
        mixed = of_objects([*map(kind, values), beside])
        assert codes_and_words(NUMERIC, mixed)[0][:-1] == expected
    assert codes_and_words(NUMERIC, of_objects([True, False, "ja"]))[0] == [1, 0, 2]
    assert codes_and_words(NUMERIC, pa.array([True, False]))[0] == [1, 0]
