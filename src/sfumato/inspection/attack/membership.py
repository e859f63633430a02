"""NOT PRIVATE: was this person in the data?  Told from the distance to the closest record.

An attacker who knows a whole record calls it a member if the release has a record close
enough.  How close is learnt from half of the targets, where the gap between members and
others is largest, and tried on the other half: so the advantage, members called minus
others called, is not flattered by the choice (Yeom et al. 2018).  A release that is
ε-differentially private keeps it below (e^ε − 1) / (e^ε + 1) for every such attack.

This is one attack, and a plain one: it looks at whole tables and finds copies and near copies.
That it fails says nothing about an outlier whom another attack would find.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ParameterError
from sfumato.inspection.attack.outcome import Chance, Rate, gap
from sfumato.inspection.attack.parameter import confident
from sfumato.inspection.attack.result import Attack
from sfumato.inspection.attack.tables import CONTROL, TARGETS, Tables, nearest
from sfumato.inspection.utility import AnySchema, Codes

__all__ = ["membership_attack"]

Vector = NDArray[np.float64]


def membership_attack(
    release: Any,
    original: Any,
    schema: AnySchema,
    *,
    control: Any,
    targets: int = TARGETS,
    confidence: float = 0.95,
    seed: int = 0,
) -> Attack:
    """NOT PRIVATE: how much more often members are called members than `control` records are.

    `control` are records of the same population that had no part in the release.

    >>> from sfumato.example import CLINIC, clinic
    >>> from sfumato.schema import Schema
    >>> patients = clinic(600)
    >>> known, others = patients.slice(0, 300), patients.slice(300)
    >>> membership_attack(known, known, Schema.parse(CLINIC), control=others).verdict
    'succeeds'
    >>> membership_attack(others.slice(0, 150), known, Schema.parse(CLINIC),
    ...     control=others.slice(150)).verdict
    'fails'
    """
    confident(confidence)
    tables = Tables.of(release, original, schema, control=control, targets=targets, seed=seed)
    if tables.strangers is None:
        raise ParameterError("control must be given: records that had no part in the release")
    members, strangers = tables.members, tables.strangers
    half = min(len(members), len(strangers)) // 2
    places = range(len(tables.domain.axes))

    def called(records: Codes) -> tuple[Rate, Rate, float]:
        inside, outside = (
            nearest(tables.domain, records, side, places)[0][:, 0] for side in (members, strangers)
        )
        threshold = _threshold(inside[:half], outside[:half])
        member, stranger = (
            Rate(int((side[half:] <= threshold).sum()), len(side) - half)
            for side in (inside, outside)
        )
        return member, stranger, threshold

    success, control_rate, threshold = called(tables.release)
    bare = called(tables.original)
    share = (success.hits + control_rate.hits) / max(success.tries + control_rate.tries, 1)
    return Attack(
        name="membership",
        knows="the whole record of a person, and of others whether they are in the data",
        success=success,
        baseline=Chance(share),
        baseline_is="calling as many at random",
        control=control_rate,
        control_is=CONTROL,
        confidence=confidence,
        reach=gap(bare[0], bare[1], confidence),
        details={"threshold": threshold},
    )


def _threshold(inside: Vector, outside: Vector) -> float:
    """The distance up to which most more members than others lie; -1, nobody, if no such."""
    cuts = np.unique(np.concatenate([inside, outside]))
    gaps = np.searchsorted(np.sort(inside), cuts, "right") - np.searchsorted(
        np.sort(outside), cuts, "right"
    )
    return float(cuts[gaps.argmax()]) if len(cuts) and gaps.max() > 0 else -1.0
