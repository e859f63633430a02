"""What a recipient may say about a running count: stretches of bits, cleaned or not."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import binomtest

from sfumato.accuracy.discrete_sum import DiscreteSum
from sfumato.accuracy.published import published
from sfumato.accuracy.statement import about_count, about_difference, about_extreme, overview
from sfumato.accuracy.table_statement import about_column
from sfumato.errors import ParameterError, ReleaseError
from sfumato.privacy.noise import discrete_gaussian, discrete_laplace
from sfumato.privacy.randomness import SeededBits
from sfumato.publishing.stream import publish_stream
from sfumato.release import Release
from sfumato.stream.square_root import DecayingSums, RecoveredCounts
from sfumato.stream.tree import DyadicCounts, DyadicSums, levels

FALSE_ALARM = 1e-6  # chance that a right statement fails one statistical test
RUNS = 400
BITS = (np.arange(120) * 7 % 10 < 3).astype(int)
PURE, RHO = {"epsilon": 1}, {"rho": "1/2"}


def counted(bits=BITS, horizon=120, every=8, **options):
    options = options if {"epsilon", "rho"} & set(options) else options | PURE
    return publish_stream(bits, horizon=horizon, every=every, seed=2, **options)


def true(first, last):
    return int(BITS[first - 1 : last].sum())


@pytest.mark.parametrize("smooth", ["whole", "monotone", "none"])
@pytest.mark.parametrize(
    "options",
    [{"epsilon": 10**6}, {"rho": 10**8}, {"rho": 10**8, "engine": "tree"},
     {"epsilon": 10**6, "pan": True}],
)  # fmt: skip
def test_without_noise_every_stretch_is_the_true_one(options, smooth):
    found = published(counted(smooth=smooth, **options))
    assert found.count("bits", ["1 to 120"]).value == pytest.approx(true(1, 120), abs=1e-3)
    asked = ["17 to 48", "57 to 64"]
    assert found.count("bits", asked).value == pytest.approx(true(17, 48) + true(57, 64), abs=1e-3)
    apart = found.difference("bits", ["1 to 8"], ["9 to 16"])
    assert apart.value == pytest.approx(true(1, 8) - true(9, 16), abs=1e-3)


def test_a_stretch_of_the_tree_holds_the_sums_that_only_one_end_has():
    found = published(counted(smooth="none"))
    step = DiscreteSum.laplace(found.certificate.events[0].noise)
    for first, last, sums in ((1, 56, 3), (33, 48, 1), (49, 56, 1), (25, 64, 3), (9, 120, 5)):
        noisy = found.count("bits", [f"{first} to {last}"])
        assert noisy.noises == sums, (first, last)
        assert noisy.law == DiscreteSum.laplace(noisy.entries.size, sums)
    assert step == found.count("bits", ["1 to 8"]).law
    twice = published(counted(pan=True)).count("bits", ["1 to 8"])
    assert twice.noises == 2


@pytest.mark.parametrize("engine", ["tree", "square-root"])
def test_the_law_of_a_stretch_is_that_of_what_recovers_it(engine):
    """Each measurement by itself through the very code that recovers counts."""
    found = published(counted(smooth="none", engine=engine, **RHO))
    noisy = found.count("bits", ["17 to 96"])
    entries, steps = noisy.entries, 15
    squares = 0.0
    for k in range(steps):
        one = np.zeros(steps, np.int64)
        if engine == "tree":
            one[k] = 1
            counts = DyadicCounts(levels(steps)).estimate(one)
        else:
            one[k] = entries.design.unit
            counts = RecoveredCounts(entries.design).estimate(one)
        squares += (counts[11] - counts[1]) ** 2
    assert noisy.law.deviation == pytest.approx(np.sqrt(float(entries.size) * squares), rel=1e-6)


def series_of(found, counts, smooth):
    """The released counts of one run, cleaned as the counter does it."""
    if smooth != "none":
        counts = np.clip(np.rint(counts), 0, found.entries.times)
    if smooth == "monotone":
        counts = np.maximum.accumulate(counts)
    return replace(found, entries=replace(found.entries, values=counts))


def runs(found, blocks, engine, many=RUNS):
    """Noisy counts of many runs over the same bits."""
    steps, size = len(blocks), found.entries.size
    if engine == "tree":
        exact, unit = DyadicSums(levels(steps)).query(blocks), 1
        draw = discrete_laplace
    else:
        exact, unit = DecayingSums(found.entries.design).query(blocks), found.entries.design.unit
        size, draw = size * unit**2, discrete_gaussian
    noise = draw(size, many * steps, SeededBits(6)).reshape(many, steps)
    for row in noise:
        counts = DyadicCounts(levels(steps)) if engine == "tree" else RecoveredCounts(
            found.entries.design)  # fmt: skip
        yield counts.estimate(exact + row)


@pytest.mark.slow
@pytest.mark.parametrize("smooth", ["whole", "monotone", "none"])
@pytest.mark.parametrize("engine", ["tree", "square-root"])
@pytest.mark.parametrize("bits", ["none", "some", "all"])
def test_intervals_cover_whatever_cleaning_did(engine, smooth, bits):
    stream = {"none": np.zeros(64, int), "some": BITS[:64], "all": np.ones(64, int)}[bits]
    budget = PURE if engine == "tree" else RHO
    release = counted(stream, horizon=64, smooth=smooth, engine=engine, **budget)
    found = published(release).series
    blocks = stream.reshape(8, 8).sum(axis=1)
    wholly = {"1 to 48": int(blocks[:6].sum()), "9 to 56": int(blocks[1:7].sum())}
    missed = dict.fromkeys(wholly, 0)
    for counts in runs(found, blocks, engine):
        seen = series_of(found, counts, smooth)
        for name, truth in wholly.items():
            low, high = seen[name].interval("0.8")
            missed[name] += not low <= truth <= high
    for number in missed.values():
        assert binomtest(number, RUNS, 0.2, alternative="greater").pvalue > FALSE_ALARM
    if smooth == "none":  # half of the width must be caught
        reach, short = found["9 to 56"].law.two_sided("0.2") / 2, 0
        for counts in runs(found, blocks, engine):
            short += abs(counts[6] - counts[0] - wholly["9 to 56"]) > reach
        assert binomtest(short, RUNS, 0.2, alternative="greater").pvalue < FALSE_ALARM


def test_forgetting_that_counts_were_cut_back_is_caught():
    """The counts at steps 4 and 5 share a noise, but not where the first was cut to 0."""
    blocks = np.array([0, 0, 0, 0, 40, 0, 0, 0])
    found = published(counted(np.zeros(640, int), horizon=640, every=80)).series
    forgot = kept = 0
    for counts in runs(found, blocks, "tree", many=2_000):
        seen = series_of(found, counts, "whole")
        noisy = seen["321 to 400"]
        forgot += abs(noisy.value - 40) > noisy.law.two_sided("0.2")
        low, high = noisy.interval("0.8")
        kept += not low <= 40 <= high
    assert binomtest(kept, 2_000, 0.2, alternative="greater").pvalue > FALSE_ALARM
    assert binomtest(forgot, 2_000, 0.2, alternative="greater").pvalue < FALSE_ALARM


def test_a_count_at_a_bound_widens_a_stretch_and_takes_its_p_value():
    release = counted(np.zeros(120, int))
    table = release.table.set_column(1, "value", pa.array(np.r_[0.0, 0.0, np.full(13, 12.0)]))
    found = published(Release(release.certificate, table=table))
    noisy = found.count("bits", ["9 to 24"])
    assert noisy.clipped == 1
    # What was taken away may have been below 0, so there may be more ones than it seems.
    single = found.count("bits", ["1 to 8"]).law
    chance = Fraction(1, 10)
    assert noisy.entries.down(noisy, chance) == noisy.law.one_sided(chance * 9 / 10)
    assert noisy.entries.up(noisy, chance) == noisy.law.one_sided(
        chance * 9 / 10
    ) + single.one_sided(chance / 20)
    told = about_difference(found, "bits", ["9 to 16"], ["17 to 24"], 0.9)
    assert "p-value" not in told.figures
    assert "cut back" in told.sentences[-1]
    with pytest.raises(ParameterError, match="no largest or smallest among them"):
        about_extreme(found, "bits", 0.9)


def test_counts_that_never_fall_are_bounded_by_all_noises_at_once():
    plain = published(counted(smooth="whole")).count("bits", ["1 to 64"])
    never = published(counted(smooth="monotone"))
    noisy = never.count("bits", ["1 to 64"])
    chance = Fraction(1, 10)
    assert noisy.entries.up(noisy, chance) == plain.law.one_sided(chance)
    assert noisy.entries.down(noisy, chance) > plain.law.one_sided(chance)
    told = about_count(never, "bits", ["1 to 64"], 0.9)
    assert "never fall" in told.sentences[-1]
    assert "p-value" not in about_difference(never, "bits", ["1 to 8"], ["9 to 16"], 0.9).figures


def test_sentences_count_ones_and_say_how_many_noises():
    told = about_count(published(counted()), "bits", ["1 to 56"], 0.95, thesis=True)
    assert told.question == "bits 1 to 56"
    assert "ones by the noisy counts" in told.sentences[0]
    assert "(of 3 values, discrete Laplace of scale 4)" in told.sentences[2]
    assert "which these have not" in told.sentences[-1]


def test_blocks_are_compared_and_listed():
    found = published(counted(np.repeat([0, 0, 1, 0, 1], 24), epsilon=50, smooth="none"))
    assert about_extreme(found, "bits", 0.9).figures["declared"] is None  # three blocks are full
    listed = about_column(found, "bits", 0.9).figures
    assert [cell["value"] for cell in listed["counts"]][:2] == ["1 to 8", "9 to 16"]
    assert all(cell["low"] <= cell["high"] for cell in listed["counts"])
    alone = published(counted(np.r_[np.zeros(64, int), np.ones(8, int), np.zeros(48, int)],
                              epsilon=50, smooth="none"))  # fmt: skip
    assert about_extreme(alone, "bits", 0.9).figures["declared"] == "65 to 72"


def test_the_overview_goes_with_time_and_is_thinned_out():
    answers = overview(published(counted()), 0.95)
    assert [answer.question for answer in answers][:2] == ["bits 1 to 8", "bits 1 to 16"]
    assert len(answers) == 15
    many = published(publish_stream(np.zeros(3_000, int), horizon=3_000, epsilon=1, seed=1))
    assert len(overview(many, 0.95)) == 1_000


def test_a_later_part_of_a_series_knows_its_own_times_alone(tmp_path):
    state = tmp_path / "state"
    options = {"horizon": 120, "every": 8, "epsilon": 10**6, "seed": 2}
    publish_stream(BITS[:50], pause=state, **options)
    later = published(publish_stream(BITS, resume=state, **options))
    assert later.count("bits", ["1 to 56"]).value == true(1, 56)
    assert later.count("bits", ["57 to 72"]).value == true(57, 72)
    assert next(iter(later.counts["bits"])) == "57 to 64"
    with pytest.raises(ParameterError, match="no count was released at time 48"):
        later.count("bits", ["49 to 56"])


@pytest.mark.parametrize(
    ("ask", "rule"),
    [
        (lambda f: f.count("bits", ["1 to 50"]), "near it there is 48 and 56"),
        (lambda f: f.count("bits", ["all"]), "bits are written as"),
        (lambda f: f.count("bits", ["0 to 8"]), "bits are written as"),
        (lambda f: f.count("bits", ["1 to 16", "9 to 24"]), "share bits"),
        (lambda f: f.count("bits", []), "say which bits"),
        (lambda f: f.count("time", ["8"]), "there are: bits"),
        (lambda f: f.number("bits"), "no sum of bits"),
    ],
)
def test_impossible_questions_are_refused(ask, rule):
    with pytest.raises(ParameterError, match=rule):
        ask(published(counted()))


def test_a_count_of_too_many_steps_is_refused_before_memory_is():
    release = counted(np.zeros(8, int), horizon=2**40, every=1, **RHO)
    table = release.table.slice(0, 1).set_column(0, "time", pa.array([2**39]))
    with pytest.raises(ReleaseError, match="count larger blocks"):
        published(Release(release.certificate, table=table))


def test_series_that_are_not_what_the_certificate_says_are_refused():
    release = counted()
    turned = release.table.take(list(range(14, -1, -1)))
    with pytest.raises(ReleaseError, match="times do not rise"):
        published(Release(release.certificate, table=turned))
    with pytest.raises(ReleaseError, match="no count was published"):
        published(Release(release.certificate, table=release.table.slice(0, 0)))
    other = release.certificate.model_copy(update={"options": {**release.certificate.options,
                                                               "engine": "abacus"}})  # fmt: skip
    with pytest.raises(ReleaseError, match="how its counts were made"):
        published(Release(other, table=release.table))


def test_a_bound_on_the_noise_says_nothing_of_differences_below_zero():
    """Looks that nobody announced left no noise, so there may be less than the law has."""
    found = published(counted(epsilon=10**6, intrusions=16, smooth="none"))
    less = about_difference(found, "bits", ["1 to 8"], ["9 to 24"], "0.95")
    assert less.figures["difference"] < 0
    assert less.figures["p-value"] == 1
    assert "probability with a flat prior" not in less.figures
    assert "of at most" in " ".join(about_count(found, "bits", ["1 to 8"], "0.95").sentences)
    plain = about_difference(published(counted(pan=True, smooth="none")), "bits",
                             ["1 to 8"], ["9 to 24"], "0.95")  # fmt: skip
    assert "probability with a flat prior" in plain.figures
