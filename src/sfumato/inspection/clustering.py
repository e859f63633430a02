"""NOT PRIVATE: how well a release falls into clusters, beside the original.

The silhouette coefficient (Rousseeuw 1987) after k-means, as in section VIII of Chanyaswad
et al. 2017.  It needs no truth about clusters and no common space: each table is
clustered and judged by itself, so a release of components compares with the records it
came from.  The scores are for the owner alone; `sfumato.inspection` says why.

Needs scikit-learn: `pip install 'sfumato[ml]'`.
"""

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import MissingExtra, ParameterError
from sfumato.inspection.utility import AnySchema, domain_of, encoded, numbers_only
from sfumato.numeric.arrays import Matrix
from sfumato.schema.domain import Domain
from sfumato.synopsis.features import Features
from sfumato.table.source import open_source

__all__ = ["CLUSTERS", "MOST_CLUSTERED", "Clustering", "clustering"]

CLUSTERS = 8
MOST_CLUSTERED = 10_000  # records; the silhouette looks at every pair


@dataclass(frozen=True, slots=True)
class Clustering:
    """Silhouette coefficients, from -1 to 1; `original` is there if the records were given."""

    release: float
    original: float | None


def clustering(
    release: Any,
    schema: AnySchema | None = None,
    *,
    original: Any = None,
    clusters: int = CLUSTERS,
    most: int = MOST_CLUSTERED,
) -> Clustering:
    """NOT PRIVATE: silhouette coefficient of a release after k-means, and of the original.

    A record scores (b − a) / max(a, b): a is its mean distance to the rest of its cluster,
    b that to the nearest other cluster, and 0 if it is alone; the coefficient is the mean.
    A table with all columns of the schema becomes features in [0, 1] from the public domain,
    the label included; any other, such as a release of components, or every table where no
    schema is given, must hold numbers only and is taken as it is.

    Of more than `most` records, `most` are drawn without replacement, always the same
    ones for the same number of records, and only these are clustered and scored.  The same
    tables give the same scores.  Fewer distinct records than clusters score not-a-number.

    >>> import pyarrow as pa
    >>> pair = pa.table({"component_1": [0.0, 0.0, 3.0, 3.0], "component_2": [0.0, 1.0] * 2})
    >>> round(clustering(pair, clusters=2).release, 3)
    0.675
    """
    _at_least(2, clusters=clusters)
    _at_least(clusters, most=most)
    domain = None if schema is None else domain_of(schema)

    def score(data: Any) -> float:
        return _silhouette(_sample(data, domain, most), clusters)

    return Clustering(score(release), None if original is None else score(original))


def _at_least(least: int, **parameter: Any) -> None:
    ((name, value),) = parameter.items()
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise ParameterError(f"{name} must be a whole number of at least {least}, got {value!r}")


def _sample(data: Any, domain: Domain | None, most: int) -> Matrix:
    """At most `most` records as points; which ones, the number of records alone decides."""
    names = [] if domain is None else [axis.name for axis in domain.axes]
    how = None if domain is None else domain.schema.file
    if domain is None or not set(names) <= set(open_source(data, names, how).names):
        _, X = numbers_only(data)
        return X[_kept(len(X), most)]
    codes, features = encoded(data, domain), Features.of(domain)
    return features.design(codes[_kept(len(codes), most)]) / features.units


def _kept(rows: int, most: int) -> NDArray[np.int64]:
    if rows <= most:
        return np.arange(rows)
    return np.random.default_rng(0).choice(rows, most, replace=False)


def _silhouette(X: Matrix, clusters: int) -> float:
    try:
        from sklearn.cluster import KMeans
        from sklearn.metrics import silhouette_score
        from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # has none
    except ImportError:
        raise MissingExtra("clustering needs scikit-learn: pip install 'sfumato[ml]'") from None
    if len(np.unique(X, axis=0)) < clusters:
        return float("nan")
    with threadpool_limits(1):  # the order of sums, and so their last bit, is that of every run
        labels = KMeans(clusters, n_init=10, random_state=0).fit_predict(X)
        if len(X) == clusters:
            return 0.0  # everyone is alone
        return float(silhouette_score(X, labels))
