"""Tables of all codes under audit: within their claim, and a third of their noise is caught."""

from fractions import Fraction

import pytest

import sfumato.measure.codes
from sfumato.inspection.audit.frozen import freeze
from sfumato.inspection.audit.neighbours import neighbours
from sfumato.methods.mosaic.method import METHOD, plan
from sfumato.privacy.budget import budget
from sfumato.privacy.sensitivity import Sensitivity
from sfumato.schema import Schema
from sfumato.schema.domain import Domain

SETTING = next(setting for setting in METHOD.audit.settings if setting.name == "coded")


def found(relation, **asked):
    domain = Domain.of(Schema.of({**SETTING.schema, "neighbours": relation}))
    made = plan(domain, budget(**asked), **SETTING.options, model="forest")
    assert "code tables" in [event.statistic for event in made.events]
    return freeze(made, neighbours(domain)[:2])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("relation", "asked"),
    [("replace-one", {"epsilon": 2}), ("add-remove", {"rho": "0.5"})],
    ids=str,
)
def test_neighbours_stay_within_the_claim_and_a_third_of_the_noise_is_caught(
    relation, asked, monkeypatch
):
    sound = found(relation, **asked)
    assert sound.complete
    assert sound.violations == ()
    assert sound.worst <= 1
    whole = sfumato.measure.codes.moved

    def a_third(tables, neighbours):
        claim = whole(tables, neighbours)
        return Sensitivity(claim.l1 / 3, claim.l2_squared * Fraction(1, 9))

    monkeypatch.setattr(sfumato.measure.codes, "moved", a_third)
    assert found(relation, **asked).violations
