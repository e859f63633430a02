"""The synopsis: without noise it is the table's own moments, and JSON loses nothing."""

import json

import numpy as np
import pytest

from neighbours import schema
from sfumato.errors import ReleaseError
from sfumato.render.spectrum import covariance
from sfumato.schema.domain import MISSING, Domain, Grid
from sfumato.synopsis.features import Features
from sfumato.synopsis.moments import MomentLayout, MomentSynopsis

DOMAIN = Domain.of(schema())
RELATIONS = ("replace-one", "add-remove")


def random_codes(rng, rows):
    """Records spread over all codes, missing ones among them."""
    columns = [
        rng.integers(
            MISSING if isinstance(a, Grid) and a.missing else 0,
            a.points + 1 if isinstance(a, Grid) else a.codes,
            rows,
        )
        for a in DOMAIN.axes
    ]
    return np.column_stack(columns).astype(np.int32)


def exact(relation, classes, codes):
    """A synopsis without noise, and the features in real units it was made from."""
    without = () if classes == 1 else (DOMAIN.label,)
    layout = MomentLayout(Features.of(DOMAIN, without=without), relation, classes)
    X = layout.features.design(codes).astype(np.int64)
    member = np.zeros(len(X), int) if classes == 1 else codes[:, DOMAIN.label] % classes
    indicators = np.eye(classes, dtype=np.int64)[member]
    entries = layout.pack(indicators.sum(axis=0), indicators.T @ X, X.T @ X)
    rows = len(X) if relation == "replace-one" else None
    return MomentSynopsis(layout, entries, rows), X / layout.features.units, indicators


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("classes", [1, 2, 3])
def test_without_noise_counts_sums_and_products_are_those_of_the_records(relation, classes, rng):
    synopsis, X, indicators = exact(relation, classes, random_codes(rng, 200))
    np.testing.assert_array_equal(synopsis.counts, indicators.sum(axis=0))
    np.testing.assert_allclose(synopsis.sums, indicators.T @ X, rtol=1e-13)
    np.testing.assert_allclose(synopsis.second, X.T @ X, rtol=1e-12, atol=1e-12)
    assert len(synopsis.entries) == len(synopsis.layout.units)


@pytest.mark.parametrize("relation", RELATIONS)
def test_without_noise_mean_and_covariance_are_those_of_the_records(relation, rng):
    synopsis, X, _ = exact(relation, 1, random_codes(rng, 200))
    mean, S = covariance(synopsis)
    np.testing.assert_allclose(mean, X.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(S, np.cov(X.T, bias=True), atol=1e-12)


def test_a_changed_record_changes_what_is_released(rng):
    """Positive control: the comparison above can tell one record from another."""
    codes = random_codes(rng, 200)
    before, _, _ = exact("replace-one", 1, codes)
    codes[0] = [(code + 1) % 2 for code in codes[0]]
    _, X, _ = exact("replace-one", 1, codes)
    assert not np.allclose(before.second, X.T @ X, atol=1e-12)


def test_noisy_counts_stay_possible():
    layouts = {
        n: MomentLayout(Features.of(DOMAIN, without=(DOMAIN.label,)), "replace-one", n)
        for n in (1, 2, 3)
    }

    def counts(classes, *noisy):
        layout = layouts[classes]
        entries = np.zeros(len(layout.units), np.int64)
        entries[: len(noisy)] = noisy
        return MomentSynopsis(layout, entries, 10).counts.tolist()

    assert counts(1) == [10]
    assert counts(2, -5) == [0, 10]
    assert counts(2, 99) == [10, 0]
    assert counts(3, -5, 4, 4) == [0, 5, 5]
    assert counts(3, -5, -4, -4) == pytest.approx([10 / 3] * 3)


@pytest.mark.parametrize("relation", RELATIONS)
def test_a_synopsis_survives_json(relation, rng):
    synopsis, _, _ = exact(relation, 1, random_codes(rng, 20))
    again = MomentSynopsis.from_json(json.loads(json.dumps(synopsis.to_json())), synopsis.layout)
    assert again.to_json() == synopsis.to_json()
    np.testing.assert_allclose(again.second, synopsis.second)
    beyond = synopsis.to_json()
    beyond["entries"][0] = 2**63
    with pytest.raises(ReleaseError, match="64 bits"):
        MomentSynopsis.from_json(beyond, synopsis.layout)


@pytest.mark.parametrize(
    "change",
    [
        *({"entries": bad} for bad in (None, "12", [1.5], [True], [], {}, [None])),
        *({"rows": bad} for bad in (None, -1, "20", 20.0, True)),
        *({"classes": bad} for bad in (None, 2, "1")),
    ],
)
def test_a_synopsis_that_does_not_fit_its_schema_is_refused(change, rng):
    synopsis, _, _ = exact("replace-one", 1, random_codes(rng, 20))
    with pytest.raises(ReleaseError, match="synopsis"):
        MomentSynopsis.from_json(synopsis.to_json() | change, synopsis.layout)


def test_rows_are_not_stated_where_their_number_is_private(rng):
    synopsis, _, _ = exact("add-remove", 1, random_codes(rng, 20))
    assert synopsis.to_json()["rows"] is None
    with pytest.raises(ReleaseError, match="rows"):
        MomentSynopsis.from_json(synopsis.to_json() | {"rows": 20}, synopsis.layout)
