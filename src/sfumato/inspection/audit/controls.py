"""Mechanisms that are known to break their promise: an audit that misses one is worth nothing.

Each stands in a paper with a proof, and each proof has a gap.  The two algorithms of Xu et
al. are audited through the methods `lip` and `lop` with `as_published`; the others are a few
lines, drawn many runs at a time.

>>> caught = run("one-sided exponential noise", epsilon=1, runs=2000, seed=0)
>>> caught.caught, caught.proof.limited
(True, True)
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from sfumato.errors import ParameterError
from sfumato.inspection.audit.auditing import DEFAULT_CONFIDENCE, FEWEST_RUNS, audit, check
from sfumato.inspection.audit.bound import Claim, check_claim
from sfumato.inspection.audit.finding import Proof, Sample, examine
from sfumato.inspection.audit.learned import learned
from sfumato.numeric.arrays import Matrix
from sfumato.privacy.guarantee import Number, PureDP

__all__ = ["BROKEN", "Broken", "Conviction", "run"]

DEFAULT_RUNS = 20_000
_SLOWER = 40  # times: what a run of a whole method takes, beside one of a few lines

Draw = Callable[[int, float, int, Generator], Matrix]  # side, ε, runs
_TWO_LEVELS = {
    "name": "broken",
    "columns": {name: {"kind": "integer", "low": 0, "high": 4} for name in ("height", "weight")},
}


@dataclass(frozen=True)
class Broken:
    """A mechanism that claims ε-differential privacy, where it is from, and what is wrong."""

    name: str
    source: str
    fault: str
    draw: Draw | None = None  # else a registered method does it
    method: str = ""


@dataclass(frozen=True)
class Conviction:
    """What the audit found about a broken mechanism."""

    broken: Broken
    claimed: float
    proof: Proof

    @property
    def caught(self) -> bool:
        """As every one of them must be."""
        return self.proof.contradicts


def run(
    name: str,
    *,
    epsilon: Number = 1,
    runs: int = DEFAULT_RUNS,
    confidence: float = DEFAULT_CONFIDENCE,
    seed: int | None = None,
) -> Conviction:
    """Audit one of the broken mechanisms by the procedure that audits methods."""
    if name not in BROKEN:
        raise ParameterError(f"there is no control {name!r}; choose one of {', '.join(BROKEN)}")
    check(runs, confidence)
    check_claim(PureDP(epsilon))
    broken, claimed = BROKEN[name], float(PureDP(epsilon).epsilon)
    if broken.draw is None:
        options: dict[str, Any] = {"as_published": True, "rank": 1}
        found = audit(
            broken.method,
            epsilon=epsilon,
            schema=_TWO_LEVELS,
            effort=0,
            runs=max(runs // _SLOWER, FEWEST_RUNS),
            confidence=confidence,
            seed=seed,
            **options,
        )
        return Conviction(broken, claimed, found.finding.best)
    rng = np.random.default_rng(seed)
    first, second = (broken.draw(side, claimed, runs, rng) for side in (0, 1))
    names = [f"output {k}" for k in range(1, first.shape[1] + 1)]
    sample = Sample(first, second, learned(names))
    return Conviction(broken, claimed, examine(sample, Claim(claimed, 0.0, None), confidence).best)


def _one_sided(side: int, epsilon: float, runs: int, rng: Generator) -> Matrix:
    """A bit plus noise that is never negative: whatever lies below 1 was a 0."""
    return np.asarray(side + rng.exponential(1 / epsilon, (runs, 1)))


def _too_small_a_scale(side: int, epsilon: float, runs: int, rng: Generator) -> Matrix:
    """All of M × M entries move by a²/N; the scale M a²/(Nε) pays for M of them.

    One record turns from the centre to a corner of [-1, 1]^M.  The release is shown by its
    log-likelihood ratio under the claimed noise.
    """
    features, records = 4, 10
    moved = np.full((features, features), 1 / records)
    scale = features / (records * epsilon)
    noisy = rng.laplace(side * moved, scale, (runs, features, features))
    ratio = (np.abs(noisy) - np.abs(noisy - moved)).sum(axis=(1, 2)) / scale
    return np.asarray(ratio)[:, None]


def _exact_class_sizes(side: int, epsilon: float, runs: int, rng: Generator) -> Matrix:
    """Noisy class sums over exact sizes; a record at 0 moves from the first class to the second."""
    sizes = np.array([2, 1]) if side == 0 else np.array([1, 2])
    one_feature = 2 + 1  # 2p + p(p + 1)/2, the claimed sensitivity
    return np.asarray(rng.laplace(0, one_feature / epsilon, (runs, 2)) / sizes)


def _private_mean(side: int, epsilon: float, runs: int, rng: Generator) -> Matrix:
    """The variance of N values in [-1, 1] about their own mean; one of them turns from -1 to 1."""
    values = np.full(50, -1.0)
    values[0] += 2 * side
    return np.asarray(rng.laplace(values.var(), 1 / (len(values) * epsilon), (runs, 1)))


BROKEN = {
    broken.name: broken
    for broken in (
        Broken(
            "lip as published",
            "Xu et al. 2019, Algorithm 1",
            "records are projected without noise",
            method="lip",
        ),
        Broken(
            "lop as published",
            "Xu et al. 2019, Algorithm 2",
            "records are projected on their own components",
            method="lop",
        ),
        Broken(
            "Lap-PCA with the printed scale",
            "Chanyaswad et al. 2017, section VII",
            "noise for one column of the matrix, not for all",
            _too_small_a_scale,
        ),
        Broken(
            "LDA with exact class sizes",
            "Jiang et al. 2013, section 3.2",
            "noisy sums are divided by private counts",
            _exact_class_sizes,
        ),
        Broken(
            "one-sided exponential noise",
            "Liu 2015, Theorem 6.2.2",
            "outputs below the larger answer give the smaller one away",
            _one_sided,
        ),
        Broken(
            "centring by the private mean",
            "Chanyaswad et al. 2017, Algorithm 1",
            "the mean moves with the record",
            _private_mean,
        ),
    )
}
