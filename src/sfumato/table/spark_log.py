"""Spark's logs while jobs of ours run: they quote what tasks failed at, so they are silent.

Where they are another machine's (Spark Connect) they are not ours to silence.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from threading import Lock
from typing import Any

__all__ = ["silent"]

# What is told of tasks that were still running when their job had failed.
_LATE = tuple(f"org.apache.spark.{name}" for name in ("scheduler", "executor", "api.python"))
_LOGS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")  # of what Python is told


class _Silence:
    """Spark's logs, where they are ours to silence: they quote what tasks failed at.

    They are those of the process: the first job asks for silence, and the last one ends it.
    """

    def __init__(self) -> None:
        self._lock, self._jobs, self._later = Lock(), 0, ExitStack()

    @contextmanager
    def __call__(self, session: Any) -> Iterator[None]:
        """While it is kept; a job that fails leaves tasks behind, which are not heard later."""
        with self._lock:
            self._jobs += 1
            if self._jobs == 1:
                _silence(session, self._later)
        try:
            yield
        except BaseException:
            with suppress(Exception):
                log4j = session.sparkContext._jvm.org.apache.logging.log4j
                for name in _LATE:
                    quiet = log4j.core.config.Configurator.setLevel
                    self._later.callback(_tried, quiet, name, log4j.Level.OFF)
            raise
        finally:
            with self._lock:
                self._jobs -= 1
                if not self._jobs:
                    self._later.close()


silent = _Silence()


def _silence(session: Any, later: ExitStack) -> None:
    with suppress(Exception):  # over Spark Connect this log is another machine's
        log4j = session.sparkContext._jvm.org.apache.logging.log4j
        context = log4j.LogManager.getContext(False)
        later.callback(_tried, context.updateLoggers)
        # Each that has a level of its own: that of the root does not reach it.
        for log in list(context.getConfiguration().getLoggers().values()):
            later.callback(_tried, log.setLevel, log.getLevel())
            log.setLevel(log4j.Level.OFF)
        context.updateLoggers()
    with suppress(ImportError):
        from pyspark.logger import PySparkLogger

        for log in map(PySparkLogger.getLogger, _LOGS):
            later.callback(setattr, log, "disabled", log.disabled)
            log.disabled = True


def _tried(action: Callable[..., None], *arguments: Any) -> None:
    """For Spark may be gone."""
    with suppress(Exception):
        action(*arguments)
