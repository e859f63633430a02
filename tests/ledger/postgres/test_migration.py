"""Ledger in PostgreSQL: formats that come later, and programs that are older."""

import pytest

pytest.importorskip("psycopg")

from killing import kill_at_every_line
from ledger_world import ABOUT, PLAN
from postgres_ledger import made
from sfumato.errors import LedgerError
from sfumato.ledger import Ledger
from sfumato.ledger.postgres import backend, structure, tables
from sfumato.privacy.guarantee import PureDP

SEVENTH = (
    "ALTER TABLE turn ADD COLUMN two bigint",
    "UPDATE turn SET two = 2",
    "CREATE INDEX turn_two ON turn (two)",
)


@pytest.fixture
def newer(monkeypatch):
    """As a later program, with rules of a seventh format."""

    def switch():
        monkeypatch.setitem(tables.MIGRATIONS, 7, SEVENTH)
        monkeypatch.setitem(tables.BESIDE["turn"], "two", "bigint")
        monkeypatch.setitem(tables.TABLES["turn"], "two", "bigint")
        monkeypatch.setitem(tables.INDEXES, "turn_two", "INDEX {name} ON turn (two)")
        for module in (backend, structure, tables):
            monkeypatch.setattr(module, "FORMAT", 7)

    yield switch
    tables.MIGRATIONS.pop(7, None)


def format_in(people, schema):
    with people.raw() as raw:
        return raw.execute(f"SELECT version FROM {schema}.format").fetchone()[0]


def test_an_older_program_refuses_a_newer_ledger_also_one_that_has_it_open(
    people, address, schema, newer, monkeypatch
):
    made(people, address)
    with Ledger(people.url("paul", schema)) as opened:
        with people.raw() as raw:
            raw.execute(f"UPDATE {schema}.format SET version = 7")
        with pytest.raises(LedgerError, match="written by a newer Sfumato"):
            opened.reserve("r", "adult", PureDP(1), plan=PLAN, protects=ABOUT)
        with pytest.raises(LedgerError, match="upgrade Sfumato; nothing was changed"):
            Ledger(address)


def test_whoever_made_it_brings_it_up_to_date_and_nobody_else_can(people, address, schema, newer):
    head = made(people, address)
    newer()
    for name in ("paul", "ann", "aude"):
        with pytest.raises(LedgerError, match=r"has format 6 .* format 7: maker, to whom"):
            Ledger(people.url(name, schema))
    assert format_in(people, schema) == 6
    with Ledger(address) as ledger:
        assert ledger.verify(head=head) == head
    assert format_in(people, schema) == 7
    with Ledger(people.url("paul", schema)) as ledger:
        ledger.reserve("r", "adult", PureDP(1), plan=PLAN, protects=ABOUT)


@pytest.mark.slow
def test_killed_on_the_way_it_has_one_format_or_the_other(people, address, schema, newer):
    head = made(people, address)
    newer()

    def prepare():
        with people.raw("maker", schema) as raw:
            raw.execute("DROP INDEX IF EXISTS turn_two")
            raw.execute("ALTER TABLE turn DROP COLUMN IF EXISTS two")
            raw.execute("UPDATE format SET version = 6")

    def check(_):
        with people.raw("maker", schema) as raw:
            query = "SELECT count(*) FROM pg_attribute WHERE attrelid = 'turn'::regclass "
            (added,) = raw.execute(query + "AND attname = 'two'").fetchone()
            assert added == (format_in(people, schema) == 7)
        with Ledger(address) as ledger:
            assert ledger.verify(head=head) == head

    def action():
        Ledger(address).close()

    kills = kill_at_every_line(
        action, ("postgres/backend.py", "ledger/audit.py"), check, prepare, stride=9
    )
    assert kills > 60
