"""Two small tables on which the printed algorithms tell neighbours apart, every single time.

lip publishes X V'V'ᵀ: a record at the origin comes back as exactly zero, any other almost never.
lop publishes rows that lie in the span of the exact components: of 51 records e₁ and 50
records e₂ the second column is exactly zero, and with one e₁ replaced by e₂ it is the first.
"""

import numpy as np

from papers.outcome import Outcome, Outcomes
from papers.xu2019.directions import lip_directions
from sfumato.numeric.arrays import Matrix
from sfumato.render.components import leading

__all__ = ["AFTER", "BEFORE", "LIP_ZERO", "LOP_ZERO", "run"]

BEFORE, AFTER = "a table", "its neighbour"
LIP_ZERO = "lip: the record in question comes back as exactly zero"
LOP_ZERO = "lop: the second column is exactly zero"


def run(found: Outcomes, seed: int, trials: int = 200) -> None:
    """How often each event happens at ε = 1, on a table and on its neighbour."""
    rng = np.random.default_rng(seed)
    crowd = rng.uniform(-0.5, 0.5, (30, 3))
    pairs: dict[str, tuple[Matrix, Matrix]] = {
        BEFORE: (np.vstack([np.zeros((1, 3)), crowd]), np.repeat(np.eye(2), [51, 50], axis=0)),
        AFTER: (np.vstack([np.eye(3)[:1], crowd]), np.repeat(np.eye(2), [50, 51], axis=0)),
    }
    for trial in range(trials):
        for which, (for_lip, for_lop) in pairs.items():
            zero = not _lip(for_lip, rng)[0].any()
            found.add(Outcome("leak", which, 1.0, trial, LIP_ZERO, float(zero)))
            zero = not _lop(for_lop, rng)[:, 1].any()
            found.add(Outcome("leak", which, 1.0, trial, LOP_ZERO, float(zero)))


def _lip(X: Matrix, rng: np.random.Generator) -> Matrix:
    n, d = X.shape
    V = lip_directions(X.T @ X / n, 2 * d / n, rng)[:, :1]
    return np.asarray(X @ V @ V.T)


def _lop(X: Matrix, rng: np.random.Generator) -> Matrix:
    n, d = X.shape
    V = leading(X.T @ X / n, 1)[1].T
    return np.asarray((X @ V + rng.laplace(0, 2 * d, (n, 1))) @ V.T)
