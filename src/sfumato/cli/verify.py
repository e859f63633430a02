"""`sfumato verify`: is this folder what it says it is?"""

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.screen import Grid, say, show, styled

__all__ = ["verify"]


def verify(
    folder: Annotated[Path, typer.Argument(help="A release folder.")],
    ledger: Annotated[
        str | None, typer.Option(envvar="SFUMATO_LEDGER", help="The ledger it was charged to.")
    ] = None,
    key: Annotated[
        list[Path] | None,
        typer.Option(
            help="Public key of the publisher: the release must be signed with it; repeatable.",
            metavar="FILE",
        ),
    ] = None,
    revoked: Annotated[
        list[Path] | None,
        typer.Option(
            help="Ids of keys that count no more, one a line; repeatable.", metavar="FILE"
        ),
    ] = None,
    trial: Annotated[
        list[Path] | None,
        typer.Option(help="A release of public data, made in the same way; repeatable."),
    ] = None,
    public: Annotated[
        Path | None, typer.Option(help="The public data that the trial was made of.")
    ] = None,
) -> None:
    """Check files, plan, data, who signed and, with a ledger, the charge; needs no original data.

    With a trial, the noise in it is tested for the law that the certificate declares.

    Example: sfumato verify release/ --key publisher.key.pub

    Example: sfumato verify release/ --trial trial/ --public public.csv
    """
    from sfumato.errors import ParameterError
    from sfumato.ledger import Ledger
    from sfumato.publishing.verify import verify as run

    if bool(trial) != (public is not None):
        raise ParameterError("--trial and --public belong together: give both, or none")
    opened = Ledger(ledger) if ledger is not None else None
    checks = run(folder, ledger=opened, key=key or None, revoked=revoked)
    if trial:
        from sfumato.inspection.trial_check import verify_trial

        checks += verify_trial(folder, trial, public)
    table = Grid("check", "", "finding")
    for check in checks:
        mark = styled("passed", "green") if check.passed else styled("FAILED", "red")
        table.line(check.name, mark, check.detail)
    show(table)
    if trial:
        _say_what_follows(checks.passed)
    if not checks:
        raise typer.Exit(1)


def _say_what_follows(passed: bool) -> None:
    from sfumato.inspection.trial_check import ESTABLISHED, FALSE_ALARM, NOT_ESTABLISHED

    if passed:
        say("")
        say("Established by the trial:")
        for text in ESTABLISHED:
            say(f"  - {text}")
        say("Not established:")
        for text in NOT_ESTABLISHED:
            say(f"  - {text}")
    say(f"Noise that is as declared fails these tests with a chance of at most {FALSE_ALARM:g}.")
