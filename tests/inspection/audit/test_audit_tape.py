"""The tape: what it writes down, what it leaves alone, and how its prices are worked out."""

from fractions import Fraction
from threading import Thread

import numpy as np
import pytest

from sfumato.inspection.audit.judge import epsilon_of
from sfumato.inspection.audit.redraw import Laws
from sfumato.inspection.audit.sampler import wrong_laws
from sfumato.inspection.audit.step import steps_of
from sfumato.inspection.audit.tape import Diverged, Fault, TapePurse, taped
from sfumato.measure.exponential import _law
from sfumato.privacy import mechanism
from sfumato.privacy.budget import approx_from_zcdp
from sfumato.privacy.choice import Choice
from sfumato.privacy.guarantee import ZCDP, PureDP
from sfumato.privacy.mechanism import Noise, Purse
from sfumato.privacy.noise import discrete_laplace
from sfumato.privacy.randomness import SeededBits
from sfumato.privacy.sensitivity import Sensitivity, record
from sfumato.publishing.table import price

AGES = Noise("ages", record(continuous=2), PureDP(1))
EXACT, UNITS = np.array([41, 7]), np.array([1, 4])


def added(script=None, seed=1, noise=AGES):
    purse = TapePurse(PureDP(10), seed=seed, script=script)
    with taped():
        purse.pay(noise).add(EXACT, UNITS)
    return purse


def test_a_release_that_is_made_while_a_tape_runs_has_its_own_noise():
    """In this thread and in others: wrappers act on the bits of a tape and on no others."""
    honest = mechanism.discrete_laplace(Fraction(5), 50, SeededBits(3))
    found = []
    with taped():
        assert mechanism.discrete_laplace is not discrete_laplace
        found.append(mechanism.discrete_laplace(Fraction(5), 50, SeededBits(3)))
        other = Thread(
            target=lambda: found.append(Purse(PureDP(1), SeededBits(1)).pay(AGES).add(EXACT, UNITS))
        )
        other.start()
        other.join()
    assert np.array_equal(found[0], honest)
    assert np.array_equal(found[1], Purse(PureDP(1), SeededBits(1)).pay(AGES).add(EXACT, UNITS))
    assert mechanism.discrete_laplace is discrete_laplace  # and all is as it was


def test_tapes_may_run_inside_each_other_and_leave_nothing_behind():
    with taped():
        inner = added()
    assert [entry.size.tolist() for entry in inner.tape] == [[2.0, 8.0]]
    assert mechanism.discrete_laplace is discrete_laplace


def test_the_scale_on_tape_is_the_one_that_was_drawn_and_not_the_one_that_was_declared(
    monkeypatch,
):
    honest = Noise.draw
    wrong = lambda self, units, bits: honest(self, np.ones_like(units), bits)  # noqa: E731
    monkeypatch.setattr(Noise, "draw", wrong)
    (step,) = steps_of(added().tape, added().events)
    assert step.entries[0].size.tolist() == [2.0, 2.0]
    assert step.stated.epsilon == pytest.approx(4)  # what was paid for is 1
    assert step.cost.epsilon == 1


def test_a_script_is_given_out_again_and_another_shape_is_not_followed():
    first = added()
    assert np.array_equal(added(first.outputs, seed=9).outputs, first.outputs)
    with pytest.raises(Diverged):
        added([np.array([1])])
    with pytest.raises(Diverged):
        added([])


def test_gaussian_noise_has_a_price_in_rho_and_none_in_epsilon():
    noise = Noise("ages", record(continuous=2), ZCDP("0.5"))
    purse = TapePurse(ZCDP(1), seed=1)
    with taped():
        purse.pay(noise).add(EXACT, UNITS)
    (step,) = steps_of(purse.tape, purse.events)
    assert step.stated.rho == pytest.approx(0.5)
    assert step.stated.epsilon == np.inf


def test_a_draw_is_priced_by_how_far_its_scores_move_apart():
    choice = Choice("column", Fraction(1), PureDP(2))

    def drawn(scores, script=None):
        purse = TapePurse(PureDP(2), seed=1, script=script)
        with taped():
            purse.pay_draws(choice.event, choice).draw(np.array(scores))
        return purse, steps_of(purse.tape, purse.events)[0]

    purse, first = drawn([3, 9, 4])
    _, second = drawn([4, 8, 4], purse.outputs)
    moved = first.moved([second])
    assert moved.ratio.tolist() == [1.0]
    assert moved.epsilon[0] == pytest.approx(2)
    assert first.stated.epsilon == first.cost.epsilon == 2


@pytest.mark.parametrize("delta", ["0.5", "1e-3", "1e-6", "1e-12"])
@pytest.mark.parametrize("rho", ["1e-4", "0.01", "0.5", "20"])
def test_epsilon_of_rho_agrees_with_the_exact_figure(rho, delta):
    exact = float(approx_from_zcdp(rho, delta).epsilon)
    assert epsilon_of(float(rho), float(delta)) == pytest.approx(exact, rel=1e-7, abs=1e-11)


@pytest.mark.parametrize("rate", [Fraction(1, 10), Fraction(9)])
@pytest.mark.parametrize("missing", [{}, {"missing": "allowed"}], ids=["whole", "missing"])
def test_the_law_of_a_redrawn_number_falls_with_its_distance(rate, missing):
    columns = {"a": {"kind": "integer", "low": 0, "high": 12, **missing}}
    axis = price({"name": "t", "columns": columns}, epsilon=1).domain.axes[0]
    for code in (0, 5, 12, *([-1] if missing else [])):
        codes, logs = Laws().weights(_law(axis, rate), code)
        assert len(codes) == axis.codes
        places = [axis.middle if c == -1 else c for c in (code, *codes.tolist())]
        away = np.abs(np.array(places[1:]) - places[0]) / 12 + ((codes == -1) != (code == -1))
        assert logs == pytest.approx(-float(rate) * away, abs=1e-9)


def test_samples_of_an_honest_primitive_pass_and_of_a_wrong_one_do_not(monkeypatch):
    """False alarms have a chance of at most 1e-6; the wrong sampler draws a third too little."""
    steps = steps_of(added().tape, added().events)
    assert wrong_laws(steps, SeededBits(1), np.random.default_rng(1)) == []
    from sfumato.privacy import noise

    honest = noise.floor_exponential
    monkeypatch.setattr(noise, "floor_exponential", lambda s, w, b: honest(s * 2 / 3, w, b))
    found = wrong_laws(steps, SeededBits(1), np.random.default_rng(1))
    assert found == ["ages: the noise has not the law that was asked for"]


def test_one_purchase_that_is_used_twice_is_one_measurement():
    purse = TapePurse(PureDP(1), seed=1)
    with taped():
        paid = purse.pay(Noise("count", Sensitivity(Fraction(1), Fraction(1)), PureDP(1)))
        paid.add(np.array([5]), np.array([1]))
        paid.add(np.array([6]), np.array([1]))
    assert [len(step.entries) for step in steps_of(purse.tape, purse.events)] == [2]


def test_noise_of_an_earlier_addition_is_not_taken_for_that_of_this_one(monkeypatch):
    kept = []

    def again(self, units, bits, honest=Noise.draw):
        kept.append(honest(self, units, bits))
        return kept[0]

    monkeypatch.setattr(Noise, "draw", again)
    purse = TapePurse(PureDP(10), seed=1)
    with taped():
        purse.pay(AGES).add(EXACT, UNITS)
        paid = purse.pay(AGES)
        with pytest.raises(Fault, match="used before"):
            paid.add(EXACT, UNITS)
