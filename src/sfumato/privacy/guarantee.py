"""What a release promises, as a value that composes.

`PureDP`, `ApproxDP`, `ZCDP` and `LocalDP` carry exact rationals: no figure drifts, and
whatever must be rounded is rounded up.  `Heuristic` and `Seeded` carry no promise and
swallow every promise they are composed with: the weakest label wins.

>>> compose(PureDP("0.1"), PureDP("0.2"))
PureDP(epsilon=Fraction(3, 10))
>>> compose(PureDP(1), Heuristic("rotation keeps distances"))
Heuristic(reason='rotation keeps distances')
"""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from math import isfinite
from typing import ClassVar

from sfumato.errors import ParameterError

__all__ = [
    "ZCDP",
    "ApproxDP",
    "Guarantee",
    "Heuristic",
    "LocalDP",
    "Number",
    "PureDP",
    "Seeded",
    "compose",
    "exact",
    "from_json",
    "to_json",
]

Number = int | float | str | Decimal | Fraction


def exact(name: str, value: Number, *, below: Number | None = None, zero: bool = False) -> Fraction:
    """The rational that a person wrote: 0.1 is one tenth, whichever type carries it.

    >>> exact("epsilon", 0.1), exact("epsilon", "1e-9")
    (Fraction(1, 10), Fraction(1, 1000000000))
    """
    rule = "a number of at least 0" if zero else "a number above 0"
    if below is not None:
        rule += f" and below {below}"
    try:
        if isinstance(value, bool) or (isinstance(value, float) and not isfinite(value)):
            raise ValueError
        # str() is the shortest decimal that reads back as the float: what was typed.
        number = value if isinstance(value, Fraction) else Fraction(str(value).strip())
    except (ValueError, ZeroDivisionError, TypeError):
        raise ParameterError(f"{name} must be {rule}, got {value!r}") from None
    too_small = number < 0 or (number == 0 and not zero)
    if too_small or (below is not None and number >= Fraction(below)):
        raise ParameterError(f"{name} must be {rule}, got {value}")
    return number


@dataclass(frozen=True, slots=True)
class PureDP:
    """ε-differential privacy."""

    epsilon: Fraction
    label: ClassVar[str] = "pure-DP"

    def __init__(self, epsilon: Number) -> None:
        object.__setattr__(self, "epsilon", exact("epsilon", epsilon))

    def __str__(self) -> str:
        return f"{_short(self.epsilon)}-differential privacy"


@dataclass(frozen=True, slots=True)
class ApproxDP:
    """(ε, δ)-differential privacy."""

    epsilon: Fraction
    delta: Fraction
    label: ClassVar[str] = "approx-DP"

    def __init__(self, epsilon: Number, delta: Number) -> None:
        object.__setattr__(self, "epsilon", exact("epsilon", epsilon))
        object.__setattr__(self, "delta", exact("delta", delta, below=1))

    def __str__(self) -> str:
        return f"({_short(self.epsilon)}, {_short(self.delta)})-differential privacy"


@dataclass(frozen=True, slots=True)
class ZCDP:
    """ρ-zero-concentrated differential privacy (Bun and Steinke 2016)."""

    rho: Fraction
    label: ClassVar[str] = "zCDP"

    def __init__(self, rho: Number) -> None:
        object.__setattr__(self, "rho", exact("rho", rho))

    def __str__(self) -> str:
        return f"{_short(self.rho)}-zero-concentrated differential privacy"


@dataclass(frozen=True, slots=True)
class LocalDP:
    """ε-local differential privacy: each record is hidden before anyone collects it."""

    epsilon: Fraction
    label: ClassVar[str] = "local-DP"

    def __init__(self, epsilon: Number) -> None:
        object.__setattr__(self, "epsilon", exact("epsilon", epsilon))

    def __str__(self) -> str:
        return f"{_short(self.epsilon)}-local differential privacy"


@dataclass(frozen=True, slots=True)
class Heuristic:
    """No proof: the reason says what is missing."""

    reason: str
    label: ClassVar[str] = "heuristic (no guarantee)"

    def __str__(self) -> str:
        return f"no guarantee: {self.reason}"


@dataclass(frozen=True, slots=True)
class Seeded:
    """A test run whose noise anyone can repeat."""

    label: ClassVar[str] = "test (seeded)"

    def __str__(self) -> str:
        return "no guarantee: a seeded test run, its noise can be repeated and removed"


Guarantee = PureDP | ApproxDP | ZCDP | LocalDP | Heuristic | Seeded

_KINDS: dict[str, type[Guarantee]] = {
    kind.label: kind for kind in (PureDP, ApproxDP, ZCDP, LocalDP, Heuristic, Seeded)
}


def compose(*parts: Guarantee) -> Guarantee:
    """What the parts promise together, each computed in view of the ones before.

    Mixing (ε, δ) with ρ has no lossless answer: convert the ρ first (`approx_from_zcdp`).
    """
    if not parts:
        raise ParameterError("compose needs at least one guarantee")
    return reduce(_pair, parts)


def _pair(a: Guarantee, b: Guarantee) -> Guarantee:
    for weakest in (Seeded, Heuristic):
        for part in (a, b):
            if isinstance(part, weakest):
                return part
    if isinstance(a, LocalDP) and isinstance(b, LocalDP):
        return LocalDP(a.epsilon + b.epsilon)
    # A local promise is a central one as well: nobody sees more than the noisy records.
    a, b = (PureDP(g.epsilon) if isinstance(g, LocalDP) else g for g in (a, b))
    if isinstance(a, ZCDP) or isinstance(b, ZCDP):
        return ZCDP(_rho(a) + _rho(b))
    assert isinstance(a, PureDP | ApproxDP)  # noqa: S101  the other kinds returned above
    assert isinstance(b, PureDP | ApproxDP)  # noqa: S101
    epsilon, delta = a.epsilon + b.epsilon, _delta(a) + _delta(b)
    return ApproxDP(epsilon, delta) if delta else PureDP(epsilon)


def _rho(part: Guarantee) -> Fraction:
    if isinstance(part, ZCDP):
        return part.rho
    if isinstance(part, PureDP):
        return part.epsilon**2 / 2  # Bun and Steinke 2016, proposition 1.4
    raise ParameterError("an (epsilon, delta) guarantee does not compose with zCDP: convert first")


def _delta(part: PureDP | ApproxDP) -> Fraction:
    return part.delta if isinstance(part, ApproxDP) else Fraction(0)


def to_json(guarantee: Guarantee) -> dict[str, str]:
    """Label and exact figures, as `release.json` and the ledger keep them."""
    fields = {name: str(getattr(guarantee, name)) for name in guarantee.__dataclass_fields__}
    return {"label": guarantee.label, **fields}


def from_json(record: dict[str, str]) -> Guarantee:
    """The inverse of `to_json`.

    >>> from_json(to_json(ApproxDP(1, "1e-9"))) == ApproxDP(1, "1e-9")
    True
    """
    fields = dict(record)
    kind = _KINDS.get(fields.pop("label", ""))
    if kind is None:
        raise ParameterError("the guarantee carries an unknown label")
    try:
        return kind(**fields)
    except TypeError:
        raise ParameterError(f"the {kind.label} guarantee has missing or unknown figures") from None


def _short(value: Fraction) -> str:
    """A figure for people, rounded up in the sixth digit where decimals do not end."""
    number = float(value)
    text = f"{number:.6g}"
    return text if Fraction(text) == value else f"at most {_ceil_6(value)}"


def _ceil_6(value: Fraction) -> str:
    number = Decimal(f"{float(value):.6g}")
    step = Decimal(1).scaleb(number.adjusted() - 5)
    while Fraction(number) < value:
        number += step
    return f"{number:g}"
