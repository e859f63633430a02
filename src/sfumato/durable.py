"""What was written stays written, also when the machine goes off."""

import os
from pathlib import Path

__all__ = ["flush"]


def flush(path: Path) -> None:
    """Return when a file, or the names in a folder, are on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
