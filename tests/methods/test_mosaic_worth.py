"""Whether a release would be hardly better than guessing: told from public facts, and rightly."""

import re

import numpy as np
import pytest

from sfumato.example import CLINIC
from sfumato.methods.mosaic.steps import Steps
from sfumato.methods.mosaic.worth import doubt, expected_error, guessed_error
from sfumato.plan.made_up import MANY, MIXED, PLAIN, THREE
from sfumato.privacy.budget import budget
from sfumato.privacy.randomness import SeededBits
from sfumato.schema import Schema
from sfumato.schema.domain import Domain

BUDGETS = ({"epsilon": 1}, {"epsilon": 1, "delta": "1e-9"}, {"rho": "0.05"})


def steps(schema=PLAIN, records=100, **stated):
    return Steps(Domain.of(Schema.of(schema)), budget(**(stated or {"epsilon": 1})), records)


@pytest.mark.parametrize("schema", [PLAIN, MIXED, MANY])
@pytest.mark.parametrize("stated", BUDGETS, ids=str)
def test_what_helps_helps(schema, stated):
    """The budget that is advised ends the doubt, and much less does not."""
    [[name, figure], *rest] = stated.items()
    for records in (1, 3, 30):
        told = doubt(steps(schema, records, **stated))
        if told is None:
            continue
        [factor] = re.findall(r"(?:epsilon|rho) about ([\d.,]+) times as large", told)
        factor = factor.replace(",", "")
        more = {name: str(float(figure) * float(factor)), **dict(rest)}
        assert doubt(steps(schema, records, **more)) is None, told
        less = {name: str(float(figure) * 0.8 * (float(factor) - 0.1)), **dict(rest)}
        assert doubt(steps(schema, records, **less)) is not None, told


def test_there_is_a_doubt_exactly_where_noise_outweighs_the_records():
    each = [steps(records=n) for n in range(1, 400, 19)]
    outweighed = [expected_error(one) > 0.7 * guessed_error(one) for one in each]
    assert [doubt(one) is not None for one in each] == outweighed
    assert outweighed == sorted(outweighed, reverse=True)  # the fewer records, the more noise
    assert {*outweighed} == {True, False}


@pytest.mark.parametrize("stated", BUDGETS, ids=str)
def test_more_budget_never_brings_more_noise(stated):
    [[name, _], *rest] = stated.items()
    errors = [
        expected_error(steps(MIXED, 300, **{name: str(figure), **dict(rest)}))
        for figure in (0.001, 0.01, 0.03, 0.1, 0.3, 1, 3)
    ]
    assert errors == sorted(errors, reverse=True)


def test_a_delta_is_advised_only_where_it_helps():
    few = {"name": "t", "columns": {"a": {"kind": "boolean"}}}
    assert "a delta" in doubt(steps(MANY, 20, epsilon="0.1"))
    assert "a delta" not in doubt(steps(few, 3, epsilon="0.1"))
    assert "a delta" not in doubt(steps(MANY, 20, epsilon="0.1", delta="1e-9"))


def test_advice_does_not_name_what_cannot_be_done():
    few = {"name": "t", "columns": {"a": {"kind": "boolean"}}}
    assert "fewer" not in doubt(steps(few, 3, epsilon="0.1"))
    assert "a label of fewer values" in doubt(steps(THREE, 3))
    assert "a label of fewer values" not in doubt(steps(PLAIN, 3))


def test_an_assumed_number_of_records_is_called_so():
    assumed = doubt(steps(records=None, epsilon="0.0001"))
    assert "(of about 10,000 records, as no number was stated)" in assumed
    counted = {**PLAIN, "neighbours": "add-remove"}
    assert "(of about 30 records, as was stated)" in doubt(steps(counted, 30, epsilon="0.1"))
    assert "(of 30 records)" in doubt(steps(PLAIN, 30, epsilon="0.1"))


@pytest.mark.parametrize("epsilon", ["1e-30", "1e30"])
@pytest.mark.parametrize("records", [0, 1, 2**40, None])
def test_absurd_figures_are_judged_too(epsilon, records):
    told = doubt(steps(MIXED, records, epsilon=epsilon))
    assert (told is None) == (epsilon == "1e30")
    if told is not None:
        assert "over 1,000,000,000 records" in told
        assert "epsilon over 1,000 times as large" in told


def test_a_column_of_one_value_is_not_doubted():
    one = {"kind": "category", "values": ["a"], "other": "none"}
    assert doubt(steps({"name": "t", "columns": {"a": one}}, 1, epsilon="1e-9")) is None


@pytest.mark.parametrize("rows", [20_000, 300])
def test_the_demo_and_the_examples_are_worth_their_price(rows):
    assert doubt(Steps(Domain.of(Schema.parse(CLINIC)), budget(epsilon="0.98"), rows)) is None


@pytest.mark.parametrize(("factor", "passes"), [(1, True), (0.5, False), (2, False)])
def test_noise_moves_as_many_records_as_expected(factor, passes):
    """Of tables of five values: 2,000 draws of |noise| over its mean.

    Under Laplace noise that has deviation 1: their mean is beyond 1 ± 5/√2000 once in a million.
    """
    values = ["a", "b", "c", "d", "e"]
    schema = {
        "name": "t",
        "columns": {"x": {"kind": "category", "values": values, "other": "none"}},
    }
    plan = steps(schema, 50)
    noise = plan.class_tables(plan.unmerged).noise.draw(np.ones(2_000, np.int64), SeededBits(7))
    moved = np.abs(noise.reshape(400, 5)).sum(axis=1) / 2 / 50
    assert (abs(np.mean(moved) * factor / expected_error(plan) - 1) < 5 / np.sqrt(2_000)) == passes
