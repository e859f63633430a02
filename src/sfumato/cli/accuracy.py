"""`sfumato accuracy`: what a recipient who has only the release can say about the truth."""

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from sfumato.accuracy.published import Published
    from sfumato.accuracy.statement import Answer

__all__ = ["accuracy"]

_MOST_LINES = 60
_MOST_EDGES = 1_000
_TOKEN = re.compile(r'"([^"]*)"|([^,:"]+)|([,:])')


def accuracy(
    release: Annotated[Path, typer.Argument(help="The folder of a release.")],
    sum: Annotated[  # noqa: A002  the word on the command line
        list[str] | None,
        typer.Option(help="COLUMN=VALUE,VALUE…: records with one of these values; repeatable."),
    ] = None,
    mean: Annotated[
        list[str] | None, typer.Option(help="COLUMN: the mean of a number; repeatable.")
    ] = None,
    greater: Annotated[
        list[str] | None,
        typer.Option(help="COLUMN=A,B:C: are A and B together more than C? Repeatable."),
    ] = None,
    max: Annotated[  # noqa: A002  the word on the command line
        list[str] | None, typer.Option(help="COLUMN: its most frequent value; repeatable.")
    ] = None,
    min: Annotated[  # noqa: A002  the word on the command line
        list[str] | None, typer.Option(help="COLUMN: its least frequent value; repeatable.")
    ] = None,
    confidence: Annotated[str, typer.Option(help="Of each statement, below 1.")] = "0.95",
    thesis: Annotated[
        bool, typer.Option("--thesis", help="Also the looser published bounds (Liu 2015).")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Figures for a program.")] = False,
) -> None:
    """Say how near noisy counts and sums are to the truth; without options, list them all.

    Of a network, COLUMN is source, target or node, and weights are summed. Values with a comma
    or colon go between double quotes.

    Example: sfumato accuracy release/ --sum ward=surgery,oncology --greater sex=female:male
    """
    from sfumato.accuracy.published import published
    from sfumato.accuracy.statement import (
        about_count,
        about_difference,
        about_extreme,
        about_mean,
    )
    from sfumato.release import Release

    sums = [_parsed(text, "--sum", groups=1) for text in sum or []]
    pairs = [_parsed(text, "--greater", groups=2) for text in greater or []]
    found = published(Release.load(release))
    answers = [about_count(found, name, a, confidence, thesis=thesis) for name, (a,) in sums]
    answers += [about_mean(found, name, confidence) for name in mean or []]
    answers += [
        about_difference(found, name, a, b, confidence, thesis=thesis) for name, (a, b) in pairs
    ]
    answers += [about_extreme(found, name, confidence) for name in max or []]
    answers += [about_extreme(found, name, confidence, largest=False) for name in min or []]
    asked = bool(sums or pairs or mean or max or min)
    if as_json:
        _print_json(found, answers if asked else _everything(found, confidence, thesis))
    elif asked:
        for answer in answers:
            typer.echo("\n".join(answer.sentences) + "\n")
    else:
        _print_table(found, _everything(found, confidence, thesis), thesis=thesis)


def _parsed(text: str, option: str, *, groups: int) -> tuple[str, list[list[str]]]:
    """COLUMN=A,B:C as its column and its groups of values."""
    column, separator, rest = text.partition("=")
    shape = "COLUMN=A,B:C" if groups == 2 else "COLUMN=A,B"
    found: list[list[str]] = [[]]
    place = 0
    for match in _TOKEN.finditer(rest):
        if match.start() != place:
            break
        place = match.end()
        quoted, plain, mark = match.groups()
        if mark == ":" and groups == 2:
            found.append([])
        elif mark is None or mark == ":":
            value = quoted if quoted is not None else (plain or mark).strip()
            found[-1].append(value)
    whole = separator and column and place == len(rest)
    if not whole or len(found) != groups or not all(found):
        raise typer.BadParameter(f"write {shape}, not {text!r}", param_hint=option)
    return column, found


def _everything(found: "Published", confidence: str, thesis: bool) -> list["Answer"]:
    """Every published count, the widest relative error first."""
    from sfumato.accuracy.statement import about_count

    if found.edges is not None:
        raise NotImplementedError
    answers = [
        about_count(found, column, [value], confidence, thesis=thesis)
        for column, cells in found.counts.items()
        for value in cells
    ]
    return sorted(answers, key=lambda answer: -answer.figures.get("sigma", 0))


def _print_json(found: "Published", answers: list["Answer"]) -> None:
    paper: dict[str, Any] = {"dataset": found.certificate["dataset"]}
    typer.echo(json.dumps(paper | {"answers": [a.to_json() for a in answers]}, indent=2))


def _print_table(found: "Published", answers: list["Answer"], *, thesis: bool) -> None:
    pass
