"""Chapter 3: thresholds, readings of them, measures, and accuracies."""

import numpy as np
import pytest

from papers.chakrabarti2010.tables import Labelled
from papers.liu2015.chapter3.measure import (
    ACCURACY,
    REAL,
    UNIT,
    accuracy,
    moved,
    perturb,
    perturb_all,
)
from papers.liu2015.chapter3.perturbations import (
    PLAIN,
    UNIVERSAL,
    distance,
    reflected,
)
from papers.liu2015.chapter3.published import PRINTED
from papers.liu2015.chapter3.readings import READINGS, along
from papers.liu2015.tables import wdbc
from papers.outcome import Outcomes
from sfumato.perturb.wavelet import wavelet


@pytest.mark.parametrize("share", [0, 0.1, 0.5, 1])
def test_with_haar_reflected_ends_are_those_of_wavelet(share, rng):
    A = rng.normal(size=(65, 9))
    matlab = reflected(A, basis="haar", share=share)
    np.testing.assert_allclose(wavelet(A, share=share, threshold="universal"), matlab, atol=1e-9)


@pytest.mark.parametrize(("printed", "ours"), [("(S)", "(S)"), ("(VP)", "(HP)"), ("(HP)", "(VP)")])
def test_the_printed_rows_of_wdbc_come_out_with_the_cuts_exchanged(printed, ours):
    A, row = wdbc().X, PRINTED["WDBC"][f"wavelet {printed}"]
    found = moved(UNIVERSAL[f"wavelet {ours}, universal"](A), A)
    assert found["VD"] == pytest.approx(row.VD, abs=1e-6)
    assert found["RP of orders"] == pytest.approx(row.RP, rel=0.002)
    assert found["RK"] == pytest.approx(row.RK, rel=0.01)
    assert found["CP of orders"] == pytest.approx(row.CP, abs=1e-3)
    assert found["CK"] == pytest.approx(row.CK, abs=1e-4)
    assert found["RP"] < 0.8 * row.RP


def test_orders_and_ranks_agree_on_who_stays_and_not_on_how_far(rng):
    A = rng.normal(size=(50, 3))
    P = A + rng.normal(0, 0.05, A.shape)
    found = moved(P, A)
    first, second = (np.argsort(X, axis=0) for X in (A, P))
    assert found["RK"] == (first == second).mean()
    assert found["RP of orders"] > found["RP"]


def test_readings_of_the_threshold_keep_the_shape_and_differ(rng):
    A = rng.normal(size=(41, 9))
    distances = {who: distance(reading(A), A) for who, reading in READINGS.items()}
    assert len({round(value, 9) for value in distances.values()}) == len(READINGS)
    assert all(0 < value < 1 for value in distances.values())


@pytest.mark.parametrize("each", ["all", "vector", "place"])
@pytest.mark.parametrize("axis", [0, 1])
def test_without_a_threshold_a_reading_gives_the_table_back(each, axis, rng):
    A = rng.normal(size=(41, 9))
    back = along(A, axis=axis, levels=None, each=each, signed=True, share=0)
    np.testing.assert_allclose(back, A, atol=1e-12)


def test_plain_decompositions_are_the_svd_that_competes(rng):
    A = rng.normal(size=(30, 9))
    made = perturb("WBC", A, Outcomes())
    for decomposed in PLAIN.values():
        np.testing.assert_allclose(decomposed(A, 5), made["SVD"], atol=1e-9)


def test_statistics_are_kept_where_asked_for(rng):
    A, found = rng.normal(3, 2, size=(64, 9)), Outcomes()
    made = perturb_all(A, found)
    for who, P in made.items():
        if who.endswith("kept"):
            np.testing.assert_allclose(P.mean(axis=0), A.mean(axis=0))
            assert found.values("table 3.3", who, None, "statistics off by")[0] < 1e-9
    assert not np.allclose(made["wavelet 0.9"].std(axis=0), A.std(axis=0))


def test_a_classifier_sees_small_columns_only_at_unit_variance(rng):
    y = np.arange(200) % 2 == 0
    X = np.column_stack([1000 * rng.normal(size=200), y + 0.1 * rng.normal(size=200)])
    table = Labelled(X, y)
    assert accuracy(X, table, 0, ACCURACY) < 0.7
    assert accuracy(X, table, 0, UNIT) > 0.95
    lost = X * [1, 0]
    assert accuracy(lost, table, 0, UNIT) < 0.7
    assert accuracy(-X, table, 0, UNIT) > 0.95
    assert accuracy(-X, table, 0, REAL) < 0.7
