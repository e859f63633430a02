"""One account, one promise: charges about different units or neighbours are never added up."""

import sqlite3

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from ledger_world import ABOUT, PLAN, lines_in
from sfumato.errors import BudgetError, LedgerError
from sfumato.ledger import Ledger
from sfumato.ledger.audit import replay
from sfumato.ledger.chain import hash_of
from sfumato.privacy.guarantee import Heuristic, PureDP

OTHER = "one record (row) of the table; add-remove"
RECORDS = pa.table({"a": [True] + [False] * 29})


@pytest.fixture
def ledger(tmp_path):
    with Ledger.create(tmp_path / "budget.db") as ledger:
        ledger.grant("clinic", PureDP(9), reason="board")
        yield ledger


def table(neighbours):
    return {"name": "clinic", "neighbours": neighbours, "columns": {"a": {"kind": "boolean"}}}


def publications(ledger):
    """Each kind of data under one name."""
    counts = pa.table({"key": [f"k{i}" for i in range(30)], "count": [3] * 30})
    edges = pa.table({"source": ["a", "b"], "target": ["b", "c"], "weight": [1.0, 2.0]})
    paid = {"epsilon": 1, "ledger": ledger}
    return {
        "replaced records": lambda: sf.publish(RECORDS, schema=table("replace-one"), **paid),
        "added records": lambda: sf.publish(RECORDS, schema=table("add-remove"), **paid),
        "a network": lambda: sf.publish_network(
            edges, name="clinic", directed=False, high=9, **paid
        ),
        "a stream": lambda: sf.publish_stream(
            np.zeros(8, np.uint8), name="clinic", horizon=8, **paid
        ),
        "counts": lambda: sf.publish_counts(counts, name="clinic", **paid),
    }


@pytest.mark.parametrize("first", publications(None))
def test_after_one_kind_of_promise_every_other_is_refused_before_its_charge(ledger, first):
    publish = publications(ledger)
    publish[first]()
    spent = ledger.balance("clinic").spent
    for name, again in publish.items():
        if name != first:
            with pytest.raises(BudgetError, match="the same unit and neighbours"):
                again()
    assert ledger.balance("clinic").spent == spent
    publish[first]()
    assert ledger.balance("clinic").spent.micro_epsilon == 2 * spent.micro_epsilon


def test_what_promises_nothing_binds_nothing(ledger):
    ledger.grant("clinic", Heuristic("allowed"), reason="board", heuristic=True)
    ledger.reserve("bare", "clinic", Heuristic("none"), plan=PLAN, protects=OTHER)
    assert ledger.balance("clinic").protects is None
    ledger.reserve("r", "clinic", PureDP(1), plan=PLAN, protects=ABOUT)
    ledger.reserve("bare again", "clinic", Heuristic("none"), plan=PLAN, protects=OTHER)
    ledger.verify()


def test_names_of_the_same_data_bear_one_promise_also_by_way_of_others(ledger):
    for name in ("one", "two", "three"):
        ledger.grant(name, PureDP(9), reason="board")
    ledger.allow("one", "two", "the same people")
    ledger.allow("two", "three", "the same people")
    ledger.reserve("a", "one", PureDP(1), plan=PLAN, protects=ABOUT)
    with pytest.raises(BudgetError, match="of 'one', which is the same data"):
        ledger.reserve("b", "three", PureDP(1), plan=PLAN, protects=OTHER)
    ledger.reserve("c", "clinic", PureDP(1), plan=PLAN, protects=OTHER)
    with pytest.raises(BudgetError, match="one budget cannot cover both"):
        ledger.allow("clinic", "three", "the same people")
    ledger.verify()


def test_once_every_charge_is_given_back_the_promise_may_be_another(ledger):
    for release in ("a", "b"):
        ledger.reserve(release, "clinic", PureDP(1), plan=PLAN, protects=ABOUT)
    ledger.refund("a", reason="a mistake")
    with pytest.raises(BudgetError, match="the same unit"):
        ledger.reserve("c", "clinic", PureDP(1), plan=PLAN, protects=OTHER)
    ledger.refund("b", reason="a mistake")
    ledger.reserve("c", "clinic", PureDP(1), plan=PLAN, protects=OTHER)
    ledger.verify()


def test_the_auditor_refuses_a_forged_sum_of_two_promises(ledger):
    ledger.grant("other", PureDP(9), reason="board")
    ledger.allow("clinic", "other", "the same people")
    ledger.reserve("a", "clinic", PureDP(1), plan=PLAN, protects=ABOUT)
    ledger.reserve("b", "other", PureDP(1), plan=PLAN, protects=ABOUT)
    lines = [event for event, _ in lines_in(ledger)]

    def audited(last):
        history, head = [], lines[0].previous
        for event in [*lines[:-1], last]:
            event = event._replace(previous=head)
            history.append((event, head := hash_of(event)))
        return replay(history, ledger.ledger_id)

    audited(lines[-1])
    for protects, fault in ((OTHER, "different units"), (None, "does not say what it protects")):
        with pytest.raises(LedgerError, match=fault):
            audited(lines[-1]._replace(protects=protects))


def test_the_loss_of_two_relations_together_passes_what_their_charges_add_up_to():
    """Why: the sum of two prices of 1 is 2, and replacing one record costs 3."""
    scales = {}
    for neighbours in ("replace-one", "add-remove"):
        release = sf.publish(RECORDS, schema=table(neighbours), epsilon=1, fit=False)
        scales[neighbours] = release.certificate.events[0].size
    replaced = 2  # one count less, another more
    assert sum(replaced / scale for scale in scales.values()) == pytest.approx(3)


def test_the_file_itself_refuses_a_second_promise(ledger, tmp_path):
    ledger.reserve("a", "clinic", PureDP(1), plan=PLAN, protects=ABOUT)
    other_program = sqlite3.connect(tmp_path / "budget.db", isolation_level=None)
    with pytest.raises(sqlite3.IntegrityError, match="protects one unit"):
        other_program.execute(
            "INSERT INTO event SELECT sequence + 1, 'grant', dataset, NULL, NULL, NULL, NULL, 0, 0,"
            " 0, 0, granted_micro_epsilon, 0, 0, spent_micro_epsilon, 0, 0, releases, 0, 0,"
            " 'another', parts, who, '{}', clock, nonce, hash, 'forged' FROM event"
            " ORDER BY sequence DESC LIMIT 1"
        )
    other_program.close()


def test_parts_of_a_series_are_counted_in_order_and_once(ledger):
    ledger.reserve("s", "clinic", PureDP(1), plan=PLAN, protects=ABOUT)
    with pytest.raises(LedgerError, match="was not started in this ledger"):
        ledger.go_on("s", 1, plan=PLAN)
    ledger.draw("s", None)
    with pytest.raises(LedgerError, match="part 2 of 's' cannot follow: part 1 is missing"):
        ledger.go_on("s", 2, plan=PLAN)
    spent = ledger.balance("clinic")
    for number in (1, 2):
        part = ledger.go_on("s", number, plan=PLAN)
        assert (part.release, part.state, part.part) == (f"s+{number}", "reserved", number)
        assert ledger.go_on("s", number, plan=PLAN) == part  # nothing was drawn yet
        ledger.draw(part.release, None)
        assert ledger.go_on("s", number, plan=PLAN).state == "drawn"
        with pytest.raises(LedgerError, match="has drawn its noise"):
            ledger.draw(part.release, None)
        with pytest.raises(LedgerError, match="another data set, guarantee, plan or part"):
            ledger.go_on("s", number, plan="0" * 8)
        ledger.settle(part.release, "0123456789abcdef")
    assert ledger.balance("clinic") == spent
    assert ledger.entry("s").state == "drawn"
    ledger.verify()


def test_a_part_cannot_be_refunded_into_budget(ledger):
    ledger.reserve("s", "clinic", PureDP(1), plan=PLAN, protects=ABOUT)
    ledger.draw("s", None)
    ledger.go_on("s", 1, plan=PLAN)
    with pytest.raises(LedgerError, match="cost nothing"):
        ledger.refund("s+1", reason="a try")
    assert ledger.balance("clinic").releases == 1
    ledger.verify()
