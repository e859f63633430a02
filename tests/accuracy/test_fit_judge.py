"""What counts of misfits can tell: reach, false alarms and power, from the exact law."""

from fractions import Fraction
from math import exp

import numpy as np
import pytest

from misfit_world import ROWS, WRONG, people, schema
from sfumato.accuracy.discrete_sum import DiscreteSum
from sfumato.accuracy.fit import FALSE_ALARM, judge, reach, stops_from
from sfumato.measure.fit import FitCounts
from sfumato.privacy.guarantee import ZCDP, PureDP
from sfumato.privacy.mechanism import Event
from sfumato.privacy.noise import discrete_laplace
from sfumato.privacy.randomness import SeededBits
from sfumato.release.fit import Fit, FitFacts
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.table.records import Records
from sfumato.table.source import open_source

LAPLACE = Event("fit", "discrete-laplace", Fraction(2), Fraction(100), PureDP("1/50"))
GAUSS = Event("fit", "discrete-gaussian", Fraction(2), Fraction(5_000), ZCDP("1/5000"))


def facts(fitting, *counts, records=None, event=LAPLACE, misfit="1/20"):
    cells = [
        {"column": f"c{k}", "complaint": "above", "count": count} for k, count in enumerate(counts)
    ]
    found = {"share": "1/50", "misfit": misfit, "records": records, "fitting": fitting}
    return FitFacts.model_validate(found | {"reach": reach(event, len(counts)), "misfits": cells})


@pytest.mark.parametrize("cells", [1, 7, 85])
def test_the_reach_is_the_smallest_that_all_cells_together_seldom_pass(cells):
    q = reach(LAPLACE, cells)
    p = exp(-1 / 100)

    def above(k):
        return p ** (k + 1) / (1 + p)  # P(noise > k)

    assert cells * above(q) <= FALSE_ALARM < cells * above(q - 1)


def test_gaussian_noise_reaches_less_far_than_laplace_noise_of_the_same_spread():
    spread = Event("fit", "discrete-gaussian", Fraction(2), Fraction(20_000), ZCDP("1/20000"))
    assert reach(spread, 85) < reach(LAPLACE, 85)


@pytest.mark.parametrize("event", [LAPLACE, GAUSS], ids=["Laplace", "Gauss"])
@pytest.mark.parametrize("n", [500, 2_000, 45_000])
def test_with_a_public_number_a_stop_is_decided_by_one_count_at_its_exact_law(event, n):
    kind = DiscreteSum.laplace if event is LAPLACE else DiscreteSum.gaussian
    law = kind(event.noise)
    least = next(
        total
        for total in range(1, n)
        if judge(facts(n - total, 0, records=n, event=event), event).stops
    )
    assert law.tail(least).upper <= FALSE_ALARM  # when all records fit
    assert least > n / 20
    assert least - 1 <= n / 20 or law.tail(least - 1).value > FALSE_ALARM


def test_where_noise_could_never_be_told_from_misfits_nothing_stops():
    for total in (0, 390, 5_000):
        verdict = judge(facts(390 - total, 0, records=390), LAPLACE)
        assert (verdict.low, verdict.high, verdict.stops) == (0, 390, False)
    assert judge(facts(0, 0, records=400), LAPLACE).stops


def test_with_a_private_number_one_loud_cell_stops_and_so_does_a_loud_sum():
    far = reach(LAPLACE, 20)
    loud = facts(10_000, far + 600, *[0] * 19)
    assert judge(loud, LAPLACE).stops
    assert not judge(facts(10_000, far, *[0] * 19), LAPLACE).stops
    many = facts(10_000, *[300] * 20)
    assert not Fit.of(many).significant
    assert judge(many, LAPLACE).stops


@pytest.mark.parametrize("event", [LAPLACE, GAUSS], ids=["Laplace", "Gauss"])
@pytest.mark.parametrize("n", [500, 2_000, 45_000])
@pytest.mark.parametrize("misfit", ["1/100", "1/5"])
def test_with_a_public_number_so_many_misfits_stop_in_99_of_100_and_one_fewer_do_not(
    event, n, misfit
):
    law = (DiscreteSum.laplace if event is LAPLACE else DiscreteSum.gaussian)(event.noise)
    wrong = stops_from(event, 1, n, Fraction(misfit), public=True)
    stopped = {"records": n, "event": event, "misfit": misfit}
    # Noise may make of all records more than all: nothing in `judge` forbids it.
    totals = range(1, 2 * n)
    least = next(t for t in totals if judge(facts(n - t, 0, **stopped), event).stops)
    chance = [1 - law.tail(least - m).value for m in (wrong, wrong - 1)]  # of no stop
    assert chance[0] <= FALSE_ALARM < chance[1]


@pytest.mark.parametrize("n", [6_000, 45_000])
def test_with_a_private_number_so_many_misfits_in_one_place_stop_unless_noise_is_far(n):
    cells, runs, misfit = 12, 2_000, Fraction(1, 20)
    wrong = stops_from(LAPLACE, cells, n, misfit, public=False)
    assert wrong < n
    noise = discrete_laplace(Fraction(100), runs * (cells + 1), SeededBits(8)).reshape(runs, -1)

    def missed(m):
        found = (
            facts(n - m + first, m + one, *rest, event=LAPLACE)
            for first, one, *rest in noise.tolist()
        )
        return sum(not judge(counts, LAPLACE).stops for counts in found)

    # At most 2 % of the runs, 40, with a deviation of 6.3: above 75 less than once in a million.
    assert missed(wrong) < 75
    assert missed(wrong // 2) > 75  # a figure that is half as large would be noticed


@pytest.mark.parametrize(("fitting", "wrong"), [(0, 5_000), (300, 2_000)])
def test_with_a_private_number_the_interval_of_the_total_misses_no_more_than_stated(fitting, wrong):
    cells, runs = 7, 1_500
    noise = discrete_laplace(Fraction(100), runs * (cells + 1), SeededBits(6)).reshape(runs, -1)
    missed = cut = 0
    for first, *others in noise.tolist():
        found = facts(fitting + first, wrong + others[0], *others[1:])
        verdict = judge(found, LAPLACE)
        assert verdict.low <= verdict.total <= verdict.high
        missed += not verdict.low <= wrong <= verdict.high
        cut += wrong > min(verdict.high, found.size)
    # At most 2 % of the runs, 30, with a deviation of 5.4: above 60 less than once in a million.
    assert missed < 60
    assert fitting or cut > 600  # an end at the noisy number of records would miss half of them


def test_a_larger_share_that_is_let_pass_stops_later():
    found = {"records": 45_000, "event": LAPLACE}
    assert judge(facts(42_000, 3_000, **found), LAPLACE).stops
    assert not judge(facts(42_000, 3_000, **found, misfit="1/10"), LAPLACE).stops
    assert not judge(facts(0, 45_000, **found, misfit="1"), LAPLACE).stops


def test_false_alarms_of_noise_alone_are_as_rare_as_stated_and_a_tenth_of_it_would_be_noticed():
    n, cells, runs = 2_000, 24, 40_000
    noise = discrete_laplace(Fraction(100), runs, SeededBits(5))
    alarms = sum(
        judge(facts(n + int(x), *[0] * cells, records=n), LAPLACE).stops for x in noise[:2_000]
    )
    least = next(t for t in range(1, n) if judge(facts(n - t, 0, records=n), LAPLACE).stops)
    rate = float(np.mean(-noise >= least))
    # Exact: P(noise ≥ least) ≤ 1 %; the runs agree within five deviations (false alarm 6e-7).
    expected = DiscreteSum.laplace(100).tail(least).value
    assert abs(rate - expected) < 5 * (expected / runs) ** 0.5
    assert 0.9 * float(FALSE_ALARM) < expected <= FALSE_ALARM
    assert alarms == int((-noise[:2_000] >= least).sum())


@pytest.fixture(scope="module")
def right():
    return people()


def exact_counts(table, declared):
    domain = Domain.of(Schema.of(declared))
    counts = FitCounts(domain, PureDP("1/50"))
    return counts, counts.query(Records(open_source(table), domain))


def chance_of_a_stop(counts, exact):
    """Of a release at epsilon 1, by the exact law of its noise."""
    n, event = int(exact.sum()), counts.noise.event
    total, cells = n - int(exact[0]), [0] * len(counts.cells)
    low, high = 1, 2 * n  # totals that do not stop, and that do
    while high - low > 1:
        middle = (low + high) // 2
        stops = judge(facts(n - middle, *cells, records=n), event).stops
        low, high = (low, middle) if stops else (middle, high)
    return DiscreteSum.laplace(event.noise).tail(high - total)


def test_the_right_schema_stops_less_than_once_in_a_million_releases(right):
    counts, exact = exact_counts(right, schema())
    assert exact[0] == ROWS
    assert chance_of_a_stop(counts, exact).upper < 1e-6


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: wrong.name)
def test_each_of_ten_wrong_schemas_is_caught_by_the_right_name(right, wrong):
    counts, exact = exact_counts(wrong.table(right), wrong.schema)
    assert 1 - chance_of_a_stop(counts, exact).value < 1e-3
    worst = counts.cells[int(exact[1:].argmax())]
    assert (worst[0], worst[1].words) == (wrong.column, wrong.complaint)
    rest = np.delete(exact[1:], int(exact[1:].argmax()))
    assert exact[1:].max() > 2 * reach(counts.noise.event, len(counts.cells)) > rest.max()
