"""The fields of the promise: what was typed, what it means, and what is wrong with it.

>>> count("5 000"), count("5,000"), count("12"), figure("0,5"), figure("1e-9")
(5000, 5000, 12, '0.5', '1e-9')
>>> nearest("1"), nearest("0.12"), nearest("999"), STOPS[9]
(9, 0, 18, '1')
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from sfumato.errors import ParameterError
from sfumato.privacy.guarantee import exact
from sfumato.schema import Schema
from sfumato.studio.choice import Choice
from sfumato.studio.forms import Form
from sfumato.studio.misfit import USUAL, known

__all__ = ["STOPS", "Judged", "Typed", "count", "figure", "judged", "nearest"]

# Where the slider stops: round figures, each about half as much again as the one before.
STOPS = ("0.1", "0.15", "0.2", "0.25", "0.3", "0.4", "0.5", "0.6", "0.8",
         "1", "1.2", "1.5", "2", "2.5", "3", "4", "5", "7", "10")  # fmt: skip
_MOST_RECORDS = 10**12
_MOST_EPSILON = 1_000
_LONGEST = 40
_COUNT = re.compile(r"[0-9]+|[0-9]{1,3}(?:[ ,'’\u00a0\u2009\u202f][0-9]{3})+")
_FIGURE = re.compile(r"[0-9]*[.,]?[0-9]+(?:[eE]-?[0-9]{1,3})?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Typed:
    """All fields of the form."""

    records: str = ""
    secret: bool = False  # the number of records
    epsilon: str = "1"
    delta: str = ""
    method: str = "mosaic"
    misfit: str = USUAL  # how many records may fail to fit
    what: str = "counts"  # that is to be accurate
    column: int | None = None  # its place among the released ones
    within: str = ""
    unit: str = "%"
    find: bool = False  # epsilon from that
    all: bool = False  # columns

    @classmethod
    def kept(cls, choice: Choice | None, schema: Schema) -> "Typed":
        """As it was chosen before, or as a page begins."""
        secret = schema.neighbours == "add-remove"
        if choice is None:
            return cls(secret=secret)
        return cls(
            records="" if choice.records is None else f"{choice.records:,}".replace(",", " "),
            secret=secret,
            epsilon=choice.epsilon or "1",
            delta=choice.delta or "",
            method=choice.method,
            misfit=choice.misfit,
        )

    @classmethod
    def sent(cls, form: Form) -> "Typed":
        """What the form says; without script, of slider and field the one that was changed."""
        epsilon, before = form.text("epsilon", 200), form.text("stop-before", 9)
        slid = form.text("stop", 9)
        if slid != before and slid.isdecimal() and int(slid) < len(STOPS):
            moved = nearest(epsilon) == (int(before) if before.isdecimal() else -1)
            epsilon = STOPS[int(slid)] if moved else epsilon
        delta = form.text("delta", 200)
        if form.flag("allow"):
            delta = form.text("allow", 200)
        what, _, place = form.text("what", 30).partition("-")
        return cls(
            records=form.text("records", 200),
            secret=form.text("number", 200) not in ("public", ""),  # what is odd gives away less
            epsilon=form.text("take", 200) or epsilon,
            delta="" if form.flag("disallow") else delta,
            method=form.text("method", 200) or "mosaic",
            misfit=known(form.text("misfit", 9)),
            what="means" if what == "means" else "counts",
            column=int(place) if place.isdecimal() and len(place) < 7 else None,
            within=form.text("within", 200),
            unit="own" if form.text("unit", 9) == "own" else "%",
            find=form.flag("find"),
            all=form.flag("all") and form.text("all", 9) != "0",
        )


@dataclass(frozen=True, slots=True)
class Judged:
    """What the fields mean, and by name what is wrong with them."""

    records: int | None = None
    epsilon: str | None = None
    delta: str | None = None
    want: str = ""
    faults: Mapping[str, str] = field(default_factory=dict)

    def wrong(self, name: str, said: str) -> "Judged":
        """The same with one more thing that is wrong."""
        return replace(self, faults={**self.faults, name: said})


def judged(typed: Typed, names: list[str]) -> Judged:
    """The meaning of the fields, for released columns of these names."""
    found = Judged()
    try:
        found = replace(found, records=count(typed.records) if typed.records else None)
    except ParameterError as refusal:
        found = found.wrong("records", str(refusal))
    try:
        found = replace(found, epsilon=_epsilon(typed.epsilon))
    except ParameterError as refusal:
        found = found.wrong("epsilon", str(refusal))
    try:
        found = replace(found, delta=_delta(typed.delta) if typed.delta else None)
    except ParameterError as refusal:
        found = found.wrong("delta", str(refusal))
    if typed.find:
        try:
            found = replace(found, want=_want(typed, names))
        except ParameterError as refusal:
            found = found.wrong("within", str(refusal))
        if not typed.records:
            found = found.wrong("records", "Say about how many records there are.")
    return found


def count(text: str) -> int:
    """A whole number as people write it, with or without marks between thousands."""
    if len(text) > _LONGEST or not _COUNT.fullmatch(text):
        raise ParameterError("Write a whole number, such as 5 000.")
    number = int(re.sub("[^0-9]", "", text))
    if not 1 <= number <= _MOST_RECORDS:
        raise ParameterError(f"Write a number from 1 to {_MOST_RECORDS:,}.")
    return number


def figure(text: str) -> str:
    """A figure above 0 as people write it, with a point."""
    if len(text) > _LONGEST or not _FIGURE.fullmatch(text):
        raise ParameterError("Write a number above 0, such as 1 or 0.5.")
    written = text.replace(",", ".")
    try:
        exact("it", written)
    except ParameterError:
        raise ParameterError("Write a number above 0, such as 1 or 0.5.") from None
    return written


def nearest(epsilon: str) -> int:
    """Where the slider stands for an epsilon."""
    try:
        wanted = exact("epsilon", figure(epsilon))
    except ParameterError:
        return STOPS.index("1")
    # By ratio and not by distance, as the stops are laid out.
    return min(
        range(len(STOPS)),
        key=lambda k: max(wanted / exact("stop", STOPS[k]), exact("stop", STOPS[k]) / wanted),
    )


def _epsilon(text: str) -> str:
    written = figure(text)
    if exact("epsilon", written) > _MOST_EPSILON:
        raise ParameterError(f"Above {_MOST_EPSILON:,}, ε promises nothing: write a smaller one.")
    return written


def _delta(text: str) -> str:
    try:
        written = figure(text)
        exact("delta", written, below=1)
    except ParameterError:
        raise ParameterError("Write a chance above 0 and below 1, such as 1e-9.") from None
    return written


def _want(typed: Typed, names: list[str]) -> str:
    """The wish in the words of `sfumato forecast`."""
    try:
        limit = figure(typed.within)
    except ParameterError:
        raise ParameterError("Write how far off it may be: a number above 0, such as 1.") from None
    if "e" in limit.lower():
        raise ParameterError("Write it out, such as 0.001.")
    if typed.column is not None and typed.column >= len(names):
        raise ParameterError("There is no such column any more: reload the page.")
    share = "%" if typed.unit == "%" else ""
    if typed.column is None:
        if not share and typed.what == "means":
            raise ParameterError("Numbers have units of their own: choose % of the range.")
        return f"{typed.what} within {limit}{share}"
    name = names[typed.column]
    if '"' in name:
        raise ParameterError("A column with a quotation mark in its name: choose all columns.")
    of = "mean" if typed.what == "means" else "counts of"
    return f'{of} "{name}" within {limit}{share}'
