"""Figure 5 as the paper has it: a linear SVM on projected records.  NOT PRIVATE.

Directions carry noise, the records that are projected on them do not: what the classifier sees
is no release, and neither are its scores.  The paper says nothing of its split, of k in this
figure or of the SVM.  Here two thirds of the records teach and one third is scored, k
keeps 85 % of the exact variance, and coordinates are divided by their root mean square, one
number for all, so that the penalty (C = 1, squared hinge) means the same everywhere and
turning the directions changes nothing.  Exact components, random directions and the most
frequent class frame the scores.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from papers.outcome import Outcome, Outcomes
from papers.xu2019.directions import (
    AG,
    CERTIFIED,
    EXACT,
    LIP,
    PPM,
    RANDOM,
    published,
)
from papers.xu2019.normalised import Normalised
from papers.xu2019.settings import Settings
from sfumato.errors import MissingExtra
from sfumato.numeric.arrays import Matrix

__all__ = ["CONTENDERS", "FREQUENT", "accuracy_on", "run", "split", "svm_accuracy"]

CONTENDERS = (AG, LIP, CERTIFIED, PPM)
FREQUENT = "most frequent class"

Labels = NDArray[np.int64]


def accuracy_on(name: str) -> str:
    """The measure, as results call it."""
    return f"accuracy, {name}"


def run(
    name: str, data: Normalised, settings: Settings, found: Outcomes, tick: Callable[[str], None]
) -> None:
    """Every trial has its own split, which all contenders and budgets share."""
    measure = accuracy_on(name)
    for trial in range(settings.trials):
        taught, tried = split(data.rows, settings.seed_of("split", name, trial))
        X, y, Z, z = data.X[taught], data.y[taught], data.X[tried], data.y[tried]
        A = X.T @ X / len(X)
        found.add(Outcome("5", FREQUENT, None, trial, measure, most_frequent(y, z)))
        framing = [(who, None) for who in (EXACT, RANDOM)]
        for who, epsilon in [*framing, *((w, e) for e in settings.epsilons for w in CONTENDERS)]:
            rng = np.random.default_rng(settings.seed_of("5", name, who, epsilon, trial))
            V = published(who, A, len(X), data.rank, epsilon or 1, rng)
            value = svm_accuracy(X @ V, y, Z @ V, z)
            found.add(Outcome("5", who, epsilon, trial, measure, value))
            if who == CONTENDERS[-1]:
                tick(f"figure 5, {name}, ε = {epsilon:g}")


def split(rows: int, seed: int) -> tuple[Labels, Labels]:
    """Positions of two thirds of the records, and of the rest."""
    order = np.random.default_rng(seed).permutation(rows)
    return order[: 2 * rows // 3], order[2 * rows // 3 :]


def svm_accuracy(X: Matrix, y: Labels, Z: Matrix, z: Labels) -> float:
    """Share of the records Z that a linear SVM taught (X, y) classifies as z.

    >>> X = np.array([[0.0], [0.1], [0.9], [1.0]]) - 0.5
    >>> svm_accuracy(X, np.array([0, 0, 1, 1]), X, np.array([0, 0, 1, 0]))
    0.75
    """
    try:
        from sklearn.svm import LinearSVC
    except ImportError:
        raise MissingExtra("figure 5 needs scikit-learn: pip install 'sfumato[ml]'") from None
    size = np.sqrt(np.mean(X**2))
    if size == 0 or len(np.unique(y)) < 2:
        return most_frequent(y, z)  # there is nothing to learn
    # The primal problem: no random order, and time in proportion to the records.
    model = LinearSVC(dual=False, max_iter=10_000).fit(X / size, y)
    return float(np.mean(model.predict(Z / size) == z))


def most_frequent(y: Labels, z: Labels) -> float:
    """Share of the labels z that are the most frequent one of y."""
    values, counts = np.unique(y, return_counts=True)
    return float(np.mean(z == values[counts.argmax()]))
