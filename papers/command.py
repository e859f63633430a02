"""The command line: a paper's experiments again, ours beside theirs."""

from pathlib import Path
from typing import Annotated, Any

import typer

from papers import STUDIES
from sfumato.cli.commands import Commands
from sfumato.cli.screen import Grid, say, show, styled
from sfumato.errors import ParameterError

__all__ = ["app"]


class Studies(Commands):
    """One command per paper; another name is refused with the names there are."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of a paper."""
        found = super().get_command(ctx, cmd_name)
        if found is None:
            raise ParameterError(
                f"there is no study {cmd_name!r}; choose one of {', '.join(STUDIES)}"
            )
        return found


app = typer.Typer(
    cls=Studies,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Run a paper's experiments on its public data and set the results beside its claims.",
    epilog="Example: SFUMATO_DATA=data python -m papers jiang2013 --figures 1,2 -o results",
    pretty_exceptions_enable=False,
)


@app.callback(invoke_without_command=True)
def _listed(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        table = Grid("paper", "what is run again", title="Papers that can be reproduced")
        for study, what in STUDIES.items():
            table.line(study, what)
        show(table)
        say("run one: make reproduce PAPER=jiang2013; its options: python -m papers jiang2013 -h")


def run(
    context: typer.Context,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Folder to create; default: the study.")
    ] = None,
    figures: Annotated[
        str | None,
        typer.Option(help="Which figures, such as 1,3 (or tables, as II); default: all."),
    ] = None,
    chapter: Annotated[
        list[str] | None,
        typer.Option(help="Which chapters of liu2015, 2 to 10, such as 4,5; default: all."),
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
    """Run one paper and print its claims with their verdicts."""
    from importlib import import_module

    from sfumato.progress import steps

    study = str(context.info_name)
    module = import_module(f"papers.{study}")
    settings = _settings(
        module.Settings,
        study,
        {
            "seed": seed,
            "rows": rows,
            "trials": trials,
            "nodes": nodes,
            "chapters": None if not chapter else _parts(",".join(chapter)),
            "figures": None if figures is None else _parts(figures),
            "epsilons": None if epsilons is None else tuple(map(_number, _parts(epsilons))),
        },
    )
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


for _study, _what in STUDIES.items():
    _choice = "--chapter 4,5" if _study == "liu2015" else "--figures 2"
    app.command(
        _study,
        help=f"{_what}\n\nPoint SFUMATO_DATA at the folder that holds the data sets.",
        short_help=_what,
        epilog=f"Example: SFUMATO_DATA=data python -m papers {_study} {_choice} --trials 3",
    )(run)


def _settings(kind: Any, study: str, asked: dict[str, Any]) -> Any:
    """The settings of the study with what was asked for; the rest keeps the study's defaults."""
    from dataclasses import fields

    chosen = {name: value for name, value in asked.items() if value is not None}
    unasked = chosen.keys() - {field.name for field in fields(kind)}
    if unasked:
        raise ParameterError(f"{study} has no choice of {', '.join(sorted(unasked))}")
    return kind(**chosen)


def _parts(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ParameterError(
            f"epsilons must be numbers separated by commas, got {text!r}"
        ) from None
