"""Figure 5, as published and private: splits, an SVM that ignores turns, labels under noise."""

from fractions import Fraction
from math import exp

import numpy as np
import pytest
from scipy.stats import binomtest

from papers.declared import declared
from papers.outcome import Outcomes
from papers.tests.made_up_uci import write_uci_folder
from papers.uci import load
from papers.xu2019 import accuracy, private, private_accuracy
from papers.xu2019.accuracy import FREQUENT, accuracy_on, split, svm_accuracy
from papers.xu2019.directions import AG, EXACT, LIP, RANDOM
from papers.xu2019.normalised import Normalised
from papers.xu2019.private_accuracy import noisy_labels
from papers.xu2019.settings import Settings
from sfumato.privacy.randomness import SeededBits

FALSE_ALARM = 1e-6


@pytest.fixture
def waves(tmp_path, rng):
    write_uci_folder(tmp_path, ["waveform"], 300, rng)
    return load("waveform", tmp_path)


def settings(**changes):
    return Settings(
        **{"trials": 2, "epsilons": (0.01, 1e5), "beyond": (), "sets": ("waveform",)} | changes
    )


def test_two_thirds_teach_and_the_rest_is_scored():
    taught, tried = split(100, 1)
    assert (len(taught), len(tried)) == (66, 34)
    assert sorted([*taught, *tried]) == list(range(100))
    assert not np.array_equal(taught, split(100, 2)[0])


def test_turning_or_stretching_all_coordinates_changes_no_score(waves):
    data = Normalised.of(waves)
    taught, tried = split(data.rows, 1)
    turn = np.linalg.qr(np.random.default_rng(2).normal(size=(6, 6)))[0]
    plain, turned = (
        svm_accuracy((data.X @ T)[taught], data.y[taught], (data.X @ T)[tried], data.y[tried])
        for T in (np.eye(6), 1000 * turn)
    )
    assert plain == turned > 0.7


@pytest.mark.parametrize(("X", "y"), [(np.zeros((4, 1)), [0, 1, 1, 1]), (np.eye(4), [1, 1, 1, 1])])
def test_where_there_is_nothing_to_learn_the_most_frequent_class_is_guessed(X, y):
    assert svm_accuracy(X, np.array(y), X, np.array([1, 1, 1, 0])) == 0.75


def test_as_published_money_buys_the_exact_components(waves):
    data, found, ticks = Normalised.of(waves), Outcomes(), []
    accuracy.run("waveform", data, settings(), found, ticks.append)
    measure = accuracy_on("waveform")
    exact = found.values("5", EXACT, None, measure)
    for who in (AG, LIP):
        np.testing.assert_array_equal(found.values("5", who, 1e5, measure), exact)
    assert len(ticks) == 4
    for who in (RANDOM, FREQUENT):
        assert found.values("5", who, None, measure).mean() < exact.mean()


def test_private_records_teach_nothing_for_little_and_something_for_much(waves):
    found, ticks = Outcomes(), []
    data = declared("waveform", waves)
    private_accuracy.run("waveform", data, waves.y, settings(), found, ticks.append)
    measure = accuracy_on("waveform")
    assert len(ticks) == 4
    for who in private.CONTENDERS:
        little, much = (found.summary("5 private", who, e, measure)[0] for e in (0.01, 1e5))
        assert little < 0.5
        assert who == private.LOP or much > 0.7


def test_labels_of_any_kind_are_counted_from_zero(waves):
    data = declared("waveform", waves)
    scores = []
    for labels in (waves.y, np.array([-1, 1, 7])[waves.y]):
        found = Outcomes()
        private_accuracy.run("waveform", data, labels, settings(trials=1), found, lambda _: None)
        scores.append([outcome.value for outcome in found])
    assert scores[0] == scores[1]


@pytest.mark.parametrize(("true", "passes"), [(1, True), (Fraction(5, 4), False)])
def test_a_label_is_kept_with_the_chance_that_randomised_response_gives_it(true, passes):
    codes = np.arange(30_000) % 3
    noisy = noisy_labels(codes, 3, Fraction(1), SeededBits(1))
    chance = exp(true) / (exp(true) + 2)
    kept = int((noisy == codes).sum())
    assert (binomtest(kept, len(codes), chance).pvalue > FALSE_ALARM) == passes
    if passes:  # the other two are equally likely
        on = int(((noisy - codes) % 3 == 1).sum())
        assert binomtest(on, len(codes) - kept, 0.5).pvalue > FALSE_ALARM
