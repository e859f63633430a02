"""Tests of a ledger in a file, run once more on ledgers in PostgreSQL."""

import importlib.util
import sys
from itertools import count
from pathlib import Path

from hypothesis import settings

from sfumato.ledger import Ledger
from sfumato.ledger.sqlite.connection import FileConnection

__all__ = ["PLACES", "as_told", "in_postgres"]

_NUMBERS = count(1)
# A ledger takes a database a good part of a second.
settings.register_profile("elsewhere", settings.get_profile("house"), max_examples=4)
_OWN = {name: vars(FileConnection)[name] for name in ("who", "clock")}
_FOLDER = Path(__file__).parent / "ledger"


class _Places:
    """Stands for the class `Ledger` in those tests: each path is a schema of the server."""

    def __init__(self):
        self.people, self.schemas = None, {}

    def address(self, path):
        if str(path).startswith("postgresql:"):  # as a ledger names itself
            return self.people.url("maker", str(path).rpartition("schema=")[2])
        if str(path) not in self.schemas:
            self.schemas[str(path)] = f"c{next(_NUMBERS)}"
        return self.people.url("maker", self.schemas[str(path)])

    def create(self, path, **how):
        made = Ledger.create(self.address(path), **how)
        schema = self.schemas[str(path)]
        with self.people.raw() as raw:
            raw.execute(f"GRANT {schema}_publisher TO maker")
            raw.execute(f"GRANT {schema}_owner, {schema}_publisher TO anna, bert")
        return made

    def __call__(self, path):
        return Ledger(self.address(path))

    def clear(self):
        for schema in self.schemas.values():
            self.people.clear(schema)
        self.schemas = {}


PLACES = _Places()


def _told(name):
    """What a test says of who writes, or when, by what it puts into the connection to a file."""
    said = vars(FileConnection)[name]
    return None if said is _OWN[name] else said.fget(None)


def _set_clock(raw):
    now = _told("clock")
    raw.execute(f"SET tests.now = '{'' if now is None else now}'")


def as_told(monkeypatch):
    """Who is said to write logs in, and what time it is said to be the server believes."""
    from sfumato.ledger.postgres.address import LedgerAddress
    from sfumato.ledger.postgres.backend import LedgerDatabase
    from sfumato.ledger.postgres.connection import DatabaseConnection, connected

    begin, ready = DatabaseConnection.__init__, LedgerDatabase.ready

    def begins(self, raw):
        _set_clock(raw)
        begin(self, raw)

    def is_ready(self):
        ready(self)
        who = _told("who") or "maker"
        if self.connection.who != who:
            self.close()
            self.address = LedgerAddress.of(PLACES.people.url(who, self.address.schema))
            self.connection = DatabaseConnection(connected(self.address))
        _set_clock(self.connection.raw)

    monkeypatch.setattr(DatabaseConnection, "__init__", begins)
    monkeypatch.setattr(LedgerDatabase, "ready", is_ready)


def in_postgres(name, *, without=()):
    """What is in that module of tests, its ledgers in PostgreSQL, but for tests of files."""
    told = importlib.util.spec_from_file_location(f"{name}_in_postgres", _FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(told)
    sys.modules[told.name] = module
    settings.load_profile("elsewhere")
    try:
        told.loader.exec_module(module)
    finally:
        settings.load_profile("house")
    module.Ledger = PLACES
    missing = set(without) - set(vars(module))
    assert not missing, f"tests that are no longer there: {missing}"
    return {
        what: thing
        for what, thing in vars(module).items()
        if not what.startswith("__") and what not in without
    }
