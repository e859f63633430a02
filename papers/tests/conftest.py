"""The seed and the folder of state are those of the package's own tests."""

from conftest import rng, state_folder, state_folders

__all__ = ["rng", "state_folder", "state_folders"]
