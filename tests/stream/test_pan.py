"""Pan-privacy: snapshots and all outputs, jointly, lose no more than ε; shortcuts are caught."""

import json
from collections.abc import Mapping
from itertools import combinations_with_replacement
from math import inf, log

import numpy as np
import pytest

from sfumato.errors import ParameterError
from sfumato.privacy.guarantee import ZCDP, PureDP
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SystemBits
from sfumato.stream.counting import Counter
from sfumato.stream.pan import NoisyTotals, UnkeyedBits
from sfumato.stream.state import Series
from sfumato.stream.tree import levels
from slowness import slow
from stream_world import ToldPurse, all_streams, planned, series

EPSILON = PureDP(2)
BASE = 16  # each draw of noise is a power of it, so that a sum shows which draws are in it
REACH = 14  # noise beyond it has a share of 1e-12 of any probability compared here


def numbers_in(paper):
    """Every number in a saved state, however deep."""
    if isinstance(paper, Mapping):
        paper = [paper[key] for key in sorted(paper)]
    if isinstance(paper, list):
        return [found for part in paper for found in numbers_in(part)]
    return [paper] if isinstance(paper, int | float) else []


def seen(stream, looks, place, **options):
    """All numbers that an intruder after so many bits, and a reader of all outputs, see.

    Each look but the last is announced.  Outputs are put back into the dyadic sums they were added
    up from: the same information.
    """
    plan = planned(len(stream), EPSILON, intrusions=len(looks), smooth="none", **options)
    noise = iter([BASE ** (k + 1) for k in range(12)])
    counter = Counter(plan, ToldPurse(plan.budget, noise))
    parts, snapshot = [], []
    for k, look in enumerate(looks):
        parts.append(counter.count(stream[counter.position : look]))
        counter.save(place, Series("r"))
        snapshot += numbers_in(json.loads(place.read_text())["state"])
        purse = ToldPurse(plan.budget, noise)
        announced = k < len(looks) - 1
        counter = Counter.resume(place, plan, purse, Series("r"), seen=announced)
    parts.append(counter.count(stream[counter.position :]))
    counts = [0, *np.concatenate([values for _, values in parts]).astype(int).tolist()]
    sums = [counts[t] - counts[t & (t - 1)] for t in range(1, len(counts))]
    return [int(number) for number in snapshot + sums]


def digits(number):
    """The exact part of a number, and which draws of noise are in it."""
    found = []
    while number:
        number, digit = divmod(number, BASE)
        found.append(digit)
    return (found or [0])[0], tuple(k for k, digit in enumerate(found[1:]) if digit)


def loss(one, other, per_draw):
    """The largest log-likelihood ratio of what is seen, when each draw is discrete Laplace.

    `per_draw` is 1/scale.  Numbers that share no noise are independent, so their losses add up.
    """
    exact = [(digits(a)[0], digits(b)[0]) for a, b in zip(one, other, strict=True)]
    draws = [digits(a)[1] for a in one]
    assert draws == [digits(b)[1] for b in other]  # the noise does not depend on the bits
    total, left = 0.0, set(range(len(one)))
    while left:
        group, grown = {left.pop()}, True
        while grown:
            found = {i for i in left if any(set(draws[i]) & set(draws[j]) for j in group)}
            grown, group, left = bool(found), group | found, left - found
        total += _group_loss(sorted(group), exact, draws, per_draw)
    return total


def _group_loss(group, exact, draws, per_draw):
    if not any(draws[i] for i in group):
        return inf if any(exact[i][0] != exact[i][1] for i in group) else 0.0
    names = sorted({draw for i in group for draw in draws[i]})
    assert len(names) <= 4  # birth, two announcements and release
    grid = np.stack(np.meshgrid(*[np.arange(-REACH, REACH + 1)] * len(names))).reshape(
        len(names), -1
    )
    mass = np.exp(-per_draw * np.abs(grid).sum(axis=0))
    sums = [sum(grid[names.index(draw)] for draw in draws[i]) for i in group]
    laws = []
    for side in (0, 1):
        key = np.zeros(grid.shape[1], np.int64)
        for i, value in zip(group, sums, strict=True):
            key = key * 1000 + value + exact[i][side] + 500
        keys, place = np.unique(key, return_inverse=True)
        laws.append(dict(zip(keys.tolist(), np.bincount(place, mass).tolist(), strict=True)))
    floor = max(laws[0].values()) * np.exp(-per_draw * REACH / 2)  # away from the grid's edge
    common = [key for key, value in laws[0].items() if value > floor]
    return max(log(laws[0][key] / laws[1][key]) if key in laws[1] else inf for key in common)


def worst_loss(length, tmp_path, looks=1, **options):
    """Over all neighbouring streams and all moments of intrusions, at the scale of the plan."""
    scale = planned(length, EPSILON, intrusions=looks, **options).events[0].noise
    worst = 0.0
    for moments in combinations_with_replacement(range(length + 1), looks):
        found = {s: seen(s, moments, tmp_path / "state", **options) for s in all_streams(length)}
        for stream in found:
            for i in range(length):
                other = (*stream[:i], 1 - stream[i], *stream[i + 1 :])
                worst = max(worst, loss(found[stream], found[other], float(1 / scale)))
    return worst


@pytest.mark.parametrize(
    ("length", "options"),
    [(1, {}), (2, {}), (3, {}), slow(4, {}), (4, {"every": 2}), slow(5, {"every": 3})],
)
def test_one_look_and_all_outputs_together_lose_epsilon_and_no_more(length, options, tmp_path):
    worst = worst_loss(length, tmp_path, **options)
    assert worst == pytest.approx(EPSILON.epsilon, abs=1e-6)  # no more; and every draw is needed


@pytest.mark.parametrize(
    ("length", "options"), [(1, {}), (2, {}), (2, {"every": 2}), slow(3, {"every": 2})]
)
def test_two_looks_of_which_the_first_is_announced_lose_epsilon_and_no_more(
    length, options, tmp_path
):
    worst = worst_loss(length, tmp_path, looks=2, **options)
    assert worst == pytest.approx(EPSILON.epsilon, abs=1e-6)


def test_three_looks_at_one_bit_lose_no_more_than_one(tmp_path, monkeypatch):
    monkeypatch.setattr("test_pan.REACH", 7)
    assert worst_loss(1, tmp_path, looks=3) == pytest.approx(EPSILON.epsilon, abs=1e-4)


def test_a_look_that_is_not_announced_is_caught(tmp_path, monkeypatch):
    """Positive control: two states without noise drawn between them differ by the bit between."""
    monkeypatch.setattr(NoisyTotals, "announce", lambda self: None)
    assert worst_loss(2, tmp_path, looks=2) == inf


def test_noise_only_at_release_is_caught(tmp_path, monkeypatch):
    """Positive control: exact totals in memory."""
    monkeypatch.setattr(NoisyTotals, "_bear", lambda self, below: None)
    assert worst_loss(2, tmp_path) == inf


def test_noise_only_at_birth_is_caught(tmp_path, monkeypatch):
    """Positive control: after a look, what is added to a total shows in its release."""
    plain = NoisyTotals._noisy
    monkeypatch.setattr(
        NoisyTotals, "_noisy", lambda self, values: values if values.any() else plain(self, values)
    )
    assert worst_loss(2, tmp_path) == inf


def test_a_counter_that_is_not_pan_private_is_caught(tmp_path, monkeypatch):
    """Positive control: the same look into the ordinary tree finds exact sums."""
    ordinary = planned

    def without_pan(*arguments, **options):
        return ordinary(*arguments, **(options | {"pan": False, "intrusions": None}))

    monkeypatch.setattr("test_pan.planned", without_pan)
    assert worst_loss(2, tmp_path) == inf


class TestAnnouncements:
    def test_as_many_looks_as_are_covered_less_the_last_can_be_announced(self):
        plan = planned(8, PureDP(1), intrusions=3)
        counter = Counter(plan, ToldPurse(plan.budget, None))
        counter.announce()
        counter.count([1])
        counter.announce()
        with pytest.raises(ParameterError, match="covers 3 looks, and all but the last"):
            counter.announce()
        assert counter.count([1, 1])[1].tolist() == [2, 3]

    @pytest.mark.parametrize("options", [{}, {"pan": True}, {"intrusions": 1}])
    def test_where_no_further_look_is_covered_none_can_be_announced(self, options):
        plan = planned(8, PureDP(1), **options)
        counter = Counter(plan, ToldPurse(plan.budget, None))
        with pytest.raises(ParameterError, match="begin the count with intrusions=2"):
            counter.announce()

    def test_a_state_remembers_them_and_is_left_where_one_too_many_is_announced(self, tmp_path):
        plan, place = planned(8, PureDP(1), intrusions=2), tmp_path / "state"

        def resumed(seen):
            return Counter.resume(place, plan, ToldPurse(plan.budget, None), Series("r"), seen=seen)

        counter = Counter(plan, ToldPurse(plan.budget, None))
        counter.count([1, 0, 1])
        counter.save(place, Series("r"))
        assert "--seen" in json.loads(place.read_text())["caution"]
        counter = resumed(True)
        counter.save(place, Series("r"))
        with pytest.raises(ParameterError, match="all but the last were announced"):
            resumed(True)
        assert resumed(False).count([1])[1].tolist() == [3]

    def test_every_open_total_and_no_other_gets_a_draw(self):
        plan = planned(6, PureDP(1), intrusions=2)
        counter = Counter(plan, ToldPurse(plan.budget, iter([0] * 4 + [BASE] * 9)))
        counter.count([1, 0])  # births at three levels and one more, and then two releases
        before = np.array(counter._intake.to_json()["totals"]["totals"])
        counter.announce()
        drawn = np.array(counter._intake.to_json()["totals"]["totals"]) - before
        # after two of six bits: the third bit, and the first four
        assert drawn.tolist() == [BASE, 0, BASE]

    @pytest.mark.parametrize(
        ("options", "rule"),
        [
            ({"intrusions": 0}, "intrusions must be from 1 to 1000"),
            ({"intrusions": "two"}, "intrusions must be from 1 to 1000"),
            ({"intrusions": 2, "pan": False}, "leave it out, or pan=false"),
            ({"intrusions": 2, "engine": "square-root"}, "give delta or rho"),
        ],
    )
    def test_impossible_numbers_are_refused(self, options, rule):
        with pytest.raises(ParameterError, match=rule):
            planned(8, PureDP(1), **options)

    def test_one_look_is_priced_and_named_as_before(self):
        one, two = (planned(8, PureDP(1), intrusions=looks) for looks in (1, 2))
        assert one.options == planned(8, PureDP(1), pan=True).options
        assert two.options["intrusions"] == 2
        assert any("may be seen 2 times" in limit for limit in two.limits)
        assert two.events == planned(8, PureDP(1), pan=True).events  # the loss does not add up


def held(thing, depth=0):
    """All whole numbers and arrays that an object keeps, outside the operating system's bits."""
    if isinstance(thing, np.ndarray):
        return thing.tolist()
    if isinstance(thing, bool) or depth > 6:
        return []
    if isinstance(thing, int | float):
        return [thing]
    if isinstance(thing, Mapping):
        return [n for key in thing for n in held(thing[key], depth + 1)]
    if isinstance(thing, list | tuple):
        return [n for part in thing for n in held(part, depth + 1)]
    if hasattr(thing, "__dict__"):
        return held(vars(thing), depth + 1)
    return []


@pytest.mark.parametrize("every", [1, 2])
def test_the_object_in_memory_keeps_nothing_that_the_file_does_not(every):
    """Between neighbours, only numbers with noise of their own may differ."""
    plan = planned(8, PureDP(1), pan=True, smooth="none", every=every)
    numbers = []
    for bit in (0, 1):
        noise = iter([BASE ** (k + 1) for k in range(12)])
        counter = Counter(plan, ToldPurse(plan.budget, noise))
        counter.count([1, bit, 1, 1, 0])
        counter._intake._totals._paid = None  # the told noise itself is no part of a counter
        numbers.append(held(counter))
    changed = [(int(a), int(b)) for a, b in zip(*numbers, strict=True) if a != b]
    assert changed
    for pair in changed:
        assert all(digits(number)[1] for number in pair)


def test_totals_are_erased_when_they_are_published_and_at_the_horizon():
    plan = planned(6, PureDP(1), pan=True)
    counter = Counter(plan, ToldPurse(plan.budget, iter([BASE] * 99)))
    for position in range(1, 7):
        counter.count([1])
        totals = counter._intake.to_json()["totals"]["totals"]
        # open: a left half is under way at that level, and it ends within the horizon
        under_way = [
            position >> at & 1 == 0 and ((position >> at) + 1) << at <= 6 for at in range(3)
        ]
        assert [bool(total) for total in totals] == under_way


def test_every_sum_carries_two_draws_and_so_twice_the_variance():
    """False alarm 1e-6 on 2¹¹ sums; the noise of the ordinary tree is told apart."""
    variances = {}
    for pan in (False, True):
        plan = planned(2**11, ZCDP("0.5"), pan=pan, engine="tree", smooth="none")
        _, values = series(plan, np.zeros(2**11, np.uint8))
        counts = np.concatenate([[0], values])
        times = np.arange(1, 2**11 + 1)
        variances[pan] = (counts[times] - counts[times & (times - 1)]).var() / levels(2**11)
    allowed = 4.9 * (2 / 2**11) ** 0.5
    assert abs(variances[False] - 1) < allowed
    assert abs(variances[True] / 2 - 1) < allowed
    assert abs(variances[False] / 2 - 1) > allowed


def test_noise_comes_from_bits_that_leave_nothing_in_memory():
    said = []
    plan = planned(4, PureDP(1), pan=True)
    counter = Counter(plan, Purse(plan.budget, SystemBits(lambda: said.append("drawn"))))
    assert said == ["drawn"]  # the ledger is told before the first total is born
    bits = counter._intake._totals._paid.bits
    assert isinstance(bits, UnkeyedBits)
    assert not vars(bits)
    assert counter.count([1, 1, 0, 1])[0].tolist() == [1, 2, 3, 4]


def test_unkeyed_words_differ_and_are_spread_over_all_bits():
    words = UnkeyedBits().words(4096)
    assert np.unique(words).size == 4096  # a repeat has a chance of 5e-13
    ones = np.unpackbits(words.view(np.uint8)).reshape(4096, 64).sum(axis=0)
    assert np.abs(ones.astype(int) - 2048).max() < 6 * 32  # per bit six deviations: 64 · 2e-9


@pytest.mark.parametrize("every", [1, 3])
def test_without_noise_every_count_is_exact(every):
    stream = np.arange(20) % 3 == 0
    plan = planned(20, PureDP(1), pan=True, every=every)
    times, values = series(plan, stream, ToldPurse(plan.budget, None))
    assert times.tolist() == [*range(every, 20, every), 20]
    assert np.array_equal(values, np.cumsum(stream)[times - 1])


def test_bits_of_a_live_stream_are_added_one_by_one():
    plan = planned(4, PureDP(1), pan=True, every=4)
    counter = Counter(plan, ToldPurse(plan.budget, None))
    after = []

    def bits():
        for bit in (1, 1, 0, 1):
            after.append((counter.position, counter._intake.to_json()["totals"]["totals"]))
            yield bit

    from sfumato.stream.source import open_bits

    list(counter.run(open_bits(bits())))
    assert after == [(0, [0]), (1, [1]), (2, [2]), (3, [2])]
