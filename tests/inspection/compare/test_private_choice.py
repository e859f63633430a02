"""A private choice: its score moves as claimed, its draw has its law, its price is paid."""

import sys
from fractions import Fraction
from itertools import product
from math import exp

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import beta, binomtest

from ledger_world import ABOUT
from sfumato.errors import (
    BudgetError,
    DataError,
    LedgerError,
    MissingExtra,
    ParameterError,
    SchemaError,
)
from sfumato.example import CLINIC, clinic
from sfumato.inspection.compare import private_choice as module
from sfumato.inspection.compare.fitness import PairCells, RightAnswers, fitness
from sfumato.inspection.compare.private_choice import choose_method, dealt
from sfumato.ledger import Ledger
from sfumato.privacy.budget import Charge
from sfumato.privacy.guarantee import ApproxDP, PureDP
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SeededBits
from sfumato.render.decode import Decoder
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from slowness import slow

FALSE_ALARM = 1e-6  # chance that a right mechanism fails one statistical test
SCHEMA = Schema.parse(CLINIC)
PATIENTS = clinic(1_200)
METHODS = ["dp-lda", "exponential"]
PLAIN = {"name": "t", "columns": {name: {"kind": "boolean"} for name in "ab"}}
LABELLED = {
    "name": "t",
    "columns": {
        "ward": {"kind": "category", "values": ["a", "b", "c"]},
        "age": {"kind": "integer", "low": 0, "high": 2},
        "ill": {"kind": "boolean", "role": "label"},
    },
}


def possible(domain):
    """Every record of a small domain."""
    return np.array(list(product(*(range(axis.codes) for axis in domain.axes))), np.int32)


def table(domain, codes):
    return pa.Table.from_batches([Decoder(domain).batch(np.asarray(codes, np.int32))])


# The score


@pytest.mark.parametrize(("schema", "kind"), [(PLAIN, PairCells), slow(LABELLED, RightAnswers)])
def test_brute_force_attains_the_sensitivity_and_never_exceeds_it(schema, kind, rng):
    domain = Domain.of(Schema.of(schema))
    judge, everyone = fitness(domain), possible(domain)
    assert isinstance(judge, kind)
    releases = [table(domain, everyone[rng.integers(len(everyone), size=n)]) for n in (40, 7, 3)]
    # One that knows the label and one that has it wrong: between them a record matters most.
    always = everyone[np.repeat(np.arange(len(everyone)), 3)]
    releases += [table(domain, always[always[:, -1] == side]) for side in (0, 1)]
    releases.append(table(domain, everyone[:0]))
    held = everyone[rng.integers(len(everyone), size=4)]
    moves = []
    for release in releases:
        before = judge.score(release, held)
        for place, record in product(range(len(held)), everyone):
            other = held.copy()
            other[place] = record
            moves.append(abs(judge.score(release, other) - before))
    assert max(moves) == judge.sensitivity


def test_a_score_is_a_whole_number_and_the_records_themselves_score_best(rng):
    domain = Domain.of(Schema.of(PLAIN))
    judge, everyone = PairCells(domain), possible(domain)
    held = everyone[rng.integers(4, size=50)]
    assert judge.score(table(domain, held), held) == 0
    assert judge.score(table(domain, everyone), held) < 0
    assert isinstance(judge.score(table(domain, held), held), int)


def test_right_answers_are_those_of_all_models_together():
    known, others = clinic(500), clinic(200, seed=2)
    domain = Domain.of(SCHEMA)
    judge = RightAnswers(domain)
    held = module.encoded(others, domain)
    right = judge.score(known.select(list(SCHEMA.released)), held)
    assert judge.sensitivity == 3
    assert 3 * 100 < right < 3 * 200


# The parts


@pytest.mark.parametrize("candidates", [2, 3, 5])
def test_a_record_lies_in_one_part_and_its_place_depends_on_no_record(candidates, rng):
    codes = rng.integers(0, 9, size=(101, 2)).astype(np.int32)
    judged, parts = dealt(codes, candidates)
    assert len(judged) + sum(map(len, parts)) == 101
    for place in range(101):
        other = codes.copy()
        other[place] += 1
        again, others = dealt(other, candidates)
        changed = [not np.array_equal(judged, again)]
        changed += [not np.array_equal(a, b) for a, b in zip(parts, others, strict=True)]
        assert sum(changed) == 1
    assert abs(len(judged) - 101 / 3) <= candidates


# The draw


class Remembered:
    """A judge whose scores were worked out beforehand, for many draws."""

    def __init__(self, judge, releases, held, sensitivity=None):
        self.sensitivity = sensitivity or judge.sensitivity
        self._scores = {id(release): judge.score(release, held) for release in releases}

    def score(self, release, _):
        return self._scores[id(release)]


DOMAIN = Domain.of(Schema.of(PLAIN))
ONES = table(DOMAIN, [[1, 1]] * 10)
ZEROS = table(DOMAIN, [[0, 0]] * 10)
HELD = np.array([[1, 1]] * 5 + [[0, 0]] * 5, np.int32)
NEIGHBOUR = np.array([[1, 1]] * 6 + [[0, 0]] * 4, np.int32)  # moves one score up, the other down


def draws(held, count, epsilon, sensitivity=None, seed=0):
    """How often the first of two releases is chosen."""
    releases, bits = [ONES, ZEROS], SeededBits(seed)
    judge = Remembered(PairCells(DOMAIN), releases, held, sensitivity)
    price = PureDP(epsilon)
    chosen = [module._drawn(judge, price, releases, held, Purse(price, bits)) for _ in range(count)]
    return chosen.count(0)


@pytest.mark.parametrize(("error", "passes"), [(1, True), (2, False)])
def test_the_draw_has_its_law_and_no_other(error, passes):
    """The scores part by 4 at a sensitivity of 2, so at ε = 1 the odds are e."""
    hits = draws(NEIGHBOUR, 4_000, 1, Fraction(2, error))
    expected = 1 / (1 + exp(-1))
    assert (binomtest(hits, 4_000, expected).pvalue > FALSE_ALARM) == passes


@pytest.mark.slow
@pytest.mark.parametrize(("claimed", "holds"), [(None, True), (Fraction(1), False)])
def test_neighbours_are_told_apart_by_no_more_than_epsilon(claimed, holds):
    """Half of the true sensitivity, the positive control, is caught."""
    epsilon, count, level = 2, 6_000, FALSE_ALARM / 4
    one = draws(HELD, count, epsilon, claimed, seed=0)
    two = draws(NEIGHBOUR, count, epsilon, claimed, seed=1)
    worst = 0.0
    for a, b in ((one, two), (count - one, count - two), (two, one), (count - two, count - one)):
        low = beta.ppf(level, a, count - a + 1)
        high = beta.ppf(1 - level, b + 1, count - b)
        worst = max(worst, low / high)
    assert (worst <= exp(epsilon)) == holds


def test_the_better_candidate_is_chosen_where_the_budget_allows():
    found = choose_method(
        PATIENTS, SCHEMA, methods=["exponential", "dp-lda"], epsilon=40, share="0.5", seed=3
    )
    assert found.method == "dp-lda"
    assert found.guarantee.label == "test (seeded)"


# The price


@pytest.fixture
def ledger(tmp_path):
    with Ledger.create(tmp_path / "budget.db") as ledger:
        ledger.grant("clinic", ApproxDP(10, "1e-6"), reason="approved")
        yield ledger


def test_the_share_is_charged_once_and_the_rest_is_left(ledger):
    asked = {"methods": METHODS, "epsilon": 4, "share": "0.25", "ledger": ledger, "release": "c"}
    found = choose_method(PATIENTS, SCHEMA, **asked)
    assert (found.guarantee, found.left) == (PureDP(1), PureDP(3))
    assert ledger.balance("clinic").spent == Charge(1_000_000)
    assert ledger.entry("c").state == "released"
    assert ledger.inspections("clinic") == {}
    with pytest.raises(LedgerError, match="published and settled"):
        choose_method(PATIENTS, SCHEMA, **asked)


def test_delta_is_shared_as_epsilon_is_and_pure_candidates_need_none(ledger):
    found = choose_method(
        PATIENTS,
        SCHEMA,
        methods=METHODS,
        epsilon=4,
        delta="1e-6",
        share="0.25",
        ledger=ledger,
    )
    assert found.guarantee == ApproxDP(1, "2.5e-7")
    assert found.left == ApproxDP(3, "7.5e-7")
    assert ledger.balance("clinic").spent == Charge(1_000_000, 250_000)


def test_the_charge_is_on_the_disk_before_a_record_is_read_and_the_draw_before_noise(
    ledger, monkeypatch
):
    states = []
    for name in ("encoded", "publish"):
        real = getattr(module, name)

        def watched(*args, real=real, name=name, **options):
            states.append((name, ledger.entry("c").state))
            return real(*args, **options)

        monkeypatch.setattr(module, name, watched)
    choose_method(
        PATIENTS, SCHEMA, methods=METHODS, epsilon=4, share="0.5", ledger=ledger, release="c"
    )
    assert states == [("encoded", "drawn"), ("publish", "drawn"), ("publish", "drawn")]


def test_the_bound_follows_from_public_facts_alone():
    found = choose_method(PATIENTS, SCHEMA, methods=METHODS, epsilon=8, share="0.5", seed=1)
    assert found.judged == 400
    assert found.within == pytest.approx(2 * np.log(2 * 20) / (4 * 400))


def test_more_than_is_left_is_refused_before_anything_is_read(ledger, monkeypatch):
    monkeypatch.setattr(module, "encoded", None)
    with pytest.raises(BudgetError, match="has epsilon 10 left"):
        choose_method(PATIENTS, SCHEMA, methods=METHODS, epsilon=40, share="0.5", ledger=ledger)


@pytest.mark.parametrize(
    ("changes", "refusal", "message"),
    [
        ({"methods": ["dp-lda"]}, ParameterError, "2 to 8 candidates"),
        ({"methods": ["dp-lda", "lap-pca"]}, ParameterError, "cannot be judged"),
        ({"methods": ["dp-lda", "nonsense"]}, ParameterError, "no method"),
        ({"share": 1}, ParameterError, "share must be"),
        ({"share": "0"}, ParameterError, "share must be"),
        ({"epsilon": "0.01"}, DataError, "at least 4428 records: name fewer methods"),
        ({"data": PATIENTS.slice(0, 80)}, DataError, "at least 90 records"),
        (
            {"data": PATIENTS.append_column("x", PATIENTS["age"])},
            DataError,
            "x is not in the schema",
        ),
        ({"share": "0.9999999"}, ParameterError, "nothing of epsilon for the release"),
        ({"delta": "1e-12"}, ParameterError, "nothing of delta for the release"),
        (
            {"schema": {**SCHEMA.to_json(), "neighbours": "add-remove"}},
            SchemaError,
            "replace-one",
        ),
    ],
)
def test_what_cannot_be_chosen_is_refused_before_the_charge(ledger, changes, refusal, message):
    asked = {"data": PATIENTS, "schema": SCHEMA, "methods": METHODS, "epsilon": 4, "share": "0.5"}
    asked |= changes
    with pytest.raises(refusal, match=message):
        choose_method(asked.pop("data"), asked.pop("schema"), **asked, ledger=ledger)
    assert ledger.balance("clinic").releases == 0


def test_without_scikit_learn_it_is_refused_before_the_charge(ledger, monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.tree", None)
    with pytest.raises(MissingExtra, match="scikit-learn"):
        choose_method(PATIENTS, SCHEMA, methods=METHODS, epsilon=4, share="0.5", ledger=ledger)
    assert ledger.balance("clinic").releases == 0


@pytest.mark.parametrize(("whole", "share"), [("4", "1/3"), ("3.3333333", "0.7"), ("9.9", "1/7")])
def test_what_is_left_can_be_published_from_a_budget_of_just_the_whole(tmp_path, whole, share):
    with Ledger.create(tmp_path / "exact.db") as ledger:
        ledger.grant("clinic", PureDP(whole), reason="just so much")
        found = choose_method(
            PATIENTS, SCHEMA, methods=METHODS, epsilon=whole, share=share, ledger=ledger
        )
        ledger.reserve("next", "clinic", found.left, plan="c0ffee00", protects=ABOUT)
        assert ledger.balance("clinic").left == Charge()


def test_what_promises_nothing_is_not_chosen_privately():
    columns = {name: {"kind": "number", "low": 0, "high": 1} for name in "ab"}
    data, schema = pa.table({name: [0.5] * 300 for name in "ab"}), {"name": "t", "columns": columns}
    for name in ("additive", "jl-gauss"):
        with pytest.raises(ParameterError, match="promises nothing"):
            choose_method(
                data, schema, methods=["modips", name], epsilon=4, delta="1e-6", share="0.5", seed=1
            )


def test_a_seed_and_a_ledger_exclude_each_other(ledger):
    with pytest.raises(ParameterError, match="seeded run is a test"):
        choose_method(
            PATIENTS, SCHEMA, methods=METHODS, epsilon=4, share="0.5", ledger=ledger, seed=1
        )
