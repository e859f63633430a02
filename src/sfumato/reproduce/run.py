"""What every study can be asked for: figures, budgets, trials, a part of the data, a seed."""

from dataclasses import dataclass
from typing import ClassVar
from zlib import crc32

from sfumato.errors import ParameterError

__all__ = ["Run"]


@dataclass(frozen=True, kw_only=True)
class Run:
    """A run of a study; its own settings derive from this and name the figures there are.

    `rows` takes a random part of the data, for a quick look; `seed` makes the run repeatable
    (the data is public, so nothing needs protection).

    >>> class Settings(Run):
    ...     available = ("1", "2")
    >>> Settings(epsilons=(1.0,), figures=("1",)).seed_of("1", "noise", 0)
    2423474293
    >>> Settings(epsilons=(1.0,), figures=("3",))
    Traceback (most recent call last):
    sfumato.errors.ParameterError: figures must be of 1, 2, got ['3']
    """

    available: ClassVar[tuple[str, ...]] = ()

    epsilons: tuple[float, ...]
    figures: tuple[str, ...]
    trials: int = 10
    rows: int | None = None
    seed: int = 1

    def __post_init__(self) -> None:
        for name in ("trials", "rows"):
            value, least = getattr(self, name), 1 if name == "trials" else 100
            if value is not None and value < least:
                raise ParameterError(f"{name} must be at least {least}, got {value}")
        unknown = [figure for figure in self.figures if figure not in self.available]
        if unknown or not self.figures:
            raise ParameterError(
                f"figures must be of {', '.join(self.available)}, got {unknown or 'none'}"
            )
        if not self.epsilons:
            raise ParameterError("epsilons must name at least one budget")

    def seed_of(self, *cell: object) -> int:
        """A seed for one cell that does not depend on which other cells are run."""
        return crc32("/".join(map(str, (self.seed, *cell))).encode())
