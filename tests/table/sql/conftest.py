"""One PostgreSQL server for all tests that ask for it."""

import pytest

from postgres_server import PASSWORD, programs, running


@pytest.fixture(scope="session")
def server():
    pytest.importorskip("adbc_driver_postgresql", reason="PostgreSQL has no driver here")
    if programs() is None:
        pytest.skip("there is no PostgreSQL to be started (initdb, pg_ctl; setpriv for root)")
    with running() as started:
        started.run(
            f"CREATE ROLE guarded LOGIN PASSWORD '{PASSWORD}'",
            "CREATE SCHEMA clinic",
            "CREATE TYPE clinic.ward AS ENUM ('a', 'q\"', '3', 'else')",
            "CREATE DOMAIN clinic.cost AS numeric(8, 2)",
        )
        yield started
