"""Components that were released before, as the basis of another release: bought once.

Whatever was released may be used again: what both releases cost together is what their parts
cost, each in view of the ones before.  The components of a release are those of its noisy second
moments; a release without moments (the power method) stands for the variance that it shows.
Columns that the later release leaves out of its components (a label, say) are left out of the
moments first.
"""

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.errors import ParameterError, ReleaseError
from sfumato.numeric.arrays import Matrix
from sfumato.privacy.budget import Budget, approx_from_zcdp
from sfumato.privacy.guarantee import (
    ZCDP,
    ApproxDP,
    Guarantee,
    Heuristic,
    Seeded,
    compose,
    from_json,
    to_json,
)
from sfumato.privacy.sensitivity import Neighbours
from sfumato.release.certificate import Certificate, stated
from sfumato.release.folder import is_release
from sfumato.release.release import Release
from sfumato.render.components import COLUMNS, leading
from sfumato.render.discriminant import discriminants_of
from sfumato.schema.domain import Axis, Domain
from sfumato.synopsis.centred import Centred
from sfumato.synopsis.features import Features
from sfumato.synopsis.moments import MomentLayout, MomentSynopsis
from sfumato.synopsis.scatter import ScatterLayout, ScatterSynopsis

__all__ = ["KINDS", "bought_before", "released", "released_components"]

_DCA = "dca"
KINDS = ("lap-pca", "analyze-gauss", "power-method", _DCA)


def released(data: Any) -> Release | None:
    """The release that `data` is, or whose folder it names; None for anything else."""
    if isinstance(data, Release):
        return data
    if isinstance(data, str | Path) and str(data) and is_release(Path(data)):
        return Release.load(data)
    return None


def released_components(space: Centred, release: Release) -> dict[str, Any]:
    """What the certificate of a later release has of the components: origin, values, U, mean."""
    told = release.certificate
    if told.method not in KINDS:
        raise ParameterError(
            f"basis is a release by {told.method}, which has no components: "
            f"give one by {', '.join(KINDS[:-1])} or {KINDS[-1]}"
        )
    if isinstance(told.guarantee, Heuristic | Seeded):
        raise ParameterError(
            f"basis is a release with {told.statement}: only what was released under a promise "
            "can be used again"
        )
    domain = Domain.of(stated(told.public_schema))
    apart = (domain.label,) if told.method == _DCA and domain.label is not None else ()
    own = Features.of(domain, without=apart)
    chosen, record = _places(space.features, own), release.synopsis or {}
    try:
        values, U, centre = _components(release, own, chosen, record)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError):
        raise ReleaseError("the components of the basis do not fit its schema") from None
    if not ((centre >= 0) & (centre <= 1)).all():
        raise ReleaseError("the components of the basis do not fit its schema")
    arrays = {"values": values, "U": U, "mean": centre - space.middle}
    return _origin(told) | {key: array.tolist() for key, array in arrays.items()}


def _origin(told: Certificate) -> dict[str, Any]:
    return {
        "release": told.release,
        "digest": told.digest,
        "dataset": told.dataset,
        "method": told.method,
        "neighbours": told.neighbours,
        "costs": [to_json(event.cost) for event in told.events],
    }


def _places(wanted: Features, own: Features) -> list[int]:
    """Where each feature stands in the basis; refused where a column is declared otherwise."""
    place = {(own.domain.axes[item.axis].name, item.level): k for k, item in enumerate(own.items)}
    axes = (own.domain.axes[item.axis] for item in own.items)
    declared = {axis.name: axis for axis in axes}
    found = []
    for item in wanted.items:
        axis = wanted.domain.axes[item.axis]
        if axis.name not in declared:
            raise ParameterError(
                f"column {axis.name}: the basis has no component of it: take the column out of "
                "this schema, or choose a method that keeps it apart (lop: space=components keeps "
                "a label)"
            )
        if _meaning(declared[axis.name]) != _meaning(axis):
            raise ParameterError(
                f"column {axis.name}: the basis was released with other values or another range: "
                "declare it alike in both schemas"
            )
        found.append(place[axis.name, item.level])
    return found


def _meaning(axis: Axis) -> dict[str, Any]:
    """What a value of a column stands for, whatever part the column plays."""
    return axis.column.model_dump(exclude={"role", "provenance"})


def _components(
    release: Release, own: Features, chosen: list[int], record: Mapping[str, Any]
) -> tuple[Matrix, Matrix, Matrix]:
    """Variances, directions and centre in the chosen features, again from what was released."""
    told, moments = release.certificate, record["moments"]
    relation: Neighbours = "replace-one" if told.neighbours == "replace-one" else "add-remove"
    if told.method == _DCA:
        layout = MomentLayout(own, relation, moments["classes"])
        synopsis = MomentSynopsis.from_json(moments, layout)
        return discriminants_of(synopsis, told.measured[0].deviation, chosen)
    width, kept = len(chosen), len(chosen)
    if moments is not None:
        space = Centred(own, None if moments["radius"] is None else Fraction(moments["radius"]))
        covariance = ScatterSynopsis.from_json(moments, ScatterLayout(space, relation)).covariance
    else:
        # All that is known of the variance is what the components carry.
        U = np.array([release.table.column(name).to_numpy() for name in own.names])
        covariance = (U * release.table.column(COLUMNS[1]).to_numpy()) @ U.T
        kept = min(U.shape[1], width)
    values, directions = leading(covariance[np.ix_(chosen, chosen)], width)
    return values, directions[:kept], np.array(record["centre"], np.float64)[chosen]


def bought_before(
    fields: Mapping[str, Any],
    source: str | None,
    costs: tuple[Guarantee, ...],
    budget: Budget,
    neighbours: Neighbours,
) -> str:
    """What a certificate says of components that another release has paid for.

    `costs` are those of the later release alone, `budget` what it was planned for; `source`
    says whose records the components are of, where they are of others.
    """
    try:
        before = tuple(from_json(cost) for cost in fields["costs"])
        release, method, relation = (fields[key] for key in ("release", "method", "neighbours"))
    except (KeyError, TypeError, AttributeError):
        raise ParameterError("the basis must state its release, its method and its costs") from None
    whose = f'; stated source: "{source}"' if source else ""
    first = (
        f"The components were bought by release {release} ({method}, {relation}{whose}), and "
        "nothing is paid for them here."
    )
    if relation != neighbours:
        return f"{first} The promise of this release is under {neighbours}: both do not add up."
    together = compose(*before, *costs)
    said = str(together)
    if isinstance(together, ZCDP) and isinstance(budget, ApproxDP):
        said += f", so {approx_from_zcdp(together.rho, budget.delta)}"
    return f"{first} Where they are of the same records, both releases promise together: {said}."
