"""Chapter 4 on the page: what it means, choices, and tables with ours beside the exact shares."""

from collections.abc import Iterator, Mapping
from math import erf

from papers.claim import percent
from papers.liu2015.chapter4.gaussian import EXACT, SIGMAS
from papers.liu2015.chapter4.greedy import (
    ANY,
    COUNTED,
    EIES,
    FULL,
    MADE_UP,
    PARTLY,
    READINGS,
    SEVERAL,
    SHARES,
    cell,
)
from papers.liu2015.chapter4.published import PARTLY_PRINTED
from papers.liu2015.chapter4.shares import LENGTHS, WEIGHTS, within
from papers.outcome import Outcomes
from papers.page import mean_and_spread, table
from sfumato.graph.network import Network

__all__ = ["lines"]

COLUMNS = (0.05, 0.1, 0.15, 0.2, 0.3, 0.45, 0.6)
MEANING = (
    "Under Gaussian noise all printed shares come out again, and they are what the error function "
    "says: a weight is within x with probability erf(x / √2σ), and a path that was fixed "
    "beforehand is nearer, because the noise of its edges cancels in part. Shortest lengths are "
    "near that, but shorter on average: of many paths the luckiest is taken. The thesis' proof "
    "does not give these numbers; the corrected theorem does. Greedy changes keep every wanted "
    "path, as the thesis says. How many edges are on wanted paths and how far these move depends "
    "on which pairs are wanted, which the thesis states in two ways that exclude each other; by "
    "neither of them do its numbers for EIES come out."
)


def lines(
    found: Outcomes, network: Network, pairs: Mapping[str, int], sizes: Mapping[str, int]
) -> Iterator[str]:
    """Markdown; `pairs` are those of EIES by reading, `sizes` are nodes of made-up networks."""
    yield MEANING
    yield ""
    yield from _choices(network, pairs, sizes)
    for figure, sigma in SIGMAS.items():
        yield ""
        yield f"Figure {figure}, σ = {sigma:g}, share within x (exact lengths: of fixed paths):"
        yield ""
        yield from table(
            ["", *(f"{x:g}" for x in COLUMNS)],
            (
                [who, *(_cell(found, figure, who, within(x)) for x in COLUMNS)]
                for who in (EXACT + WEIGHTS, WEIGHTS, EXACT + LENGTHS, LENGTHS)
            ),
        )
    yield ""
    yield "Figures 4.13 to 4.15: edges on some wanted paths as printed / here, and shares within x:"
    yield ""
    header = ["", PARTLY, *(f"{what}, {x:g}" for what in (WEIGHTS, LENGTHS) for x in COLUMNS[::2])]
    yield from table(header, _moves(found, sizes))


def _choices(network: Network, pairs: Mapping[str, int], sizes: Mapping[str, int]) -> Iterator[str]:
    size, edges = network.topology.size, network.topology.edges
    yield (
        f"- EIES as it is handed down: {size} people with any acquaintance, {edges} directed "
        "edges (the thesis counts 48 and 820). Its grades, 1 to 4, are taken as lengths."
    )
    yield (
        "- EIES is directed, so of an edge its source alone draws, and σ is the deviation of x. "
        f"The printed shares fit that; if both ends drew, {percent(erf(0.15 / 0.1))} of the "
        "weights would be within 0.15 at σ = 0.1. Lengths are those of all pairs with a path."
    )
    yield (
        "- A change by edge-greedy is bounded by the paths and by the weight itself (strength 1); "
        "the thesis draws it from a range that only the paths bound. Weights are those of edges "
        "on some wanted paths and not on others, as in the thesis."
    )
    yield (
        f"- H is drawn from all {pairs[ANY]:,} pairs of EIES, and again from the "
        f"{pairs[SEVERAL]:,} that no edge joins as shortly. The thesis says both: 77 % of all "
        "pairs, and none whose path is a single edge."
    )
    yield (
        "- Other readings of 13, 15 and 9 % were tried once, with pairs several edges apart: of "
        "tied paths the one that Floyd and Warshall's algorithm finds first; undirected with the "
        "larger or the smaller grade; lengths 1/w, 5 - w and ⌈4/w⌉; the 32 people who stayed to "
        "the end; the first of the two times. They give 20 to 41, 17 to 36 and 11 to 22 %."
    )
    yield (
        "- How near is near enough (points, deviations) is ours, and was settled with first "
        "results in view; the numbers stand beside every verdict."
    )
    nodes, counted = sizes[MADE_UP], sizes[COUNTED]
    full = "as in the thesis" if nodes == FULL else f"not {FULL:,}; set `nodes` for more"
    yield (
        f"- The made-up network has {nodes:,} nodes ({full}); 70 % of all pairs are joined, "
        "weights are drawn evenly from 10 to 100. It is drawn and changed once. Its lengths are "
        "those of wanted pairs from as many nodes as can be searched from in seconds. Edges on "
        f"wanted paths are also counted, without a change, in one of {counted:,} nodes: the larger "
        "the network, the smaller their share."
    )


def _moves(found: Outcomes, sizes: Mapping[str, int]) -> Iterator[list[str]]:
    for name in (EIES, MADE_UP, COUNTED):
        printed = PARTLY_PRINTED.get(name, {})
        called = f"{name} ({sizes[name]:,} nodes)" if name in sizes else name
        for figure, share in SHARES.items():
            for reading in READINGS:
                who = cell(name, reading)
                partly = [_cell(found, figure, who, PARTLY)]
                if figure in printed:
                    partly.insert(0, f"{printed[figure]:.2f}")
                shares = [
                    _cell(found, figure, f"{who}, {what}", within(x))
                    for what in (WEIGHTS, LENGTHS)
                    for x in COLUMNS[::2]
                ]
                yield [f"{called}, {100 * share:.0f} % of {reading}", " / ".join(partly), *shares]


def _cell(found: Outcomes, figure: str, who: str, measure: str) -> str:
    return mean_and_spread(found, figure, who, None, measure, ".3f")
