"""Counts published under public keys, by themselves or as Haar sums, with the law of every sum.

*By itself* each count has noise of its own.  *Of the wavelet* what got noise are sums and
differences over a binary tree; the counts that were rebuilt from them share it.  A sum of counts
Σ y_k x_k contains the noise at node i with the weight (Hy)_i / size_i, exactly, so its law is that
of a sum of discrete noises with whole weights in steps of 1/P, P the number of leaves.  Where
both were published the mean is taken, weighted by 1 / variance in whole numbers from 0 to 16:
which weights these are follows from the question and public facts.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np
import pyarrow as pa

from sfumato.accuracy.discrete_sum import DiscreteSum, Part
from sfumato.accuracy.gaussian_sum import GaussianSum
from sfumato.accuracy.grid_sum import GridSum
from sfumato.accuracy.law import Law
from sfumato.accuracy.noisy import Entries, Noisy, law_of
from sfumato.errors import ParameterError, ReleaseError
from sfumato.numeric.arrays import Whole
from sfumato.numeric.haar import haar, levels, node_sizes
from sfumato.release.certificate import Certificate, stated

__all__ = ["COLUMN", "KeyCounts", "key_counts"]

COLUMN = "key"
_NOTHING, _ONE = Fraction(0), Fraction(1)
_HEAVIEST = 16  # weight of one way of publishing among the two
_FAR = 100  # deviations: noise is never so large
_EXACT = 2**53  # steps, up to which floats count them
_FINE = 10**10  # variance, from which on a Gaussian of whole numbers is like any other


@dataclass(frozen=True, eq=False)
class _Rebuilt(Entries):
    """Counts by themselves, `alone` of them, then those rebuilt from Haar sums and differences."""

    alone: int
    alone_size: Fraction | None
    length: int  # keys
    public: bool  # whether the sum of all counts has no noise
    independent: ClassVar[bool] = False

    def parts(self, noisy: Noisy) -> Iterator[Part]:
        """Noises of single counts and of nodes, in steps of 1 / leaves."""
        alone = np.array([w for which, w in noisy.weights.items() if which < self.alone], np.int64)
        nodes = self._nodes(noisy)
        for size, weights in ((self.alone_size, alone * self._leaves), (self.size, nodes)):
            values, counts = np.unique(np.abs(weights[weights != 0]), return_counts=True)
            for weight, count in zip(values.tolist(), counts.tolist(), strict=True):
                assert size is not None  # noqa: S101  what stands alone has its size
                yield Part(self.kind, size, count, weight)

    def law(self, noisy: Noisy) -> Law:
        law = DiscreteSum.of(self.parts(noisy), noisy.step / self._leaves)
        if len(law.parts) == 1 or law.deviation < law.step:
            return law  # nothing is quicker
        if self.kind == "gaussian" and self.size > _FINE:
            grain = sum(part.count * part.weight for part in law.parts) * float(law.step) / 2
            return GaussianSum(law.deviation, grain, law.count / (8 * float(self.size)))
        return GridSum(law)

    def noises(self, noisy: Noisy) -> int:
        return sum(part.count for part in self.parts(noisy))

    def sizes(self, noisy: Noisy) -> list[Fraction]:
        return sorted({part.size for part in self.parts(noisy)})

    @property
    def _leaves(self) -> int:
        return 1 << levels(self.length)

    def _nodes(self, noisy: Noisy) -> Whole:
        """What the noise of each node counts for, in steps of 1 / leaves."""
        keys = np.array([which - self.alone for which in noisy.weights], np.int64)
        query = np.array(list(noisy.weights.values()), np.int64)[keys >= 0]
        keys, height = keys[keys >= 0], levels(self.length)
        found = [] if self.public else [query.sum(keepdims=True)]
        if len(keys) * height > self.length:
            dense = np.zeros(self.length, np.int64)
            dense[keys] = query
            each = (self._leaves // node_sizes(self.length)).astype(np.int64)
            return np.concatenate([*found, (haar(dense) * each)[1:]])
        for level in range(height):  # a few keys: the nodes above them alone
            left = (keys >> (height - level - 1)) & 1 == 0
            _, node = np.unique(keys >> (height - level), return_inverse=True)
            sums = np.zeros(len(keys), np.int64)
            np.add.at(sums, node, np.where(left, query, -query))
            found.append(sums << level)
        return np.concatenate(found)


@dataclass(frozen=True, eq=False)
class KeyCounts(Mapping[str, Noisy]):
    """The noisy count of every key, made when it is asked for: there may be millions."""

    names: Sequence[str]
    entries: Entries
    ways: tuple[int, ...]  # where the counts of each way begin among the entries
    records: Fraction | None  # the public number of records

    def __getitem__(self, name: str) -> Noisy:
        if name not in self._places:
            raise KeyError(name)
        return self.best({name: 1})

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def best(self, weights: Mapping[str, int]) -> Noisy:
        """A combination of counts, from the way of publishing with less noise or from both."""
        found = [
            self._noisy({start + self._places[name]: w for name, w in weights.items() if w})
            for start in self.ways
        ]
        if len(found) == 1:
            return found[0]
        spread = [noisy.variance for noisy in found]
        if not min(spread):
            return found[spread.index(0.0)]
        shares = [round(_HEAVIEST * min(spread) / each) for each in spread]
        together = {
            which: share * weight
            for share, noisy in zip(shares, found, strict=True)
            for which, weight in (noisy.weights if share else {}).items()
        }
        return self._noisy(together, Fraction(1, sum(shares)))

    def spanned(self, value: str) -> Sequence[str]:
        """All keys from one to another, as in "mon to fri"; else the value."""
        if value in self._places:
            return [value]
        words = value.split(" to ")
        for k in range(1, len(words)):
            first, last = " to ".join(words[:k]), " to ".join(words[k:])
            if first in self._places and last in self._places:
                return self._between(first, last)
        return [value]

    @cached_property
    def smallest(self) -> list[str]:
        """The keys by their noisy counts, the smallest first."""
        values = self.entries.values[self.ways[0] :][: len(self)]
        return [self.names[k] for k in np.argsort(values, kind="stable").tolist()]

    @property
    def total(self) -> Noisy:
        """The number of records."""
        if self.records is not None:
            return self.entries.known(self.records)
        return self.best(dict.fromkeys(self.names, 1))

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.names)}

    def _between(self, first: str, last: str) -> Sequence[str]:
        start, stop = self._places[first], self._places[last]
        if start > stop:
            raise ParameterError(f"{first!r} comes after {last!r} in the list of keys: swap them")
        return self.names[start : stop + 1]

    def _noisy(self, weights: Mapping[int, int], step: Fraction = _ONE) -> Noisy:
        size = self.entries.size
        # Where nothing but the sum of all is asked, the wavelet under a public sum has no noise.
        found = Noisy(
            self.entries, weights, size, _NOTHING, step, _NOTHING, self.records, whole=True
        )
        if weights and not self.entries.noises(found):
            return self.entries.known(found.exactly)
        return found


def key_counts(certificate: Certificate, table: pa.Table) -> KeyCounts:
    """The counts of a `count-queries` release."""
    facts = stated(certificate.counts)
    names: list[str] = table.column(COLUMN).to_pylist()
    ways = [name for name in ("histogram", "wavelet") if name in table.column_names]
    if len(names) != facts.keys or len(ways) != len(certificate.events) or facts.keys < 2:
        raise ReleaseError("the release does not have a count for each of its keys")
    records = None if facts.records is None else Fraction(facts.records)
    laws = [law_of(event) for event in certificate.events]
    if ways == ["histogram"]:
        counts = np.asarray(table.column("histogram"), np.int64)
        return KeyCounts(names, Entries(counts, *laws[0]), (0,), records)
    columns = [np.asarray(table.column(name), np.float64) for name in ways]
    kind, size = laws[-1]
    _check_exact(columns[-1], size)
    alone = len(names) * (len(ways) - 1)
    entries = _Rebuilt(
        np.concatenate(columns),
        kind,
        size,
        alone,
        laws[0][1] if alone else None,
        len(names),
        records is not None,
    )
    return KeyCounts(names, entries, (0, alone)[: len(ways)], records)


def _check_exact(rebuilt: np.ndarray, size: Fraction) -> None:
    """Refuse counts so large that floats rounded them: their noise is no longer all of the error.

    Every sum of the tree is one of released counts or, where leaves beyond the last key are in
    it, that and the noise of a node of each level.
    """
    height = levels(len(rebuilt))
    largest = float(np.abs(rebuilt).sum()) + _FAR * (height + 1) * (1 + 2 * float(size))
    if not largest * 2**height < _EXACT:
        raise ReleaseError(
            "these counts are so large that those rebuilt from the wavelet were rounded, so "
            "nothing exact can be said about them; sfumato query ask states an interval"
        )
