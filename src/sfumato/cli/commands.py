"""The outermost command: how wrong usage is told.

Typer would frame what was typed and print it as it is; here it goes the way of every other
text.  Refusals of our own pass through: `sfumato.cli.main` tells them.
"""

import sys
from collections.abc import Sequence
from typing import Any

import typer
from typer.core import TyperGroup

__all__ = ["Commands"]

# Of typer's own or of click, by version; either way an ancestor of what typer exports.
_Wrong: Any = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")


class Commands(TyperGroup):
    """All commands; wrong usage is told in two lines and exit code 2."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run a command and leave with its exit code."""
        try:
            code = super().main(args, prog_name, complete_var, False, windows_expand_args, **extra)
        except _Wrong as wrong:
            if not standalone_mode:
                raise
            _tell(wrong)
            sys.exit(wrong.exit_code)
        except typer.Abort:
            if not standalone_mode:
                raise
            sys.exit(1)
        if not standalone_mode:
            return code
        sys.exit(code if isinstance(code, int) else 0)


def _tell(wrong: Any) -> None:
    from sfumato.cli.screen import say, styled
    from sfumato.untrusted.password import without_password

    context = getattr(wrong, "ctx", None)
    if type(wrong).__name__ == "NoArgsIsHelpError":  # our own words, nothing of the user's
        wrong.show()
        return
    say(styled("wrong usage: ", "red"), without_password(_message(wrong)), err=True)
    if context is not None:
        say(f"see: {context.command_path} --help", err=True)


def _message(wrong: Any) -> str:
    """Of a choice between two words that was not made, both."""
    option: Any = getattr(wrong, "param", None)
    if type(wrong).__name__ == "MissingParameter" and getattr(option, "secondary_opts", None):
        words = " or ".join(f"'{word}'" for word in (*option.opts, *option.secondary_opts))
        return f"Missing option {words}."
    return str(wrong.format_message())
