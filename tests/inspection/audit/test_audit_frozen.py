"""Frozen noise: what neighbours may not change is found when they do."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from kept_codes import KeptCodes
from sfumato.inspection.audit import audit
from sfumato.inspection.audit.frozen import freeze
from sfumato.inspection.audit.neighbours import ABSENT, candidates, neighbours
from sfumato.measure.moments import Moments
from sfumato.measure.tables import PairChoice
from sfumato.methods import METHODS
from sfumato.plan import Method
from sfumato.privacy.guarantee import PureDP
from sfumato.privacy.mechanism import Noise, Paid
from sfumato.privacy.sensitivity import Sensitivity
from sfumato.publishing.table import price
from sfumato.synopsis.features import Features
from sfumato.synopsis.moments import MomentLayout, MomentSynopsis
from sfumato.table.statistic import Rows
from slowness import slow

FALSE_ALARM = 1e-6  # of the runs; frozen noise leaves nothing to chance
KINDS = ({"epsilon": "1"}, {"epsilon": "1", "delta": "1e-6"}, {"rho": "0.1"})
WIDE = {
    "name": "wide",
    "grid_bits": 6,
    "columns": {
        "size": {"kind": "number", "low": -1, "high": 3},
        "dose": {"kind": "number", "low": 0, "high": 2, "step": 0.5, "missing": "allowed"},
        "ward": {"kind": "category", "values": ["a", "b", "c"], "other": "else"},
        "site": {"kind": "category", "values": ["x", "y"], "missing": "allowed"},
        "seen": {"kind": "date", "low": "2020-01-01", "high": "2020-01-09"},
        "sick": {"kind": "boolean", "role": "label"},
    },
}


def moments_method(measure):
    """modips with a `measure` of its own, made from the layout and the honest noise."""

    def plan(domain, budget):
        honest = METHODS["modips"].plan(domain, budget)
        layout = MomentLayout(Features.of(domain), domain.schema.neighbours)
        moments = Moments(layout, budget)
        noise, made = measure(layout, moments)
        return replace(honest, measure=made, events=(noise.event,))

    return Method("test", "a test", "false", "here", "nowhere", plan)


def halved(layout, moments):
    real = layout.sensitivity
    noise = Noise("moments", Sensitivity(real.l1 / 2, real.l2_squared / 4), moments.budget)

    def measure(records, purse):
        entries = purse.pay(noise).add(moments.query(records), layout.units)
        return MomentSynopsis(layout, entries, 5)

    return noise, measure


def honest(layout, moments):
    return moments.noise, moments.perturb


def counted_for_free(layout, moments):
    """Under add-remove the synopsis states the number of records."""

    def measure(records, purse):
        entries = purse.pay(moments.noise).add(moments.query(records), layout.units)
        return MomentSynopsis(layout, entries, records.fold(Rows()))

    return moments.noise, measure


def noisier_for_more_records(layout, moments):
    def measure(records, purse):
        shares = Fraction(1, 1 + records.fold(Rows()))
        less = type(moments.budget)(moments.budget.epsilon * (1 - shares))
        purse.pay(Noise("moments", layout.sensitivity, less)).add(
            moments.query(records), layout.units
        )
        return MomentSynopsis(layout, np.zeros(len(layout.units), np.int64), None)

    return moments.noise, measure


SMALL = {**METHODS["modips"].audit.schema}
COUNTED = {**SMALL, "neighbours": "add-remove"}


@pytest.mark.parametrize("schema", [SMALL, COUNTED], ids=["replace-one", "add-remove"])
def test_a_halved_sensitivity_is_caught_whatever_the_runs_show(schema):
    found = audit(moments_method(halved), epsilon="0.1", schema=schema, runs=20, effort=0, seed=0)
    assert found.verdict == "caught"
    assert found.worst >= 2
    assert "times the claimed sensitivity" in str(found)
    assert found.epsilon < 0.1  # so few runs would have said nothing


def test_the_same_method_with_its_own_sensitivity_is_not_caught():
    found = audit(moments_method(honest), epsilon="0.1", schema=COUNTED, runs=20, effort=0, seed=0)
    assert not found.caught
    assert found.worst == 1


def test_what_leaves_without_noise_is_caught():
    found = audit(
        moments_method(counted_for_free),
        epsilon=1,
        schema=COUNTED,
        runs=100,
        confidence=1 - FALSE_ALARM,
        seed=0,
    )
    assert found.verdict == "caught"
    assert any("although all noise is frozen" in text for text in found.violations)
    assert found.epsilon > 1  # the released numbers are then looked at, and show it too


def test_noise_that_depends_on_a_record_is_caught():
    found = audit(
        moments_method(noisier_for_more_records), epsilon=1, schema=COUNTED, runs=20, seed=0
    )
    assert any("their noise depend on a record" in text for text in found.violations)


def a_third(honest):
    return lambda scale, words, bits: honest(scale / 3, words, bits)


def test_a_sampler_that_draws_too_little_is_caught_by_its_law_and_by_the_runs(monkeypatch):
    """Such a fault shows in no sensitivity and in no scale that is asked for."""
    from sfumato.privacy import noise

    monkeypatch.setattr(noise, "floor_exponential", a_third(noise.floor_exponential))
    found = audit("modips", epsilon=1, runs=1000, effort=0, confidence=1 - FALSE_ALARM, seed=0)
    assert any("not the law that was asked for" in text for text in found.violations)
    assert found.finding.caught
    assert found.epsilon > 1
    assert found.delta > 0


def too_little(honest):
    def add(self, exact, units):
        return exact + (honest(self, exact, units) - exact) // 3

    return add


def used_again(honest):
    def add(self, exact, units):
        return exact + (honest(self, exact, units) - exact)[::-1].max()

    return add


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (too_little, "what is added is not the noise that was drawn"),
        (used_again, "the same noise is added to two entries"),
        (lambda _: lambda self, exact, units: exact, "no noise was drawn"),
    ],
)
def test_noise_that_is_not_added_as_it_was_drawn_is_caught(wrong, said, monkeypatch):
    monkeypatch.setattr(Paid, "add", wrong(Paid.add))
    plan = price({**WIDE, "neighbours": "add-remove"}, method="modips", epsilon=1)
    assert any(said in text for text in freeze(plan, neighbours(plan.domain)[:3]).violations)


def test_bits_that_no_mechanism_asked_for_are_told_of():
    def measure(layout, moments):
        def made(records, purse):
            purse.bits.words(1)
            return moments.perturb(records, purse)

        return moments.noise, made

    found = audit(moments_method(measure), epsilon=1, schema=SMALL, runs=20, effort=0, seed=0)
    assert any("no known mechanism asked for" in text for text in found.violations)


def test_a_record_that_makes_a_method_fail_is_told_of_without_its_values():
    def measure(layout, moments):
        def made(records, purse):
            if sum(records.fold(KeptCodes())[-1]):
                raise ValueError("17 is private")
            return moments.perturb(records, purse)

        return moments.noise, made

    domain = price(COUNTED, method="modips", epsilon=1).domain
    found = freeze(moments_method(measure).plan(domain, PureDP(1)), neighbours(domain))
    assert "the method fails on a table: ValueError" in found.violations
    assert not any("17" in text for text in found.violations)


def accepted():
    """Every registered method with every kind of budget and neighbour relation that it takes."""
    from sfumato.errors import ParameterError, SchemaError

    for name, method in METHODS.items():
        for relation in ("replace-one", "add-remove"):
            marks = []  # of one relation the first kind of budget; the others in the slow run
            for budget in KINDS:
                if not method.budgeted:
                    continue
                schema = {**method.audit.schema, "neighbours": relation}
                try:
                    plan = price(schema, method=name, **budget, **method.audit.options)
                except (ParameterError, SchemaError):
                    continue
                figures = ",".join(f"{key}={value}" for key, value in budget.items())
                yield pytest.param(plan, id=f"{name}-{figures}-{relation}", marks=marks)
                marks = [pytest.mark.slow]


@pytest.mark.parametrize("plan", list(accepted()))
def test_no_method_moves_beyond_its_sensitivity_under_any_budget_and_relation(plan):
    found = freeze(plan, neighbours(plan.domain))
    assert found.violations == ()
    assert found.worst is None or 0 < found.worst <= 1 + 1e-9


@pytest.mark.parametrize("name", ["modips", "dp-lda", "lap-pca"])
def test_a_schema_of_every_kind_of_column_is_compared_as_well(name):
    plan = price(WIDE, method=name, epsilon=1)
    found = freeze(plan, neighbours(plan.domain))
    assert found.violations == ()
    assert 0.5 < found.worst <= 1 + 1e-9


def test_the_candidates_are_the_extremes_of_the_domain():
    plan = price(WIDE, method="modips", epsilon=1)
    found = neighbours(plan.domain)
    texts = [neighbour.text for neighbour in found]
    assert texts[0] == "size=-1.0, dose=0.0, ward=a, site=x, seen=2020-01-01, sick=False"
    assert texts[1] == "size=3.0, dose=2.0, ward=else, site=y, seen=2020-01-09, sick=True"
    for level in ("ward=b", "ward=else", "site=missing", "dose=missing", "sick=True", "size=1.0"):
        assert any(level in text for text in texts), level
    assert any("dose=missing" in text and "site=missing" in text for text in texts)
    assert len(set(texts)) == len(texts) == len(candidates(plan.domain))


def test_under_add_remove_the_first_table_lacks_the_record():
    plan = price({**WIDE, "neighbours": "add-remove"}, method="modips", epsilon=1)
    found = neighbours(plan.domain)
    sizes = [neighbour.records.fold(Rows()) for neighbour in found]
    assert found[0].text == ABSENT
    assert sizes == [4] + [5] * (len(found) - 1)


def test_directions_that_are_flat_on_a_block_are_priced_for_records_drawn_in():
    """Drawn into a ball, a dummy shrinks with its record: the block moves without a change."""
    columns = {
        "n": {"kind": "integer", "low": 0, "high": 2},
        "c": {"kind": "category", "values": ["a", "b", "c"]},
    }
    w = 3**-0.5
    basis = {"rows": 10, "values": [1, 0, 0, 0], "U": [[0.001, w, w, w]], "mean": [0] * 4}
    found = audit(
        "lop",
        epsilon=1,
        schema={"name": "t", "columns": columns},
        basis=basis,
        rank=1,
        radius="1",
        runs=20,
        effort=0,
        seed=1,
    )
    assert found.violations == ()
    assert found.worst is not None
    assert found.worst <= 1


@pytest.mark.parametrize("relation", ["replace-one", slow("add-remove")])
def test_draws_are_frozen_as_well_and_half_of_their_sensitivity_is_caught(relation, monkeypatch):
    bit = {"kind": "boolean"}
    columns = {"a": bit, "b": bit, "c": bit}
    domain = price({"name": "t", "neighbours": relation, "columns": columns}, epsilon=1).domain
    records = 4_000 if relation == "replace-one" else 2_500  # so few that pairs are chosen
    plan = METHODS["mosaic"].plan(domain, PureDP(1), records)
    assert "pairs to measure" in [event.statistic for event in plan.events]
    found = freeze(plan, neighbours(domain))
    assert found.complete
    assert found.worst == 1
    assert not found.violations
    assert found.loss <= 1
    assert not found.steady  # what is expected of a pair follows earlier noise

    honest = PairChoice.choice.fget
    monkeypatch.setattr(
        PairChoice,
        "choice",
        property(lambda self: replace(honest(self), sensitivity=honest(self).sensitivity / 2)),
    )
    caught = freeze(METHODS["mosaic"].plan(domain, PureDP(1), records), neighbours(domain))
    assert any(text.startswith("pairs to measure: ") for text in caught.violations)
    assert caught.worst > 1
