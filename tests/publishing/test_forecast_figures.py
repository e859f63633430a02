"""Forecasts of many records, of every method that counts, and of budgets of any size."""

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import binomtest

import sfumato as sf
from forecast_world import BUDGETS, FALSE_ALARM, LABELLED, RUNS, SKEWED, SMALL, in_classes, of
from sfumato.accuracy.expected import widest
from sfumato.accuracy.published import published
from sfumato.example import CLINIC
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SeededBits
from sfumato.publishing.rehearsal import MadeUp, Rehearsal, rehearsed
from sfumato.publishing.table import price
from sfumato.table.records import Records
from sfumato.table.source import open_source

COUNTED = ["mosaic", "modips", "dp-lda", "dca", "pca-gauss-mixture", "diffgen"]


@pytest.mark.parametrize("records", [8_192, 16_384, 45_000, 10**12])
@pytest.mark.parametrize("method", COUNTED)
def test_every_method_that_counts_has_a_forecast_of_many_records(method, records):
    """Totals of some methods are no arrays: made-up records are added up as real ones are."""
    few, many = (
        sf.forecast(in_classes("replace-one"), records=n, method=method, epsilon=1).line("home")
        for n in (700, records)
    )
    if method not in ("mosaic", "diffgen"):  # whose budget is divided by how many there are
        assert many.counts.within == few.counts.within
    assert many.counts.share < few.counts.share


@pytest.mark.parametrize("records", [1, 8_192, 8_193, 16_384, 45_000])
def test_made_up_records_add_up_to_what_so_many_rows_would(records):
    plan = price(in_classes("replace-one"), method="modips", epsilon=1)
    made = MadeUp(plan.domain, records)
    rows = np.resize(made._codes, (records, made._codes.shape[1]))

    class There:
        def fold(self, statistic):
            return statistic.add(statistic.zero(), np.asfortranarray(rows))

    noisy = [
        plan.measure(each, Purse(plan.guarantee, SeededBits(3))).to_json()
        for each in (made, There())
    ]
    assert noisy[0] == noisy[1]


@pytest.mark.parametrize("budget", BUDGETS, ids=str)
@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
def test_no_count_of_a_column_has_more_noise_than_the_widest(neighbours, budget):
    """Of counts with as many noises of their own one is looked at, and here all are."""
    for columns in (SKEWED, LABELLED, SMALL):
        schema = of(columns, neighbours)
        found = published(rehearsed(price(schema, **budget), 3_000))
        for column, cells in found.counts.items():
            some = list(cells)[:30] + list(cells)[-30:]
            most = max(found.count(column, [name]).variance for name in some)
            assert widest(found, column).variance == pytest.approx(most, rel=1e-12), column


@pytest.mark.parametrize("epsilon", ["1e-12", "1e6", "1e300"])
def test_a_budget_of_any_size_has_a_forecast(epsilon):
    found = sf.forecast(sf.Schema.parse(CLINIC), records=5_000, epsilon=epsilon)
    reach = found.line("ward").counts.within
    assert reach == 0 if epsilon != "1e-12" else reach > 1e12


def test_counts_that_may_be_off_by_more_than_all_records_say_no_more_than_that():
    found = sf.forecast(of(SMALL, "replace-one"), records=2, epsilon=1)
    line = found.line("ward")
    assert line.counts.share > 1
    assert line.cells[1] == "over 100 %"
    assert line.told(2).endswith("of 2 records (over 100 %)")


@pytest.mark.slow
@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
@pytest.mark.parametrize("method", COUNTED)
def test_figures_of_real_releases_are_as_near_as_was_forecast(method, neighbours):
    """A share of 5 % may be farther off; the control: many more are farther than half of it."""
    schema, rows = in_classes(neighbours), 20_000
    found = sf.forecast(schema, records=rows, method=method, fit=False, epsilon=1)
    rng = np.random.default_rng(5)
    home = rng.random(rows) < 0.1
    table = pa.table(
        {"ward": ["a"] * rows, "sex": home, "stage": np.where(home, 4, 3), "home": home}
    )
    truth = {"ward": rows, "sex": int(home.sum()), "home": int(home.sum())}
    values = {"ward": "a", "sex": "true", "home": "true"}
    plan = price(schema, method=method, fit=False, epsilon=1)
    plan = plan.sized(rows) if plan.sized and neighbours == "replace-one" else plan
    records, paper = Records(open_source(table), plan.domain), rehearsed(plan, rows).certificate
    off = {}
    for seed in range(RUNS):
        synopsis = plan.measure(records, Purse(plan.guarantee, SeededBits(seed)))
        real = published(Rehearsal(paper, synopsis.to_json()))
        for name in truth.keys() & real.counts.keys():
            # A little less: counts go in steps of a third, which floats do not hold.
            error = abs(real.count(name, [values[name]]).value - truth[name])
            off.setdefault(name, []).append(error / found.line(name).counts.within - 1e-6)
        for name, number in real.numbers.items():
            error = abs(number.mean("0.95")[0] - (3 + home.mean()))
            off.setdefault(name, []).append(error / found.line(name).mean.within)
    assert "home" in off
    for name, errors in off.items():
        missed, quarter = (int((np.array(errors) > limit).sum()) for limit in (1, 0.25))
        assert binomtest(missed, RUNS, 0.05, alternative="greater").pvalue > FALSE_ALARM, name
        assert binomtest(quarter, RUNS, 0.05, alternative="greater").pvalue < FALSE_ALARM, name
