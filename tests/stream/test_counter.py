"""counter: options, times, blocks, clean-up, refusals; one charge for the whole series."""

import tracemalloc
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import BudgetError, DataError, ParameterError, ReleaseError
from sfumato.inspection.audit.replay import RecordingPurse
from sfumato.privacy.guarantee import ZCDP, ApproxDP, PureDP, Seeded
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SeededBits, SystemBits
from sfumato.stream.counter import METHOD, Counter
from sfumato.stream.source import open_bits
from stream_world import ToldPurse, measurements, planned, series

PURE, GAUSSIAN = PureDP(1), ApproxDP(1, "1e-6")
WAYS = [
    (PURE, {}),
    (PURE, {"pan": True}),
    (ZCDP("0.1"), {"engine": "tree"}),
    (ZCDP("0.1"), {"engine": "tree", "pan": "yes"}),
    (GAUSSIAN, {}),
    (ZCDP("0.1"), {}),
]
every_way = pytest.mark.parametrize(("budget", "options"), WAYS)


@every_way
@given(
    bits=st.lists(st.integers(0, 1), max_size=40),
    beyond=st.integers(0, 5),
    every=st.integers(1, 9),
)
def test_without_noise_every_published_count_is_exact(budget, options, bits, beyond, every):
    horizon = max(1, len(bits) + beyond)
    plan = planned(horizon, budget, every=min(every, horizon), **options)
    times, values = series(plan, bits, ToldPurse(plan.budget))
    step = plan.options["every"]
    expected = [*range(step, len(bits) + 1, step)]
    if len(bits) == horizon and horizon % step:
        expected.append(horizon)  # the last block is as short as the horizon makes it
    assert times.tolist() == expected
    assert values.tolist() == [sum(bits[:time]) for time in expected]


@pytest.mark.parametrize("kind", ["list", "iterator", "text", "packed"])
@every_way
def test_the_series_is_the_same_from_every_kind_of_source(budget, options, kind, tmp_path):
    bits = (np.arange(64) % 3 == 0).astype(np.uint8)
    plan = planned(64, budget, every=5, **options)
    given_as = {
        "list": bits.tolist(),
        "iterator": iter(bits.tolist()),
        "text": tmp_path / "stream.txt",
        "packed": tmp_path / "stream.bits",
    }
    (tmp_path / "stream.txt").write_text(" ".join(map(str, bits)))
    (tmp_path / "stream.bits").write_bytes(np.packbits(bits).tobytes())
    noise = np.random.default_rng(0).integers(-9, 9, 200).tolist()
    times, values = series(plan, given_as[kind], ToldPurse(plan.budget, iter(noise)))
    expected = series(plan, bits, ToldPurse(plan.budget, iter(noise)))
    assert np.array_equal(times, expected[0])
    assert np.array_equal(values, expected[1])


def test_blocks_are_measured_as_the_counts_of_their_bits():
    bits = np.arange(96) % 5 == 0
    in_blocks, unit = measurements(planned(96, PURE, every=8), bits)
    assert unit == 1
    counts = bits.reshape(12, 8).sum(axis=1)
    expected = [counts[t & (t - 1) : t].sum() for t in range(1, 13)]
    assert in_blocks.tolist() == expected


@pytest.mark.parametrize(
    ("budget", "options", "engine", "mechanism"),
    [
        (PURE, {}, "tree", "discrete-laplace"),
        (PURE, {"pan": "true"}, "tree", "discrete-laplace"),
        (GAUSSIAN, {}, "square-root", "discrete-gaussian"),
        (ZCDP(1), {}, "square-root", "discrete-gaussian"),
        (ZCDP(1), {"pan": True}, "tree", "discrete-gaussian"),
        (ZCDP(1), {"engine": "tree"}, "tree", "discrete-gaussian"),
    ],
)
def test_the_engine_follows_from_the_budget_unless_it_is_named(budget, options, engine, mechanism):
    plan = planned(100, budget, **options)
    assert plan.options["engine"] == engine
    assert [event.mechanism for event in plan.events] == [mechanism]
    # The options of a plan give the same plan again.
    again = METHOD.price(plan.horizon, budget, plan.options)
    assert again.events == plan.events
    assert again.options == plan.options


def test_options_may_be_texts():
    plan = planned("1000", PURE, every="10", pan="no", smooth="monotone", engine="auto")
    assert plan.options == {"engine": "tree", "every": 10, "pan": False, "smooth": "monotone"}
    assert plan.horizon == 1000
    assert plan.events[0].noise == Fraction(7)


@pytest.mark.parametrize(
    ("horizon", "budget", "options", "match"),
    [
        (0, PURE, {}, "horizon must be from 1"),
        (2**44 + 1, PURE, {}, "horizon must be from 1"),
        ("many", PURE, {}, "horizon must be from 1"),
        (10, PURE, {"every": 0}, "every must be from 1 to 10"),
        (10, PURE, {"every": 11}, "every must be from 1 to 10"),
        (10, PURE, {"pan": "perhaps"}, "pan must be true or false"),
        (10, PURE, {"engine": "matrix"}, "engine must be one of auto, tree, square-root"),
        (10, PURE, {"smooth": True}, "smooth must be one of whole, monotone, none"),
        (10, PURE, {"engine": "square-root"}, "give delta or rho"),
        (10, GAUSSIAN, {"engine": "square-root", "pan": True}, "pan needs the tree"),
        (
            10,
            PURE,
            {"block": 3},
            "no option block; it has: engine, every, pan, intrusions, smooth",
        ),
        (10, ZCDP("1e-20"), {}, "too large for its grid"),
    ],
)
def test_impossible_parameters_are_refused_by_name(horizon, budget, options, match):
    with pytest.raises(ParameterError, match=match):
        METHOD.price(horizon, budget, options)


@every_way
def test_a_purse_that_is_too_small_is_refused_before_anything_is_drawn_or_read(budget, options):
    class NoBits:
        seeded = False

        def words(self, count):
            raise AssertionError("a bit was drawn")

    def never():
        raise AssertionError("a bit was read")
        yield

    plan = planned(10, budget, **options)
    smaller = PureDP("0.9") if isinstance(budget, PureDP) else ZCDP("0.001")
    with pytest.raises(BudgetError, match="more than was reserved"):
        list(plan.run(open_bits(never()), Purse(smaller, NoBits())))


@every_way
def test_one_event_is_paid_for_however_long_the_stream(budget, options):
    plan = planned(5000, budget, every=10, **options)
    purse = Purse(plan.budget, SystemBits())
    times, _ = series(plan, np.ones(5000, np.uint8), purse)
    assert times.size == 500
    assert tuple(purse.events) == plan.events
    assert purse.guarantee == budget
    assert Purse(plan.budget, SeededBits(0)).guarantee == Seeded()


@every_way
def test_the_same_seed_gives_the_same_series_and_another_seed_another(budget, options):
    plan = planned(40, budget, smooth="none", **options)
    first, second, other = (
        series(plan, np.ones(40, np.uint8), Purse(plan.budget, SeededBits(seed)))[1].tolist()
        for seed in (1, 1, 2)
    )
    assert first == second != other


@pytest.mark.parametrize("budget", [PURE, GAUSSIAN])
def test_more_bits_than_the_horizon_are_refused(budget):
    plan = planned(10, budget)
    with pytest.raises(DataError, match="longer than its horizon of 10 bits"):
        series(plan, np.ones(11, np.uint8))
    counter = Counter(plan, ToldPurse(plan.budget))
    counter.count([1] * 8)
    with pytest.raises(ParameterError, match="these bits pass the horizon"):
        counter.count([1] * 3)
    assert counter.position == 8
    assert counter.count([1] * 2)[1].tolist() == [9, 10]
    with pytest.raises(ParameterError, match="these bits pass the horizon"):
        counter.count([1])


def test_a_live_stream_is_not_read_beyond_its_horizon():
    source = open_bits(iter([1] * 20))
    plan = planned(10, PURE)
    assert sum(times.size for times, _ in plan.run(source, ToldPurse(plan.budget))) == 10
    assert source.position == 10


def test_a_stream_that_ends_early_is_published_as_far_as_it_came():
    plan = planned(100, PURE, every=4)
    times, _ = series(plan, [1] * 10)
    assert times.tolist() == [4, 8]  # two bits wait for their block
    assert series(plan, [])[0].size == 0


def test_a_source_must_be_where_the_counter_is():
    plan = planned(100, PURE)
    counter = Counter(plan, ToldPurse(plan.budget))
    counter.count([0] * 10)
    with pytest.raises(DataError, match="shorter than what was counted"):
        next(counter.run(open_bits([0] * 9)))
    source = open_bits([1] * 50)
    source.read(11)
    with pytest.raises(DataError, match="ahead of the counter"):
        next(counter.run(source))
    with open_bits([1] * 13) as source:
        ((times, values),) = counter.run(source)
    assert (times.tolist(), values.tolist()) == ([11, 12, 13], [1, 2, 3])


@pytest.mark.parametrize("every", [1, 4])
def test_what_is_no_bit_counts_as_a_zero_and_the_stream_goes_on(every):
    plan = planned(20, PURE, every=every)
    found, clean = (
        [(t.tolist(), v.tolist()) for t, v in plan.run(open_bits(given), ToldPurse(plan.budget))]
        for given in (iter("010101011x010111"), iter("0101010110010111"))
    )
    assert found == clean
    assert found[-1][0] == [16]


def test_bits_that_are_pushed_are_counted_as_a_whole_or_not_at_all():
    plan = planned(20, PURE)
    counter = Counter(plan, ToldPurse(plan.budget))
    with pytest.raises(ParameterError, match="pass the horizon"):
        counter.count([1] * 21)
    assert counter.position == 0
    with pytest.raises(ParameterError, match="run takes a source"):
        counter.count(iter([1]))
    assert counter.count([1, 1])[1].tolist() == [1, 2]


@every_way
def test_a_live_stream_is_published_as_it_comes(budget, options):
    came = []

    def bits():
        for i in range(12):
            came.append(i)
            yield i % 2

    plan = planned(12, budget, every=3, **options)
    for times, _ in plan.run(open_bits(bits()), ToldPurse(plan.budget)):
        assert times.tolist() == [len(came)]


NOISE = [-30, 50, -3, 9, -40, 1, 200, -60]


def cleaned(smooth):
    plan = planned(8, PURE, smooth=smooth, every=1)
    return series(plan, [1] * 8, ToldPurse(plan.budget, iter(NOISE)))


def test_counts_are_whole_and_between_nothing_and_everything_by_default():
    raw = cleaned("none")[1]
    times, values = cleaned("whole")
    assert raw.min() < 0 < 8 < raw.max()
    assert np.array_equal(values, np.clip(raw, 0, times))


def test_monotone_counts_never_fall_and_are_biased_upwards():
    _, whole = cleaned("whole")
    times, values = cleaned("monotone")
    assert (np.diff(whole) < 0).any()
    assert np.array_equal(values, np.maximum.accumulate(whole))
    assert (values <= times).all()
    assert any("biased" in limit for limit in planned(8, PURE, smooth="monotone").limits)


def test_monotone_counts_stay_monotone_across_calls():
    plan = planned(8, PURE, smooth="monotone")
    counter = Counter(plan, ToldPurse(plan.budget, iter(NOISE)))
    values = np.concatenate([counter.count([1])[1] for _ in range(8)])
    assert np.array_equal(values, cleaned("monotone")[1])


def test_square_root_counts_are_rounded():
    plan = planned(50, GAUSSIAN)
    _, values = series(plan, np.arange(50) % 2)
    assert np.array_equal(values, np.rint(values))
    _, raw = series(planned(50, GAUSSIAN, smooth="none"), np.arange(50) % 2)
    assert not np.array_equal(raw, np.rint(raw))


@pytest.mark.parametrize("options", [{}, {"engine": "tree"}, {"pan": True}])
def test_neighbours_given_the_same_outputs_lose_no_more_than_the_budget(options):
    """The contract of tables, for streams: with outputs frozen, exact inputs move by at most Δ."""
    rho = ZCDP("0.1")
    plan = planned(30, rho, every=2, **options)
    bits = (np.arange(30) % 4 == 0).astype(np.uint8)
    for at in (0, 1, 13, 29):
        other = bits.copy()
        other[at] ^= 1
        first = RecordingPurse(rho)
        series(plan, bits, first)
        second = RecordingPurse(rho, first.outputs)
        series(plan, other, second)
        ((noise, l1, l2),) = first.distances(second)
        assert 0 < l2 <= float(noise.sensitivity.l2_squared)
        assert l1 <= float(noise.sensitivity.l1)


def test_the_proof_page_is_there_and_names_the_method():
    page = Path(__file__).parents[2] / "docs" / METHOD.proof
    assert "counter" in page.read_text()
    assert METHOD.summary
    assert METHOD.promise


@pytest.mark.parametrize("budget", [PURE, GAUSSIAN])
def test_memory_does_not_grow_with_the_stream(budget, tmp_path):
    peaks = []
    for power in (16, 18):
        path = tmp_path / f"{power}.bits"
        path.write_bytes(b"\x35" * 2 ** (power - 3))
        plan = planned(2**power, budget)
        with open_bits(path) as source:
            tracemalloc.start()
            for _ in plan.run(source, Purse(plan.budget, SystemBits())):
                pass
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
    assert peaks[1] < 1.1 * peaks[0]


def test_two_runs_of_one_counter_do_not_count_the_same_bits():
    plan = METHOD.price(8, PureDP(20), {})
    counter = Counter(plan, Purse(plan.budget, SeededBits(1)))
    first, second = (counter.run(open_bits(iter([1, 0, 1, 0]))) for _ in range(2))
    next(first)
    next(second)
    with pytest.raises(ReleaseError, match="one at a time"):
        next(first)


def test_a_counter_does_not_go_on_in_a_forked_process(monkeypatch):
    plan = METHOD.price(8, PureDP(20), {})
    counter = Counter(plan, Purse(plan.budget, SeededBits(1)))
    monkeypatch.setattr("sfumato.stream.counting.os.getpid", lambda: -1)
    with pytest.raises(ReleaseError, match="forked"):
        counter.count([1])
