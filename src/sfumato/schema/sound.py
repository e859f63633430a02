"""Rules that declared facts must keep, whatever the column: ranges, steps, names, taxonomies.

>>> leaves({"north": ["a", "b"], "south": ["c"]})
['a', 'b', 'c']
"""

from collections.abc import Mapping
from fractions import Fraction
from math import lcm
from typing import Any

__all__ = ["check_ordered", "check_whole_steps", "check_writable", "leaves"]


def leaves(taxonomy: Any, depth: int = 0) -> list[str]:
    """The values at the ends of a taxonomy, as text, in its order."""
    if depth and isinstance(taxonomy, str | int | float) and not isinstance(taxonomy, bool):
        return [str(taxonomy).strip()]
    if not isinstance(taxonomy, list | tuple | Mapping) or not taxonomy or depth > 20:
        raise ValueError("taxonomy must be nested lists or mappings of values, none of them empty")
    if isinstance(taxonomy, Mapping) and not all(isinstance(name, str) for name in taxonomy):
        raise ValueError("the branches of a taxonomy need names that are text: put them in quotes")
    parts = taxonomy.values() if isinstance(taxonomy, Mapping) else taxonomy
    return [leaf for part in parts for leaf in leaves(part, depth + 1)]


def check_writable(text: str, what: str) -> None:
    """Zero bytes, carriage returns and half characters do not survive every text file."""
    if any(c in "\0\r" or 0xD800 <= ord(c) <= 0xDFFF for c in text):
        raise ValueError(f"{what} holds a character that files cannot keep: remove it")


def check_ordered(low: Any, high: Any) -> None:
    """Refuse a range whose ends are not in order."""
    if not low < high:
        raise ValueError("low must be below high: correct one of them")


def check_whole_steps(low: float, high: float, step: float) -> None:
    """Refuse a step that does not divide its range, or that floats cannot keep apart."""
    bottom, top, size = (Fraction(str(value)) for value in (low, high, step))
    if ((top - bottom) / size).denominator != 1:
        raise ValueError("high must be a whole number of steps above low: change high or step")
    if max(abs(bottom), abs(top)) * lcm(bottom.denominator, size.denominator) > 2**53:
        raise ValueError("low, high and step have more digits than a number keeps: use fewer")
