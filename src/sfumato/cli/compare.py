"""`sfumato compare`: methods side by side on the owner's records, or a private choice."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli.release_options import SchemaFile
from sfumato.cli.screen import Grid, say, show, styled
from sfumato.cli.table_argument import Data, Sheet, Table, named
from sfumato.cli.whole_number import integer

if TYPE_CHECKING:
    from sfumato.inspection.compare.table import Shown

__all__ = ["compare"]


def compare(
    data: Data,
    schema: SchemaFile,
    epsilon: Annotated[str, typer.Option(help="Budgets to compare at, as 0.1,0.5,1.")],
    delta: Annotated[
        str | None, typer.Option(help="Delta, for methods with Gaussian noise.")
    ] = None,
    methods: Annotated[
        str | None, typer.Option(help="Methods to compare, as a,b,c; default: all that fit.")
    ] = None,
    trials: Annotated[
        int, typer.Option(parser=integer, help="Releases per method and budget.")
    ] = 5,
    seconds: Annotated[float, typer.Option(help="Time limit for each method, in seconds.")] = 30,
    accept_no_guarantee: Annotated[
        bool,
        typer.Option("--accept-no-guarantee", help="Also run methods without a privacy proof."),
    ] = False,
    private_choice: Annotated[
        str | None,
        typer.Option(metavar="SHARE", help="Spend this share of epsilon on a private choice."),
    ] = None,
    sheet: Sheet = None,
    table: Table = None,
    ledger: Annotated[
        str | None,
        typer.Option(
            envvar="SFUMATO_LEDGER",
            help="Ledger that counts the inspection, and pays for a private choice.",
        ),
    ] = None,
    uncounted: Annotated[
        bool, typer.Option("--uncounted", help="Do not record the comparison in the ledger.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Also write an internal HTML page (mode 0600)."),
    ] = None,
) -> None:
    """Show which method serves best at which budget. NOT PRIVATE: never publish what this prints.

    With --private-choice only the name of a method is printed, and the ledger is charged for it.

    Examples: sfumato compare patients.csv --schema s.yaml --epsilon 0.1,0.5,1 -o page.html ·
    sfumato compare patients.csv --schema s.yaml --epsilon 1 --methods dp-lda,modips
    --private-choice 0.2 --ledger budget.db
    """
    budgets = [text.strip() for text in epsilon.split(",")]
    names = None if methods is None else [text.strip() for text in methods.split(",")]
    from sfumato.errors import ParameterError

    data = named(data, sheet, table)
    if private_choice is not None:
        if uncounted:
            raise ParameterError("a private choice is charged to a ledger: leave out --uncounted")
        _choose(data, schema, budgets, delta, names, private_choice, ledger, output)
        return
    from sfumato.inspection.compare.comparison import compare as run
    from sfumato.inspection.compare.table import shown
    from sfumato.inspection.figure import needed
    from sfumato.inspection.page import check_place, write_page
    from sfumato.ledger import Ledger

    if output is not None:
        check_place(output)
        needed()
    opened = None if ledger is None or uncounted else Ledger(ledger)
    found = run(
        data,
        schema,
        epsilons=budgets,
        delta=delta,
        methods=names,
        trials=trials,
        seconds=seconds,
        accept_no_guarantee=accept_no_guarantee,
        ledger=opened,
    )
    if opened is not None:
        opened.close()
    page = shown(found, pictures=output is not None)
    if output is not None:
        write_page(page, output, template="comparison.html")
    _print(page, output)


def _choose(
    data: str,
    schema: Path,
    budgets: list[str],
    delta: str | None,
    names: list[str] | None,
    share: str,
    ledger: str | None,
    output: Path | None,
) -> None:
    from shlex import quote

    from sfumato.errors import ParameterError
    from sfumato.inspection.compare.private_choice import choose_method
    from sfumato.ledger import Ledger

    if output is not None:
        raise ParameterError("a private choice gives a name and no figures: leave out --output")
    if len(budgets) != 1:
        raise ParameterError("a private choice takes a single epsilon: give the whole budget")
    if names is None:
        raise ParameterError("a private choice needs --methods: name 2 to 8 candidates, as a,b")
    if ledger is None:
        raise ParameterError("a private choice is charged to a ledger: give --ledger FILE")
    with Ledger(ledger) as opened:
        found = choose_method(
            data,
            schema,
            methods=names,
            epsilon=budgets[0],
            delta=delta,
            share=share,
            ledger=opened,
        )
    left: Any = found.left
    rest = f"--epsilon {_decimal(left.epsilon)}"
    rest += f" --delta {_decimal(left.delta)}" if hasattr(left, "delta") else ""
    say(styled(found.method, "bold"), f", of {', '.join(found.candidates)}")
    say(
        f"paid {found.guarantee}, charged as {found.release}; judged on {found.judged:,} records: "
        f"{found.measure}. 19 times in 20 at most {found.within:.1%} of them short of the best "
        "of these, as judged on parts of the records."
    )
    say(
        f"next: sfumato publish {quote(str(data))} --schema {quote(str(schema))} "
        f"--method {found.method} {rest} --ledger {quote(str(ledger))} -o release/"
    )


def _decimal(figure: Any) -> str:
    """As it can be written in a command; no more than what is left."""
    from decimal import ROUND_FLOOR, Context, Decimal

    context = Context(prec=12, rounding=ROUND_FLOOR)
    exact = context.divide(Decimal(figure.numerator), Decimal(figure.denominator))
    return f"{exact.normalize():f}" if exact >= Decimal("1e-4") else f"{exact.normalize():e}"


def _print(page: "Shown", output: Path | None) -> None:
    from sfumato.inspection.counting import UNCOUNTED
    from sfumato.inspection.page import WARNING

    say(WARNING, style="bold red")
    run = page.found
    title = f"{run.dataset} · {run.records:,} records to publish from, {run.held_out:,} held out"
    say(f"{title} · {run.wanted} trials at each budget")
    if not run.counted:
        say(UNCOUNTED, style="yellow")
    for ranking in page.rankings:
        title = f"{ranking.title}: {ranking.unit}"
        table = Grid("method", "promise", title=title)
        for epsilon in run.epsilons:
            table.add_heading(f"ε = {epsilon}", justify="right")
        table.add_heading("seconds", justify="right")
        for row in ranking.rows:
            figures = [styled(c.text, "bold" if c.best else "") for c in row.cells]
            table.line(row.method, row.promise, *figures, row.seconds)
        show(table)
    for name, why in page.left_out.items():
        say(f"{name}: {why}", style="dim")
    if page.advice is not None:
        say(styled(page.advice.method, "bold"), f". {page.advice.reason}")
        say(page.by_budget)
    say(page.cost, style="yellow")
    if output is not None:
        say(f"written {output}, readable by you alone")
