"""Plans for algorithms as their paper prints them, where the print is not private."""

from collections.abc import Callable
from typing import Any

import numpy as np

from sfumato.errors import ParameterError
from sfumato.measure.as_published import AsPublished
from sfumato.methods.basis import Rank
from sfumato.methods.record_plan import Projected, record_plan
from sfumato.plan import Plan
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import PureDP
from sfumato.privacy.mechanism import Purse
from sfumato.render.components import leading
from sfumato.schema.domain import Domain
from sfumato.synopsis.centred import Centred
from sfumato.synopsis.directions import Directions
from sfumato.table.records import Records

__all__ = ["published_plan"]


def published_plan(
    method: str,
    algorithm: Callable[[Centred, PureDP], AsPublished],
    domain: Domain,
    budget: Budget,
    *,
    rank: Any,
    alpha: Any,
    radius: Any,
    beside: dict[str, Any],
) -> Plan:
    """Components of the second moments, then every record along them; it promises nothing.

    `beside` are options of the corrected method, which mean nothing here.
    """
    given = [name for name, value in beside.items() if value is not None]
    if given:
        raise ParameterError(f"{method} as published has no {given[0]}: leave it out")
    if not isinstance(budget, PureDP):
        raise ParameterError(f"{method} as published is for a pure epsilon: leave out delta or rho")
    space = Centred.of(domain, radius)
    wanted = Rank.of(rank, alpha, len(space))
    published = algorithm(space, budget)
    published.check()

    def measure(records: Records, purse: Purse) -> Projected:
        values, V = leading(published.second(records, purse), len(space))
        directions = Directions.of(space, V[: wanted.chosen(values)])
        coordinates = published.coordinates(directions, records, purse)
        return Projected(directions, coordinates, np.zeros(len(space)))

    options = {
        "rank": wanted.fixed,
        "alpha": str(alpha),
        "radius": space.written_radius,
        "as_published": True,
    }
    return record_plan(
        method,
        domain,
        budget,
        events=published.events,
        measure=measure,
        options=options,
        unproved=published.cost,
    )
