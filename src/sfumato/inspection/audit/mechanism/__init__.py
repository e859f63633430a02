"""What can be audited besides methods for tables: one module each, found by its name.

The module of `edge-laplace` is `edge_laplace`; its `MECHANISM` says what is compared with frozen
noise, and what is run.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sfumato.inspection.audit.coupled import Checked
from sfumato.inspection.audit.sampled import Effort, Sampled
from sfumato.privacy.guarantee import ZCDP, ApproxDP, PureDP

__all__ = ["Budgets", "Mechanism"]


@dataclass(frozen=True)
class Budgets:
    """What is claimed where noise is pure, and where it is Gaussian."""

    pure: PureDP
    gaussian: ApproxDP | ZCDP


Frozen = Callable[[Budgets], Iterator[Checked]]
Real = Callable[[Budgets, Effort], Sampled]


@dataclass(frozen=True)
class Mechanism:
    """What can be audited, and the parts of its audit."""

    summary: str
    frozen: tuple[Frozen, ...]
    real: tuple[Real, ...]
