"""Counts, means and two-way tables of `mosaic`, with the law of their noise."""

import json
from collections import Counter
from fractions import Fraction
from functools import lru_cache

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import binom

import sfumato as sf
from certificates import made_up
from sfumato.accuracy.noisy import Blocks
from sfumato.accuracy.published import published
from sfumato.accuracy.table_statement import about_column, about_pair, columns, reaches
from sfumato.errors import ParameterError, ReleaseError
from sfumato.example import CLINIC, clinic
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SeededBits
from sfumato.publishing.table import price
from sfumato.schema.domain import Domain
from sfumato.table.records import Records
from sfumato.table.source import open_source

FALSE_ALARM = 1e-6  # chance that a right interval fails one test
RUNS = 120
BUDGETS = [{"epsilon": 11}, {"rho": "0.2"}]
SMALL = {
    "name": "small",
    "columns": {
        "age": {"kind": "integer", "low": 0, "high": 30},
        "dose": {"kind": "number", "low": 0, "high": 2, "missing": "allowed"},
        "ward": {"kind": "category", "values": ["a", "b", "c"]},
        "sex": {"kind": "category", "values": ["f", "m"]},
        "outcome": {"kind": "category", "values": ["home", "care"], "role": "label"},
    },
}
RNG = np.random.default_rng(5)
ROWS = [
    {
        "age": str(age),
        "dose": None if age % 7 == 0 else f"{min(age / 16, 2):.3f}",
        "ward": "abc"[min(age // 12, 2)],
        "sex": "fm"[int(RNG.integers(2))],
        "outcome": "home" if age < 20 else "care",
    }
    for age in RNG.integers(0, 31, 600).tolist()
]


def schema(neighbours="replace-one"):
    return sf.Schema.of(SMALL | {"neighbours": neighbours})


def measured(seed, neighbours="replace-one", **budget):
    """The papers of one release, without drawing its records."""
    plan = price(schema(neighbours), method="mosaic", **budget)
    plan = plan.sized(len(ROWS)) if plan.sized else plan
    synopsis = plan.measure(prepared(neighbours), Purse(plan.guarantee, SeededBits(seed)))
    paper = made_up(plan.events, method="mosaic", schema=schema(neighbours).to_json())
    return sf.Release(paper, synopsis=json.loads(json.dumps(synopsis.to_json())))


@lru_cache
def prepared(neighbours):
    table = pa.table({name: pa.array([row[name] for row in ROWS]) for name in ROWS[0]})
    return Records(open_source(table), Domain.of(schema(neighbours)))


def inside(name, value):
    """Whether a record lies in a bin that is called so."""
    low, _, high = name.partition(" to ")
    if value is None or not high:
        return name == ("(missing)" if value is None else value)
    return float(low) <= float(value) <= float(high)


@lru_cache
def truth(**asked):
    return sum(all(inside(name, row[c]) for c, name in asked.items()) for row in ROWS)


@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
@pytest.mark.parametrize("budget", [{"epsilon": 10**6}, {"rho": 10**9}], ids=str)
def test_without_noise_every_count_mean_and_cell_is_the_true_one(budget, neighbours):
    found = published(measured(1, neighbours, **budget))
    assert found.total.value == len(ROWS)
    assert found.total.public == (neighbours == "replace-one")
    for column in ("age", "ward", "sex", "outcome"):
        for value in found.cells(column):
            assert found.count(column, [value]).value == truth(**{column: value})
    assert found.count("dose", ["(missing)"]).value == truth(dose="(missing)")
    assert sum(cell.value for cell in found.cells("dose").values()) == len(ROWS)
    mean, (low, high) = found.number("age").mean(0.95)
    assert mean == low == high == pytest.approx(np.mean([int(row["age"]) for row in ROWS]))
    doses = [float(row["dose"]) for row in ROWS if row["dose"] is not None]
    mean, (low, high) = found.number("dose").mean(0.95)
    assert low < np.mean(doses) < high < low + 0.025  # a bin is at most 0.02 wide
    for first, second in found.tables.measured:
        if "dose" not in (first, second):
            table = found.pair(first, second)
            for a in table.values[0]:
                for b in table.values[1]:
                    assert table.cell(a, b).value == truth(**{first: a, second: b})
                    for k in table.classes:
                        expected = truth(**{first: a, second: b, "outcome": k})
                        assert table.cell(a, b, k).value == expected


def asked(found):
    """Numbers of every kind, with the truth: fine bins, a mean, combined counts, cells."""
    pair = found.tables.measured[-1]
    table = found.pair(*pair)
    a, b = table.values[0][0], table.values[1][-1]
    label = found.pair("ward", "outcome")
    yield "fine bin", found.count("age", ["12"]), truth(age="12")
    yield "range", found.count("age", ["10 to 21"]), truth(age="10 to 21")
    yield "combined", found.count("ward", ["b"]), truth(ward="b")
    yield "label", found.count("outcome", ["care"]), truth(outcome="care")
    yield "by class", label.cell("b", "care"), truth(ward="b", outcome="care")
    if "dose" not in pair:
        yield "cell", table.cell(a, b), truth(**{pair[0]: a, pair[1]: b})
    number = found.number("age")
    steps = number.steps // 30  # to a year
    yield "sum", number.sum, sum(steps * (int(row["age"]) - 15) for row in ROWS)


@pytest.mark.slow
@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
@pytest.mark.parametrize("budget", BUDGETS, ids=str)
def test_intervals_cover_over_releases_and_a_third_of_their_width_does_not(budget, neighbours):
    missed, short, seen = Counter(), Counter(), Counter()
    for seed in range(RUNS):
        for name, noisy, true in asked(published(measured(seed, neighbours, **budget))):
            reach, error = noisy.law.two_sided(0.05), abs(float(noisy.exactly - true))
            seen[name] += 1
            missed[name] += error > reach
            short[name] += error > reach / 3
    for name, count in seen.items():
        most = binom.ppf(1 - FALSE_ALARM / len(seen), count, 0.05)
        assert missed[name] <= most, name
        assert short[name] > most, name


@pytest.mark.slow
@pytest.mark.parametrize("budget", BUDGETS[:2], ids=str)
def test_all_cells_together_stay_within_what_is_said_and_not_within_what_is_said_of_each(budget):
    wrong = Counter()
    for seed in range(RUNS):
        found = published(measured(seed, **budget))
        table = found.pair("ward", "outcome")
        true = np.array([[truth(ward=a, outcome=b) for b in ("home", "care")] for a in "abc"])
        worst = np.abs(table.counts - true).max()
        cells = {value: found.count("age", [value]) for value in found.cells("age")}
        off = max(abs(noisy.value - truth(age=value)) for value, noisy in cells.items())
        each, every = reaches(cells, "0.95")
        wrong["table"] += worst > table.reach("0.95", all_cells=True)
        wrong["column"] += off > every
        wrong["each cell"] += worst > table.reach("0.95")
        wrong["each count"] += off > each
    most = binom.ppf(1 - FALSE_ALARM, RUNS, 0.05)
    assert max(wrong["table"], wrong["column"]) <= most
    assert min(wrong["each cell"], wrong["each count"]) > most


def chances(kind, size, reach=400):
    k = np.arange(-reach, reach + 1)
    logs = -np.abs(k) / size if kind == "laplace" else -(k**2) / (2 * size)
    found = np.exp(logs)
    return found / found.sum()


def convolved(noisy):
    """P(noise = k steps), one noise after the other."""
    found, entries = np.ones(1), noisy.entries
    for which, weight in noisy.weights.items():
        block = int(np.searchsorted(entries.ends, which, side="right"))
        one = chances(entries.kind, float(entries.block_sizes[block]))
        spread = np.zeros((len(one) - 1) * abs(weight) + 1)
        spread[:: abs(weight)] = one
        found = np.convolve(found, spread)
    return found


@pytest.mark.parametrize("kind", ["laplace", "gaussian"])
@pytest.mark.parametrize("weights", [{0: 5, 1: -1, 2: 1}, {0: 3, 4: 2, 5: 1}, {1: 1, 5: -4}])
def test_the_law_of_unlike_noises_is_their_convolution(kind, weights):
    sizes = (Fraction(3), Fraction(7, 2), Fraction(2))
    entries = Blocks(np.arange(6), kind, max(sizes), (2, 4), sizes)
    one = entries.total([0], Fraction(1))
    noisy = type(one)(entries, weights, one.size, step=Fraction(1, 6))
    found = convolved(noisy)
    middle = len(found) // 2
    for steps in (0, 1, 7, 25, 60):
        expected = found[middle + steps :].sum()
        tail = noisy.law.tail(Fraction(steps, 6))
        assert tail.value == pytest.approx(expected, rel=1e-8, abs=tail.error + 1e-13)


def test_a_count_is_put_together_from_public_facts_only():
    """With chosen pairs only tables by class are used; with all pairs, those as well."""
    chosen, every = (published(measured(3, **budget)) for budget in BUDGETS)
    assert chosen.tables.synopsis.chosen
    assert not every.tables.synopsis.chosen
    ends = [found.tables.entries.ends for found in (chosen, every)]
    pairs = [
        any(which >= end[1] for which in found.cells("ward")["b"].weights)
        for found, end in zip((chosen, every), ends, strict=True)
    ]
    assert pairs == [False, True]
    alone = every.tables.entries.total(every.tables.one[:, every.tables._partition.offset[2]], 1)
    assert every.cells("ward")["b"].variance < alone.variance
    fine = every.cells("age")["12"]
    assert max(fine.weights) < ends[1][0]  # from fine tables and runs alone
    single = every.tables.entries.total([0], Fraction(1))
    assert fine.variance == pytest.approx(5 / 6 * single.variance)


@pytest.mark.slow
def test_what_is_said_of_a_column_and_a_pair_holds_its_figures():
    found = published(measured(2, rho="0.2"))
    told = about_column(found, "ward", "0.9")
    assert [cell["value"] for cell in told.figures["counts"]] == ["a", "b", "c"]
    assert told.figures["each within"] < told.figures["all within"]
    crossed = about_pair(found, "sex", "ward", "0.9")
    turned = about_pair(found, "ward", "sex", "0.9")
    assert np.array_equal(crossed.figures["noisy"], np.transpose(turned.figures["noisy"]))
    total = sum(np.array(part["noisy"]) for part in crossed.figures["by class"].values())
    assert np.array_equal(total, crossed.figures["noisy"])
    assert np.min(crossed.figures["low"]) >= 0
    assert json.dumps([told.to_json(), crossed.to_json()])
    widths = [answer.figures["each within"] for answer in columns(found, "0.9")]
    assert widths == sorted(widths, reverse=True)


@pytest.mark.parametrize(
    ("ask", "rule"),
    [
        (lambda f: f.pair("age", "shoe"), "no table of age and shoe was measured; there are: "),
        (lambda f: f.pair("ward", "sex").cell("d", "f"), "no 'd' in ward; it has: a, b, c"),
        (lambda f: f.pair("ward", "sex").cell("a", "f", "gone"), "in the label; it has: home"),
        (lambda f: f.count("age", ["5 to 99"]), "no value '5 to 99'"),
        (lambda f: f.count("age", ["9 to 3"]), "no value '9 to 3'"),
    ],
)
def test_what_was_not_measured_is_refused(ask, rule):
    with pytest.raises(ParameterError, match=rule):
        ask(published(measured(2, rho="0.2")))


def test_other_methods_have_no_tables_of_two_columns():
    release = sf.publish(
        clinic(100), schema=sf.Schema.parse(CLINIC), method="modips", epsilon=1, seed=1
    )
    with pytest.raises(ParameterError, match="modips publishes no tables of two columns"):
        published(release).pair("age", "sex")


@pytest.mark.parametrize("damage", ["classes", "columns", "bins", "runs"])
def test_damaged_tables_are_refused_plainly(damage):
    made = measured(2, rho="0.2")
    made.synopsis[damage] = {} if damage == "columns" else None
    with pytest.raises(ReleaseError, match=r"not what Sfumato writes|does not hold|does not say"):
        published(made).counts  # noqa: B018  read when asked for


def test_rare_values_that_share_a_bin_are_named_together():
    values = [f"v{k:02}" for k in range(30)]
    wide = {"name": "w", "columns": {
        "a": {"kind": "category", "values": values}, "b": {"kind": "boolean"}}}  # fmt: skip
    data = pa.table({"a": ["v00"] * 300 + ["v01"] * 200, "b": [True] * 500})
    found = published(sf.publish(data, schema=wide, rho=1, seed=2, method="mosaic"))
    names = found.pair("a", "b").values[0]
    assert names[:2] == ("v00", "v01")
    assert names[-1].endswith("other values")
    assert len(found.cells("a")) == 30
