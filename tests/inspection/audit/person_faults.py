"""Faults to be seeded where a person is the unit: each breaks what one person may move."""

from dataclasses import dataclass, field, replace

import numpy as np
from fault_makers import half, half_noise, property_of, replaced

from sfumato.measure import panel, tables
from sfumato.methods.mosaic.people_steps import PeopleSteps
from sfumato.table.people.keep import Keeper
from sfumato.table.people.panel import Panel

PURE, GAUSS = {"epsilon": "1"}, {"rho": "0.5"}


@dataclass(frozen=True)
class PersonFault:
    """A claim, and what is broken."""

    name: str
    seed: object = field(repr=False)
    claim: dict = field(default_factory=lambda: PURE)


def tickets(weight):
    return replaced(panel, "tickets", lambda _: lambda c, least, whole: weight(c, whole))


def rows_for_persons(honest):
    """Every row is taken for a person of its own."""

    def add(self, total, seen):
        each = Panel(seen.constants[seen.owner], np.arange(len(seen.rows) + 1), seen.rows)
        return honest(self, total, each)

    return add


def of_one_ticket(_):
    """Noise of one ticket, where a person has many."""

    def perturb(self, exact, purse):
        flat = np.concatenate([table.ravel() for table in exact])
        noisy = purse.pay(self.noise).add(flat, np.ones(len(flat), np.int64))
        parts = np.split(noisy, np.cumsum([table.size for table in exact])[:-1])
        return [part.reshape(table.shape) for part, table in zip(parts, exact, strict=True)]

    return perturb


def number_is_told(honest):
    """The number of persons leaves without noise, whatever is public."""

    def measure(self, people, purse):
        found = honest(self, people, purse)
        return replace(found, tables=replace(found.tables, rows=people.persons))

    return measure


def round_and_round(_):
    """Every row and the one before it, going round: as many as rows, at the weight of one fewer."""

    def cells(self, seen):
        found = honest_cells(self, seen)
        several = np.flatnonzero(seen.counts > 1)
        last, first = seen.start[several + 1] - 1, seen.start[several]
        codes, _ = panel.flat_rows(seen, self.flat)
        if len(codes) != len(seen.rows):
            return found  # somebody has no row: one file is enough
        each = panel.tickets(seen.counts - 1, 1, self.whole)[several]
        for k, (spec, shape) in enumerate(zip(self.tables, self.shapes, strict=True)):
            if spec.kind == "next":
                bins = self._binned(codes, spec.columns[0])
                more = bins[last] * shape[1] + bins[first]
                where, weights, size = found[k]
                found[k] = np.append(where, more), np.append(weights, each), size
        return found

    honest_cells = panel.PanelCounts._cells
    return cells


FAULTS = [
    PersonFault("weights are not divided", tickets(lambda c, whole: np.full(len(c), whole))),
    PersonFault(
        "weights of one row too few", tickets(lambda c, whole: whole // np.maximum(c - 1, 1)), GAUSS
    ),
    PersonFault("rows are taken for persons", replaced(panel.PanelCounts, "add", rows_for_persons)),
    PersonFault(
        "one row too many is kept",
        replaced(
            Keeper, "_kept", lambda f: lambda self, *a: f(replace(self, most=self.most + 1), *a)
        ),
    ),
    PersonFault("next rows go round", replaced(panel.PanelCounts, "_cells", round_and_round)),
    PersonFault("noise of one ticket", replaced(panel.PanelTables, "perturb", of_one_ticket)),
    PersonFault(
        "half of the tables are paid for", property_of(panel.PanelTables, "noise", half_noise)
    ),
    PersonFault(
        "half of the tables are paid for",
        property_of(panel.PanelTables, "noise", half_noise),
        GAUSS,
    ),
    PersonFault(
        "replaced is said to be added", replaced(panel, "moved", lambda f: lambda *a: half(f(*a)))
    ),
    PersonFault(
        "scores in half of a person",
        property_of(
            tables.PairChoice,
            "choice",
            lambda made, _: replace(made, sensitivity=made.sensitivity / 2),
        ),
    ),
    PersonFault("the number of persons is told", replaced(PeopleSteps, "measure", number_is_told)),
]
