"""How many rows, or persons, a release may be asked to draw."""

from math import sqrt

from sfumato.errors import ParameterError
from sfumato.plan import Plan

__all__ = ["check_rows"]

_MOST_NOISE_ON_ROWS = 10**6
_MOST_ROWS = 2**40


def check_rows(rows: int | None, plan: Plan) -> None:
    """Refuse a number of rows that cannot be drawn, or none where too many might be.

    Where a person is the unit, it is the number of persons.
    """
    people = plan.domain.schema.people
    if rows is None:
        counted = ("number of records", "number of persons", "class sizes", "one-way tables")
        events = [event.in_units for event in plan.measured]
        event = next((e for e in events if e.statistic in counted), events[0])
        spread = event.deviation * sqrt(plan.summed)
        if plan.domain.schema.neighbours == "add-remove" and spread > _MOST_NOISE_ON_ROWS:
            what, drawn = ("records", "rows") if people is None else ("persons", "persons")
            raise ParameterError(
                f"the noise on the number of {what} passes a million at this budget: "
                f"say how many {drawn} to draw"
            )
        return
    if plan.row != "drawn record":
        raise ParameterError(f"{plan.method} releases one row per {plan.row}: leave out rows")
    if isinstance(rows, bool) or not isinstance(rows, int):
        raise ParameterError(f"rows must be a whole number, got {rows!r}")
    most = _MOST_ROWS // (1 if people is None else people.rows)
    if not 0 <= rows <= most:  # not repeated: it may have more digits than can be printed
        of = "" if people is None else " (persons to draw)"
        raise ParameterError(f"rows{of} must be from 0 to {most}: ask for another number")
