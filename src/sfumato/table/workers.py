"""Work on batches in several threads: shared out, or with the results in the order of the batches.

The heavy steps (NumPy, Arrow, the linear algebra library) leave Python's lock alone, so
threads use several cores.  Meanwhile that library is held to one thread of its own: on
batches that fit a cache its threads mostly wait for each other.
"""

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain, islice
from queue import Queue
from threading import Event
from typing import Generic, TypeVar

from sfumato.numeric.threads import CAN_HOLD, one_blas_thread

__all__ = ["in_order", "shared_out"]

S = TypeVar("S")
T = TypeVar("T")

_MOST = 4  # threads; more would wait for Python's lock


def in_order(work: Callable[[S], T], items: Iterable[S]) -> Generator[T, None, None]:
    """`work` of each item, in order, on as many cores as there are.

    Few items are under way at any time.  No thread outlives the last result; what is not
    followed to its end is to be closed.

    >>> list(in_order(abs, [3, -2, 1]))
    [3, 2, 1]
    """
    rest = iter(items)
    first, threads = list(islice(rest, 2)), min(_MOST, _cores())
    if len(first) < 2 or threads < 2 or not CAN_HOLD:
        yield from map(work, chain(first, rest))
        return
    waiting: deque[Future[T]] = deque()
    pool = ThreadPoolExecutor(threads)
    try:
        with one_blas_thread:
            for item in chain(first, rest):
                waiting.append(pool.submit(work, item))
                if len(waiting) > threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def shared_out(work: Callable[[Iterator[S]], T], items: Iterable[S], most: int = _MOST) -> list[T]:
    """`work` in each of several threads, at most so many, on the items that it comes to.

    The items are made in the thread that asks, and few of them wait at any time.  Work that ends
    before it has seen all of its items ends for all.

    >>> sum(shared_out(sum, range(10)))
    45
    """
    rest = iter(items)
    first = list(islice(rest, 2))
    if len(first) < 2:
        return [work(iter(first))]
    threads = max(min(most, _MOST, _cores()), 1) if CAN_HOLD else 1
    waiting: Queue[S | _End] = Queue(2 * threads)
    stopped = Event()

    def worked() -> T:
        mine = _Taken(waiting)
        try:
            return work(mine)
        finally:
            while not mine.ended:  # whoever hands out items must not wait for ever
                stopped.set()
                mine.take()

    pool = ThreadPoolExecutor(threads)
    with one_blas_thread:
        try:
            results = [pool.submit(worked) for _ in range(threads)]
            for item in chain(first, rest):
                if stopped.is_set():
                    break
                waiting.put(item)
        finally:
            for _ in range(threads):
                waiting.put(_END)
            pool.shutdown()
    return [result.result() for result in results]


class _End:
    """Comes after the last item, once for each thread."""


class _Taken(Generic[S]):
    """The items that a thread comes to, up to the end that is meant for it."""

    def __init__(self, waiting: "Queue[S | _End]") -> None:
        self._waiting, self.ended = waiting, False

    def __iter__(self) -> Iterator[S]:
        return self

    def __next__(self) -> S:
        item = _END if self.ended else self.take()
        if isinstance(item, _End):
            raise StopIteration
        return item

    def take(self) -> "S | _End":
        item = self._waiting.get()
        self.ended = isinstance(item, _End)
        return item


_END = _End()


def _cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
