"""What parties open together is what one owner would have released, whoever drops out."""

import pytest

from party_world import World, schema
from sfumato.privacy.guarantee import PureDP, Seeded
from sfumato.publishing.verify import verify

CATEGORIES = {
    "age": {"kind": "id"},
    "ill": {"kind": "boolean"},
    "ward": {"kind": "category", "values": ["a", "b", "c"]},
}
CASES = {
    "dp-lda": {"method": "dp-lda"},
    "dp-lda, gaussian": {"method": "dp-lda", "epsilon": None, "rho": "1/10"},
    "modips": {"method": "modips", "epsilon": 1, "delta": "1e-6"},
    "lap-pca, two purchases": {"method": "lap-pca"},
    "analyze-gauss": {"method": "analyze-gauss", "epsilon": None, "rho": "1/10"},
    "mosaic, one round": {
        "method": "mosaic",
        "schema": schema("add-remove", CATEGORIES),
        "epsilon": None,
        "rho": "1/10",
    },
    "mosaic, two rounds": {
        "method": "mosaic",
        "schema": schema("add-remove"),
        "epsilon": 1,
        "delta": "1e-6",
    },
    "mosaic, one-way": {"method": "mosaic", "schema": schema("add-remove"), "records": 40},
}


@pytest.mark.parametrize("case", CASES)
def test_the_opened_sum_is_the_synopsis_of_one_owner(tmp_path, case):
    world = World(tmp_path, **CASES[case]).joined()
    for _ in range(world.exchange.agreement.rounds):
        world.contribute().open()
    release = world.combined()
    assert release.synopsis == world.owner()
    assert isinstance(release.guarantee, Seeded)  # the noise of the test is no secret


@pytest.mark.parametrize("gone", ["north", "south", "west"])
def test_a_party_that_drops_out_before_it_contributes_is_not_in_the_sum(tmp_path, gone):
    world = World(tmp_path).joined()
    left = [name for name in world.names if name != gone]
    world.contribute(*left).open(*left)
    assert world.combined().synopsis == world.owner(*left)


@pytest.mark.parametrize("gone", ["north", "south", "west"])
def test_a_party_that_drops_out_after_it_contributed_is_in_the_sum(tmp_path, gone):
    world = World(tmp_path).joined()
    world.contribute().open(*(name for name in world.names if name != gone))
    assert world.combined().synopsis == world.owner()


def test_the_release_is_a_folder_that_verifies(tmp_path):
    world = World(tmp_path).joined()
    world.contribute(seeds={}).open("north", "west")
    release = world.combined(folder=tmp_path / "release")
    assert release.guarantee == PureDP(1)
    checks = verify(tmp_path / "release")
    assert [check.name for check in checks if not check.passed] == []
    facts = release.certificate.parties
    assert facts.contributed == world.names
    assert (facts.honest, facts.threshold) == (1, 2)
    said = " ".join(release.certificate.limits)
    assert "the variance is 3 times" in said
    assert "No ledger was kept" not in said
