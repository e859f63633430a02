"""NOT PRIVATE: a release, the records, and control records, as the table attacks see them.

All three are codes of the public grid.  Distances are Euclidean between features in [0, 1]
from the public domain, scaled so that a wrong level of a category costs 1, as much as a
number at the other end of its range; nothing about them is learnt from the records.
Targets are drawn without replacement, so that a large table costs no more than `targets`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import DataError, SchemaError
from sfumato.inspection.attack.closest import closest
from sfumato.inspection.attack.matrix import Indices
from sfumato.inspection.attack.outcome import Chance, Rate, gap
from sfumato.inspection.attack.parameter import whole
from sfumato.inspection.attack.result import Attack
from sfumato.inspection.utility import AnySchema, domain_of, encoded
from sfumato.numeric.arrays import Codes
from sfumato.schema.domain import Domain
from sfumato.synopsis.features import Features

__all__ = ["CONTROL", "TARGETS", "Tables", "nearest", "points"]

TARGETS = 2_000
CONTROL = "on records that were not in the data"


@dataclass(frozen=True)
class Tables:
    """Codes of the release and of all records; of those targeted, and of as many controls."""

    domain: Domain
    release: Codes
    original: Codes
    members: Codes
    strangers: Codes | None

    @classmethod
    def of(
        cls,
        release: Any,
        original: Any,
        schema: AnySchema,
        *,
        control: Any,
        targets: int | None,
        seed: int,
    ) -> "Tables":
        """Read and drawn (all where `targets` is None); tables without records are refused."""
        if targets is not None:
            whole("targets", targets)
        domain = domain_of(schema)
        if not len(Features.of(domain)):
            raise SchemaError("every column has a single value: there is nothing to attack")
        rng = np.random.default_rng(seed)
        records = _some("original", original, domain)
        others = None if control is None else _some("control", control, domain)
        return cls(
            domain,
            _some("release", release, domain),
            records,
            _drawn(records, targets, rng),
            None if others is None else _drawn(others, targets, rng),
        )

    def attacked(
        self,
        trial: Callable[[Codes, Codes], Rate],
        *,
        name: str,
        knows: str,
        baseline: Rate | Chance,
        baseline_is: str,
        confidence: float,
        subject: str = "",
    ) -> Attack:
        """The attack whose `trial(released, people)` says how often it was right about people."""

        def sides(released: Codes) -> tuple[Rate, Rate | None]:
            others = None if self.strangers is None else trial(released, self.strangers)
            return trial(released, self.members), others

        success, control = sides(self.release)
        bare, bare_control = sides(self.original)
        return Attack(
            name=name,
            knows=knows,
            success=success,
            baseline=baseline,
            baseline_is=baseline_is,
            control=control,
            control_is=CONTROL,
            confidence=confidence,
            reach=gap(bare, bare_control or baseline, confidence),
            subject=subject,
        )

    def places(self, names: Sequence[str]) -> tuple[int, ...]:
        """Positions of named columns among the axes, else refused."""
        known = {axis.name: place for place, axis in enumerate(self.domain.axes)}
        unknown = [name for name in names if name not in known]
        if unknown:
            raise SchemaError(f"column {unknown[0]} is not a released column of the schema")
        return tuple(known[name] for name in names)


def points(domain: Domain, codes: Codes, places: Sequence[int]) -> NDArray[np.float64]:
    """Records as points, of the columns at these places alone."""
    features = Features.of(domain, without=set(range(len(domain.axes))) - set(places))
    # Two dummies of a block change together: each carries half of the squared distance.
    scale = np.array([sqrt(0.5) if item.block is not None else 1 for item in features.items])
    found: NDArray[np.float64] = features.design(codes) / features.units * scale
    return found


def nearest(
    domain: Domain, records: Codes, targets: Codes, places: Sequence[int], count: int = 1
) -> tuple[NDArray[np.float64], Indices]:
    """Distances and row numbers of the `count` records nearest to each target."""
    X, Y = (points(domain, side, places) for side in (records, targets))
    return closest(X, Y, count)


def _some(name: str, data: Any, domain: Domain) -> Codes:
    codes = encoded(data, domain)
    if not len(codes):
        raise DataError(f"the {name} table has no records: there is nothing to attack")
    return codes


def _drawn(codes: Codes, count: int | None, rng: np.random.Generator) -> Codes:
    chosen: Codes = codes[rng.permutation(len(codes))[:count]]
    return chosen
