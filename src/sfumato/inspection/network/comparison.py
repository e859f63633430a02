"""What became of the weights and of the shortest paths, in a few figures."""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

import numpy as np
from numpy.random import Generator

from sfumato.errors import DataError, ParameterError
from sfumato.graph.anonymity import share
from sfumato.graph.network import Network, Topology, Weights
from sfumato.graph.pairs import Pairs
from sfumato.inspection.network.alignment import aligned
from sfumato.inspection.network.lengths import Lengths
from sfumato.inspection.network.sample import looked_at

__all__ = ["WITHIN", "Comparison", "compare"]

WITHIN = (1, 2, 5, 10, 15, 20, 30, 50, 100)  # per cent of the true value
_UNCHANGED = 1e-6  # of a weight: what exact sums of published weights cost in rounding
_STRETCHES = (0.5, 0.9, 0.99, 1.0)


@dataclass(frozen=True, eq=False)
class Comparison:
    """NOT PRIVATE: a release beside its original; shares are of weights, or of the pairs seen."""

    topology: Topology
    before: Weights = field(repr=False)
    after: Weights = field(repr=False)
    lengths: Lengths = field(repr=False)
    given: int | None  # pairs asked for; None where they were drawn
    anonymous: tuple[float, float] | None  # μ-weighted k-anonymous arcs, before and after

    @property
    def weight_change(self) -> Weights:
        """New over old, less one, for each edge."""
        return self.after / self.before - 1

    @property
    def length_change(self) -> Weights:
        """The same of the shortest lengths, for each pair."""
        return self.lengths.after / self.lengths.before - 1

    @property
    def weights_within(self) -> dict[int, float]:
        """The share of weights that moved by at most so many per cent."""
        return _within(self.weight_change)

    @property
    def lengths_within(self) -> dict[int, float]:
        """The share of shortest lengths that moved by at most so many per cent."""
        return _within(self.length_change)

    @property
    def unchanged(self) -> float:
        """The share of weights that are still the true ones."""
        return float((np.abs(self.weight_change) <= _UNCHANGED).mean())

    @property
    def rank_correlation(self) -> float | None:
        """Spearman's, of old and new weights; None where either does not vary."""
        from scipy.stats import rankdata

        if min(np.ptp(self.before), np.ptp(self.after)) == 0:
            return None
        return float(np.corrcoef(rankdata(self.before), rankdata(self.after))[0, 1])

    @property
    def sources(self) -> int:
        """From how many nodes the paths that were looked at start."""
        return len(np.unique(self.lengths.source))

    @property
    def kept(self) -> float:
        """The share of pairs for which the release leads along a shortest path."""
        return float(self.lengths.kept.mean())

    @property
    def kept_alone(self) -> float:
        """The share of pairs for which it does so and has no other shortest path."""
        return float((self.lengths.kept & self.lengths.alone).mean())

    @property
    def length_difference(self) -> float:
        """The mean of |new - old| / old over the shortest lengths."""
        return float(np.abs(self.length_change).mean())

    @property
    def stretch(self) -> dict[float, float]:
        """Quantiles of the true length of the path that the release takes, over the shortest."""
        ratio = self.lengths.along / self.lengths.before
        found = np.quantile(ratio, _STRETCHES, method="inverted_cdf")
        return {q: max(1.0, float(value)) for q, value in zip(_STRETCHES, found, strict=True)}

    def to_json(self) -> dict[str, Any]:
        """All figures under their names; not for publication."""
        return {
            "nodes": self.topology.size,
            "edges": self.topology.edges,
            "directed": self.topology.directed,
            "weights within per cent": {str(x): y for x, y in self.weights_within.items()},
            "weights unchanged": self.unchanged,
            "rank correlation of weights": self.rank_correlation,
            "anonymous before and after": self.anonymous and list(self.anonymous),
            "pairs given": self.given,
            "pairs looked at": len(self.lengths),
            "sources looked at": self.sources,
            "paths kept": self.kept,
            "paths kept and alone": self.kept_alone,
            "lengths within per cent": {str(x): y for x, y in self.lengths_within.items()},
            "mean length difference": self.length_difference,
            "stretch": {str(q): value for q, value in self.stretch.items()},
        }


def _within(change: Weights) -> dict[int, float]:
    # A change of exactly 5 per cent is within 5 per cent, whatever floats make of it.
    moved = np.sort(np.abs(change))
    limits = np.array(WITHIN) / 100 * (1 + 1e-9)
    counts = np.searchsorted(moved, limits, side="right")
    return {x: float(count / len(moved)) for x, count in zip(WITHIN, counts, strict=True)}


def compare(
    original: Network,
    release: Network,
    *,
    pairs: Pairs | None = None,
    k: int | None = None,
    mu: float | None = None,
    rng: Generator | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> Comparison:
    """NOT PRIVATE: judge a release by the network it was made from.

    `pairs` (of the original) are those whose paths matter; without them, random pairs are
    looked at.  With `k` and `mu` the share of μ-weighted k-anonymous arcs is told as well.
    """
    if (k is None) != (mu is None):
        raise ParameterError("k and mu must be given together, or neither of them")
    if k is not None and mu is not None and not (k >= 1 and mu > 0 and isfinite(mu)):
        raise ParameterError(f"k must be at least 1 and mu above 0, got {k!r} and {mu!r}")
    for network, which in ((original, "original"), (release, "release")):
        try:
            network.check_weights()
        except DataError as error:
            raise DataError(f"the {which}: {error}") from None
    topology, before, after = original.topology, original.weight, aligned(original, release)
    rng = np.random.default_rng(0) if rng is None else rng
    seen = looked_at(topology, before, after, pairs, rng, say)
    if not np.isfinite(seen.before).all():
        raise DataError("some of the pairs have no path: leave them out")
    shares = None
    if k is not None and mu is not None:
        shares = share(topology, before, k, mu), share(topology, after, k, mu)
    return Comparison(topology, before, after, seen, None if pairs is None else len(pairs), shares)
