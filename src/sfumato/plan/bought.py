"""What a table's schema cost before: the releases that bought its ranges and values.

A release that rests on bought facts costs what it says beside what they cost; the certificate
states both, and their sum.

>>> from sfumato.schema import Schema
>>> paid = {"release": "r-7", "epsilon": 0.1}
>>> schema = Schema.of({"name": "t", "columns": {"a": {
...     "kind": "integer", "low": 0, "high": 9, "provenance": paid}}})
>>> print(bought_before(schema, PureDP(1)).lines[0])
The ranges or values of 1 column were bought by release r-7: 0.1-differential privacy. \
Together with this release: 1.1-differential privacy.
"""

from dataclasses import dataclass
from typing import Any

from sfumato.privacy.budget import approx_from_zcdp
from sfumato.privacy.guarantee import (
    ZCDP,
    ApproxDP,
    Guarantee,
    LocalDP,
    PureDP,
    compose,
    to_json,
)
from sfumato.schema import Schema
from sfumato.schema.column import Estimated

__all__ = ["Bought", "bought_before"]

_STATED = "1e-9"  # the delta at which zCDP is stated beside (epsilon, delta)


@dataclass(frozen=True)
class Bought:
    """Fields of a certificate, and what it says of them; both empty where nothing was bought."""

    fields: dict[str, Any]
    lines: tuple[str, ...]


def bought_before(schema: Schema, guarantee: Guarantee) -> Bought:
    """What was bought for this schema, and what it costs with a release of this promise."""
    paid = schema.bought
    if not paid:
        return Bought({}, ())
    prices = [one.price for one in paid.values()]
    whole = _together(prices, guarantee)
    fields = {
        "releases": {name: to_json(one.price) for name, one in paid.items()},
        "together": None if whole is None else to_json(whole),
    }
    several = [c for c in schema.released.values() if isinstance(c.provenance, Estimated)]
    columns = f"{len(several)} column{'s' * (len(several) > 1)}"
    said = ", ".join(f"{name}: {one.price}" for name, one in paid.items())
    line = f"The ranges or values of {columns} were bought by release {said}."
    if whole is not None:
        line += f" Together with this release: {whole}."
    return Bought({"bought": fields}, (line,))


def _together(prices: list[PureDP | ApproxDP], guarantee: Guarantee) -> Guarantee | None:
    """All of it in one figure; None where the release promises nothing."""
    match guarantee:
        case LocalDP(epsilon=epsilon):
            return compose(*prices, PureDP(epsilon))
        case ZCDP(rho=rho) if any(isinstance(price, ApproxDP) for price in prices):
            return compose(*prices, approx_from_zcdp(rho, _STATED))
        case PureDP() | ApproxDP() | ZCDP():
            return compose(*prices, guarantee)
    return None
