"""What measurements with frozen noise prove against a promise.

Three sums of the same tape must hold: no neighbours move a measurement beyond its declared
sensitivity; no measurement costs more, by that sensitivity and the noise that was really drawn,
than was paid for it; and all of them together cost no more than is promised.
"""

from collections.abc import Sequence
from itertools import product
from math import inf, log

import numpy as np

from sfumato.inspection.audit.search import BEYOND, Search
from sfumato.inspection.audit.step import NOTHING, Price
from sfumato.privacy.guarantee import ZCDP, ApproxDP, Guarantee, LocalDP, PureDP

__all__ = ["dearer", "promised", "spent", "violations"]


def violations(search: Search) -> list[str]:
    """Every claim that does not hold, in words."""
    said, promise = list(search.faults), search.plan.guarantee
    for one in search.found.values():
        if max(one.ratio, one.other) > BEYOND:
            beyond = one.ratio if one.ratio > BEYOND else one.other
            first, second = one.pair
            said.append(
                f"{one.name}: {beyond:.4g} times the claimed sensitivity "
                f"between {first.text} and {second.text}"
            )
        for price, what in (
            (one.stated, "at the declared sensitivity"),
            (one.price, "between two neighbours"),
        ):
            unit, amount, paid = _same_unit(price, one.cost)
            if dearer(price, one.cost):
                said.append(
                    f"{one.name}: under the noise that is drawn it costs {unit} {amount:.4g} "
                    f"{what}, and {paid:.4g} was paid"
                )
    for route, kind in product(search.together, ("stated", "price")):
        unit, amount = in_units(total([getattr(one, kind) for one in route]), promise)
        if amount > promised(promise) * BEYOND:
            said.append(
                f"all measurements together cost {unit} {amount:.4g} under the noise that is "
                f"drawn, and {promised(promise):.4g} is promised"
            )
    return list(dict.fromkeys(said))


def dearer(price: Price, cost: Price) -> bool:
    """Whether a price is above what was paid, in the unit of the payment."""
    _, amount, paid = _same_unit(price, cost)
    return amount > paid * BEYOND


def _same_unit(price: Price, cost: Price) -> tuple[str, float, float]:
    if cost.epsilon < inf:
        return "epsilon", price.epsilon, cost.epsilon
    return "rho", price.rho, cost.rho


def total(prices: Sequence[Price]) -> Price:
    """By basic composition, which every plan here rests on."""
    return sum(prices, NOTHING)


def promised(promise: Guarantee) -> float:
    """The figure of a promise that a total is held against."""
    if isinstance(promise, ZCDP):
        return float(promise.rho)
    if isinstance(promise, PureDP | ApproxDP | LocalDP):
        return float(promise.epsilon)
    return inf


def spent(search: Search) -> tuple[str, float]:
    """What the worst pairs of all measurements cost together, in the unit of the promise."""
    promise = search.plan.guarantee
    routes = [in_units(total([one.price for one in r]), promise) for r in search.together]
    return max(routes, key=lambda route: route[1], default=("epsilon", 0.0))


def in_units(price: Price, promise: Guarantee) -> tuple[str, float]:
    """A total in the unit of the promise, worked out apart from `privacy.budget`."""
    if isinstance(promise, ZCDP):
        return "rho", price.rho
    if isinstance(promise, ApproxDP) and price.epsilon == inf:
        return "epsilon", epsilon_of(price.rho, float(promise.delta))
    return "epsilon", price.epsilon


def epsilon_of(rho: float, delta: float) -> float:
    """The ε at this δ of ρ-zCDP (Canonne, Kamath and Steinke 2020, proposition 12), in floats.

    >>> round(epsilon_of(0.5, 1e-6), 9)
    5.221534445
    """
    if rho == 0 or rho == inf:
        return rho
    low, high = -30.0, 30.0
    for _ in range(6):  # of a function with one valley, on finer and finer grids
        at = np.linspace(low, high, 401)
        x = np.exp(at)
        found = (1 + x) * rho + (x * at - (1 + x) * np.log1p(x) - log(delta)) / x
        best = int(np.argmin(found))
        low, high = at[max(best - 1, 0)], at[min(best + 1, 400)]
    return max(float(found[best]), 0.0)
