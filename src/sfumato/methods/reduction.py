"""What releases in reduced coordinates share: the basis, the budget's shares, the plan.

`pca-gauss-regression` and `pca-gauss-mixture` differ in what stands beside the coordinates
(a target, or a label) and in how records are drawn; the rest of both is here.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import hypot, sqrt
from typing import Any

import numpy as np

from sfumato.errors import ParameterError, ReleaseError
from sfumato.measure.projected_moments import (
    Budgets,
    Outcome,
    ProjectedMoments,
    ProjectedSynopsis,
)
from sfumato.methods.basis import (
    DEFAULT_ALPHA,
    Components,
    PrivateBasis,
    PublicBasis,
    Rank,
    private_basis,
    public_basis,
)
from sfumato.methods.declared_public import stated_source
from sfumato.numeric.arrays import Matrix
from sfumato.plan import Plan
from sfumato.privacy.budget import Budget, shared
from sfumato.privacy.guarantee import exact
from sfumato.privacy.mechanism import Event, Purse
from sfumato.render.drawing import Drawing
from sfumato.render.reduced import Reduced, ReducedModel, ReducedRecords, ReducedTable, possible
from sfumato.schema.domain import Domain
from sfumato.synopsis.centred import UNIT, Centred
from sfumato.table.records import Records

__all__ = ["OPTIONS", "Asked", "Reduction", "Released", "reduced_plan"]

OPTIONS = {
    "rank": "how many components; by default as many as alpha asks for",
    "alpha": f"share of the variance to keep, {DEFAULT_ALPHA} by default",
    "radius": "draw records into this ball (each range is 1 wide); default: the box of the ranges",
    "basis": "components that cost nothing here: public data with the same columns, or a release "
    "of components (folder); default: bought",
    "basis_source": "where that data comes from, in a line that the certificate repeats",
    "space": "columns (default): a table like the original; components: coordinates along them",
}
_CAUTION = 0.5  # variances below this part of the noise's norm are lifted to it
_MISSED = "What the components miss is drawn without any dependence between columns."

# What draws so many records: coordinates in the unit ball, and codes of the target or label.
ModelOf = Callable[["Released", int, np.random.Generator], ReducedModel]


@dataclass(frozen=True)
class Asked:
    """The options as a person wrote them."""

    split: Any
    means: Any
    counts: Any
    rank: Any = None
    alpha: Any = DEFAULT_ALPHA
    radius: Any = None
    basis: Any = None
    basis_source: Any = None
    space: Any = "columns"

    @property
    def public(self) -> bool:
        """Whether the basis costs nothing."""
        # A frame compares value by value, so only a text is compared.
        return self.basis is not None and not (isinstance(self.basis, str) and not self.basis)


@dataclass(frozen=True)
class Released:
    """Noisy moments along released directions: what records are drawn from."""

    reduced: Reduced
    moments: ProjectedSynopsis
    basis: Mapping[str, Any] | None
    spread: tuple[float, float]  # of the noise on an entry of the sums, of the second moments

    def gaussian(self, k: int, square: float) -> tuple[Matrix, Matrix]:
        """Mean and covariance of class k, as records with ‖x‖² ≤ `square` could have them."""
        mean, second = self.moments.moments(k)
        size, (of_sums, of_second) = max(float(self.moments.sizes[k]), 1.0), self.spread
        # An entry of second − mean meanᵀ, and the norm of a matrix of such entries.
        entry = hypot(of_second, 2 * float(np.linalg.norm(mean)) * of_sums / sqrt(len(mean))) / size
        return possible(mean, second, square, _CAUTION * entry * sqrt(len(mean)))

    def to_json(self) -> dict[str, Any]:
        """Directions, noisy moments along them, and the ones the directions came from."""
        directions = self.reduced.directions
        return {
            "kind": "reduced moments",
            "largest_square": str(self.reduced.space.largest_square),
            "unit": directions.unit,
            "directions": directions.steps.tolist(),
            "moments": self.moments.to_json(),
            "basis": self.basis,
        }


@dataclass(frozen=True)
class Reduction:
    """Which directions, how many of them, and what is bought along them."""

    space: Centred
    outcome: Outcome
    rank: Rank
    basis: PrivateBasis | PublicBasis
    budgets: Budgets
    known: int | None  # the rank, where it does not depend on what is released

    @classmethod
    def of(cls, domain: Domain, budget: Budget, asked: Asked, outcome: Outcome) -> "Reduction":
        """Refused where options are wrong or the noise could not be drawn."""
        space = Centred.of(domain, asked.radius, without=(outcome.axis,))
        rank = Rank.of(asked.rank, asked.alpha, len(space))
        if not asked.public:
            split = exact("split", asked.split, below=1)
            (for_basis,) = shared(budget, split)
            bought = private_basis(space, outcome.neighbours, for_basis)
            budgets = _divided(budget, 1 - split, asked, outcome)
            made = cls(space, outcome, rank, bought, budgets, rank.fixed)
        else:
            given = public_basis(space, asked.basis, rank)
            most = len(given.components.U)
            if (rank.fixed or 1) > most:
                raise ParameterError(f"rank must be at most {most}: the public basis has no more")
            budgets = _divided(budget, Fraction(1), asked, outcome)
            made = cls(space, outcome, rank, given, budgets, rank.fixed or most)
        for noise in budgets.noises(outcome, made.most):
            noise.check(UNIT**2)
        return made

    @property
    def most(self) -> int:
        """The rank, or the largest that it can become."""
        return self.known or len(self.space)

    @property
    def events(self) -> tuple[Event, ...]:
        """What is bought; figures that wait for the rank are left open."""
        along = self._along(self.most)
        if self.known is None:
            along = tuple(Event(e.statistic, e.mechanism, None, None, e.cost) for e in along)
        return (*self.basis.events, *along)

    def _along(self, rank: int) -> tuple[Event, ...]:
        return tuple(noise.event for noise in self.budgets.noises(self.outcome, rank))

    def recount(self, synopsis: Mapping[str, Any]) -> tuple[Event, ...]:
        """The events again, with the rank that was released."""
        directions = synopsis["directions"]
        fits = all(type(row) is list and len(row) == len(self.space) for row in directions)
        if not fits or not 1 <= len(directions) <= len(self.space):
            raise ReleaseError("the directions do not fit the schema")
        return (*self.basis.events, *self._along(len(directions)))

    def measure(self, records: Records, purse: Purse) -> Released:
        """The directions, then the moments along them."""
        found = self.basis.measure(records, purse)
        directions = found.directions(self.known or self.rank.chosen(found.values))
        wanted = ProjectedMoments(directions, self.outcome, self.budgets)
        of_sums, of_second = (noise.event.deviation for noise in wanted.noises[-2:])
        moments = wanted.perturb(records, purse)
        missed = self._missed(found, directions.rank, moments, of_second)
        paid = None if found.synopsis is None else found.synopsis.to_json()
        reduced = Reduced(self.space, directions, found.mean, missed)
        return Released(reduced, moments, paid, (of_sums, of_second))

    def _missed(
        self, found: Components, rank: int, moments: ProjectedSynopsis, of_second: float
    ) -> float:
        """Mean variance along what the directions leave out, never below its own noise.

        The total is a trace, so noise hardly moves it; what is kept was measured anew, without
        the luck that made noisy directions the leading ones.
        """
        width, size, square = len(self.space), max(moments.size, 1), self.space.largest_square
        kept, noise = float(square) * moments.variance(rank), float(square) * of_second * sqrt(rank)
        if self.basis.events:
            second, sums = (event.deviation for event in self.basis.events)
            noise = hypot(noise, sqrt(width) * second, 2 * float(np.linalg.norm(found.mean)) * sums)
        return max(float(found.values.sum()) - kept, noise / size) / max(width - rank, 1)


def reduced_plan(
    method: str,
    domain: Domain,
    budget: Budget,
    asked: Asked,
    outcome: Outcome,
    *,
    model: ModelOf,
    limit: str,
    options: Mapping[str, Any],
) -> Plan:
    """The plan of a release in reduced coordinates; `model` is made from the moments."""
    if asked.space not in ("columns", "components"):
        raise ParameterError(f"space must be columns or components, got {asked.space!r}")
    made = Reduction.of(domain, budget, asked, outcome)
    table = ReducedTable.of(
        domain, outcome.axis, made.most if asked.space == "components" else None
    )

    def render(released: Released, rows: int | None, rng: np.random.Generator) -> Drawing:
        total = released.moments.size if rows is None else rows
        drawn = model(released, total, rng)
        return Drawing.of(ReducedRecords(table, released.reduced, drawn), total, rng)

    basis, radius, source = made.basis, made.space.radius, stated_source(asked.basis_source)
    if source is not None and not asked.public:
        raise ParameterError("basis_source says where a basis comes from: give basis as well")
    said: tuple[str, ...] = ()
    told = partial(basis.told, source) if isinstance(basis, PublicBasis) else None
    if told is not None:
        said = (told((event.cost for event in made.events), budget),)
    return Plan(
        method=method,
        domain=domain,
        budget=budget,
        events=made.events,
        measure=made.measure,
        render=render,
        recount=made.recount if made.known is None else None,
        options={
            **options,
            "rank": made.rank.fixed,
            "alpha": str(asked.alpha),
            "radius": None if radius is None else str(radius),
            "basis": dict(basis.fields) if isinstance(basis, PublicBasis) else None,
            "basis_source": source,
            "space": asked.space,
            "split": str(asked.split),
            "means": str(asked.means),
            "counts": str(asked.counts),
        },
        columns=table.columns,
        invariants=("the number of records",) if outcome.neighbours == "replace-one" else (),
        limits=(limit, _MISSED, *said),
        told=told,
        public=basis.declared if isinstance(basis, PublicBasis) else None,
    )


def _divided(budget: Budget, left: Fraction, asked: Asked, outcome: Outcome) -> Budgets:
    """Counts, sums and second moments share what the basis leaves of the budget."""
    means = exact("means", asked.means, below=1)
    counts = exact("counts", asked.counts, below=1) if outcome.counts else Fraction(0)
    if means + counts >= 1:
        raise ParameterError("means and counts must leave something for the second moments")
    bought = shared(
        budget, *(left * share for share in (counts, means, 1 - means - counts) if share)
    )
    return Budgets(bought[0] if counts else None, *bought[-2:])
