"""Releases of tables: their plan again, and values that must lie on the public grid."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from sfumato.errors import ReleaseError
from sfumato.methods import method
from sfumato.plan import GIVEN, Plan
from sfumato.plan.fit import fitted_plan
from sfumato.plan.part import plan_of_part
from sfumato.plan.plan import PARTITION
from sfumato.plan.terms import ReleaseTerms
from sfumato.publishing.fit import check_counts
from sfumato.publishing.joint import added_up, check_agreement, joint_terms
from sfumato.publishing.kinds import stated_budget
from sfumato.release.certificate import Certificate, stated
from sfumato.release.reading import read_synopsis
from sfumato.render.decode import Decoder
from sfumato.render.rules import Rules
from sfumato.render.where import parse_where, where_masks
from sfumato.schema.domain import Domain
from sfumato.table.encode import encode

__all__ = ["check_values", "described", "table_plan", "terms_again"]


def table_plan(certificate: Certificate) -> Plan:
    """The plan that the certificate of a table must have come from, priced again."""
    domain, chosen = Domain.of(stated(certificate.public_schema)), method(certificate.method)
    options = certificate.options
    if any(isinstance(options.get(name), str) and options[name] != GIVEN for name in chosen.files):
        raise ReleaseError("the certificate names a file in place of what was in it")
    budget, fit = stated_budget(certificate, chosen.budgeted), certificate.fit
    if fit is None:
        return plan_of_part(chosen, domain, budget, options, certificate.part)
    return fitted_plan(
        chosen,
        domain,
        budget,
        options,
        certificate.part,
        share=fit.share,
        misfit=fit.misfit,
    )


def terms_again(folder: Path, certificate: Certificate) -> ReleaseTerms:
    """The terms, with events that wait for the synopsis counted from it."""
    plan = table_plan(certificate)
    if certificate.in_parts or PARTITION in certificate.invariants:  # the latter shows in no file
        plan = plan.on_cluster()
    terms = plan.terms
    if certificate.parties is not None:
        if not added_up(plan):
            raise ReleaseError(f"several parties cannot add up what {plan.method} measures")
        check_agreement(certificate, certificate.parties)
        terms = joint_terms(terms, certificate.parties)
    if certificate.fit is None and plan.recount is None:
        return terms
    synopsis = read_synopsis(folder, certificate)
    if certificate.fit is not None:
        check_counts(plan, certificate.fit, rows=certificate.rows, synopsis=synopsis)
    return terms if plan.recount is None else replace(terms, events=plan.recount(synopsis or {}))


def check_values(certificate: Certificate) -> Callable[[pa.RecordBatch], None] | None:
    """Every value is one that the schema has, and every record keeps its rules."""
    if certificate.columns is not None:
        return None  # values of the method's own: their content is all there is to check
    domain = Domain.of(stated(certificate.public_schema))
    decoder = Decoder(domain)
    asked = parse_where(domain, certificate.options.get("where"))
    rules = Rules.of(domain, where_masks(domain, asked))

    def check(batch: pa.RecordBatch) -> None:
        codes = encode(domain, batch)
        again = decoder.batch(codes)
        if not again.equals(pa.RecordBatch.from_arrays(batch.columns, schema=again.schema)):
            raise ReleaseError("the data holds values outside the public grid")
        if not rules.keeps(codes).all():
            raise ReleaseError("the data holds a record that its constraints or where rule out")

    return check


def described(certificate: Certificate) -> str:
    """What the registry says of the method."""
    return method(certificate.method).summary
