"""All commands under one name; `main` runs it.

Only `typer` and `rich` are imported here: everything heavy waits until a command needs it, so that
`sfumato --help` answers in a moment.
"""

import typer

from sfumato.cli import (
    accuracy,
    audit,
    check,
    compare,
    demo,
    doctor,
    forecast,
    graph,
    inspect,
    key,
    ledger,
    methods,
    party,
    publish,
    query,
    report,
    reproduce,
    schema,
    stream,
    studio,
    verify,
)
from sfumato.cli.commands import Commands
from sfumato.cli.screen import say

__all__ = ["app"]

app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Publish sensitive data under differential privacy.",
    epilog="Start with: sfumato demo",
    pretty_exceptions_enable=False,
)
app.command("demo")(demo.demo)
app.command("studio")(studio.studio)
app.command("forecast")(forecast.forecast)
app.command("publish")(publish.publish)
app.command("methods")(methods.methods)
app.command("verify")(verify.verify)
app.command("report")(report.report)
app.command("accuracy")(accuracy.accuracy)
app.command("audit")(audit.audit)
app.command("check")(check.check)
app.command("inspect")(inspect.inspect)
app.command("compare")(compare.compare)
app.command("doctor")(doctor.doctor)
app.add_typer(graph.app, name="graph")
app.add_typer(stream.app, name="stream")
app.add_typer(query.app, name="query")
app.add_typer(party.app, name="party")
app.add_typer(schema.app, name="schema")
app.add_typer(ledger.app, name="ledger")
app.add_typer(key.app, name="key")
app.command(
    "reproduce",
    hidden=True,
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
)(reproduce.reproduce)


def _version(asked: bool) -> None:
    if asked:
        from sfumato import __version__

        say(f"sfumato {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version and leave."
    ),
) -> None:
    """Shared by all commands."""
