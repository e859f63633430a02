"""Fine bins by the scale of a number: what is alone, what grows, how many there are."""

from bisect import bisect_right
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

from sfumato.schema import Schema
from sfumato.schema.domain import MISSING, Domain
from sfumato.synopsis.bins import Fine
from sfumato.synopsis.scale import fine_edges, logarithmic_width
from sfumato.table.encode import encode

NUMBERS = {
    "unit": {"kind": "number", "low": 0, "high": 1},
    "crossing": {"kind": "number", "low": -500, "high": 1e6},
    "both": {"kind": "number", "low": -1e6, "high": 1e6, "step": 0.01},
    "negative": {"kind": "number", "low": -1e6, "high": -1},
    "to zero": {"kind": "integer", "low": -50_000, "high": 0},
    "far": {"kind": "number", "low": 1_000, "high": 1_100},
    "tiny": {"kind": "number", "low": 0, "high": 1e-9},
    "huge": {"kind": "integer", "low": -(2**53), "high": 2**53},
    "thousand": {"kind": "integer", "low": 1, "high": 1_000},
    "missing": {"kind": "number", "low": 0, "high": 3e4, "missing": "allowed"},
    "declared log": {"kind": "number", "low": 0, "high": 1e6, "scale": "log"},
    "narrow log": {"kind": "number", "low": 1, "high": 10, "scale": "log"},
    "log but even": {"kind": "number", "low": 1_000, "high": 1_100, "scale": "log"},
    "declared linear": {"kind": "integer", "low": 0, "high": 10**6, "scale": "linear"},
}
DATES = {"date": {"kind": "date", "low": "1900-01-01", "high": "2030-01-01"}}
FEW = {
    "two": {"kind": "integer", "low": 0, "high": 1},
    "three": {"kind": "integer", "low": -1, "high": 1},
}
EVEN = ("far", "log but even", "declared linear", "date")  # whose bins do not grow
ASKED = (0, 128, 10**6)
every_column = pytest.mark.parametrize("facts", (NUMBERS | DATES | FEW).values(), ids=str)
every_number = pytest.mark.parametrize("name", NUMBERS)


def domain_of(facts):
    return Domain.of(Schema.of({"name": "t", "columns": {"x": facts}}))


def axis_of(name):
    return domain_of((NUMBERS | DATES | FEW)[name]).axes[0]


def exact(axis):
    """The smallest and largest number, one unit of the grid, and the code nearest to a number."""
    low, high = (Fraction(str(end)) for end in (axis.column.low, axis.column.high))
    unit = (high - low) / axis.points
    return low, high, unit, lambda value: round((value - low) / unit)


def alone(edges, code):
    return code in edges and code + 1 in edges


@pytest.mark.parametrize("most", ASKED)
@every_column
def test_every_code_lies_in_one_bin_and_ends_and_middle_are_alone(facts, most):
    (axis,) = domain_of(facts).axes
    edges = fine_edges(axis, most)
    assert edges.dtype == np.int64
    assert (edges[0], edges[-1]) == (0, axis.points + 1)
    assert (np.diff(edges) >= 1).all()
    for code in (0, axis.middle, axis.points):
        assert alone(edges, code)
    place = Fine.cut(0, axis, edges).place
    assert len(place) == axis.codes
    assert set(np.diff(place)) <= {0, 1}
    assert place[MISSING] == len(edges) - 1 if axis.missing else place[-1] == len(edges) - 2


@pytest.mark.parametrize("most", ASKED)
@every_number
def test_there_are_about_as_many_as_asked_for_between_32_and_512(name, most):
    axis, asked = axis_of(name), min(max(most, 32), 512)
    bins = len(fine_edges(axis, most)) - 1
    assert bins <= 1.3 * asked
    if axis.points > 10_000:
        assert bins >= 0.4 * asked
    else:  # most of the small numbers are single codes
        assert bins >= min(asked, axis.points) / 5


@every_column
def test_few_codes_are_all_alone_and_edges_are_the_same_again(facts):
    (axis,), (again,) = domain_of(facts).axes, domain_of(dict(facts)).axes
    edges = fine_edges(axis, 128)
    assert edges.tolist() == fine_edges(again, 128).tolist()
    if axis.points < 3:
        assert edges.tolist() == list(range(axis.points + 2))


@every_number
def test_zero_and_round_numbers_are_alone_where_records_have_them(name):
    """As records are read, by floats, not as edges are worked out."""
    axis, domain = axis_of(name), domain_of(NUMBERS[name])
    low, high, unit, _ = exact(axis)
    grows = name not in EVEN
    # Down to a thousandth of the largest; below that, bins are narrow by themselves.
    least = max(4 * unit, max(abs(low), abs(high)) / 1000)
    tens = [ten for k in range(-12, 17) if (ten := Fraction(10) ** k) >= least and grows]
    round_ones = {s * t * ten for ten in tens for t in (1, 2, 3, 5) for s in (-1, 1)}
    values = [value for value in sorted({Fraction(0)} | round_ones) if low <= value <= high]
    if grows or low <= 0 <= high:
        assert values
    edges, cast = fine_edges(axis, 192), int if axis.column.kind == "integer" else float
    batch = pa.RecordBatch.from_pydict({"x": [cast(value) for value in values]})
    for code in encode(domain, batch)[:, 0] if values else ():
        assert alone(edges, int(code))


@pytest.mark.parametrize("name", [*EVEN, "declared log"])
def test_bins_are_even_far_from_zero_where_it_is_said_and_of_dates(name):
    axis, control = axis_of(name), name == "declared log"
    widest = np.diff(fine_edges(axis, 128)).max()
    assert (widest > 3 * axis.points / 128) == control
    assert (widest <= -(-axis.points // (128 - 6)) + 1) != control


@pytest.mark.parametrize("name", [n for n in NUMBERS if n not in EVEN])
@pytest.mark.parametrize("most", [96, 512])
def test_bins_that_grow_are_never_wider_than_their_distance_from_zero_allows(name, most):
    axis = axis_of(name)
    low, high, unit, _ = exact(axis)
    far = max(abs(low), abs(high)) / unit
    least = max(1, far // 2 ** (22 if axis.column.step else 15))
    edges = [int(edge) for edge in fine_edges(axis, most)]
    for start, stop in pairwise(edges):
        near = min(abs(start + low / unit), abs(stop - 1 + low / unit))
        # Two in an octave are the fewest: a bin ends at 1.41 times where it begins.
        assert stop - start <= max(least, Fraction(42, 100) * near) + 2
    even = fine_edges(axis_of("far"), most)
    assert max(np.diff(even)) > 42  # the control: even bins at the low end of such a range


@pytest.mark.parametrize("name", [n for n in NUMBERS if n not in EVEN])
@pytest.mark.parametrize("most", [96])
def test_bounds_that_double_are_whole_numbers_without_a_rounding(name, most):
    """Each is the whole number below least · 2^(k / each), in arithmetic without floats."""
    axis = axis_of(name)
    low, high, unit, _ = exact(axis)
    far, zero = max(abs(low), abs(high)) / unit, -low / unit
    least = max(1, far // 2 ** (22 if axis.column.step else 15))
    edges = set(fine_edges(axis, most).tolist())

    def bounds(each):
        found, sizes = set(), range(10**18)
        for k in range(23 * each):
            power = least**each * 2**k
            size = bisect_right(sizes, power, key=lambda size: size**each) - 1
            both = round(zero) + size, round(zero) - size + 1
            found |= {int(edge) for edge in both if 0 < edge <= axis.points}
        return found

    fits = [each for each in (2, 4, 8, 16, 32) if bounds(each) <= edges]
    assert fits
    assert 32 not in fits or name in (
        "narrow log",
        "declared log",
    )  # the control: not every set of bounds fits


def test_without_a_scale_both_kinds_of_bins_are_there_and_a_declared_one_has_one_kind():
    def edges(**said):
        (axis,) = domain_of({"kind": "number", "low": 0, "high": 1e6, **said}).axes
        return set(fine_edges(axis, 128).tolist())

    even = {1 + k * 32_767 // 32 for k in range(33)}
    assert even <= edges()
    assert len(even & edges(scale="log")) < 12
    assert len(edges(scale="linear") - {1 + k * 32_767 // 122 for k in range(123)}) <= 6


def test_logarithmic_widths_add_up_and_grow_with_what_they_cover():
    axis = axis_of("crossing")
    edges = fine_edges(axis, 128)
    width = logarithmic_width(axis, edges)
    whole = logarithmic_width(axis, edges[[0, -1]])
    assert width.sum() == pytest.approx(whole[0])
    assert (width > 0).all()
    # An octave far from zero is as wide as any other: log 2.
    _, _, _, code = exact(axis)
    at = np.array([code(10**5), code(2 * 10**5), code(4 * 10**5)])
    np.testing.assert_allclose(logarithmic_width(axis, at), np.log(2), rtol=1e-3)
