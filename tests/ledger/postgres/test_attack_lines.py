"""Ledger in PostgreSQL: lines that a publisher writes with SQL of his own."""

import time
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

psycopg = pytest.importorskip("psycopg")

from ledger_world import ABOUT, DIGEST, PLAN  # noqa: E402
from postgres_ledger import by_hand, insert, made, reserve_by_hand  # noqa: E402
from sfumato.errors import LedgerError  # noqa: E402
from sfumato.ledger import Ledger  # noqa: E402
from sfumato.ledger.chain import LedgerLine, account_of, hash_of, summary  # noqa: E402
from sfumato.ledger.postgres.connection import DatabaseConnection  # noqa: E402
from sfumato.ledger.sql import last_hashes  # noqa: E402
from sfumato.ledger.table_part import DIVISIBLE, TablePart  # noqa: E402
from sfumato.privacy.budget import Charge  # noqa: E402
from sfumato.privacy.guarantee import PureDP  # noqa: E402
from slowness import slow, slow_but_in_turn  # noqa: E402

RULES = (psycopg.errors.CheckViolation, psycopg.errors.UniqueViolation)
NO_RIGHT = psycopg.errors.InsufficientPrivilege
ONE = Charge(1_000_000)


def begun(people, address):
    """A ledger with one release of each state."""
    made(people, address)
    with Ledger(address.replace("//maker@", "//paul@")) as ledger:
        for release in ("reserved", "drawn", "released", "refunded"):
            ledger.reserve(release, "adult", PureDP("0.1"), plan=PLAN, protects=ABOUT)
        for release in ("drawn", "released"):
            ledger.draw(release, None)
        ledger.settle("released", DIGEST)
        ledger.refund("refunded", reason="stopped by hand")


@pytest.fixture
def paul(people, address, schema):
    """A publisher at his own keyboard; what he leaves is a sound ledger."""
    begun(people, address)
    with people.raw("paul", schema) as raw:
        yield raw
    with Ledger(people.url("aude", schema)) as ledger:
        ledger.verify()


@pytest.fixture(scope="module")
def standing(people, tmp_path_factory):
    """The same, of a ledger that stands through all that is tried on it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("keys")))
        begun(people, people.url("maker", "lines"))
        with people.raw("paul", "lines") as raw:
            yield raw
        with Ledger(people.url("aude", "lines")) as ledger:
            ledger.verify()
        people.clear("lines")


def step(raw, kind, release, said="{}", **how):
    return by_hand(raw, kind, said=said, release=release, **how)


FORBIDDEN = {
    "a grant": (NO_RIGHT, lambda raw: by_hand(raw, "grant", amount=ONE)),
    "a new data set": (NO_RIGHT, lambda raw: by_hand(raw, "dataset", "mine")),
    "a client": (NO_RIGHT, lambda raw: by_hand(raw, "client", account_of("adult", "me"))),
    "the same data": (NO_RIGHT, lambda raw: by_hand(raw, "same-data", other="adult")),
    "another promise": (NO_RIGHT, lambda raw: by_hand(raw, "protects", protects=ABOUT)),
    "a move": (NO_RIGHT, lambda raw: by_hand(raw, "move", "", said='{"to":"here"}')),
    "an arrival": (RULES, lambda raw: by_hand(raw, "arrive", "", said='{"from":"here"}')),
    "a lapse": (NO_RIGHT, lambda raw: by_hand(raw, "lapse", amount=ONE)),
    "an approval": (NO_RIGHT, lambda raw: by_hand(raw, "approve", amount=ONE, other="2")),
    "a second beginning": (NO_RIGHT, lambda raw: by_hand(raw, "create", "")),
    "another kind": (RULES, lambda raw: by_hand(raw, "gift", amount=ONE)),
    "another name": (RULES, lambda raw: reserve_by_hand(raw, who="ann")),
    "no name": (RULES, lambda raw: reserve_by_hand(raw, who=None)),
    "an earlier time": (
        RULES,
        lambda raw: reserve_by_hand(raw, clock=int(time.time()) - 10 * 365 * 86_400),
    ),
    "a later time": (RULES, lambda raw: reserve_by_hand(raw, clock=int(time.time()) + 3_600)),
    "a second draw": (RULES, lambda raw: step(raw, "draw", "drawn")),
    "a draw of what is published": (RULES, lambda raw: step(raw, "draw", "released")),
    "a draw of what was given back": (RULES, lambda raw: step(raw, "draw", "refunded")),
    "a draw of nothing": (RULES, lambda raw: step(raw, "draw", "never")),
    "a refund after a draw": (
        RULES,
        lambda raw: step(raw, "refund", "drawn", amount=Charge(100_000)),
    ),
    "a second refund": (
        RULES,
        lambda raw: step(raw, "refund", "refunded", amount=Charge(100_000)),
    ),
    "a refund of more": (RULES, lambda raw: step(raw, "refund", "reserved", amount=ONE)),
    "a stop of what has one step": (
        RULES,
        lambda raw: step(raw, "stop", "drawn", amount=Charge(1)),
    ),
    "a settlement without a draw": (RULES, lambda raw: step(raw, "settle", "reserved")),
    "a second settlement": (RULES, lambda raw: step(raw, "settle", "released")),
    "a second charge of one id": (RULES, lambda raw: reserve_by_hand(raw, "reserved")),
    "more than is left": (RULES, lambda raw: reserve_by_hand(raw, epsilon=3)),
    "a charge without a promise": (RULES, lambda raw: reserve_by_hand(raw)._replace(protects=None)),
    "a charge about others": (RULES, lambda raw: reserve_by_hand(raw)._replace(protects=DIVISIBLE)),
    "a charge without a data set": (
        RULES,
        lambda raw: reserve_by_hand(raw)._replace(dataset=""),
    ),
    "an inspection of nothing": (RULES, lambda raw: step(raw, "inspect", "drawn")),
    "an inspection that costs": (
        RULES,
        lambda raw: step(raw, "inspect", None)._replace(micro_epsilon=5),
    ),
    "a part of nothing": (RULES, lambda raw: step(raw, "part", "reserved+1", other="reserved")),
    "the second part first": (RULES, lambda raw: step(raw, "part", "drawn+2", other="drawn")),
    "a part of another name": (RULES, lambda raw: step(raw, "part", "free", other="drawn")),
    "a client's use": (
        RULES,
        lambda raw: by_hand(raw, "use", account_of("adult", "me"), other="reserved"),
    ),
    "what a client never used": (
        RULES,
        lambda raw: by_hand(raw, "return", account_of("adult", "me"), other="refunded"),
    ),
    "what was not refunded to a client": (
        RULES,
        lambda raw: by_hand(raw, "return", account_of("adult", "me"), other="reserved"),
    ),
    "what is no JSON": (RULES, lambda raw: reserve_by_hand(raw)._replace(detail="{")),
    "a number left out": (
        RULES,
        lambda raw: reserve_by_hand(raw)._replace(sequence=reserve_by_hand(raw).sequence + 1),
    ),
    "a number again": (RULES, lambda raw: reserve_by_hand(raw)._replace(sequence=2)),
    "a negative number": (RULES, lambda raw: reserve_by_hand(raw)._replace(sequence=-1)),
    "another line before it": (RULES, lambda raw: reserve_by_hand(raw)._replace(previous="0" * 64)),
    "no nonce": (RULES, lambda raw: reserve_by_hand(raw)._replace(nonce="")),
    "a veil without a fingerprint": (
        RULES,
        lambda raw: step(raw, "draw", "reserved")._replace(veil="0" * 32),
    ),
}


@pytest.mark.parametrize(("why", "line"), slow_but_in_turn(10, FORBIDDEN.values()), ids=FORBIDDEN)
def test_the_server_refuses_a_line_by_hand(standing, why, line):
    count = standing.execute("SELECT count(*) FROM event").fetchone()
    with pytest.raises(why):
        insert(standing, line(standing))
    assert standing.execute("SELECT count(*) FROM event").fetchone() == count


def test_the_same_lines_as_they_should_be_are_taken(paul):
    insert(paul, reserve_by_hand(paul))
    insert(paul, step(paul, "draw", "r"))
    insert(paul, step(paul, "settle", "r", said=f'{{"digest":"{DIGEST}"}}'))
    insert(paul, step(paul, "refund", "reserved", amount=Charge(100_000)))
    insert(paul, by_hand(paul, "inspect", said='{"what":"a look"}'))
    insert(paul, by_hand(paul, "request", amount=ONE))


def test_a_chain_is_not_forked_by_two_who_write_without_the_lock(people, schema, paul):
    with people.raw("pia", schema) as pia:
        for raw in (paul, pia):
            raw.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
            raw.execute("SET LOCAL lock_timeout = '300ms'")
        one, two = reserve_by_hand(paul, "one"), reserve_by_hand(pia, "two")
        insert(paul, one)
        with pytest.raises(psycopg.errors.LockNotAvailable):
            insert(pia, two)
        pia.execute("ROLLBACK")
        paul.execute("COMMIT")
        with pytest.raises(RULES):
            insert(pia, two)


def test_several_lines_of_one_statement_are_each_held_to_the_rules(paul):
    first = step(paul, "draw", "reserved")
    again = first._replace(sequence=first.sequence + 1, previous=hash_of(first), nonce="0" * 32)
    marks = ", ".join(["%s"] * (len(first) + 1))
    rows = (*first, hash_of(first), *again, hash_of(again))
    with pytest.raises(RULES):
        paul.execute(f"INSERT INTO event VALUES ({marks}), ({marks})", rows)
    with pytest.raises(RULES):  # noqa: PT012, SIM117
        with paul.cursor().copy("COPY event FROM STDIN") as copy:
            for line in (first, again):
                copy.write_row((*line, hash_of(line)))
    assert paul.execute("SELECT drawn FROM unfinished WHERE release = 'reserved'").fetchone() == (
        False,
    )


def test_a_wrong_hash_is_noticed_by_whoever_reads_next(people, address, schema):
    made(people, address)
    opened = Ledger(people.url("pia", schema))
    with people.raw("paul", schema) as raw:
        insert(raw, reserve_by_hand(raw), stored="0" * 64)
    with opened, pytest.raises(LedgerError, match="changed after it was written"):
        opened.reserve("next", "adult", PureDP(1), plan=PLAN, protects=ABOUT)
    with pytest.raises(LedgerError, match="changed after it was written"):
        Ledger(people.url("aude", schema))


def test_parts_that_bear_too_little_are_noticed_and_never_lower_what_is_spent(
    people, address, schema
):
    made(people, address)
    part = TablePart("a", "aaaaaaaa", ((0, 0),))
    about = {"plan": PLAN, "protects": DIVISIBLE, "table_part": part}
    with Ledger(people.url("paul", schema)) as ledger:
        ledger.reserve("one", "adult", PureDP(1), **about)
    with people.raw("paul", schema) as raw:
        said = raw.execute("SELECT detail FROM event ORDER BY sequence DESC LIMIT 1").fetchone()[0]
        line = by_hand(
            raw, "reserve", said=said, release="two", amount=ONE, protects=DIVISIBLE, part=part
        )
        with pytest.raises(RULES, match="what was spent does not follow"):
            insert(raw, line, spent_micro_epsilon=999_999)
        with pytest.raises(RULES, match=r"more would be spent|does not follow"):
            insert(raw, line, spent_micro_epsilon=2_000_001)
        insert(raw, line, spent_micro_epsilon=1_000_000)
    with pytest.raises(LedgerError, match="does not follow"):
        Ledger(people.url("aude", schema))


def test_no_checkpoint_hides_a_wrong_line_and_nobody_charges_after_it(
    people, address, schema, forget_heads
):
    made(people, address)
    with Ledger(people.url("paul", schema)) as ledger:
        part = TablePart("a", "aaaaaaaa", ((0, 0),))
        ledger.reserve("one", "adult", PureDP(1), plan=PLAN, protects=DIVISIBLE, table_part=part)
    opened = Ledger(people.url("pia", schema))
    with people.raw("paul", schema) as raw:
        said = raw.execute("SELECT detail FROM event ORDER BY sequence DESC LIMIT 1").fetchone()[0]
        how = {"amount": ONE, "protects": DIVISIBLE, "part": part}
        line = by_hand(raw, "reserve", said=said, release="two", **how)
        insert(raw, line, spent_micro_epsilon=1_000_000)
        accounts = last_hashes(DatabaseConnection(raw))
        insert(raw, by_hand(raw, "checkpoint", "", said=summary(accounts)))
    with opened, pytest.raises(LedgerError, match="does not follow"):
        opened.reserve("next", "adult", PureDP("0.1"), plan=PLAN, protects=DIVISIBLE)
    for name in ("pia", "paul") * 2:
        with pytest.raises(LedgerError, match="does not follow"):
            Ledger(people.url(name, schema))
        forget_heads()


def test_a_checkpoint_by_another_is_checked_and_then_believed(
    people, address, schema, forget_heads
):
    made(people, address)
    with people.raw("paul", schema) as raw:
        accounts = list(last_hashes(DatabaseConnection(raw)))
        insert(raw, by_hand(raw, "checkpoint", "", said=summary(accounts)))

    def known(name):
        with Ledger(people.url(name, schema)) as ledger, ledger._session() as connection:
            return ledger._believed(connection)

    forget_heads()
    assert known("pia").who == "paul"
    with people.raw("paul", schema) as raw:
        insert(raw, by_hand(raw, "checkpoint", "", said=summary(accounts[:0])))
    with pytest.raises(LedgerError, match="does not sum up"):
        known("pia")


def test_a_clients_share_is_bounded_by_what_is_charged_with_it(people, address, schema):
    made(people, address)
    mine = account_of("adult", "me")
    with Ledger(people.url("ann", schema)) as ledger:
        ledger.add_client("adult", "me", token="0" * 64, epsilon=2, reason="agreed")
    with people.raw("paul", schema) as raw:
        insert(raw, reserve_by_hand(raw))
        with pytest.raises(RULES, match="a client uses"):
            insert(raw, by_hand(raw, "use", mine, "{}", amount=Charge(1_000_001), other="r"))
        insert(raw, by_hand(raw, "use", mine, "{}", amount=Charge(600_000), other="r"))
        with pytest.raises(RULES, match="a client uses"):
            insert(raw, by_hand(raw, "use", mine, "{}", amount=Charge(600_000), other="r"))
        insert(raw, step(raw, "draw", "r"))
        with pytest.raises(RULES, match="a client uses"):
            insert(raw, by_hand(raw, "use", mine, "{}", amount=Charge(1), other="r"))
    with Ledger(people.url("aude", schema)) as ledger:
        ledger.verify()


FIGURES = [
    name
    for name in LedgerLine._fields
    if name.startswith(("micro", "pico", "granted", "spent"))
    or name in ("sequence", "heuristic", "releases", "unproved", "allowed")
]
DIFFERENCES = st.sampled_from([1, -1, 2, 1_000_000, -400_000, 2**31, 2**62, -(2**62)])
STEPS = {
    "reserve": reserve_by_hand,
    "draw": lambda raw: step(raw, "draw", "reserved"),
    "settle": lambda raw: step(raw, "settle", "drawn", said=f'{{"digest":"{DIGEST}"}}'),
    "refund": lambda raw: step(raw, "refund", "reserved", amount=Charge(100_000)),
    "inspect": lambda raw: by_hand(raw, "inspect", said='{"what":"a look"}'),
}


@pytest.mark.parametrize("tries", [30, slow(600)])
def test_a_line_with_one_wrong_figure_is_refused_or_noticed(people, schema, paul, tries):
    from sfumato.ledger.audit import replay
    from sfumato.ledger.postgres.connection import DatabaseConnection
    from sfumato.ledger.sql import every_line, ledger_id_of

    connection = DatabaseConnection(paul)

    def accepted(line, **changed):
        """Whether the server takes it and a reader finds nothing; it is taken back."""
        with (
            suppress(psycopg.errors.DataError, *RULES, LedgerError),
            paul.transaction(force_rollback=True),
        ):
            insert(paul, line, **changed)
            replay(every_line(connection), ledger_id_of(connection))
            return True
        return False

    for line in STEPS.values():
        assert accepted(line(paul))

    @settings(max_examples=tries)
    @given(kind=st.sampled_from(list(STEPS)), column=st.sampled_from(FIGURES), by=DIFFERENCES)
    def changed_by(kind, column, by):
        line = STEPS[kind](paul)
        assert not accepted(line, **{column: getattr(line, column) + by}), (kind, column, by)

    changed_by()
