"""Plans that release components alone: a table with one row per component."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from sfumato.errors import SchemaError
from sfumato.methods.basis import Components, Rank
from sfumato.plan import Plan
from sfumato.privacy.budget import Budget
from sfumato.privacy.mechanism import Event, Purse
from sfumato.render.components import COLUMNS, component_schema, component_table
from sfumato.schema.domain import Domain
from sfumato.synopsis.features import Features
from sfumato.table.records import Records

__all__ = ["component_plan"]

_LIMIT = (
    "Directions of variances that lie closer together than the noise are arbitrary mixtures of "
    "each other; variances carry the noise of the second moments."
)


@dataclass(frozen=True)
class _Released:
    components: Components
    rank: int

    def to_json(self) -> dict[str, Any]:
        """The noisy second moments where they were released, and how many components are kept."""
        synopsis = self.components.synopsis
        return {
            "kind": "components",
            "rank": self.rank,
            "centre": (self.components.mean + self.components.space.middle).tolist(),
            "moments": None if synopsis is None else synopsis.to_json(),
        }


def component_plan(
    method: str,
    domain: Domain,
    budget: Budget,
    *,
    events: tuple[Event, ...],
    measure: Any,
    rank: Rank,
    options: dict[str, Any],
    features: Features | None = None,
    limits: tuple[str, ...] = (),
    rounds: tuple[int, ...] = (),
) -> Plan:
    """A plan whose `measure` gives `Components`; the table has a column per feature."""
    names = distinct_names(features or Features.of(domain))

    def bought(records: Records, purse: Purse) -> _Released:
        components: Components = measure(records, purse)
        return _Released(components, rank.chosen(components.values))

    def render(released: _Released, *_: object) -> Iterator[pa.RecordBatch]:
        found = released.components
        yield component_table(names, found.values, found.U, released.rank)

    public_rows = domain.schema.neighbours == "replace-one"
    return Plan(
        method=method,
        domain=domain,
        budget=budget,
        events=events,
        measure=bought,
        render=render,
        rounds=rounds,
        options=options,
        row="component",
        columns=component_schema(names),
        invariants=("the number of records",) if public_rows else (),
        limits=(_LIMIT, *limits),
    )


def distinct_names(features: Features) -> tuple[str, ...]:
    """Names of the features, refused where two would be the same column of the table."""
    names = features.names
    taken = [name for name in names if names.count(name) > 1 or name in COLUMNS]
    if taken:
        raise SchemaError(
            f"column {taken[0]}: a table of components would have this name twice: rename it"
        )
    return names
