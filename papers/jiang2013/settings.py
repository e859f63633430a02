"""What to run: contenders, budgets, trials; the paper's own choices are the defaults."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from papers.adult import ADULT
from papers.run import Run
from sfumato.methods import method
from sfumato.privacy.guarantee import PureDP
from sfumato.schema.domain import Domain

__all__ = ["EPSILONS", "FIGURES", "Contender", "Settings"]

FIGURES = ("1", "2", "3", "4")
EPSILONS = (0.1, 0.25, 0.5, 1.0, 1.25, 1.5)
MODELS = ("lda", "tree")


@dataclass(frozen=True)
class Contender:
    """A method with its options.

    >>> Contender("dp-pca", {"rank": 3}).name
    'dp-pca rank=3'
    """

    method: str
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """How tables and figures call it."""
        return " ".join([self.method, *(f"{key}={value}" for key, value in self.options.items())])


RECORDS = (
    *(Contender("dp-pca", {"rank": rank}) for rank in range(1, 11)),
    Contender("identity-laplace"),
    Contender("exponential"),
)
# The paper's own sampler is greedy; gauss, the default of the library, is judged beside it.
CLASSES = (
    Contender("dp-lda", {"sampler": "greedy"}),
    Contender("diffgen", {"score": "max"}),
    Contender("diffgen", {"score": "infogain"}),
    Contender("dp-lda", {"sampler": "gauss"}),
)


@dataclass(frozen=True, kw_only=True)
class Settings(Run):
    """A run.  `records` compete in figure 2, `classes` in figures 3 and 4; `rows` are of Adult."""

    available: ClassVar[tuple[str, ...]] = FIGURES

    epsilons: tuple[float, ...] = EPSILONS
    figures: tuple[str, ...] = FIGURES
    records: tuple[Contender, ...] = RECORDS
    classes: tuple[Contender, ...] = CLASSES
    models: tuple[str, ...] = MODELS

    def check_prices(self) -> None:
        """Plan every release before a long run starts: unknown methods or options are refused."""
        domain = Domain.of(ADULT)
        for epsilon in self.epsilons:
            for contender in self.contenders:
                method(contender.method).price(domain, PureDP(epsilon), contender.options)

    @property
    def contenders(self) -> tuple[Contender, ...]:
        """Everyone who takes part in the figures asked for."""
        second = self.records if "2" in self.figures else ()
        return second + (self.classes if {"3", "4"} & set(self.figures) else ())

    @property
    def steps(self) -> int:
        """How many releases will be made, for a progress bar."""
        cells = len(self.epsilons) * self.trials
        releases = cells * len(self.contenders)
        releases += cells * ("1" in self.figures)
        return releases + cells * ("2" in self.figures)
