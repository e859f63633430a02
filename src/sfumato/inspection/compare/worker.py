"""Trials in processes of their own, so that a slow one can be stopped.

Each worker is a plain Python with one thread for linear algebra; it is handed the records
once, through a pipe, and nothing is written to a disk.  What exceeds its time is killed and
a new worker takes its place.  It is started with -P: else the folder that a command is run in
would come first on its path, and a file in there called `numpy.py` would run beside the records.
"""

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from threading import Timer
from typing import Any

from sfumato.errors import Refused, SfumatoError
from sfumato.inspection.compare.contender import Contender
from sfumato.inspection.compare.trial import Parts, Trial, run_trial

__all__ = ["Stopped", "Worker", "serve"]

_SERVE = "from sfumato.inspection.compare.worker import serve; serve()"
# What the end of the other process looks like, whenever it comes.
_GONE = (EOFError, OSError, ValueError, pickle.UnpicklingError)
_ALONE = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


class Stopped(Exception):
    """A trial took longer than it was given."""


class Worker:
    """One process that runs trials, one after the other.

    >>> from sfumato.schema.domain import Domain
    >>> from sfumato.example import CLINIC, clinic
    >>> from sfumato.schema import Schema
    >>> parts = Parts.of(clinic(300), Domain.of(Schema.parse(CLINIC)), seed=0)
    >>> lda = Contender("dp-lda", "1", None, "1-differential privacy", True)
    >>> with Worker(parts) as worker:
    ...     sorted(worker.run(lda, 0, seed=1, seconds=60).scores)
    ['accuracy', 'auc', 'one-way', 'two-way']
    """

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._process: subprocess.Popen[bytes] | None = None

    def run(self, contender: Contender, number: int, *, seed: int, seconds: float) -> Trial:
        """One trial; `Stopped` if it takes longer, and a refusal as it was refused."""
        process = self.start()
        timer = Timer(max(seconds, 0.1), process.kill)
        try:
            _send(process.stdin, (contender, number, seed))
            timer.start()
            answer = _receive(process.stdout)
        except _GONE:
            self.close()
            raise Stopped from None
        finally:
            timer.cancel()
        if isinstance(answer, SfumatoError):
            raise answer
        assert isinstance(answer, Trial)  # noqa: S101  what a worker answers with
        return answer

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                with suppress(OSError):  # what nobody read any more
                    pipe.close()  # type: ignore[union-attr]  # both were asked for

    def start(self) -> "subprocess.Popen[bytes]":
        """Have the process ready, so that what it loads is no trial's time."""
        if self._process is None:
            self._process = subprocess.Popen(  # noqa: S603  this very Python
                [sys.executable, "-P", "-c", _SERVE],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=os.environ | dict.fromkeys(_ALONE, "1"),
            )
            try:
                _send(self._process.stdin, self._parts)
                _receive(self._process.stdout)
            except _GONE:
                self.close()
                raise Refused(
                    "a process that tries methods could not be started or ran out of memory: "
                    "free some memory, or compare fewer records"
                ) from None
        return self._process

    def __enter__(self) -> "Worker":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def serve() -> None:
    """The other end: answer trials until nobody asks any more."""
    asked, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints by itself does not answer
    parts = _receive(asked)
    _warm(parts)
    _send(answers, "ready")
    while True:
        try:
            contender, number, seed = _receive(asked)
        except EOFError:
            return
        _send(answers, _answered(lambda: run_trial(parts, contender, number, seed)))  # noqa: B023


def _warm(parts: Parts) -> None:
    """Load what scoring needs, so that the first trial is not slower than the others."""
    _answered(lambda: parts.scores(parts.known.slice(0, 50)))


def _answered(run: Callable[[], Any]) -> Any:
    try:
        return run()
    except SfumatoError as error:
        return error
    except (ArithmeticError, ValueError, MemoryError) as error:
        return Refused(f"it failed on this table: {type(error).__name__}")


def _send(pipe: Any, content: Any) -> None:
    pickle.dump(content, pipe)
    pipe.flush()


def _receive(pipe: Any) -> Any:
    return pickle.load(pipe)  # noqa: S301  from a process of our own
