"""`sfumato accuracy` as a function of its words."""

import typer
from typer.testing import CliRunner

from sfumato.cli.accuracy import accuracy

__all__ = ["run"]

app = typer.Typer()
app.command()(accuracy)


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])
