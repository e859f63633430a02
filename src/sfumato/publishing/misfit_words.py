"""What is said to whoever published with a schema that does not fit, and what to do about it."""

from fractions import Fraction

from sfumato.accuracy.fit import Verdict
from sfumato.privacy.guarantee import Guarantee
from sfumato.release.fit import Fit, FitFacts, Misfit
from sfumato.schema import Boolean, Date
from sfumato.schema.domain import Axis, Domain, Grid

__all__ = ["BUY", "GO_ON", "LOOK", "QUOTE_THEM", "WRITE_OBJECTS", "remedy", "stopped"]

_MOST_NAMED = 3
_TORN = (
    "in a text file see also whether lines have too many or too few fields (a separator inside "
    "unquoted values), in lines of JSON whether each is an object by itself"
)
_KIND = f"or correct the kind of the column; {_TORN}"
QUOTE_THEM = "put such values in quotes, or separate columns by another mark (file: delimiter)"
WRITE_OBJECTS = (
    "in lines of JSON, write one object on each line, in double quotes and with no comma behind "
    "it; in Python, give texts or numbers"
)
BUY = ", or buy one: sfumato schema estimate"
_CODES = "declare codes for missing, such as -99 (missing_words)"
LOOK = "sfumato check DATA --schema SCHEMA --ledger LEDGER (or --uncounted)"
GO_ON = "publish with --misfit (misfit=…) or --no-fit (fit=False)"
_SAID = {
    "unreadable": "cannot be read",
    "below": "lie below the range",
    "above": "lie above the range",
    "not listed": "are not listed",
    "missing": "are missing",
}
_ONCE = (
    "A record counts once, in the first column of the schema that it does not fit: later columns "
    "may hold more such values than are counted"
)
_ONCE_IN_ALL = (
    "A person counts once in all: each of their rows counts as its part of them, in the first "
    "column of the schema that it does not fit; later columns may hold more such values than are "
    "counted"
)


def stopped(
    facts: FitFacts, verdict: Verdict, domain: Domain, cost: Guarantee | None
) -> tuple[str, ...]:
    """Why nothing is published: the columns, the complaints with their intervals, the remedies.

    `cost` is None for test runs, which cost nothing because they promise nothing.
    """
    fit, axes = Fit.of(facts), {axis.name: axis for axis in domain.axes}
    records = max(fit.records, verdict.total)  # where both are noisy: those that fit are none
    whole = f"{records:,}" if facts.records is not None else f"about {records:,}"
    total = (
        f"about {_percent(verdict.total, records)} of the {fit.unit} do not fit the schema "
        f"({verdict.total:,} of {whole}; between {verdict.low:,} and {verdict.high:,}), more than "
        f"the {_percent(facts.misfit, 1)} that are let pass: nothing was published"
    )
    loud = fit.significant[:_MOST_NAMED]
    people = domain.schema.people
    order = None if people is None else people.order
    named = [_named(misfit, axes[misfit.column], fit, order) for misfit in loud]
    named = named or [_hidden(facts)]
    if fit.persons or loud:
        named.append(_ONCE_IN_ALL if fit.persons else _ONCE)
    both = " --persons FILE, by row" if people is not None and people.linked else ""
    advice = (
        f"See it exactly, with your own eyes: {LOOK}{both}. If the records are meant to be so, "
        f"{GO_ON}"
    )
    spent = [f"Spent: {cost}, {_percent(facts.share, 1)} of the budget"] if cost else []
    return total, *named, advice, *spent


def _hidden(facts: FitFacts) -> str:
    """No figure and no remedy: where noise is that large, the largest count is often its work."""
    columns = {cell.column for cell in facts.misfits}
    if len(columns) == 1:
        return f"The noise hides what is wrong in column {columns.pop()}"
    return "The noise hides which column it is"


def _named(misfit: Misfit, axis: Axis, fit: Fit, order: str | None) -> str:
    change = remedy(misfit.complaint, axis, bought=not fit.persons)
    if misfit.column == order and misfit.complaint == "missing":  # which an order may not be
        change = "name another column as the order, or none, if a row may lack it"
    return (
        f"Column {misfit.column}: about {misfit.records:,} {fit.unit} (between {misfit.low:,} and "
        f"{misfit.high:,}) fail here first, with values that {_SAID[misfit.complaint]}; "
        f"{change}"
    )


def remedy(complaint: str, axis: Axis, *, bought: bool = True) -> str:
    """What to change in the schema, if the file is right.

    `bought`: whether a range may be bought, which where a person is the unit it may not.

    >>> from sfumato.schema import Schema
    >>> columns = {"joined": {"kind": "date", "low": "2020-01-01", "high": "2024-12-31"}}
    >>> (axis,) = Domain.of(Schema.of({"name": "t", "columns": columns})).axes
    >>> remedy("unreadable", axis)
    'declare how the file writes its dates (format), or correct the kind of the column; in a text \
file see also whether lines have too many or too few fields (a separator inside unquoted values), \
in lines of JSON whether each is an object by itself'
    """
    match complaint:
        case "unreadable" if isinstance(axis.column, Boolean):
            return f"declare the words that stand for true and false, {_KIND}"
        case "unreadable" if isinstance(axis.column, Date):
            return f"declare how the file writes its dates (format), {_KIND}"
        case "unreadable" if isinstance(axis, Grid):
            return (
                "declare how the file writes its numbers (decimal, thousands, percent), which "
                f"words stand for missing (missing_words), {_KIND}"
            )
        case "unreadable":
            return f"declare the encoding of the file (file: encoding); {_TORN}"
        case "below":
            return f"widen the range (low){BUY if bought else ''}; {_CODES}"
        case "above":
            return f"widen the range (high){BUY if bought else ''}; {_CODES}"
        case "not listed":
            return "list all values, declare other for the rest, or aliases for other spellings"
        case _:
            return (
                "declare missing: allowed if a record may lack it; in lines of JSON see also "
                f"whether the key is written {axis.name}, in the same letters"
            )


def _percent(part: int | Fraction, whole: int) -> str:
    share = 100 * Fraction(part) / max(whole, 1)
    return f"{float(share):.3g} %"
