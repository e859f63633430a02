"""A hash of what is saved as JSON."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

__all__ = ["digest", "whole_digest"]

_OUTSIDE = ("files", "seal")  # what a certificate says of its folder


def digest(record: Mapping[str, Any]) -> str:
    """A hash of a record that is the same wherever and however it is saved.

    >>> digest({"a": 1, "b": 2, "seal": "x"}) == digest({"b": 2, "a": 1})
    True
    """
    return whole_digest({key: value for key, value in record.items() if key not in _OUTSIDE})


def whole_digest(record: Mapping[str, Any]) -> str:
    """The same of a record that is no certificate, which has nothing that is left out.

    >>> whole_digest({"a": 1, "seal": "x"}) == whole_digest({"a": 1})
    False
    """
    return hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()
