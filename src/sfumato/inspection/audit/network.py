"""edge-laplace under audit: weightings of a small network that differ by the promised distance."""

from collections.abc import Iterator
from fractions import Fraction
from math import inf, nan
from typing import Any

import numpy as np
import pyarrow as pa

from sfumato.graph.edge_laplace import METHOD
from sfumato.graph.network import Topology
from sfumato.graph.pairs import Pairs
from sfumato.inspection.audit.coupled import Checked, Family, checked, public, stated
from sfumato.inspection.audit.sampled import Effort, Measure, Sampled, sampled
from sfumato.privacy.budget import Budget
from sfumato.publishing.network import publish_network

__all__ = ["check_network", "sample_network"]

_SOURCE, _TARGET = ["a", "b", "a", "c"], ["b", "c", "c", "d"]  # a triangle and a tail
# low, high, step, and how far all weights may move together (None: as far as one can)
_GRIDS: tuple[tuple[str, str, str, str | None], ...] = (
    ("0", "10", "0.1", None),
    ("1", "5", "0.25", "0.6"),  # no whole number of steps
    ("0", "3", "1", "7"),  # more than one weight can move
)
_ABSURD = (nan, inf, -inf, -0.0, 1e300, -1e300, 5e-324)
_UNREADABLE = ("", "many", "1e999", "0.15")


def check_network(budget: Budget) -> Iterator[Checked]:
    """Frozen checks of `publish_network` on several grids, directed and not."""
    for k, (low, high, step, distance) in enumerate(_GRIDS):
        options: dict[str, Any] = {"low": low, "high": high, "step": step}
        options |= {} if distance is None else {"distance": distance}

        def publish(table: pa.Table, directed: bool = bool(k % 2), given: Any = options) -> Any:
            release = publish_network(
                table,
                directed=directed,
                seed=0,
                release="audit",
                progress=False,
                **stated(budget),
                **given,
            )
            return public(release)

        name = f"weights from {low} to {high} in steps of {step}, distance {distance or 'whole'}"
        grid = (Fraction(low), Fraction(high), Fraction(step))
        far = None if distance is None else Fraction(distance)
        yield checked(name, budget, publish, _families(*grid, far))


def _families(
    low: Fraction, high: Fraction, step: Fraction, distance: Fraction | None
) -> Iterator[Family]:
    most = high - low if distance is None else distance
    middle = float(low + (high - low) / 2)
    for text, start in (
        ("all weights low", float(low)),
        ("all weights high", float(high)),
        ("all weights in the middle", middle),
        ("all weights beyond the range", 4 * float(high) + 7),
    ):
        weights = [start] * len(_SOURCE)
        yield Family(text, _edges(weights), list(_moved(weights, step, most)))
    # Off the grid one weight may cross a border more than its distance holds of whole steps.
    below = float(np.nextafter(float(low + step / 2), -inf))
    beyond = float(np.nextafter(below + float(most), -inf))
    rest = [middle] * (len(_SOURCE) - 1)
    across = [(f"that weight by {most}", _edges([beyond, *rest]))]
    yield Family("a weight just below a border", _edges([below, *rest]), across)
    if distance is None:  # then one weight may be anything at all
        strange = [(f"one weight {value}", _edges([value, *rest])) for value in _ABSURD]
        yield Family("all weights in the middle", _edges([middle, *rest]), strange)
        texts = ["1.5", "2", "0.05"]
        other = [(f"one weight {text!r}", _edges([*texts, text])) for text in _UNREADABLE]
        yield Family("weights as texts", _edges([*texts, "3"]), other)


def _moved(weights: list[float], step: Fraction, most: Fraction) -> Iterator[tuple[str, pa.Table]]:
    """Neighbours: one weight by the whole distance, or all of them by whole steps."""
    for edge in (0, len(weights) - 1):
        for way in (most, -most):
            other = list(weights)
            other[edge] += float(way)
            yield f"edge {edge + 1} by {way}", _edges(other)
    each, more = divmod(int(most / step), len(weights))
    steps = [each + (k < more) for k in range(len(weights))]
    for sign in (1, -1):
        shared = zip(weights, steps, strict=True)
        other = [float(Fraction(weight) + sign * k * step) for weight, k in shared]
        yield f"all edges by {sign * most} together", _edges(other)


def _edges(weights: list[Any]) -> pa.Table:
    return pa.table({"source": _SOURCE, "target": _TARGET, "weight": weights})


def sample_network(budget: Budget, effort: Effort) -> Sampled:
    """Real noise on one edge whose weight is at one end of the range or at the other."""
    topology = Topology(("a", "b"), np.array([0]), np.array([1]), directed=True)
    nobody = Pairs(np.empty(0, np.int64), np.empty(0, np.int64))

    def measure(planned: Budget) -> Measure:
        plan = METHOD.price(topology, planned, {"high": "10", "step": "1"})
        return lambda weight, purse: plan.change(weight, nobody, purse, lambda _: None)

    pair = np.array([0.0]), np.array([10.0])
    return sampled("one weight, low or high", budget, measure, pair, effort)
