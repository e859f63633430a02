"""What to run: noise levels, repetitions, folds; the paper's own choices are the defaults."""

from dataclasses import dataclass
from math import isfinite
from typing import ClassVar

from papers.run import Run
from sfumato.errors import ParameterError

__all__ = ["FIGURES", "FOLDS", "LEVELS", "Settings", "level_of"]

FIGURES = ("2", "3", "4", "5")
LEVELS = (0.1, 0.15, 0.2, 0.25, 0.3)
FOLDS = 10


def level_of(epsilon: float) -> float:
    """The paper's noise level b = 1 / ε, free of what division leaves in the last digits.

    >>> [level_of(1 / b) for b in LEVELS]
    [0.1, 0.15, 0.2, 0.25, 0.3]
    """
    return float(f"{1 / epsilon:.12g}")


@dataclass(frozen=True, kw_only=True)
class Settings(Run):
    """A run; ε is what one attribute by itself would cost, 1 / b for the paper's noise level b.

    `rows` are of Adult; by default as many as the paper's, which does not say which ones.

    >>> Settings(trials=3, figures=("2",)).steps
    30
    """

    available: ClassVar[tuple[str, ...]] = FIGURES

    epsilons: tuple[float, ...] = tuple(1 / b for b in LEVELS)
    figures: tuple[str, ...] = FIGURES
    trials: int = 20

    def __post_init__(self) -> None:
        super().__post_init__()
        for epsilon in self.epsilons:
            if not (epsilon > 0 and isfinite(epsilon)):
                raise ParameterError(f"epsilons must be positive and finite, got {epsilon}")

    @property
    def steps(self) -> int:
        """How many releases of ten folds will be made, for a progress bar."""
        return 2 * len(self.epsilons) * self.trials * len({"2", "3"} & set(self.figures))
