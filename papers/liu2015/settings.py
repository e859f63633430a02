"""What to run: chapters of the thesis, how often chance is asked, and how large networks are."""

from dataclasses import dataclass

from papers.run import Repeated
from sfumato.errors import ParameterError

__all__ = ["CHAPTERS", "Settings"]

CHAPTERS = ("2", "3", "4", "5", "6", "7", "8", "9", "10")
FEWEST = 40  # nodes


@dataclass(frozen=True, kw_only=True)
class Settings(Repeated):
    """A run; `trials` draws noise, orders of folds and times so often, five in the thesis.

    `nodes` bounds the made-up network of chapter 4, which has 1,600 nodes in the thesis, and
    at half those of chapter 5, which have 100 and 200: 400 asks for these in full, 1600 for all.

    >>> Settings(chapters=("2",)).trials
    5
    """

    chapters: tuple[str, ...] = CHAPTERS
    trials: int = 5
    nodes: int = 400

    def __post_init__(self) -> None:
        super().__post_init__()
        unknown = [chapter for chapter in self.chapters if chapter not in CHAPTERS]
        if unknown or not self.chapters:
            raise ParameterError(
                f"chapters must be of {', '.join(CHAPTERS)}, got {unknown or 'none'}"
            )
        if self.nodes < FEWEST:
            raise ParameterError(f"nodes must be at least {FEWEST}, got {self.nodes}")

    @property
    def steps(self) -> int:
        """How many trials of a chapter there will be, for a progress bar."""
        return self.trials * len(set(self.chapters))
