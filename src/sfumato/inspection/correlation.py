"""NOT PRIVATE: correlations between columns, in the records and in the release.

Between features from the public domain (`sfumato.synopsis.features`): a number, a 0/1 feature, a
dummy for each level.  The scores are for the owner alone; `sfumato.inspection` says why.
"""

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.inspection.figure import drawn
from sfumato.inspection.section import Picture
from sfumato.inspection.utility import AnySchema, domain_of, encoded
from sfumato.numeric.arrays import Matrix
from sfumato.report.svg import short
from sfumato.synopsis.features import Features

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["MOST_FEATURES", "Correlations", "correlations", "draw_correlations"]

MOST_FEATURES = 30  # drawn; of more, those that are farthest off


@dataclass(frozen=True)
class Correlations:
    """Pearson's coefficients between features; 0 where a feature does not vary."""

    names: tuple[str, ...]
    records: Matrix
    release: Matrix

    @property
    def error(self) -> float:
        """Mean absolute difference over all pairs of features."""
        pairs = np.triu_indices(len(self.names), 1)
        return float(np.abs(self.records - self.release)[pairs].mean()) if len(pairs[0]) else 0.0

    @property
    def worst(self) -> tuple[str, str, float, float]:
        """The pair that is farthest off, with its coefficient in the records and the release."""
        gap = np.triu(np.abs(self.records - self.release), 1)
        i, j = np.unravel_index(int(gap.argmax()), gap.shape)
        coefficients = float(self.records[i, j]), float(self.release[i, j])
        return self.names[i], self.names[j], *coefficients


def correlations(release: Any, original: Any, schema: AnySchema) -> Correlations:
    """NOT PRIVATE: correlations of the features on both sides.

    >>> import pyarrow as pa
    >>> schema = {"name": "t", "columns": {
    ...     "a": {"kind": "boolean"}, "b": {"kind": "boolean"}}}
    >>> records = pa.table({"a": [True, False], "b": [True, False]})
    >>> crossed = pa.table({"a": [True, False], "b": [False, True]})
    >>> found = correlations(crossed, records, schema)
    >>> round(found.error, 6), found.worst[:2]
    (2.0, ('a=True', 'b=True'))
    """
    domain = domain_of(schema)
    features = Features.of(domain)
    ours, theirs = (
        _coefficients(features.design(encoded(data, domain)) / features.units)
        for data in (release, original)
    )
    return Correlations(features.names, theirs, ours)


def draw_correlations(found: Correlations) -> tuple[Picture, ...]:
    """Heat-maps of the records, the release, and the difference, on one scale."""
    gap = np.abs(found.records - found.release).max(axis=0)
    kept = np.sort(np.argsort(-gap, kind="stable")[:MOST_FEATURES])
    names = [short(found.names[k], 18) for k in kept]
    square = np.ix_(kept, kept)
    first, second, before, after = found.worst
    worst = f"{first} and {second}: {before:.2f} in the records, {after:.2f} in the release"
    sides = {
        "Records": (found.records[square], f"Correlations of {len(kept)} features."),
        "Release": (found.release[square], "The same, in the release."),
        "Release minus records": (
            (found.release - found.records)[square],
            f"Mean absolute difference {found.error:.3f}; farthest off are {worst}.",
        ),
    }
    return tuple(
        drawn(title, text, partial(_draw, M=M, names=names), width=3.6, height=3.5, caption=text)
        for title, (M, text) in sides.items()
    )


def _draw(axes: "Axes", M: Matrix, names: list[str]) -> None:
    # Orange and purple stay apart for every kind of colour blindness.
    image = axes.imshow(M, cmap="PuOr", vmin=-1, vmax=1, interpolation="nearest")
    size = 7 if len(names) <= 16 else 5
    axes.set_xticks(range(len(names)), names, rotation=90, fontsize=size)
    axes.set_yticks(range(len(names)), names, fontsize=size)
    axes.tick_params(length=0)
    axes.grid(False)
    for side in axes.spines.values():
        side.set_visible(False)
    bar = axes.figure.colorbar(image, ax=axes, shrink=0.7, ticks=[-1, 0, 1])
    bar.ax.tick_params(length=0, labelsize=8)
    bar.outline.set_visible(False)


def _coefficients(X: Matrix) -> Matrix:
    centred = X - X.mean(axis=0)
    sizes = np.sqrt((centred**2).sum(axis=0))
    usable = sizes > 1e-9 * np.sqrt(max(len(X), 1))
    scaled = np.where(usable, centred / np.where(usable, sizes, 1), 0)
    found: Matrix = np.clip(scaled.T @ scaled, -1, 1)
    np.fill_diagonal(found, 1)
    return found
