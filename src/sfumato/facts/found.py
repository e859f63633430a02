"""What was drawn: the positions of windows and steps, and the values that were found."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

__all__ = ["Found"]


@dataclass(frozen=True)
class Found:
    """Noisy choices, in the order of the plan; safe to publish."""

    ranges: tuple[tuple[int, int | None], ...]  # window and, where one is bought, step
    values: Mapping[str, tuple[str, ...]]

    @classmethod
    def empty(cls) -> "Found":
        """Nothing yet."""
        return cls((), {})

    def with_range(self, window: int, step: int | None) -> "Found":
        """And the next range."""
        return replace(self, ranges=(*self.ranges, (window, step)))

    def with_values(self, values: Mapping[str, tuple[str, ...]]) -> "Found":
        """And the values of all categories."""
        return replace(self, values=values)
