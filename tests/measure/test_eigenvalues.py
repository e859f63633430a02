"""Eigenvalues: what one record moves, what floats add to it, and what the noise hides."""

from fractions import Fraction
from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from scipy.linalg import hadamard
from scipy.stats import kstest

from sfumato.measure.eigenvalues import UNIT, Eigenvalues, machine_error
from sfumato.privacy.budget import budget
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SeededBits
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.synopsis.centred import Centred
from sfumato.synopsis.scatter import ScatterLayout
from sfumato.table.records import Records
from sfumato.table.source import open_source

FALSE_ALARM = 1e-6


def numbers(width, neighbours="replace-one"):
    columns = {f"x{k}": {"kind": "number", "low": -1, "high": 1} for k in range(width)}
    return Domain.of(Schema.of({"name": "t", "neighbours": neighbours, "columns": columns}))


def measurement(width, rank, *, neighbours="replace-one", radius=None, epsilon=1, **figures):
    layout = ScatterLayout(Centred.of(numbers(width, neighbours), radius), neighbours)
    granted = budget(**(figures or {"epsilon": epsilon}))
    return Eigenvalues(layout, rank, granted, granted if neighbours == "add-remove" else None)


def records(eigenvalues, rows):
    rows = np.asarray(rows, float)
    table = pa.table({f"x{k}": column for k, column in enumerate(rows.T)})
    return Records(open_source(table), eigenvalues.layout.centred.features.domain)


def exact(eigenvalues, rows):
    return eigenvalues.query(records(eigenvalues, rows))[1] / UNIT


def householder(v):
    """A whole-number matrix whose rows are orthogonal and of length v·v."""
    return (v @ v) * np.eye(len(v), dtype=np.int64) - 2 * np.outer(v, v)


def known_spectra(rng):
    """Whole-number matrices and their exact eigenvalues, smallest first."""
    for power in range(1, 8):
        M = 2**power
        H = hadamard(M).astype(np.int64)
        graded = 2 ** np.linspace(0, 40, M).astype(np.int64)
        close = 2**30 + rng.integers(0, 3, M)
        one = np.r_[np.zeros(M - 1, np.int64), 2**40]
        for values in (graded, close, one, rng.integers(0, 2**40, M)):
            yield (H * values) @ H.T, np.sort(values) * M
    for _ in range(400):
        M = int(rng.integers(3, 9))
        first, second = rng.integers(-4, 5, (2, M)) | 1  # odd, so that no vector is zero
        Q, values = householder(first) @ householder(second), rng.integers(0, 2**15, M)
        yield (Q * values) @ Q.T, np.sort(values) * (first @ first) ** 2 * (second @ second) ** 2


def test_computed_eigenvalues_stay_within_the_assumed_error(rng):
    used, roundings = [], []
    for A, values in known_spectra(rng):
        norm = float(np.linalg.norm(values.astype(float)))
        off = np.linalg.norm(np.linalg.eigvalsh(A.astype(float)) - values)
        used.append(off / float(machine_error(len(A), Fraction(norm))))
        roundings.append(off / (2.0**-53 * norm))
    assert max(used) < 0.2
    assert max(roundings) > 2  # positive control: a bound without LAPACK's part is broken


def below(A, t):
    """How many eigenvalues lie below t: the negative pivots of A − t, in rationals."""
    rows = [[Fraction(int(a)) for a in row] for row in A]
    for k, row in enumerate(rows):
        row[k] -= t
    count = 0
    for k, pivot_row in enumerate(rows):
        count += pivot_row[k] < 0
        for row in rows[k + 1 :]:
            share = row[k] / pivot_row[k]
            row[k:] = [a - share * b for a, b in zip(row[k:], pivot_row[k:], strict=True)]
    return count


def test_the_assumed_error_encloses_the_true_eigenvalues_counted_in_rationals(rng):
    for _ in range(10):
        Z = rng.integers(-(2**14), 2**14, (9, 6)) >> rng.integers(0, 12, 6)
        A = Z.T @ Z
        error = machine_error(6, Fraction(int(np.trace(A))))
        for k, value in enumerate(np.linalg.eigvalsh(A.astype(float))):
            assert below(A, Fraction(value) - error) <= k < below(A, Fraction(value) + error)
            # Positive control: an interval beside the value does not hold the eigenvalue.
            assert not below(A, Fraction(value) + error) <= k


def test_the_published_example_moves_two_eigenvalues_by_two():
    """Four records along one direction and one along another, orthogonal: (4, 1) to (3, 2)."""
    h1, h2 = [1, 1, 1, 1], [1, 1, -1, -1]
    for rank, moved in ((1, 1), (2, 2), (4, 2)):
        found = measurement(4, rank)
        before, after = (exact(found, t) for t in ([h1] * 4 + [h2], [h1] * 3 + [h2] * 2))
        assert before[:2].tolist() == [4, 1][:rank]
        assert after[:2].tolist() == [3, 2][:rank]
        assert np.abs(before - after).sum() == moved
        assert moved < found.sensitivity.l1 < moved + Fraction(1, 1000)


@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
@pytest.mark.parametrize("radius", [None, "0.6"])
def test_no_search_moves_the_eigenvalues_beyond_their_sensitivity(neighbours, radius, rng):
    corners = [*product((-1, 1), repeat=3), (0, 0, 0)]
    for rank in (1, 2, 3):
        found = measurement(3, rank, neighbours=neighbours, radius=radius)
        most = 0.0
        for _ in range(60):
            n = int(rng.integers(1, 5))
            others = [corners[k] for k in rng.integers(0, 9, n)]
            rows = [corners[k] for k in rng.integers(0, 9, 2)]
            pair = (others, [*others, rows[0]])
            if neighbours == "replace-one":
                pair = ([*others, rows[0]], [*others, rows[1]])
            moved = np.abs(exact(found, pair[0]) - exact(found, pair[1]))
            assert moved.sum() <= found.sensitivity.l1
            assert (moved**2).sum() <= found.sensitivity.l2_squared
            most = max(most, moved.sum() / float(found.sensitivity.l1))
        assert most > 0.5  # the search comes near: half the figure would be caught


def test_all_eigenvalues_cost_no_more_than_two():
    two, all_of_them = (float(measurement(40, rank).sensitivity.l1) for rank in (2, 40))
    assert all_of_them < 1.01 * two


def test_a_private_mean_would_break_the_claim():
    """One record at a among 49 at −a: about the sample mean, 3.92 a² instead of a²."""
    found, a = measurement(2, 1), 0.5
    rows = [[-1, 0]] * 50
    moved_rows = [*rows[:-1], [1, 0]]
    about_own_mean = [
        np.linalg.eigvalsh(np.cov(np.array(r).T, bias=True) * 50 * a**2)[-1]
        for r in (rows, moved_rows)
    ]
    assert abs(about_own_mean[1] - about_own_mean[0]) == pytest.approx(3.92 * a**2)
    ours = exact(found, rows) - exact(found, moved_rows)
    assert np.abs(ours).sum() <= a**2


def test_the_query_is_what_numpy_gives_for_the_centred_records(rng):
    rows = rng.integers(-4, 5, (30, 5)) / 4
    expected = np.linalg.eigvalsh((rows / 2).T @ (rows / 2))[::-1]
    np.testing.assert_allclose(exact(measurement(5, 5), rows), expected, atol=1 / UNIT)


def noise_of(found, seed):
    data = records(found, [[0.5] * 40, [1.0] * 40])
    noisy = found.perturb(data, Purse(found.budget, SeededBits(seed))).values
    return (noisy - found.query(data)[1]) / UNIT


@pytest.mark.slow
@pytest.mark.parametrize(("error", "passes"), [(1, True), (0.85, False), (1.15, False)])
@pytest.mark.long
def test_the_noise_has_the_stated_scale_and_no_other(error, passes):
    found = measurement(40, 40, epsilon="0.5")
    noise = np.concatenate([noise_of(found, seed) for seed in range(250)])
    scale = float(found.sensitivity.l1) / 0.5 * error
    assert (kstest(noise / scale, "laplace").pvalue > FALSE_ALARM) == passes


def test_gaussian_noise_follows_the_squared_distance():
    found = measurement(4, 4, rho="0.5")
    assert found.events[0].mechanism == "discrete-gaussian"
    assert found.events[0].noise == found.sensitivity.l2_squared
    assert float(found.sensitivity.l2_squared) == pytest.approx(2, rel=1e-3)


def test_the_number_of_records_is_bought_where_it_is_not_public():
    rows = [[0, 0], [1, 1], [1, 0]]
    public, bought = (
        measurement(2, 2, neighbours=relation, epsilon=10**6)
        for relation in ("replace-one", "add-remove")
    )
    known = public.perturb(records(public, rows), Purse(public.budget, SeededBits(0)))
    assert (known.rows, known.count, known.size) == (3, None, 3)
    two = budget(epsilon=2 * 10**6)
    noisy = bought.perturb(records(bought, rows), Purse(two, SeededBits(0)))
    assert (noisy.rows, noisy.count, noisy.size) == (None, 3, 3)
    assert [event.statistic for event in bought.events] == ["number of records", "eigenvalues"]


def test_a_table_without_records_has_no_spread():
    found = measurement(3, 3, neighbours="add-remove")
    assert exact(found, np.empty((0, 3))).tolist() == [0, 0, 0]
