"""Sums of released weights that were cut back to a public range: still covered, and said so."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import binomtest

from certificates import made_up
from sfumato.accuracy.edges import edges
from sfumato.accuracy.published import published
from sfumato.accuracy.statement import about_count, about_difference, about_extreme, overview
from sfumato.errors import ParameterError, ReleaseError
from sfumato.privacy.guarantee import PureDP
from sfumato.privacy.mechanism import Event
from sfumato.privacy.noise import discrete_laplace
from sfumato.privacy.randomness import SeededBits
from sfumato.publishing.network import publish_network
from sfumato.release import Release

FALSE_ALARM = 1e-6  # chance that a right bound fails one statistical test
RUNS = 10_000


def network(codes, *, low="0", scale="200"):
    """An `edge-laplace` release of codes of a grid from low to low + 10 in steps of 1/100."""
    noise = Event("weights", "discrete-laplace", Fraction(1), Fraction(scale), PureDP(1))
    paper = made_up(
        [noise],
        method="edge-laplace",
        network={"nodes": len(codes), "edges": len(codes), "directed": True, "wanted pairs": None},
        columns={"source": "string", "target": "string", "weight": "double"},
        options={"low": low, "high": str(int(low) + 10), "step": "1/100"},
    )
    cut = np.clip(codes, 1 if low == "0" else 0, 1_000)
    ends = [f"n{i}" for i in range(len(cut))]
    table = pa.table({"source": ends, "target": ends[::-1], "weight": int(low) + cut / 100})
    return paper, table


def test_the_weight_of_edges_is_found_by_their_ends():
    paper, table = network(np.array([100, 200, 300, 400]))
    found = edges(paper, table)
    assert found.weight("source", ["n0", "n1"]).value == 3
    assert found.weight("target", ["n0"]).value == 4
    assert found.weight("node", ["n0"]).value == 5
    for column, rule in (("weight", "choose one of source"), ("source", "no edge has the source")):
        with pytest.raises(ParameterError, match=rule):
            found.weight(column, ["nobody"])


def test_networks_whose_weights_were_changed_otherwise_are_refused():
    paper, table = network(np.array([100]))
    with pytest.raises(ReleaseError, match="edge-laplace does"):
        edges(paper.model_copy(update={"method": "edge-greedy"}), table)


@pytest.mark.parametrize("low", ["0", "3"])
@pytest.mark.parametrize(
    ("truth", "biased"),
    [([500] * 30, False), ([0] * 30, True), ([1_000] * 30, True), ([0, 0, 20, 980, 1_000], False)],
    ids=["middle", "bottom", "top", "mixed"],
)
def test_sums_of_weights_cover_although_some_are_cut_back(truth, biased, low):
    truth, floor, chance = np.array(truth), 1 if low == "0" else 0, Fraction(1, 20)
    true = len(truth) * int(low) + truth.sum() / 100
    found = edges(*network(truth, low=low)).weight("source", [f"n{i}" for i in range(len(truth))])
    noise = discrete_laplace(Fraction(200), RUNS * len(truth), SeededBits(3))
    codes = np.clip(truth + noise.reshape(RUNS, -1), floor, 1_000)
    value = len(truth) * int(low) + codes.sum(axis=1) / 100
    patterns = np.stack([(codes <= floor).sum(axis=1), (codes >= 1_000).sum(axis=1)], axis=1)
    kinds, first, kind = np.unique(patterns, axis=0, return_index=True, return_inverse=True)
    seen = [replace(found, entries=replace(found.entries, values=codes[i])) for i in first]
    assert [noisy.clipped for noisy in seen] == kinds.sum(axis=1).tolist()
    down = np.array([noisy.entries.down(noisy, chance) for noisy in seen])[kind.ravel()]
    up = np.array([noisy.entries.up(noisy, chance) for noisy in seen])[kind.ravel()]
    too_high, too_low = value - down > true + 1e-9, value + up < true - 1e-9
    for missed in (too_high, too_low):
        assert binomtest(int(missed.sum()), RUNS, 0.05, alternative="greater").pvalue > FALSE_ALARM
    if biased:  # forgetting the cut must be caught
        ignored = int((np.abs(value - true) > found.law.two_sided(0.1)).sum())
        assert binomtest(ignored, RUNS, 0.1, alternative="greater").pvalue < FALSE_ALARM


@pytest.mark.parametrize(("low", "lifted"), [("0", 1), ("3", 0)])
def test_a_weight_at_the_lower_bound_hides_its_noise_and_the_step_it_was_lifted(low, lifted):
    found = edges(*network(np.full(4, -9), low=low)).weight("node", ["n0", "n1"])
    chance = Fraction(1, 20)
    single = found.entries.total([0], found.step).law.one_sided(chance / 10 / 4)
    hidden = 4 * (single + lifted / 100)
    down = found.entries.down(found, chance)
    assert down == pytest.approx(found.law.one_sided(chance * 9 / 10) + hidden)
    assert found.entries.up(found, chance) == found.law.one_sided(chance * 9 / 10)


def test_differences_of_weights_hide_what_either_side_hides():
    paper, table = network(np.array([-50, 500, 2_000, 300]))
    found = edges(paper, table)
    one, other = found.weight("source", ["n0", "n1"]), found.weight("source", ["n2", "n3"])
    assert (one.clipped, other.clipped, (one - other).clipped) == (1, 1, 2)
    apart = one - other
    assert apart.lower_bound(0.9) < apart.value - apart.law.one_sided(0.1)
    assert (one - one).public


def test_a_real_network_release_is_read():
    table = pa.table({"source": ["a", "b"], "target": ["b", "c"], "weight": [2.0, 3.0]})
    options = {"high": 10, "step": "1/100", "distance": 1}
    made = publish_network(table, directed=True, epsilon=10**4, seed=1, **options)
    found = published(made)
    assert found.count("source", ["a"]).value == pytest.approx(2, abs=0.05)
    answer = overview(found, 0.95)[0]
    assert answer.question == "a – b"
    assert answer.figures["low"] <= 2 <= answer.figures["high"]
    assert about_count(found, "node", ["b"], 0.95, thesis=True).figures["thesis"] > 0
    told = about_difference(found, "source", ["b"], ["a"], 0.95)
    assert "is b heavier than a" in told.sentences[0]
    with pytest.raises(ParameterError, match="no maximum or minimum"):
        about_extreme(found, "source", 0.95)


def test_where_a_weight_is_only_known_to_lie_at_a_bound_no_p_value_is_given():
    paper, table = network(np.array([-50, 500]))
    cut = published(Release(paper, table=table))
    told = about_difference(cut, "source", ["n1"], ["n0"], 0.95)
    assert "p-value" not in told.figures
    assert "cut back" in told.sentences[-1]
