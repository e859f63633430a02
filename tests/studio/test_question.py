"""Questions as addresses: what they ask, and that the answer is the library's."""

from fractions import Fraction

import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.accuracy import statement, table_statement
from sfumato.accuracy.collected import collected
from sfumato.accuracy.published import published
from sfumato.errors import ParameterError, ReleaseError
from sfumato.studio.answered import answered
from sfumato.studio.question import KINDS, Askable, Question

CLINIC = sf.Schema.parse(sf.example.CLINIC)


@pytest.fixture(scope="module")
def release():
    return sf.publish(sf.example.clinic(2_000), schema=CLINIC, epsilon=1, seed=5)


@pytest.fixture(scope="module")
def askable(release):
    return Askable(release)


def question(askable, **fields):
    places = {"column", "by"} & set(fields)
    numbered = {name: str(askable.names.index(fields[name])) for name in places}
    fields = {**fields, **numbered}
    listed = {n: v if isinstance(v, list) else [str(v)] for n, v in fields.items()}
    return Question.of(listed)


def test_a_count_is_answered_as_the_library_answers_it(askable, release):
    asked = question(askable, ask="count", column="ward", value=["1", "2"], confidence="90")
    own = statement.about_count(published(release), "ward", ["surgery", "oncology"], "0.9")
    assert askable.answer(asked) == own


def test_typed_values_are_the_same_as_ticked_ones(askable):
    ticked = question(askable, ask="count", column="ward", value=["1", "2"])
    typed = question(askable, ask="count", column="ward", values='surgery, "oncology"')
    assert askable.answer(ticked) == askable.answer(typed)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("count", "more", "table")])
def test_every_other_question_is_answered_as_the_library_answers_it(askable, release, kind):
    found, column = published(release), "age" if kind == "mean" else "sex"
    own = {
        "mean": lambda: statement.about_mean(found, column, "0.95"),
        "largest": lambda: statement.about_extreme(found, column, "0.95"),
        "smallest": lambda: statement.about_extreme(found, column, "0.95", largest=False),
        "column": lambda: table_statement.about_column(found, column, "0.95"),
    }[kind]()
    assert askable.answer(question(askable, ask=kind, column=column)) == own


def test_two_groups_and_tables_of_two_are_answered_as_the_library_answers_them(askable, release):
    found = published(release)
    more = question(askable, ask="more", column="sex", value="0", other="1")
    own = statement.about_difference(found, "sex", ["female"], ["male"], "0.95")
    assert askable.answer(more) == own
    partner = askable.partners(askable.names.index("ward"))[0]
    table = question(askable, ask="table", column="ward", by=askable.names[partner])
    own = table_statement.about_pair(found, "ward", askable.names[partner], "0.95")
    assert askable.answer(table) == own
    shown = answered(own)
    assert len(shown.rows) == len(own.figures["values"][0])
    assert shown.headings == ["ward", *own.figures["values"][1]]


def test_only_what_can_be_answered_is_offered(askable):
    assert list(askable.kinds) == list(KINDS)
    assert [askable.names[k] for k in askable.columns("mean")] == ["age", "weight", "pressure"]
    ward = askable.names.index("ward")
    for partner in askable.partners(ward):
        asked = question(askable, ask="table", column="ward", by=askable.names[partner])
        assert askable.whole(asked)
        askable.answer(asked)


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"ask": "nonsense", "column": "age"},
        {"ask": "count", "column": "ward"},
        {"ask": "more", "column": "ward", "value": "1"},
        {"ask": "mean", "column": "ward"},
        {"ask": "table", "column": "ward"},
        {"ask": "table", "column": "ward", "by": "ward"},
    ],
)
def test_a_question_that_lacks_something_is_not_answered_yet(askable, fields):
    assert not askable.whole(question(askable, **fields))


@pytest.mark.parametrize("place", ["-1", "999", "1e3", "１", "", "0" * 30])
def test_a_place_that_is_no_column_is_refused(askable, place):
    asked = Question.of({"ask": ["mean"], "column": [place]})
    assert not askable.whole(asked)
    with pytest.raises(ParameterError):
        askable.answer(asked)


@pytest.mark.parametrize(
    "level", ["0", "0.95", "100", "-5", "nan", "inf", "x", "1e-99999", "95." + "1" * 12, "9" * 40]
)
def test_a_confidence_that_is_none_is_refused(askable, level):
    asked = question(askable, ask="mean", column="age", confidence=level)
    with pytest.raises(ParameterError, match="confidence"):
        askable.answer(asked)


def test_a_confidence_is_read_exactly():
    assert Question.of({"confidence": ["99.9 %"]}).level == Fraction(999, 1000)
    assert Question.of({"confidence": ["1"]}).level == Fraction(1, 100)


def test_values_outside_of_the_list_are_refused_by_name(askable):
    asked = question(askable, ask="count", column="ward", values="nowhere")
    with pytest.raises(ParameterError, match="has no value 'nowhere'"):
        askable.answer(asked)


def test_bins_of_a_number_are_added_from_one_to_another(askable, release):
    names = list(published(release).counts["age"])
    span = f"{names[2].partition(' to ')[0]} to {names[9].rpartition(' to ')[2]}"
    asked = question(askable, ask="count", column="age", values=span)
    own = statement.about_count(published(release), "age", names[2:10], "0.95")
    assert askable.answer(asked).figures == own.figures


def test_answers_of_records_by_themselves_can_be_asked_too():
    release = sf.publish(sf.example.clinic(500), schema=CLINIC, method="local", epsilon=8, seed=1)
    askable = Askable(release)
    asked = question(askable, ask="count", column="ward", value="1")
    value = collected(release).count("ward", ["surgery"]).value
    assert askable.answer(asked).figures["value"] == value
    assert "table" not in askable.kinds


def test_a_release_without_figures_of_its_own_says_why_it_cannot_be_asked():
    schema = sf.Schema.of({"name": "t", "columns": {"a": {"kind": "boolean"}}})
    table = pa.table({"a": [True, False] * 5})
    release = sf.publish(table, schema=schema, method="identity-laplace", epsilon=1, seed=1)
    with pytest.raises(ReleaseError, match="moved to the nearest"):
        Askable(release)
