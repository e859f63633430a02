"""A ledger in PostgreSQL with its people, and lines that somebody writes to it by hand."""

from contextlib import contextmanager

from ledger_world import ABOUT, PLAN
from sfumato.ledger import Ledger
from sfumato.ledger.chain import Balance, hash_of, next_line
from sfumato.ledger.postgres.connection import DatabaseConnection
from sfumato.ledger.sql import balance_of, last_line
from sfumato.privacy.guarantee import PureDP, to_json

__all__ = ["LOGINS", "Roles", "by_hand", "insert", "made", "reserve_by_hand"]

LOGINS = ("maker", "ann", "paul", "pia", "aude", "nobody_here")
# Nobody here waits for ever; longer than a ledger, whose own patience is what some tests are about.
_ENDS = "-c lock_timeout=45s -c statement_timeout=60s"
_DUTIES = {"ann": "owner", "paul": "publisher", "pia": "publisher", "aude": "auditor"}


class Roles:
    """Who logs in to a database of the server of the tests."""

    def __init__(self, server, database="postgres"):
        self.server, self.database = server, database

    def make(self):
        with self.raw("owner") as raw:
            for name in LOGINS:
                raw.execute(f"CREATE ROLE {name} LOGIN {'CREATEROLE' * (name == 'maker')}")
            raw.execute("GRANT CREATE ON DATABASE postgres TO maker")

    def url(self, user, schema):
        return f"{self.server.url(self.database, user)}&schema={schema}"

    @contextmanager
    def raw(self, user="owner", schema=None, **settings):
        """A connection of psycopg, as anybody has it who does not use our programs."""
        import psycopg

        address = self.server.url(self.database, user)
        with psycopg.connect(address, autocommit=True, **({"options": _ENDS} | settings)) as raw:
            if schema:
                raw.execute(f"SET search_path = {schema}")
            yield raw

    def clear(self, schema):
        with self.raw() as raw:
            raw.execute("SET client_min_messages = warning")
            raw.execute(f"DROP SCHEMA IF EXISTS {schema} CASCADE")
            for duty in ("owner", "publisher", "auditor"):
                found = raw.execute(
                    "SELECT 1 FROM pg_roles WHERE rolname = %s", [f"{schema}_{duty}"]
                )
                if found.fetchone():
                    raw.execute(f"DROP OWNED BY {schema}_{duty}")
                    raw.execute(f"DROP ROLE {schema}_{duty}")

    def let_in(self, schema):
        with self.raw() as raw:
            for name, duty in _DUTIES.items():
                raw.execute(f"GRANT {schema}_{duty} TO {name}")


def made(people, address, epsilon=3, **how):
    """A ledger with a budget, and its people in it; the head it has."""
    schema = address.rpartition("schema=")[2]
    with Ledger.create(address, **how) as ledger:
        if not how:
            ledger.grant("adult", PureDP(epsilon), reason="approved")
        people.let_in(schema)
        return ledger.head


def by_hand(raw, kind, dataset="adult", said='{"reason":"by hand"}', **how):
    """The next line as our programs would write it, for the role that `raw` logged in as."""
    connection = DatabaseConnection(raw)
    last, head = last_line(connection)
    settings = {"clock": max(connection.clock, last.clock), "who": connection.who} | how
    before = balance_of(connection, dataset) or Balance()
    return next_line((last.sequence, head), before, kind, dataset, said, **settings)


def reserve_by_hand(raw, release="r", epsilon=1, **how):
    from sfumato.ledger.chain import written
    from sfumato.privacy.budget import charge

    guarantee = PureDP(epsilon)
    said = written({"guarantee": to_json(guarantee), "plan": PLAN})
    settings = {"amount": charge(guarantee), "protects": ABOUT, "release": release} | how
    return by_hand(raw, "reserve", said=said, **settings)


def insert(raw, line, stored=None, **changed):
    """Add a line through SQL, some columns changed and then hashed, unless a hash is given."""
    line = line._replace(**changed)
    row = (*line, stored or hash_of(line))
    raw.execute(f"INSERT INTO event VALUES ({', '.join(['%s'] * len(row))})", row)
