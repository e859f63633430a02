"""What a state file holds, each value checked before it is used.

The seal of a state is no secret, so anybody can write a file with a seal that fits.  Nothing in
it is taken for what it says: a value of another type, size or range than a counter of this plan
can have is refused, and no value decides how much memory is taken.

>>> saved = Saved(Path("counter.state"), {"steps": 3, "sums": [1, 2]})
>>> saved.whole("steps", most=5), saved.wholes("sums", 2, most=9)
(3, array([1, 2]))
>>> saved.whole("steps", most=2)
Traceback (most recent call last):
...
sfumato.errors.ReleaseError: counter.state is damaged: steps is not what a state holds
"""

from collections.abc import Mapping
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ReleaseError

__all__ = ["LARGEST_NOISY", "LARGEST_REAL", "Saved"]

LARGEST_NOISY = 2**62  # beyond any noise that is drawn
_LONGEST = 1_000
LARGEST_REAL = 1e200  # beyond any count; sums and products with weights stay finite


class Saved:
    """One mapping of a state file."""

    def __init__(self, place: Path, content: Any, name: str = "state") -> None:
        self._place = place
        if not isinstance(content, Mapping):
            raise self.damaged(name)
        self._content: Mapping[str, Any] = content

    def part(self, name: str) -> "Saved":
        """A mapping within this one."""
        return Saved(self._place, self._content.get(name), name)

    def text(self, name: str) -> str:
        """A line of text."""
        value = self._content.get(name)
        if not isinstance(value, str) or len(value) > _LONGEST or not value.isprintable():
            raise self.damaged(name)
        return value

    def optional_text(self, name: str) -> str | None:
        """A text, or nothing."""
        return None if self._content.get(name) is None else self.text(name)

    def whole(self, name: str, *, most: int) -> int:
        """A whole number from 0."""
        return self._whole(name, self._content.get(name), 0, most)

    def real(self, name: str, *, most: float) -> float:
        """A number from 0."""
        return self._real(name, self._content.get(name), 0, most)

    def wholes(self, name: str, count: int, *, most: int, least: int = 0) -> NDArray[np.int64]:
        """So many whole numbers."""
        values = self._list(name, count)
        return np.array([self._whole(name, value, least, most) for value in values], np.int64)

    def reals(self, name: str, count: int) -> NDArray[np.float64]:
        """So many numbers."""
        values = self._list(name, count)
        most = LARGEST_REAL
        return np.array([self._real(name, value, -most, most) for value in values], np.float64)

    def damaged(self, name: str) -> ReleaseError:
        """The refusal of a state with this value."""
        return ReleaseError(f"{self._place} is damaged: {name} is not what a state holds")

    def _list(self, name: str, count: int) -> list[Any]:
        values = self._content.get(name)
        if not isinstance(values, list) or len(values) != count:
            raise self.damaged(name)
        return values

    def _whole(self, name: str, value: Any, least: int, most: int) -> int:
        if type(value) is not int or not least <= value <= most:
            raise self.damaged(name)
        return value

    def _real(self, name: str, value: Any, least: float, most: float) -> float:
        if type(value) not in (int, float) or not (isfinite(value) and least <= value <= most):
            raise self.damaged(name)
        return float(value)
