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
