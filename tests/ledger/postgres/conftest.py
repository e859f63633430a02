"""One PostgreSQL server for all tests here, durable as a ledger asks; a schema for each test."""

import os
import shutil
from itertools import count
from pathlib import Path

import pytest

from postgres_ledger import Roles
from postgres_server import programs, running

_NUMBERS = count(1)


@pytest.fixture(scope="session")
def ledger_server():
    pytest.importorskip("psycopg", reason="a ledger in PostgreSQL needs psycopg")
    if programs() is None:
        pytest.skip("there is no PostgreSQL to be started (initdb, pg_ctl; setpriv for root)")
    with running(durable=True, quick=True) as started:
        yield started


@pytest.fixture(scope="session")
def people(ledger_server):
    """Those who log in, none of them a superuser."""
    roles = Roles(ledger_server)
    roles.make()
    return roles


@pytest.fixture
def address(people):
    """Of a ledger that nobody made yet, as its maker gives it."""
    schema = f"t{next(_NUMBERS)}"
    yield people.url("maker", schema)
    people.clear(schema)


@pytest.fixture
def schema(address):
    return address.rpartition("schema=")[2]


@pytest.fixture(autouse=True)
def keys(tmp_path, monkeypatch):
    """Where keys of ledgers in databases lie."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.fixture
def forget_heads(state_folder):
    def forget():
        shutil.rmtree(Path(os.environ["XDG_STATE_HOME"]) / "sfumato", ignore_errors=True)

    return forget
