"""The outcomes that are allowed, whatever is read: success, or a refusal of our own.

Secrets are words and digits that stand in private cells and nowhere else.  None of them may
come up in a message, a log line, a warning, a file name, or a file that was written.
"""

import io
import logging
import signal
import traceback
import warnings
from collections.abc import Callable
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.errors import SfumatoError

__all__ = ["Trial", "command", "fault_of"]

SECONDS = 10.0  # of processor time for one input: these are small
_LONGEST = 20_000  # characters of a message that is said at all


@dataclass(frozen=True)
class Trial:
    """An input in a folder, and what is done with it."""

    act: Callable[[], Any]
    said: str  # how the input was made, for whoever repeats it
    secrets: tuple[str, ...] = ()
    private_change: bool = False  # only private cells differ from a good example: no refusal


class _TooLong(BaseException):
    """Not an Exception: nobody may swallow it."""


def command(*words: str) -> Callable[[], None]:
    """The command line in this process: its exit code is judged where it leaves."""

    def act() -> None:
        import sys

        from sfumato.cli import main

        kept, sys.argv = sys.argv, ["sfumato", *words]
        try:
            main()
        finally:
            sys.argv = kept

    return act


def fault_of(trial: Trial, folder: Path) -> tuple[str | None, bool]:
    """What is wrong with what happens, if anything; and whether the input was refused."""
    before = {path: _age(path) for path in folder.rglob("*")}
    spoken = _Spoken()
    with spoken, chdir(folder):
        fault, words, refused = _outcome(trial)
    said = spoken.text()
    if fault is None and "Traceback (most recent call last)" in said:
        fault = "prints a traceback"
    if fault is None and spoken.warned:
        fault = f"warns: {spoken.warned[0]}"
    return _told(trial.secrets, words + said, folder, before) or fault, refused


def _outcome(trial: Trial) -> tuple[str | None, str, bool]:
    """The fault, the words of the error, and whether it is a refusal."""
    private = "refuses because of a private cell" if trial.private_change else None
    signal.signal(signal.SIGPROF, _stop)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        trial.act()
    except SfumatoError as error:
        return private or _unfit(str(error)), _words(error), True
    except SystemExit as leaving:
        if leaving.code in (None, 0):
            return None, "", False
        return private if leaving.code in (1, 2) else f"exit code {leaving.code}", "", True
    except _TooLong as error:
        return f"takes more than {SECONDS:g} s of processor time", _words(error), False
    except BaseException as error:
        return f"raises {type(error).__name__} at {_place(error)}", _words(error), False
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return None, "", False


def _unfit(message: str) -> str | None:
    if not message.strip():
        return "refuses without a word"
    return "refuses at great length" if len(message) > _LONGEST else None


def _stop(*_: object) -> None:
    raise _TooLong


def _words(error: BaseException) -> str:
    return "".join(traceback.format_exception(error))


def _place(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "/sfumato/" in frame.filename] or frames
    return f"{Path(ours[-1].filename).name}:{ours[-1].lineno} {ours[-1].name}"


def _told(
    secrets: tuple[str, ...], words: str, folder: Path, before: dict[Path, Any]
) -> str | None:
    """Where a secret came up; inputs that nobody touched are where they belong."""
    for secret in secrets:
        if secret in words:
            return f"tells a secret: …{words[max(0, words.index(secret) - 80) :][:120]!r}"
        for path in folder.rglob("*"):
            if path in before and before[path] == _age(path):
                continue
            if secret in path.name:
                return "a file name holds a secret"
            if path.is_file() and secret.encode() in path.read_bytes():
                return f"{path.name} holds a secret"
    return None


def _age(path: Path) -> tuple[int, int, int]:
    about = path.lstat()
    return about.st_ino, about.st_size, about.st_mtime_ns


class _Spoken:
    """Everything that is printed, logged or warned of."""

    def __enter__(self) -> "_Spoken":
        self._pages = [io.BytesIO(), io.BytesIO()]
        self._printed = io.TextIOWrapper(self._pages[0], "utf-8", write_through=True)
        self._aside = io.TextIOWrapper(
            self._pages[1], "utf-8", "backslashreplace", write_through=True
        )
        self._log = logging.StreamHandler(self._aside)
        logging.getLogger().addHandler(self._log)
        self._catching = warnings.catch_warnings(record=True)
        self._warnings = self._catching.__enter__()
        warnings.simplefilter("always")
        self._directed = redirect_stdout(self._printed), redirect_stderr(self._aside)
        for direction in self._directed:
            direction.__enter__()
        return self

    def __exit__(self, *leaving: Any) -> None:
        for direction in self._directed:
            direction.__exit__(*leaving)
        self._catching.__exit__(*leaving)
        logging.getLogger().removeHandler(self._log)
        self.warned = [
            f"{item.category.__name__} at {Path(item.filename).name}:{item.lineno}"
            for item in self._warnings or ()
            # A descriptor that the garbage collector closes is untidy and tells nothing.
            if not issubclass(item.category, ResourceWarning)
        ]

    def text(self) -> str:
        said = "\n".join(page.getvalue().decode("utf-8", "replace") for page in self._pages)
        return said + "\n".join(str(item.message) for item in self._warnings or ())
