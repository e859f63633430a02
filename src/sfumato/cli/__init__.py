"""The command line: one line on standard error and exit code 1 for a refusal, 2 for wrong usage.

The commands are imported when `main` runs, so that Ctrl-C is answered from the first moment.
"""

import sys
from collections.abc import Callable
from traceback import extract_tb
from typing import TYPE_CHECKING, Any

from sfumato.cli.exit_code import INTERRUPTED, Told
from sfumato.errors import SfumatoError

if TYPE_CHECKING:
    from sfumato.cli.application import app

__all__ = ["app", "main", "run"]


def __getattr__(name: str) -> Any:
    if name != "app":
        raise AttributeError(f"module 'sfumato.cli' has no attribute {name!r}")
    from sfumato.cli.application import app

    return app


def main() -> None:
    """Run `sfumato` as it was typed."""
    run(_start)


def _start() -> None:
    from sfumato.cli.application import app

    app(prog_name="sfumato")


def run(start: Callable[[], None], *, package: str = "sfumato") -> None:
    """Run a command; whatever stops it is told in one line, never as a traceback.

    A fault of the program is placed by the innermost frame inside `package`.
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a terminal without Greek letters
    try:
        start()
    except SfumatoError as error:
        _tell("refused: ", str(error), "red")
        sys.exit(1)
    except KeyboardInterrupt:  # before typer was there to catch it
        _stopped()
        sys.exit(INTERRUPTED)
    except SystemExit as leaving:
        if leaving.code == INTERRUPTED and not isinstance(leaving.code, Told):
            _stopped()
        raise
    except BrokenPipeError:
        sys.exit(0)
    except OSError as error:
        _tell("refused: ", f"{error.filename or 'a file'}: {error.strerror or 'broken'}", "red")
        sys.exit(1)
    except MemoryError:
        _tell("stopped: ", "there is not enough memory", "red")
        sys.exit(1)
    except Exception as error:
        _tell("internal error: ", _place(error, package), "red")
        sys.exit(1)


def _place(error: Exception, package: str) -> str:
    """What kind of fault it is and where; not its text, which may quote the data."""
    ours = [frame for frame in extract_tb(error.__traceback__) if package in frame.filename]
    where = ours[-1] if ours else None
    file = "" if where is None else where.filename.replace("\\", "/").rpartition(f"/{package}/")[2]
    at = "" if where is None else f" at {file}:{where.lineno}"
    return (
        f"{type(error).__name__}{at}. This is a fault of the program; nothing was left "
        "half-written, and a charge that was made stays"
    )


def _stopped() -> None:
    _tell("stopped: ", "no file was left half-written; a charge that was made stays", "yellow")


def _tell(how: str, what: str, colour: str) -> None:
    """One line on standard error."""
    from sfumato.cli.screen import say, styled
    from sfumato.untrusted.password import without_password

    say(styled(how, colour), without_password(what), err=True)
