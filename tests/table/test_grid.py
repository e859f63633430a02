"""Numbers to codes: the same bits by NumPy, compiled, and one value at a time in Python."""

import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sfumato.table import grid
from sfumato.table.grid import _compiled, _one_by_one, _Paths, in_numpy, on_grid

POINTS = (1, 2, 110, 2**15, 2**16)
ODD = [np.nan, np.inf, -np.inf, 1.7e308, -1.7e308, 5e-324, -0.0, 0.0]
bounds = st.floats(-1e6, 1e6).flatmap(
    lambda low: st.tuples(st.just(low), st.floats(1e-3, 1e6).map(lambda width: low + width))
)
compiled = _compiled()


def plain(codes, values, low, high, points, unusable):
    with np.errstate(over="ignore"):
        _one_by_one(codes, values, low, high, high - low, float(points), unusable)


def codes(path, values, *given):
    found = np.full(len(values), 77, np.int32)
    path(found, values, *given)
    return found.tolist()


@pytest.fixture(scope="module", autouse=True)
def small_blocks():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grid, "_BLOCK", 8)
        yield


@given(bounds, st.sampled_from(POINTS), st.lists(st.floats(), max_size=30))
@example((-3.0, 5.3), 2**15, ODD)
@example((0.0, 1.0), 2**15, [*np.linspace(0, 1, 9), *ODD, *np.linspace(0, 1, 9)])
def test_all_paths_give_the_same_codes(ends, points, values):
    low, high = ends
    inside = [low + (high - low) * k / 7 for k in range(8)]
    given = np.array([*inside, *values, *inside])
    first = codes(in_numpy, given, low, high, points, -1)
    assert codes(plain, given, low, high, points, -1) == first
    if compiled is not None:
        assert codes(compiled, given, low, high, points, -1) == first


@pytest.mark.parametrize("points", POINTS)
def test_halves_between_two_codes_go_the_same_way_on_all_paths(points):
    """Values that lie on the border of two codes, and next to it: where a last bit decides."""
    low, high = -3.0, 5.3
    middle = np.array([float(Fraction(2 * k + 1, 2 * points)) for k in range(min(points, 500))])
    border = low + middle * (high - low)
    given = np.concatenate([border, np.nextafter(border, low), np.nextafter(border, high)])
    first = codes(in_numpy, given, low, high, points, 0)
    assert codes(plain, given, low, high, points, 0) == first
    if compiled is not None:
        assert codes(compiled, given, low, high, points, 0) == first


def test_a_path_that_multiplies_instead_of_dividing_is_caught_by_that_comparison():
    low, high, points = -3.0, 5.3, 2**15
    middle = np.array([(2 * k + 1) / (2 * points) for k in range(500)])
    border = low + middle * (high - low)
    given = np.concatenate([border, np.nextafter(border, low), np.nextafter(border, high)])
    other = np.rint((given - low) * (points / (high - low))).astype(np.int32)
    assert codes(in_numpy, given, low, high, points, 0) != other.tolist()


def test_values_that_cannot_be_written_to_are_read(rng):
    values = rng.random(20)
    values.flags.writeable = False
    expected = np.rint(values * 4).astype(int).tolist()
    assert codes(on_grid, values, 0.0, 1.0, 4, -1) == expected
    if compiled is not None:
        assert codes(compiled, values, 0.0, 1.0, 4, -1) == expected


def test_numba_is_loaded_only_where_it_is_worth_it(monkeypatch):
    monkeypatch.setattr(grid, "_WORTHWHILE", 100)
    loads = []
    monkeypatch.setattr(grid, "_compiled", lambda: loads.append(1) or plain)
    monkeypatch.delitem(sys.modules, "numba", raising=False)
    paths = _Paths()
    assert [paths.chosen(40) for _ in range(4)] == [in_numpy, in_numpy, plain, plain]
    assert loads == [1]


def test_numba_is_used_at_once_where_it_is_there_already(monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", object())
    monkeypatch.setattr(grid, "_compiled", lambda: plain)
    assert _Paths().chosen(1) is plain


def test_without_numba_numpy_goes_on(monkeypatch):
    monkeypatch.setattr(grid, "_WORTHWHILE", 10)
    monkeypatch.setitem(sys.modules, "numba", None)  # as if it were not installed
    paths = _Paths()
    assert [paths.chosen(40) for _ in range(3)] == [in_numpy] * 3


def test_where_nothing_compiled_can_be_kept_it_is_compiled_again(monkeypatch):
    numba = pytest.importorskip("numba")
    njit, asked = numba.njit, []

    def without_a_place(**how):
        asked.append(how)
        if how.get("cache"):
            raise RuntimeError("cannot cache function: no locator available")
        return njit(**how)

    monkeypatch.setattr(numba, "njit", without_a_place)
    again = _compiled()
    assert [how.get("cache") for how in asked] == [True, None]
    assert codes(again, np.array([0.26, 7.0, np.nan]), 0.0, 1.0, 4, -1) == [1, 4, -1]
