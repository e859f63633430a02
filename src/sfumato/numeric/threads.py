"""One thread for the linear algebra library, where its own would mostly wait for each other.

They wait by turning over, so on a busy machine a product of small matrices takes many times the
processor time that it takes in one thread.

>>> with one_blas_thread:
...     pass
"""

import sys
from threading import Lock
from typing import Any

try:
    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]  # has none
except ImportError:  # without it nothing is held
    ThreadpoolController = None

__all__ = ["CAN_HOLD", "one_blas_thread"]

CAN_HOLD = ThreadpoolController is not None


class _OneThread:
    """Holds the library to one thread until the last one inside has left."""

    def __init__(self) -> None:
        self._lock, self._inside, self._held = Lock(), 0, None
        self._libraries, self._modules = None, -1  # to look for them takes milliseconds

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside and ThreadpoolController is not None:
                self._held = self._found().limit(limits=1, user_api="blas")
            self._inside += 1

    def _found(self) -> Any:
        """The libraries of this process, looked for again where something was imported since."""
        if len(sys.modules) != self._modules:
            self._libraries, self._modules = ThreadpoolController(), len(sys.modules)
        return self._libraries

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            held: Any = self._held
            if not self._inside and held is not None:
                held.restore_original_limits()
                self._held = None


one_blas_thread = _OneThread()
