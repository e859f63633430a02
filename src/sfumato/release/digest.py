"""A hash of what is saved as JSON."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

__all__ = ["digest"]


def digest(record: Mapping[str, Any]) -> str:
    """A hash of a record that is the same wherever and however it is saved.

    >>> digest({"a": 1, "b": 2, "seal": "x"}) == digest({"b": 2, "a": 1})
    True
    """
    core = {key: value for key, value in record.items() if key not in ("files", "seal")}
    return hashlib.sha256(json.dumps(core, sort_keys=True).encode()).hexdigest()
