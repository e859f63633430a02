"""Answers that are paid for: order of charge, noise and store; kills; messages; the store."""

from fractions import Fraction
from math import exp
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chisquare

from killing import kill_at_every_line, quick_folder
from ledger_world import forget_heads
from query_world import LENGTH, client_spent, desk, funded, named, question, spent, stored
from sfumato.errors import BudgetError, LedgerError, ParameterError
from sfumato.ledger import Ledger
from sfumato.privacy.guarantee import PureDP
from sfumato.retrieval.client import Prepared
from sfumato.retrieval.counts import Counts
from sfumato.retrieval.desk import Answered, Asked
from sfumato.retrieval.protocol import Question
from sfumato.retrieval.store import AnswerStore, Stored
from slowness import slow

FALSE_ALARM = 1e-6  # chance that a right mechanism fails one statistical test


@pytest.fixture
def folder(tmp_path):
    return funded(tmp_path)


def test_an_empty_purse_still_repeats_what_was_given(folder):
    with desk(folder, price=Fraction(1, 2)) as ours:
        first = ours.answer([question("question-1"), question("question-1")])
        assert first[0] == first[1]
        replies = ours.answer([question(f"question-{k}") for k in range(1, 5)])
        assert replies[0] == first[0]
        assert isinstance(replies[1], Answered)
        assert [reply.status for reply in replies[2:]] == [403, 403]
        assert ours.left == 0
    assert spent(folder) == 1_000_000


def test_the_charge_is_on_the_disk_before_noise_and_the_answer_before_it_leaves(
    folder, monkeypatch
):
    """What another process would see at the moment of the draw, and of the store."""
    seen = []
    with desk(folder) as ours:
        noisy, add = ours._noisy, ours._store.add

        def watched(answers):
            seen.append(("noise", spent(folder), stored(folder)))
            return noisy(answers)

        def keeping(*rows):
            add(*rows)
            seen.append(("stored", spent(folder), stored(folder)))

        monkeypatch.setattr(ours, "_noisy", watched)
        monkeypatch.setattr(ours._store, "add", keeping)
        ours.answer([question("question-1"), question("question-2")])
    assert seen == [("noise", 20_000, 0), ("stored", 20_000, 2)]


def test_what_a_killed_run_had_stored_is_settled_by_the_next(folder):
    with desk(folder) as ours:
        ours.answer([question("question-1")])
        assert [entry.state for entry in ours._ledger.unfinished()] == ["drawn"]
    with desk(folder) as ours:
        assert not ours._ledger.unfinished()


def test_a_second_desk_leaves_the_blocks_of_a_living_one_alone(folder):
    with desk(folder) as first:
        first.answer([question("question-1")])
        with desk(folder) as second:
            assert [entry.state for entry in second._ledger.unfinished()] == ["drawn"]
            second.answer([question("question-2")])
        first.answer([question("question-3")])
        first.settle()
    with desk(folder) as last:
        assert not last._ledger.unfinished()
        last._ledger.verify()


def test_what_is_bought_ahead_is_a_hundredth_of_what_is_left_and_only_in_a_crowd(folder):
    with Ledger(folder / "budget.db") as ledger:
        ledger.grant("words", PureDP(19), reason="a test")  # 2 000 answers in all
    with desk(folder) as ours:
        ours.answer([question("question-0")])
        assert spent(folder) == 10_000  # the first question comes alone
        for k in range(1, 80):
            ours.answer([question(f"question-{k}")])
            ours.settle()
            lost = spent(folder) // 10_000 - stored(folder)
            assert 0 <= lost <= 20
        assert len(ours._ledger.unfinished()) <= 1
        assert lost
        ours.close()
        assert not ours._ledger.unfinished()
    with desk(folder) as ours:  # the rest of a block is not found again
        assert ours.left == 2000 - spent(folder) // 10_000 == 1920 - lost


@pytest.mark.parametrize("stride", [19, slow(5)])
@pytest.mark.parametrize("clients", [(None, None), slow(("anna", "bob"))])
def test_a_kill_at_any_line_leaves_no_answer_unpaid_and_no_id_with_two_answers(stride, clients):
    """Two questions; what the clients got is in a file.  Then the same questions again."""
    asked = [Asked(question(f"question-{k}"), client) for k, client in enumerate(clients)]
    with quick_folder() as place:
        home = funded(Path(place))
        for client in filter(None, clients):
            named(home, client)
        got = home / "got.txt"
        whole = (home / "budget.db").read_bytes()

        def prepare():
            for file in home.iterdir():
                if file.name != "budget.db.key":
                    file.unlink()
            forget_heads()
            (home / "budget.db").write_bytes(whole)

        def action():
            with desk(home) as ours:
                replies = ours.reply(asked)
                got.write_text(" ".join(str(reply.value) for reply in replies))
                ours.settle()

        def check(_):
            before = got.read_text() if got.exists() else None
            with Ledger(home / "budget.db") as ledger:
                cost = ledger.balance("words").spent.micro_epsilon
            held = stored(home) if (home / "answers.db").exists() else 0
            assert cost >= held * 10_000
            if held and clients != (None, None):  # both answers are kept at once
                assert min(client_spent(home).values()) >= 10_000
            assert before is None or held == 2
            action()
            assert stored(home) == 2
            assert spent(home) <= cost + 20_000
            assert before in (None, got.read_text())

        files = ("retrieval/desk.py", "retrieval/stock.py", "retrieval/store.py")
        assert kill_at_every_line(action, files, check, prepare, stride=stride) > 100


def test_two_processes_that_race_for_an_id_give_one_answer(folder, monkeypatch):
    """The second looks before the first has stored, pays as well, and hands out the first's."""
    with desk(folder) as first, desk(folder) as second:
        given = first.answer([question("question-1")])
        find, looks = second._store.find, []

        def late(*asked):
            looks.append(asked)
            return {} if len(looks) == 1 else find(*asked)

        monkeypatch.setattr(second._store, "find", late)
        assert second.answer([question("question-1")]) == given
        assert (spent(folder), stored(folder)) == (20_000, 1)
        for one in (first, second):
            one.settle()
        assert not first._ledger.unfinished()


def test_the_same_counts_under_another_name_are_refused_and_cost_nothing(folder):
    with Ledger(folder / "budget.db") as ledger:
        ledger.grant("twin", PureDP(1), reason="a test")
    with desk(folder) as ours:
        ours.answer([question("question-1")])
    with desk(folder, dataset="twin") as ours:
        with pytest.raises(BudgetError, match="already known as 'words'"):
            ours.answer([question("question-2")])
        head = ours._ledger.head
        with pytest.raises(BudgetError, match="already known as 'words'"):
            ours.answer([question("question-3")])
        assert ours._ledger.head == head  # asking again writes nothing
        assert ours.left == 100


def test_a_data_set_without_a_budget_is_refused_at_the_start(folder):
    with pytest.raises(BudgetError, match="has no budget"), desk(folder, dataset="nobody"):
        pass


@pytest.mark.parametrize(("error", "passes"), [(1, True), slow(0.85, False), (1.15, False)])
def test_every_answer_has_fresh_noise_of_the_stated_scale(folder, error, passes):
    """Unit questions at ε = ¼ read single noisy counts: 20 000 draws in batches."""
    with Ledger(folder / "budget.db") as ledger:
        ledger.grant("words", PureDP(10_000), reason="a test")
    few = Counts.of([f"k{k}" for k in range(20)], range(20))
    noise = []
    with desk(folder, few, Fraction(1, 4)) as ours:
        asked = np.zeros(20)
        asked[7] = 1
        for batch in range(20):
            names = [f"question-{batch}-{k}" for k in range(1000)]
            found = ours.answer([Question(name, "query", asked) for name in names])
            noise += [int(reply.value) - 7 for reply in found]
    noise, n = np.array(noise), len(noise)
    p = exp(-1 / (4 * error))
    places = np.arange(-18, 19)
    chances = (1 - p) / (1 + p) * p ** np.abs(places)
    found = np.array([(noise == k).sum() for k in places])
    seen, expected = [*found, n - found.sum()], [*(chances * n), n * (1 - chances.sum())]
    assert (chisquare(seen, expected).pvalue > FALSE_ALARM) == passes


def test_the_store_is_private_and_is_no_other_database(folder):
    path = folder / "answers.db"
    with AnswerStore(path) as store:
        store.add("words", {"answers-1": [Stored("question-1", "c0ffee", 1.5)]})
        store.add("words", {"answers-2": [Stored("question-1", "beef", 2.5)]})
        assert store.find("words", ["question-1"])["question-1"].value == 1.5
        assert store.find("other", ["question-1"]) == {}
        for file in folder.glob("answers.db*"):
            assert file.stat().st_mode & 0o077 == 0
    with pytest.raises(LedgerError, match="database of another program"):
        AnswerStore(folder / "budget.db")
    with pytest.raises(LedgerError, match="cannot be kept"):
        AnswerStore(folder / "nowhere" / "answers.db")


@pytest.mark.parametrize("largest", [3, 300, 70_000, 2**40])
def test_messages_are_read_as_they_were_meant(largest, rng):
    numbers = rng.integers(-largest, largest, LENGTH).astype(float)
    asked = question("question-1", numbers)
    for again in (
        Question.from_bytes(asked.to_bytes(), LENGTH),
        Question.from_json(asked.to_json(), LENGTH),
    ):
        assert again.digest() == asked.digest()
        assert again.numbers.tolist() == numbers.tolist()
    some = np.where(rng.random(LENGTH) < 0.3, numbers, 0).astype(np.float32).astype(float)
    sparse = Question("question-1", "coefficients", some)
    assert Question.from_bytes(sparse.to_bytes(), LENGTH).digest() == sparse.digest()
    assert sparse.digest() != question("question-1", some).digest()


def test_a_query_that_is_not_whole_is_refused_before_anything_is_sent():
    with pytest.raises(ParameterError, match="whole numbers"):
        Prepared.of([0.5, 1], 1)
    with pytest.raises(ParameterError, match="whole numbers"):
        question("question-1", np.full(LENGTH, 0.5)).to_bytes()
