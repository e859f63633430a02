"""Work on batches in several threads, with the results in the order of the batches.

The heavy steps (NumPy, Arrow, the linear algebra library) leave Python's lock alone, so
threads use several cores.  Meanwhile that library is held to one thread of its own: on
batches that fit a cache its threads mostly wait for each other.
"""

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain, islice
from typing import TypeVar

from sfumato.numeric.threads import CAN_HOLD, one_blas_thread

__all__ = ["in_order"]

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


def _cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
