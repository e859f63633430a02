"""Whether a release of persons would say more than a guess, from public facts alone."""

from math import pi, sqrt
from statistics import median

from sfumato.methods.mosaic.division import records_or_common
from sfumato.methods.mosaic.people_steps import PeopleSteps
from sfumato.privacy.guarantee import ZCDP
from sfumato.synopsis.panel import NEXT

__all__ = ["people_doubt"]

_TELLING = 0.7  # as for records (`sfumato.methods.mosaic.worth`)


def people_doubt(steps: PeopleSteps) -> str | None:
    """Why a release would be hardly better than guessing, or would lose how rows follow.

    >>> from sfumato.privacy.guarantee import PureDP
    >>> from sfumato.schema import Schema
    >>> from sfumato.schema.domain import Domain
    >>> schema = Schema.of({"name": "t", "person": "id", "columns": {
    ...     "id": {"kind": "id"}, "ill": {"kind": "boolean"}}})
    >>> print(people_doubt(PeopleSteps(Domain.of(schema), PureDP(1), 300)))
    At this budget 300 persons are too few to measure how the rows of a person follow each other, \
column by column: all columns will be drawn as if they stayed the same equally often. What helps: \
a larger epsilon, a delta, more persons or fewer columns.
    """
    persons = max(records_or_common(steps.persons), 1)
    count = f"{persons:,} persons" if steps.persons is not None else f"about {persons:,} persons"
    cells = median(
        min(column.bins, steps.division.bins) if column.axis in steps.wide else column.bins
        for column in steps.columns
    )
    mean_absolute = sqrt(2 / pi) if steps.gaussian else 1 / sqrt(2)
    wrong = mean_absolute * steps.deviations.one * cells / 2
    raised = "rho" if isinstance(steps.budget, ZCDP) else "epsilon"
    helps = f"What helps: a larger {raised}, " + ("" if steps.gaussian else "a delta, ")
    helps += "more persons or fewer columns."
    if wrong > _TELLING * persons * (1 - 1 / cells):
        return (
            "The release is expected to be hardly better than guessing: in the table of a typical "
            f"column noise alone weighs as much as {wrong:,.0f} persons in wrong cells ({count}). "
            f"{helps}"
        )
    if steps.varying and steps.bought[NEXT] is None:
        return (
            f"At this budget {count} are too few to measure how the rows of a person follow each "
            "other, column by column: all columns will be drawn as if they stayed the same equally "
            f"often. {helps}"
        )
    return None
