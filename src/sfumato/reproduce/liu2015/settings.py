"""What to run: chapters of the thesis, and how often chance is asked."""

from dataclasses import dataclass

from sfumato.errors import ParameterError
from sfumato.reproduce.run import Repeated

__all__ = ["CHAPTERS", "Settings"]

CHAPTERS = ("2", "3")


@dataclass(frozen=True, kw_only=True)
class Settings(Repeated):
    """A run; `trials` draws noise, orders of folds and times so often, five in the thesis.

    >>> Settings(chapters=("2",)).trials
    5
    """

    chapters: tuple[str, ...] = CHAPTERS
    trials: int = 5

    def __post_init__(self) -> None:
        super().__post_init__()
        unknown = [chapter for chapter in self.chapters if chapter not in CHAPTERS]
        if unknown or not self.chapters:
            raise ParameterError(
                f"chapters must be of {', '.join(CHAPTERS)}, got {unknown or 'none'}"
            )

    @property
    def steps(self) -> int:
        """How many trials of a chapter there will be, for a progress bar."""
        return self.trials * len(set(self.chapters))
