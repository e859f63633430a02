"""Short ways to declare a column in a schema."""

from typing import Any

__all__ = ["one_of", "whole"]


def whole(low: int, high: int, **more: Any) -> dict[str, Any]:
    """A whole number of this range."""
    return {"kind": "integer", "low": low, "high": high} | more


def one_of(*values: str, **more: Any) -> dict[str, Any]:
    """One of these values, and no other."""
    return {"kind": "category", "values": list(values), "other": False} | more
