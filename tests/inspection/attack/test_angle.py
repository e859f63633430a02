"""One known record: twins found through a rotation, lost in noise; cases that show nothing."""

from math import pi

import numpy as np
import pytest
from attacked import CONFIDENT, matrix, rotation

from sfumato.errors import DataError, ParameterError
from sfumato.inspection.attack import angle_attack
from sfumato.inspection.attack.angle import nearest


def twins(rng, pairs=200, m=6, apart=0.01):
    """Everybody has somebody almost equal to them."""
    A = np.repeat(rng.normal(size=(pairs, m)), 2, axis=0)
    return A + rng.normal(0, apart, A.shape)


def test_twins_are_found_through_a_rotation(rng):
    A = twins(rng)
    found = angle_attack(A @ rotation(6, rng), A, beta=0, epsilon=pi / 90, confidence=CONFIDENT)
    assert found.verdict == "succeeds"
    assert found.success.value > 0.95
    assert found.control.value < 0.05
    assert found.baseline.value < 0.05
    assert found.details["rank"] == 6
    assert found.details["pairs guessed"] == found.success.tries > 180


def test_twins_are_found_through_a_rotation_and_small_noise_in_the_leading_space(rng):
    U = np.repeat(np.linalg.qr(rng.normal(size=(200, 3)))[0], 2, axis=0)
    A = U * [900, 700, 500] @ rotation(8, rng)[:3]
    found = angle_attack(
        A @ rotation(8, rng) + rng.normal(0, 0.3, A.shape), A, confidence=CONFIDENT
    )
    assert found.details["rank"] == 3
    assert found.details["beta"] == pytest.approx(0.3, rel=0.2)
    assert found.verdict == "succeeds"
    assert found.success.value > 0.9


@pytest.mark.parametrize("data", ["twins", "cancer"])
def test_heavy_noise_stops_the_attack(data, rng):
    A = twins(rng) if data == "twins" else matrix(data)
    noisy = A + rng.laplace(0, 100 * A.std(), A.shape)
    m = A.shape[1]
    found = angle_attack(noisy, A, rank=m, epsilon=pi / 3, confidence=CONFIDENT)
    assert found.success.tries > 100
    assert found.power
    assert found.verdict == "fails"
    assert found.over_control.low < 0


def test_real_records_are_guessed_from_one_of_them_under_unit_noise(rng):
    """On the diagnostic breast cancer table a quarter of the guesses is within half a deviation."""
    A = matrix("cancer")
    found = angle_attack(A @ rotation(31, rng) + rng.normal(size=A.shape), A, confidence=CONFIDENT)
    assert found.verdict == "succeeds"
    assert 0.2 < found.success.value < 0.35


def test_a_rank_that_no_singular_value_supports_has_no_power(rng):
    A = rng.normal(size=(300, 4))
    found = angle_attack(A + rng.normal(0, 50, A.shape), A, beta=50)
    assert found.verdict == "no power"
    assert "no singular value stands out" in found.weakness


def test_a_single_component_has_no_power(rng):
    A = matrix("wine")
    assert "single dimension" in angle_attack(A, A, rank=1).weakness
    assert "single dimension" in angle_attack(A, A, rank=3, columns=[12]).weakness


def test_records_without_a_neighbour_have_no_power(rng):
    A = rng.normal(size=(40, 8))
    assert "0 tries are too few" in angle_attack(A, A, beta=0, epsilon=1e-4).weakness


def test_noise_that_leaves_no_small_angle_stops_the_attack(rng):
    A = twins(rng)
    found = angle_attack(A + rng.normal(size=A.shape), A, rank=6, epsilon=pi / 180)
    assert found.success.tries < 20
    assert found.verdict == "fails"


def test_small_angles_between_unequal_records_are_no_breach(rng):
    """Records on few rays: the angles are zero, the records are not alike."""
    A = np.array([[1.0, 0.1, 0.2], [0.2, 1.0, 0.1], [0.1, 0.3, 1.0]])[rng.integers(3, size=300)]
    A *= rng.uniform(1, 100, (300, 1))
    found = angle_attack(A, A, beta=0, tolerance=1e-3, confidence=CONFIDENT)
    assert found.success.tries > 250
    assert found.success.value < 0.02
    assert "even if the records themselves" in found.weakness


def test_few_records_have_no_power_and_say_so(rng):
    A = twins(rng, pairs=8)
    found = angle_attack(A, A, beta=0, confidence=CONFIDENT)
    assert "too few to tell" in found.weakness


def test_subsets_of_columns_give_away_what_whole_records_do_not(rng):
    """Twins in the first three columns, strangers in the others."""
    A = rng.normal(size=(300, 6))
    A[:, :3] = twins(rng, pairs=150, m=3)
    # Under additive noise a column stays a column, so a subset means the same on both sides.
    noisy = A + rng.normal(0, 0.01, A.shape)
    part, whole = (
        angle_attack(noisy, A, rank=6, columns=c, epsilon=pi / 60, confidence=CONFIDENT)
        for c in ([0, 1, 2], None)
    )
    assert part.verdict == "succeeds"
    assert part.success.value > 0.9
    assert whole.verdict == "no power"


def test_a_perturbed_matrix_of_other_columns_can_be_attacked_but_not_in_part(rng):
    A = twins(rng)
    P = A @ rotation(6, rng)[:, :5]
    assert angle_attack(P, A, beta=0, epsilon=pi / 90).verdict == "succeeds"
    with pytest.raises(DataError, match="same columns, got 5 and 6"):
        angle_attack(P, A, beta=0, columns=[0])


def test_zero_rows_are_nobody_and_duplicates_find_each_other(rng):
    A = np.repeat(rng.normal(size=(60, 3)), 3, axis=0)
    A[:6] = 0
    found = angle_attack(A, A, beta=0)
    assert found.success.hits == found.success.tries == 2 * 58  # two pairs for each three


def test_a_record_of_zeros_is_at_no_angle_from_anybody():
    """Three directions a third of a turn apart: the zero row would be nearer than any."""
    turn = 2 * pi / 3 * np.arange(3)
    directions = np.vstack([np.column_stack([np.cos(turn), np.sin(turn)]), [[np.nan, np.nan]]])
    found = nearest(directions, np.arange(4), 3.0)
    assert found[3] == -1
    assert all(0 <= guess <= 2 and guess != row for row, guess in enumerate(found[:3]))
    assert (nearest(directions, np.arange(4), 2.0) == -1).all()


def test_a_wrong_row_that_leads_back_to_oneself_is_no_hit(rng):
    """Only the twin's row does, for one attacker in n; every other hit would be a wrong one."""
    A = twins(rng, pairs=20, apart=1e-4)
    found = [angle_attack(A, A, beta=0, tolerance=1e-2, seed=seed) for seed in range(30)]
    assert sum(one.control.hits for one in found) == 0
    assert min(one.control.tries for one in found) < 40


def test_the_same_seed_gives_the_same_result_and_input_is_left_alone(rng):
    A = twins(rng)
    before = A.copy()
    assert angle_attack(A, A, seed=4) == angle_attack(A, A, seed=4)
    np.testing.assert_array_equal(A, before)


def test_of_many_records_some_are_drawn(rng):
    A = twins(rng, pairs=1_500, m=3)
    found = angle_attack(A, A, beta=0)
    assert found.success.tries <= 2_000
    assert found.verdict == "succeeds"


@pytest.mark.parametrize(
    ("changes", "error", "rule"),
    [
        ({"epsilon": 0}, ParameterError, "epsilon must be a finite number above 0"),
        ({"tolerance": -1}, ParameterError, "tolerance must be"),
        ({"rank": 0}, ParameterError, "rank must be a whole number from 1 to 3"),
        ({"rank": 4}, ParameterError, "rank must be"),
        ({"rank": True}, ParameterError, "rank must be"),
        ({"columns": []}, ParameterError, "columns must name some of 0 to 2"),
        ({"columns": [3]}, ParameterError, "columns must name"),
        ({"columns": [-1]}, ParameterError, "columns must name"),
    ],
)
def test_impossible_parameters_are_refused_by_name(changes, error, rule, rng):
    A = rng.normal(size=(30, 3))
    with pytest.raises(error, match=rule):
        angle_attack(A, A, **changes)


def test_matrices_that_do_not_fit_are_refused(rng):
    A = rng.normal(size=(30, 3))
    with pytest.raises(DataError, match="one row per record, got 29 for 30"):
        angle_attack(A[1:], A)
    with pytest.raises(DataError, match="at least three records"):
        angle_attack(A[:2], A[:2], beta=0)
    A[:, 1] = 7
    with pytest.raises(DataError, match="column 1 of the original"):
        angle_attack(A, A)
