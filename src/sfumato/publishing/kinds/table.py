"""Releases of tables: their plan again, and values that must lie on the public grid."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import pyarrow as pa

from sfumato.errors import Refused, ReleaseError
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

_OUTSIDE = "the data holds values outside the public grid"


def table_plan(certificate: Certificate) -> Plan:
    """The plan that the certificate of a table must have come from, priced again."""
    domain, chosen = Domain.of(stated(certificate.public_schema)), method(certificate.method)
    options = {**chosen.earlier, **certificate.options}
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
    asked = parse_where(domain, certificate.options.get("where"))
    # The first releases hold other numbers for the same codes.
    now, before = _Held(domain, asked), _Held(domain.with_even_points(), asked)

    def check(batch: pa.RecordBatch) -> None:
        fault = now.fault(batch)
        if fault is not None and (earlier := before.fault(batch)) is not None:
            raise ReleaseError(earlier if fault == _OUTSIDE else fault)

    return check


@dataclass(frozen=True, eq=False)
class _Held:
    """What a release may hold where codes stand for the values of this domain."""

    domain: Domain
    asked: Mapping[str, str]

    def fault(self, batch: pa.RecordBatch) -> str | None:
        """What is wrong with these records, if anything."""
        codes = encode(self.domain, batch)
        again = self._decoder.batch(codes)
        if not again.equals(pa.RecordBatch.from_arrays(batch.columns, schema=again.schema)):
            return _OUTSIDE
        try:
            kept = self._rules.keeps(codes).all()
        except Refused as error:  # there is no such record among these values
            return str(error)
        return None if kept else "the data holds a record that its constraints or where rule out"

    @cached_property
    def _decoder(self) -> Decoder:
        return Decoder(self.domain)

    @cached_property
    def _rules(self) -> Rules:
        return Rules.of(self.domain, where_masks(self.domain, self.asked))


def described(certificate: Certificate) -> str:
    """What the registry says of the method."""
    return method(certificate.method).summary
