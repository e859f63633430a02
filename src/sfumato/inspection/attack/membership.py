"""NOT PRIVATE: was this person in the data?  The best of an ensemble of scores.

An attacker who knows a whole record and other people like them calls it a member if its score is
high enough.  Four scores are tried:

- how close the nearest released record is (Yeom et al. 2018);
- the same as a share of how close the nearest of other people is, so that who stands apart is
  not called a stranger for it;
- the same for the fifth nearest, a ratio of densities (van Breugel et al. 2023, DOMIAS);
- how much likelier tables of pairs of columns make the record in the release than among
  others: not a copy, but a release whose tables fit its own people too well.

How high is high enough is learnt from half of the targets, and tried on the other half: so the
advantage, members called minus others called, is not flattered by the choice.  The attack with the
largest advantage that is certain is reported, at a confidence that holds for all four together.
A release that is ε-differentially private keeps the advantage below (e^ε − 1) / (e^ε + 1) for every
such attack.

It looks at whole tables.  That it fails says nothing about an outlier, whom `outlier_attack` asks
about; which records the release comes closest to, one by one, `exposure` says.
"""

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ParameterError
from sfumato.inspection.attack.bins import bins_of
from sfumato.inspection.attack.ensemble import Called, Trial, best_of
from sfumato.inspection.attack.parameter import confident
from sfumato.inspection.attack.result import Attack
from sfumato.inspection.attack.tables import CONTROL, TARGETS, Tables, nearest
from sfumato.inspection.utility import AnySchema
from sfumato.numeric.arrays import Codes, Vector
from sfumato.schema.domain import Domain

__all__ = ["SCORES", "membership_attack"]

SCORES = ("closeness", "closeness beside others", "density beside others", "tables of pairs")
_FIFTH = 5
_EQUAL = 1e-6  # a distance that stands for none


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
    called, bare = (_called(tables, side) for side in (tables.release, tables.original))
    return best_of(
        called,
        bare,
        name="membership",
        knows="the whole record of a person, and of others whether they are in the data",
        control_is=CONTROL,
        confidence=confidence,
    )


def _called(tables: Tables, released: Codes) -> Called:
    """By each score, how many members and how many strangers are called members."""
    members, strangers = tables.members, tables.strangers
    assert strangers is not None  # noqa: S101  it was asked for
    trial = Trial(len(members), len(strangers))
    inside, outside = (
        _scores(tables.domain, released, strangers[trial.others], side)
        for side in (members, strangers[trial.rest])
    )
    return trial.called(inside, outside)


def _scores(domain: Domain, released: Codes, others: Codes, targets: Codes) -> dict[str, Vector]:
    """For each target, by each score: the higher, the more like a member."""
    places = range(len(domain.axes))

    def away(records: Codes) -> NDArray[np.float64]:
        if not len(records):
            return np.ones((len(targets), 1))  # nobody to compare with
        return nearest(domain, records, targets, places, min(_FIFTH, len(records)))[0] + _EQUAL

    near, usual = away(released), away(others)
    first, last = (np.log(usual[:, k]) - np.log(near[:, k]) for k in (0, -1))
    found = (-near[:, 0], first, last, _likelier(domain, released, others, targets))
    return dict(zip(SCORES, found, strict=True))


def _likelier(domain: Domain, released: Codes, others: Codes, targets: Codes) -> Vector:
    """Log-likelihood ratio of all pairs of bins, release against others, as if independent."""
    bins = bins_of(domain, released)
    cells, release, rest = (bins(side) for side in (targets, released, others))
    sizes = np.max([side.max(axis=0, initial=0) for side in (cells, release, rest)], axis=0) + 1
    total = np.zeros(len(targets))
    for i, j in combinations(range(len(sizes)), 2):
        at, own, usual = (side[:, i] * sizes[j] + side[:, j] for side in (cells, release, rest))
        count = int(sizes[i] * sizes[j])
        shares = [(np.bincount(t, minlength=count) + 0.5) / (len(t) + 1) for t in (own, usual)]
        total += np.log(shares[0] / shares[1])[at]
    return total
