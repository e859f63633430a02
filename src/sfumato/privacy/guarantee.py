"""What a release promises, as a value that composes.

`PureDP`, `ApproxDP`, `ZCDP` and `LocalDP` carry exact rationals: no figure drifts, and
whatever must be rounded is rounded up.  `Heuristic` and `Seeded` carry no promise and
swallow every promise they are composed with: the weakest label wins.

>>> compose(PureDP("0.1"), PureDP("0.2"))
PureDP(epsilon=Fraction(3, 10))
>>> compose(PureDP(1), Heuristic("rotation keeps distances"))
Heuristic(reason='rotation keeps distances')
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from decimal import ROUND_CEILING, Decimal, localcontext
from fractions import Fraction
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

_LARGEST_EXPONENT = 400  # 1e-999999999 is a rational too, but one that fills the memory

_LONGEST_TOLD = 80  # characters


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
        number = _rational(value)
    except (ValueError, ZeroDivisionError, TypeError):
        raise ParameterError(f"{name} must be {rule}, got {_told(value, repr)}") from None
    too_small = number < 0 or (number == 0 and not zero)
    if too_small or (below is not None and number >= Fraction(below)):
        raise ParameterError(f"{name} must be {rule}, got {_told(value, str)}")
    return number


def _told(value: Number, spelled: Callable[[Number], str]) -> str:
    """What was given, unless it is so long that nobody would read the rule beside it."""
    try:
        text = spelled(value)
    except ValueError:  # of so many digits that Python does not write it
        return "one of very many digits"
    return text if len(text) <= _LONGEST_TOLD else f"one of {len(text):,} characters"


def _rational(value: Number) -> Fraction:
    if isinstance(value, int | Fraction):
        return Fraction(value)
    # str() is the shortest decimal that reads back as the float: what was typed.
    text = str(value).strip()
    if not text.isascii() or "_" in text:  # Fraction itself takes 1_0 for 10, and digits of others
        raise ValueError
    exponent = text.lower().partition("e")[2]
    if exponent and abs(int(exponent)) > _LARGEST_EXPONENT:
        raise ValueError
    return Fraction(text)


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
    """ε-local differential privacy: each record is hidden before anyone collects it.

    All records together are then ε-DP where one of them is replaced and their number is public.
    """

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

    The parts may come in any order.  Hand them over at once: ρ adds up in squares of ε, so
    pure parts summed beforehand cost more next to a ρ than one by one.  Mixing (ε, δ) with
    ρ has no lossless answer: convert the ρ first (`approx_from_zcdp`).
    """
    if not parts:
        raise ParameterError("compose needs at least one guarantee")
    for weakest in (Seeded, Heuristic):
        for part in parts:
            if isinstance(part, weakest):
                return part
    if all(isinstance(part, LocalDP) for part in parts):
        return LocalDP(_epsilons(parts))
    if any(isinstance(part, ZCDP) for part in parts):
        return ZCDP(sum((_rho(part) for part in parts), Fraction(0)))
    delta = sum((part.delta for part in parts if isinstance(part, ApproxDP)), Fraction(0))
    return ApproxDP(_epsilons(parts), delta) if delta else PureDP(_epsilons(parts))


def _epsilons(parts: Sequence[Guarantee]) -> Fraction:
    # A local promise is a central one as well: nobody sees more than the noisy records.
    figures = (p.epsilon for p in parts if isinstance(p, PureDP | ApproxDP | LocalDP))
    return sum(figures, Fraction(0))


def _rho(part: Guarantee) -> Fraction:
    if isinstance(part, ZCDP):
        return part.rho
    if isinstance(part, PureDP | LocalDP):
        return part.epsilon**2 / 2  # Bun and Steinke 2016, proposition 1.4
    raise ParameterError("an (epsilon, delta) guarantee does not compose with zCDP: convert first")


def to_json(guarantee: Guarantee) -> dict[str, str]:
    """Label and exact figures, as `release.json` and the ledger keep them."""
    figures = {field.name: str(getattr(guarantee, field.name)) for field in fields(guarantee)}
    return {"label": guarantee.label, **figures}


def from_json(record: dict[str, str]) -> Guarantee:
    """The inverse of `to_json`.

    >>> from_json(to_json(ApproxDP(1, "1e-9"))) == ApproxDP(1, "1e-9")
    True
    """
    figures = dict(record)
    kind = _KINDS.get(figures.pop("label", ""))
    if kind is None:
        raise ParameterError("the guarantee carries an unknown label")
    try:
        return kind(**figures)
    except TypeError:
        raise ParameterError(f"the {kind.label} guarantee has missing or unknown figures") from None


def _short(value: Fraction) -> str:
    """A figure for people: six digits, rounded up and said so where decimals do not end."""
    with localcontext() as context:
        context.prec, context.rounding = 6, ROUND_CEILING
        number = Decimal(value.numerator) / Decimal(value.denominator)
    # Floats write short figures best; what lies beyond them keeps the decimal's own form.
    text = f"{float(number):.6g}" if -300 < number.adjusted() < 300 else str(number.normalize())
    return text if Fraction(number) == value else f"at most {text}"
