"""What the paper's sensitivities are, what they should be, and what that means for Adult.

The paper's formulas count p₁ numbers and p₂ categories.  For Adult p₁ = 5, p₂ = 6 with the
label (differential PCA) and 5 without it (differential LDA).  The published value is too
small whenever p₁ ≥ 1 and p₂ ≥ 2, so noise of that scale costs more than the ε it claims.
"""

from dataclasses import dataclass
from math import inf, sqrt

from papers.adult import ADULT
from sfumato.privacy.sensitivity import class_moments, moments, record
from sfumato.schema import Boolean, Category
from sfumato.schema.domain import Domain
from sfumato.synopsis.features import Features

__all__ = ["Comparison", "comparisons"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """One statistic: its published and true ℓ₁ sensitivity, and that of what is released here."""

    statistic: str
    published: float
    true: float
    here: float

    @property
    def cost(self) -> float:
        """What noise of the published scale really costs, per unit of claimed ε."""
        return self.true / self.published


def comparisons() -> list[Comparison]:
    """For the shape of Adult.

    >>> [(c.published, round(c.true, 2), round(c.here, 2)) for c in comparisons()][0]
    (104.0, 114.42, 86.42)
    """
    domain = Domain.of(ADULT)
    columns = ADULT.released.values()
    p2 = sum(isinstance(column, Category | Boolean) for column in columns)
    p1 = len(columns) - p2
    whole, parts = Features.of(domain), Features.of(domain, without=[domain.label or 0])
    here = moments(whole.continuous, whole.binary, whole.blocks)
    classes = class_moments(parts.continuous, parts.binary, parts.blocks, counts=1)
    row = record(whole.continuous, whole.binary, whole.blocks)
    width = _dummies()
    return [
        Comparison(
            "dp-pca: sums and second moments",
            p1 + 2 * p2 + ((p1 + p2) * (p1 + p2 + 1) + p2 * (p2 + 1)) / 2,
            float(moments(continuous=p1, blocks=p2, repeat=True).l1),
            float(here.l1),
        ),
        Comparison(
            "dp-lda: class sums and second moments, without class sizes",
            _published_classes(p1, p2 - 1),
            float(class_moments(continuous=p1, blocks=p2 - 1, repeat=True, counts=0).l1),
            float(classes.l1) - 1,
        ),
        Comparison(
            "dp-lda: the same, divided by exact class sizes as published",
            _published_classes(p1, p2 - 1),
            inf,
            float(classes.l1),
        ),
        *(
            Comparison(
                f"dp-pca: projected record, {rank} component{'s' * (rank > 1)}, any basis",
                sqrt(rank * width),
                sqrt(rank * (p1 + 2 * p2)),
                sqrt(rank * float(row.l2_squared)),
            )
            for rank in (1, 5, 10)
        ),
    ]


def _published_classes(p1: int, p2: int) -> float:
    return 2 * (p1 + p2) + ((p1 + p2 + 1) * (p1 + p2) + p2 * (p2 + 1)) / 2


def _dummies() -> int:
    """Features in the paper's coding: one per number, one per level of every category."""
    axes = Domain.of(ADULT).axes
    return sum(axis.codes if isinstance(axis.column, Category | Boolean) else 1 for axis in axes)
