"""The command line: one line on standard error and exit code 1 for a refusal, 2 for wrong usage.

The commands are imported when `main` runs, so that Ctrl-C is answered from the first moment.
"""

import os
import sys
from typing import TYPE_CHECKING, Any

from sfumato.errors import SfumatoError

if TYPE_CHECKING:
    from sfumato.cli.application import app

__all__ = ["app", "main"]

_INTERRUPTED = 130  # the exit code of Ctrl-C, also what typer makes of it


def __getattr__(name: str) -> Any:
    if name != "app":
        raise AttributeError(f"module 'sfumato.cli' has no attribute {name!r}")
    from sfumato.cli.application import app

    return app


def main() -> None:
    """Run a command; a refusal is one line, never a traceback."""
    try:
        from sfumato.cli.application import app

        app()
    except SfumatoError as error:
        _say(f"refused: {error}", "red")
        sys.exit(1)
    except KeyboardInterrupt:  # before typer was there to catch it
        _stopped()
        sys.exit(_INTERRUPTED)
    except SystemExit as leaving:
        if leaving.code == _INTERRUPTED:
            _stopped()
        raise
    except BrokenPipeError:
        sys.exit(0)


def _stopped() -> None:
    _say("stopped: no file was left half-written; a charge that was made stays", "yellow")


def _say(line: str, colour: str) -> None:
    """One line on standard error, in colour unless NO_COLOR asks for none."""
    import typer

    typer.secho(line, err=True, fg=None if os.environ.get("NO_COLOR") else colour)
