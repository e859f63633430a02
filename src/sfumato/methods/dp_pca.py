"""dp-pca: each record as noisy coordinates along noisy components (Jiang et al. 2013, 3.1)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from sfumato.domain import Domain
from sfumato.errors import ParameterError, ReleaseError, SchemaError
from sfumato.features import Features
from sfumato.measure.moments import Moments
from sfumato.measure.projection import Projection
from sfumato.plan import Method, Plan
from sfumato.privacy.budget import Budget, shared
from sfumato.privacy.guarantee import exact
from sfumato.privacy.mechanism import Event, Noise, Purse
from sfumato.privacy.sensitivity import Sensitivity, record, root
from sfumato.projected import EXACT_RANK, UNIT, Directions
from sfumato.render.components import expected_errors, leading
from sfumato.render.decode import Decoder, nearest_codes
from sfumato.render.spectrum import Matrix, covariance
from sfumato.synopsis import MomentLayout, MomentSynopsis
from sfumato.table.records import Records

__all__ = ["METHOD"]

DEFAULT_SPLIT = "0.2"


@dataclass(frozen=True)
class _Projected:
    """What left the private side: moments, directions, coordinates batch by batch."""

    moments: MomentSynopsis
    directions: Directions
    mean: Matrix
    errors: Matrix
    coordinates: Iterator[Matrix]

    def to_json(self) -> dict[str, Any]:
        """All but the coordinates, which are the data; expected errors for the reader."""
        return {
            "kind": "components",
            "moments": self.moments.to_json(),
            "unit": self.directions.unit,
            "directions": self.directions.steps.tolist(),
            "expected_squared_error_per_record": {
                # By rank, from 0 (the mean alone), before values are cut to their ranges.
                str(rank): float(error)
                for rank, error in enumerate(self.errors)
            },
        }


def plan(
    domain: Domain, budget: Budget, rank: int | str = "auto", split: Any = DEFAULT_SPLIT
) -> Plan:
    """A share `split` of the budget for the directions, the rest for the coordinates."""
    if domain.schema.neighbours != "replace-one":
        raise SchemaError(
            "dp-pca releases one row per record, so the number of records shows: declare "
            "neighbours: replace-one, or choose another method"
        )
    features = Features.of(domain)
    if not len(features):
        raise SchemaError("every column has a single value: there is nothing to measure")
    wanted = _rank(rank, len(features))
    first = exact("split", split, below=1)
    for_directions, for_records = shared(budget, first, 1 - first)
    moments = Moments(MomentLayout(features, "replace-one"), for_directions)
    moments.noise.check(int(moments.layout.units.max()))
    # Before the directions are known: no orthonormal ones move a record further than this.
    widest = record(features.continuous, features.binary, features.blocks).l1 + 1
    worst = Sensitivity(root((wanted or EXACT_RANK) * widest), widest)
    Noise("projected records", worst, for_records).check(UNIT)

    def measure(records: Records, purse: Purse) -> _Projected:
        synopsis = moments.perturb(records, purse)
        mean, S = covariance(synopsis)
        values, U = leading(S, len(features))
        errors = expected_errors(values, _energies(features, U, for_records))
        chosen = wanted or 1 + int(np.argmin(errors[1:]))
        directions = Directions.of(features, U[:chosen])
        projection = Projection(directions, for_records)
        coordinates = projection.perturb(records, purse)
        return _Projected(synopsis, directions, mean, errors, coordinates)

    def render(released: _Projected, *_: object) -> Iterator[pa.RecordBatch]:
        U = released.directions.matrix
        # U has orthonormal rows up to rounding: coordinates of the mean are taken out and put back.
        rest = released.mean - U.T @ (U @ released.mean)
        back = (y @ U + rest for y in released.coordinates)
        return Decoder(domain).batches(nearest_codes(features, Z) for Z in back)

    def recount(synopsis: Mapping[str, Any]) -> tuple[Event, ...]:
        steps = np.array(synopsis["directions"], object)
        fits = steps.ndim == 2 and steps.shape[1] == len(features) and synopsis["unit"] == UNIT
        if not fits or np.abs(steps * features.units).max() > 2 * UNIT:
            raise ReleaseError("the directions do not fit the schema")
        released = Projection(Directions(features, steps.astype(np.int64)), for_records)
        return moments.noise.event, released.noise.event

    cost = Noise("projected records", moments.layout.sensitivity, for_records).event
    return Plan(
        method=METHOD.name,
        domain=domain,
        budget=budget,
        events=(
            moments.noise.event,
            Event("projected records", cost.mechanism, None, None, cost.cost),
        ),
        measure=measure,
        render=render,
        recount=recount,
        options={"rank": rank, "split": str(split)},
        row="record",
        invariants=("the number of records", "the order of the records"),
        limits=(
            "Noise per record is large: compare the expected error in synopsis.json with that "
            "of the mean alone before using single rows.",
        ),
    )


def _rank(rank: int | str, most: int) -> int | None:
    """The rank asked for; None for auto."""
    if rank == "auto":
        return None
    try:
        number = int(str(rank))
    except ValueError:
        number = 0
    if not 1 <= number <= most:
        raise ParameterError(f"rank must be auto or from 1 to {most} (features), got {rank!r}")
    return number


def _energies(features: Features, U: Matrix, budget: Budget) -> Matrix:
    """Noise let in by 1, 2, … coordinates, as far as their sensitivity is exact."""
    energies = []
    for k in range(1, min(len(U), EXACT_RANK) + 1):
        event = Projection(Directions.of(features, U[:k]), budget).noise.event
        spread = float(event.noise or 0)
        energies.append(k * (2 * spread**2 if event.mechanism == "discrete-laplace" else spread))
    return np.array(energies)


METHOD = Method(
    name="dp-pca",
    summary="Noisy coordinates of every record along the noisy leading components; order kept.",
    promise="epsilon-DP, or (epsilon, delta)-DP and rho-zCDP, under replace-one",
    source="Jiang et al. 2013, section 3.1, with exact sensitivities",
    proof="proofs/dp-pca.md",
    plan=plan,
    options={
        "rank": "how many components, or auto (default): chosen from the noisy spectrum",
        "split": f"share of the budget for the components, {DEFAULT_SPLIT} by default",
    },
)
