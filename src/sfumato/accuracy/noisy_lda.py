"""Fisher's discriminant analysis for records under noise of a known law.

Whoever receives records under noise and learns from them as they are learns the noise too:
it widens every class, which turns the directions that separate them and, where classes
differ in size, lets the larger one swallow the smaller.  The law of the noise is public, so
its average part in both scatter matrices is subtracted first (`noisy_scatter`):

1.  W = (S_W − E[Δ_W]) / (N − k) and B = S_B − E[Δ_B].  W is made positive definite: noise
    alone in m attributes reaches (1 + √(m / (N − k)))² times its variance in some direction
    (Marchenko and Pastur 1967), so what lies below that cannot be told from noise, and at
    most the matching share is taken away (`cleaned`).
2.  The directions with the largest vᵀ B v / vᵀ W v, as many as the classes can differ in,
    save those where B says that means differ no more than noise makes them.
3.  One number says how wide the classes are along these directions, from S_W − E[Δ_W] as
    it is: W is too wide on purpose, and where the border between two classes of different
    size lies depends on it.  Then Bayes' rule for normal classes of that width.

Everything here is post-processing of the release.  The model is for records without noise,
such as the owner's own; for records under the same noise use `NoisyLDA(0)`.

The published variant (Chakrabarti et al. 2010, equations 13 and 14) has the owner hand over the
class means and the scatter of the very noise that was drawn, as `realised`.  This betrays
the exact class means of the records: released mean − noise mean = true mean.  Whoever
knows all records of a class but one then knows that one.  It is here to be compared with.
"""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.accuracy.noisy_labels import unmixed_scatter
from sfumato.accuracy.noisy_scatter import ClassScatter, class_scatter, cleaned, expected_noise
from sfumato.errors import DataError, ParameterError
from sfumato.numeric.arrays import Matrix

__all__ = ["FEWEST_REALISED", "NoisyLDA"]

FEWEST_REALISED = 100  # records per class; the paper's threshold, which protects nobody
_PARAMETERS = ("noise_variance", "priors", "realised", "label_rates")


class NoisyLDA:
    """A classifier in the manner of scikit-learn, which it does not need.

    `noise_variance`: of the noise, one number for all attributes or one each, such as
    `laplace_variance(b, ranges)`; 0 is Fisher's own method.  `priors`: chances of the
    classes in sorted order; by default as frequent as they are.  `realised`: NOT PRIVATE,
    the `class_scatter` of the drawn noise, in place of `noise_variance`; refused for
    classes of fewer than 100 records.  `label_rates`: where labels are answers of randomized
    response, how often a class is answered by its own records and by others (`noisy_labels`).

    After `fit`: `classes_`, `means_`, `coef_` and `intercept_` of each class's score, and
    `scalings_`, the directions that separate the classes.

    >>> from sfumato.accuracy import laplace_variance
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(4_000) < 0.2
    >>> X = rng.normal(size=(4_000, 2)) + 3 * y[:, None]
    >>> released = X + rng.laplace(scale=0.3 * 8, size=X.shape)
    >>> plain, ours = NoisyLDA(0), NoisyLDA(laplace_variance(0.3, [8, 8]))
    >>> [round(model.fit(released, y).score(X, y), 2) for model in (plain, ours)]
    [0.8, 0.98]
    """

    classes_: NDArray[Any]
    means_: Matrix
    scalings_: Matrix
    coef_: Matrix
    intercept_: Matrix

    def __init__(
        self,
        noise_variance: ArrayLike = 0.0,
        *,
        priors: ArrayLike | None = None,
        realised: ClassScatter | None = None,
        label_rates: tuple[float, float] | None = None,
    ) -> None:
        self.noise_variance = noise_variance
        self.priors = priors
        self.realised = realised
        self.label_rates = label_rates

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn from released records X and their classes y."""
        from scipy.linalg import eigh  # for this alone, and slow to load

        found, answers = self._scatter(X, y)
        n, (k, m) = int(found.counts.sum()), found.means.shape
        if k < 2 or n - k < m:
            raise DataError("X and y need two classes and more records than attributes")
        priors = self._priors(found)
        within, between = self._noise(found)
        between = between + answers
        inside, noise = found.within / (n - k), within / (n - k)
        W = cleaned(inside, noise, self._most(m, n - k))
        gains, V = eigh(found.between - between, W)
        rank = max(1, min(int((gains > 0).sum()), k - 1, m))
        U = V[:, ::-1][:, :rank]
        width = max(float(np.trace(U.T @ (inside - noise) @ U)) / rank, 1 / (n - k))
        seen = found.means @ U
        self.classes_, self.means_, self.scalings_ = found.classes, found.means, U
        self.coef_ = seen @ U.T / width
        self.intercept_ = np.log(priors) - (seen**2).sum(axis=1) / (2 * width)
        return self

    def decision_function(self, X: ArrayLike) -> Matrix:
        """Log odds of the second class if there are two; otherwise a score for each."""
        scores = np.asarray(X, np.float64) @ self.coef_.T + self.intercept_
        return np.asarray(scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The likeliest class of each record."""
        scores = self.decision_function(X)
        best = scores > 0 if scores.ndim == 1 else scores.argmax(axis=1)
        return np.asarray(self.classes_[np.asarray(best, np.intp)])

    def score(self, X: ArrayLike, y: ArrayLike) -> float:
        """Share of the records whose class is found."""
        return float((self.predict(X) == np.asarray(y)).mean())

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002  scikit-learn's
        """What the constructor was given."""
        return {name: getattr(self, name) for name in _PARAMETERS}

    def set_params(self, **changes: Any) -> Self:
        """Change what the constructor was given."""
        for name, value in changes.items():
            if name not in _PARAMETERS:
                raise ParameterError(f"{name!r} must be one of {', '.join(_PARAMETERS)}")
            setattr(self, name, value)
        return self

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags(),
            input_tags=InputTags(),
        )

    def _scatter(self, X: ArrayLike, y: ArrayLike) -> tuple[ClassScatter, Matrix]:
        """By class, and what answers in place of labels add between the means."""
        if self.label_rates is None:
            found = class_scatter(X, y)
            return found, np.zeros_like(found.within)
        if self.realised is not None:
            raise ParameterError("give label_rates or realised, not both")
        return unmixed_scatter(X, y, self.label_rates)

    def _noise(self, found: ClassScatter) -> tuple[Matrix, Matrix]:
        """What noise adds to the scatter within classes and between them."""
        m, variance = found.means.shape[1], np.asarray(self.noise_variance, np.float64)
        if self.realised is None:
            if variance.ndim and variance.shape != (m,):
                raise ParameterError(f"noise_variance must be one number or {m}, one each")
            return expected_noise(found.counts, np.broadcast_to(variance, m))
        if variance.any():
            raise ParameterError("give noise_variance or realised, not both")
        drawn = self.realised
        if drawn.means.shape != found.means.shape or (drawn.counts != found.counts).any():
            raise ParameterError("realised must be the class_scatter of the noise on these records")
        if found.counts.min() < FEWEST_REALISED:
            raise ParameterError(
                f"realised needs {FEWEST_REALISED} records in every class: it reveals class "
                "means; use noise_variance, which reveals nothing"
            )
        return drawn.within, drawn.between

    def _priors(self, found: ClassScatter) -> Matrix:
        if self.priors is None:
            return np.asarray(found.counts / found.counts.sum())
        priors = np.asarray(self.priors, np.float64)
        if priors.shape != found.counts.shape or not (priors > 0).all():
            raise ParameterError(f"priors must be {len(found.counts)} positive numbers")
        return priors

    def _most(self, directions: int, freedom: int) -> float:
        """The largest share of the scatter in any direction that is taken for noise."""
        ratio = directions / freedom
        if self.realised is None:
            return float((1 + np.sqrt(ratio)) ** -2)
        return 1 / (1 + 4 * ratio)  # only mixed terms are left; they shrink with the signal
