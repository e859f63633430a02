"""dp-pca: one row per record, in order, along components found under noise."""

from fractions import Fraction

import numpy as np
import pytest

import sfumato as sf
from sfumato.errors import ParameterError, SchemaError
from sfumato.example import CLINIC, clinic
from sfumato.schema import Schema

SCHEMA = Schema.parse(CLINIC)


def test_with_a_budget_beyond_noise_and_all_components_the_table_comes_back():
    original = clinic(200).drop_columns(["patient"])
    release = sf.publish(
        clinic(200), schema=SCHEMA, method="dp-pca", epsilon=10**13, rank=12, split="0.5"
    )
    for name in ("age", "sex", "pressure", "smoker", "outcome", "admitted"):
        assert release.table[name].to_pylist() == original[name].to_pylist()


def test_rows_stay_in_their_places():
    ages = np.repeat([20, 90], 300)
    columns = {"age": {"kind": "integer", "low": 18, "high": 98}, "x": {"kind": "boolean"}}
    import pyarrow as pa

    table = pa.table({"age": ages, "x": ages > 50})
    release = sf.publish(
        table, schema={"name": "t", "columns": columns}, method="dp-pca", epsilon=40, rank=1
    )
    found = release.table["age"].to_numpy()
    assert np.corrcoef(found, ages)[0, 1] > 0.9


def test_fewer_components_let_in_less_noise_and_auto_follows_the_budget():
    small = sf.publish(clinic(5_000), schema=SCHEMA, method="dp-pca", epsilon=1)
    large = sf.publish(clinic(5_000), schema=SCHEMA, method="dp-pca", epsilon=300)
    assert len(small.synopsis["directions"]) == 1
    assert len(large.synopsis["directions"]) > 3
    errors = [float(e) for e in small.synopsis["expected_squared_error_per_record"].values()]
    assert errors[0] < errors[1] < errors[5]  # the mean alone is better than any row-wise release


def test_the_synopsis_lets_anyone_recount_the_noise(tmp_path):
    release = sf.publish(
        clinic(300), schema=SCHEMA, method="dp-pca", epsilon=1, rank=2, folder=tmp_path / "r"
    )
    assert all(check.passed for check in sf.verify(tmp_path / "r"))
    fit, moments, projected = release.certificate.events
    assert projected.to_json()["sensitivity"]["norm"] == "L1"
    assert projected.sensitivity < np.sqrt(2 * 14)  # below the published
    assert [e.cost.epsilon for e in (fit, moments, projected)] == [
        Fraction("0.02"),
        Fraction("0.98") / 5,
        Fraction("0.98") * 4 / 5,
    ]


@pytest.mark.parametrize("rank", [0, -1, 99, "many", 1.5])
def test_an_impossible_rank_is_refused_before_anything_is_read(rank):
    with pytest.raises(ParameterError, match="rank must be auto or from 1 to 12"):
        sf.publish("nowhere.csv", schema=SCHEMA, method="dp-pca", epsilon=1, rank=rank)


@pytest.mark.parametrize("split", [0, 1, -1, "half", "nan"])
def test_an_impossible_split_is_refused(split):
    with pytest.raises(ParameterError, match="split"):
        sf.price(SCHEMA, method="dp-pca", epsilon=1, split=split)


def test_add_remove_is_refused():
    known = SCHEMA.model_copy(update={"neighbours": "add-remove"})
    with pytest.raises(SchemaError, match="replace-one"):
        sf.price(known, method="dp-pca", epsilon=1)
