"""What every study can be asked for: figures, budgets, trials, a part of the data, a seed."""

from dataclasses import dataclass
from typing import ClassVar
from zlib import crc32

from sfumato.errors import ParameterError

__all__ = ["Repeated", "Run"]


@dataclass(frozen=True, kw_only=True)
class Repeated:
    """How often, and from which seed (the data is public, so nothing needs protection).

    >>> Repeated().seed_of("1", "noise", 0)
    2423474293
    """

    trials: int = 10
    seed: int = 1

    def __post_init__(self) -> None:
        if self.trials < 1:
            raise ParameterError(f"trials must be at least 1, got {self.trials}")

    def seed_of(self, *cell: object) -> int:
        """A seed for one cell that does not depend on which other cells are run."""
        return crc32("/".join(map(str, (self.seed, *cell))).encode())


@dataclass(frozen=True, kw_only=True)
class Run(Repeated):
    """A run of a study; its own settings derive from this and name the figures there are.

    `rows` takes a random part of the data, for a quick look.

    >>> class Settings(Run):
    ...     available = ("1", "2")
    >>> Settings(epsilons=(1.0,), figures=("1",)).trials
    10
    >>> Settings(epsilons=(1.0,), figures=("3",))
    Traceback (most recent call last):
    sfumato.errors.ParameterError: figures must be of 1, 2, got ['3']
    """

    available: ClassVar[tuple[str, ...]] = ()

    epsilons: tuple[float, ...]
    figures: tuple[str, ...]
    rows: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rows is not None and self.rows < 100:
            raise ParameterError(f"rows must be at least 100, got {self.rows}")
        unknown = [figure for figure in self.figures if figure not in self.available]
        if unknown or not self.figures:
            raise ParameterError(
                f"figures must be of {', '.join(self.available)}, got {unknown or 'none'}"
            )
        if not self.epsilons:
            raise ParameterError("epsilons must name at least one budget")
