"""Views: which directions are released, and that public ones owe nothing to the records."""

import numpy as np
import pytest

from papers.chakrabarti2010.tables import ATTRIBUTES, cancer
from papers.chakrabarti2010.views import of_the_data, public_adults, public_cancer


def test_components_of_the_data_have_its_ranges_no_correlation_and_falling_variance(rng):
    X = rng.normal(size=(200, 5)) @ rng.normal(size=(5, 5)) + 7
    view = of_the_data(X, 3)
    Z = view.scaled(X) @ view.basis.T
    np.testing.assert_allclose(np.ptp(Z, axis=0), view.ranges)
    S = np.cov(Z.T)
    np.testing.assert_allclose(S, np.diag(np.diag(S)), atol=1e-9)
    assert (np.diff(np.diag(S)) <= 0).all()
    np.testing.assert_allclose(view.scaled(X).std(axis=0), 1)


def test_a_column_that_never_changes_is_left_alone(rng):
    X = np.column_stack([rng.normal(size=50), np.full(50, 3.0)])
    assert np.isfinite(of_the_data(X, 1).ranges).all()


@pytest.mark.parametrize(("make", "width"), [(public_adults, 6), (public_cancer, 30)])
def test_public_coordinates_of_anything_stay_inside_their_public_ranges(make, width, rng):
    view = make()
    X = rng.normal(size=(2_000, width)) * 10.0 ** rng.integers(-3, 7, width)
    Z = view.scaled(X) @ view.basis.T
    assert (np.ptp(Z, axis=0) <= view.ranges + 1e-12).all()
    corner = view.scaled(np.vstack([view.low, view.high])) @ view.basis.T
    np.testing.assert_allclose(np.ptp(corner, axis=0), view.ranges)  # and can be as wide


def test_public_directions_of_adults_are_age_schooling_and_hours():
    picked = [ATTRIBUTES[j] for j in np.flatnonzero(public_adults().basis.any(axis=0))]
    assert picked == ["age", "education_num", "hours_per_week"]


def test_the_declared_ranges_of_nuclei_cut_no_tumour():
    tumours, view = cancer().X, public_cancer()
    used = view.basis.any(axis=0)
    assert ((tumours >= view.low) & (tumours <= view.high))[:, used].all()


@pytest.mark.parametrize("wrong", [1.0, 0.8, 1.25])
def test_the_noise_has_the_scale_of_b_times_the_range_and_no_other(wrong, rng):
    from scipy.stats import kstest

    view, b = public_cancer(), 0.25
    scaled = view.scaled(rng.uniform(view.low, view.high, size=(1_000, 30)))
    noise = view.perturbed(scaled, b, rng) - scaled @ view.basis.T
    p = kstest((noise / (b * view.ranges * wrong)).ravel(), "laplace").pvalue
    assert (p > 1e-6) == (wrong == 1.0)  # a right scale fails once in a million
