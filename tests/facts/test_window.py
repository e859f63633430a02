"""Scores of windows count what lies outside; no record moves two of them further than is priced."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.facts import place, window
from sfumato.facts.place import UNREADABLE, cells, places
from sfumato.facts.window import UNIT, Pairs, Windows

ALPHA = Fraction(1, 3)
ABSURD = (0.0, -0.0, 1.0, -1.0, 3.0, 5.5, -7.25, 1e-300, 2.0**-29, 2.0**49, 1e300, -1e300)
ANY = st.floats(allow_nan=True, allow_infinity=True, width=64) | st.sampled_from(ABSURD)


def small(monkeypatch):
    """A handful of windows, so that all of them can be looked at."""
    for module in (place, window):
        monkeypatch.setattr(module, "MOST_UNITS", 4)
    monkeypatch.setattr(window, "_POWERS", {"number": range(-1, 2), "integer": range(2)})
    monkeypatch.setattr(window, "_WIDTHS", (2, 3))
    monkeypatch.setattr(window, "_FEW", (1, 2, 3))
    window._shape.cache_clear()


@pytest.fixture(autouse=True)
def shapes():
    yield
    window._shape.cache_clear()


def scored(windows, records, alpha=ALPHA, told=40):
    """The very scores that are drawn from; a record is a tuple of its values."""
    values = np.array(records, np.float64).reshape(len(records), -1)
    found = [places(column) for column in values.T] or [np.empty(0, np.int64)]
    every = np.stack(found)
    high = np.where(every == UNREADABLE, -UNREADABLE, every).max(axis=0)
    high = np.where(high == -UNREADABLE, UNREADABLE, high)
    return windows.scores(Pairs.of(every.min(axis=0), high), alpha, told)


@given(
    st.lists(st.tuples(ANY, ANY), min_size=1, max_size=5), st.sampled_from(["number", "integer"])
)
@settings(max_examples=4, deadline=None)
def test_outside_counts_records_with_a_readable_value_outside(records, kind):
    windows = Windows(kind)
    scores = scored(windows, records)
    outside = (-scores - windows.costs(ALPHA, 40)) // UNIT
    for index in np.linspace(0, len(scores) - 1, 40).astype(int):
        low, high = map(float, windows.ends(int(index)))
        expected = 0
        for record in records:
            readable = [value for value in record if value == value]
            expected += not readable or min(readable) < low or max(readable) > high
        assert outside[index] == expected, (low, high)


@given(ANY, st.integers(-20, 40))
def test_a_place_lies_between_the_multiples_next_to_it(value, power):
    if value != value:
        assert places(np.array([value]))[0] == UNREADABLE
        return
    low, high = (int(cell[0]) for cell in cells(places(np.array([value])), power))
    if abs(low) <= 1024 and abs(high) <= 1024:
        unit = Fraction(2) ** power
        exact = Fraction(value)
        assert low * unit <= exact <= high * unit
        assert high - low == (exact % unit != 0)
    else:
        assert abs(value) > 1024 * 2.0**power


def test_places_keep_the_order():
    values = np.sort(np.array([*ABSURD, 1.0000001, 1.5, 2.0**-28, -(2.0**-28)]))
    assert (np.diff(places(values)) >= 0).all()


@pytest.mark.parametrize("anchored", [False, True])
@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
def test_brute_force_attains_the_distance_and_never_exceeds_it(monkeypatch, anchored, neighbours):
    small(monkeypatch)
    windows, worst = Windows("number", anchored), 0
    values = (-9.0, -1.0, 0.0, 0.5, 1.0, 2.0, np.nan)
    base = [(0.0, 1.0), (2.0, np.nan)]
    before = scored(windows, [*base, (0.0, 0.0)])
    without = scored(windows, base)
    for record in product(values, repeat=2):
        after = scored(windows, [*base, record])
        first = without if neighbours == "add-remove" else before
        worst = max(worst, int(np.ptp(after - first)))
        if neighbours == "replace-one":
            for other in product(values[::3], repeat=2):
                worst = max(worst, int(np.ptp(scored(windows, [*base, other]) - after)))
    assert worst == windows.apart(neighbours) * UNIT


@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
def test_the_odds_of_every_window_stay_within_the_price(monkeypatch, neighbours):
    small(monkeypatch)
    windows = Windows("integer")
    epsilon = Fraction(1)
    alpha = epsilon / windows.apart(neighbours)
    tables = [[(a,), (b,)] for a, b in product((-3.0, 0.0, 1.0, 4.0, np.nan), repeat=2)]
    if neighbours == "add-remove":
        tables += [[(a,)] for a in (-3.0, 0.0, 1.0, 4.0, np.nan)]

    def chances(table):
        z = scored(windows, table, alpha).astype(float) * float(alpha) / UNIT
        weight = np.exp(z - z.max())
        return weight / weight.sum()

    worst, too_cheap = 0.0, 0.0
    for first, second in product(tables, repeat=2):
        shared = len(set(first) & set(second)) if len(first) == len(second) else None
        apart = (
            abs(len(first) - len(second)) == 1 and first[:1] == second[:1]
            if neighbours == "add-remove"
            else shared is not None and (first[0] == second[0] or first[1] == second[1])
        )
        if apart:
            loss = float(np.abs(np.log(chances(first) / chances(second))).max())
            worst, too_cheap = max(worst, loss), max(too_cheap, loss)
    assert worst <= float(epsilon) + 1e-9
    assert too_cheap > float(epsilon) / 2  # half of the price would be contradicted


def test_costs_are_public_and_rise_with_the_width():
    windows = Windows("number", anchored=True)
    costs = windows.costs(Fraction(1, 100), 20_000)
    widths = [float(windows.ends(k)[1]) for k in range(len(costs))]
    assert (np.diff(costs[np.argsort(widths)]) > 0).all()


def test_a_tight_window_is_drawn_where_there_are_many_records():
    values = np.repeat(np.arange(20.0, 80.0), 500)
    windows, alpha = Windows("integer"), Fraction(1, 100)
    scores = scored(windows, values[:, None], alpha, len(values))
    low, high = map(float, windows.ends(int(scores.argmax())))
    assert low <= 20
    assert 79 <= high <= 160
