"""Faults to be seeded: each takes pytest's monkeypatch and breaks one step of a method.

They stand for what goes wrong in practice: a sensitivity, a price, a share of a budget, a clip,
a rounding, a term that was forgotten, noise that is used wrongly or drawn by another law.
"""

from dataclasses import dataclass, field, replace

import numpy as np
from fault_makers import (
    SteeperCeilings,
    a_dearer_rho,
    a_smaller_price,
    bought_once_used_twice,
    empty_parts_are_told,
    half,
    half_noise,
    halved,
    mean_of_the_records,
    missing_beyond,
    no_interior,
    no_products,
    no_triangle,
    not_clipped,
    one_noise_for_all,
    one_share_too_much,
    part,
    property_of,
    rank_from_the_records,
    replaced,
    steeper,
    twice_the_shares,
    units_forgotten,
    unkeyed,
    without,
)

from sfumato.measure import (
    eigenvalues,
    exponential,
    identity,
    power_iteration,
    projected_moments,
    small_database,
    specialise,
    tables,
    triples,
)
from sfumato.methods import METHODS
from sfumato.privacy import answer, centred_sensitivity, choice, noise, sensitivity
from sfumato.privacy.guarantee import LocalDP, PureDP
from sfumato.synopsis import centred, features, questionnaire, scatter
from sfumato.synopsis import directions as projected
from sfumato.synopsis import moments as synopsis
from sfumato.synopsis import triples as triple_tables
from sfumato.table import grid

PROMISING = [
    name for name, m in METHODS.items() if m.budgeted and any(one.promised for one in m.contract)
]
BY_PART = ("identity-laplace", "exponential", "local", "dp-pca", "lop")
PURE, GAUSS, APPROX = {"epsilon": "1"}, {"rho": "0.5"}, {"epsilon": "1", "delta": "1e-6"}


@dataclass(frozen=True)
class Fault:
    """A method, a claim, and what is broken."""

    name: str
    method: str
    seed: object = field(repr=False)
    claim: dict = field(default_factory=lambda: PURE)


FAULTS = [
    # Sensitivities.
    Fault("moments halved", "modips", halved((synopsis, "moments"))),
    Fault("moments halved", "modips", halved((synopsis, "moments")), GAUSS),
    Fault("no interior gain", "modips", replaced(synopsis, "moments", no_interior)),
    Fault("no products", "dp-pca", replaced(synopsis, "moments", no_products)),
    Fault("no triangle", "dp-lda", replaced(synopsis, "class_moments", no_triangle)),
    Fault(
        "label cannot change",
        "dp-lda",
        replaced(
            synopsis,
            "class_moments",
            lambda f: lambda *a, counts=0, **k: sensitivity.moments(*a, **k),
        ),
    ),
    Fault("class moments halved", "dca", halved((synopsis, "class_moments"))),
    Fault(
        "l1 divided by the rank",
        "dp-pca",
        property_of(
            projected.Directions,
            "sensitivity",
            lambda moved, self: replace(moved, l1=moved.l1 / self.rank),
        ),
    ),
    Fault(
        "one sign only",
        "lop",
        replaced(projected, "_signs", lambda f: lambda rank: np.ones((1, rank), np.int64)),
    ),
    Fault(
        "ball of half the size",
        "lop",
        property_of(projected.Directions, "sensitivity", lambda moved, self: half(moved)),
        GAUSS,
    ),
    Fault("no blocks", "lap-pca", replaced(scatter, "scatter", without(blocks=0))),
    Fault("no blocks in the sums", "lap-pca", replaced(scatter, "sums", without(blocks=0))),
    Fault("scatter halved", "analyze-gauss", halved((scatter, "scatter")), GAUSS),
    Fault(
        "ball of one record",
        "lap-pca",
        replaced(centred_sensitivity, "ball", lambda f: lambda d, _="": f(d, "add-remove")),
    ),
    Fault(
        "one eigenvalue moves",
        "pca-gauss",
        replaced(
            eigenvalues,
            "eigenvalues",
            lambda f: lambda rank, square, n: f(rank, square, "add-remove"),
        ),
    ),
    Fault(
        "second moments halved",
        "pca-gauss-regression",
        replaced(projected_moments, "regression", part("second")),
    ),
    Fault("sums halved", "pca-gauss-mixture", replaced(projected_moments, "mixture", part("sums"))),
    Fault(
        "class sizes halved",
        "pca-gauss-mixture",
        replaced(projected_moments, "mixture", part("counts")),
        GAUSS,
    ),
    Fault(
        "one record in the power step",
        "power-method",
        property_of(power_iteration.PowerIteration, "sensitivity", lambda moved, _: half(moved)),
        GAUSS,
    ),
    Fault("records halved", "identity-laplace", halved((identity, "record"))),
    Fault(
        "a block moves once",
        "identity-laplace",
        replaced(
            identity,
            "record",
            lambda f: lambda continuous, binary, blocks: f(continuous, binary + blocks),
        ),
    ),
    Fault(
        "two-way tables at half their noise",
        "mosaic",
        property_of(tables.ClassTables, "noise", half_noise),
    ),
    Fault(
        "fine tables at half their noise",
        "mosaic",
        property_of(tables.ColumnTables, "noise", half_noise),
        GAUSS,
    ),
    Fault(
        "three-way tables at half their noise",
        "mosaic",
        property_of(
            tables.ClassTables,
            "noise",
            lambda made, self: (
                half_noise(made, self) if self.statistic == triple_tables.THREE_WAY else made
            ),
        ),
        GAUSS,
    ),
    Fault(
        "runs forgotten",
        "mosaic",
        property_of(
            tables.ColumnTables,
            "noise",
            lambda made, self: replace(
                made, sensitivity=tables.moved(len(self.columns), self.neighbours)
            ),
        ),
        GAUSS,
    ),
    Fault(
        "largest square without blocks",
        "pca-gauss",
        replaced(centred, "largest_square", without(blocks=0)),
    ),
    # Choices.
    Fault(
        "score halved",
        "diffgen",
        replaced(specialise.Score, "sensitivity", lambda f: lambda *a, **k: f(*a, **k) / 2),
    ),
    Fault(
        "choice drawn at twice its epsilon",
        "diffgen",
        property_of(choice.Choice, "rate", lambda rate, _: 2 * rate),
    ),
    Fault(
        "pair choice halved",
        "mosaic",
        property_of(
            tables.PairChoice,
            "choice",
            lambda made, _: replace(made, sensitivity=made.sensitivity / 2),
        ),
    ),
    Fault(
        "triple choice halved",
        "mosaic",
        property_of(
            triples.TripleChoice,
            "choice",
            lambda made, _: replace(made, sensitivity=made.sensitivity / 2),
        ),
        GAUSS,
    ),
    Fault(
        "values of bands forgotten",
        "mosaic",
        property_of(triples.TripleChoice, "choice", lambda made, _: replace(made, unit=1)),
        GAUSS,
    ),
    Fault(
        "pairs drawn for the price of one",
        "mosaic",
        replaced(tables, "choice_price", lambda f: lambda whole, draws: f(whole, 1)),
    ),
    Fault(
        "records drawn for half a block",
        "exponential",
        replaced(
            exponential,
            "record",
            lambda f: lambda continuous, binary, blocks: f(continuous, binary + blocks),
        ),
    ),
    Fault(
        "ceilings fall twice as fast",
        "exponential",
        replaced(exponential, "Ceilings", lambda _: SteeperCeilings),
    ),
    Fault(
        "scores of the small table said to move half as far",
        "small-database",
        property_of(
            small_database.SmallDatabase,
            "choice",
            lambda made, _: replace(made, sensitivity=made.sensitivity / 2),
        ),
    ),
    Fault(
        "scores of the small table doubled",
        "small-database",
        replaced(
            small_database.SmallDatabase,
            "scores",
            lambda f: lambda self, counts: 2 * f(self, counts),
        ),
    ),
    Fault("an empty part scores below all others", "diffgen", empty_parts_are_told),
    # Answers.
    Fault(
        "the truth is kept too often",
        "local",
        replaced(
            answer.DirectResponse,
            "draw",
            lambda f: (
                lambda self, codes, bits: f(replace(self, epsilon=2 * self.epsilon), codes, bits)
            ),
        ),
    ),
    Fault(
        "one draw for all records",
        "local",
        replaced(
            answer.DirectResponse,
            "draw",
            lambda f: (
                lambda self, codes, bits: (
                    (codes + f(self, np.zeros(1, np.int64), bits)) % self.categories
                )
            ),
        ),
    ),
    Fault(
        "the true bit as it is",
        "local",
        replaced(answer, "coins", lambda f: lambda count, bits: np.ones(count, bool)),
    ),
    Fault(
        "the budget is not divided among the columns",
        "local",
        replaced(
            questionnaire,
            "_shares",
            lambda f: lambda asked, epsilon, weights: dict.fromkeys(asked, epsilon),
        ),
    ),
    Fault(
        "columns at the whole budget for their share of the price",
        "local",
        property_of(
            answer.DirectResponse,
            "event",
            lambda made, _: replace(made, cost=LocalDP(made.cost.epsilon / 2)),
        ),
    ),
    Fault("half of a range", "local", halved((questionnaire, "record"))),
    # Prices and shares.
    Fault("twice the shares", "lip", twice_the_shares),
    Fault("one share too much", "lip", one_share_too_much, GAUSS),
    Fault("a dearer rho", "modips", a_dearer_rho, APPROX),
    Fault("a smaller price", "modips", a_smaller_price),
    Fault("bought once, used twice", "lap-pca", bought_once_used_twice),
    Fault(
        "half of the draws unpaid",
        "diffgen",
        property_of(specialise.Specialisation, "share", lambda paid, _: PureDP(2 * paid.epsilon)),
    ),
    # Clips and roundings.
    Fault("values not clipped", "modips", replaced(grid._Paths, "chosen", not_clipped)),
    Fault(
        "missing beyond the range",
        "dp-pca",
        lambda patch: patch.setattr(features.Features, "design", missing_beyond),
    ),
    Fault(
        "not drawn into the ball",
        "lap-pca",
        replaced(centred, "drawn_in", lambda f: lambda Z, limit: Z),
    ),
    Fault(
        "coordinates not drawn in",
        "pca-gauss-regression",
        replaced(projected_moments, "drawn_in", lambda f: lambda Z, limit: 2 * Z),
    ),
    Fault(
        "coordinates rounded to whole ranges",
        "lop",
        replaced(centred, "_rescale", lambda f: lambda Z, scale: np.copyto(Z, np.sign(Z) * 2**16)),
    ),
    Fault(
        "product of twice the columns",
        "power-method",
        replaced(power_iteration, "product", lambda f: lambda A, X: 2 * f(A, X)),
        GAUSS,
    ),
    Fault("centred by the private mean", "compressive", mean_of_the_records),
    # Noise that is used wrongly, or drawn by another law.
    Fault("units forgotten", "lap-pca", units_forgotten),
    Fault("one noise for all", "modips", one_noise_for_all),
    *(Fault("parts share their noise", name, unkeyed("number", "codes")) for name in BY_PART),
    *(Fault("other records, the same noise", name, unkeyed("codes")) for name in BY_PART),
    Fault("what follows looks at the records", "dp-pca", rank_from_the_records),
    Fault(
        "the sampler draws half", "identity-laplace", replaced(noise, "floor_exponential", steeper)
    ),
]
# And one that any noise can have, for methods that none above was made for.
FAULTS += [
    Fault("a smaller price", name, a_smaller_price)
    for name in PROMISING
    if name not in {fault.method for fault in FAULTS}
]
