"""The first step of a release: counts of what does not fit, and whether it goes on.

All that is decided here is decided from noisy counts that were paid for, so whether a release
stops, and what it says then, is post-processing.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from sfumato.accuracy.fit import judge, reach
from sfumato.errors import MisfitError, ReleaseError
from sfumato.plan import Plan
from sfumato.plan.fit import PlannedFit
from sfumato.privacy.mechanism import Purse
from sfumato.publishing.misfit_words import stopped
from sfumato.release.fit import FitFacts
from sfumato.table.people.people import People
from sfumato.table.records import Records

__all__ = ["check_counts", "counted_fit"]

_NEVER = Fraction(1, 10**12)  # how often honest noise may pass for none


def counted_fit(planned: PlannedFit, records: Records | People, purse: Purse) -> FitFacts:
    """What a certificate says of the fit; `MisfitError` where too many records do not.

    Where a person is the unit, `records` are persons who were read with their complaints.
    """
    counts, event = planned.counts, planned.event
    (fitting, *others), n = counts.perturb(records, purse)
    facts = FitFacts.model_validate(
        {
            **planned.facts,
            "records": n,
            "reach": reach(event, len(counts.cells)),
            "fitting": int(fitting),
            "misfits": [
                {"column": column, "complaint": said.words, "count": int(count)}
                for (column, said), count in zip(counts.cells, others, strict=True)
            ],
            **({} if counts.tickets is None else {"tickets": counts.tickets}),
        }
    )
    verdict = judge(facts, event)
    if verdict.stops:
        spent = None if purse.bits.seeded else event.cost
        raise MisfitError(*stopped(facts, verdict, counts.domain, spent))
    return facts


def check_counts(
    plan: Plan, facts: FitFacts, *, rows: int, synopsis: Mapping[str, Any] | None
) -> None:
    """Refuse counts that this plan would not have made, or that would have stopped the release.

    `rows` are those of the release, whose `synopsis` may state the number of records as well, or
    that of persons where a person is the unit.
    """
    if plan.fit is None:
        raise ReleaseError(f"a release by {plan.method} has no counts of what does not fit")
    counts, event = plan.fit.counts, plan.fit.event
    cells = [(column, said.words) for column, said in counts.cells]
    if [(cell.column, cell.complaint) for cell in facts.misfits] != cells:
        raise ReleaseError("the counts of what does not fit are not those the schema calls for")
    public = plan.domain.schema.neighbours == "replace-one"
    stated_with = (facts.reach, facts.tickets, facts.records is not None)
    if stated_with != (reach(event, len(cells)), counts.tickets, public):
        raise ReleaseError("the counts of what does not fit are stated with another precision")
    stated = (
        rows if plan.row == "record" and not plan.people else None,
        (synopsis or {}).get("rows" if counts.tickets is None else "persons"),
    )
    if public and any(n is not None and n != facts.records for n in stated):
        raise ReleaseError("the counts of what does not fit are of another number of records")
    far = reach(event, len(cells) + 1, chance=_NEVER)
    most = facts.whole if facts.whole is not None else 2**63
    noisy = (facts.fitting, *(cell.count for cell in facts.misfits))
    if min(noisy) < -far or max(noisy) > most + far:
        raise ReleaseError("the counts of what does not fit are none that their noise would make")
    if judge(facts, event).stops:
        raise ReleaseError("by these counts nothing would have been published")
