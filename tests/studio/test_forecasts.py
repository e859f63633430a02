"""Forecasts beside the pages: the last question first, nothing for nobody, and never too many."""

from threading import Event
from time import sleep

import pytest

import sfumato as sf
from sfumato.errors import Refused
from sfumato.schema import Schema
from sfumato.studio import forecasts
from sfumato.studio.forecasts import Forecasts, Question

SCHEMA = "{name: t, columns: {age: {kind: integer, low: 0, high: 9}, ill: {kind: boolean}}}"
FOUND = sf.forecast(Schema.parse(SCHEMA), records=900, epsilon=1)


def question(epsilon="1", **facts):
    return Question(SCHEMA, **{"records": 900, "epsilon": epsilon, **facts})


def settled(answers, asked):
    for _ in range(600):
        if (found := answers.answer(asked, 0.1)) is not None:
            return found
    raise AssertionError(f"no answer to {asked}")


@pytest.fixture
def made(monkeypatch):
    """What was forecast, in order; the first one waits until it may."""
    order, may = [], Event()

    def instead(asked, columns=None):
        order.append(asked.epsilon)
        may.wait(60)
        return FOUND

    monkeypatch.setattr(forecasts, "_forecast", instead)
    yield order, may
    may.set()


def begun(order):
    while not order:
        sleep(0.01)


def test_a_page_does_not_wait_and_the_next_one_finds_the_answer():
    answers = Forecasts()
    assert answers.answer(question()) is None
    assert settled(answers, question()) == FOUND
    assert answers.answer(question()) is settled(answers, question())


def test_the_last_question_is_answered_first_and_quick_ones_before_searches(made):
    order, may = made
    answers = Forecasts()
    answers.answer(question("1"))
    begun(order)
    for asked in (question("2"), question(None, want="counts within 1%"), question("3")):
        answers.answer(asked)
    may.set()
    settled(answers, question(None, want="counts within 1%"))
    assert order[:3] == ["1", "3", "2"]


def test_what_nobody_asks_any_more_is_not_made(made):
    order, may = made
    now = [0.0]
    answers = Forecasts(lambda: now[0])
    answers.answer(question("1"))
    begun(order)
    answers.answer(question("2"))
    now[0] = 7.0
    answers.answer(question("3"))
    may.set()
    settled(answers, question("3"))
    assert order == ["1", "3"]


def test_a_search_ends_where_nobody_asks_for_it_any_more(made):
    order, may = made
    now = [0.0]
    answers = Forecasts(lambda: now[0])
    search = question(None, want="counts within 0.0001%")
    answers.answer(search)
    begun(order)
    now[0] = 7.0
    may.set()
    assert answers.answer(question("5"), 60) == FOUND
    assert len(order) <= 3


def test_a_search_lets_quick_questions_pass(made):
    order, may = made
    answers = Forecasts()
    search = question(None, want="counts within 50%")
    answers.answer(search)
    begun(order)
    answers.answer(question("7"))
    may.set()
    assert answers.tried(search) == 1
    settled(answers, search)
    assert order[1] == "7"
    assert len(order) > 2
    assert answers.tried(search) == 0


def test_a_search_finds_what_a_forecast_finds():
    found = settled(Forecasts(), question(None, want="counts within 5%"))
    assert found == sf.forecast(Schema.parse(SCHEMA), records=900, want="counts within 5%")


def test_a_refusal_is_an_answer_and_a_fault_is_one():
    answers = Forecasts()
    refusal = settled(answers, question(method="lap-pca"))
    assert isinstance(refusal, Refused)
    with pytest.raises(AttributeError):
        settled(answers, Question(SCHEMA, records=900, epsilon=1, method=None))


def test_old_answers_make_room_for_new_ones(made):
    order, may = made
    may.set()
    answers = Forecasts()
    for k in range(1, 100):
        settled(answers, question(str(k)))
    settled(answers, question("99"))
    assert len(order) == 99
    settled(answers, question("1"))
    assert len(order) == 100


def test_no_thread_stays_when_nothing_is_asked(made):
    order, may = made
    may.set()
    answers = Forecasts()
    settled(answers, question())
    while answers._at_work:
        sleep(0.01)
    assert settled(answers, question("2")) == FOUND
    assert order == ["1", "2"]
