"""Releases of bought facts: their plan again, and rows that make a whole schema."""

from pathlib import Path

from sfumato.errors import ReleaseError, SchemaError
from sfumato.facts.plan import METHOD, facts_terms, planned
from sfumato.plan.terms import ReleaseTerms
from sfumato.publishing.estimate import schema_of
from sfumato.publishing.kinds import stated_budget
from sfumato.release.certificate import Certificate, stated
from sfumato.release.release import Release

__all__ = ["check_values", "described", "terms_again"]


def terms_again(folder: Path, certificate: Certificate) -> ReleaseTerms:
    """The terms, from kinds and the number of records; what was found must fill the blanks."""
    if certificate.method != METHOD.name:
        raise ReleaseError("facts of a schema are bought by another method")
    facts = stated(certificate.estimate)
    options = certificate.options
    METHOD.check_options(options)
    budget = stated_budget(certificate, True)
    plan = planned(facts.asked, budget, records=facts.records, **options)
    try:
        schema_of(Release.load(folder))
    except SchemaError as error:
        raise ReleaseError(f"the data does not make a schema: {error}") from None
    return facts_terms(plan)


def check_values(certificate: Certificate) -> None:
    """None: facts are read while the plan is priced again."""


def described(certificate: Certificate) -> str:  # noqa: ARG001
    """What the registry says of the method."""
    return METHOD.summary
