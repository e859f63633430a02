"""toy-people: a method that has a person as its unit, for tests of what is around methods.

It measures how many persons have how many rows, and makes up the rest.
"""

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from sfumato.plan import Method, Plan
from sfumato.privacy.mechanism import Noise
from sfumato.privacy.sensitivity import Sensitivity
from sfumato.render.panel_drawing import DrawnPersons, PanelDrawing
from sfumato.schema.domain import Domain, Grid
from sfumato.table.statistic import WholeSum

TOY = "toy-people"
PART = 7  # persons that are drawn at a time


@dataclass(frozen=True)
class RowsPerPerson(WholeSum):
    """How many persons have 0, 1, 2 … rows."""

    most: int

    @property
    def shape(self):
        return (self.most + 1,)

    def add(self, total, panel):
        return total + np.bincount(panel.counts, minlength=self.most + 1)


@dataclass(frozen=True)
class Synopsis:
    counts: tuple
    persons: int | None  # where that is public

    def to_json(self):
        return {"kind": "rows per person", "counts": list(self.counts), "persons": self.persons}


@dataclass(frozen=True)
class MadeUp:
    """Persons of random codes: rows in their order, growing columns growing, gaps where allowed."""

    domain: Domain
    shares: tuple

    def __call__(self, start, count, rng):
        people = self.domain.schema.people
        axes = {axis.name: axis for axis in self.domain.axes}
        counts = rng.choice(len(self.shares), count, p=self.shares)
        constants = [_any(axes[name], count, rng) for name in people.per_person]
        owner = np.repeat(np.arange(count), counts)
        rows = []
        for name in people.per_row:
            codes = _any(axes[name], len(owner), rng)
            column = axes[name].column
            if name == people.order or getattr(column, "increasing", False):
                there = np.flatnonzero(codes >= 0)
                sort = np.lexsort((codes[there], owner[there]))
                codes[there] = codes[there][sort]
            rows.append(codes)
        return DrawnPersons(_beside(constants, count), counts, _beside(rows, len(owner)))


def _any(axis, count, rng):
    low = -1 if isinstance(axis, Grid) and axis.missing else 0
    high = axis.points + 1 if isinstance(axis, Grid) else axis.codes
    return rng.integers(low, high, count).astype(np.int32)


def _beside(columns, rows):
    return np.stack(columns, axis=1) if columns else np.empty((rows, 0), np.int32)


def plan(domain, budget, *, persons=None):
    people, replaced = domain.schema.people, domain.schema.neighbours == "replace-one"
    moved = Sensitivity(*([Fraction(1 + replaced)] * 2))
    noise = Noise("rows per person", moved, budget)

    def measure(found, purse):
        (exact,) = found.fold(RowsPerPerson(people.rows))
        noisy = purse.pay(noise).add(exact, np.ones_like(exact))
        return Synopsis(tuple(map(int, noisy)), found.persons if replaced else None)

    def render(synopsis, asked, rng):
        counts = np.maximum(synopsis.counts, 0) + 1e-9
        if not people.linked:
            counts[0] = 0
        drawn = synopsis.persons if asked is None else asked
        drawn = round(counts.sum()) if drawn is None else drawn
        model = MadeUp(domain, tuple(counts / counts.sum()))
        return PanelDrawing.of(model, drawn, PART, rng)

    made = Plan(
        method=TOY,
        domain=domain,
        budget=budget,
        events=(noise.event,),
        measure=measure,
        render=render,
        options={} if persons is None else {"persons": persons},
        people=True,
    )
    sized = (lambda n: plan(domain, budget, persons=n)) if replaced and persons is None else None
    return replace(made, sized=sized)


METHOD = Method(
    name=TOY,
    summary="Counts the rows of persons, and makes up the rest.",
    promise="epsilon-DP",
    source="nobody",
    proof="proofs/people.md",
    plan=plan,
    options={"persons": "how many there are, where that is public"},
    keeps_constraints=True,  # as far as the ranges of the tests see to it
    people=True,
)
