"""Ledger in PostgreSQL: formats that come later, and programs that are older."""

import pytest

pytest.importorskip("psycopg")

from killing import kill_at_every_line
from ledger_world import ABOUT, PLAN
from postgres_ledger import made
from sfumato.errors import LedgerError
from sfumato.ledger import Ledger
from sfumato.ledger.postgres import backend, rules, structure, tables
from sfumato.privacy.guarantee import PureDP

NEXT = tables.FORMAT + 1
ITS_STEPS = (
    "ALTER TABLE turn ADD COLUMN two bigint",
    "UPDATE turn SET two = 2",
    "CREATE INDEX turn_two ON turn (two)",
)


@pytest.fixture
def newer(monkeypatch):
    """As a later program, with rules of another format."""

    def switch():
        monkeypatch.setitem(tables.MIGRATIONS, NEXT, lambda _: ITS_STEPS)
        monkeypatch.setitem(tables.BESIDE["turn"], "two", "bigint")
        monkeypatch.setitem(tables.TABLES["turn"], "two", "bigint")
        monkeypatch.setitem(tables.INDEXES, "turn_two", "INDEX {name} ON turn (two)")
        for module in (backend, structure, tables):
            monkeypatch.setattr(module, "FORMAT", NEXT)

    yield switch
    tables.MIGRATIONS.pop(NEXT, None)


def format_in(people, schema):
    with people.raw() as raw:
        return raw.execute(f"SELECT version FROM {schema}.format").fetchone()[0]


def test_an_older_program_refuses_a_newer_ledger_also_one_that_has_it_open(
    people, address, schema, newer, monkeypatch
):
    made(people, address)
    with Ledger(people.url("paul", schema)) as opened:
        with people.raw() as raw:
            raw.execute(f"UPDATE {schema}.format SET version = {NEXT}")
        with pytest.raises(LedgerError, match="written by a newer Sfumato"):
            opened.reserve("r", "adult", PureDP(1), plan=PLAN, protects=ABOUT)
        with pytest.raises(LedgerError, match="upgrade Sfumato; nothing was changed"):
            Ledger(address)


def test_whoever_made_it_brings_it_up_to_date_and_nobody_else_can(people, address, schema, newer):
    head = made(people, address)
    newer()
    for name in ("paul", "ann", "aude"):
        with pytest.raises(
            LedgerError, match=rf"has format {NEXT - 1} .* format {NEXT}: maker, to"
        ):
            Ledger(people.url(name, schema))
    assert format_in(people, schema) == NEXT - 1
    with Ledger(address) as ledger:
        assert ledger.verify(head=head) == head
    assert format_in(people, schema) == NEXT
    with Ledger(people.url("paul", schema)) as ledger:
        ledger.reserve("r", "adult", PureDP(1), plan=PLAN, protects=ABOUT)


def test_one_of_format_6_gives_clients_back_what_is_refunded_from_then_on(people, address, schema):
    with Ledger.create(address) as ledger:
        ledger.grant("words", epsilon=3, reason="approved")
        ledger.add_client("words", "anna", token="a" * 64, epsilon=1, reason="a contract")
        head = ledger.head
    with people.raw("maker", schema) as raw:
        raw.execute(f"GRANT {schema}_publisher TO paul")
        raw.execute("DROP INDEX event_returned")
        body = rules.RULES.replace("'use', 'return'", "'use'")
        path = f"pg_catalog, {schema}, pg_temp"
        raw.execute(
            f"CREATE OR REPLACE FUNCTION {schema}.event_rules() RETURNS trigger LANGUAGE plpgsql "
            f"SECURITY DEFINER SET search_path = {path} AS $body${body}$body$"
        )
        raw.execute("UPDATE format SET version = 6")
    with pytest.raises(LedgerError, match=r"has format 6 .* maker, to whom its tables belong"):
        Ledger(people.url("paul", schema))
    with Ledger(address) as ledger:
        assert ledger.verify(head=head) == head
    with Ledger(people.url("paul", schema)) as ledger:
        asked = {"plan": PLAN, "protects": ABOUT, "uses": {"anna": PureDP(1)}}
        for release in ("r", "s"):
            ledger.reserve(release, "words", PureDP(1), **asked)
            ledger.refund(release, reason="not needed")
        ledger.verify()


@pytest.mark.slow
def test_killed_on_the_way_it_has_one_format_or_the_other(people, address, schema, newer):
    head = made(people, address)
    newer()

    def prepare():
        with people.raw("maker", schema) as raw:
            raw.execute("DROP INDEX IF EXISTS turn_two")
            raw.execute("ALTER TABLE turn DROP COLUMN IF EXISTS two")
            raw.execute(f"UPDATE format SET version = {NEXT - 1}")

    def check(_):
        with people.raw("maker", schema) as raw:
            query = "SELECT count(*) FROM pg_attribute WHERE attrelid = 'turn'::regclass "
            (added,) = raw.execute(query + "AND attname = 'two'").fetchone()
            assert added == (format_in(people, schema) == NEXT)
        with Ledger(address) as ledger:
            assert ledger.verify(head=head) == head

    def action():
        Ledger(address).close()

    kills = kill_at_every_line(
        action, ("postgres/backend.py", "ledger/audit.py"), check, prepare, stride=9
    )
    assert kills > 60
