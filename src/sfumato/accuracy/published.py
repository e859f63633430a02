"""The noisy counts and sums that a release holds, read from the release alone.

What is read is the certificate (`release.json`), the synopsis and, of a network, counts or a
stream, the released figures; never the data that was protected, so it costs no privacy.  Counts
are of records as they were read: what a schema does not list counts as `other`, missing or its
first value, and numbers outside their range count as its ends.

>>> import sfumato as sf
>>> from sfumato.example import CLINIC, clinic
>>> schema = sf.Schema.parse(CLINIC)
>>> asked = {"method": "modips", "epsilon": 1, "fit": False}
>>> release = sf.publish(clinic(5_000), schema=schema, seed=3, **asked)
>>> found = published(release)
>>> list(found.counts)
['sex', 'smoker', 'ward', 'outcome']
>>> surgery = found.count("ward", ["surgery"])
>>> surgery.value, surgery.interval(0.95), found.total.value
(2182.0, (2057.0, 2307.0), 5000.0)
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from sfumato.accuracy.bins import levels
from sfumato.accuracy.discrete_sum import DiscreteSum
from sfumato.accuracy.edges import Edges, edges
from sfumato.accuracy.key_counts import COLUMN as KEY
from sfumato.accuracy.key_counts import KeyCounts, key_counts
from sfumato.accuracy.noisy import Entries, Noisy, combined, noise_of, often
from sfumato.accuracy.number_sum import BinnedMean, NumberSum
from sfumato.accuracy.people_tables import people_tables
from sfumato.accuracy.second_moment import Covariance, SecondMoments, of_moments, of_scatter
from sfumato.accuracy.series import COLUMN as BITS
from sfumato.accuracy.series import Series, series
from sfumato.accuracy.tables import Tables
from sfumato.accuracy.two_way import TwoWay
from sfumato.errors import ParameterError, ReleaseError
from sfumato.privacy.guarantee import Number
from sfumato.release.certificate import Certificate, stated
from sfumato.release.fit import Fit
from sfumato.schema import Date
from sfumato.schema.domain import Domain, Levels
from sfumato.synopsis.features import Features
from sfumato.synopsis.flat_people import COUNT
from sfumato.synopsis.moments import MomentLayout, MomentSynopsis

__all__ = ["BITS", "KEY", "Published", "published"]

_ONE = Fraction(1)
_ALL = "\0"  # a name that no value has
_STEPS = 6_000  # in a deviation
_WORTH = 0.95  # of the variance
_MOST_LISTED = 100  # values that a refusal names
_WHY_NOT = {
    "identity-laplace": "every noisy record was moved to the nearest record of the schema",
    "exponential": "its records were chosen, not counted",
    "ranges": "its ranges and values were chosen, not counted",
    "local": "ask its answers with sfumato accuracy, or sfumato.accuracy.collected",
    "lop": "its rows are noisy records; of space=components, collected counts the label",
    "pca-laplace": "its records are noisy, not its sums; see the guide for recipients",
    "reservoir-mean": "its noise is in the answers; the limits in release.json state the error",
}


class Readable(Protocol):
    """What is looked at of a release."""

    @property
    def certificate(self) -> Certificate:
        """`release.json`."""

    @property
    def synopsis(self) -> Mapping[str, Any] | None:
        """`synopsis.json`, where there is one."""

    @property
    def table(self) -> pa.Table:
        """The released data; only that of networks, streams and counts is read."""


@dataclass(frozen=True, eq=False)
class Published:
    """Noisy counts by column and value, noisy sums of numbers, or the edges of a network.

    Of counts under keys the column is `key`; of a stream it is `bits`, and a value a stretch of
    them, "1 to 1024", in which ones are counted.
    """

    certificate: Certificate
    total: Noisy | None = None  # the number of records
    counts: Mapping[str, Mapping[str, Noisy]] = field(default_factory=dict)
    numbers: Mapping[str, NumberSum | BinnedMean] = field(default_factory=dict)
    edges: Edges | None = None
    tables: Tables | None = None
    keys: KeyCounts | None = None
    series: Series | None = None
    second: SecondMoments | None = None

    @property
    def fit(self) -> Fit | None:
        """How many records were changed when they were read, where that was counted."""
        return None if self.certificate.fit is None else Fit.of(self.certificate.fit)

    def counted(self, *columns: str) -> str:
        """What a count of these columns is of: records, persons, or rows as parts of persons."""
        people = None if self.tables is None else self.tables.domain.schema.people
        if people is None:
            return "records"
        own = {*people.per_person, COUNT}
        return "persons" if own.issuperset(columns) else "persons' rows"

    def count(self, column: str, values: Sequence[str]) -> Noisy:
        """Records whose column has one of these values, or the weight of such edges."""
        if self.edges is not None:
            return self.edges.weight(column, values)
        weights = dict.fromkeys(self._listed(column, values), 1)
        if self.series is not None:
            return self.series.best(weights)
        return self._best(column, weights).bounded(Fraction(0), self._most)

    def plain(self, column: str, values: Sequence[str]) -> Noisy:
        """The same as the sum of what was released, without any better way."""
        if self.edges is not None:
            return self.edges.weight(column, values)
        weights = dict.fromkeys(self._listed(column, values), 1)
        if self.series is not None:
            return self.series.best(weights)
        return combined(self.cells(column), weights)

    def difference(self, column: str, first: Sequence[str], second: Sequence[str]) -> Noisy:
        """How many more (or how much heavier) the first are than the second."""
        if self.edges is not None:
            return self.edges.weight(column, first) - self.edges.weight(column, second)
        weights = dict.fromkeys(self._listed(column, first), 1)
        for value in self._listed(column, second):
            weights[value] = weights.get(value, 0) - 1
        if self.series is not None:
            return self.series.best(weights).bounded(None, None)
        most = self._most
        return self._best(column, weights).bounded(None if most is None else -most, most)

    def _best(self, column: str, weights: Mapping[str, int]) -> Noisy:
        """A combination of counts, in the way that has least noise.

        As it is; with the most frequent weight turned into all records less the others; or, where
        the number of records is public, with each count corrected by an equal share of what
        all are short of it, if that gains a twentieth.  Which way it is does not depend on the
        noisy values, so a confidence stays what it is.
        """
        if self.keys is not None and not self.keys.entries.independent:
            return self.keys.best(weights)
        counts, total = self.counts[column], self.total
        if self.tables is not None and self.tables.lost:  # they add up to a little less than all
            return combined(counts, weights)
        assert total is not None  # noqa: S101  whoever counts values counts records
        often = Counter(weights.values())
        often[0] += len(counts) - len(weights)
        common = often.most_common(1)[0][0]
        ways = [combined(counts, weights)]
        if common:
            rest = {value: weights.get(value, 0) - common for value in counts}
            ways.append(combined(_With(counts, total), {**rest, _ALL: common}))
        best = min(ways, key=lambda noisy: noisy.variance)
        sums, squares = sum(weights.values()), sum(weight**2 for weight in weights.values())
        gain = sums**2 / len(counts) / max(squares, 1)  # of the noise of the plain combination
        if not total.public or (1 - gain) * ways[0].variance > _WORTH * best.variance:
            return best
        even = _evened(counts, weights, total.exactly)
        unlike = len({abs(weight) for weight in even.weights.values()}) > 1
        # Laplace noise fades so slowly that with unlike weights the work grows with the steps.
        if not unlike or even.entries.kind != "laplace":
            return even
        law = even.law
        slow = isinstance(law, DiscreteSum) and law.deviation > _STEPS * law.step
        return best if slow else even

    def _listed(self, column: str, values: Sequence[str]) -> Sequence[str]:
        cells = self.cells(column)
        if self.series is not None:
            return self.series.listed(values)
        if self.tables is not None:
            values = [name for value in values for name in self.tables.spanned(column, value)]
        if self.keys is not None:
            values = [name for value in values for name in self.keys.spanned(value)]
        wrong = [value for value in values if value not in cells]
        if wrong or not values:
            left = len(cells) - _MOST_LISTED
            more = f" and {left:,} more" if left > 0 else ""
            bins = self.tables is not None and self.tables.spans(column)
            how = " (a range is written as 'first to last', and begins and ends where bins do)"
            value = wrong[0] if wrong else ""
            raise ParameterError(
                f"column {column} has no value {value!r}{how * bins}; it has: "
                f"{', '.join(islice(cells, _MOST_LISTED))}{more}"
            )
        return list(dict.fromkeys(values))

    def pair(self, first: str, second: str) -> TwoWay:
        """The noisy table of two columns."""
        if self.tables is None:
            raise ParameterError(
                f"{self.certificate.method} publishes no tables of two columns; mosaic does"
            )
        return self.tables.pair(first, second)

    def number(self, column: str) -> NumberSum | BinnedMean:
        """What is known of the mean of a number."""
        if column in self.numbers:
            return self.numbers[column]
        offered = ", ".join(self.numbers) or "none"
        raise ParameterError(f"no sum of {column} was published; there are sums of: {offered}")

    def covariance(self, first: str, second: str, confidence: Number) -> Covariance:
        """What is known of the covariance of two numbers, or of the variance of one."""
        if self.second is None:
            raise ParameterError(
                f"{self.certificate.method} publishes no second moments; modips, dp-lda, dca, "
                "dp-pca, lap-pca, analyze-gauss and lip do"
            )
        return self.second.covariance(first, second, confidence)

    def cells(self, column: str) -> Mapping[str, Noisy]:
        """The noisy count of every value of a column, as released."""
        if column in self.counts:
            return self.counts[column]
        offered = ", ".join(self.counts) or "none"
        remedy = "; for a number ask for its mean" if column in self.numbers else ""
        raise ParameterError(f"no counts of {column} were published; there are: {offered}{remedy}")

    @property
    def figures(self) -> int:
        """How many counts or weights were published; of a stream, at how many times."""
        if self.edges is not None:
            return len(self.edges)
        if self.series is not None:
            return len(self.series.entries.times)
        return sum(len(cells) for cells in self.counts.values())

    @property
    def _most(self) -> Fraction | None:
        return self.total.exactly if self.total is not None and self.total.public else None


def published(release: Readable, only: Collection[str] | None = None) -> Published:
    """What a release holds; refused where it holds nothing that noise was simply added to.

    Of tables in bins, with `only`, no more than what is said of these columns.
    """
    certificate, synopsis = release.certificate, release.synopsis or {}
    try:
        if certificate.network is not None:
            return Published(certificate, edges=edges(certificate, release.table))
        if certificate.counts is not None:
            keys = key_counts(certificate, release.table)
            return Published(certificate, keys.total, {KEY: keys}, keys=keys)
        if certificate.method == "counter":
            counted = series(certificate, release.table)
            return Published(certificate, counts={BITS: counted}, series=counted)
        inner = synopsis.get("moments") or {}
        if synopsis.get("kind") in ("tables", "panel"):
            if synopsis["kind"] == "panel":
                tables = people_tables(certificate, synopsis)
            else:
                tables = Tables.of(certificate, synopsis, only)
            found = tables.total, tables.counts, tables.numbers
            return Published(certificate, *found, tables=tables)
        if synopsis.get("kind") == "moments":
            return _moments(certificate, synopsis)
        if inner.get("kind") == "moments":
            return _moments(certificate, inner)
        if inner.get("kind") == "scatter":
            return Published(certificate, second=of_scatter(certificate, inner))
        if synopsis.get("kind") == "leaves":
            return _classes(certificate, synopsis["counts"], synopsis["rows"], "leaf counts")
        if any(event.statistic == "class sizes" for event in certificate.events):
            return _classes(certificate, inner["counts"], inner["rows"], "class sizes")
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError):
        raise ReleaseError("the certificate or synopsis is not what Sfumato writes") from None
    why = _WHY_NOT.get(certificate.method, "it publishes directions or records")
    raise ReleaseError(
        f"{certificate.method} publishes no counts or sums that noise was simply added to: {why}. "
        "mosaic, modips, dp-lda, dca, dp-pca, diffgen, pca-gauss-mixture, edge-laplace, counts and "
        "counter do, and lap-pca, analyze-gauss and lip publish second moments"
    )


def _moments(certificate: Certificate, synopsis: Mapping[str, Any]) -> Published:
    domain, classes = Domain.of(stated(certificate.public_schema)), synopsis["classes"]
    split = certificate.method in ("dp-lda", "dca")
    label = domain.label if split else None
    if classes != (1 if label is None else domain.axes[label].codes):
        raise ReleaseError("the synopsis does not have the classes that its schema calls for")
    features = Features.of(domain, without=() if label is None else (label,))
    layout = MomentLayout(features, domain.schema.neighbours, classes)
    found = MomentSynopsis.from_json(dict(synopsis), layout)
    entries = Entries(found.entries, *noise_of(certificate, "moments"), often=often(certificate))
    rows = None if found.rows is None else Fraction(found.rows)
    sizes = [entries.total([k], _ONE, rows) for k in range(layout.counts)]
    total = _added(sizes) if rows is None else entries.known(rows)
    first, width = layout.counts, len(features)

    def feature(j: int) -> Noisy:
        step = Fraction(1, features.items[j].unit)
        return entries.total(range(first + j, first + classes * width, width), step, rows)

    places: dict[int, list[int]] = {}
    for j, item in enumerate(features.items):
        places.setdefault(item.axis, []).append(j)
    counts: dict[str, Mapping[str, Noisy]] = {}
    numbers: dict[str, NumberSum] = {}
    for position, axis in enumerate(domain.axes):
        own = [feature(j) for j in places.get(position, [])]
        if isinstance(axis, Levels) and position == label:
            counts[axis.name] = _classified(axis, sizes, total)
        elif isinstance(axis, Levels):
            own = [total - own[0], own[0]] if len(own) == 1 else own or [total]
            counts[axis.name] = dict(zip(levels(axis), own, strict=True))
        elif not isinstance(axis.column, Date):
            absent = own[1] if axis.missing else None
            numbers[axis.name] = NumberSum(axis, own[0], total, absent)
    second = of_moments(found, entries, total)
    return Published(certificate, total, counts, numbers, second=second)


def _classes(
    certificate: Certificate, released: Any, rows: int | None, statistic: str
) -> Published:
    """Counts in which the class of the label goes round fastest."""
    domain = Domain.of(stated(certificate.public_schema))
    values = np.array(released, np.int64)
    entries = Entries(values, *noise_of(certificate, statistic), often=often(certificate))
    public_rows = None if rows is None else Fraction(rows)
    axis = domain.axes[domain.label or 0]
    if not isinstance(axis, Levels):
        raise ValueError
    classes = axis.codes
    missing = 1 if rows is not None and len(values) < classes else 0
    cells = [range(k, len(values), classes - missing) for k in range(classes - missing)]
    sizes = [entries.total(cell, _ONE, public_rows) for cell in cells]
    total = _added(sizes) if public_rows is None else entries.known(public_rows)
    return Published(certificate, total, {axis.name: _classified(axis, sizes, total)})


def _classified(axis: Levels, sizes: list[Noisy], total: Noisy) -> Mapping[str, Noisy]:
    """By class; the last of two follows from a public number of records."""
    names = levels(axis)
    rest = [total - _added(sizes)] if sizes else [total]
    return dict(zip(names, [*sizes, *rest][: len(names)], strict=True))


def _added(parts: Sequence[Noisy]) -> Noisy:
    whole = parts[0]
    for part in parts[1:]:
        whole = whole + part
    return whole


@dataclass(frozen=True, eq=False)
class _With(Mapping[str, Noisy]):
    """Counts, and all records as one more: nothing is made that is not asked for."""

    counts: Mapping[str, Noisy]
    total: Noisy

    def __getitem__(self, name: str) -> Noisy:
        return self.total if name == _ALL else self.counts[name]

    def __iter__(self) -> Iterator[str]:
        yield _ALL
        yield from self.counts

    def __len__(self) -> int:
        return len(self.counts) + 1


def _evened(counts: Mapping[str, Noisy], weights: Mapping[str, int], total: Fraction) -> Noisy:
    """Each of k counts plus (total − all counts) / k, in steps of 1/k: the noise that all share."""
    k, sum_of_weights = len(counts), sum(weights.values())
    shares = {value: k * weights.get(value, 0) - sum_of_weights for value in counts}
    return combined(counts, shares).divided(k, Fraction(sum_of_weights, k) * total)
