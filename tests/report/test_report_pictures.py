"""What is drawn: bins, pairs, prices and bands, each against a plain computation."""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import binom
from worlds import EDGES, made

import sfumato as sf
from sfumato.example import CLINIC, clinic
from sfumato.privacy.guarantee import ApproxDP, PureDP
from sfumato.privacy.mechanism import Event, Purse
from sfumato.privacy.randomness import SeededBits
from sfumato.report import series_pictures
from sfumato.report.columns import Bars, Span, survey
from sfumato.report.html import html_page
from sfumato.report.pairs import strength, strongest
from sfumato.report.precision import precision, share_between
from sfumato.report.series_pictures import series_precision
from sfumato.report.spending import spending
from sfumato.stream.counting import Counter
from stream_world import planned, series

FALSE_ALARM = 1e-6  # chance that a correct band fails one test


@pytest.fixture(scope="module")
def release():
    return sf.publish(clinic(3_000), schema=sf.Schema.parse(CLINIC), epsilon=20, delta="1e-6")


def test_every_row_lies_in_a_bin_or_is_missing(release):
    for column in survey(release).columns:
        assert column.rows == release.table.num_rows
        assert column.missing == release.table.column(column.name).null_count


def test_bars_count_the_released_values(release):
    ward = next(c for c in survey(release).columns if c.name == "ward")
    released = release.table.column("ward").to_pylist()
    assert ward.counts.tolist() == [released.count(value) for value in ward.bins.values]


def test_bins_of_numbers_and_dates_hold_what_they_say(release):
    found = {column.name: column for column in survey(release).columns}
    age = found["age"]
    assert isinstance(age.bins, Span)
    assert (age.bins.ends, age.bins.bin(0)) == ((18, 98), "18 to 26")
    counts, _ = np.histogram(np.asarray(release.table.column("age")), age.bins.edges)
    assert age.counts.tolist() == counts.tolist()
    seen = found["admitted"]
    assert [seen.bins.text(end) for end in seen.bins.ends] == ["2024-01-01", "2025-12-31"]
    days = np.asarray(release.table.column("admitted").cast(pa.int32()))
    assert seen.counts.tolist() == np.histogram(days, seen.bins.edges)[0].tolist()


def test_rare_values_share_the_last_bar():
    values = [f"v{k:02}" for k in range(40)]
    schema = {"name": "t", "columns": {"a": {"kind": "category", "values": values}}}
    data = pa.table({"a": [v for k, v in enumerate(values) for _ in range(k + 1)]})
    found = sf.publish(data, schema=schema, method="identity-laplace", epsilon=1000)
    (column,) = survey(found).columns
    assert isinstance(column.bins, Bars)
    assert column.bins.values == (*reversed(values[-11:]), "29 other values")
    assert column.counts.tolist() == [*range(40, 29, -1), sum(range(1, 30))]


def test_a_release_in_a_folder_is_surveyed_like_one_in_memory(release, tmp_path):
    release.save(tmp_path / "r")
    stored = survey(sf.Release.load(tmp_path / "r"))
    here = survey(release)
    assert np.array_equal(stored.sample, here.sample)
    for a, b in zip(stored.columns, here.columns, strict=True):
        assert a.counts.tolist() == b.counts.tolist()


def test_many_rows_are_sampled_evenly():
    schema = {"name": "t", "columns": {"a": {"kind": "integer", "low": 0, "high": 9}}}
    given = pa.table({"a": [5] * 10})
    found = survey(sf.publish(given, schema=schema, epsilon=1, rows=150_000))
    assert found.columns[0].rows == 150_000
    assert 15_000 <= len(found.sample) <= 20_000


def test_strength_is_the_correlation_of_gaussians_and_nothing_for_independent_columns(rng):
    x, noise = rng.normal(size=(2, 20_000))
    bins = np.linspace(-2, 2, 9)
    coded = [np.digitize(v, bins) for v in (x, 0.6 * x + 0.8 * noise, noise)]
    assert strength(coded[0], coded[1]) == pytest.approx(0.6, abs=0.05)
    assert strength(coded[0], coded[2]) < 0.05
    assert strength(np.empty(0, np.int64), np.empty(0, np.int64)) == 0


def test_the_strongest_pair_comes_first(release):
    pairs = strongest(survey(release))
    assert {pairs[0].across.name, pairs[0].up.name} == {"ward", "pressure"}
    assert [pair.strength for pair in pairs] == sorted((p.strength for p in pairs), reverse=True)


def test_shares_of_the_budget_add_up_and_many_are_put_together():
    def event(name, epsilon):
        return Event(name, "discrete-laplace", Fraction(1), Fraction(2), PureDP(epsilon))

    many = [event(f"power step {k}", "0.1") for k in range(20)] + [event("sums", 2)]
    items = spending(many)
    assert [(item.what, item.percent) for item in items] == [
        ("power step (20 of them)", "50 %"),
        ("sums", "50 %"),
    ]
    kinds = [event(chr(97 + k) * 3, 1) for k in range(26)]
    assert len(spending(kinds)) == 12
    assert sum(item.share for item in spending(kinds)) == 1


@pytest.mark.slow
def test_lines_are_the_worst_first_and_those_of_sfumato_accuracy(release):
    lines = precision(release).lines
    assert [line.off for line in lines] == sorted((line.off for line in lines), reverse=True)
    found = precision(release).found
    assert share_between(found, "ward", ["surgery"]) == tuple(
        end / 3_000 for end in found.count("ward", ["surgery"]).interval("0.95")
    )


@pytest.mark.slow
def test_a_noisy_number_of_records_widens_the_share():
    schema = sf.Schema.parse(CLINIC.replace("replace-one", "add-remove"))
    found = precision(sf.publish(clinic(500), schema=schema, epsilon=5)).found
    low, high = share_between(found, "sex", ["male"])
    narrow = [end / found.total.value for end in found.count("sex", ["male"]).interval("0.95")]
    assert low < narrow[0] < narrow[1] < high


def coverage(plan, reach, runs):
    """How often the figure at a step with many binary ones is off by more than the band."""
    bits, at = np.zeros(95, np.uint8), 95
    missed = 0
    for seed in range(runs):
        times, values = series(plan, bits, Purse(plan.budget, SeededBits(seed)))
        missed += bool(abs(values[times == at][0]) > reach(np.array([at]))[0])
    return missed


@pytest.mark.parametrize("budget", [PureDP(1), ApproxDP(1, "1e-6")])
def test_the_band_of_a_count_holds_as_often_as_it_says(budget):
    plan = planned(100, budget, smooth="none")
    told = sf.publish_stream(
        np.zeros(95, np.uint8),
        horizon=100,
        smooth="none",
        epsilon=budget.epsilon,
        delta=getattr(budget, "delta", None),
    )
    reach = _reach_of(told)
    runs = 300
    assert coverage(plan, reach, runs) <= binom.ppf(1 - FALSE_ALARM, runs, 0.05)
    # Control: a band of a third of the width must be rejected.
    assert coverage(plan, lambda t: reach(t) / 3, runs) > binom.ppf(1 - FALSE_ALARM, runs, 0.05)


def test_the_band_of_a_count_that_was_looked_at_holds_the_noise_of_every_announcement():
    plan, runs, found = planned(1, PureDP(1), intrusions=3, smooth="none"), 1_000, []
    for seed in range(runs):
        counter = Counter(plan, Purse(plan.budget, SeededBits(seed)))
        counter.announce()
        counter.announce()
        found.append(abs(counter.count([0])[1][0]))

    def missed(**options):
        told = sf.publish_stream([0], horizon=1, smooth="none", epsilon=1, **options)
        return int((np.array(found) > _reach_of(told)(np.array([1]))[0]).sum())

    # Control: the band of a count that is looked at once must be rejected.
    allowed = binom.ppf(1 - FALSE_ALARM, runs, 0.05)
    assert missed(intrusions=3) <= allowed < missed(pan=True)


def _reach_of(release):
    """How far the count at a time may be off, in a series with a count at every time."""
    band = series_pictures._band(release)
    return lambda times: band.reach(times - 1)


def test_the_band_of_a_mean_is_the_error_that_its_certificate_states():
    found = made("mean")
    stated = found.certificate.limits[0]
    last = series_precision(found).lines[-1]
    assert "256 responses is off by more than 0.1115" in stated
    assert last.between == "within ± 0.1115"


def test_counts_that_never_fall_have_no_band():
    found = sf.publish_stream([1, 0] * 8, horizon=16, epsilon=1, smooth="monotone")
    assert series_precision(found).lines == ()
    assert "no simple law" in html_page(found)


def test_a_network_and_counts_state_the_noise_of_one_value():
    network, counts = made("network"), made("counts")
    (line,) = precision(network).lines
    # Scale 1 in weights: e^-3 is about a twentieth.
    assert line.between in ("each within ± 2.9", "each within ± 3", "each within ± 3.1")
    assert "each within ± 3 records" in html_page(counts)
    wavelet = sf.publish_counts(
        pa.table({"key": ["a", "b"], "count": [3, 4]}), epsilon=1, ways="wavelet"
    )
    assert "sfumato query ask" in html_page(wavelet)


def test_networks_without_a_proof_have_pictures_without_intervals():
    found = sf.publish_network(
        EDGES, directed=True, method="edge-gaussian", accept_no_guarantee=True
    )
    text = html_page(found)
    assert "Nothing is promised" in text
    assert "states no interval" in text
    assert text.count("<figure") == 3
