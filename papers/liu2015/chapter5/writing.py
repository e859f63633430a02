"""Chapter 5 on the page: what it means, choices, and tables."""

from collections.abc import Iterator, Sequence

from papers.claim import percent
from papers.liu2015.chapter5.cases import (
    ENOUGH,
    EQUAL,
    FULL,
    HALF,
    MU,
    ORIGINAL,
    PRINTED,
    WHOLE,
    Case,
    K,
)
from papers.liu2015.chapter5.measure import (
    ANONYMOUS,
    ENGINES,
    FIGURES,
    KEPT,
    KS,
    LENGTH,
    ORDERS,
    SHARES,
    cell,
    plain,
)
from papers.outcome import Outcomes
from papers.page import mean_and_spread, table

__all__ = ["lines"]

MEANING = (
    "What the thesis wants can be had: nearly all edges become anonymous, wanted paths stay, and "
    "lengths change by a few per cent, on all three networks, mostly better than printed. Slack "
    "keeps every path; path probabilities, corrected, keep nearly all, and on EIES hide fewer "
    "edges the more pairs are wanted. What is printed of the original networks cannot be: with "
    f"μ = {MU:g} every edge is anonymous to begin with, and there would be nothing to do. The "
    "networks are therefore compared at a μ that makes the printed original shares true, where "
    "there is one. To change the most frequent edges first is not better throughout: it wins by a "
    "point on the made-up networks where k is large, and elsewhere orders hardly differ. Lengths "
    "depend on k rather than on the size of H. To be like k others is no promise of privacy."
)


def lines(found: Outcomes, cases: Sequence[Case]) -> Iterator[str]:
    """Markdown."""
    yield MEANING
    yield ""
    yield from _choices(found, cases)
    yield ""
    yield f"Anonymous edges of the original networks at k = {K}, sizes as in the thesis:"
    yield ""
    yield from table(["", "printed", f"μ = {MU:g}", "nearest", "at μ ="], _originals(found))
    for engine in ENGINES:
        yield ""
        yield f"Engine {engine}, as H grows:"
        yield ""
        header = ["", "k", "measure", *(f"H = {100 * wanted:.0f} %" for wanted in SHARES)]
        yield from table(header, _sizes(found, cases, engine))
        yield ""
        yield f"Engine {engine}, H = 10 %, as k grows:"
        yield ""
        yield from table(["", "", *(f"k = {k}" for k in KS)], _ks(found, cases, engine))


def _choices(found: Outcomes, cases: Sequence[Case]) -> Iterator[str]:
    below, at = (found.summary(ORIGINAL, WHOLE, None, m)[0] for m in ("below μ = 1", "at μ = 1"))
    yield (
        "- An edge counts itself: at k = 3 it has two others within μ, as the thesis reads its "
        "figure 5.3. It is compared with those that leave the same node."
    )
    yield (
        f"- μ is inferred. As stated (μ = {MU:g}) all three networks are anonymous to 100 % "
        "originally. On SYN1 and SYN2 it is the one that gives the printed share of the network "
        "at hand; the two differ, so one μ for both does not fit either. On EIES there is none: "
        "weights are 1 to 4, below μ = 1 only equal ones are near, and these already make the "
        "share in the table. Scaling all weights changes nothing about that."
    )
    yield (
        f"- So EIES is changed with μ = {EQUAL:g}, and figure 5.5(a) is run at k = {ENOUGH}, where "
        f"about as many edges are anonymous originally as printed, and at k = {K} as stated. Both "
        "were chosen by looking at the shares."
    )
    yield (
        "- Weights of SYN1 and SYN2 are drawn evenly from 10 to 100. Were they whole numbers, no "
        f"μ would give the printed share of SYN1: {percent(below)} below μ = 1, {percent(at)} "
        "from there on."
    )
    yield (
        "- Both engines are ours. rsp has the path probabilities of the thesis, corrected (its "
        "update of Z is wrong, and conditions 5.6 and 5.7 cannot be meant), θ = 20; it changes the "
        "edges of a node together, so that an order is one of nodes."
    )
    yield (
        "- Paths kept: the only shortest path afterwards was a shortest one before. Length "
        "difference: the mean of |new - old| / old over H, not the sum that is printed."
    )
    for case in cases:
        full, size = FULL.get(case.name, 0), case.network.topology.size
        if size < full:
            yield (
                f"- {case.name} has {size} nodes, not {full}, for the sake of time; set `nodes` to "
                f"{HALF * full} for all of them."
            )
    yield "- SYN1 and SYN2 are drawn and changed once, EIES in every trial, with other pairs."


def _originals(found: Outcomes) -> Iterator[list[str]]:
    def share(name: str, measure: str) -> float:
        return found.summary(ORIGINAL, name, None, measure)[0]

    for name, printed in PRINTED.items():
        mu = share(name, "fitting μ")
        yield [
            name,
            f"{printed:.2f}",
            f"{share(name, 'as stated'):.3f}",
            f"{share(name, 'fitting'):.3f}",
            f"{mu:.3f}" if mu > 0.01 else "any below 1",
        ]


def _sizes(found: Outcomes, cases: Sequence[Case], engine: str) -> Iterator[list[str]]:
    for case in cases:
        for k in case.ks:
            for what in (ANONYMOUS, KEPT, LENGTH):
                who = (cell(case.name, engine, k, wanted=wanted) for wanted in SHARES)
                yield [case.called, str(k), what, *(_cell(found, each, what) for each in who)]


def _ks(found: Outcomes, cases: Sequence[Case], engine: str) -> Iterator[list[str]]:
    for case in cases:
        shares = [_cell(found, plain(case.name, k), ANONYMOUS) for k in KS]
        yield [case.called, f"{ANONYMOUS}, {ORIGINAL}", *shares]
        for order in ORDERS:
            who = [cell(case.name, engine, k, order=order) for k in KS]
            yield [case.called, f"{ANONYMOUS}, {order}", *(_cell(found, w, ANONYMOUS) for w in who)]
        for what in (KEPT, LENGTH):
            shares = [_cell(found, cell(case.name, engine, k), what) for k in KS]
            yield [case.called, what, *shares]


def _cell(found: Outcomes, who: str, measure: str) -> str:
    return mean_and_spread(found, FIGURES, who, None, measure, ".3f")
