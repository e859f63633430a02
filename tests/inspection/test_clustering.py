"""Silhouette after k-means: by hand, tight and shapeless tables, both kinds of table."""

import sys
from math import hypot, isnan

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pytest
from threadpoolctl import threadpool_limits

import sfumato as sf
from sfumato.errors import DataError, MissingExtra, ParameterError
from sfumato.example import CLINIC, clinic
from sfumato.inspection import clustering
from sfumato.inspection.clustering import _kept
from sfumato.schema import Schema


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    """Threads that wait for each other cost more than they save on tables this small."""
    with threadpool_limits(1):
        yield


SCHEMA = {
    "name": "t",
    "columns": {
        "x": {"kind": "number", "low": 0, "high": 10},
        "ward": {"kind": "category", "values": ["a", "b", "c"]},
    },
}


def blobs(rng, rows, spread, places=((0, 0), (8, 0), (0, 8))):
    centres = np.array(places, float)[rng.integers(0, len(places), rows)]
    return pa.table(dict(zip("uv", (centres + rng.normal(0, spread, (rows, 2))).T, strict=True)))


def test_the_coefficient_is_the_one_computed_by_hand():
    pairs = pa.table({"u": [0.0, 0.0, 3.0, 3.0], "v": [0.0, 1.0, 0.0, 1.0]})
    across = (3 + hypot(3, 1)) / 2
    assert clustering(pairs, clusters=2).release == pytest.approx((across - 1) / across)


def test_tight_clusters_score_high_and_a_cloud_scores_low(rng):
    tight, cloud = blobs(rng, 400, 0.1), blobs(rng, 400, 1, places=((0, 0),))
    found = clustering(cloud, original=tight, clusters=3)
    assert found.original > 0.95
    assert found.release < 0.5
    assert clustering(tight, clusters=3).original is None


def test_the_wrong_number_of_clusters_scores_lower(rng):
    tight = blobs(rng, 300, 0.1)
    three, seven = (clustering(tight, clusters=k).release for k in (3, 7))
    assert seven < three - 0.2


def test_tables_in_the_schema_become_features_of_the_public_range():
    # At width 10, x = 0 and 5 are half a unit apart, two levels √2: wards make the clusters.
    rows = pa.table({"x": [0.0, 5.0] * 2, "ward": ["a", "a", "b", "b"]})
    across = (2**0.5 + 2.25**0.5) / 2
    expected = (across - 0.5) / across
    assert clustering(rows, SCHEMA, clusters=2).release == pytest.approx(expected)
    far = pa.table({"x": [0.0, 500.0] * 2, "ward": ["a", "a", "b", "b"]})  # cut to the range
    across = (2**0.5 + 3**0.5) / 2
    assert clustering(far, SCHEMA, clusters=2).release == pytest.approx((across - 1) / across)


def test_a_release_of_numbers_stands_beside_an_original_in_the_schema(rng):
    original = clinic(300)
    found = clustering(blobs(rng, 200, 0.1), Schema.parse(CLINIC), original=original, clusters=3)
    assert found.release == clustering(blobs_again(), clusters=3).release
    assert found.original == clustering(original, Schema.parse(CLINIC), clusters=3).release


def blobs_again():
    return blobs(np.random.default_rng(0), 200, 0.1)


def test_a_release_of_the_library_can_be_judged():
    schema, patients = Schema.parse(CLINIC), clinic(500)
    release = sf.publish(patients, schema=schema, epsilon=5)
    found = clustering(release.table, schema, original=patients, clusters=4)
    assert -1 <= found.release <= 1
    assert -1 <= found.original <= 1


def test_the_same_table_scores_the_same_whatever_holds_it(tmp_path, rng):
    table = blobs(rng, 120, 2.0)
    pacsv.write_csv(table, tmp_path / "t.csv")
    scores = {clustering(t, clusters=4).release for t in (table, table.to_pandas(), table)}
    scores.add(clustering(tmp_path / "t.csv", clusters=4).release)
    assert len(scores) == 1


def test_above_the_cap_a_fixed_sample_is_scored(rng):
    table = blobs(rng, 900, 0.5)
    capped = clustering(table, clusters=3, most=200).release
    kept = _kept(900, 200)
    assert len(set(kept.tolist())) == 200
    assert clustering(table.take(pa.array(kept)), clusters=3).release == capped
    assert capped != clustering(table, clusters=3).release
    assert capped == pytest.approx(clustering(table, clusters=3).release, abs=0.05)
    assert _kept(200, 200).tolist() == list(range(200))


@pytest.mark.parametrize("values", [[], [1.0], [2.0] * 9])
def test_fewer_distinct_records_than_clusters_score_not_a_number(values):
    assert isnan(clustering(pa.table({"u": pa.array(values, pa.float64())}), clusters=2).release)


def test_records_that_are_all_alone_score_zero():
    assert clustering(pa.table({"u": [0.0, 1.0, 5.0]}), clusters=3).release == 0


def test_what_is_given_is_left_as_it_was(rng):
    frame = blobs(rng, 60, 1.0).to_pandas()
    before = frame.copy(deep=True)
    clustering(frame, original=frame, clusters=3)
    assert frame.equals(before)


@pytest.mark.parametrize("clusters", [1, 0, -2, 2.0, True, "3"])
def test_impossible_numbers_of_clusters_are_refused_by_name(clusters):
    with pytest.raises(ParameterError, match="clusters must be a whole number of at least 2"):
        clustering(pa.table({"u": [1.0, 2.0]}), clusters=clusters)


def test_a_cap_below_the_number_of_clusters_is_refused():
    with pytest.raises(ParameterError, match="most must be a whole number of at least 5"):
        clustering(pa.table({"u": [1.0, 2.0]}), clusters=5, most=4)


@pytest.mark.parametrize("value", ["four", None, float("inf"), float("nan")])
def test_a_table_outside_the_schema_with_something_else_than_numbers_is_refused(value):
    table = pa.table({"fine": [1.0, 2.0], "u": pa.array([str(value), "1"])})
    with pytest.raises(DataError, match=r"column u: .* finite numbers only") as refusal:
        clustering(table, SCHEMA, clusters=2)
    assert "four" not in str(refusal.value)


def test_without_scikit_learn_the_message_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.cluster", None)
    with pytest.raises(MissingExtra, match=r"pip install 'sfumato\[ml\]'"):
        clustering(pa.table({"u": [1.0, 2.0, 3.0]}), clusters=2)
