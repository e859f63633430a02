"""A power cut at every sync: no charge, draw or answer is lost, and nothing is half published."""

import pytest

from conftest import SEED
from power.watching import LOOKS, faults, recorder
from slowness import slow


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return recorder(tmp_path_factory.mktemp("recorder"))


@pytest.fixture(autouse=True)
def world_as_it_was(monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", "set by the recording")


@pytest.mark.slow
@pytest.mark.parametrize("scenario", LOOKS)
def test_no_power_cut_and_no_torn_write_breaks_a_promise(scenario, library, tmp_path):
    """Cut at every sync; how writes are torn at each is drawn, with other seeds otherwise."""
    assert faults(scenario, tmp_path, library, torn=16, seed=SEED) == {}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scenario", "control", "fault"),
    [
        ("publish", "lax", "the charge is lost"),
        slow("publish", "forgetful", "half a release is visible"),
        slow("stream", "late", "one state is taken up twice"),
        slow("desk", "lax", "an answer that was given is lost"),
    ],
)
def test_who_does_not_wait_for_the_disk_is_caught(scenario, control, fault, library, tmp_path):
    assert fault in faults(scenario, tmp_path, library, control, torn=0, seed=SEED)
