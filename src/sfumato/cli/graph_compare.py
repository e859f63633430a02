"""`sfumato graph compare`: a published network beside its original, for the owner's eyes."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli.screen import Grid, say, show
from sfumato.cli.whole_number import integer

if TYPE_CHECKING:
    from sfumato.graph.network import Network
    from sfumato.inspection.network import Comparison

__all__ = ["compare"]


def compare(
    original: Annotated[Path, typer.Argument(help="The edge list it was made from.")],
    release: Annotated[Path, typer.Argument(help="A release folder, or an edge list.")],
    directed: Annotated[
        bool | None,
        typer.Option("--directed/--undirected", help="Default: as the release states."),
    ] = None,
    pairs: Annotated[
        Path | None, typer.Option(help="Pairs whose paths matter: a file with two columns.")
    ] = None,
    preserve: Annotated[
        str | None, typer.Option(help="In place of pairs: a share of all connected ones.")
    ] = None,
    k: Annotated[
        int | None,
        typer.Option(parser=integer, help="With --mu: how many similar weights hide a weight."),
    ] = None,
    mu: Annotated[
        float | None, typer.Option(help="With --k: how far similar weights may differ.")
    ] = None,
    source: Annotated[str, typer.Option(help="Column of ORIGINAL: where edges start.")] = "source",
    target: Annotated[str, typer.Option(help="Column of ORIGINAL: where edges end.")] = "target",
    weight: Annotated[str, typer.Option(help="Column of ORIGINAL: their weights.")] = "weight",
    merge_directions: Annotated[
        str,
        typer.Option(help="Undirected edges listed in both directions: mean, sum or error."),
    ] = "error",
    picture: Annotated[
        Path | None, typer.Option(help="Draw the changes: FILE.svg or FILE.png (mode 0600).")
    ] = None,
    seed: Annotated[int, typer.Option(parser=integer, help="Seed of the sample of pairs.")] = 0,
) -> None:
    """Show what became of weights and shortest paths. NOT PRIVATE: never publish what this prints.

    Example: sfumato graph compare roads.csv release/ --pairs depots.csv --picture change.svg
    """
    if pairs is not None and preserve is not None:
        raise typer.BadParameter("give --pairs or --preserve, not both")
    import numpy as np

    from sfumato.cli.graph_picture import canvas_for
    from sfumato.errors import ParameterError
    from sfumato.graph.chosen_pairs import chosen
    from sfumato.graph.reading import network_of
    from sfumato.inspection.network import compare as run
    from sfumato.inspection.page import WARNING
    from sfumato.progress import working

    if seed < 0:
        raise ParameterError(f"seed must be a whole number of at least 0, got {seed}")
    drawn = None if picture is None else canvas_for(picture, release)
    with working() as step:
        new = _released(release, directed)
        old = network_of(
            original,
            directed=new.topology.directed,
            source=source,
            target=target,
            weight=weight,
            merge_directions=merge_directions,
        ).network
        rng = np.random.default_rng(seed)
        asked = chosen(preserve if pairs is None else pairs, old.topology, rng)
        found = run(old, new, pairs=asked, k=k, mu=mu, rng=rng, say=step)
        if drawn is not None:
            step("drawing")
            drawn(found)
    say(WARNING, style="bold red")
    _show(found, k, mu)
    if picture is not None:
        say(f"written {picture}, readable by you alone")


def _released(release: Path, directed: bool | None) -> "Network":
    """The network of a release folder, or of an edge list."""
    from sfumato.errors import ParameterError, ReleaseError
    from sfumato.graph.reading import network_of
    from sfumato.release import Release
    from sfumato.untrusted.plain_file import is_folder

    if not is_folder(release):
        return network_of(release, directed=directed).network
    published = Release.load(release)
    facts = published.certificate.network
    if facts is None:
        raise ReleaseError(f"{release} is not the release of a network")
    said = facts.directed
    if directed is not None and directed != said:
        kind = "directed" if said else "undirected"
        raise ParameterError(
            f"the release states that its network is {kind}: leave out --directed and --undirected"
        )
    return network_of(published.table, directed=said).network


def _show(found: "Comparison", k: int | None, mu: float | None) -> None:
    facts = found.topology
    kind = "directed" if facts.directed else "undirected"
    say(f"{facts.size:,} nodes · {facts.edges:,} {kind} edges · {_sample(found)}")
    table = Grid("what", "value", "meaning")
    table.line("weights unchanged", f"{found.unchanged:.1%}", "still the true weight")
    order = found.rank_correlation
    shown = "none" if order is None else f"{order:.3f}"
    table.line("order of weights", shown, "rank correlation: 1 is the same order")
    if found.anonymous is not None:
        was, now = found.anonymous
        meaning = f"arcs that are one of {k} within {mu:g}, by the rules of k-anonymity"
        table.line("anonymous weights", f"{was:.1%} → {now:.1%}", meaning)
    table.line("paths kept", f"{found.kept:.1%}", "the release leads along a shortest path")
    table.line("… and alone", f"{found.kept_alone:.1%}", "and it has no other shortest path")
    mean = f"{found.length_difference:.2%}"
    table.line("length difference", mean, "mean of |new − old| / old, shortest lengths")
    stretches = "  ".join(f"{stretch:.3f}" for stretch in found.stretch.values())
    quantiles = ", ".join(f"{share:.0%}" for share in found.stretch)
    meaning = f"true length of where it leads over the shortest; at most, for {quantiles} of pairs"
    table.line("stretch", stretches, meaning)
    show(table)
    within = Grid("changed by at most", *(f"{x} %" for x in found.weights_within))
    for what, shares in (("weights", found.weights_within), ("lengths", found.lengths_within)):
        within.line(what, *(f"{share:.1%}" for share in shares.values()))
    show(within)


def _sample(found: "Comparison") -> str:
    seen, given = len(found.lengths), found.given
    if given is None:
        return f"paths of {seen:,} random pairs from {found.sources:,} nodes"
    return (
        f"paths of {seen:,} of {given:,} pairs" if seen < given else f"paths of all {given:,} pairs"
    )
