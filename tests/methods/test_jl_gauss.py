"""jl-gauss: the published calibration, the law of the projection, and no promise."""

from math import log, sqrt

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import kstest

import sfumato as sf
from sfumato.errors import ParameterError, SchemaError
from sfumato.example import CLINIC, clinic
from sfumato.measure.gaussian_projection import GaussianProjection, normals
from sfumato.privacy.guarantee import ApproxDP, Heuristic
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SeededBits
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.synopsis.centred import Centred
from sfumato.table.records import Records
from sfumato.table.source import open_source

SCHEMA = Schema.parse(CLINIC)
FALSE_ALARM = 1e-6
GIVEN = {"schema": SCHEMA, "method": "jl-gauss", "epsilon": 1, "delta": 1e-6}


def projection(space, projections=40, **budget):
    return GaussianProjection(
        space, ApproxDP(**({"epsilon": 1, "delta": "1e-6"} | budget)), projections
    )


@pytest.fixture
def space():
    return Centred.of(Domain.of(SCHEMA))


def test_singular_values_are_raised_as_published(space):
    found = projection(space, 100, epsilon="0.5", delta="1e-5")
    w = 4 * sqrt(100 * log(2e5)) / 0.5 * log(400e5)
    assert float(found.raised / found.diameter_squared) == pytest.approx(w * w, rel=1e-6)


@pytest.mark.parametrize("radius", [None, "0.6"])
def test_no_two_records_are_further_apart_than_the_diameter(radius, rng):
    domain = Domain.of(SCHEMA)
    measured = projection(Centred.of(domain, radius))
    codes = np.column_stack([rng.integers(0, axis.codes, 500) for axis in domain.axes])
    ends = np.where(rng.random(codes.shape) < 0.5, 0, [axis.codes - 1 for axis in domain.axes])
    Z = measured.space.design(np.vstack([codes, ends]).astype(np.int32)) / 2**15
    apart = max(((Z - z) ** 2).sum(axis=1).max() for z in Z)
    assert apart <= measured.diameter_squared
    assert radius or apart > 0.9 * measured.diameter_squared  # the box has such records


def worst_loss(w_squared, square, r, epsilon):
    """The smallest δ that Rényi divergence certifies for r rows, over the reals.

    Neighbours change a covariance by two eigenvalues: up by at most `square` over w², down
    likewise; the divergence between two centred normals is known in closed form.
    """
    up = square / w_squared
    deltas = []
    for order in np.geomspace(1.01, min(1e6, 0.5 / up), 400):
        total = 0.0
        for variance in (1 + up, 1 / (1 + up)):
            mixed = order * variance + (1 - order)
            total += 0.5 * (log(variance) + log(variance / mixed) / (order - 1))
        deltas.append((order - 1) * (r * total - epsilon))
    return min(deltas)  # its logarithm


def test_over_the_reals_the_calibration_keeps_its_promise_with_much_to_spare(space):
    measured = projection(space, 200)
    square, w_squared = float(space.largest_square), float(measured.raised)
    assert worst_loss(w_squared, square, 200, 1) < log(1e-6)
    assert worst_loss(w_squared / 10**5, square, 200, 1) < log(1e-6)
    assert worst_loss(w_squared / 10**7, square, 200, 1) > log(1e-6)  # positive control


@pytest.mark.parametrize(("error", "passes"), [(1, True), (0.97, False)])
def test_normals_have_the_standard_law_and_no_other(error, passes):
    drawn = normals((400, 500), SeededBits(3)).ravel()
    assert (kstest(drawn / error, "norm").pvalue > FALSE_ALARM) == passes


def test_the_projection_has_the_law_of_random_combinations_of_the_records(space):
    """Rows of R A' against draws of N(0, AᵀA + w²I): the same covariance, up to 6 sd."""
    data = Records(open_source(clinic(200)), space.features.domain)
    measured = projection(space, 20_000, epsilon=10**6)
    released = measured.perturb(data, Purse(Heuristic("a test"), SeededBits(1)))
    Z = np.concatenate([space.design(part) for part in data.parts()]) / 2**15
    exact = Z.T @ Z / 200
    noise = exact + np.eye(len(space)) * float(measured.raised) / 200
    spread = np.sqrt((np.outer(np.diag(noise), np.diag(noise)) + noise**2) / 20_000)
    assert np.abs((released.second - exact) / spread).max() < 6
    assert np.abs((released.second - 1.5 * exact) / spread).max() > 6  # positive control


def test_with_records_beyond_number_the_covariance_is_kept():
    columns = {f"x{j}": {"kind": "number", "low": -1, "high": 1} for j in range(2)}
    x = np.linspace(-1, 1, 2_000)
    release = sf.publish(
        pa.table({"x0": x, "x1": -x}),
        schema={"name": "t", "columns": columns},
        method="jl-gauss",
        epsilon=10**5,
        delta=1e-6,
        projections=2_000,
        accept_no_guarantee=True,
        seed=1,
    )
    drawn = np.column_stack([release.table[name] for name in columns])
    assert np.corrcoef(drawn.T)[0, 1] < -0.95


def test_it_is_refused_until_someone_accepts_that_nothing_is_promised(tmp_path):
    with pytest.raises(ParameterError, match="promises nothing: floating-point"):
        sf.publish(clinic(50), **GIVEN)
    release = sf.publish(clinic(50), **GIVEN, accept_no_guarantee=True, folder=tmp_path / "r")
    assert isinstance(release.guarantee, Heuristic)
    assert "NOT PRIVATE" in release.certificate.warnings[0]
    assert "exact discrete noise" not in release.certificate.randomness
    assert all(check.passed for check in sf.verify(tmp_path / "r"))
    assert release.table.num_rows == 50


@pytest.mark.parametrize("budget", [{"epsilon": 1}, {"rho": 1}])
def test_only_epsilon_with_delta_is_taken(budget):
    with pytest.raises(ParameterError, match="epsilon and delta"):
        sf.price(SCHEMA, method="jl-gauss", **budget)


@pytest.mark.parametrize(
    ("option", "value"), [("projections", 0), ("projections", "few"), ("radius", 0)]
)
def test_an_impossible_option_is_refused_by_name(option, value):
    with pytest.raises(ParameterError, match=f"{option} must be"):
        sf.price(SCHEMA, method="jl-gauss", epsilon=1, delta=1e-6, **{option: value})


def test_add_remove_is_refused():
    known = SCHEMA.model_copy(update={"neighbours": "add-remove"})
    with pytest.raises(SchemaError, match="replace-one"):
        sf.price(known, method="jl-gauss", epsilon=1, delta=1e-6)
