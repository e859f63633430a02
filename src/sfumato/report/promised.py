"""The promise of a release in figures that people can use, with what was bought for it before.

Whoever reads a release that rests on bought facts reads these as well, so every cap is that of
all of it together.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from sfumato.privacy.budget import approx_from_zcdp
from sfumato.privacy.guarantee import ZCDP, ApproxDP, Guarantee, LocalDP, PureDP
from sfumato.release.certificate import BoughtFacts
from sfumato.release.kind import NETWORK, STREAM, TABLE
from sfumato.report.promise import PRIORS, STATED, Gain, one_in, percent, shown
from sfumato.report.svg import short
from sfumato.schema.person import PERSON

__all__ = ["Cap", "Promised", "in_odds", "promised"]

_RARE = Fraction(1, 100)  # what an attacker holds likely, in one sentence
_NO_FIGURE = "no one figure"
_LONGEST = 60  # characters of a release's name
# What is known besides, and what is guessed, by what a guess is about; else it is about a record.
_GUESSES = {
    TABLE.in_words_of(PERSON).about: "all rows of all other people and thinks something about one "
    "person",
    STREAM.about: "all other bits and thinks something about one",
    NETWORK.about: "all else and thinks one of two neighbouring weightings",
}
_GUESS = "all other records and thinks something about one"


@dataclass(frozen=True)
class Cap:
    """What reading the release does to a guess, at most, for people."""

    odds: str  # "" where they are not capped
    except_chance: str  # "" where it holds always
    right: str
    advantage: str

    @classmethod
    def of(cls, gain: Gain) -> "Cap":
        """The caps, rounded up."""
        return cls(
            odds=shown(gain.factor) if gain.capped else "",
            except_chance=one_in(gain.failure) if gain.capped and gain.failure else "",
            right=percent(gain.right),
            advantage=percent(gain.advantage),
        )


@dataclass(frozen=True)
class Promised:
    """The promise in figures that people can use."""

    figure: str  # ε = 1; that there is none, where no one figure is known for all of it
    statement: str  # the same in words
    parts: str  # what of it was spent here and what before; "" where nothing was bought
    cap: "Cap | None"  # None where there is no figure
    presence: "Cap | None"  # on a guess whether a record is there, where that is hidden better
    beliefs: tuple[tuple[str, str], ...]  # how sure before, at most how sure after
    also: str  # the same promise in the other currency
    local: bool  # whether it also holds against whoever collected the rows

    @property
    def reads(self) -> str:
        """What an attacker reads."""
        return "this release and what was bought for it" if self.parts else "this release"


def promised(guarantee: Guarantee, bought: BoughtFacts | None, steps: int) -> Promised | None:
    """The promise of a release that rests on such facts; None where it has none.

    >>> paid = {"ranges-1": PureDP("0.1")}
    >>> paid = BoughtFacts.model_construct(releases=paid, together=PureDP("1.1"))
    >>> found = promised(PureDP(1), paid, 1)
    >>> found.figure, found.parts, found.cap.odds
    ('ε = 1.1', '1 here, 0.1 for ranges or values bought by release ranges-1', '3.01')
    """
    if Gain.under(guarantee) is None:
        return None
    parts = "" if bought is None else ", ".join(_parts(guarantee, bought))
    whole = guarantee if bought is None else bought.together
    if whole is None:
        alone = f"{guarantee} by itself"
        return Promised(_NO_FIGURE, alone, parts, None, None, (), "", local=False)
    near, far = (Gain.under(whole, steps=count) for count in (1, steps))
    if near is None or far is None:
        return None
    return Promised(
        figure=_figure(whole),
        statement=str(whole),
        parts=parts,
        cap=Cap.of(far),
        presence=Cap.of(near) if steps > 1 else None,
        beliefs=tuple((f"{float(100 * p):g} %", percent(far.after(p))) for p in PRIORS),
        also=_also(whole),
        local=isinstance(whole, LocalDP),
    )


def in_odds(
    guarantee: Guarantee, bought: BoughtFacts | None, steps: int, about: str = TABLE.about
) -> str:
    """The promise in one sentence about somebody; empty where there is none.

    `about` is what a guess is about, as the kind of the release says it.

    >>> print(in_odds(PureDP(1), None, 1))
    Whoever knows all other records and thinks something about one 1 % likely thinks it at most \
2.68 % likely afterwards (odds at most × 2.72).
    """
    whole = guarantee if bought is None else bought.together
    gain = None if whole is None else Gain.under(whole, steps=steps)
    if gain is None:
        return ""
    if not gain.capped:
        return f"The odds of a guess about {about} are not capped: the budget is too large."
    failure = f", except with a chance of {one_in(gain.failure)}" if gain.failure else ""
    and_bought = "" if bought is None else " That counts what was bought before."
    return (
        f"Whoever knows {_GUESSES.get(about, _GUESS)} {float(100 * _RARE):g} % "
        f"likely thinks it at most {percent(gain.after(_RARE))} likely afterwards (odds at most "
        f"× {shown(gain.factor)}{failure}).{and_bought}"
    )


def _parts(guarantee: Guarantee, bought: BoughtFacts) -> Iterator[str]:
    figures = [_figure(one) for one in (guarantee, *bought.releases.values())]
    if bought.together is not None and not any("δ" in one or "ρ" in one for one in figures):
        figures = [one.removeprefix("ε = ") for one in figures]
    yield f"{figures[0]} here"
    for name, figure in zip(bought.releases, figures[1:], strict=True):
        yield f"{figure} for ranges or values bought by release {short(name, _LONGEST)}"


def _figure(guarantee: Guarantee) -> str:
    match guarantee:
        case PureDP(epsilon=epsilon) | LocalDP(epsilon=epsilon):
            return f"ε = {_up(epsilon)}"
        case ApproxDP(epsilon=epsilon, delta=delta):
            return f"ε = {_up(epsilon)}, δ = {_up(delta)}"
        case ZCDP(rho=rho):
            return f"ρ = {_up(rho)}"
    return ""


def _also(guarantee: Guarantee) -> str:
    if not isinstance(guarantee, ZCDP):
        return ""
    same = approx_from_zcdp(guarantee.rho, STATED)
    return f"ε = {_up(same.epsilon)}, δ = {_up(same.delta)}"


def _up(figure: Fraction) -> str:
    """Four digits, rounded up; small ones as a power of ten.

    >>> _up(Fraction(1, 3)), _up(Fraction(1, 10**6)), _up(Fraction(3, 10**9))
    ('0.3334', '10⁻⁶', '3 × 10⁻⁹')
    """
    exact = Decimal(figure.numerator) / Decimal(figure.denominator)
    if exact >= Decimal("0.001"):
        return shown(exact, 4)
    power = exact.adjusted()
    ten = "10" + str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    times = shown(exact.scaleb(-power), 4)
    return ten if times == "1" else f"{times} × {ten}"
