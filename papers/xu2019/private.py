"""Directions that are bought, records that carry noise: what the library itself releases.

Public ranges and, where declared, a public radius; the centre is the middle of the ranges and
no mean is bought.  A share of ε buys the directions:

    lip     `lap-pca`: second moments under Laplace noise, ε
    AG      `analyze-gauss`: second moments under Gaussian noise, (ε, δ)
    PPM     `power-method`: noisy power iteration, (ε, δ)
    lop     public directions, drawn at random and the same for everyone: nothing is spent

and the rest buys the coordinates, under Laplace noise for all four, so that the error differs by
the directions alone.  The parts compose to ε, or to (ε, δ).
"""

from collections.abc import Iterator
from fractions import Fraction
from types import ModuleType
from typing import TypeVar

import pyarrow as pa

from papers.xu2019.directions import AG, LIP, PPM
from papers.xu2019.settings import DELTA, RADII
from sfumato.methods import analyze_gauss, lap_pca, power_method
from sfumato.numeric.arrays import Codes, Matrix
from sfumato.privacy.guarantee import ApproxDP, PureDP
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SeededBits
from sfumato.schema.domain import Domain
from sfumato.synopsis.centred import Centred
from sfumato.synopsis.directions import Directions
from sfumato.table.records import Records
from sfumato.table.source import open_source
from sfumato.table.statistic import Statistic, folded

__all__ = ["CONTENDERS", "LOP", "Kept", "bought_directions", "space_of"]

T = TypeVar("T")
LOP = "lop"
_METHODS: dict[str, ModuleType] = {LIP: lap_pca, AG: analyze_gauss, PPM: power_method}
CONTENDERS = (LIP, AG, PPM, LOP)


class Kept(Records):
    """Records that are encoded once and stay in memory, for many measurements of one table."""

    def __init__(self, table: pa.Table, domain: Domain) -> None:
        super().__init__(open_source(table), domain)
        self.codes = list(super().parts())

    def fold(self, statistic: Statistic[T]) -> T:
        """The total of what is in memory."""
        return folded(statistic, self.codes)

    def parts(self) -> Iterator[Codes]:
        """What is in memory."""
        return iter(self.codes)


def space_of(name: str, domain: Domain) -> Centred:
    """The centred features of a data set, bound to its public radius if it has one."""
    return Centred.of(domain, RADII.get(name))


def bought_directions(
    who: str, space: Centred, records: Records, rank: int, epsilon: Fraction, seed: int
) -> Directions:
    """The leading directions for their share of the budget, as the library's method finds them."""
    if who == LOP:
        U: Matrix = power_method.public_start(len(space), rank).T
        return Directions.of(space, U)
    budget = PureDP(epsilon) if who == LIP else ApproxDP(epsilon, DELTA)
    options = {"rank": rank, "radius": space.radius, "means": 0}
    plan = _METHODS[who].METHOD.price(space.features.domain, budget, options)
    released = plan.measure(records, Purse(budget, SeededBits(seed)))
    directions: Directions = released.components.directions(rank)
    return directions
