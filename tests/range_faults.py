"""Faults to be seeded into estimates: how far scores move, what is counted, what is published."""

import numpy as np

from sfumato.facts import measuring, reading
from sfumato.facts.selection import WEIGHT
from sfumato.facts.window import Windows

__all__ = ["RANGE_FAULTS", "VALUE_FAULTS"]


def windows_at_the_price_of_nested_ones(monkeypatch):
    """A replaced record is priced as if it moved all windows one way."""
    monkeypatch.setattr(Windows, "apart", lambda self, neighbours: 1)


def every_value_of_a_group_counted(monkeypatch):
    """A record of two columns is outside twice."""
    real = Windows.scores

    def scores(self, pairs, alpha, records):
        apart = pairs.low != pairs.high
        twice = type(pairs)(pairs.low, pairs.high, pairs.count * (1 + apart))
        return real(self, twice, alpha, records)

    monkeypatch.setattr(Windows, "scores", scores)


def costs_by_the_records_there_are(monkeypatch):
    """The public costs follow from the private number of records."""
    real = Windows.scores

    def scores(self, pairs, alpha, _records):
        return real(self, pairs, alpha, 8 * int(pairs.count.sum()))

    monkeypatch.setattr(Windows, "scores", scores)


def ends_moved_to_the_last_value(monkeypatch):
    """The window is private, and then it is fitted to the records."""
    seen, honest, ends = [], measuring.read_range, Windows.ends

    def read(*given, **more):
        found = honest(*given, **more)
        seen[:] = [int(found[0].min())]
        return found

    def fitted(self, index):
        low, high = ends(self, index)
        # Before a record is read the ends are asked for as well, to see whether there is room.
        return low, high + 1 + seen[0] % 7 if seen else high

    monkeypatch.setattr(measuring, "read_range", read)
    monkeypatch.setattr(Windows, "ends", fitted)


def values_at_full_weight(monkeypatch):
    """A record gives its whole weight to each of its values."""
    monkeypatch.setattr(measuring, "item_weight", lambda values: WEIGHT)


def values_found_by_exact_weights(monkeypatch):
    honest = measuring.Reader._select

    def select(self, one, weights, purse):
        honest(self, one, weights, purse)
        for values, exact in zip(self._values.values(), weights, strict=True):
            texts = list(values.texts)
            values.found.update((texts[k], None) for k in np.flatnonzero(exact > 3 * WEIGHT))

    monkeypatch.setattr(measuring.Reader, "_select", select)


def long_values_told_apart(monkeypatch):
    """Whether a value can be found depends on how many records have it."""
    honest = reading.read_texts

    def read(column, other):
        index, found = honest(column, other)
        counts = np.bincount(index, minlength=len(found))
        return index, [t if counts[k] > 2 else None for k, t in enumerate(found)]

    monkeypatch.setattr(measuring, "read_texts", read)


def no_noise_where_there_is_no_value(monkeypatch):
    honest = measuring.Reader._select

    def select(self, one, weights, purse):
        if any(exact.any() for exact in weights):
            honest(self, one, weights, purse)
        else:
            purse.pay(one.noise).add(np.empty(0, np.int64), np.empty(0, np.int64))

    monkeypatch.setattr(measuring.Reader, "_select", select)


RANGE_FAULTS = (
    windows_at_the_price_of_nested_ones,
    every_value_of_a_group_counted,
    costs_by_the_records_there_are,
    ends_moved_to_the_last_value,
)
VALUE_FAULTS = (
    values_at_full_weight,
    values_found_by_exact_weights,
    long_values_told_apart,
    no_noise_where_there_is_no_value,
)
