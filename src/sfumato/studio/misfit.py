"""How many records may fail to fit what was declared: few choices, and what each means to others.

>>> options(USUAL), options("0.2"), options(UNCHECKED)
({}, {'misfit': '0.2'}, {'fit': False})
>>> flags("0.2"), flags(UNCHECKED)
(['--misfit', '0.2'], ['--no-fit'])
"""

from typing import Any

from sfumato.plan import Plan

__all__ = ["CHOICES", "UNCHECKED", "USUAL", "flags", "hidden", "known", "options"]

USUAL, UNCHECKED = "0.05", "none"
_MUCH = 1.5  # times what was chosen
_STOPS = (
    "If more than {} of the records do not fit, as noisy counts tell, nothing is published: the "
    "counts cost 2 % of the budget, and the rest is given back."
)
# In the words of the review: what happens then.
CHOICES = {
    "0.01": _STOPS.format("1 %"),
    USUAL: _STOPS.format("5 %"),
    "0.2": _STOPS.format("20 %"),
    UNCHECKED: "It goes on without a check, however many do not fit, and counts nothing of it.",
}


def known(misfit: str) -> str:
    """The same if it is one of the choices, else the usual one."""
    return misfit if misfit in CHOICES else USUAL


def options(misfit: str) -> dict[str, Any]:
    """What `publish` and `price` are told."""
    if misfit == UNCHECKED:
        return {"fit": False}
    return {} if misfit == USUAL else {"misfit": misfit}


def hidden(plan: Plan, records: int) -> str:
    """What noise does to the choice, for about so many records; empty where that is little.

    >>> from sfumato.publishing.table import price
    >>> schema = {"name": "t", "columns": {"smoker": {"kind": "boolean"}}}
    >>> print(hidden(price(schema, epsilon=1), 4_000))
    With about 4,000 records and this ε, noise may hide misfits: it surely stops only where about \
783 (20 %) or more do not fit.
    >>> print(hidden(price(schema, epsilon=1), 500))
    With about 500 records and this ε, noise may hide all misfits: it may go on even where no \
record fits.
    >>> hidden(price(schema, epsilon=1), 100_000)
    ''
    """
    from sfumato.accuracy.fit import stops_from

    fit = plan.fit
    if fit is None or plan.domain.schema.people is not None:
        return ""
    public = plan.domain.schema.neighbours == "replace-one"
    least = stops_from(fit.event, len(fit.counts.cells), records, fit.misfit, public=public)
    begun = f"With about {records:,} records and this ε, noise may hide"
    if least > records:
        return f"{begun} all misfits: it may go on even where no record fits."
    if least < _MUCH * fit.misfit * records:
        return ""
    place = "" if public else " in one column and for one reason"
    return (
        f"{begun} misfits: it surely stops only where about {least:,} "
        f"({100 * least / records:.0f} %) or more do not fit{place}."
    )


def flags(misfit: str) -> list[str]:
    """What the command is told."""
    if misfit == UNCHECKED:
        return ["--no-fit"]
    return [] if misfit == USUAL else ["--misfit", misfit]
