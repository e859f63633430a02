"""Parties that are shown different contributions: one list is opened, or none."""

import shutil

import pytest

from party_world import NAMES, World, schema
from sfumato import party
from sfumato.errors import PartyError
from sfumato.party.exchange import list_digest
from sfumato.party.opening import unused_openings


def seen_by(world, name, *missing):
    """The folder as somebody shows it to this party, who opens what is there."""
    folder = world.path / f"shown-to-{name}"
    shutil.copytree(world.folder, folder)
    for file in (*missing, *(f"{other}.opening-1.json" for other in NAMES)):
        (folder / file).unlink(missing_ok=True)
    made = party.open_round(party.Exchange(folder), world.state(name)).place
    shutil.copy(made, world.folder)


def test_nobody_opens_a_second_list_beside_one_that_was_opened(world):
    world.contribute()
    seen_by(world, "north", "west.contribution-1.json")
    with pytest.raises(PartyError, match=r"north has opened another list.*--without"):
        world.open("south")
    assert not (world.folder / "south.opening-1.json").exists()
    world.open("south", without=["west"])
    assert world.combined().synopsis == world.owner("north", "south")


def test_openings_that_have_another_list_are_left_out_and_named(world):
    world.contribute()
    seen_by(world, "north", "west.contribution-1.json")
    seen_by(world, "south")
    with pytest.raises(PartyError, match=r"2 of the same.*north opened north, south: .*; south op"):
        world.combined()
    seen_by(world, "west")
    assert world.combined().synopsis == world.owner()
    assert unused_openings(world.exchange) == [(1, "north")]


def test_two_lists_that_were_both_opened_make_no_release(tmp_path):
    world = World(tmp_path, parties=("north", "south", "west", "east"), dropouts=2, colluders=0)
    world.joined().contribute()
    assert world.exchange.agreement.threshold == 2
    for name in ("north", "south"):
        seen_by(world, name, "west.contribution-1.json", "east.contribution-1.json")
    for name in ("west", "east"):
        seen_by(world, name)
    with pytest.raises(PartyError, match="more than one could be added up"):
        world.combined()


def test_only_the_list_that_was_compared_is_opened(world):
    world.contribute("north", "south")
    digests = {name: world.exchange.contributions(1)[name].digest for name in ("north", "south")}
    right = party.fingerprint(list_digest(digests))
    wrong = party.fingerprint("0" * 64)
    for _ in range(2):  # before, and when it is written again
        with pytest.raises(PartyError, match="not the one that was given"):
            party.open_round(world.exchange, world.state("north"), listed=wrong)
        party.open_round(world.exchange, world.state("north"), listed=right)
    party.open_round(world.exchange, world.state("south"), listed=right.replace(" ", "").upper())


def test_a_contribution_that_nobody_waits_for_is_not_measured(world, ledger):
    world.contribute("north", "south").open("north")
    with pytest.raises(PartyError, match="north has opened round 1 without you"):
        world.contribute("west", seeds={}, ledger=ledger)
    assert ledger.entry("study-1") is None


def test_an_older_copy_of_a_state_is_not_used_for_a_second_contribution(world):
    before = world.state("north").read_bytes()
    world.contribute("north", seeds={})
    world.state("north").write_bytes(before)
    with pytest.raises(PartyError, match="an older copy of the state"):
        party.contribute(world.exchange, world.state("north"), world.tables["south"])


def test_a_file_that_was_lost_is_written_again(world):
    world.contribute(seeds={}).open()
    made = world.exchange.place("north", "contribution", 1)
    kept = made.read_bytes()
    made.unlink()
    assert party.contribute(world.exchange, world.state("north"), world.tables["north"]).again
    assert made.read_bytes() == kept
    opening = world.exchange.place("north", "opening", 1)
    kept = opening.read_bytes()
    opening.unlink()
    assert party.open_round(world.exchange, world.state("north")).again
    assert opening.read_bytes() == kept


def test_of_two_rounds_the_first_file_that_was_lost_is_written_again(tmp_path):
    world = World(
        tmp_path, method="mosaic", schema=schema("add-remove"), epsilon=None, rho="1/10"
    ).joined()
    world.contribute().open().contribute().open()
    for what, again in (("contribution", world.contribute), ("opening", world.open)):
        places = [world.exchange.place("north", what, number) for number in (1, 2)]
        kept = [place.read_bytes() for place in places]
        for place in places:
            place.unlink()
        again("north")
        assert not places[1].exists()
        again("north")
        assert [place.read_bytes() for place in places] == kept
