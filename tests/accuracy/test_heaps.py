"""Heaps: seen where changed values pile up, not where a column is smooth, and hints only."""

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.accuracy.heaps import heaps
from sfumato.accuracy.published import published

INCOME = {"kind": "number", "low": 10, "high": 90, "step": 0.5}


def found(values, column=INCOME, **asked):
    """What is seen at a large budget; a seed, so that the test is the same every time."""
    schema = {"name": "t", "columns": {"a": column}}
    given = {"epsilon": 20, "seed": 1, "fit": False} | asked
    return [
        h.says
        for h in heaps(published(sf.publish(pa.table({"a": values}), schema=schema, **given)))
    ]


def smooth(rng, rows=4_000):
    return np.clip(rng.normal(50, 12, rows), 11, 89)


def test_a_smooth_column_has_no_heap(rng):
    assert found(smooth(rng)) == []


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (500.0, "read as 90, the end of the range"),
        (-4.0, "read as 10, the end of the range"),
    ],
)
def test_values_that_were_cut_pile_up_at_the_end(rng, wrong, words):
    values = smooth(rng)
    values[:400] = wrong
    (said,) = found(values)
    assert words in said
    assert "Genuine caps look the same" in said


def test_values_that_cannot_be_read_pile_up_in_the_middle(rng):
    values = [f"{value:.1f}" for value in smooth(rng)]
    values[:400] = ["51,5"] * 400
    (said,) = found(values)
    assert "read as 50, the middle of the range" in said
    assert "what cannot be read lands there" in said


def test_words_that_no_list_has_pile_up_at_the_first_value():
    listed = {"kind": "category", "values": ["Home", "Care", "Died"]}
    (said,) = found(["home", "care", "died"] * 1_000, listed)
    assert "read as Home, the first value, and so is what is not listed" in said
    assert found(["Home", "Care", "Died"] * 1_000, listed) == []
    with_other = listed | {"other": "else"}
    (said,) = found(["home", "care", "died"] * 1_000, with_other)
    assert "read as else, as is whatever is not listed or is missing" in said
    assert found(["Home", "Care", "Died"] * 1_000, with_other) == []


@pytest.mark.parametrize("low", [0, 1, -1])
def test_a_low_of_zero_or_one_is_exempt(rng, low):
    values = np.where(rng.random(4_000) < 0.5, low, rng.uniform(low, 80, 4_000))
    counted = {"kind": "integer", "low": low, "high": 80}
    assert found(values.round(), counted) == []
    moved = {"kind": "integer", "low": low - 2, "high": 78}
    assert len(found(values.round() - 2, moved)) == (low - 2 not in (0, 1, -1))


def test_less_than_a_hundredth_is_no_heap(rng):
    values = smooth(rng, 10_000)
    values[:90] = 500.0
    assert found(values, epsilon=500) == []
    values[:160] = 500.0
    assert len(found(values, epsilon=500)) == 1


def test_what_noise_may_be_is_no_heap(rng):
    values = smooth(rng)
    values[:80] = 500.0  # 2 %, a deviation or so at this budget
    assert found(values, epsilon="0.1") == []


def test_few_values_have_no_neighbours_that_say_anything():
    assert found([1, 2, 3, 4, 5, 5, 5, 5] * 500, {"kind": "integer", "low": 1, "high": 5}) == []


def test_what_has_no_counts_has_no_heaps():
    bits = sf.publish_stream([1, 0, 1], horizon=4, epsilon=1)
    assert heaps(published(bits)) == ()
