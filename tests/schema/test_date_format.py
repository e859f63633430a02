"""Formats of dates: those that tell the step and nothing twice; a text is one date or none."""

from datetime import datetime

import pytest

from sfumato.schema.date_format import check_century, check_format, read_date, told_by


@pytest.mark.parametrize(
    ("form", "step"),
    [
        *(("%d.%m.%Y", "day"), ("%m/%d/%y", "day"), ("%Y%m%d", "day"), ("%j/%Y", "day")),
        *(("%d %b %Y", "day"), ("%B %d, %Y", "day"), ("%m.%Y", "month"), ("%Y", "year")),
        *(("%d.%m.%Y %H:%M:%S", "second"), ("%d.%m.%Y %I:%M %p", "minute"), ("%a %d.%m.%y", "day")),
        ("%d.%m.%Y %H:%M:%S%z", "second"),
    ],
)
def test_a_format_tells_its_step_and_every_longer_one(form, step):
    assert told_by(form) == step
    check_format(form, step)
    check_format(form, "year")


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ("dd.mm.yyyy", "is written in codes"),
        ("%x", "%x is not known"),
        ("%d.%m.%Y %", "% is not known"),
        ("%d.%m.%Y %I:%M", "%I and %p go together"),
        ("%d.%m", "does not tell the day"),
        ("%d.%Y", "does not tell the day"),
        ("%d.%d.%m.%Y", "cannot be read"),
        ("%d.%m.%Y %M", "cannot be read"),
    ],
)
def test_a_format_that_does_not_tell_the_day_or_cannot_be_read_is_refused(form, words):
    with pytest.raises(ValueError, match="format") as error:
        check_format(form, "day")
    assert words in str(error.value)


def test_digits_without_marks_between_them_are_read_only_in_full():
    assert read_date("01112024", "%d%m%Y") == datetime(2024, 11, 1)  # noqa: DTZ001
    assert read_date("1112024", "%d%m%Y") is None
    assert read_date("1.11.2024", "%d.%m.%Y") == datetime(2024, 11, 1)  # noqa: DTZ001


@pytest.mark.parametrize(
    "text", ["", "x", "31.02.2020", "00.01.2020", "1.1.20", "01.01.2020 ", "9" * 5000, "\0", "٣"]
)
def test_what_is_no_date_is_none_and_never_raises(text):
    assert read_date(text, "%d.%m.%Y") is None


def test_two_digits_mean_one_year_within_the_range_that_is_taken():
    low, high = datetime(1969, 1, 1), datetime(2068, 12, 31)  # noqa: DTZ001
    check_century("%d.%m.%y", low, high)
    check_century("%d.%m.%Y", datetime(1900, 1, 1), high)  # noqa: DTZ001
    check_century("%Y %%y", datetime(1900, 1, 1), high)  # noqa: DTZ001
    years = {read_date(f"{year:02}", "%y").year for year in range(100)}
    assert years == set(range(low.year, high.year + 1))
