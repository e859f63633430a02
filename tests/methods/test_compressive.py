"""compressive: public coins, exact sensitivity, rows in their places."""

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import ParameterError, SchemaError
from sfumato.example import CLINIC, clinic
from sfumato.measure.projection import Projection
from sfumato.methods.compressive import bernoulli
from sfumato.privacy.guarantee import PureDP
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.synopsis.centred import Centred
from sfumato.synopsis.directions import Directions

SCHEMA = Schema.parse(CLINIC)
MIXED = {
    "name": "m",
    "columns": {
        "x": {"kind": "integer", "low": 0, "high": 2},
        "y": {"kind": "boolean"},
        "u": {"kind": "category", "values": ["a", "b", "c"]},
        "v": {"kind": "category", "values": ["p", "q", "r"]},
    },
}


@pytest.mark.parametrize("rank", [1, 2, 5, 8])
def test_two_records_attain_the_sensitivity_and_none_exceed_it(rank):
    space = Centred.of(Domain.of(Schema.of(MIXED)))
    directions = Directions.of(space, bernoulli(rank, len(space), "1"))
    projection = Projection(directions, PureDP(1))
    codes = np.array(list(product(range(3), range(2), range(3), range(3))), np.int32)
    Y = projection.query(codes)
    assert (
        max(int(np.abs(a - b).sum()) for a, b in combinations(Y, 2))
        == projection.noise.sensitivity.l1 * directions.unit
    )


def test_the_plan_prices_the_very_directions_that_are_published():
    plan = sf.price(SCHEMA, method="compressive", epsilon=2, rank=4, projection="other")
    release = sf.publish(
        clinic(50), schema=SCHEMA, method="compressive", epsilon=2, rank=4, projection="other"
    )
    space = Centred.of(plan.domain)
    directions = Directions(space, np.array(release.synopsis["directions"]))
    assert plan.measured[0].noise == directions.sensitivity.l1 / Fraction("1.96")
    assert np.abs(directions.matrix) == pytest.approx(0.5)  # 1/√4


def test_coins_are_fair_and_follow_from_their_name():
    """False-alarm rate 1e-6: 4.9 standard deviations; a coin of 0.55 is rejected."""
    signs = np.sign(bernoulli(100, 400, "a"))
    assert abs(signs.sum()) < 4.9 * np.sqrt(signs.size)
    assert 0.1 * signs.size > 4.9 * np.sqrt(signs.size)  # what that coin would give
    assert np.array_equal(signs, np.sign(bernoulli(100, 400, "a")))
    assert not np.array_equal(signs, np.sign(bernoulli(100, 400, "b")))


def test_rows_stay_in_their_places_and_follow_the_records():
    values = np.repeat([0.0, 1.0], 300)
    columns = {f"x{j}": {"kind": "number", "low": 0, "high": 1} for j in range(3)}
    table = pa.table(dict.fromkeys(columns, values))
    release = sf.publish(
        table, schema={"name": "t", "columns": columns}, method="compressive", epsilon=200, rank=2
    )
    found = np.mean([release.table[name].to_numpy() for name in columns], axis=0)
    assert np.corrcoef(found, values)[0, 1] > 0.9


@pytest.mark.parametrize("budget", [{"epsilon": 1}, {"epsilon": 1, "delta": 1e-6}, {"rho": "0.1"}])
def test_coordinates_themselves_can_be_the_table(budget, tmp_path):
    release = sf.publish(
        clinic(60),
        schema=SCHEMA,
        method="compressive",
        rank="3",
        space="components",
        folder=tmp_path / "r",
        **budget,
    )
    assert release.table.column_names == ["component_1", "component_2", "component_3"]
    assert release.table.num_rows == 60
    assert all(check.passed for check in sf.verify(tmp_path / "r"))


def test_a_table_of_two_features_takes_two_directions_by_default():
    columns = {"a": {"kind": "boolean"}, "b": {"kind": "boolean"}}
    plan = sf.price({"name": "t", "columns": columns}, method="compressive", epsilon=1)
    assert plan.options["rank"] == 2


@pytest.mark.parametrize(
    ("option", "value"), [("rank", 0), ("rank", 13), ("rank", "alpha"), ("space", "rows")]
)
def test_an_impossible_option_is_refused_by_name(option, value):
    with pytest.raises(ParameterError, match=f"{option} must be"):
        sf.price(SCHEMA, method="compressive", epsilon=1, **{option: value})


def test_add_remove_is_refused():
    known = SCHEMA.model_copy(update={"neighbours": "add-remove"})
    with pytest.raises(SchemaError, match="one row per record"):
        sf.price(known, method="compressive", epsilon=1)
