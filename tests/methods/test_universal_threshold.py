"""`wavelet` and `wavelet-multi` with the universal threshold: the rule, the words, the default."""

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import ParameterError
from sfumato.perturb.wavelet import wavelet
from sfumato.perturb.wavelet_multi import wavelet_multi

SCHEMA = {
    "name": "ward",
    "columns": {
        "size": {"kind": "number", "low": 100, "high": 200, "step": 0.01},
        "age": {"kind": "number", "low": 0, "high": 100, "step": 0.01},
    },
}
LOW, HIGH = np.array([100, 0]), np.array([200, 100])
RULES = {"wavelet": wavelet, "wavelet-multi": wavelet_multi}
both = pytest.mark.parametrize("method", RULES)


@pytest.fixture
def people(rng):
    size, age = (rng.integers(low, 10_000, 200) / 100 for low in (3_000, 0))
    return pa.table({"size": 100 + size, "age": age})


def release(people, method, **options):
    return sf.publish(people, schema=SCHEMA, method=method, accept_no_guarantee=True, **options)


def matrix(table):
    return np.column_stack([np.asarray(table[name], float) for name in ("size", "age")])


@both
def test_the_rule_is_applied_to_shares_of_the_public_ranges(method, people):
    made = release(people, method, threshold="universal")
    Z = (matrix(people) - LOW) / (HIGH - LOW) - 0.5
    changed = RULES[method](Z, threshold="universal")
    np.testing.assert_allclose(matrix(made.table), LOW + (changed + 0.5) * (HIGH - LOW), atol=1e-8)
    plain = matrix(release(people, method).table)
    assert np.abs(matrix(made.table) - plain).max() > 1


@both
def test_only_another_threshold_than_the_largest_is_in_the_certificate(method, people, tmp_path):
    """So releases from before there was a choice are planned again as they were."""
    for given in ({}, {"threshold": "largest"}):
        assert "threshold" not in release(people, method, **given).certificate.options
    made = release(people, method, threshold="universal", folder=tmp_path / "made")
    assert made.certificate.options["threshold"] == "universal"
    assert all(check.passed for check in sf.verify(tmp_path / "made"))


def test_the_certificate_says_what_it_shows_where_most_details_are_zero(people):
    (warning,) = release(people, "wavelet", threshold="universal").certificate.warnings
    assert "details are zero for the most part is shown as it is" in warning
    alike = pa.table({"size": [150.0] * 63 + [163.0], "age": [40.0] * 63 + [77.0]})
    shown = release(alike, "wavelet", threshold="universal", share=1)
    np.testing.assert_allclose(matrix(shown.table), matrix(alike), atol=1e-6)


@both
@pytest.mark.parametrize("threshold", ["0.5", "soft", ""])
def test_an_unknown_threshold_is_refused_before_a_record_is_read(method, threshold):
    with pytest.raises(ParameterError, match="threshold must be largest or universal"):
        release("nowhere.csv", method, threshold=threshold)
