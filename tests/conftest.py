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


@pytest.fixture
def rng():
    return np.random.default_rng(SEED)
