"""Chapter 5 in numbers: anonymous edges, kept paths and lengths, by engine, order, k and H.

Everything is measured from the weights before and after, not taken from what the method says.
"""

from papers.liu2015.chapter5.cases import ORIGINAL, Case
from papers.liu2015.networks import every_pair, released, some
from papers.liu2015.settings import Settings
from papers.outcome import Outcome, Outcomes
from sfumato.graph.anonymity import share
from sfumato.graph.anonymous import ORDERS
from sfumato.graph.edge_anonymous import ENGINES, METHOD
from sfumato.inspection.network import compare

__all__ = [
    "ANONYMOUS",
    "ENGINES",
    "FIGURES",
    "FREQUENCY",
    "KEPT",
    "KS",
    "LENGTH",
    "ORDERS",
    "SHARE",
    "SHARES",
    "cell",
    "measure_case",
    "plain",
]

FIGURES = "5.3-5.8"
KS = (2, 3, 5, 7, 10)
SHARES = (0.05, 0.1, 0.15, 0.2, 0.25)  # of all pairs, in H
SHARE = 0.1  # where k grows
FREQUENCY = ORDERS[0]
ANONYMOUS, KEPT, LENGTH = "anonymous", "paths kept", "length difference"


def cell(name: str, engine: str, k: int, *, wanted: float = SHARE, order: str = FREQUENCY) -> str:
    """One change of one network.

    >>> cell("SYN1", "slack", 3)
    'SYN1, slack, frequency, k = 3, H = 0.1'
    """
    return f"{name}, {engine}, {order}, k = {k}, H = {wanted:g}"


def plain(name: str, k: int) -> str:
    """The network as it is.

    >>> plain("SYN1", 3)
    'SYN1, original, k = 3'
    """
    return f"{name}, {ORIGINAL}, k = {k}"


def measure_case(case: Case, trial: int, settings: Settings, found: Outcomes) -> None:
    """Every order and k at a tenth of the pairs, and every H at the k of the figure."""
    pairs = every_pair(case.network.topology)
    asked = dict.fromkeys((SHARE, k, order) for k in KS for order in ORDERS)
    asked |= dict.fromkeys((wanted, k, FREQUENCY) for wanted in SHARES for k in case.ks)
    for k in sorted({k for _, k, _ in asked}):
        hidden = share(case.network.topology, case.network.weight, k, case.mu)
        found.add(Outcome(FIGURES, plain(case.name, k), None, trial, ANONYMOUS, hidden))
    for wanted, k, order in asked:
        H = some(pairs, wanted, settings.seed_of("H", case.name, wanted, trial))
        for engine in ENGINES:
            who = cell(case.name, engine, k, wanted=wanted, order=order)
            seed, options = settings.seed_of(who, trial), {"engine": engine, "order": order}
            release = released(METHOD, case.network, H, seed, mu=case.mu, k=k, **options)
            seen = compare(case.network, release, pairs=H, k=k, mu=case.mu)
            assert seen.anonymous is not None  # noqa: S101  k and μ were given
            values = (seen.anonymous[1], seen.kept_alone, seen.length_difference)
            for what, value in zip((ANONYMOUS, KEPT, LENGTH), values, strict=True):
                found.add(Outcome(FIGURES, who, None, trial, what, value))
