"""A reservoir whose memory may be seen: what is held when, where noise comes from, refusals."""

import sys

import numpy as np
import pytest

import sfumato as sf
from sfumato.cli import main
from sfumato.errors import ParameterError
from sfumato.privacy.guarantee import PureDP
from sfumato.privacy.randomness import SeededBits, SystemBits
from sfumato.privacy.response import RandomizedResponse
from sfumato.stream.pan import UnkeyedBits
from sfumato.stream.reservoir import Reservoir
from sfumato.stream.reservoir_mean import METHOD
from sfumato.stream.source import open_bits

RESPONSE = RandomizedResponse("bits", PureDP(1))
BITS = np.random.default_rng(5).integers(0, 2, 200).astype(np.uint8)


@pytest.mark.parametrize(("pan", "passes"), [(True, True), (False, False)])
@pytest.mark.parametrize("size", [20, 500])
def test_a_bit_is_answered_before_the_next_is_asked_for_and_no_flip_is_drawn_ahead(
    size, pan, passes, monkeypatch
):
    """Control: without `pan` bits wait for each other, and flips for their bits."""
    drawn, plain, ahead = [0], RandomizedResponse.flips, []

    def flips(self, count, bits):
        drawn[0] += count
        return plain(self, count, bits)

    monkeypatch.setattr(RandomizedResponse, "flips", flips)
    reservoir = Reservoir(size, RESPONSE, SeededBits(1), pan=pan)
    admitted = Reservoir(size, RESPONSE, SeededBits(1))  # the same places, drawn by the same seed
    places = np.concatenate(
        [np.arange(1, min(size, 200) + 1), *(p for p, _ in admitted._admissions.until(200))]
    )

    def live():
        for place, bit in enumerate(BITS.tolist(), start=1):
            ahead.append(drawn[0] - int((places < place).sum()))
            yield bit

    reservoir.follow(open_bits(live()), np.array([200]))
    assert (set(ahead) == {0}) is passes


def test_noise_comes_from_bits_that_leave_nothing_in_memory():
    said = []
    reservoir = Reservoir(5, RESPONSE, SystemBits(lambda: said.append("drawn")), pan=True)
    assert said == ["drawn"]  # the ledger is told before there is a flip
    assert isinstance(reservoir._bits, UnkeyedBits)
    assert not isinstance(Reservoir(5, RESPONSE, SystemBits())._bits, UnkeyedBits)


@pytest.mark.parametrize("given", [lambda bits: bits, lambda bits: iter(bits.tolist())])
@pytest.mark.parametrize("size", [50, 200, 900])
def test_without_flips_the_mean_of_all_bits_is_exact(given, size):
    truthful = RandomizedResponse("bits", PureDP(10**6))
    reservoir = Reservoir(size, truthful, SeededBits(2), pan=True)
    times = np.array([10, 40, 200])
    means = reservoir.follow(open_bits(given(BITS)), times)
    exact = np.cumsum(BITS)[times - 1] / times
    assert np.allclose(means[:2], exact[:2])
    assert bool(means[2] == pytest.approx(exact[2])) is (size >= 200)


def test_it_is_said_in_the_certificate_and_one_sample_cannot_be_secret_as_well():
    plan = METHOD.price(100, PureDP(1), {"size": 20, "pan": "yes"})
    assert plan.options["pan"] is True
    assert any("seen at any number of moments" in limit for limit in plan.limits)
    assert "pan" not in METHOD.price(100, PureDP(1), {"size": 20}).options
    with pytest.raises(ParameterError, match="leave out single, or pan"):
        METHOD.price(100, PureDP(1), {"size": 20, "pan": True, "single": True})


def test_it_is_published_from_the_command_line_and_verifies(monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "visits.txt").write_text("".join(map(str, BITS)))
    words = "stream mean visits.txt --times 100,200 --size 200 --epsilon 1 --pan -o out"
    monkeypatch.setattr(sys, "argv", ["sfumato", *words.split()])
    with pytest.raises(SystemExit) as leaving:
        main()
    assert not leaving.value.code, capsys.readouterr().err
    assert sf.Release.load("out").certificate.options["pan"] is True
    assert all(check.passed for check in sf.verify("out"))
