"""Steps are nested, and a record that is replaced moves no two scores apart by more than one."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from sfumato.facts.step import CALENDAR, DECIMALS, Steps, calendar_levels, decimal_levels
from sfumato.facts.window import UNIT

ALPHA = Fraction(1, 2)


@pytest.mark.parametrize("steps", [Steps.decimal(), Steps.calendar()])
def test_brute_force_attains_one_and_never_exceeds_it(steps):
    several, worst, too_far = len(steps.names), 0, 0
    for first, second in product(range(several), repeat=2):
        tables = [np.bincount([2, level], minlength=several) for level in (first, second)]
        before, after = (steps.scores(table, ALPHA) for table in tables)
        worst = max(worst, int(np.ptp(after - before)))
        too_far = max(too_far, int(np.ptp(2 * (after - before))))
        added = steps.scores(np.bincount([2], minlength=several), ALPHA)
        worst = max(worst, int(np.ptp(after - added)))
    assert worst == UNIT
    assert too_far > UNIT  # records that count twice would be seen


@pytest.mark.parametrize("places", range(DECIMALS + 1))
def test_decimals_are_counted_whatever_the_size(places):
    rng = np.random.default_rng(places)
    whole = rng.integers(1, 10**6, 50) * 10 + 1  # never a multiple of ten
    assert (decimal_levels(whole / 10**places) == places).all()


def test_odd_numbers_have_a_level_too():
    values = np.array([np.inf, -np.inf, np.nan, 1e300, 5e-324, 0.0, -2.5])
    assert decimal_levels(values).tolist()[-2:] == [0, 1]
    assert ((decimal_levels(values) >= 0) & (decimal_levels(values) <= DECIMALS + 1)).all()


def test_the_calendar_goes_from_years_to_seconds():
    times = ["1999-01-01", "1999-02-01", "1999-02-03", "1999-02-03T04", "1999-02-03T04:05"]
    moments = np.array([*times, "1999-02-03T04:05:06"], "datetime64[s]")
    assert calendar_levels(moments).tolist() == list(range(len(CALENDAR)))


def test_the_step_of_nearly_all_records_is_drawn():
    levels = np.array([100, 300, 9_600, 0, 0, 0, 0, 4])
    assert Steps.decimal().scores(levels, Fraction(1, 10)).argmax() == 2
