"""local: promise, brute force of what runs, order, the ledger, refusals."""

from fractions import Fraction
from itertools import product

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import BudgetError, DataError, ParameterError, SchemaError
from sfumato.inspection.audit.step import steps_of
from sfumato.inspection.audit.tape import TapePurse, taped
from sfumato.ledger import Ledger
from sfumato.measure.local import Answers
from sfumato.privacy.guarantee import LocalDP, PureDP, compose
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import SeededBits
from sfumato.publishing.table import price
from sfumato.synopsis.questionnaire import Questionnaire
from sfumato.table.records import Records
from sfumato.table.source import open_source

SCHEMA = {
    "name": "survey",
    "columns": {
        "age": {"kind": "integer", "low": 0, "high": 4, "missing": "allowed"},
        "ward": {"kind": "category", "values": ["a", "b", "c"], "other": "else"},
        "sick": {"kind": "boolean"},
    },
}
ROWS = [
    {"age": age, "ward": ward, "sick": sick}
    for age, ward, sick in product((None, "0", "3", "99"), ("a", "c", "zzz", None), ("true", "x"))
]


def survey(rows=200):
    rng = np.random.default_rng(1)
    return pa.table(
        {
            "age": rng.integers(0, 5, rows),
            "ward": rng.choice(["a", "b", "c", "d"], rows),
            "sick": rng.random(rows) < 0.3,
        }
    )


def one_record(plan, row):
    table = pa.table({name: pa.array([value], pa.string()) for name, value in row.items()})
    return Records(open_source(table), plan.domain)


@pytest.mark.parametrize("encoding", ["direct", "unary"])
@pytest.mark.parametrize(("missing", "attained"), [(None, 3), ("allowed", 3 - 3 / 16)])
def test_brute_force_over_all_pairs_of_records_attains_epsilon_and_never_exceeds_it(
    missing, attained, encoding
):
    """The very code that runs, on tape: the price of each pair under what was really asked for.

    A missing number stands at the middle, so that it never moves by the whole range as well.
    """
    age = {**SCHEMA["columns"]["age"], "missing": missing}
    schema = {**SCHEMA, "columns": {**SCHEMA["columns"], "age": age}}
    plan = price(schema, method="local", epsilon=3, encoding=encoding, weights={"ward": 2})
    with taped():
        runs, script = [], None
        for row in ROWS:
            purse = TapePurse(plan.guarantee, seed=0, script=script)
            list(plan.measure(one_record(plan, row), purse))
            script = script or purse.outputs
            runs.append(steps_of(purse.tape, purse.events))
    worst = 0.0
    for mine in runs:
        each = [step.moved([other[k] for other in runs]).epsilon for k, step in enumerate(mine)]
        worst = max(worst, float(np.sum(each, axis=0).max()))
    assert worst == pytest.approx(attained, rel=1e-12)


def test_the_promise_is_local_and_what_it_implies_is_charged(tmp_path):
    ledger = Ledger.create(tmp_path / "ledger.db")
    ledger.grant("survey", PureDP(3), reason="a survey")
    release = sf.publish(
        survey(), schema=SCHEMA, method="local", epsilon=2, ledger=ledger, folder=tmp_path / "r"
    )
    assert release.guarantee == LocalDP(2)
    assert release.certificate.statement == "2-local differential privacy"
    assert compose(*(event.cost for event in release.certificate.events)) == LocalDP(2)
    assert all(check.passed for check in sf.verify(tmp_path / "r", ledger=ledger))
    # A central release after it: both together are 3-DP, and no more is granted.
    sf.publish(survey(), schema=SCHEMA, method="modips", epsilon=1, ledger=ledger)
    with pytest.raises(BudgetError):
        sf.publish(survey(), schema=SCHEMA, method="local", epsilon="0.01", ledger=ledger)


def test_a_central_statistic_is_not_bought_with_a_local_promise():
    local, central = (
        next(iter(price(SCHEMA, method=name, epsilon=1).events)) for name in ("local", "modips")
    )
    with pytest.raises(BudgetError):
        Purse(LocalDP(1), SeededBits(0)).spend(central)
    assert Purse(PureDP(1), SeededBits(0)).spend(local)  # the other way it is true


def test_a_record_alone_answers_as_it_does_among_others():
    """What is asked of a record does not depend on the others."""
    domain = price(SCHEMA, method="local", epsilon=1).domain
    asked = Answers(Questionnaire.of(domain, Fraction(1)))
    codes = np.array([[2, 1, 0]], np.int32)
    for question in asked.questionnaire.questions:
        alone = question.query(codes)
        among = question.query(np.vstack([codes, [[4, 3, 1]]]).astype(np.int32))
        assert among[0] == alone[0]


def test_answers_come_in_the_order_of_the_records_or_shuffled():
    kept = sf.publish(survey(), schema=SCHEMA, method="local", epsilon=10**6, encoding="direct")
    assert kept.table["sick"].to_pylist() == [str(v).lower() for v in survey()["sick"].to_pylist()]
    assert "the order of the records" in kept.certificate.invariants
    mixed = sf.publish(survey(), schema=SCHEMA, method="local", epsilon=10**6, order="shuffled")
    assert mixed.certificate.invariants == ("the number of records",)
    names = ["ward", "sick"]
    rows = [
        sorted(zip(*(t[n].to_pylist() for n in names), strict=True))
        for t in (kept.table, mixed.table)
    ]
    assert rows[0] == rows[1]
    assert kept.table["sick"].to_pylist() != mixed.table["sick"].to_pylist()


def test_a_single_record_is_published_alone_and_no_record_is_not():
    one = sf.publish(survey(1), schema=SCHEMA, method="local", epsilon=1)
    assert one.table.num_rows == 1
    assert one.table.column_names == ["age", "age=(missing)", "ward", "sick"]
    with pytest.raises(DataError, match="the data has no record"):
        sf.publish(survey(0), schema=SCHEMA, method="local", epsilon=1)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"epsilon": 1, "delta": "1e-6"}, "pure epsilon-local"),
        ({"rho": 1}, "pure epsilon-local"),
        ({"epsilon": 1, "order": "sorted"}, "order must be one of kept, shuffled"),
        ({"epsilon": 1, "weights": "age"}, "COLUMN=WEIGHT"),
        ({"epsilon": 1, "weights": "age=1,age=2"}, "each column once"),
        ({"epsilon": 1, "encoding": 3}, "encoding must be one of"),
        ({"epsilon": "1e-9"}, "at least 1e-9 for each column"),
        ({"epsilon": 1, "wieghts": "age=1"}, "did you mean weights"),
    ],
)
def test_wrong_input_is_refused_before_anything_is_read(given, said):
    with pytest.raises(ParameterError, match=said):
        price(SCHEMA, method="local", **given)


def test_add_remove_is_refused():
    with pytest.raises(SchemaError, match="the number of records shows"):
        price({**SCHEMA, "neighbours": "add-remove"}, method="local", epsilon=1)


def test_weights_are_read_as_a_person_writes_them_and_certified_as_a_table(tmp_path):
    said = sf.publish(survey(), schema=SCHEMA, method="local", epsilon=4, weights="ward=2, age=1/2")
    assert said.certificate.options["weights"] == {"ward": "2", "age": "1/2"}
    said.save(tmp_path / "r")
    assert all(check.passed for check in sf.verify(tmp_path / "r"))
