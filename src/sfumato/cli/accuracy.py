"""`sfumato accuracy`: what a recipient who has only the release can say about the truth."""

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli.screen import Grid, document, say

if TYPE_CHECKING:
    from sfumato.accuracy.published import Published
    from sfumato.accuracy.statement import Answer

__all__ = ["accuracy"]

_VALUE = r'(?:"[^"]*"|[^",:]+)'


def accuracy(
    release: Annotated[Path, typer.Argument(help="The folder of a release.")],
    sums: Annotated[
        list[str] | None,
        typer.Option("--sum", help="COLUMN=A,B: records with one of these values; repeatable."),
    ] = None,
    means: Annotated[
        list[str] | None,
        typer.Option("--mean", help="COLUMN: the mean of a number; repeatable."),
    ] = None,
    greater: Annotated[
        list[str] | None,
        typer.Option(help="COLUMN=A,B:C: are A and B together more than C? Repeatable."),
    ] = None,
    largest: Annotated[
        list[str] | None,
        typer.Option("--max", help="COLUMN: its most frequent value; repeatable."),
    ] = None,
    smallest: Annotated[
        list[str] | None,
        typer.Option("--min", help="COLUMN: its least frequent value; repeatable."),
    ] = None,
    columns: Annotated[
        list[str] | None,
        typer.Option("--column", help="COLUMN: all its counts with intervals; repeatable."),
    ] = None,
    pair: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="COLUMN COLUMN", help="All cells of the table of two columns."),
    ] = None,
    grouped: Annotated[
        list[str] | None,
        typer.Option(
            "--by-group",
            help="COLUMN: its values within each group (role: group in the schema); repeatable.",
        ),
    ] = None,
    covariances: Annotated[
        list[str] | None,
        typer.Option(
            "--covariance",
            help="COLUMN,COLUMN: the covariance of two numbers, twice the same for its variance; "
            "repeatable.",
        ),
    ] = None,
    confidence: Annotated[
        str, typer.Option(help="Confidence of each statement, below 1.")
    ] = "0.95",
    thesis: Annotated[
        bool, typer.Option("--thesis", help="Also the looser published bounds (Liu 2015).")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Say how near noisy counts and sums are to the truth; without options, list them all.

    Of a network, COLUMN is source, target or node, and weights are added. Of published counts it
    is key, and "mon to fri" stands for all keys between. Of a running count it is bits, and
    "1 to 1024" stands for the ones among them. Of a number, a value is a bin or, as in "40 to 49",
    several. A value with a comma or a colon goes between double quotes.

    Example: sfumato accuracy release/ --sum ward=surgery,oncology --greater sex=female:male

    Example: sfumato accuracy release/ --column age --pair age sex

    Example: sfumato accuracy counts/ --sum "key=mon to fri" --greater key=sat,sun:mon,tue

    Example: sfumato accuracy series/ --greater "bits=1025 to 2048:1 to 1024"
    """
    from sfumato.accuracy import covariance_statement, statement, table_statement
    from sfumato.accuracy.as_read import briefly
    from sfumato.accuracy.collected import collected, is_collected
    from sfumato.accuracy.group import about_each_group, groups_of
    from sfumato.accuracy.published import published
    from sfumato.cli import accuracy_tables
    from sfumato.cli import collected_answers as answers_of
    from sfumato.errors import ParameterError
    from sfumato.release import Release

    added = [_parsed(text, "--sum", "COLUMN=A,B") for text in sums or []]
    compared = [_parsed(text, "--greater", "COLUMN=A,B:C") for text in greater or []]
    spread = [_columns(text) for text in covariances or []]
    loaded = Release.load(release)
    if is_collected(loaded.certificate):
        if spread or grouped:
            raise ParameterError(
                "answers were collected column by column: nothing can be said about two columns "
                "together"
            )
        answers_of.show_answers(
            collected(loaded),
            answers_of.Asked(
                added, means or [], compared, largest or [], smallest or [], columns or [], pair
            ),
            confidence,
            thesis=thesis,
            as_json=as_json,
        )
        return
    found = published(loaded)
    said: dict[str, Any] = {"confidence": confidence, "thesis": thesis}
    answers = [
        *(statement.about_count(found, name, a, **said) for name, (a,) in added),
        *(statement.about_mean(found, name, confidence) for name in means or []),
        *(statement.about_difference(found, name, a, b, **said) for name, (a, b) in compared),
        *(statement.about_extreme(found, name, confidence) for name in largest or []),
        *(
            statement.about_extreme(found, name, confidence, largest=False)
            for name in smallest or []
        ),
        *(covariance_statement.about_covariance(found, a, b, confidence) for a, b in spread),
    ]
    whole = [table_statement.about_column(found, name, confidence) for name in columns or []]
    crossed = [table_statement.about_pair(found, *pair, confidence)] if pair else []
    within = [a for name in grouped or [] for a in about_each_group(found, name, confidence)]
    asked, by_column = bool(answers or whole or crossed or within), found.tables is not None
    every = answers + whole + crossed + within
    if not asked and not found.counts and found.second is not None:
        answers = every = [
            *(statement.about_mean(found, name, confidence) for name in found.numbers),
            *covariance_statement.variances(found, confidence),
        ]
        asked = True
    if not asked:
        every = (
            table_statement.columns(found, confidence)
            if by_column
            else statement.overview(found, confidence, thesis=thesis)
        )
    if as_json:
        told: dict[str, Any] = {
            "dataset": found.certificate.dataset,
            "method": found.certificate.method,
        }
        if found.certificate.part is not None:
            told["part"] = found.certificate.part
        if not asked and not by_column and len(every) < found.figures:
            told |= {"listed": len(every), "published": found.figures}
        told["as read"] = briefly(found.certificate, found.fit)
        told["answers"] = [answer.to_json() for answer in every]
        document(json.dumps(told, indent=2))
        return
    if found.certificate.part is not None:
        ((column, values),) = found.certificate.part.items()
        which = f"{column}={values or '(missing)'}"
        say(f"Only records with {which} were used: all numbers are about these.")
    if asked:
        for place, answer in enumerate(answers):
            for sentence in ([""] if place else []) + list(answer.sentences):
                say(sentence)
        for answer in whole:
            accuracy_tables.show_column(answer)
        for answer in crossed:
            accuracy_tables.show_pair(answer)
        for answer in within:
            accuracy_tables.show_shares(answer)
    elif by_column:
        accuracy_tables.show_columns(every, found, confidence)
        if groups := groups_of(found.certificate):
            say(f"A column within each group ({', '.join(groups)}): --by-group COLUMN.")
    else:
        _show(every, found, confidence, thesis=thesis)
    say(briefly(found.certificate, found.fit))


def _columns(text: str) -> tuple[str, str]:
    first, comma, second = (part.strip() for part in text.partition(","))
    if not (first and comma and second):
        raise typer.BadParameter(f"write COLUMN,COLUMN, not {text!r}", param_hint="--covariance")
    return first, second


def _parsed(text: str, option: str, shape: str) -> tuple[str, list[list[str]]]:
    """The column and its groups of values, of which there are as many as in `shape`."""
    column, _, rest = text.partition("=")
    group = rf"\s*({_VALUE}(?:,{_VALUE})*)\s*"
    match = re.fullmatch(":".join([group] * (shape.count(":") + 1)), rest)
    if match is None or not column:
        raise typer.BadParameter(f"write {shape}, not {text!r}", param_hint=option)
    return column, [[_bare(v) for v in re.findall(_VALUE, part)] for part in match.groups()]


def _bare(value: str) -> str:
    return value[1:-1] if value.startswith('"') else value.strip()


def _show(answers: "list[Answer]", found: "Published", confidence: str, *, thesis: bool) -> None:
    """A table of all that was published."""
    from sfumato.accuracy.spelling import at_least, at_most, spelt
    from sfumato.cli.accuracy_tables import show_list

    table = Grid("what", "noisy", "at least", "at most", "noise at most")
    if thesis:
        table.add_heading("Liu 2015")

    def cells(answer: "Answer") -> list[str]:
        shown = answer.figures
        row = [spelt(shown["value"]), at_least(shown["low"]), at_most(shown["high"])]
        row.append(at_most(shown["sigma"]) if "sigma" in shown else "none")
        if thesis:
            row.append("–" if shown.get("thesis") is None else spelt(shown["thesis"]))
        return row

    show_list(table, answers, cells, confidence, found.figures)
    if found.series is not None:
        say("Counts at different times share noise: where one is off, its neighbours are too.")
