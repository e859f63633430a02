"""What a record is asked: shares of the budget, encodings, columns, refusals."""

from fractions import Fraction

import numpy as np
import pytest

from sfumato.errors import ParameterError, SchemaError
from sfumato.privacy.answer import DirectResponse, UnaryResponse
from sfumato.privacy.guarantee import LocalDP, compose
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.synopsis.questionnaire import Choice, Figure, Questionnaire

WARDS = [f"w{k}" for k in range(40)]
COLUMNS = {
    "age": {"kind": "integer", "low": 18, "high": 98},
    "dose": {"kind": "number", "low": 0, "high": 2, "step": 0.5, "missing": "allowed"},
    "ward": {"kind": "category", "values": WARDS},
    "sick": {"kind": "boolean", "missing": "allowed"},
    "only": {"kind": "category", "values": ["one"]},
    "seen": {"kind": "date", "low": "2020-01-01", "high": "2020-03-31"},
}


def domain(**columns):
    return Domain.of(Schema.of({"name": "t", "columns": columns or COLUMNS}))


def asked(epsilon=Fraction(5), **options):
    return Questionnaire.of(domain(), epsilon, **options)


def test_all_questions_together_cost_just_what_a_record_may_lose():
    costs = [event.cost for event in asked().events]
    assert compose(*costs) == LocalDP(5)
    by_column = {}
    for question in asked().questions:
        spent = by_column.get(question.name, 0) + question.event.cost.epsilon
        by_column[question.name] = spent
    assert by_column == dict.fromkeys(("age", "dose", "ward", "sick", "seen"), Fraction(1))


def test_weights_share_the_budget():
    costs = {q.event.statistic: q.event.cost for q in asked(weights={"age": "4"}).questions}
    assert costs["numbers of age"] == LocalDP(Fraction(20, 8))
    assert costs["numbers of dose"] == costs["missing values of dose"] == LocalDP("5/16")
    assert compose(*costs.values()) == LocalDP(5)


def test_the_encoding_follows_from_the_number_of_values_and_epsilon():
    kinds = {q.name: type(q.response) for q in asked().questions if isinstance(q, Choice)}
    assert kinds == {"dose": DirectResponse, "ward": UnaryResponse, "sick": DirectResponse}
    much = {
        q.name: type(q.response) for q in asked(Fraction(50)).questions if isinstance(q, Choice)
    }
    assert much["ward"] is DirectResponse
    for encoding, kind in (("direct", DirectResponse), ("unary", UnaryResponse)):
        (ward,) = (q for q in asked(encoding=encoding).questions if q.name == "ward")
        assert type(ward.response) is kind


def test_columns_are_one_for_each_number_and_direct_answer_and_one_for_each_bit():
    columns = asked().columns
    assert list(columns)[:3] == ["age", "dose", "dose=(missing)"]
    assert columns["age"] == columns["dose=(missing)"] == columns["ward=w7"] == "int64"
    assert columns["dose"] == "double"
    assert columns["sick"] == "string"
    assert columns["seen"] == "int64"
    assert "only" not in columns
    assert len(columns) == 5 + len(WARDS)


def test_numbers_are_written_in_the_unit_of_the_column_also_beyond_its_range():
    figures = {q.name: q for q in asked().questions if isinstance(q, Figure)}
    assert figures["age"].values(np.array([-3, 0, 200])).tolist() == [15, 18, 218]
    assert figures["dose"].values(np.array([-1, 1, 4])).tolist() == [-0.5, 0.5, 2.0]
    assert figures["seen"].values(np.array([0, 90])).tolist() == [0, 90]
    assert figures["dose"].query(np.array([[0, -1, 0, 0, 0, 0]])).tolist() == [2]  # the middle


def test_what_is_missing_is_a_category_or_a_flag():
    flag = next(q for q in asked().questions if isinstance(q, Choice) and q.flag)
    assert flag.query(np.array([[0, -1], [0, 3]])).tolist() == [1, 0]
    sick = next(q for q in asked().questions if q.name == "sick")
    assert sick.answers == ("false", "true", "(missing)")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"encoding": "best of all"}, "encoding must be one of best, direct, unary"),
        ({"weights": {"agee": 1}}, "weights name agee"),
        ({"weights": {"only": 1}}, "weights name only, which is no column with several values"),
        ({"weights": {"age": 0}}, "weight of age must be a number above 0"),
        ({"weights": {"age": "much"}}, "weight of age must be"),
    ],
)
def test_wrong_options_are_refused(options, said):
    with pytest.raises(ParameterError, match=said):
        asked(**options)


def test_what_cannot_be_asked_is_refused():
    with pytest.raises(SchemaError, match="nothing to ask"):
        Questionnaire.of(domain(only=COLUMNS["only"]), Fraction(1))
    both = {"ward": COLUMNS["ward"], "ward=w7": {"kind": "integer", "low": 0, "high": 9}}
    with pytest.raises(SchemaError, match="column ward=w7: the answers would have it twice"):
        Questionnaire.of(domain(**both), Fraction(1), encoding="unary")
    twice = {"kind": "category", "values": ["(missing)", "a"], "missing": "allowed"}
    with pytest.raises(SchemaError, match="two values are called alike"):
        Questionnaire.of(domain(ward=twice), Fraction(1))


def test_unary_answers_of_very_many_values_are_refused_and_never_the_best():
    many = {"ward": {"kind": "category", "values": [f"v{k}" for k in range(300)]}}
    (question,) = Questionnaire.of(domain(**many), Fraction(1)).questions
    assert type(question.response) is DirectResponse
    with pytest.raises(ParameterError, match="column ward: unary answers would be 300 columns"):
        Questionnaire.of(domain(**many), Fraction(1), encoding="unary")
