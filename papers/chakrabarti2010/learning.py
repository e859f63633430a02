"""Figures 2 and 3: what is learnt from perturbed training records, tried on real test records.

Ten folds are drawn once; in each, nine parts are perturbed and the tenth is the test, as it
is.  Every repetition draws the noise of all folds anew, and its accuracy is the average over
folds.  Classes are known to the receiver without noise, in the paper as here.

Four learners see the same perturbed records: plain LDA; LDA with the published noise
statistics; LDA with the expected noise, which needs none; and LDA with the exact class
means that those statistics betray, to show what that betrayal is worth.

Where to put the border between two classes the paper leaves open ("one can choose b to
minimize the classification error"), and everything depends on it.  Three are tried:
Bayes' rule for normal classes as frequent as they are; the middle between the two
means; and the border that errs least on the training records as the receiver has them,
under noise.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from papers.chakrabarti2010.settings import FOLDS, Settings, level_of
from papers.chakrabarti2010.tables import Labelled
from papers.chakrabarti2010.views import COMPONENTS, DATA, PUBLIC, View, of_the_data
from papers.outcome import Outcome, Outcomes
from sfumato.accuracy import NoisyLDA, class_scatter, laplace_variance
from sfumato.numeric.arrays import Matrix

__all__ = [
    "BAYES",
    "BORDERS",
    "EXACT",
    "EXPECTED",
    "LARGER",
    "LEARNERS",
    "LEAST",
    "MIDDLE",
    "ORIGINAL",
    "PLAIN",
    "REALISED",
    "accuracy",
    "run",
]

PLAIN, REALISED = "plain LDA", "LDA with noise statistics"
EXPECTED, EXACT = "LDA with expected noise", "LDA with exact class means"
LEARNERS = (PLAIN, REALISED, EXPECTED, EXACT)
ORIGINAL, LARGER = "original", "larger class"
BAYES, MIDDLE, LEAST = "Bayes' border", "middle border", "border of least error"
BORDERS = (BAYES, MIDDLE, LEAST)

Labels = NDArray[np.bool_]


def accuracy(border: str, view: str) -> str:
    """The measure of that name, as results call it."""
    return f"accuracy, {border}, ranges {view}"


class Fold(NamedTuple):
    """Scaled training records, coordinates of training and test records, and how to see them."""

    records: Matrix
    train: Matrix
    known: Labels
    test: Matrix
    truth: Labels
    view: View


def run(
    figure: str,
    table: Labelled,
    public: View,
    settings: Settings,
    found: Outcomes,
    tick: Callable[[str], None],
) -> None:
    """Every level and repetition, with directions from the data and from public facts."""
    part = (
        np.random.default_rng(settings.seed_of(figure, "folds")).permutation(len(table.y)) % FOLDS
    )
    for name in (DATA, PUBLIC):
        folds = list(_folds(table, part, public if name == PUBLIC else None, COMPONENTS[figure]))
        _frame(figure, name, folds, found)
        for epsilon in settings.epsilons:
            for trial in range(settings.trials):
                rng = np.random.default_rng(settings.seed_of(figure, name, epsilon, trial))
                scores = [_fold_scores(fold, level_of(epsilon), rng) for fold in folds]
                for learner, border in scores[0]:
                    mean = float(np.mean([score[learner, border] for score in scores]))
                    measure = accuracy(border, name)
                    found.add(Outcome(figure, learner, epsilon, trial, measure, mean))
                tick(f"figure {figure}, b = {level_of(epsilon):g}, ranges {name}")


def _folds(
    table: Labelled, part: NDArray[np.int64], public: View | None, components: int
) -> Iterator[Fold]:
    for k in range(FOLDS):
        train, test = table.X[part != k], table.X[part == k]
        view = public or of_the_data(train, components)
        Z = view.scaled(train)
        A, B = Z @ view.basis.T, view.scaled(test) @ view.basis.T
        yield Fold(Z, A, table.y[part != k], B, table.y[part == k], view)


def _frame(figure: str, view: str, folds: list[Fold], found: Outcomes) -> None:
    """Learning from the training records themselves, and always guessing the larger class."""
    for border in BORDERS:
        scores = [_scores(NoisyLDA(0).fit(f.train, f.known), f, f.train)[border] for f in folds]
        original = float(np.mean(scores))
        found.add(Outcome(figure, ORIGINAL, None, 0, accuracy(border, view), original))
        larger = float(np.mean([(f.truth == (f.known.mean() > 0.5)).mean() for f in folds]))
        found.add(Outcome(figure, LARGER, None, 0, accuracy(border, view), larger))


def _fold_scores(fold: Fold, b: float, rng: np.random.Generator) -> dict[tuple[str, str], float]:
    released = fold.view.perturbed(fold.records, b, rng)
    noise = class_scatter(released - fold.train, fold.known)
    shifted = released - noise.means[fold.known.astype(np.intp)]
    told = noise._replace(means=0 * noise.means)
    models = {
        PLAIN: NoisyLDA(0).fit(released, fold.known),
        REALISED: NoisyLDA(realised=noise).fit(released, fold.known),
        EXPECTED: NoisyLDA(laplace_variance(b, fold.view.ranges)).fit(released, fold.known),
        EXACT: NoisyLDA(realised=told).fit(shifted, fold.known),
    }
    return {
        (learner, border): score
        for learner, model in models.items()
        for border, score in _scores(model, fold, released).items()
    }


def _scores(model: NoisyLDA, fold: Fold, training: Matrix) -> dict[str, float]:
    """Accuracy on the test records by border."""
    odds, share = model.decision_function(fold.test), fold.known.mean()
    borders = {
        BAYES: 0.0,
        MIDDLE: float(np.log(share / (1 - share))),
        LEAST: least_error(model.decision_function(training), fold.known),
    }
    return {name: float(((odds > at) == fold.truth).mean()) for name, at in borders.items()}


def least_error(scores: Matrix, y: Labels) -> float:
    """The border between two scores above which guessing the second class errs least.

    >>> least_error(np.array([1.0, 2.0, 3.0, 4.0]), np.array([False, True, False, True]))
    1.5
    """
    order = np.argsort(scores)
    sorted_scores, second = scores[order], y[order]
    # With the border after the first i records: second classes below it, first ones above it.
    below = np.concatenate([[0], np.cumsum(second)])
    above = np.concatenate([np.cumsum(~second[::-1])[::-1], [0]])
    i = int(np.argmin(below + above))
    ends = np.concatenate([[-np.inf], sorted_scores, [np.inf]])
    return float((ends[i] + ends[i + 1]) / 2)
