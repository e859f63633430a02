"""What a budget was spent on: every measurement with its noise and its share of the price.

>>> from sfumato.privacy.guarantee import PureDP
>>> bought = [Event("sums", "discrete-laplace", Fraction(2), Fraction(8), PureDP("0.25")),
...           Event("moments", "discrete-laplace", Fraction(3), Fraction(4), PureDP("0.75"))]
>>> for item in spending(bought):
...     print(item.what, item.how, item.percent, sep=" | ")
moments | discrete Laplace noise of scale 4 | 75 %
sums | discrete Laplace noise of scale 8 | 25 %
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

from sfumato.privacy.guarantee import ZCDP, ApproxDP, Guarantee
from sfumato.privacy.mechanism import Event

__all__ = ["Item", "spending"]

_MANY = 8  # measurements; beyond, those of a kind are put together
_MOST = 12
_CALLED = {"fit": "counts of what does not fit the schema"}
_HOW = {
    "discrete-laplace": "discrete Laplace noise of scale {}",
    "discrete-gaussian": "discrete Gaussian noise of deviation {}",
    "exponential": "a noisy choice of temperature {}",
    "randomized-response": "answers that lie with probability {}",
    "k-ary-response": "answers that are another with probability {}",
    "unary-response": "a yes or no to each value, a false yes with probability {}",
    "gaussian-projection": "a random projection; no proof on machine numbers",
    "exact": "without noise",
    "perturbation": "changed by a rule or by noise that has no proof",
}


@dataclass(frozen=True)
class Item:
    """One measurement, or several of a kind, and their part of the price (None: no price)."""

    what: str
    how: str
    share: Fraction | None

    @property
    def percent(self) -> str:
        """The share for people."""
        return "" if self.share is None else f"{float(100 * self.share):.3g} %"

    @property
    def width(self) -> str:
        """The share for a bar."""
        return f"{float(100 * (self.share or 0)):.2f}"


def spending(events: Sequence[Event], budget: Guarantee | None = None) -> list[Item]:
    """Measurements by their share of the price; many are put together by kind.

    Where some cost ε and others ρ, these share what the former leave of the ε of the `budget`.
    """
    events = [event.in_units for event in events]
    prices = _in_one_currency(events, [_price(event) for event in events], budget)
    whole = sum((price for price in prices if price is not None), Fraction(0))
    kinds: dict[str, list[int]] = {}
    for k, event in enumerate(events):
        name = event.statistic
        kinds.setdefault(_kind(name) if len(events) > _MANY else f"{name}\0{k}", []).append(k)
    items = []
    for name, which in kinds.items():
        known = [price for k in which if (price := prices[k]) is not None]
        share = sum(known, Fraction(0)) / whole if known and whole else None
        several = f" ({len(which)} of them)" if len(which) > 1 else ""
        items.append(
            Item(
                _called(name.partition("\0")[0]) + several, _how([events[k] for k in which]), share
            )
        )
    items.sort(key=lambda item: -(item.share or 0))
    if len(items) <= _MOST:
        return items
    rest = items[_MOST - 1 :]
    together = sum((item.share or Fraction(0) for item in rest), Fraction(0))
    return [*items[: _MOST - 1], Item(f"{len(rest)} further kinds", "as certified", together)]


def _called(statistic: str) -> str:
    return _CALLED.get(statistic, statistic)


def _in_one_currency(
    events: Sequence[Event], prices: list[Fraction | None], budget: Guarantee | None
) -> list[Fraction | None]:
    noisy = [isinstance(event.cost, ZCDP) for event in events]
    if all(noisy) or not any(noisy) or not isinstance(budget, ApproxDP):
        return prices
    paired = list(zip(prices, noisy, strict=True))
    pure = sum((price or Fraction(0) for price, rho in paired if not rho), Fraction(0))
    rhos = sum((price or Fraction(0) for price, rho in paired if rho), Fraction(0))
    worth = max(budget.epsilon - pure, Fraction(0)) / rhos
    return [price * worth if rho and price is not None else price for price, rho in paired]


def _kind(statistic: str) -> str:
    """What a measurement is called without its column or number."""
    return re.sub(r"( of .+| \d+)$", "", statistic)


def _price(event: Event) -> Fraction | None:
    figure: Fraction | None = getattr(event.cost, "rho", getattr(event.cost, "epsilon", None))
    return figure


def _how(events: Sequence[Event]) -> str:
    sizes = [_size(event) for event in events if event.noise is not None]
    low, high = (f"{end:.4g}" for end in (min(sizes, default=0.0), max(sizes, default=0.0)))
    return _HOW[events[0].mechanism].format(low if low == high else f"{low} to {high}")


def _size(event: Event) -> float:
    return sqrt(event.size) if event.mechanism == "discrete-gaussian" else event.size
