"""Records of several classes, in an even order of which any stretch can be made by itself."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from sfumato.numeric.arrays import Matrix, Whole
from sfumato.render.decode import Decoder, nearest_codes
from sfumato.synopsis.features import Features

__all__ = ["Labelled", "interleaved"]

# Features in [0, 1] of a record for each of the labels.
Sampler = Callable[[Whole, np.random.Generator], Matrix]


@dataclass(frozen=True, eq=False)
class Labelled:
    """What draws so many records of each class, label by label."""

    features: Features  # of all columns but the label
    label: int
    sizes: Whole
    sampler: Sampler
    decoder: Decoder

    def __call__(self, start: int, count: int, rng: np.random.Generator) -> pa.RecordBatch:
        """So many rows, the first of which is row `start` of the release."""
        labels = interleaved(self.sizes, start, start + count)
        codes = nearest_codes(self.features, self.sampler(labels, rng))
        codes[:, self.label] = labels
        return self.decoder.encoded(codes)


def interleaved(sizes: Whole, start: int = 0, stop: int | None = None) -> Whole:
    """Class labels in an even order, so that every stretch of records has about all classes.

    Record i of a class of s stands at (i + ½) / s of the way, and between equals the first class
    goes first.  Only what is near the rows from `start` to before `stop` is put in order.

    >>> interleaved(np.array([2, 4])).tolist(), interleaved(np.array([2, 4]), 2, 5).tolist()
    ([1, 0, 1, 1, 0, 1], [1, 1, 0])
    """
    each = [int(size) for size in sizes]  # whose products pass 64 bits
    rows, slack = sum(each), 2 * len(each)
    stop = rows if stop is None else stop
    # Up to q / rows of the way there are q records, but for half a one of each class; and as
    # many again may share a place, as far as numbers can tell.
    first, last = _upto(each, max(start - slack, 0)), _upto(each, min(stop + slack, rows))
    near = [np.arange(a, b) for a, b in zip(first, last, strict=True)]
    labels = np.repeat(np.arange(len(each)), [len(indices) for indices in near])
    places = np.concatenate(
        [(indices + 0.5) / max(size, 1) for indices, size in zip(near, each, strict=True)]
    )
    skipped = sum(first)
    order = np.argsort(places, kind="stable")[start - skipped : stop - skipped]
    return np.asarray(labels[order])


def _upto(sizes: list[int], q: int) -> list[int]:
    """How many of each class stand at most q of all records along the way."""
    rows = max(sum(sizes), 1)
    return [(2 * size * q + rows) // (2 * rows) for size in sizes]
