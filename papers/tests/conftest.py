"""The seed and the folder of state are those of the package's own tests."""

from conftest import rng, state_folder

__all__ = ["rng", "state_folder"]
