"""What all tests share: one seed that can be changed, one false-alarm rate."""

import os

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

SEED = int(os.environ.get("SFUMATO_TEST_SEED", "0"))

settings.register_profile(
    "house", deadline=None, derandomize=SEED == 0, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("house")


@pytest.fixture(autouse=True)
def state_folder(tmp_path_factory, monkeypatch):
    """Where heads of ledgers are noted: never the folder of whoever runs the tests."""
    folder = tmp_path_factory.mktemp("state")
    monkeypatch.setenv("XDG_STATE_HOME", str(folder))
    return folder


@pytest.fixture
def rng():
    return np.random.default_rng(SEED)
