"""What runs on two neighbouring tables prove about a claim.

Half of the runs choose a region for each figure and each order of the tables; the other
half test it.  The error probability is shared evenly among all bounds that are computed, so
that they hold together with the stated confidence.

>>> import numpy as np
>>> rng = np.random.default_rng(0)
>>> first, second = rng.laplace(0, 1, (8000, 1)), rng.laplace(1, 1, (8000, 1))
>>> sample = Sample(first, second, [Score("value", lambda runs: runs[:, 0])])
>>> found = examine(sample, Claim(1.0, 0.0, None), 0.99)
>>> 0.7 < found.best.found < 1, found.caught
(True, False)
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from sfumato.inspection.audit.bound import Claim, Figure, above, below
from sfumato.inspection.audit.region import Region, Score, search
from sfumato.numeric.arrays import Matrix

__all__ = ["Finding", "Proof", "Sample", "Tick", "examine"]

Tick = Callable[[], None]  # told of every run


@dataclass(frozen=True)
class Sample:
    """Runs on two neighbouring tables, one per row, and how to look at them.

    Scores are fixed beforehand, or made from training runs.
    """

    first: Matrix
    second: Matrix
    scores: Sequence[Score] | Callable[[Matrix, Matrix], Sequence[Score]] = field(repr=False)


@dataclass(frozen=True)
class Proof:
    """A figure, and the largest lower bound on it that held-out runs gave."""

    figure: Figure
    found: float
    region: Region
    likelier: int  # the table, 0 or 1, in whose runs the region is the likelier
    hits: tuple[int, int]  # on that table, and on its neighbour
    p: float
    q: float

    @property
    def contradicts(self) -> bool:
        """Whether the claim is false, at the confidence of the finding."""
        return self.found > self.figure.claimed

    @property
    def share(self) -> float:
        """How much of the claim was found."""
        return self.found / self.figure.claimed

    @property
    def limited(self) -> bool:
        """Whether the neighbour was never seen in the region: only more runs bound the loss."""
        return self.hits[1] == 0


@dataclass(frozen=True)
class Finding:
    """The figures of a claim with what was found of each."""

    claim: Claim
    proofs: tuple[Proof, ...]
    held_out: int  # runs that tested, on each table
    runs: tuple[Matrix, Matrix] = field(repr=False)  # those runs, for pictures

    @property
    def best(self) -> Proof:
        """The figure of which most was found."""
        return max(self.proofs, key=lambda proof: proof.share)

    @property
    def caught(self) -> bool:
        """Whether a figure of the claim is contradicted."""
        return any(proof.contradicts for proof in self.proofs)

    def found(self, name: str) -> float | None:
        """The lower bound on a figure, where it was tested."""
        return next((proof.found for proof in self.proofs if proof.figure.name == name), None)

    @property
    def delta(self) -> float | None:
        """The lower bound on δ at the claimed ε."""
        found = (self.claim.delta_found(proof.p, proof.q) for proof in self.proofs)
        return max((delta for delta in found if delta is not None), default=None)


def examine(sample: Sample, claim: Claim, confidence: float) -> Finding:
    """Test a claim on the second half of the runs, in regions chosen on the first."""
    sides = (sample.first, sample.second)
    train = tuple(side[: len(side) // 2] for side in sides)
    test = tuple(side[len(side) // 2 :] for side in sides)
    known = sample.scores(*train) if callable(sample.scores) else sample.scores
    error = (1 - confidence) / (4 * len(claim.figures))  # two orders, two bounds for each figure
    proofs = []
    for figure in claim.figures:
        regions = [search(known, train[k], train[1 - k], figure, error) for k in (0, 1)]
        tried = [_proof(figure, regions[k], test, k, error) for k in (0, 1)]
        proofs.append(max(tried, key=lambda proof: proof.found))
    return Finding(claim, tuple(proofs), len(test[0]), (test[0], test[1]))


def _proof(
    figure: Figure, region: Region, test: tuple[Matrix, ...], likelier: int, error: float
) -> Proof:
    hits = region.hits(test[likelier]), region.hits(test[1 - likelier])
    p = float(below(len(test[likelier]), error)[hits[0]])
    q = float(above(len(test[1 - likelier]), error)[hits[1]])
    return Proof(figure, float(figure.found(p, q)), region, likelier, hits, p, q)
