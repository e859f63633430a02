"""Where a method gets its components from: bought from the records, released, or public."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from sfumato.errors import DataError, ParameterError
from sfumato.measure.scatter import Scatter
from sfumato.methods.declared_public import PublicFigures, PublicRows, summary, vouched
from sfumato.methods.released_basis import bought_before, released, released_components
from sfumato.numeric.arrays import Matrix
from sfumato.privacy.budget import Budget, shared
from sfumato.privacy.guarantee import Guarantee, exact
from sfumato.privacy.mechanism import Event, Purse
from sfumato.privacy.sensitivity import Neighbours
from sfumato.render.components import enough, leading
from sfumato.synopsis.centred import Centred
from sfumato.synopsis.directions import Directions
from sfumato.synopsis.moments import MomentSynopsis
from sfumato.synopsis.scatter import ScatterLayout, ScatterSynopsis
from sfumato.table.header import check_header
from sfumato.table.records import Records
from sfumato.table.source import open_source

__all__ = ["Components", "PrivateBasis", "PublicBasis", "Rank", "private_basis", "public_basis"]

DEFAULT_ALPHA, DEFAULT_MEANS = "0.85", "0.1"
_FEWEST = 2  # rows that have a variance


@dataclass(frozen=True)
class Rank:
    """How many components: a fixed number, or enough for a share of the noisy variance."""

    fixed: int | None
    alpha: Fraction

    @classmethod
    def of(cls, rank: Any, alpha: Any, most: int) -> "Rank":
        """As a person writes it: `rank` wins over `alpha`."""
        share = exact("alpha", alpha)
        if share > 1:
            raise ParameterError(f"alpha must be above 0 and at most 1, got {alpha}")
        if rank is None or str(rank) in ("", "alpha"):
            return cls(None, share)
        try:
            number = int(str(rank))
        except ValueError:
            number = 0
        if not 1 <= number <= most:
            raise ParameterError(f"rank must be from 1 to {most} (features), got {rank!r}")
        return cls(number, share)

    def chosen(self, values: Matrix) -> int:
        """The rank for these noisy eigenvalues."""
        return self.fixed or enough(values, float(self.alpha))


@dataclass(frozen=True)
class Components:
    """All noisy components, largest first, about a centre; public once measured."""

    space: Centred
    values: Matrix
    U: Matrix  # one direction per row, in features that run over 1
    mean: Matrix  # centred; zero where no mean was bought
    synopsis: ScatterSynopsis | MomentSynopsis | None = None

    def directions(self, rank: int) -> Directions:
        """The leading ones on the whole-number scale of their coordinates."""
        return Directions.of(self.space, self.U[:rank])


@dataclass(frozen=True)
class PrivateBasis:
    """Components of noisy second moments: LIP and Lap-PCA, or Analyze Gauss."""

    scatter: Scatter

    @property
    def events(self) -> tuple[Event, ...]:
        """What the components cost."""
        return self.scatter.events

    def measure(self, records: Records, purse: Purse) -> Components:
        """Buy the second moments; the components are post-processing."""
        synopsis = self.scatter.perturb(records, purse)
        values, U = leading(synopsis.covariance, len(self.scatter.layout.centred))
        return Components(self.scatter.layout.centred, values, U, synopsis.mean, synopsis)


@dataclass(frozen=True)
class PublicBasis:
    """Components that are public already: they cost nothing here and are part of the plan."""

    space: Centred
    # Values, U and mean, and their rows or the release they were bought by: as a certificate has it
    fields: Mapping[str, Any]
    rows: PublicRows | None = None  # where they came from, if they are not only spelt out
    events: tuple[Event, ...] = ()

    @property
    def declared(self) -> PublicRows | PublicFigures:
        """What is held against the records that are to be protected."""
        if self.rows is not None:
            return self.rows
        layout, found = ScatterLayout(self.space, "replace-one"), self.components
        bought = self.fields.get("release"), self.fields.get("digest")
        return PublicFigures(layout, found.mean, found.values, *bought)

    def told(self, source: str | None, costs: Iterable[Guarantee], budget: Budget) -> str:
        """What the certificate says of it; `costs` and `budget` are those of what is planned."""
        if "release" in self.fields:
            relation = self.space.features.domain.schema.neighbours
            return bought_before(self.fields, source, tuple(costs), budget, relation)
        return vouched(source)

    @cached_property
    def components(self) -> Components:
        """The components that the fields spell out."""
        try:
            numbers = [np.array(self.fields[key], np.float64) for key in ("values", "U", "mean")]
        except (KeyError, TypeError, ValueError):
            raise ParameterError("the public basis must hold values, U and mean") from None
        values, U, mean = numbers
        width = len(self.space)
        fits = U.ndim == 2 and U.shape[1] == width and mean.shape == values.shape == (width,)
        if not fits or not 1 <= len(U) <= width:
            raise ParameterError("the public basis does not fit the schema")
        if not all(np.isfinite(part).all() for part in numbers) or np.abs(U).max() > 1.001:
            raise ParameterError("the public basis is not one of orthonormal directions")
        if "release" in self.fields:
            return Components(self.space, values, U, mean)
        if type(rows := self.fields.get("rows")) is not int or rows < _FEWEST:
            raise ParameterError("the public basis must state its number of rows")
        return Components(self.space, values, U, mean)

    def measure(self, *_: object) -> Components:
        """The same components, whatever the records."""
        return self.components


def private_basis(
    space: Centred, neighbours: Neighbours, budget: Budget, means: Any = DEFAULT_MEANS
) -> PrivateBasis:
    """Second moments about the centre; a share `means` buys the mean (0: the public centre)."""
    part = exact("means", means, below=1, zero=True)
    layout = ScatterLayout(space, neighbours)
    for_second, for_sums = budget, None
    if part:
        for_second, for_sums = shared(budget, 1 - part, part)
    scatter = Scatter(layout, for_second, for_sums)
    scatter.check()
    return PrivateBasis(scatter)


def public_basis(space: Centred, data: Any, rank: Rank) -> PublicBasis:
    """The leading components of public data of the same columns, of a release, or a certificate's.

    Whoever calls the data public vouches for it: nothing is paid for what it shows.
    """
    if (release := released(data)) is not None:
        data = released_components(space, release)
    if isinstance(data, Mapping):
        basis = PublicBasis(space, dict(data))
        _ = basis.components
        return basis
    domain = space.features.domain
    source = open_source(data, tuple(domain.schema.columns), domain.schema.file)
    check_header(source, domain)
    records = Records(source, domain)
    rows, synopsis = summary(ScatterLayout(space, "replace-one"), records)
    if rows < _FEWEST:
        raise DataError("the public basis needs at least two records")
    values, U = leading(synopsis.covariance, len(space))
    kept = U[: rank.chosen(values)]
    arrays = {"values": values, "U": kept, "mean": synopsis.mean}
    fields = {"rows": rows} | {k: array.tolist() for k, array in arrays.items()}
    columns = tuple(sorted({item.axis for item in space.features.items}))
    return PublicBasis(space, fields, PublicRows(data, records, columns))
