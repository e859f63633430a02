"""T5: a planted outlier is seen without noise, and with it no better than the promise allows."""

from dataclasses import replace
from math import exp, sqrt

import numpy as np
import pyarrow as pa
import pytest
from attacked import CONFIDENT
from scipy.stats import norm

from sfumato.errors import DataError, ParameterError
from sfumato.example import clinic
from sfumato.inspection.attack import most_advantage, outlier_attack
from sfumato.inspection.attack.telling import area, best_cut, tell
from sfumato.methods import METHODS
from sfumato.privacy.guarantee import ZCDP, ApproxDP, Heuristic, PureDP
from sfumato.privacy.mechanism import Paid
from slowness import in_turn

BIT = {"name": "clinic", "columns": {"smoker": {"kind": "boolean"}}}
TWO = {
    "name": "clinic",
    "columns": {
        "smoker": {"kind": "boolean"},
        "age": {"kind": "integer", "low": 18, "high": 98},
    },
}
FEW = {
    "name": "clinic",
    "columns": {
        "age": {"kind": "integer", "low": 18, "high": 98},
        "ward": {"kind": "category", "values": ["cardiology", "surgery"], "other": "elsewhere"},
        "outcome": {"kind": "category", "values": ["home", "care"], "role": "label"},
    },
}


def attacked(method, schema=FEW, runs=60, **asked):
    asked = asked or {"epsilon": 1}
    return outlier_attack(
        clinic(60), schema, method=method, runs=runs, confidence=CONFIDENT, seed=1, **asked
    )


@pytest.mark.parametrize(
    ("method", "schema", "asked"),
    [
        ("mosaic", BIT, {"epsilon": 1, "model": "forest"}),
        ("modips", FEW, {"rho": "0.1"}),
        ("modips", FEW, {"epsilon": 1, "delta": "1e-3"}),
        ("identity-laplace", FEW, {"epsilon": 2}),
    ],
)
def test_an_outlier_shows_without_noise_and_no_more_than_promised_with_it(method, schema, asked):
    found = attacked(method, schema, **asked)
    assert found.control_auc.value > 0.9
    assert found.power
    assert found.advantage.low <= found.most
    assert found.verdict in ("told apart", "not told apart")


@pytest.mark.parametrize(
    ("neighbours", "numbers"),
    [
        ("replace-one", 1),
        pytest.param("add-remove", 2, marks=pytest.mark.slow),
    ],
)
def test_where_few_numbers_are_released_much_of_what_is_allowed_is_found(neighbours, numbers):
    runs = 280 * numbers**2  # so that what is found is as sure
    found = attacked("modips", {**BIT, "neighbours": neighbours}, epsilon=2, runs=runs)
    assert found.verdict == "told apart"
    assert found.advantage.low <= found.most
    assert found.advantage.value > 0.6 / numbers
    assert found.auc.value > 0.6


@pytest.mark.parametrize("share", [0, 20], ids=["no noise", "a twentieth of the noise"])
def test_too_little_noise_is_beyond_the_promise(share, monkeypatch):
    """Positive control: the claim stands, the noise does not."""
    honest = Paid.add

    def too_little(self, exact, units):
        noise = honest(self, exact, units) - exact
        return exact + np.fix(noise / share).astype(np.int64) if share else exact

    monkeypatch.setattr(Paid, "add", too_little)
    found = attacked("modips", BIT, epsilon=1, runs=120)
    assert found.verdict == "beyond the promise"
    assert "it is false" in found.sentence


def test_a_projection_without_noise_of_its_own_gives_the_outlier_away():
    found = attacked("lip", TWO, epsilon=1, as_published=True, rank=1, runs=100)
    assert found.verdict == "told apart"
    assert found.advantage.low > 0.46  # more than an epsilon of 1 would allow
    assert "nothing is promised" in found.sentence


def test_a_method_without_a_budget_is_held_against_the_records_themselves():
    """Its own noise is no control of its own noise."""
    numbers = {"name": "clinic", "columns": TWO["columns"] | {"smoker": {"kind": "id"}}}
    loud, quiet = (
        outlier_attack(clinic(60), numbers, method="additive", runs=60, seed=1, deviation=deviation)
        for deviation in ("0.01", "1000")
    )
    assert loud.verdict == "told apart"
    assert quiet.verdict == "not told apart"
    assert loud.control_auc.value == quiet.control_auc.value == 1


def test_a_method_that_never_looks_has_no_power():
    """Whatever is planted, the release is the same: that nothing is found then says nothing."""

    def blind(domain, budget):
        plan = METHODS["modips"].plan(domain, budget)
        measure, others = plan.measure, []

        def always(records, purse):
            others[:] = others or [records]
            return measure(others[0], purse)

        return replace(plan, measure=always)

    found = attacked(replace(METHODS["modips"], plan=blind), BIT)
    assert found.verdict == "no power"
    assert "No verdict" in found.sentence


def test_the_largest_advantage_is_attained_by_the_worst_mechanisms_and_not_passed():
    for epsilon in (0.1, 1.0, 4.0):
        kept = exp(epsilon) / (1 + exp(epsilon))  # randomized response keeps a bit so often
        assert most_advantage(PureDP(str(epsilon))) == pytest.approx(2 * kept - 1)
        # With probability delta the bit is shown as it is, else it is randomized.
        shown = 0.01 + 0.99 * (2 * kept - 1)
        assert most_advantage(ApproxDP(str(epsilon), "0.01")) == pytest.approx(shown)
    for rho in (0.01, 0.5, 3):
        gaussian = 2 * norm.cdf(sqrt(2 * rho) / 2) - 1
        assert gaussian <= most_advantage(ZCDP(str(rho))) < min(1, 2 * gaussian)
    assert most_advantage(Heuristic("no proof")) == 1
    assert most_advantage(PureDP(10_000)) == 1


def test_scores_chosen_on_other_runs_find_nothing_where_there_is_nothing(rng):
    """Many numbers and few runs: the best of them all is luck, and does not last."""
    beaten = 0
    for _ in range(40):
        runs = [[{f"x{j}": rng.normal() for j in range(30)} for _ in range(80)] for _ in (0, 1)]
        told = tell(tuple(runs), tuple(runs), rng)
        beaten += told.auc.hits
    low, high = (3.2e-7, 1 - 3.2e-7)  # of a binomial at 1e-6: 40 times 40 pairs of runs
    assert norm.ppf(low) < (beaten - 800) / sqrt(400) < norm.ppf(high)


def test_area_and_cut_agree_with_their_definitions(rng):
    for _ in range(20):
        high, low = rng.integers(0, 6, 15) / 1.0, rng.integers(0, 5, 11) / 1.0
        pairs = [(x > y) + (x == y) / 2 for x in high for y in low]
        assert area(high, low) == pytest.approx(np.mean(pairs))
        gains = [(high >= cut).mean() - (low >= cut).mean() for cut in range(7)]
        cut = best_cut(high, low)
        assert (high >= cut).mean() - (low >= cut).mean() == pytest.approx(max(gains))
    assert best_cut(np.zeros(3), np.ones(3)) == np.inf


def test_the_same_seed_gives_the_same_result_and_every_run_is_told():
    told = []
    first = outlier_attack(
        clinic(20),
        BIT,
        method="modips",
        epsilon=1,
        runs=40,
        seed=3,
        progress=lambda: told.append(1),
    )
    assert first == outlier_attack(clinic(20), BIT, method="modips", epsilon=1, runs=40, seed=3)
    assert len(told) == 4 * 40


def test_what_is_out_of_its_rule_is_refused():
    with pytest.raises(ParameterError, match="runs must be at least 40, got 39"):
        attacked("modips", runs=39)
    with pytest.raises(ParameterError, match="runs must be a whole number"):
        attacked("modips", runs=2.5)
    with pytest.raises(ParameterError, match="promises nothing, so no budget"):
        attacked("additive", BIT, epsilon=1)
    with pytest.raises(DataError, match="at least two records"):
        outlier_attack(clinic(1), BIT, method="modips", epsilon=1)


def test_releases_without_a_row_are_looked_at_as_well():
    """Under add-remove a noisy number of records may be nobody: seen by the number of rows."""
    schema = {**BIT, "neighbours": "add-remove"}
    found = outlier_attack(
        clinic(2), schema, method="modips", epsilon="0.1", runs=40, confidence=CONFIDENT, seed=1
    )
    assert found.advantage.low <= found.most


@pytest.mark.slow
@pytest.mark.parametrize(
    "method", in_turn(2, [name for name, known in METHODS.items() if known.budgeted])
)
def test_no_method_shows_an_outlier_beyond_its_promise(method):
    case = METHODS[method].audit
    table = pa.table(
        {
            "level": [i % 5 for i in range(40)],
            "dose": [i % 3 for i in range(40)],
            "smoker": [i % 3 == 0 for i in range(40)],
            "sick": [i % 4 == 0 for i in range(40)],
        }
    )
    options = {**case.options, **({"model": "forest"} if method == "mosaic" else {})}
    found = outlier_attack(
        table,
        case.schema,
        method=method,
        runs=240,
        confidence=CONFIDENT,
        seed=1,
        **case.budget,
        **options,
    )
    assert found.verdict != "beyond the promise"
    # A random projection hides an outlier by itself, so that even a huge budget may not show it.
    assert found.power or method in ("compressive", "jl-gauss")
