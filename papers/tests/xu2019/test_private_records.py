"""Private directions and records: the library's own, at their share of the budget."""

from fractions import Fraction

import numpy as np
import pytest

from papers.declared import declared
from papers.outcome import Outcomes
from papers.tests.made_up_uci import write_uci_folder
from papers.uci import load
from papers.xu2019 import private, private_error
from papers.xu2019.directions import AG, LIP, PPM
from papers.xu2019.private import LOP, Kept, bought_directions, space_of
from papers.xu2019.private_error import MEAN, Energies, error_at
from papers.xu2019.settings import Settings
from sfumato.measure.projection import Projection
from sfumato.measure.scatter import exact_scatter
from sfumato.privacy.guarantee import PureDP
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SeededBits
from sfumato.synopsis.centred import UNIT
from sfumato.synopsis.scatter import ScatterLayout
from sfumato.table.records import Records
from sfumato.table.source import open_source

FALSE_ALARM_Z = 4.9  # two-sided 1e-6


@pytest.fixture
def waves(tmp_path, rng):
    write_uci_folder(tmp_path, ["waveform"], 1500, rng)
    data = declared("waveform", load("waveform", tmp_path))
    space = space_of("waveform", data.domain)
    return data, space, Kept(data.table, data.domain)


def test_kept_records_measure_as_records_do(waves):
    data, space, kept = waves
    layout = ScatterLayout(space, "replace-one")
    plain = exact_scatter(layout, Records(open_source(data.table), data.domain))
    found = exact_scatter(layout, kept)
    assert found.rows == plain.rows
    np.testing.assert_array_equal(found.second, plain.second)
    np.testing.assert_array_equal(np.vstack(list(kept.parts())), kept.codes[0])


@pytest.mark.parametrize("who", [LIP, AG, PPM])
def test_bought_directions_span_the_exact_ones_when_money_is_no_object(who, waves):
    _, space, records = waves
    found = bought_directions(who, space, records, 2, Fraction(10**6), 1).matrix
    second = Energies.of(space, records).second
    best = np.linalg.eigh(second)[1][:, -2:]
    np.testing.assert_allclose(found.T @ found, best @ best.T, atol=0.05 if who == PPM else 1e-3)


@pytest.mark.parametrize("who", [LIP, AG, PPM])
def test_bought_directions_follow_the_noise_when_there_is_little(who, waves):
    _, space, records = waves
    one, other = (
        bought_directions(who, space, records, 2, Fraction(1, 100), seed).matrix for seed in (1, 2)
    )
    assert np.abs(one.T @ one - other.T @ other).max() > 0.1


def test_public_directions_cost_and_learn_nothing(waves):
    _, space, records = waves
    one, other = (
        bought_directions(LOP, space, records, 2, Fraction(budget), seed).steps
        for budget, seed in ((0, 1), (9, 2))
    )
    np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(("spent", "agrees"), [(Fraction(4), True), (Fraction(5), False)])
def test_the_expected_error_is_that_of_noisy_records(spent, agrees, waves):
    _, space, records = waves
    directions = bought_directions(LIP, space, records, 2, Fraction(50), 1)
    told = Energies.of(space, records).of_projection(directions, PureDP(4))
    purse = Purse(PureDP(spent), SeededBits(3))
    Y = np.vstack(list(Projection(directions, PureDP(spent)).perturb(records, purse)))
    X = space_of("none", space.features.domain).design(records.codes[0]) / UNIT
    errors = ((X - Y @ directions.matrix) ** 2).sum(axis=1) / (X**2).sum(axis=1).mean()
    z = (errors.mean() - told) * np.sqrt(len(errors)) / errors.std()
    assert (abs(z) < FALSE_ALARM_Z) == agrees


def test_a_mean_without_noise_leaves_the_variance(waves):
    _, space, records = waves
    X = space_of("none", space.features.domain).design(records.codes[0]) / UNIT
    spread = ((X - X.mean(axis=0)) ** 2).sum() / (X**2).sum()
    energies = Energies.of(space, records)
    # Records drawn into the ball move their mean a little.
    assert energies.of_constant(PureDP(10**6), 1) == pytest.approx(spread, rel=1e-2)
    assert energies.of_constant(PureDP("0.001"), 1) > 1


def test_every_contender_pays_for_records_with_what_directions_leave(waves, monkeypatch):
    data, *_ = waves
    paid = []
    original = private_error.bought_directions

    def spy(who, space, records, rank, epsilon, seed):
        paid.append([who, epsilon])
        return original(who, space, records, rank, epsilon, seed)

    def of_projection(self, directions, budget):
        paid[-1] += [budget.epsilon]
        return 1.0

    monkeypatch.setattr(private_error, "bought_directions", spy)
    monkeypatch.setattr(Energies, "of_projection", of_projection)
    settings = Settings(trials=1, epsilons=(0.1,), beyond=(), sets=("waveform",))
    private_error.run("waveform", data, settings, Outcomes(), lambda what: None)
    assert [who for who, *_ in paid] == list(private.CONTENDERS)
    for who, for_directions, *for_records in paid:
        assert for_directions == (0 if who == LOP else Fraction(1, 50))
        assert {for_directions + each for each in for_records} == {Fraction(1, 10)}


def test_every_cell_is_measured_once_per_trial(waves):
    data, *_ = waves
    found, ticks = Outcomes(), []
    settings = Settings(trials=2, epsilons=(1.0,), beyond=(50.0,), sets=("waveform",))
    private_error.run("waveform", data, settings, found, ticks.append)
    assert len(ticks) == 4
    for epsilon in (1.0, 50.0):
        for who in private.CONTENDERS:
            for k in (1, 2, 5):
                values = found.values("private", who, epsilon, error_at("waveform", k))
                assert len(values) == 2
        assert len(found.values("private", MEAN, epsilon, error_at("waveform"))) == 2
    assert not len(found.values("private", LIP, 1.0, error_at("waveform", 10)))  # six features
