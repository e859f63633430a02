"""Rows in parts: the same however they are drawn, and as many as were asked for."""

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow as pa
import pytest

from sfumato.render import drawing
from sfumato.render.drawing import Drawing


def numbers(start, count, rng):
    """A model: where each row stands, and what was drawn for it."""
    return pa.record_batch({"row": np.arange(start, start + count), "x": rng.random(count)})


@pytest.fixture(autouse=True)
def _short_parts(monkeypatch):
    monkeypatch.setattr(drawing, "BATCH_ROWS", 10)


@pytest.mark.parametrize(
    ("rows", "sizes"), [(25, [10, 10, 5]), (20, [10, 10]), (10, [10]), (1, [1]), (0, [])]
)
def test_rows_come_in_bounded_parts_that_add_up(rows, sizes):
    made = Drawing(numbers, rows, 1)
    assert made.parts == len(sizes)
    assert [batch.num_rows for batch in made] == sizes
    assert [row for batch in made for row in batch["row"].to_pylist()] == list(range(rows))


def test_parts_are_the_same_in_any_order_by_threads_again_and_elsewhere():
    made = Drawing(numbers, 95, 7)
    there = pickle.loads(pickle.dumps(made))
    once = list(made)
    with ThreadPoolExecutor(4) as pool:
        by_threads = list(pool.map(made, range(made.parts)))
    backwards = [there(k) for k in reversed(range(made.parts))][::-1]
    assert once == by_threads == backwards == list(made)


def test_no_two_parts_and_no_two_seeds_share_their_numbers():
    found = [batch["x"].to_pylist() for seed in range(5) for batch in Drawing(numbers, 50, seed)]
    assert len({x for part in found for x in part}) == 5 * 50


def test_the_generator_of_a_part_is_the_one_that_is_stated():
    bits = np.random.PCG64(np.random.SeedSequence(5, spawn_key=(3,)))
    expected = np.random.Generator(bits).random(10)
    assert Drawing(numbers, 40, 5)(3)["x"].to_pylist() == expected.tolist()


def test_the_seed_comes_from_the_generator_that_is_given():
    first, again, other = (
        Drawing.of(numbers, 40, np.random.default_rng(seed)) for seed in (1, 1, 2)
    )
    assert list(first) == list(again) != list(other)
