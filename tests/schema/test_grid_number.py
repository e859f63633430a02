"""What codes of numbers stand for: round, in order, within the range, and read as themselves."""

from fractions import Fraction
from math import floor, log10

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from sfumato.errors import SchemaError
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.schema.grid_number import code_numbers
from sfumato.table.grid import in_numpy


def grid(low, high, bits=15, step=None, kind="number"):
    column = {"kind": kind, "low": low, "high": high} | ({} if step is None else {"step": step})
    content = {"name": "t", "grid_bits": bits, "columns": {"x": column}}
    return Domain.of(Schema.of(content)).axes[0]


def read(axis, values):
    codes = np.empty(len(values), np.int32)
    ends = float(axis.column.low), float(axis.column.high)
    in_numpy(codes, np.array(values, np.float64), *ends, axis.points, -1)
    return codes


def held(axis):
    """The numbers of all codes, after making sure of what holds of any column."""
    found = code_numbers(axis)
    np.testing.assert_array_equal(read(axis, found), np.arange(axis.points + 1))
    assert (np.diff(found) > 0).all()
    assert float(axis.column.low) <= found[0]
    assert found[-1] <= float(axis.column.high)
    assert not np.signbit(found[found == 0]).any()
    return found


def test_round_numbers_are_among_those_of_a_range_that_crosses_zero():
    found = held(grid(-500, 1_000_000))
    assert {-500, -400, 0, 100, 1000, 2500, 25_000, 999_900, 1_000_000} <= set(found)
    assert all(100 * k in found for k in range(-5, 10_001))
    assert all(value % 10 == 0 for value in found)


@pytest.mark.parametrize(
    ("low", "high", "step", "kind"),
    [(-1000, 10**9, 1, "integer"), (-0.5, 10**7, 0.5, "number"), (-700, 7 * 10**8, 7, "integer")],
)
def test_merged_steps_stand_for_the_roundest_of_them(low, high, step, kind):
    axis = grid(low, high, step=step, kind=kind)
    found = held(axis)
    assert axis.steps > axis.points
    assert ((found - low) % step == 0).all()
    cell = (high - low) / axis.points
    apart = 10 ** (floor(log10(cell)) + 1) * max(step, 1)  # in sevens, 7,000 is as round as 1,000
    assert set(np.arange(0, high, apart)) <= set(found)


def roundness(thousandths):
    """The power of ten that each number is a multiple of; 0 is one of all that are tried."""
    return sum(thousandths % 10**power == 0 for power in range(1, 9))


@pytest.mark.parametrize("bits", [1, 2, 3, 5])
@pytest.mark.parametrize(
    ("low", "high"),
    [(0, 1), (-1, 3), (-9.99, 99.99), (0.123, 0.987), (-77.5, -3.2), (-0.25, 9.75), (-5, 100)],
)
def test_no_number_that_is_read_as_a_code_is_rounder(low, high, bits):
    axis = grid(low, high, bits)
    every = np.arange(round(low * 1000), round(high * 1000) + 1)
    codes, found = read(axis, every / 1000), held(axis)
    for code in range(1, axis.points):
        mine = every[codes == code]
        rivals = mine[roundness(mine) == roundness(mine).max()] / 1000
        assert found[code] in rivals
        point = low + code * (high - low) / axis.points
        assert abs(found[code] - point) <= np.abs(rivals - point).min() + 1e-9


@pytest.mark.parametrize(
    ("low", "high"), [(0, 1), (0.123456789, 1), (1 / 3, 2 / 3), (-2.5, 7.125), (100, 1000000.5)]
)
def test_the_ends_are_those_that_were_declared(low, high):
    found = held(grid(low, high))
    assert (found[0], found[-1]) == (low, high)


def test_zero_stands_for_an_end_that_it_is_read_as():
    assert held(grid(-3, 1_000_000))[0] == 0
    assert held(grid(-1_000_000, 1e-9))[-1] == 0
    assert held(grid(-3, 10**9, step=1, kind="integer"))[0] == 0


@pytest.mark.parametrize(("low", "high", "step"), [(0, 200, 0.1), (-3, 30_000, 1), (0, 3, 3)])
def test_steps_that_fit_on_the_grid_stay_as_they_are(low, high, step):
    axis = grid(low, high, step=step)
    exact = [float(Fraction(str(low)) + Fraction(str(step)) * k) for k in range(axis.points + 1)]
    assert held(axis).tolist() == exact


SIZES = st.integers(-250, 250).map(lambda power: 10.0**power)


@settings(max_examples=120, deadline=None)
@given(
    st.floats(-1e3, 1e3, allow_subnormal=False),
    st.floats(1e-6, 1e4),
    SIZES,
    st.integers(1, 12),
)
@example(-1.0, 2.0, 1.0, 1)
@example(0.0, 1.0, 1e300, 12)
@example(999.9999, 1e-6, 1.0, 10)
def test_any_range_keeps_what_holds_of_all(low, width, size, bits):
    low, high = low * size, (low + width) * size
    assume(high - low > 1e-199)
    try:
        axis = grid(low, high, bits)
    except SchemaError:
        assume(False)
    found = held(axis)
    if low < 0 < high:
        assert 0 in found


@settings(max_examples=120, deadline=None)
@given(
    st.integers(-(10**9), 10**9),
    st.integers(1, 10**4),
    st.integers(2, 10**6),
    st.integers(0, 6),
    st.integers(1, 10),
)
def test_any_steps_keep_what_holds_of_all(low, step, steps, digits, bits):
    bottom, top, size = (n / 10**digits for n in (low, low + steps * step, step))
    axis = grid(bottom, top, bits, step=size)
    found = held(axis)
    places = [(Fraction(str(v)) - Fraction(str(bottom))) / Fraction(str(size)) for v in found]
    assert all(place.denominator == 1 for place in places)
    assert (0 in found) == (low <= 0 <= low + steps * step and low % step == 0)


def test_even_points_are_what_the_first_releases_hold():
    domain = Domain.of(
        Schema.of(
            {
                "name": "t",
                "columns": {
                    "paid": {"kind": "number", "low": -500, "high": 1_000_000},
                    "steps": {"kind": "integer", "low": -1000, "high": 10**9},
                    "sex": {"kind": "category", "values": ["f", "m"]},
                },
            }
        )
    )
    paid, steps, sex = domain.with_even_points().axes
    assert code_numbers(paid)[[0, 1, 16, 49]].tolist() == [-500, -469, -11, 996]
    assert code_numbers(steps)[[0, 1, 2]].tolist() == [-1000, 29518, 60035]
    assert sex == domain.axes[2]
