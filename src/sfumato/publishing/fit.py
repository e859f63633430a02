"""The first step of a release: counts of what does not fit, and whether it goes on.

All that is decided here is decided from noisy counts that were paid for, so whether a release
stops, and what it says then, is post-processing.
"""

from sfumato.accuracy.fit import judge, reach
from sfumato.errors import MisfitError, ReleaseError
from sfumato.measure.fit import FitCounts
from sfumato.plan import Plan
from sfumato.plan.fit import PlannedFit
from sfumato.privacy.mechanism import Purse
from sfumato.publishing.misfit_words import stopped
from sfumato.release.fit import FitFacts
from sfumato.table.records import Records

__all__ = ["check_counts", "counted_fit"]


def counted_fit(planned: PlannedFit, records: Records, purse: Purse) -> FitFacts:
    """What a certificate says of the fit; `MisfitError` where too many records do not."""
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
        }
    )
    verdict = judge(facts, event)
    if verdict.stops:
        spent = None if purse.bits.seeded else event.cost
        raise MisfitError(stopped(facts, verdict, counts.domain, spent))
    return facts


def check_counts(plan: Plan, facts: FitFacts) -> None:
    """Refuse counts that this plan would not have made."""
    if plan.fit is None:
        raise ReleaseError(f"a release by {plan.method} has no counts of what does not fit")
    counts: FitCounts = plan.fit.counts
    cells = [(column, said.words) for column, said in counts.cells]
    if [(cell.column, cell.complaint) for cell in facts.misfits] != cells:
        raise ReleaseError("the counts of what does not fit are not those the schema calls for")
    public = plan.domain.schema.neighbours == "replace-one"
    if facts.reach != reach(plan.fit.event, len(cells)) or (facts.records is not None) != public:
        raise ReleaseError("the counts of what does not fit are stated with another precision")
