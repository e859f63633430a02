"""Exit codes that commands leave with."""

__all__ = ["INTERRUPTED", "Told"]

INTERRUPTED = 130  # of Ctrl-C, also what typer makes of it


class Told(int):
    """An exit code whose reason the command has told by itself."""
