"""NOT PRIVATE: principal components of the records, and of the release beside them.

Of features in [0, 1] from the public domain, so no column is scaled by what it holds.  The
picture of both clouds shows their centre and spread and the rows of the release; a record
is never drawn.  The scores are for the owner alone; `sfumato.inspection` says why.
"""

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.inspection.figure import drawn
from sfumato.inspection.section import Picture
from sfumato.inspection.utility import AnySchema, domain_of, encoded
from sfumato.numeric.arrays import Matrix
from sfumato.render.components import leading
from sfumato.report.style import COLOURS, INK, QUIET
from sfumato.report.svg import short
from sfumato.synopsis.features import Features

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Clouds", "clouds", "draw_clouds"]

_SHOWN = 10  # components of the scree
_ARROWS = 6
_DOTS = 400  # rows of the release


@dataclass(frozen=True)
class Clouds:
    """Both sides along the first two components of the records."""

    names: tuple[str, ...]
    scree: tuple[Matrix, Matrix]  # shares of the variance: records, release
    axes: Matrix  # the two components, one per row
    centres: tuple[Matrix, Matrix]
    spreads: tuple[Matrix, Matrix]  # covariances in the plane
    rows: Matrix  # of the release, in the plane
    kept: float  # of what these two hold, the share that the release's first two hold


def clouds(release: Any, original: Any, schema: AnySchema) -> Clouds | None:
    """NOT PRIVATE: components on both sides; None where there are not two to speak of.

    >>> from sfumato.example import CLINIC, clinic
    >>> from sfumato.schema import Schema
    >>> patients = clinic(300)
    >>> found = clouds(patients, patients, Schema.parse(CLINIC))
    >>> round(found.kept, 6), bool((found.scree[0] == found.scree[1]).all())
    (1.0, True)
    """
    domain = domain_of(schema)
    features = Features.of(domain)
    Z, X = (features.design(encoded(data, domain)) / features.units for data in (release, original))
    if len(features) < 2 or len(X) < 3 or len(Z) < 3:
        return None
    exact, noisy = np.cov(X.T), np.cov(Z.T)
    if np.trace(exact) <= 0:
        return None
    axes, ours = (leading(S, 2)[1] for S in (exact, noisy))
    held = float(np.trace(ours @ exact @ ours.T) / np.trace(axes @ exact @ axes.T))
    centre = X.mean(axis=0)
    at = [(Y.mean(axis=0) - centre) @ axes.T for Y in (X, Z)]
    return Clouds(
        features.names,
        (_shares(exact), _shares(noisy)),
        axes,
        (at[0], at[1]),
        (axes @ exact @ axes.T, axes @ noisy @ axes.T),
        (Z[:_DOTS] - centre) @ axes.T,
        held,
    )


def draw_clouds(found: Clouds) -> tuple[Picture, Picture]:
    """The scree of both sides, and both clouds in the plane of the records' components."""
    first = " and ".join(f"{100 * side[:2].sum():.0f} %" for side in found.scree)
    said = f"The first two components hold {first} of the variance (records, release)."
    scree = drawn(
        "Variance by component", said, partial(_scree, found=found), height=2.8, caption=said
    )
    far = float(np.linalg.norm(found.centres[1] - found.centres[0]))
    said = (
        f"Ellipses hold about nine tenths of each side; the centre of the release lies {far:.2f} "
        f"ranges from that of the records. Arrows show the {_ARROWS} columns that matter most, "
        "dots are rows of the release."
    )
    title = "Along the records' components"
    plane = drawn(title, said, partial(_plane, found=found), height=3.4, caption=said)
    return scree, plane


def _scree(axes: "Axes", found: Clouds) -> None:
    for side, name, colour, marker in zip(
        found.scree, ("records", "release"), (QUIET, COLOURS[1]), "os", strict=True
    ):
        shown = 100 * side[:_SHOWN]
        axes.plot(range(1, len(shown) + 1), shown, color=colour, marker=marker, label=name)
    count = min(_SHOWN, len(found.scree[0]))
    axes.set(xlabel="component", ylabel="% of the variance", ylim=(0, None))
    axes.set_xticks(range(1, count + 1))
    axes.legend()


def _plane(axes: "Axes", found: Clouds) -> None:
    axes.plot(*found.rows.T, ".", color=COLOURS[1], markersize=2, alpha=0.5, linestyle="none")
    around = np.linspace(0, 2 * np.pi, 121)
    circle = 2.146 * np.vstack([np.cos(around), np.sin(around)])  # 90 % of a Gaussian
    for centre, spread, name, colour, dash in zip(
        found.centres,
        found.spreads,
        ("records", "release"),
        (INK, COLOURS[1]),
        ("-", (0, (4, 2))),
        strict=True,
    ):
        values, vectors = np.linalg.eigh(spread)
        x, y = centre[:, None] + vectors * np.sqrt(np.maximum(values, 0)) @ circle
        axes.plot(x, y, color=colour, linestyle=dash, label=name)
    reach = float(np.abs(found.rows).max(initial=0.1))
    longest = np.linalg.norm(found.axes, axis=0)
    for k in np.argsort(-longest)[:_ARROWS]:
        x, y = 0.8 * reach * found.axes[:, k] / longest.max()
        axes.annotate("", (x, y), (0, 0), arrowprops={"arrowstyle": "->", "color": COLOURS[0]})
        name = short(found.names[k], 18)
        axes.annotate(name, (x, y), color=COLOURS[0], fontsize=7, ha="left" if x > 0 else "right")
    axes.set(xlabel="first component", ylabel="second component")
    axes.legend(loc="best", fontsize=8)


def _shares(S: Matrix) -> Matrix:
    values = np.maximum(np.linalg.eigvalsh(S)[::-1], 0)
    return np.asarray(values / max(values.sum(), np.finfo(float).tiny))
