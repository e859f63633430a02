"""`sfumato graph`: weighted networks, whose topology is public and whose weights are not."""

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.graph_compare import compare
from sfumato.cli.graph_parties import merge, share
from sfumato.cli.key import Sign
from sfumato.cli.release_options import Delta, Epsilon, Method, MethodOptions, Rho
from sfumato.cli.whole_number import integer

__all__ = ["app"]

app = typer.Typer(
    no_args_is_help=True,
    help="Weighted networks: publish, compare, or perturb party by party and merge.",
    epilog="Example: sfumato graph publish edges.csv --undirected --epsilon 1 "
    "--option high=100 -o release/",
)
app.command("compare")(compare)
app.command("share")(share)
app.command("merge")(merge)


@app.command("publish")
def publish(
    edges: Annotated[
        Path, typer.Argument(help="Edge list with columns source, target, weight: a file.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder to create.")],
    directed: Annotated[
        bool, typer.Option("--directed/--undirected", help="Whether an edge has a direction.")
    ],
    method: Method = "edge-laplace",
    preserve: Annotated[
        str | None,
        typer.Option(
            help="Pairs whose shortest paths are kept: a file of two columns, or a share of all "
            "pairs such as 0.1."
        ),
    ] = None,
    merge_directions: Annotated[
        str,
        typer.Option(help="Undirected edges listed in both directions: mean, sum or error."),
    ] = "error",
    option: MethodOptions = None,
    epsilon: Epsilon = None,
    delta: Delta = None,
    rho: Rho = None,
    name: Annotated[
        str | None,
        typer.Option(help="Name of the data set in the ledger; default: the file's name."),
    ] = None,
    ledger: Annotated[
        str | None, typer.Option(envvar="SFUMATO_LEDGER", help="Ledger to charge.")
    ] = None,
    format: Annotated[str | None, typer.Option(help="csv or parquet; default: as given.")] = None,
    release: Annotated[
        str | None, typer.Option(help="Id of the release; the same id is never charged twice.")
    ] = None,
    accept_no_guarantee: Annotated[
        bool,
        typer.Option(
            "--accept-no-guarantee", help="Publish although the method has no privacy proof."
        ),
    ] = False,
    sign: Sign = None,
    seed: Annotated[
        int | None,
        typer.Option(parser=integer, help="Test run: repeatable, no guarantee, no ledger."),
    ] = None,
) -> None:
    """Release a network with other weights on the same edges, with its certificate.

    Example: sfumato graph publish edges.csv --undirected --epsilon 1 --option high=100 -o release/
    Example: sfumato graph publish edges.csv --directed --method edge-greedy --preserve 0.1
    --accept-no-guarantee -o release/
    """
    from sfumato.cli.method_options import method_options
    from sfumato.cli.show import promise, unfinished
    from sfumato.ledger import Ledger
    from sfumato.publishing.network import publish_network
    from sfumato.release.folder import is_release

    options = method_options(option, publish_network)
    opened = Ledger(ledger) if ledger is not None else None
    if opened is not None:
        unfinished(opened, name or edges.name.split(".")[0], release)
    existed = is_release(output)
    result = publish_network(
        edges,
        directed=directed,
        method=method,
        preserve=preserve,
        merge_directions=merge_directions,
        name=name,
        epsilon=epsilon,
        delta=delta,
        rho=rho,
        ledger=opened,
        folder=output,
        format=format,  # type: ignore[arg-type]  # checked by publish itself
        release=release,
        sign=sign,
        seed=seed,
        accept_no_guarantee=accept_no_guarantee,
        **options,
    )
    promise(result, again=existed)
