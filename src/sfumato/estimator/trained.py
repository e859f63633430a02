"""A model that learns from a release and is asked about records: for cross-validation.

Whatever the model does is post-processing, so it promises what the release promises.  Scores on
held-out records are computed from those records without noise: they are for the owner's eyes.
"""

from collections.abc import Callable
from typing import Any, Literal, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.errors import MissingExtra, ParameterError
from sfumato.estimator.publisher import Publisher
from sfumato.estimator.reading import answers_of, features_of, inputs_of, records_of
from sfumato.release.certificate import stated

try:
    from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
    from sklearn.utils import get_tags
    from sklearn.utils.metaestimators import available_if
    from sklearn.utils.validation import check_is_fitted
except ImportError:
    raise MissingExtra("SyntheticTrained needs scikit-learn: pip install 'sfumato[ml]'") from None

__all__ = ["SyntheticTrained"]


Method = Callable[..., Any]


def _offers(name: str) -> Callable[[Method], Method]:
    """Whether the model, fitted or not, has this method."""

    def check(self: "SyntheticTrained") -> bool:
        getattr(getattr(self, "estimator_", self.estimator), name)  # its AttributeError says so
        return True

    offered: Callable[[Method], Method] = available_if(check)
    return offered


class SyntheticTrained(MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]  # sklearn has no types
    """Fit a classifier or regressor on a release of X and y; every `fit` is charged once.

    `inputs` says what the model sees: `features`, numbers from 0 to 1 by the public ranges and
    levels of the schema, which any model takes; or `columns`, a table as it was released.
    A model that needs more preparation is a pipeline of its own, inside: there it learns
    from the release alone.

    >>> from sklearn.linear_model import LogisticRegression
    >>> from sfumato.example import CLINIC, clinic
    >>> from sfumato.schema import Schema
    >>> patients = clinic(4_000).to_pandas()
    >>> X, y = patients.drop(columns="outcome"), patients["outcome"]
    >>> publisher = Publisher(Schema.parse(CLINIC), method="dp-lda", epsilon=3)
    >>> model = SyntheticTrained(LogisticRegression(), publisher).fit(X[:3_000], y[:3_000])
    >>> model.predict_proba(X[3_000:]).shape
    (1000, 2)
    >>> model.publisher_.release_
    <Release of clinic by dp-lda: 3-differential privacy>
    """

    def __init__(
        self,
        estimator: Any,
        publisher: Publisher,
        *,
        inputs: Literal["features", "columns"] = "features",
    ) -> None:
        self.estimator, self.publisher, self.inputs = estimator, publisher, inputs

    def fit(self, X: Any, y: Any) -> Self:
        """Publish X and y, once, and teach the model what was released."""
        if self.inputs not in ("features", "columns"):
            raise ParameterError(f"inputs must be features or columns, got {self.inputs!r}")
        plan = self.publisher.plan()
        if plan.columns is not None:
            raise ParameterError(
                f"{plan.method} does not release the columns of the schema: choose a method that "
                "releases records"
            )
        domain = inputs_of(plan.domain.schema)
        model, publisher = clone(self.estimator), clone(self.publisher)
        self.__dict__.pop("estimator_", None)  # should the model fail, no older one answers
        released, answers = publisher.fit_resample(X, y)
        # Kept before the model learns: what was paid for is not lost if it cannot.
        self.publisher_, self._domain = publisher, domain
        self.estimator_ = model.fit(self._seen(released), answers)
        return self

    def predict(self, X: Any) -> Any:
        """What the model says of each record."""
        check_is_fitted(self, "estimator_")
        return self.estimator_.predict(self._seen(X))

    def score(self, X: Any, y: Any) -> float:
        """NOT PRIVATE: how well the model does on these records.

        Labels are read as they are when they are published; records without one do not count.
        """
        check_is_fitted(self, "estimator_")
        schema = stated(self.publisher_.release_.certificate.public_schema)
        if schema.label is None:  # a number is compared as it is, not as it would be released
            return float(self.estimator_.score(self._seen(X), y))
        answers, known = answers_of(y, schema)
        return float(self.estimator_.score(self._seen(X, known), answers))

    @_offers("predict_proba")
    def predict_proba(self, X: Any) -> Any:
        """The chance of each class, where the model gives chances."""
        check_is_fitted(self, "estimator_")
        return self.estimator_.predict_proba(self._seen(X))

    @_offers("decision_function")
    def decision_function(self, X: Any) -> Any:
        """The margin of each record, where the model gives margins."""
        check_is_fitted(self, "estimator_")
        return self.estimator_.decision_function(self._seen(X))

    @property
    def classes_(self) -> Any:
        """The classes that were released, where the model is a classifier."""
        return self.estimator_.classes_

    def _seen(self, X: Any, kept: NDArray[np.bool_] | None = None) -> Any:
        """X as the model was taught to see it: mapped into the domain, ids left out."""
        if self.inputs == "features":
            seen = features_of(X, self._domain)
            return seen if kept is None else seen[kept]
        table = records_of(X, self._domain)
        table = table if kept is None else table.filter(pa.array(kept))
        return self.publisher_.release_.like(table)

    def __sklearn_tags__(self) -> Any:
        tags, inner = super().__sklearn_tags__(), get_tags(self.estimator)
        tags.estimator_type = inner.estimator_type
        tags.classifier_tags, tags.regressor_tags = inner.classifier_tags, inner.regressor_tags
        tags.target_tags.required = True
        return tags
