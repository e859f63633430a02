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

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ParameterError
from sfumato.inspection.attack.bins import bins_of
from sfumato.inspection.attack.outcome import Chance, Gap, Rate, gap
from sfumato.inspection.attack.parameter import confident
from sfumato.inspection.attack.result import Attack
from sfumato.inspection.attack.tables import CONTROL, TARGETS, Tables, nearest
from sfumato.inspection.attack.telling import best_cut
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
    level = 1 - (1 - confidence) / len(SCORES)
    called, bare = (_called(tables, side) for side in (tables.release, tables.original))
    tried = []
    for name in SCORES:
        (success, control_rate), (reached, reached_by_others) = called[name], bare[name]
        share = (success.hits + control_rate.hits) / max(success.tries + control_rate.tries, 1)
        tried.append(
            Attack(
                name="membership",
                knows="the whole record of a person, and of others whether they are in the data",
                success=success,
                baseline=Chance(share),
                baseline_is="calling as many at random",
                control=control_rate,
                control_is=CONTROL,
                confidence=level,
                reach=gap(reached, reached_by_others, level),
                details={"score": name, "scores": len(SCORES)},
            )
        )
    gained = {str(one.details["score"]): one.over_control for one in tried}
    worst = max(tried, key=lambda one: (one.power, _certain(one.over_control)))
    each = {f"advantage by {name}": found.value for name, found in gained.items() if found}
    return replace(worst, details={**worst.details, **each})


def _certain(found: Gap | None) -> float:
    assert found is not None  # noqa: S101  every score was given a control above
    return found.low


def _called(tables: Tables, released: Codes) -> dict[str, tuple[Rate, Rate]]:
    """By each score, how many members and how many strangers are called members."""
    members, strangers = tables.members, tables.strangers
    assert strangers is not None  # noqa: S101  it was asked for
    half = min(len(members), len(strangers)) // 2
    others, strangers = strangers[:half:2], np.vstack([strangers[1:half:2], strangers[half:]])
    learnt = half // 2  # of the strangers; the others are whom the attacker knows to be none
    found = {}
    inside, outside = (
        _scores(tables.domain, released, others, side) for side in (members, strangers)
    )
    for name in SCORES:
        cut = best_cut(inside[name][:half], outside[name][:learnt])
        found[name] = (
            Rate(int((inside[name][half:] >= cut).sum()), len(members) - half),
            Rate(int((outside[name][learnt:] >= cut).sum()), len(strangers) - learnt),
        )
    return found


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
