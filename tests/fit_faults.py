"""Faults to be seeded into the counts of what does not fit, and into where a release stops."""

from dataclasses import replace

import numpy as np

from sfumato.measure import fit as measuring
from sfumato.measure import people_fit
from sfumato.measure.fit import FitCounts
from sfumato.plan import fit as planning
from sfumato.privacy.guarantee import ZCDP, PureDP
from sfumato.publishing import fit as publishing

__all__ = ["FIT_FAULTS"]


def every_complaint_counted(monkeypatch):
    """A record stands in a cell of each column that does not fit, at the price of one."""

    def add(self, total, said):
        total[0] += (said == 0).all(axis=1).sum()
        for j in range(said.shape[1]):
            wrong = said[said[:, j] != 0, j]
            total += np.bincount(self.cells.places[j, wrong], minlength=len(total))
        return total

    monkeypatch.setattr(measuring.FirstComplaints, "add", add)


def replaced_records_at_the_price_of_added_ones(monkeypatch):
    honest = measuring.moved
    monkeypatch.setattr(measuring, "moved", lambda tables, _: honest(tables, "add-remove"))


def the_number_of_records_told_where_it_is_private(monkeypatch):
    honest = FitCounts.perturb

    def perturb(self, records, purse):
        return honest(self, records, purse)[0], int(self.query(records).sum())

    monkeypatch.setattr(FitCounts, "perturb", perturb)


def each_row_counted_as_a_person(monkeypatch):
    monkeypatch.setattr(people_fit, "tickets", lambda counts, _, whole: np.full(len(counts), whole))


def the_number_of_persons_told_where_it_is_private(monkeypatch):
    honest = people_fit.PeopleFitCounts.perturb

    def perturb(self, people, purse):
        return honest(self, people, purse)[0], people.persons

    monkeypatch.setattr(people_fit.PeopleFitCounts, "perturb", perturb)


def a_stop_decided_by_exact_counts(monkeypatch):
    honest = publishing.counted_fit

    def counted_fit(planned, records, purse):
        found = honest(planned, records, purse)
        exact = planned.counts.query(records)
        return found if exact[0] % 2 else replace_share(found)

    def replace_share(found):
        return found.model_copy(update={"fitting": found.fitting + 1})

    monkeypatch.setattr("sfumato.inspection.audit.fit.counted_fit", counted_fit)


def counts_and_method_above_the_budget(monkeypatch):
    """The method is planned as if the counts were free."""
    honest = planning._after

    def after(fit, budget, plan):
        doubled = fit.counts.budget
        doubled = (
            ZCDP(4 * doubled.rho) if isinstance(doubled, ZCDP) else PureDP(9 * doubled.epsilon)
        )
        counts = replace(fit.counts, budget=doubled)
        rest = fit.rest
        return honest(replace(fit, counts=counts, rest=rest), budget, plan)

    monkeypatch.setattr(planning, "_after", after)
    monkeypatch.setattr("sfumato.privacy.mechanism._within", lambda *_: True)


FIT_FAULTS = (
    every_complaint_counted,
    replaced_records_at_the_price_of_added_ones,
    the_number_of_records_told_where_it_is_private,
    each_row_counted_as_a_person,
    the_number_of_persons_told_where_it_is_private,
    a_stop_decided_by_exact_counts,
    counts_and_method_above_the_budget,
)
