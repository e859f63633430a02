"""`sfumato party`: several owners publish one release, and none shows its records to another."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli.key import Sign
from sfumato.cli.release_options import Delta, Epsilon, MethodOptions, Rho, SchemaFile
from sfumato.cli.screen import Grid, say, show, styled
from sfumato.cli.table_argument import Data, Table, named
from sfumato.cli.whole_number import integer

if TYPE_CHECKING:
    from sfumato.party import Exchange

__all__ = ["app"]

app = typer.Typer(
    no_args_is_help=True,
    help="Collaborating parties: publish from the records of all, which nobody sees together.",
    epilog="In this order, over a folder whose files the parties send each other: agree, join, "
    "share, contribute, open, combine.",
)

Folder = Annotated[Path, typer.Argument(help="Folder with the files of all parties.")]
State = Annotated[
    Path, typer.Option(help="Private file of this party: keep it, send it to nobody.")
]
Without = Annotated[list[str] | None, typer.Option(help="Party that is left out; repeatable.")]


@app.command("agree")
def agree(
    folder: Annotated[Path, typer.Argument(help="Folder for the files of all parties.")],
    schema: SchemaFile,
    party: Annotated[list[str], typer.Option(help="Name of a party; repeat it for each.")],
    release: Annotated[str, typer.Option(help="Id of the release, as every ledger will have it.")],
    method: Annotated[
        str, typer.Option(help="dp-lda, dca, modips, mosaic, lap-pca, analyze-gauss.")
    ],
    epsilon: Epsilon = None,
    delta: Delta = None,
    rho: Rho = None,
    dropouts: Annotated[
        int, typer.Option(parser=integer, help="Parties that may drop out before they contribute.")
    ] = 0,
    colluders: Annotated[
        int | None,
        typer.Option(
            parser=integer,
            help="Parties that may put their knowledge together; default: under half, at least 1.",
        ),
    ] = None,
    option: MethodOptions = None,
) -> None:
    """Write down what is published, at which price, and whom each party trusts.

    Example: sfumato party agree exchange/ --schema study.yaml --method dp-lda --epsilon 1
    --party north --party south --party west --dropouts 1 --release study-1
    """
    from sfumato.cli.method_options import method_options
    from sfumato.party import agree as run

    made = run(
        schema,
        party,
        method=method,
        release=release,
        epsilon=epsilon,
        delta=delta,
        rho=rho,
        dropouts=dropouts,
        colluders=colluders,
        **method_options(option, run),
    )
    made.save(folder)
    _agreed(made)
    _next("each party runs: sfumato party join", folder, "--as NAME --state NAME.state")


@app.command("join")
def join(
    folder: Folder,
    name: Annotated[str, typer.Option("--as", help="Which of the parties this is.")],
    state: State,
) -> None:
    """Draw the keys of a party: the public ones for the others, the private ones for itself.

    Example: sfumato party join exchange/ --as north --state north.state
    """
    from sfumato.party import join as run
    from sfumato.party.joining import key_fingerprint

    exchange = _exchange(folder)
    _agreed(exchange.agreement)
    place = run(exchange, name, state)
    _written(place, state)
    say(f"fingerprint of this key: {key_fingerprint(exchange, name)}")
    _next("when all keys are in the folder: sfumato party share", folder, f"--state {state}")


@app.command("share")
def share(folder: Folder, state: State) -> None:
    """Give each other party a part of the secrets, in case this one drops out.

    Example: sfumato party share exchange/ --state north.state
    """
    from sfumato.party import share as run

    exchange = _exchange(folder)
    _written(run(exchange, state), state)
    _roster(exchange)
    _next(
        "when all have compared it, and all shares are in the folder: sfumato party contribute",
        folder,
        f"DATA --state {state} --ledger …",
    )


@app.command("contribute")
def contribute(
    folder: Folder,
    data: Data,
    state: State,
    table: Table = None,
    ledger: Annotated[
        str | None, typer.Option(envvar="SFUMATO_LEDGER", help="This party's ledger, to charge.")
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(parser=integer, help="Test run: repeatable noise, no guarantee, no ledger."),
    ] = None,
) -> None:
    """Measure this party's records; what leaves is under noise and under masks.

    Example: sfumato party contribute exchange/ north.csv --state north.state --ledger north.db
    """
    from sfumato.ledger import Ledger
    from sfumato.party import contribute as run
    from sfumato.progress import rows

    exchange = _exchange(folder)
    opened = Ledger(ledger) if ledger is not None else None
    given = named(data, table=table)
    with rows() as step:
        made = run(exchange, state, given, ledger=opened, seed=seed, progress=step)
    _written(made.place, state)
    if made.file.seeded:
        say("test run: the noise is from a seed and protects nobody, so nothing is promised")
    if made.again:
        say("already contributed: the same file was written again, nothing was measured or charged")
    elif made.charged:
        say(f"charged: {exchange.agreement.plan.guarantee} as {exchange.agreement.file.release}")
    elif opened is not None:
        say(f"charged in the first round, as {exchange.agreement.file.release}: nothing more now")
    elif not made.file.seeded:
        say("ledger: none: repeated releases are not counted")
    _roster(exchange)
    _next("when the others have contributed: sfumato party open", folder, f"--state {state}")


@app.command("open")
def open_(
    folder: Folder,
    state: State,
    without: Without = None,
    listed: Annotated[
        str | None,
        typer.Option("--list", help="Fingerprint of the list that was compared; no other opens."),
    ] = None,
) -> None:
    """Reveal what takes the masks off the sum of the contributions in the folder; only once.

    Example: sfumato party open exchange/ --state north.state
    """
    from sfumato.party import fingerprint, open_round
    from sfumato.party.exchange import list_digest

    exchange = _exchange(folder)
    made = open_round(exchange, state, without or (), listed=listed)
    _written(made.place, state)
    if made.again:
        say("already opened: the same file was written again")
    gone = [party for party in exchange.agreement.parties if party not in made.file.contributions]
    left_out = f"; without {', '.join(gone)}" if gone else ""
    say(f"opened: {', '.join(made.file.contributions)}{left_out}")
    say(f"fingerprint of this list: {fingerprint(list_digest(made.file.contributions))}")
    if made.round < exchange.agreement.rounds:
        after = f"when enough have opened, for round {made.round + 1}"
        _next(f"{after}: sfumato party contribute", folder, "DATA …")
    else:
        _next("when enough have opened, anyone runs: sfumato party combine", folder, "-o release/")


@app.command("combine")
def combine(
    folder: Folder,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder to create.")],
    rows: Annotated[
        int | None, typer.Option(parser=integer, help="Rows to draw; default: as many.")
    ] = None,
    format: Annotated[str, typer.Option(help="csv or parquet.")] = "csv",
    sign: Sign = None,
) -> None:
    """Make the release from what was opened: a folder with the data and its certificate.

    Example: sfumato party combine exchange/ -o release/
    """
    from sfumato.cli.show import promise
    from sfumato.party import combine as run
    from sfumato.party.opening import unused_openings

    exchange = _exchange(folder)
    promise(run(exchange, output, rows=rows, format=format, sign=sign))  # type: ignore[arg-type]
    for number, party in unused_openings(exchange):
        say(f"not used: the opening of round {number} by {party}, which has another list")


@app.command("status")
def status(folder: Folder, without: Without = None) -> None:
    """Say what has been agreed, and which files have arrived.

    Example: sfumato party status exchange/
    """
    from sfumato.party import fingerprint
    from sfumato.party.exchange import list_digest

    exchange = _exchange(folder)
    exchange.agreement.check_known(without or ())
    _agreed(exchange.agreement)
    rounds = range(1, exchange.agreement.rounds + 1)
    steps: list[tuple[str, int | None]] = [("key", None), ("shares", None)]
    steps += [(what, number) for number in rounds for what in ("contribution", "opening")]
    grid = Grid("party", *(what if n is None else f"{what} {n}" for what, n in steps))
    for party in exchange.agreement.parties:
        grid.line(party, *("yes" if exchange.arrived(party, *step) else "" for step in steps))
    show(grid)
    for number in rounds:
        listed = [p for p in exchange.agreement.parties if p not in (without or ())]
        here = [p for p in listed if exchange.arrived(p, "contribution", number)]
        if len(here) >= exchange.agreement.fewest:
            files = exchange.contributions(number, without or ())
            found = {p: file.digest for p, file in files.items()}
            say(f"fingerprint of the list of round {number}: {fingerprint(list_digest(found))}")


def _exchange(folder: Path) -> "Exchange":
    from sfumato.party import Exchange

    return Exchange(folder)


def _agreed(agreement: Any) -> None:
    from sfumato.party import fingerprint

    file = agreement.file
    lines = Grid.plain()
    lines.line("release", f"{file.release}: {file.public_schema.name} by {file.method}")
    lines.line("promise", f"{agreement.plan.guarantee}, {file.public_schema.neighbours}")
    lines.line("parties", ", ".join(file.parties))
    lines.line("may drop out", str(file.dropouts))
    against = f"{file.colluders}, with whoever collects the files"
    lines.line("may collude", against if file.colluders else "none: parties see more than others")
    lines.line("noise", f"made whole by {agreement.honest} honest of {len(file.parties)} shares")
    lines.line("opened by", f"{agreement.threshold} parties")
    if not agreement.strict:
        lines.line(
            "",
            "too few to rule out that different lists of contributions are opened: before you open,"
            " compare the list (see status) with all others, by telephone",
        )
    if (doubt := agreement.plan.doubt) is not None:
        lines.line("doubt", styled(doubt, "yellow"))
    lines.line("fingerprint", fingerprint(agreement.digest))
    show(lines)


def _roster(exchange: Any) -> None:
    from sfumato.party import fingerprint

    say(f"fingerprint of all keys: {fingerprint(exchange.roster)}")
    say("compare it with the other parties, by telephone: all must have the same")


def _written(place: Path, state: Path) -> None:
    say(f"written: {place} (send it to the others); {state} stays with you")


def _next(what: str, folder: Path, rest: str) -> None:
    say(f"next, {what} {folder} {rest}")
