"""Work in several threads: the order, the bounds, and nothing left behind."""

import threading
import time
from contextlib import closing

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from sfumato.table import workers
from sfumato.table.workers import in_order


@pytest.fixture(autouse=True)
def four_cores(monkeypatch):
    monkeypatch.setattr(workers, "_cores", lambda: 4)


def blas_threads():
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


def test_results_come_in_the_order_of_the_items_however_long_each_takes():
    def work(item):
        time.sleep(0.02 if item % 3 == 0 else 0)
        return item, threading.get_ident()

    found = list(in_order(work, range(20)))
    assert [item for item, _ in found] == list(range(20))
    assert len({thread for _, thread in found}) > 1


@pytest.mark.parametrize("count", [0, 1])
def test_a_single_item_needs_no_thread(count):
    here = threading.get_ident()
    assert list(in_order(lambda _: threading.get_ident(), range(count))) == [here] * count


def test_on_one_core_or_without_a_hold_on_the_library_all_is_done_in_this_thread(monkeypatch):
    here = threading.get_ident()
    with monkeypatch.context() as patch:
        patch.setattr(workers, "_cores", lambda: 1)
        assert set(in_order(lambda _: threading.get_ident(), range(9))) == {here}
    monkeypatch.setattr(workers, "CAN_HOLD", False)
    assert set(in_order(lambda _: threading.get_ident(), range(9))) == {here}


def test_few_items_are_under_way_at_any_time():
    taken = []

    def items():
        for item in range(50):
            taken.append(item)
            yield item

    with closing(in_order(abs, items())) as results:
        for result in results:
            assert len(taken) - result <= 6


def test_no_thread_is_left_after_the_end_a_closing_or_an_error():
    before = threading.active_count()
    list(in_order(abs, range(9)))
    assert threading.active_count() == before
    with closing(in_order(abs, range(9))) as results:
        next(results)
        assert threading.active_count() > before
    assert threading.active_count() == before
    with pytest.raises(ZeroDivisionError):
        list(in_order(lambda item: 1 // (item - 5), range(9)))
    assert threading.active_count() == before


def test_an_error_comes_in_its_place():
    seen = []
    with pytest.raises(ZeroDivisionError):
        seen.extend(in_order(lambda item: 6 // (3 - item), range(9)))
    assert seen == [2, 3, 6]


def test_the_library_works_in_one_thread_and_then_as_before():
    with threadpool_limits(2, "blas"):
        assert blas_threads() == {2}
        with closing(in_order(lambda _: blas_threads(), range(6))) as outer:
            assert next(outer) == {1}
            assert all(found == {1} for found in in_order(lambda _: blas_threads(), range(6)))
            assert blas_threads() == {1}  # the one outside is still at work
            assert all(found == {1} for found in outer)
        assert blas_threads() == {2}
