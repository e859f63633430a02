"""edge-gaussian: every weight times 1 - x, x Gaussian; no proof, no path kept (Liu 2015, 4.2).

Of a directed edge its source draws x ~ N(0, σ²); of an undirected edge both ends draw, and
x is their mean, so that its deviation is σ / √2.  A draw of 1 or more would make the
weight vanish or turn negative and is drawn again: Φ(-1/σ) of all draws, 1.3e-11 at σ = 0.15
and 2.3 % at σ = 0.5, the largest allowed.  So x has the normal law given x < 1, which is
that far from N(0, σ²) in total variation; its mean is -σ φ(1/σ) / Φ(1/σ), -1.3e-11 and
-0.028 at those σ.  `path_length` says what follows for a path.
"""

from typing import Any

import numpy as np
from numpy.random import Generator
from scipy.special import ndtr

from sfumato.errors import ParameterError
from sfumato.graph.network import Topology, Weights
from sfumato.graph.pairs import Pairs
from sfumato.graph.recipe import Changed, EdgeMethod, EdgePlan, Say, unproved_event
from sfumato.perturb.randomness import generator
from sfumato.plan import ContractCase, Family
from sfumato.plan.options import real
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import Heuristic
from sfumato.privacy.mechanism import Purse

__all__ = ["METHOD", "checked_sigma", "ends", "perturbed", "redrawn"]

DEFAULT_SIGMA = "0.15"
LARGEST_SIGMA = 0.5
REASON = (
    "a weight is published within some per cent of itself, and the noise is drawn in floating point"
)


def checked_sigma(value: Any) -> float:
    """The deviation of one draw, refused outside its rule.

    >>> checked_sigma("0.15")
    0.15
    """
    sigma = real("sigma", value)
    if sigma > LARGEST_SIGMA:
        raise ParameterError(
            f"sigma must be above 0 and at most {LARGEST_SIGMA}, got {value!r}: beyond it too many "
            "weights would turn negative"
        )
    return sigma


def ends(*, directed: bool) -> int:
    """How many nodes draw for an edge.

    >>> ends(directed=False)
    2
    """
    return 1 if directed else 2


def redrawn(sigma: float) -> float:
    """The probability that a draw is 1 or more, and is drawn again.

    >>> f"{redrawn(0.15):.1e} {redrawn(0.5):.4f}"
    '1.3e-11 0.0228'
    """
    return float(ndtr(-1 / sigma))


def perturbed(weight: Weights, sigma: float, rng: Generator) -> Weights:
    """w (1 - x) with x ~ N(0, sigma²) given x < 1: what one end makes of its weights.

    >>> perturbed(np.array([2.0, 2.0]), 0.15, np.random.default_rng(1)).round(2).tolist()
    [1.9, 1.75]
    """
    x = rng.normal(0, sigma, len(weight))
    while np.any(again := x >= 1):
        x[again] = rng.normal(0, sigma, int(again.sum()))
    return weight * (1 - x)


def plan(topology: Topology, budget: Budget | None, sigma: Any = DEFAULT_SIGMA) -> EdgePlan:
    """Multiplied weights; the pairs are not looked at, for no path is kept on purpose."""
    deviation, reason = checked_sigma(sigma), Heuristic(REASON)
    events = unproved_event(reason)

    def change(weight: Weights, _pairs: Pairs, purse: Purse, _say: Say) -> Changed:
        rng = generator(purse.spend(events[0]))
        drawing = range(ends(directed=topology.directed))
        return Changed(np.mean([perturbed(weight, deviation, rng) for _ in drawing], axis=0))

    return EdgePlan(
        method=METHOD.name,
        budget=budget,
        events=events,
        change=change,
        options={"sigma": str(sigma)},
        unproved=reason,
        limits=(
            "Shortest paths may become others: none is kept on purpose, whatever pairs are named.",
            "The length of a fixed path stays near its own, that of the shortest path of a pair "
            "does not: it is a minimum over many paths, and falls the more of them there are.",
            "A draw that would turn a weight negative is drawn again, with probability "
            f"{redrawn(deviation):.1e} each.",
        ),
    )


METHOD = EdgeMethod(
    name="edge-gaussian",
    summary="Multiplies every weight by 1 plus Gaussian noise; paths may change.",
    promise="nothing: there is no proof",
    source="Liu 2015, section 4.2, theorem 4.2.1 corrected",
    proof="proofs/edge-gaussian.md",
    plan=plan,
    options={
        "sigma": f"standard deviation of one draw, above 0 and at most {LARGEST_SIGMA}; "
        f"{DEFAULT_SIGMA} by default"
    },
    family=Family.UNPROVED,
    use="networks of many owners without a trusted centre",
    example="sfumato graph publish edges.csv --undirected --method edge-gaussian "
    "--accept-no-guarantee",
    contract=(ContractCase(promised=False),),
)
