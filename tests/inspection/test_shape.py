"""Columns, correlations, components and exposed records of a release beside the records."""

import sys

import numpy as np
import pyarrow as pa
import pytest

from sfumato.errors import DataError
from sfumato.example import CLINIC, clinic
from sfumato.inspection.component import clouds, draw_clouds
from sfumato.inspection.correlation import MOST_FEATURES, correlations, draw_correlations
from sfumato.inspection.exposure import exposure
from sfumato.inspection.information import total_variation
from sfumato.inspection.marginal import draw_marginal, marginals
from sfumato.schema import Schema

PATIENTS = clinic(900)
SCHEMA = Schema.parse(CLINIC)
KNOWN, OTHERS = PATIENTS.slice(0, 450), PATIENTS.slice(450)


def numbers(names):
    columns = {name: {"kind": "number", "low": -5, "high": 5} for name in names}
    return {"name": "t", "columns": columns}


# Columns


def test_columns_come_worst_first_and_agree_with_total_variation():
    found = marginals(OTHERS, KNOWN, SCHEMA)
    distances = [marginal.distance for marginal in found]
    assert distances == sorted(distances, reverse=True)
    apart = total_variation(OTHERS, KNOWN, SCHEMA).by_columns
    assert {(m.axis.name,): pytest.approx(m.distance) for m in found} == apart


@pytest.mark.parametrize("k", range(8))
def test_every_kind_of_column_is_drawn_with_a_text_alternative(k):
    picture = draw_marginal(marginals(OTHERS, KNOWN, SCHEMA)[k])
    assert 'aria-label="Histogram of' in picture.svg
    assert "Total variation distance" in picture.svg


def test_a_column_with_dollars_and_brackets_in_its_name_is_drawn_as_it_is():
    name = "in $ <per> & $ year"
    schema = {"name": "t", "columns": {name: {"kind": "boolean"}}}
    table = pa.table({name: [True, False]})
    picture = draw_marginal(marginals(table, table, schema)[0])
    assert picture.title.startswith(name)
    assert "&lt;per&gt;" in picture.svg
    assert "<per>" not in picture.svg


# Correlations


def test_correlations_are_pearson_s_and_a_constant_column_has_none(rng):
    X = rng.normal(size=(300, 3))
    X[:, 1] += X[:, 0]
    X[:, 2] = 1.5
    table = pa.table(dict(zip("abc", np.clip(X, -5, 5).T, strict=True)))
    found = correlations(table, table, numbers("abc"))
    expected = np.corrcoef(np.clip(X, -5, 5)[:, :2].T)
    np.testing.assert_allclose(found.records[:2, :2], expected, atol=1e-3)
    assert found.records[2].tolist() == [0, 0, 1]
    assert found.error == 0


def test_the_pair_that_was_turned_round_is_named_worst(rng):
    X = np.clip(rng.normal(size=(300, 3)), -5, 5)
    X[:, 2] = X[:, 0]
    turned = X * [1, 1, -1]
    records, release = (pa.table(dict(zip("abc", M.T, strict=True))) for M in (X, turned))
    first, second, before, after = correlations(release, records, numbers("abc")).worst
    assert (first, second) == ("a", "c")
    assert before > 0.99
    assert after < -0.99


@pytest.mark.slow
def test_of_many_features_only_those_farthest_off_are_drawn(rng):
    names = [f"x{j}" for j in range(MOST_FEATURES + 5)]
    X = np.clip(rng.normal(size=(40, len(names))), -5, 5)
    table = pa.table(dict(zip(names, X.T, strict=True)))
    other = table.set_column(0, "x0", table["x1"])
    pictures = draw_correlations(correlations(other, table, numbers(names)))
    assert [picture.title for picture in pictures] == [
        "Records",
        "Release",
        "Release minus records",
    ]
    assert "x0" in pictures[2].svg


# Components


def test_the_variance_kept_is_one_for_the_records_and_less_for_noise(rng):
    X = np.clip(rng.normal(size=(400, 4)) * [2, 1.5, 0.2, 0.1], -5, 5)
    table = pa.table(dict(zip("abcd", X.T, strict=True)))
    turned = pa.table(dict(zip("abcd", X[:, ::-1].T, strict=True)))
    assert clouds(table, table, numbers("abcd")).kept == pytest.approx(1)
    assert clouds(turned, table, numbers("abcd")).kept < 0.1


def test_the_picture_of_components_holds_no_record(rng):
    """Only rows of the release are dots: as many as are drawn, wherever the records lie."""
    X = np.clip(rng.normal(size=(300, 3)), -5, 5)
    records = pa.table(dict(zip("abc", X.T, strict=True)))
    release = records.slice(0, 50)
    found = clouds(release, records, numbers("abc"))
    assert len(found.rows) == 50
    scree, plane = draw_clouds(found)
    assert scree.title == "Variance by component"
    assert "dots are rows of the release" in plane.caption
    assert plane.svg.count("<use") <= 50 + 30  # the dots, and ticks


def test_without_variance_or_rows_there_are_no_components():
    flat = pa.table({"a": [1.0] * 5, "b": [2.0] * 5})
    assert clouds(flat, flat, numbers("ab")) is None
    assert clouds(flat.slice(0, 2), flat, numbers("ab")) is None


# Exposed records


def test_copies_are_found_beyond_every_control_and_strangers_are_not():
    copied = exposure(KNOWN.slice(0, 5), KNOWN, SCHEMA, control=OTHERS)
    assert sorted(who.position for who in copied.records[:5]) == [1, 2, 3, 4, 5]
    assert [who.ratio for who in copied.records[:5]] == [0.0] * 5
    assert copied.beyond >= 5
    fresh = exposure(clinic(900, seed=5), KNOWN, SCHEMA, control=OTHERS)
    assert fresh.beyond < 15
    assert 0.5 < fresh.usual < 2


def test_a_record_with_a_twin_is_not_exposed_by_a_copy():
    schema = {"name": "t", "columns": {"a": {"kind": "integer", "low": 0, "high": 100}}}
    records = pa.table({"a": [5, 5, 50, 90]})
    found = exposure(pa.table({"a": [5, 50]}), records, schema)
    assert found.records[0].position == 3
    assert {who.position: who.ratio for who in found.records}[1] == 1.0


def test_many_records_are_drawn_from_and_positions_stay_those_of_the_file(monkeypatch):
    monkeypatch.setattr(sys.modules[exposure.__module__], "MOST_SEARCHED", 50)
    found = exposure(KNOWN, KNOWN, SCHEMA)
    assert found.searched == 50
    assert all(1 <= who.position <= 450 for who in found.records)
    assert max(who.position for who in found.records) > 50


def test_too_few_records_to_tell_who_stands_out_are_refused():
    with pytest.raises(DataError, match="at least two records"):
        exposure(KNOWN, KNOWN.slice(0, 1), SCHEMA)
