"""What to run: data sets, budgets, ranks, shares; where the paper is silent, they are ours."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from papers.run import Run
from sfumato.privacy.guarantee import PureDP

__all__ = ["ALPHA", "DELTA", "EPSILONS", "FIGURES", "RADII", "RANKS", "SETS", "Settings"]

FIGURES = ("1", "2", "3", "4", "5")
# The paper shows up to 10, which it calls no privacy; its other budgets are not stated.
EPSILONS = (0.1, 0.5, 1.0, 2.0, 5.0, 10.0)
BEYOND = (30.0, 100.0, 300.0)  # where private records begin to tell anything
SETS = ("secom", "covtype", "musk1", "musk2", "semeion", "waveform")
CLASSIFIED = ("semeion", "waveform")
ALPHA = 0.85  # share of the variance that the paper's k keeps
DELTA = "1e-6"  # of AG and the power method; not stated in the paper
# Public bounds on the norm of a record whose ranges are 1 wide; without one, the box.
RADII = {"waveform": 1, "musk1": 1, "musk2": 1, "secom": 3}
RANKS = (1, 2, 5, 10)  # of private records: noise grows with the rank, so they are few
RANK = 2  # where one of them is shown
DIRECTIONS = Fraction(1, 5)  # share of the budget; the library's own default
LABELS = Fraction(2, 5)  # share where labels are released beside coordinates


@dataclass(frozen=True, kw_only=True)
class Settings(Run):
    """A run; `beyond` are further budgets for what is private, `sets` the data sets.

    >>> Settings(figures=("1",), sets=("waveform",), trials=2).steps
    2
    """

    available: ClassVar[tuple[str, ...]] = FIGURES

    epsilons: tuple[float, ...] = EPSILONS
    figures: tuple[str, ...] = FIGURES
    beyond: tuple[float, ...] = BEYOND
    sets: tuple[str, ...] = SETS

    def __post_init__(self) -> None:
        super().__post_init__()
        for epsilon in self.budgets:
            PureDP(epsilon)  # refuses what is no budget

    @property
    def budgets(self) -> tuple[float, ...]:
        """All budgets of what is private, in order."""
        return tuple(sorted({*self.epsilons, *self.beyond}))

    @property
    def shown(self) -> float:
        """The budget of the paper's figure 3, which is not stated: the one nearest to 1."""
        return min(self.epsilons, key=lambda epsilon: abs(epsilon - 1))

    @property
    def classified(self) -> tuple[str, ...]:
        """The data sets of figure 5."""
        return tuple(name for name in self.sets if name in CLASSIFIED)

    @property
    def steps(self) -> int:
        """How many pieces of work there are, for a progress bar."""
        wanted = set(self.figures)
        ratios = len(wanted & {"1", "2"}) + ("3" in wanted) + ("4" in wanted) * len(self.epsilons)
        ratios += bool(wanted & {"3", "4"}) * len(self.budgets)
        scores = ("5" in wanted) * (len(self.epsilons) + len(self.budgets))
        return self.trials * (len(self.sets) * ratios + len(self.classified) * scores)


def ranks_upto(most: int) -> list[int]:
    """Eight numbers of components or fewer, from 1 to half of all features.

    >>> ranks_upto(21)
    [1, 2, 3, 4, 5, 7, 10]
    """
    return [int(k) for k in np.unique(np.rint(np.geomspace(1, max(most // 2, 1), 8)))]


def parts_of(rows: int) -> list[int]:
    """Numbers of records for figure 2, up to all of them.

    >>> parts_of(500)
    [100, 200, 300, 400, 500]
    """
    return [rows * fifth // 5 for fifth in range(1, 6)]
