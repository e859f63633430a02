"""What the page of a release says, before it is set: every figure from the release alone."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from sfumato.privacy.budget import approx_from_zcdp
from sfumato.privacy.guarantee import ZCDP, ApproxDP, Guarantee, Heuristic, LocalDP, PureDP, Seeded
from sfumato.release.release import Release, table_schema
from sfumato.report.card import Group
from sfumato.report.count_pictures import count_pictures, count_precision
from sfumato.report.network_pictures import network_pictures
from sfumato.report.precision import Precision, precision
from sfumato.report.promise import PRIORS, STATED, Gain, one_in, percent, shown
from sfumato.report.series_pictures import Reach, series_pictures, series_precision
from sfumato.report.spending import Item, spending
from sfumato.report.svg import short
from sfumato.report.table_pictures import table_pictures

__all__ = ["Cap", "Page", "Promised", "page"]

_LONGEST = 160  # characters of an option
_NEIGHBOURS = {
    "replace-one": "two sets of {0}s of the same size, of which one {0} holds something else. How "
    "many {0}s there are is public.",
    "add-remove": "two sets of {0}s of which one has a {0} more. So even whether a {0} is there is "
    "hidden; between two things that a {0} may hold, the budget counts twice, as it does in the "
    "figures here.",
}
_STEPS = {"add-remove": 2}  # neighbours from one thing that a record may hold to another
_THINGS = {"network": "edges", "stream": "figures", "counts": "counts"}
_ATTACKER = {
    "table": "Think of an attacker who knows all rows but one, this program and its settings. "
    "Whatever the attacker holds to be likely about that row",
    "network": "Think of an attacker who knows this program and its settings, and wants to know "
    "which of two neighbouring weightings is the true one. Whatever the attacker holds to be "
    "likely about that",
    "stream": "Think of an attacker who knows all bits but one, this program and its settings. "
    "Whatever the attacker holds to be likely about that bit",
    "counts": "Think of an attacker who knows all records but one, this program and its settings. "
    "Whatever the attacker holds to be likely about that record",
}
_ABOUT = {
    "table": "one row",
    "network": "which of two neighbouring weightings is the true one",
    "stream": "one bit",
    "counts": "one record",
}
_RECORD = {"table": "row", "counts": "record"}
_ASKED = "which of two neighbouring data sets was published"


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

    figure: str  # ε = 1
    cap: "Cap"
    presence: "Cap | None"  # on a guess whether a record is there, where that is hidden better
    beliefs: tuple[tuple[str, str], ...]  # how sure before, at most how sure after
    also: str  # the same promise in the other currency


@dataclass(frozen=True)
class Page:
    """All that the template sets."""

    dataset: str
    paper: Mapping[str, Any]
    summary: str
    things: str
    columns: int
    about: str  # what a guess is about: one row
    attacker: str
    neighbours: str
    record: str  # what one may be there or not
    asked: str  # what no attacker answers better than by so much
    promised: Promised | None
    alarm: str  # the headline where nothing is promised
    reason: str
    spending: tuple[Item, ...]
    precision: Precision
    groups: tuple[Group, ...]
    facts: tuple[tuple[str, str, bool], ...]  # name, text, whether it is code
    commands: tuple[tuple[str, str], ...]


def page(release: Release, *, summary: str = "", reach: Reach | None = None) -> Page:
    """The page of a release.

    `summary` is the method in a sentence, from its registry; `reach` is how far the figures
    of a series may be off where only the method can tell.  Neither sees a record.
    """
    paper, guarantee = release.certificate, release.guarantee
    subject = next((name for name in _THINGS if name in paper), "table")
    known = {
        "stream": lambda: series_precision(release, reach),
        "counts": lambda: count_precision(release),
    }.get(subject, lambda: precision(release))()
    groups = {
        "network": lambda: network_pictures(release, known),
        "stream": lambda: series_pictures(release, reach),
        "counts": lambda: count_pictures(release),
    }.get(subject, lambda: table_pictures(release, known))()
    alarm, reason = _alarm(guarantee)
    record, steps = _RECORD.get(subject, ""), _STEPS.get(paper["neighbours"], 1)
    return Page(
        dataset=short(str(paper["dataset"]), _LONGEST),
        paper=paper,
        summary=summary,
        things=_THINGS.get(subject, "rows"),
        columns=len(table_schema(paper)),
        about=_ABOUT[subject],
        attacker=_ATTACKER[subject],
        neighbours=_neighbours(paper["neighbours"], record),
        record=record,
        asked=_ASKED if steps == 1 else f"which of two things that {record} holds",
        promised=_promised(guarantee, steps),
        alarm=alarm,
        reason=reason,
        spending=tuple(spending(paper["events"])),
        precision=known,
        groups=tuple(groups),
        facts=tuple(_facts(paper)),
        commands=tuple(_commands(paper, subject, known, Gain.under(guarantee) is not None)),
    )


def _neighbours(stated: str, record: str) -> str:
    known = _NEIGHBOURS.get(stated)
    return f"{stated}." if known is None else known.format(record)


def _alarm(guarantee: Guarantee) -> tuple[str, str]:
    match guarantee:
        case Heuristic(reason=reason):
            return "Nothing is promised", reason[:1].upper() + reason[1:]
        case Seeded():
            return (
                "A test run: nothing is promised",
                "Its noise comes from a seed: whoever knows the seed can repeat it and take it off",
            )
    return "", ""


def _promised(guarantee: Guarantee, steps: int) -> Promised | None:
    near, far = (Gain.under(guarantee, steps=count) for count in (1, steps))
    if near is None or far is None:
        return None
    return Promised(
        figure=_figure(guarantee),
        cap=Cap.of(far),
        presence=Cap.of(near) if steps > 1 else None,
        beliefs=tuple((f"{float(100 * p):g} %", percent(far.after(p))) for p in PRIORS),
        also=_also(guarantee),
    )


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


def _commands(
    paper: Mapping[str, Any], subject: str, known: Precision, promised: bool
) -> Iterator[tuple[str, str]]:
    yield "sfumato verify release/", "files, plan, noise, price and data are as certified"
    if known.found is not None:
        yield "sfumato accuracy release/", "how far every published number may be off"
    if subject == "counts":
        yield "sfumato query ask release/ --keys …", "an answer with its interval"
    yield "sfumato report release/ -o again.html", "makes this page again, byte for byte"
    if subject == "table" and promised:
        figures = (
            f"--{name} {paper['budget'][name]}"
            for name in ("epsilon", "delta", "rho")
            if name in paper["budget"]
        )
        yield (
            f"sfumato audit {paper['method']} {' '.join(figures)}",
            "attacks the method on made-up tables",
        )


def _facts(paper: Mapping[str, Any]) -> Iterator[tuple[str, str, bool]]:
    yield "Release", str(paper["release"]), True
    yield "Data set", str(paper["dataset"]), False
    yield "Statement", str(paper["statement"]), False
    yield "Unit of privacy", str(paper["unit"]), False
    yield "Neighbours", str(paper["neighbours"]), False
    yield "Method", str(paper["method"]), True
    for name, value in paper["options"].items():
        said = (
            "not set" if value is None else str(value).lower() if value in (True, False) else value
        )
        yield f"Option {name}", short(str(said), _LONGEST), True
    yield "Published as they are", ", ".join(paper["invariants"]) or "nothing", False
    yield "Randomness", str(paper["randomness"]), False
    ledger = paper["ledger"]
    if ledger is None:
        yield "Ledger", "none was kept", False
    else:
        yield "Ledger", str(ledger["id"]), True
        yield "Ledger head", str(ledger["head"]), True
    yield "Content (BLAKE2b-256)", str(paper["content"]["blake2b-256"]), True
    for name, digest in sorted(paper.get("files", {}).items()):
        yield f"SHA-256 of {name}", str(digest), True
    if "seal" in paper:
        yield "Seal of the certificate", str(paper["seal"]), True
    versions = ", ".join(f"{name} {number}" for name, number in paper["versions"].items())
    yield "Made with", versions, False
