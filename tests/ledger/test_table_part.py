"""Parts of one table: what any record can have borne, against all records of small domains."""

import sqlite3
from functools import reduce
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from killing import CAN_TRACE, kill_at_every_change, kill_at_every_line, quick_folder
from ledger_world import ABOUT, PLAN, World, lines_in
from sfumato.errors import BudgetError, LedgerError, ParameterError
from sfumato.ledger import Ledger
from sfumato.ledger.amount import NOTHING, most, plus
from sfumato.ledger.audit import replay
from sfumato.ledger.chain import hash_of
from sfumato.ledger.table_part import DIVISIBLE, MOST_CELLS, Parted, TablePart
from sfumato.plan import RECORD
from sfumato.plan.terms import protection
from sfumato.privacy.budget import Charge
from sfumato.privacy.guarantee import ZCDP, ApproxDP, Heuristic, PureDP
from slowness import slow

TABLE, OTHER = b"all records of the table", b"all records of another one"
WIDTH = 6


def runs_of(codes):
    """The codes as a ledger writes them."""
    found = []
    for code in sorted(codes):
        if found and found[-1][1] == code - 1:
            found[-1] = (found[-1][0], code)
        else:
            found.append((code, code))
    return tuple(found)


def part(frame, *codes):
    return TablePart(f"{frame}={codes}", frame * 8, runs_of(codes))


NORTH, SOUTH, BOTH, OLD = part("a", 0), part("a", 1), part("a", 0, 1), part("b", 0)

codes = st.sets(st.integers(0, WIDTH - 1), min_size=1)
parts = st.builds(lambda frame, chosen: part(frame, *chosen), st.sampled_from("ab"), codes)
amounts = st.builds(Charge, *[st.integers(0, 3)] * 3).filter(lambda charge: charge != NOTHING)


@given(st.lists(st.tuples(parts, amounts), max_size=8), parts, st.data())
def test_the_dearest_record_is_found_as_by_asking_all_of_them(charges, asked, data):
    spent = Parted()
    for one, amount in charges:
        spent = spent.charged(one, amount)
    gone = data.draw(st.sets(st.integers(0, len(charges) - 1))) if charges else set()
    for place in gone:
        spent = spent.refunded(*charges[place])
    left = [charge for place, charge in enumerate(charges) if place not in gone]

    def read(one, record):
        code = record["ab".index(one.frame[0])]
        return any(low <= code <= high for low, high in one.codes)

    def dearest(records):
        borne = (
            reduce(plus, (amount for one, amount in left if read(one, record)), NOTHING)
            for record in records
        )
        return reduce(most, borne, NOTHING)

    everybody = list(product(range(WIDTH), repeat=2))
    assert spent.dearest == dearest(everybody)
    assert spent.within(asked) == dearest(r for r in everybody if read(asked, r))
    assert Parted.of(spent.to_text()) == spent
    again = reduce(lambda so_far, charge: so_far.charged(*charge), reversed(left), Parted())
    assert again.to_text() == spent.to_text()  # whatever the order, and what was given back


@pytest.fixture
def ledger(tmp_path):
    with Ledger.create(tmp_path / "budget.db") as made:
        made.grant("t", ApproxDP(2, "1e-6"), reason="approved")
        made.grant("t", ZCDP(1), reason="approved")
        yield made


def reserve(ledger, release, guarantee, table_part=None, protects=DIVISIBLE, plan=PLAN):
    return ledger.reserve(
        release, "t", guarantee, plan=plan, protects=protects, table_part=table_part
    )


def spent(ledger):
    return ledger.balance("t").spent.micro_epsilon / 10**6


def test_parts_without_a_common_code_cost_their_maximum_and_all_else_adds_up(ledger):
    reserve(ledger, "north", PureDP(1), NORTH)
    reserve(ledger, "south", PureDP("0.5"), SOUTH)
    assert spent(ledger) == 1
    reserve(ledger, "all", PureDP("0.25"))
    assert spent(ledger) == 1.25
    reserve(ledger, "both", PureDP("0.25"), BOTH)
    assert spent(ledger) == 1.5
    reserve(ledger, "old", PureDP("0.25"), OLD)
    assert spent(ledger) == 1.75
    assert {p.name: c.micro_epsilon for p, c in ledger.parts("t").items()} == {
        NORTH.name: 1_750_000,
        SOUTH.name: 1_250_000,
        BOTH.name: 1_750_000,
        OLD.name: 1_750_000,
    }
    with pytest.raises(BudgetError, match=r"epsilon 0\.25 left for a=\(0,\), .*asks for epsilon 0"):
        reserve(ledger, "more", PureDP("0.75"), NORTH)
    reserve(ledger, "more", PureDP("0.75"), SOUTH)
    assert spent(ledger) == 2
    with pytest.raises(BudgetError, match="epsilon 0 left, release"):
        reserve(ledger, "last", PureDP("0.000001"))
    ledger.verify()


def test_a_refund_takes_back_what_its_part_made_dearer_and_no_more(ledger):
    reserve(ledger, "north", PureDP(1), NORTH)
    reserve(ledger, "south", PureDP(2), SOUTH)
    ledger.refund("south", reason="stopped")
    assert spent(ledger) == 1
    ledger.refund("north", reason="stopped")
    balance = ledger.balance("t")
    assert (spent(ledger), balance.parts.frames, balance.protects) == (0, (), None)
    assert ledger.parts("t") == {}
    ledger.verify()


def test_each_currency_has_its_own_dearest_part(ledger):
    reserve(ledger, "north", ApproxDP(1, "5e-7"), NORTH)
    reserve(ledger, "south", ZCDP(1), SOUTH)
    assert ledger.balance("t").spent == Charge(10**6, 500_000, 10**6)
    with pytest.raises(BudgetError, match="rho 0 left for"):
        reserve(ledger, "more", ZCDP("0.1"), SOUTH)
    reserve(ledger, "more", ZCDP("0.1"), NORTH)


@pytest.mark.parametrize(
    ("guarantee", "protects", "remedy"),
    [
        (PureDP(1), ABOUT, "neighbours: add-remove, or release the whole table"),
        (PureDP(1), "all records of one person; add-remove", "neighbours: add-remove, or release"),
        (Heuristic("no proof"), DIVISIBLE, "a method with a proof, or release the whole table"),
    ],
    ids=["replaced", "people", "heuristic"],
)
def test_parts_are_refused_where_more_than_one_could_hold_what_is_protected(
    ledger, guarantee, protects, remedy
):
    ledger.grant("t", Heuristic("allowed"), reason="approved", heuristic=True)
    head = ledger.head
    with pytest.raises(ParameterError, match=remedy):
        reserve(ledger, "r", guarantee, NORTH, protects=protects)
    assert ledger.head == head


def test_the_promise_that_parts_need_is_that_of_tables():
    assert protection(RECORD, "add-remove") == DIVISIBLE


def test_parts_are_drawn_from_one_table_and_another_one_is_refused_before_its_draw(ledger):
    for release, table_part in (("north", NORTH), ("south", SOUTH), ("old", OLD)):
        reserve(ledger, release, PureDP("0.5"), table_part)
    with pytest.raises(ParameterError, match="needs the fingerprint"):
        ledger.draw("north", None)
    ledger.draw("north", TABLE)
    with pytest.raises(BudgetError, match="only parts of one table cost their maximum"):
        ledger.draw("south", OTHER)
    ledger.draw("old", OTHER)  # of another frame: it was added up
    ledger.refund("south", reason="the table had changed")
    reserve(ledger, "again", PureDP("0.5"), SOUTH)
    ledger.draw("again", TABLE)
    ledger.verify()


def test_the_same_id_is_not_good_for_another_part(ledger):
    reserve(ledger, "north", PureDP(1), NORTH)
    assert reserve(ledger, "north", PureDP(1), NORTH).table_part == NORTH
    for other in (SOUTH, None):
        with pytest.raises(LedgerError, match="plan or part"):
            reserve(ledger, "north", PureDP(1), other)
    assert spent(ledger) == 1


@pytest.mark.parametrize(
    "wrong",
    [
        TablePart("x", "a" * 8, ()),
        TablePart("x", "a" * 8, ((2, 1),)),
        TablePart("x", "a" * 8, ((0, 1), (2, 3))),
        TablePart("x", "a" * 8, ((0, 3), (2, 5))),
        TablePart("x", "a" * 8, ((-1, 0),)),
        TablePart("x", "a" * 8, ((0, 2**31),)),
        TablePart("x", "a" * 8, ((0.5, 1),)),
        TablePart("x", "no digest", ((0, 1),)),
        TablePart("x\n", "a" * 8, ((0, 1),)),
    ],
)
def test_a_part_that_is_none_is_refused(ledger, wrong):
    with pytest.raises(ParameterError):
        reserve(ledger, "r", PureDP(1), wrong)


@pytest.mark.slow
def test_more_parts_than_an_account_can_keep_apart_are_refused(ledger):
    many = TablePart("even", "c" * 8, tuple((code, code) for code in range(0, 2 * MOST_CELLS, 2)))
    reserve(ledger, "many", PureDP("0.1"), many)
    with pytest.raises(BudgetError, match="4,096 parts apart"):
        reserve(ledger, "more", PureDP("0.1"), NORTH)
    reserve(ledger, "again", PureDP("0.1"), many)


def history(ledger):
    return [line for line, _ in lines_in(ledger)], ledger.ledger_id


def forged(lines, place, **changes):
    """The history with one line changed and all hashes made anew."""
    made, previous = [], lines[0].previous
    for k, line in enumerate(lines):
        new = line._replace(previous=previous, **(changes if k == place else {}))
        previous = hash_of(new)
        made.append((new, previous))
    return made


def test_the_auditor_finds_parts_that_cost_too_little(ledger):
    reserve(ledger, "north", PureDP(1), NORTH)
    reserve(ledger, "both", PureDP("0.5"), BOTH)
    reserve(ledger, "south", PureDP("0.5"), SOUTH)
    for release in ("north", "both", "south"):
        ledger.draw(release, TABLE)
    lines, ledger_id = history(ledger)
    replay(forged(lines, None), ledger_id)
    at = {(line.kind, line.release): k for k, line in enumerate(lines)}
    both, south = at["reserve", "both"], at["draw", "south"]
    apart = ledger.balance("t").parts
    for place, changes, message in (
        (both, {"spent_micro_epsilon": 10**6}, "balance does not follow"),
        (both, {"parts": lines[both - 1].parts}, "balance does not follow"),
        (both, {"parts": None}, "balance does not follow"),
        (both, {"parts": "{}"}, "balance does not follow"),
        (both, {"parts": "[1]"}, "cannot be read"),
        (both, {"protects": ABOUT}, "different units|another promise"),
        (
            both,
            {"detail": lines[both].detail.replace("[[0,1]]", "[[7,7]]")},
            "balance does not follow",
        ),
        (south, {"fingerprint": OTHER.hex()}, "parts of two tables"),
        (south, {"fingerprint": None, "veil": None}, "parts of two tables"),
        (south, {"parts": apart.charged(OLD, Charge(1)).to_text()}, "balance does not follow"),
    ):
        with pytest.raises(LedgerError, match=message):
            replay(forged(lines, place, **changes), ledger_id)


def test_the_file_refuses_a_line_that_forgets_what_parts_have_borne(ledger, tmp_path):
    reserve(ledger, "north", PureDP(1), NORTH)
    other = sqlite3.connect(tmp_path / "budget.db", isolation_level=None)
    with pytest.raises(sqlite3.IntegrityError, match="only a step of a release changes"):
        other.execute(
            "INSERT INTO event SELECT sequence + 1, 'grant', dataset, NULL, NULL, NULL, NULL, 0, 0,"
            " 0, 0, granted_micro_epsilon, granted_pico_delta, granted_micro_rho,"
            " spent_micro_epsilon, 0, 0, releases, 0, 0, protects, NULL, who, '{}', clock, nonce,"
            " hash, 'forged' FROM event ORDER BY sequence DESC LIMIT 1"
        )
    other.close()


def test_what_parts_have_borne_is_known_after_a_checkpoint(ledger, tmp_path, monkeypatch):
    monkeypatch.setattr("sfumato.ledger.session.CHECKPOINT", 5)
    reserve(ledger, "north", PureDP(1), NORTH)
    reserve(ledger, "south", PureDP(1), SOUTH)
    for _ in range(9):
        ledger.inspect("t", what="a look")
    ledger.draw("south", TABLE)
    ledger.refund("north", reason="stopped")
    ledger.close()
    with Ledger(tmp_path / "budget.db") as again:
        assert again.verify()
        assert spent(again) == 1
        assert again.balance("t").left_for(NORTH).micro_epsilon == 2 * 10**6


KILLED = (
    "ledger_world.py",
    *(f"sfumato/ledger/{name}.py" for name in ("chain", "ledger", "rules", "sql", "table_part")),
)


@pytest.mark.long
@pytest.mark.parametrize("anywhere", [False, slow(True)])
def test_killed_a_part_is_charged_and_drawn_at_most_once(anywhere, state_folder):
    with quick_folder() as name:
        world = World(Path(name), NORTH)
        kill = (world.check_news, world.reset)
        if anywhere and CAN_TRACE:
            within = world.folder, state_folder
            assert kill_at_every_change(world.publish, *kill, within) > 30
        else:
            assert kill_at_every_line(world.publish, KILLED, *kill, stride=47) > 300
        with Ledger(world.path) as ledger:
            assert ledger.parts("adult") == {NORTH: Charge(400_000)}


def test_parts_that_are_nested_without_end_are_damage():
    with pytest.raises(LedgerError, match="parts of a table cannot be read"):
        Parted.of("[" * 100_000)
