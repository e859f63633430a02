"""The passes over the records: places, levels and weights, then the draws that were paid for.

NOT PRIVATE until it is drawn: `measured` hands out what was drawn and nothing else.
"""

import hashlib
import hmac
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from sfumato.errors import DataError
from sfumato.facts.found import Found
from sfumato.facts.plan import FactsPlan, RangePlan
from sfumato.facts.reading import joined, read_range, read_texts
from sfumato.facts.selection import WEIGHT, Round, item_weight
from sfumato.facts.window import Pairs
from sfumato.facts.writing import origin_of
from sfumato.numeric.arrays import Whole
from sfumato.privacy.mechanism import Purse
from sfumato.table.row_digest import row_digests, row_weights
from sfumato.table.source import Source, broken_off

__all__ = ["Reader"]

_MOST_VALUES = 10_000  # that a category may list


class Reader:
    """NOT PRIVATE: a table that facts are bought of; the fingerprint is of what is read."""

    def __init__(
        self,
        plan: FactsPlan,
        source: Source,
        key: bytes | None,
        progress: Callable[[int], None] | None = None,
    ) -> None:
        self._plan, self._source = plan, source
        self._progress = progress or (lambda _: None)
        self._values = {name: _Values() for name in plan.asked.categories}
        self._tally = None if key is None else _Tally(key, plan)
        self._fingerprint: bytes | None = None

    def fingerprint(self) -> bytes | None:
        """A keyed digest of the columns that were read: it is known after the first pass."""
        return self._fingerprint

    def measured(self, purse: Purse) -> Found:
        """Ranges and steps from one pass, values from one pass for each round."""
        statistics, weights = self._first()
        found = Found.empty()
        for one, (pairs, levels) in zip(self._plan.ranges, statistics, strict=True):
            alpha = one.draw.rate * one.draw.unit
            bits = purse.spend(one.draw.event)
            window = one.draw.draw(one.windows.scores(pairs, alpha, self._plan.records), bits)
            step = None
            if one.step_draw is not None:
                bits = purse.spend(one.step_draw.event)
                alpha = one.step_draw.rate * one.step_draw.unit
                step = one.step_draw.draw(one.steps.scores(levels, alpha), bits)
            found = found.with_range(window, step)
        for number, one_round in enumerate(self._plan.rounds):
            self._select(one_round, self._weights() if number else weights, purse)
        named = {name: tuple(values.found)[:_MOST_VALUES] for name, values in self._values.items()}
        return found.with_values(named)

    def _first(self) -> tuple[list[tuple[Pairs, Whole]], list[Whole]]:
        empty = np.empty(0, np.int64)
        ranges = [
            (Pairs.of(empty, empty), np.zeros(len(one.steps.names), np.int64))
            for one in self._plan.ranges
        ]
        weights = [np.zeros(0, np.int64) for _ in self._values]
        for batch in self._batches(self._plan.asked.bought):
            read = [_read(self._plan, one, batch) for one in self._plan.ranges]
            ranges = [(a + x.pairs, b + x.levels) for (a, b), x in zip(ranges, read, strict=True)]
            texts = [self._indexed(name, batch) for name in self._values]
            weights = self._weighed(texts, weights)
            if self._tally is not None:
                self._tally.add([c for x in read for c in x.columns], list(self._values), batch)
        if self._tally is not None:
            self._fingerprint = self._tally.digest()
        return ranges, weights

    def _weights(self) -> list[Whole]:
        """The weights of all values that were not found yet: another pass."""
        weights = [np.zeros(0, np.int64) for _ in self._values]
        for batch in self._batches(tuple(self._values)):
            texts = [self._indexed(name, batch) for name in self._values]
            weights = self._weighed(texts, weights)
        return weights

    def _indexed(self, name: str, batch: pa.RecordBatch) -> Whole:
        """For each record the number of its value in this column; -1 where it has none left."""
        index, texts = read_texts(batch.column(name), self._plan.declared(name))
        known = self._values[name]
        numbers = [-1 if text is None else known.number(text) for text in texts]
        return np.array(numbers, np.int64)[index]

    def _weighed(self, texts: list[Whole], weights: list[Whole]) -> list[Whole]:
        if not texts:
            return weights
        left = np.sum([index >= 0 for index in texts], axis=0)
        each = np.array([0, *(item_weight(r) for r in range(1, len(texts) + 1))], np.int64)[left]
        found = []
        for index, before, values in zip(texts, weights, self._values.values(), strict=True):
            total = np.zeros(len(values.texts), np.int64)
            total[: len(before)] = before
            np.add.at(total, index[index >= 0], each[index >= 0])
            found.append(total)
        return found

    def _select(self, one: Round, weights: list[Whole], purse: Purse) -> None:
        """Noise on every value that occurs, in an order that the records do not decide."""
        items = sorted(
            (text, place, number)
            for place, values in enumerate(self._values.values())
            for number, text in enumerate(values.texts)
            if weights[place][number] > 0
        )
        paid = purse.pay(one.noise)
        exact = np.array([weights[place][number] for _, place, number in items], np.int64)
        # One draw more, which nobody sees: where no record has a value there is noise as well, or
        # the ledger would show that none was drawn.
        units = np.full(len(items) + 1, WEIGHT, np.int64)
        noisy = paid.add(np.append(exact, 0), units)[:-1]
        known = list(self._values.values())
        reached = [k for k in np.argsort(-noisy, kind="stable") if noisy[k] >= one.threshold]
        for k in reached:
            text, place, _ = items[k]
            known[place].found[text] = None

    def _batches(self, columns: tuple[str, ...]) -> Iterator[pa.RecordBatch]:
        reason = None
        try:
            for batch in self._source.batches(list(columns)):
                yield batch
                self._progress(batch.num_rows)
        except Exception as error:
            reason = broken_off(error)
        if reason:  # raised here, because the error above may quote a record
            raise DataError(reason)


class _Values:
    """NOT PRIVATE: the texts of a column by number, and those that were found."""

    def __init__(self) -> None:
        self.texts: dict[str, int] = {}
        self.found: dict[str, None] = {}

    def number(self, text: str) -> int:
        """The number of a text; -1 for one that was found already."""
        if text in self.found:
            return -1
        return self.texts.setdefault(text, len(self.texts))


class _Read(NamedTuple):
    """NOT PRIVATE: one group of columns of a batch."""

    pairs: Pairs
    levels: Whole
    columns: list[Whole]


def _read(plan: FactsPlan, one: RangePlan, batch: pa.RecordBatch) -> _Read:
    origin, down = origin_of(one)
    read = [
        read_range(batch.column(name), plan.declared(name), origin=origin, down=down)
        for name in one.columns
    ]
    places = [place for place, _ in read]
    several = len(one.steps.names)
    level = np.minimum(np.max([levels for _, levels in read], axis=0), several - 1)
    counts = np.bincount(level, minlength=several)
    return _Read(Pairs.of(*joined(places)), counts, places)


class _Tally:
    """Sum over records of a keyed hash, modulo 2^64, twice with independent keys."""

    def __init__(self, key: bytes, plan: FactsPlan) -> None:
        self._key, self._plan, self._columns, self._rows = key, plan, plan.asked.bought, 0
        self._weights = row_weights(key, len(self._columns), 2)
        self._sums = np.zeros(2, np.uint64)

    def add(self, places: list[Whole], texts: list[str], batch: pa.RecordBatch) -> None:
        """Count the records of a batch, by their places and their texts."""
        codes = np.empty((batch.num_rows, len(self._columns)), np.int32, order="F")
        for k, place in enumerate(places):
            codes[:, k] = place % (2**31 - 1)
        for k, name in enumerate(texts, len(places)):
            index, found = read_texts(batch.column(name), self._plan.declared(name))
            hashed = [self._hashed(text) for text in found]
            codes[:, k] = np.array(hashed, np.int32)[index]
        mixed = [row_digests(codes, w).sum(dtype=np.uint64) for w in self._weights]
        self._rows += batch.num_rows
        self._sums += np.array(mixed, np.uint64)

    def _hashed(self, text: str | None) -> int:
        data = b"" if text is None else text.encode()
        digest = hashlib.blake2b(data, digest_size=4, key=self._key[:64]).digest()
        return int.from_bytes(digest, "big") >> 1

    def digest(self) -> bytes:
        """Also of a handful of records: whether there is one must not tell how many there are."""
        facts = repr(("estimate", self._columns)).encode()
        content = self._rows.to_bytes(8, "big") + self._sums.tobytes() + facts
        return hmac.digest(self._key, content, "sha256")
