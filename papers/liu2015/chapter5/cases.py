"""The three networks of chapter 5, and which μ can have been meant.

The thesis sets μ = 10 and says that at k = 3 the original networks are anonymous to 62, 42 and
49 %.  That is not so: with μ = 10, and weights of 1 to 4 or of 10 to 100, all of them are
anonymous to 100 %.  On the made-up ones some smaller μ gives the printed share; what follows
takes that one, as inferred.  On EIES none does.  Its weights are four whole numbers, so any
μ below 1 asks for equal ones, and 93 % of the edges have two equals.  There μ is 0.5, and
k = 10, at which 59 % are anonymous, stands beside k = 3.
"""

from dataclasses import dataclass
from pathlib import Path

from papers.liu2015.networks import HEAVIEST, eies, made_up
from papers.liu2015.settings import Settings
from papers.outcome import Outcome, Outcomes
from sfumato.graph.anonymity import share
from sfumato.graph.network import Network

__all__ = [
    "EIES",
    "ENOUGH",
    "EQUAL",
    "FULL",
    "HALF",
    "MU",
    "ORIGINAL",
    "PRINTED",
    "SCALES",
    "WHOLE",
    "Case",
    "K",
    "every_case",
    "fitting",
    "measure_originals",
]

EIES = "EIES"
MADE_UP = {"SYN1": (100, 1.0), "SYN2": (200, 0.7)}  # nodes and density
FULL = {name: nodes for name, (nodes, _) in MADE_UP.items()}
PRINTED = {EIES: 0.62, "SYN1": 0.42, "SYN2": 0.49}  # anonymous to begin with
K, MU = 3, 10.0  # as stated
EQUAL, ENOUGH = 0.5, 10  # μ and k on EIES
HALF = 2  # of the setting `nodes`
ORIGINAL, WHOLE = "original", "SYN1 in whole numbers"
SCALES = (1, 2, 4, 8, 16, 32)  # times all weights of EIES


@dataclass(frozen=True, eq=False)
class Case:
    """A network, the μ that is taken, and the k at which H grows, the one of the figure last."""

    name: str
    network: Network
    mu: float
    ks: tuple[int, ...]

    @property
    def called(self) -> str:
        """Its name, with its size where that is not the one of the thesis."""
        size = self.network.topology.size
        return self.name if size >= FULL.get(self.name, 0) else f"{self.name} ({size} nodes)"

    @property
    def title(self) -> str:
        """Name, size and μ, as a panel is headed."""
        return f"{self.name}, {self.network.topology.size} nodes, μ = {self.mu:.2g}"


def every_case(settings: Settings, data: str | Path | None) -> list[Case]:
    """The networks as large as the settings allow."""
    found = [Case(EIES, eies(data), EQUAL, (K, ENOUGH))]
    for name, nodes in FULL.items():
        network = _made_up(name, min(nodes, settings.nodes // HALF), settings)
        found.append(Case(name, network, fitting(network, PRINTED[name]), (K,)))
    return found


def _made_up(name: str, nodes: int, settings: Settings) -> Network:
    return made_up(nodes, MADE_UP[name][1], settings.seed_of("network", name), directed=True)


def fitting(network: Network, wanted: float) -> float:
    """The smallest μ at which so many edges are 3-anonymous, to a millionth.

    >>> network = made_up(100, 1.0, seed=1, directed=True)
    >>> round(fitting(network, 0.42), 2)
    0.66
    """
    low, high = 0.0, HEAVIEST
    while high - low > 1e-6:
        middle = (low + high) / 2
        enough = share(network.topology, network.weight, K, middle) >= wanted
        low, high = (low, middle) if enough else (middle, high)
    return high


def measure_originals(acquaintances: Network, settings: Settings, found: Outcomes) -> None:
    """How anonymous the networks are as they are, at the sizes of the thesis."""
    networks = {EIES: acquaintances}
    networks |= {name: _made_up(name, nodes, settings) for name, nodes in FULL.items()}
    for name, network in networks.items():
        mu = fitting(network, PRINTED[name])
        shares = {
            "as stated": share(network.topology, network.weight, K, MU),
            "fitting": share(network.topology, network.weight, K, mu),
            "fitting μ": mu,
        }
        for measure, value in shares.items():
            found.add(Outcome(ORIGINAL, name, None, 0, measure, value))
    whole = networks["SYN1"].with_weights(networks["SYN1"].weight.round())
    for measure, mu in (("below μ = 1", EQUAL), ("at μ = 1", 1.0)):
        hidden = share(whole.topology, whole.weight, K, mu)
        found.add(Outcome(ORIGINAL, WHOLE, None, 0, measure, hidden))
    for scale in SCALES:
        scaled = share(acquaintances.topology, scale * acquaintances.weight, K, MU)
        found.add(Outcome(ORIGINAL, f"{EIES} times {scale}", None, 0, "as stated", scaled))
