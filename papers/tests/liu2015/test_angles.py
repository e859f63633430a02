"""Chapter 2: rules for the rank, norms of noise, and guesses from a known record."""

import numpy as np
import pytest

from papers.liu2015.chapter2.attack import (
    ATTACK,
    CONTROL,
    REACH,
    guesses,
    measure_attack,
)
from papers.liu2015.chapter2.measure import (
    CORRECTED,
    MAX,
    MIN,
    NOISES,
    TRUE,
    Perturbed,
    counterexample,
    kept,
    larger_noise,
    measure_angles,
    measure_noise,
    measure_values,
    noise_name,
    norms,
    perturbed,
    ranks,
)
from papers.liu2015.chapter2.published import claims
from papers.liu2015.settings import Settings
from papers.liu2015.tables import wine
from papers.outcome import Outcomes


def test_on_wine_the_printed_rule_gives_one_and_the_corrected_three(rng):
    found = ranks(perturbed(wine(), rng))
    assert (found[MIN], found[MAX], found[CORRECTED]) == (1, 3, 3)
    assert found[TRUE] in (3, 4)


def test_no_rank_fits_where_there_is_nothing_but_noise(rng):
    E = rng.normal(size=(50, 4))
    assert set(ranks(Perturbed(1e-3 * E, E, E)).values()) == {0}


def test_noise_is_added_to_the_rotated_records_and_kept_apart(rng):
    p = perturbed(wine(), rng)
    V = np.linalg.svd(p.A, full_matrices=False)[2].T
    np.testing.assert_allclose(p.P, p.A @ V + p.E)
    assert 0.9 < p.E.std() < 1.1


@pytest.mark.slow
def test_the_norm_of_noise_is_under_its_bound_and_above_the_printed_one():
    found, settings = Outcomes(), Settings()
    for trial in range(3):
        measure_noise(trial, settings, found)
    for shape in NOISES:
        drawn = found.summary("norm of the noise", noise_name(*shape), None, "‖E‖")[0]
        printed, bound = norms(*shape)
        assert printed < drawn < 1.02 * bound


def test_a_record_may_be_smaller_than_its_noise_where_the_conditions_hold():
    p = counterexample()
    own, seen = (np.linalg.svd(X, compute_uv=False) for X in (p.A, p.P))
    norm = np.linalg.norm(p.E, 2)
    assert norm <= own[1]
    assert norm <= seen[1]  # σ̃₂ − σ₃, and σ₃ is 0
    assert larger_noise(p, 2) == pytest.approx(1 / 3)


def test_twins_are_betrayed_by_their_angle_and_strangers_are_not(rng):
    A = np.repeat(100 * rng.normal(size=(40, 4)), 2, axis=0)
    p = perturbed(A, rng)
    errors = {
        kind: np.sqrt(np.mean((truth - guess) ** 2))
        for kind, (truth, guess) in guesses(p, 4, 0).items()
    }
    assert errors[REACH] == pytest.approx(0)
    assert errors[ATTACK] == pytest.approx(0)
    assert errors[CONTROL] > 1


def test_more_noise_keeps_fewer_angles(rng):
    A, found = wine(), Outcomes()
    quiet = perturbed(A, rng)
    V = np.linalg.svd(A, full_matrices=False)[2].T
    loud = Perturbed(A, A @ V + 100 * quiet.E, 100 * quiet.E)
    for trial, p in enumerate((quiet, loud)):
        measure_angles("wine", p, trial, Settings(), found)
    less, more = found.values("table 2.1", "wine, printed k", None, kept("π/180"))
    assert less > 0.99
    assert more < 0.5


def test_sentences_of_chapter_two_are_judged_by_what_was_measured(rng):
    found, settings = Outcomes(), Settings(trials=1)
    for name in ("bupa", "wine"):
        p = perturbed(wine(), rng)
        measure_values(name, p, 0, found)
        measure_angles(name, p, 0, settings, found)
        measure_attack(name, p, 0, settings, found)
    measure_noise(0, settings, found)
    verdicts = {claim.text: claim.verdict for claim in claims(found)}
    assert verdicts["‖E‖ is √(m+n) to 5 %"] == "not reached"
    assert verdicts["‖E‖ is β(√n+√m) to 5 %"].startswith("reached")
    assert verdicts["most angles (85 %) are kept, corrected k"] == "reached"
    added = "singular values add, σ̃ ≈ σ + σ_E: nearer than the square rule σ̃² ≈ σ² + nβ²"
    assert verdicts[added] == "not reached"
