"""`sfumato reproduce`: the experiments of a paper again, ours beside theirs."""

from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato.cli.screen import Grid, say, show, styled

__all__ = ["reproduce"]


def reproduce(
    study: Annotated[
        str,
        typer.Argument(
            help="Which paper: jiang2013, xu2019, chakrabarti2010, chanyaswad2017 or liu2015."
        ),
    ],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Folder to create; default: the study.")
    ] = None,
    figures: Annotated[
        str | None,
        typer.Option(help="Which figures, such as 1,3 (or tables, as II); default: all."),
    ] = None,
    chapter: Annotated[
        list[str] | None,
        typer.Option(help="Which chapters of liu2015, 2 to 10 but 6, such as 4,5; default: all."),
    ] = None,
    trials: Annotated[
        int | None, typer.Option(help="Trials per cell; default: the study's.")
    ] = None,
    epsilons: Annotated[
        str | None, typer.Option(help="Budgets, separated by commas; default: the paper's range.")
    ] = None,
    rows: Annotated[
        int | None, typer.Option(help="Random part of each data set, for a quick look.")
    ] = None,
    nodes: Annotated[
        int | None, typer.Option(help="Nodes of the made-up networks of liu2015; default: 400.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Another seed gives another run.")] = 1,
) -> None:
    """Run a paper's experiments on its public data and set the results beside its claims.

    Point SFUMATO_DATA at the folder that holds the data sets.

    Example: SFUMATO_DATA=data sfumato reproduce jiang2013 --figures 1,2 --trials 3 --rows 5000
    """
    from dataclasses import fields
    from importlib import import_module

    from sfumato.cli.progress import steps
    from sfumato.errors import ParameterError
    from sfumato.reproduce import STUDIES

    if study not in STUDIES:
        raise ParameterError(f"there is no study {study!r}; choose one of {', '.join(STUDIES)}")
    module = import_module(f"sfumato.reproduce.{study}")
    chosen: dict[str, Any] = {"seed": seed}
    if rows is not None:
        chosen["rows"] = rows
    if trials is not None:
        chosen["trials"] = trials
    if nodes is not None:
        chosen["nodes"] = nodes
    if chapter:
        chosen["chapters"] = tuple(part for text in chapter for part in _parts(text))
    if figures is not None:
        chosen["figures"] = tuple(_parts(figures))
    if epsilons is not None:
        chosen["epsilons"] = tuple(_number(part) for part in _parts(epsilons))
    unasked = chosen.keys() - {field.name for field in fields(module.Settings)}
    if unasked:
        raise ParameterError(f"{study} has no choice of {', '.join(sorted(unasked))}")
    settings = module.Settings(**chosen)
    folder = output or Path(study)
    with steps(study, settings.steps) as step:
        judged = module.reproduce(folder, settings, tick=lambda what: step(what, 1))
    table = Grid("figure", "claim", "the paper", "here", "verdict", title="Claims of the paper")
    colours = {"reached": "green", "not run": "dim"}
    for claim in judged:
        colour = colours.get(claim.verdict, "yellow" if claim.holds else "red")
        texts = (claim.figure, claim.text, claim.paper, claim.ours)
        table.line(*texts, styled(claim.verdict, colour))
    show(table)
    say(f"figures, tables and every trial: {folder}/results.md")


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _number(text: str) -> float:
    from sfumato.errors import ParameterError

    try:
        return float(text)
    except ValueError:
        raise ParameterError(
            f"epsilons must be numbers separated by commas, got {text!r}"
        ) from None
