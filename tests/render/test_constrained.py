"""Drawing under rules: by rejection as the model has it, else by moving; always to the end."""

import numpy as np
import pytest
from scipy.stats import chisquare

from sfumato.render.constrained import kept
from sfumato.render.rules import Rules
from sfumato.schema import Schema
from sfumato.schema.domain import Domain

FALSE_ALARM = 1e-6
ROWS = 20_000
SCHEMA = {
    "name": "t",
    "columns": {n: {"kind": "integer", "low": 0, "high": 3} for n in "ab"},
    "constraints": ["a <= b"],
}


class Model:
    """Independent draws from a table of chances; counts what is asked of it."""

    def __init__(self, chances, rng):
        self.chances, self.rng, self.asked = chances / chances.sum(), rng, []

    def __call__(self, count):
        self.asked.append(count)
        cell = self.rng.choice(self.chances.size, count, p=self.chances.ravel())
        return np.stack(np.unravel_index(cell, self.chances.shape), axis=1).astype(np.int32)


def drawn(model, rows=ROWS, schema=SCHEMA):
    rules = Rules.of(Domain.of(Schema.of(schema)))
    found = np.concatenate(list(kept(model, rules, rows, model.rng)))
    assert rules.keeps(found).all()
    return found


def cells(codes):
    return np.bincount(codes[:, 0] * 4 + codes[:, 1], minlength=16)


@pytest.mark.parametrize(("expected", "passes"), [("given", True), ("moved", False)])
def test_rejection_gives_the_records_of_the_model_that_keep_the_rules(expected, passes, rng):
    model = Model(rng.random((4, 4)) + 0.1, rng)
    found = cells(drawn(model))
    chances = np.triu(model.chances)
    if expected == "moved":  # what raising b in place of drawing again would give
        chances += np.diag(np.tril(model.chances, -1).sum(axis=1))
    inside = np.triu(np.ones((4, 4), bool)).ravel()
    assert found[~inside].sum() == 0
    shares = chances.ravel()[inside] / chances.sum()
    assert (chisquare(found[inside], shares * ROWS).pvalue > FALSE_ALARM) == passes


def test_more_rows_than_a_float_holds_are_drawn_a_batch_at_a_time(rng):
    model, rules = Model(np.ones((4, 4)), rng), Rules.of(Domain.of(Schema.of(SCHEMA)))
    batches = kept(model, rules, 10**400, rng)
    assert len(next(batches)) > 0
    assert len(next(batches)) > 0


def test_about_as_many_are_drawn_as_rejection_needs(rng):
    chances = np.triu(np.ones((4, 4))) + 9 * np.tril(np.ones((4, 4)), -1)
    model = Model(chances, rng)  # 10 in 64 keep the rule
    drawn(model)
    assert 5 * ROWS < sum(model.asked) < 9 * ROWS


def test_nothing_is_drawn_twice_where_all_records_keep_the_rules(rng):
    model = Model(np.triu(np.ones((4, 4))), rng)
    drawn(model, 100_000)
    assert model.asked == [65_536, 100_000 - 65_536]


@pytest.mark.parametrize("chance", [0.0, 1e-4])
def test_a_model_that_contradicts_the_rules_still_gives_all_records(chance, rng):
    chances = np.zeros((4, 4))
    chances[2, 1], chances[0, 3] = 1, chance
    model = Model(chances, rng)
    found = drawn(model, 100_000)
    assert len(found) == 100_000
    assert sum(model.asked) < 4 * 100_000  # and does not try for ever
    assert (found == [2, 2]).all(axis=1).mean() > 0.99  # b is raised, and no further


def test_no_rows_are_no_batches(rng):
    assert (
        list(kept(Model(np.ones((4, 4)), rng), Rules.of(Domain.of(Schema.of(SCHEMA))), 0, rng))
        == []
    )
