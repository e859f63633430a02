"""The private file of a party: for its owner alone, and apart from what is sent."""

import pytest

from party_world import World
from sfumato import party
from sfumato.errors import PartyError


@pytest.mark.parametrize("place", ["s" * 256, "a file/state"])
def test_a_state_that_cannot_be_written_is_refused(tmp_path, place):
    world = World(tmp_path)
    (tmp_path / "a file").touch()
    with pytest.raises(PartyError, match="cannot be written"):
        party.join(world.exchange, "north", tmp_path / place)
    party.join(world.exchange, "north", tmp_path / ("s" * 255))


def test_a_state_is_for_its_owner_alone(world):
    assert world.state("north").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("name", ["north.state", "north.key.json", "deeper/../agreement.json"])
def test_a_state_does_not_lie_among_the_files_for_others(tmp_path, name):
    world = World(tmp_path)
    with pytest.raises(PartyError, match="keep the state"):
        party.join(world.exchange, "north", world.folder / name)
    assert [path.name for path in world.folder.iterdir()] == ["agreement.json"]
    party.join(world.exchange, "north", world.state("north"))
    (world.folder / "deeper").mkdir()
    moved = world.state("north").rename(world.folder / "deeper" / "state")
    with pytest.raises(PartyError, match="keep the state"):
        party.share(world.exchange, moved)


def test_who_has_joined_joins_again_with_the_same_state_alone(tmp_path):
    world = World(tmp_path)
    place = party.join(world.exchange, "north", world.state("north"))
    sent = place.read_bytes()
    assert party.join(world.exchange, "north", world.state("north")) == place
    assert place.read_bytes() == sent
    other = tmp_path / "again.state"
    with pytest.raises(PartyError, match=r"north has joined: .*key.json is not the key of .*again"):
        party.join(world.exchange, "north", other)
    assert not other.exists()
    place.unlink()
    party.join(world.exchange, "north", other)  # as the first state was never used
    replaced = place.read_bytes()
    with pytest.raises(PartyError, match=r"north has joined: .* not the key of .*north.state"):
        party.join(world.exchange, "north", world.state("north"))
    assert place.read_bytes() == replaced
