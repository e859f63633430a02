"""`sfumato ledger log` and `export`: what was done, by whom, when and why."""

import csv
import json
from io import StringIO
from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.ledger_options import File
from sfumato.cli.screen import Grid, document, say, show

__all__ = ["export", "log"]


def log(
    ledger: File,
    dataset: Annotated[str | None, typer.Argument(help="Only this data set.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="For other programs.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="For a spreadsheet.")] = False,
) -> None:
    """Show the history: grants, charges, releases, refunds, looks, with dates, people and reasons.

    Days are those of UTC; --json and --csv have the time as well.

    Examples: sfumato ledger log adult --ledger budget.db · sfumato ledger log --csv --ledger L
    """
    from sfumato.errors import ParameterError
    from sfumato.ledger import Ledger
    from sfumato.ledger.history import act_of

    if as_json and as_csv:
        raise ParameterError("choose either --json or --csv")
    with Ledger(ledger) as opened:
        if dataset is not None:
            opened.balance(dataset)  # refused if nobody ever opened it
        lines, name = opened.history(dataset), opened.name
    acts = [act_of(line) for line in lines if line.kind != "checkpoint"]
    if as_json:
        document(json.dumps([act.to_json() for act in acts], indent=2))
    elif as_csv:
        document(_table([act.to_json() for act in acts]))
    else:
        table = Grid("line", "day", "data set", "what", "amount", "left", "who: why", title=name)
        for act in acts:
            whose = " / ".join(filter(None, (act.dataset, act.client)))
            what = " ".join(filter(None, (act.what, act.release, act.about)))
            why = ": ".join(filter(None, (act.who, act.reason)))
            day = act.when.partition(" ")[0]
            table.line(str(act.line), day, whose, what, act.amount, act.left, why)
        show(table)


def _table(rows: list[dict[str, object]]) -> str:
    out = StringIO()
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    # A reason that begins like a formula is text in a spreadsheet, too.
    writer.writerows({name: _plain(value) for name, value in row.items()} for row in rows)
    return out.getvalue().rstrip("\n")


def _plain(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@") else value


def export(
    ledger: File,
    output: Annotated[Path, typer.Option("--output", "-o", help="File to write.")],
    for_auditor: Annotated[
        bool,
        typer.Option(
            "--for-auditor", help="Leave out fingerprints, so that no guess can be tested."
        ),
    ] = False,
) -> None:
    """Write the whole history as lines of JSON, for sfumato ledger verify --export.

    Example: sfumato ledger export --for-auditor --ledger budget.db -o audit.jsonl
    """
    from sfumato.cli.new_file import check_free
    from sfumato.ledger import Ledger

    check_free(output)
    with Ledger(ledger) as opened:
        count, head = opened.export(output, for_auditor=for_auditor), opened.head
    say(f"{output}: {count:,} lines, head {head}")
    if not for_auditor:
        say("it holds fingerprints: whoever has it and the key can test guesses about the data")
