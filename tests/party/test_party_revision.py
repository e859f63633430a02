"""Agreements of the first revision of a method: asked for today, or made before there were two."""

import json

import pytest

from party_world import NAMES, World, schema
from sfumato import party
from sfumato.errors import ParameterError
from sfumato.publishing.verify import verify

NUMBER = {"kind": "integer", "low": 0, "high": 9, "role": "target"}
YES = {"kind": "boolean"}
TARGET = schema("add-remove", {"left": YES, "right": YES, "dose": NUMBER})
MOSAIC = {"method": "mosaic", "schema": schema("add-remove"), "epsilon": None, "rho": "1/10"}
EARLIER = {  # as it was written when `mosaic` had no revisions
    "format": 1,
    "kind": "sfumato party agreement",
    "release": "study-1",
    "schema": {
        "name": "study",
        "neighbours": "add-remove",
        "columns": {
            "age": {"kind": "integer", "low": 0, "high": 110},
            "ill": {"role": "label", "kind": "boolean"},
            "ward": {"kind": "category", "values": ["a", "b", "c"], "other": False},
        },
    },
    "method": "mosaic",
    "options": {"records": 3000, "model": "latent"},
    "budget": {"label": "zCDP", "rho": "1/10"},
    "parties": list(NAMES),
    "dropouts": 1,
    "colluders": 1,
}


def agreed(**more):
    said = {"method": "mosaic", "release": "study-1", "rho": "1/100", "records": 10**6}
    return party.agree(TARGET, NAMES, **said | more)


def noises(world):
    return [str(event.law) for event in world.exchange.agreement.plan.events]


def test_an_exchange_that_was_begun_before_there_were_revisions_goes_on(tmp_path):
    world = World(tmp_path, **MOSAIC, records=3000)
    now, path = noises(world), world.folder / "agreement.json"
    path.write_text(json.dumps(EARLIER))
    assert world.exchange.agreement.digest.startswith("48ab6d567f03d882")
    assert noises(world) == [
        f"discrete gaussian noise, variance {v}" for v in ("33.33", "200", "7.692")
    ]
    assert now != noises(world)
    assert world.exchange.agreement.plan.longest == (134, 26, 60)
    world.joined().contribute().open().contribute().open()
    world.combined(folder=tmp_path / "release", rows=5)
    assert all(check.passed for check in verify(tmp_path / "release"))
    certificate = json.loads((tmp_path / "release" / "release.json").read_text())
    assert "revision" not in certificate["options"]


@pytest.mark.parametrize("first", [1, "1"])
def test_the_first_revision_may_be_agreed_on(tmp_path, first):
    world = World(tmp_path, **MOSAIC, records=3000, revision=first)
    assert json.loads((world.folder / "agreement.json").read_text())["options"] == {
        "records": 3000,
        "model": "latent",
    }
    assert noises(world)[-1].endswith("variance 7.692")


def test_without_one_the_latest_revision_is_agreed_on_and_stated(tmp_path):
    world = World(tmp_path, **MOSAIC, records=3000)
    assert world.exchange.agreement.file.options["revision"] == 2


def test_with_a_target_that_buys_a_choice_the_remedies_help():
    with pytest.raises(ParameterError) as refused:
        agreed()
    said = str(refused.value)
    assert said.endswith("take role: target out of the schema, or give the option revision=1")
    assert "rho" not in said
    assert agreed(revision=1).rounds == 2
    plain = {name: {**column} for name, column in TARGET["columns"].items()}
    del plain["dose"]["role"]
    assert party.agree(
        schema("add-remove", plain),
        NAMES,
        method="mosaic",
        release="study-1",
        rho="1/100",
        records=10**6,
    ).rounds


def test_a_remedy_that_does_not_help_is_not_named():
    more = {f"c{k}": YES for k in range(20)}  # of which the first revision chooses pairs
    wide = schema("add-remove", TARGET["columns"] | more)
    said = {"method": "mosaic", "release": "study-1", "rho": "1", "records": 10**6}
    with pytest.raises(ParameterError, match=r"add up: take role: target out of the schema$"):
        party.agree(wide, NAMES, **said)
    with pytest.raises(ParameterError, match=r"lap-pca or analyze-gauss$"):
        party.agree(wide, NAMES, **said, revision=1)
    with pytest.raises(ParameterError, match=r"add up: leave revision out$"):
        party.agree(schema("add-remove", more), NAMES, **said, revision=1)
    assert party.agree(schema("add-remove", more), NAMES, **said).rounds
