"""Coordinates under local noise: their law from the certificate, and what is learnt from them."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import chi2

import sfumato as sf
from sfumato.accuracy import NoisyLDA, class_scatter, noisy_records
from sfumato.accuracy.noisy_labels import unmixed_scatter
from sfumato.errors import DataError, ParameterError, ReleaseError
from sfumato.release.release import Release

FALSE_ALARM = 1e-6
NUMBERS = {name: {"kind": "integer", "low": 0, "high": 100} for name in "abcd"}
SCHEMA = {"name": "t", "columns": {**NUMBERS, "ill": {"kind": "boolean", "role": "label"}}}


def people(n, seed):
    rng = np.random.default_rng(seed)
    ill, (u, v, w) = rng.random(n) < 0.25, rng.normal(size=(3, n))
    columns = 50 + 8 * u + 14 * ill, 50 + 6 * u + 5 * v - 10 * ill, 30 + 5 * w, 20 + 4 * v + 5 * ill
    written = [np.clip(np.rint(column), 0, 100).astype(int) for column in columns]
    return pa.table({**dict(zip("abcd", written, strict=True)), "ill": ill})


def plain(table):
    """Features from 0 to 1, and labels as a release writes them."""
    X = np.column_stack([table[name].to_numpy() for name in "abcd"]) / 100
    return X, np.array([str(value).lower() for value in table["ill"].to_pylist()])


def released(rows=20_000, epsilon=8, seed=1, schema=SCHEMA, **options):
    asked = {"rank": 3, "basis_source": "made up", "space": "components"} | options
    return sf.publish(
        people(rows, 5), schema=schema, method="lop", basis=people(500, 6), epsilon=epsilon,
        seed=seed, **asked,
    )  # fmt: skip


def test_the_law_of_the_noise_is_that_of_the_certificate_and_no_other():
    found = noisy_records(released())
    X, labels = plain(people(20_000, 5))
    noise = found.coordinates - found.placed(X)
    for error, passes in ((1, True), (0.9, False), (1.1, False)):
        # |discrete Laplace| of a fine grid is exponential: twice its sum over the scale is chi².
        total = 2 * np.abs(noise).sum() / (error * np.sqrt(found.noise_variance / 2))
        tail = chi2.cdf(total, 2 * noise.size)
        assert (FALSE_ALARM < tail < 1 - FALSE_ALARM) == passes
    own, other = found.label_rates
    agree = (found.labels == labels).mean()
    assert agree == pytest.approx(own, abs=5 * np.sqrt(own * other / 20_000))


def test_learning_from_the_release_comes_near_to_learning_from_the_records():
    """Margins of at least four points, as seen over ten seeds; guessing the larger class: 0.745."""
    found = noisy_records(released(40_000))
    own, labels = plain(people(10_000, 7))
    there = found.placed(own)
    best = NoisyLDA(0).fit(there, labels).score(there, labels)
    assert best > 0.97
    assert found.lda().score(there, labels) > 0.92
    assert NoisyLDA(0).fit(found.coordinates, found.labels).score(there, labels) < 0.8


def test_answers_in_place_of_labels_no_longer_make_the_classifier_unsure(rng):
    """Normal classes (0, 0) and (3, 3): the log odds of the second rise by 3 in each direction.

    As told, by a twentieth of that.  Over seeds, the logarithm of ours has a deviation of 0.1.
    """
    truth = rng.random(160_000) < 0.2
    told = truth ^ (rng.random(160_000) > 0.65)
    X = rng.normal(size=(160_000, 2)) + 3 * truth[:, None]
    noisy = X + rng.laplace(scale=0.5, size=X.shape)
    models = NoisyLDA(0.5, label_rates=(0.65, 0.35)), NoisyLDA(0.5)
    ours, as_told = (np.diff(m.fit(noisy, told).coef_, axis=0).sum() for m in models)
    assert 3 < ours < 12
    assert as_told < 0.6


def test_without_a_label_there_are_coordinates_and_nothing_to_tell_apart():
    schema = {"name": "t", "columns": {**NUMBERS, "ill": {"kind": "boolean"}}}
    found = noisy_records(released(200, schema=schema))
    assert found.labels is None
    assert found.coordinates.shape == (200, 3)
    assert list(found.features) == ["a", "b", "c", "d", "ill=True"]
    with pytest.raises(DataError, match="nothing to tell apart"):
        found.lda()


def test_records_drawn_into_a_ball_are_placed_there():
    found = noisy_records(released(200, radius="1/4"))
    X, _ = plain(people(200, 5))
    assert np.linalg.norm(found.placed(X), axis=1).max() < 0.25 + 1e-6
    with pytest.raises(DataError, match="must have 4 features"):
        found.placed(X[:, :3])


def test_other_releases_and_forged_figures_are_refused():
    with pytest.raises(ReleaseError, match="released no coordinates"):
        noisy_records(released(200, space="columns"))
    good = released(200)
    along, answers = good.certificate.events
    for events in (
        (along, replace(answers, noise=answers.noise / 2)),
        (answers, answers),
        (along, along),
    ):
        forged = good.certificate.model_copy(update={"events": events})
        with pytest.raises(ReleaseError, match="not what Sfumato writes"):
            noisy_records(Release(forged, synopsis=good.synopsis, table=good.table))
    for wrong in ({"unit": 7}, {"directions": [[1, 2]]}, {"directions": "x"}):
        with pytest.raises(ReleaseError, match="not what Sfumato writes"):
            noisy_records(
                Release(good.certificate, synopsis={**good.synopsis, **wrong}, table=good.table)
            )


def mixed(rng, n, keep, apart=3.0):
    """Three classes of unequal size, and answers that keep them with chance `keep`."""
    truth = rng.choice(3, n, p=[0.5, 0.3, 0.2])
    X = rng.normal(size=(n, 2)) @ np.array([[1, 0.5], [0, 1]]) + apart * np.eye(3, 2)[truth]
    moved = (truth + rng.integers(1, 3, n)) % 3
    return X, truth, np.where(rng.random(n) < keep, truth, moved)


def test_class_sizes_means_and_scatter_are_unmixed(rng):
    X, truth, told = mixed(rng, 60_000, 0.6)
    due, raw = class_scatter(X, truth), class_scatter(X, told)
    found, added = unmixed_scatter(X, told, (0.6, 0.2))
    np.testing.assert_allclose(found.counts, due.counts, rtol=0.05)
    np.testing.assert_allclose(found.means, due.means, atol=0.1)
    np.testing.assert_allclose(found.within / 60_000, due.within / 60_000, atol=0.06)
    assert np.abs(raw.means - due.means).max() > 0.8  # the control: as told they are mixed
    assert (np.linalg.eigvalsh(added) > 0).all()


def test_what_answers_add_between_the_means_is_right_on_average(rng):
    """Over 400 tables the mean of `between` less what is added: six deviations at most."""
    X, truth, _ = mixed(rng, 2_000, 1.0, apart=0.2)
    due = class_scatter(X, truth).between
    gaps = []
    for _ in range(400):
        told = np.where(rng.random(2_000) < 0.6, truth, (truth + rng.integers(1, 3, 2_000)) % 3)
        found, added = unmixed_scatter(X, told, (0.6, 0.2))
        gaps.append((found.between, added))
    between, added = (np.array(part) for part in zip(*gaps, strict=True))
    error = (between - added).std(axis=0) / 400**0.5
    assert (np.abs((between - added).mean(axis=0) - due) < 6 * error).all()
    assert (np.abs(between.mean(axis=0) - due)[np.diag_indices(2)] > 6 * error[0, 0]).all()


def test_hidden_classes_and_wrong_rates_are_refused(rng):
    X, _, told = mixed(rng, 60, 0.35)
    with pytest.raises(DataError, match="the noise on labels hides all classes but one"):
        unmixed_scatter(X, told, (0.35, 0.325))
    with pytest.raises(ParameterError, match="label_rates must be two chances"):
        unmixed_scatter(X, told, (0.2, 0.4))
    with pytest.raises(ParameterError, match="label_rates or realised"):
        NoisyLDA(realised=class_scatter(X, told), label_rates=(0.6, 0.2)).fit(X, told)


def test_a_class_that_nobody_is_in_is_left_out(rng):
    X, truth, _ = mixed(rng, 20_000, 1.0)
    classes, nobody = np.unique(truth), 9
    others = np.append(classes, nobody)
    own = 0.7
    lied = rng.random(len(truth)) > own
    told = np.where(lied, rng.choice(others, len(truth)), truth)
    rates = own + (1 - own) / len(others), (1 - own) / len(others)
    found, _ = unmixed_scatter(X, told, rates)
    assert found.classes.tolist() == classes.tolist()
    assert found.counts.sum() == pytest.approx(len(truth), rel=0.05)


def test_a_handful_of_answers_among_many_classes_teaches_nothing(rng):
    X, told = rng.normal(size=(5, 2)), np.array(["a", "b", "c", "d", "e"])
    with pytest.raises(DataError, match="use more records"):
        unmixed_scatter(X, told, (0.02002, 0.02))


def test_labels_that_never_lie_give_the_plain_answer(rng):
    X, truth, _ = mixed(rng, 5_000, 1.0)
    plain_one, ours = NoisyLDA(0).fit(X, truth), NoisyLDA(0, label_rates=(1.0, 0.0)).fit(X, truth)
    assert (plain_one.predict(X) == ours.predict(X)).mean() > 0.999
