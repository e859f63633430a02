"""`sfumato graph share` and `merge`: perturbed weights without anyone who sees them all."""

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.screen import say

__all__ = ["merge", "share"]


def share(
    edges: Annotated[
        Path, typer.Argument(help="The party's own edges: columns source, target, weight.")
    ],
    party: Annotated[str, typer.Option(help="Name of the party's own node.")],
    directed: Annotated[
        bool, typer.Option("--directed/--undirected", help="Whether an edge has a direction.")
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The share to write: .csv or .parquet.")
    ],
    sigma: Annotated[
        str, typer.Option(help="Spread of the relative noise; all parties use the same.")
    ] = "0.15",
) -> None:
    """Perturb one party's own edges. NOT PRIVATE by any proof: see edge-gaussian.

    Example: sfumato graph share mine.csv --party Bergen --undirected -o Bergen.csv
    """
    from sfumato.graph.parties import share as perturb
    from sfumato.graph.reading import edge_list, network_of
    from sfumato.release.file import appearing

    network = network_of(edges, directed=directed).network
    network.check_weights()
    made = perturb(party, edge_list(network), directed=directed, sigma=sigma)
    with appearing(output) as part:
        made.save(part)
    say(f"{made} written to {output}")


def merge(
    shares: Annotated[list[Path], typer.Argument(help="The shares of all parties.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The network to write: .csv or .parquet.")
    ],
) -> None:
    """Merge the parties' shares into one network; true weights are not needed.

    Example: sfumato graph merge Bergen.csv Oslo.csv Turku.csv -o network.csv
    """
    from sfumato.errors import ParameterError
    from sfumato.graph.parties import Share
    from sfumato.graph.parties import merge as together
    from sfumato.graph.reading import edge_list
    from sfumato.release.file import appearing, file_writer

    if output.suffix not in (".csv", ".parquet"):
        raise ParameterError(f"output must end in .csv or .parquet, got {output.name!r}")
    network = together([Share.load(path) for path in shares])
    table = edge_list(network)
    with appearing(output) as part, file_writer(part, table.schema, output.suffix[1:]) as writer:  # type: ignore[arg-type]
        for batch in table.to_batches():
            writer.write_batch(batch)
    say(f"{network} written to {output}")
    say("NOT PRIVATE by any proof: see sfumato methods edge-gaussian", style="yellow")
