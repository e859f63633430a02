"""Ledger in PostgreSQL: wrong addresses, passwords, servers and settings, in one clear sentence."""

import shutil
import subprocess
import time
from contextlib import nullcontext

import pytest

pytest.importorskip("psycopg")

from ledger_world import ABOUT, PLAN
from postgres_ledger import made
from postgres_server import running
from sfumato.errors import LedgerError, ParameterError
from sfumato.ledger import Ledger
from sfumato.privacy.guarantee import PureDP
from slowness import slow, slow_but, slow_but_in_turn

SECRET = "TOPSECRET-99"


def charge(ledger, release="r"):
    return ledger.reserve(release, "adult", PureDP(1), plan=PLAN, protects=ABOUT)


@pytest.mark.parametrize(
    "text",
    [
        f"postgresql://anna:{SECRET}@host/db",
        f"postgresql://host/db?password={SECRET}",
        f"postgresql://anna@host:{SECRET}/db",
        f"postgresql://host/db?sslpassword={SECRET}",
        f"postgres://anna:{SECRET}@/db?host=/tmp",
        f"postgresql:/anna:{SECRET}@host/db",
        f"host=h password={SECRET}",
    ],
)
def test_no_message_repeats_a_password(text):
    for what in (Ledger, Ledger.create):
        with pytest.raises((LedgerError, ParameterError)) as refused:
            what(text)
        assert SECRET not in f"{refused.value}{refused.value.__cause__}"


@pytest.mark.parametrize("host", ["a..b", ".x", "h" * 64])
def test_what_is_no_name_of_a_server_is_said(host):
    for what in (Ledger, Ledger.create):
        with pytest.raises(LedgerError, match=r"no server has such a name|cannot be reached"):
            what(f"postgresql://ann@{host}/registry")


@pytest.mark.parametrize("where", ["environment", "passfile"])
def test_a_wrong_password_is_said_and_not_shown(
    people, ledger_server, tmp_path, monkeypatch, where
):
    with people.raw() as raw:
        if not raw.execute("SELECT 1 FROM pg_roles WHERE rolname = 'guarded'").fetchone():
            raw.execute("CREATE ROLE guarded LOGIN PASSWORD 'the right one'")
    if where == "environment":
        monkeypatch.setenv("PGPASSWORD", SECRET)
    else:
        (tmp_path / "pass").write_text(f"*:*:*:*:{SECRET}\n")
        (tmp_path / "pass").chmod(0o600)
        monkeypatch.setenv("PGPASSFILE", str(tmp_path / "pass"))
    with pytest.raises(LedgerError, match="does not accept the user or the password") as refused:
        Ledger(ledger_server.url(user="guarded"))
    assert SECRET not in str(refused.value)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (("/postgres?", "/nowhere?"), "has no such database"),
        (("host=/", "host=/nowhere/"), "does not answer"),
        (("//maker@", "//stranger@"), "does not accept the user"),
        (("?host", "?schema=UPPER&host"), "short name of small letters"),
        (("?host", "#table?host"), "."),
    ],
)
def test_a_wrong_address_is_refused(people, change, why):
    address = people.url("maker", "t0").replace("&schema=t0", "")
    for what in (Ledger, Ledger.create):
        with pytest.raises((LedgerError, ParameterError), match=why):
            what(address.replace(*change))


def test_a_schema_that_is_there_is_never_replaced(people, address):
    head = made(people, address)
    with pytest.raises(LedgerError, match="a ledger never replaces one"):
        Ledger.create(address)
    with Ledger(address) as ledger:
        assert ledger.head == head


@pytest.mark.parametrize(
    "name",
    slow_but(
        ["日本"], ["o'brien", 'the "boss"', "anna maria", "Zoë", "日本", "a;b--c", "%s", ":who?"]
    ),
)
def test_whatever_a_user_is_called_the_line_says_so(people, address, schema, name):
    from urllib.parse import quote

    import psycopg

    made(people, address)
    quoted = psycopg.sql.Identifier(name)
    with people.raw() as raw:
        raw.execute(psycopg.sql.SQL("CREATE ROLE {} LOGIN").format(quoted))
    try:
        place = address.replace("maker@", quote(name, safe="") + "@")
        with pytest.raises(LedgerError, match="GRANT"):
            Ledger(place)
        with people.raw() as raw:
            raw.execute(
                psycopg.sql.SQL("GRANT {} TO {}").format(
                    psycopg.sql.Identifier(f"{schema}_publisher"), quoted
                )
            )
        with Ledger(place) as ledger:
            charge(ledger)
            assert ledger.history()[-1].who == name
            assert ledger.verify() == ledger.head
    finally:
        with people.raw() as raw:
            raw.execute(psycopg.sql.SQL("DROP ROLE {}").format(quoted))


@pytest.mark.parametrize(
    "setting",
    slow_but_in_turn(
        6,
        [
            "search_path = pg_temp, nowhere",
            "default_transaction_isolation = 'serializable'",
            "default_transaction_read_only = on",
            "default_transaction_deferrable = on",
            "standard_conforming_strings = off",
            "quote_all_identifiers = on",
            "client_encoding = 'LATIN1'",
            "synchronous_commit = off",
            "transform_null_equals = on",
            "timezone = 'Pacific/Auckland'",
            "datestyle = 'German'",
            "bytea_output = 'escape'",
            "row_security = off",
        ],
    ),
)
def test_settings_of_a_role_change_nothing(people, address, schema, setting):
    made(people, address)
    with people.raw() as raw:
        raw.execute(f"ALTER ROLE pia SET {setting}")
    try:
        with Ledger(people.url("pia", schema)) as ledger:
            ledger.reserve("größe", "adult", PureDP(1), plan=PLAN, protects=ABOUT)
            ledger.draw("größe", b"fingerprint of it")
            assert ledger.verify() == ledger.head
            raw = ledger._backend.connection.raw
            assert raw.execute("SHOW synchronous_commit").fetchone() == ("on",)
            assert raw.execute("SHOW jit").fetchone() == ("off",)
    finally:
        with people.raw() as raw:
            raw.execute("ALTER ROLE pia RESET ALL")


@pytest.mark.parametrize("years", [-10, slow(10)])
def test_the_clock_of_a_client_has_no_say(people, address, schema, monkeypatch, years):
    made(people, address)
    whole = time.time
    monkeypatch.setattr(time, "time", lambda: whole() + years * 365.25 * 86_400)
    with Ledger(people.url("paul", schema)) as ledger:
        charge(ledger)
        assert abs(ledger.history()[-1].clock - whole()) < 60


def test_a_database_that_cannot_hold_all_letters_is_refused(people):
    with people.raw() as raw:
        raw.execute("CREATE DATABASE narrow ENCODING 'LATIN1' TEMPLATE template0 OWNER maker")
    with pytest.raises(LedgerError, match="keeps its texts as LATIN1"):
        Ledger.create(people.url("maker", "t0").replace("/postgres?", "/narrow?"))


def test_a_server_that_forgets_at_a_power_cut_is_refused(people, address, schema):
    made(people, address)

    def all_know(value):
        """Whoever is connected and whoever comes."""
        for ask in (opened._backend.connection.raw, None):
            with nullcontext(ask) if ask else people.raw() as asked:
                while asked.execute("SHOW full_page_writes").fetchone() != (value,):
                    time.sleep(0.05)

    with Ledger(people.url("paul", schema)) as opened, people.raw() as raw:
        try:
            raw.execute("ALTER SYSTEM SET full_page_writes = off")
            raw.execute("SELECT pg_reload_conf()")
            all_know("off")
            other = people.url("maker", f"{schema}_other")
            for use in (
                lambda: charge(opened),
                lambda: Ledger(people.url("paul", schema)),
                lambda: Ledger.create(other),
            ):
                with pytest.raises(LedgerError, match="a power cut could take charges back"):
                    use()
            with people.raw() as asked:  # nothing of what was refused was made
                query = "SELECT 1 FROM pg_namespace WHERE nspname = %s"
                assert asked.execute(query, (f"{schema}_other",)).fetchall() == []
        finally:
            raw.execute("ALTER SYSTEM RESET full_page_writes")
            raw.execute("SELECT pg_reload_conf()")
            all_know("on")
        assert charge(opened).state == "reserved"


def test_a_server_without_a_free_connection_says_so(people, address, schema):
    made(people, address)
    with people.raw() as raw:
        raw.execute("ALTER ROLE pia CONNECTION LIMIT 0")
    try:
        with pytest.raises(LedgerError, match="no connection left to give"):
            Ledger(people.url("pia", schema))
    finally:
        with people.raw() as raw:
            raw.execute("ALTER ROLE pia CONNECTION LIMIT -1")


def test_a_publisher_is_told_which_role_a_grant_needs(people, address, schema):
    made(people, address)
    with Ledger(people.url("paul", schema)) as ledger:
        with pytest.raises(LedgerError, match=rf"GRANT {schema}_owner TO paul"):
            ledger.grant("adult", PureDP(1), reason="approved")
        number = ledger.request("adult", PureDP(1), reason="for the board")
        with pytest.raises(LedgerError, match="paul"):
            ledger.approve(number, reason="approved")
    with Ledger(people.url("ann", schema)) as ledger:
        ledger.approve(number, reason="approved")
        assert ledger.balance("adult").granted.micro_epsilon == 4_000_000
        with pytest.raises(LedgerError, match=rf"GRANT {schema}_publisher TO ann"):
            charge(ledger)


@pytest.mark.slow
def test_a_server_that_came_back_from_an_older_copy_is_refused(tmp_path, monkeypatch):
    """As a standby that takes over without the last commits."""
    with running(durable=True, quick=True) as server:
        with Ledger.create(server.url()) as ledger:
            ledger.grant("adult", PureDP(3), reason="approved")
        server.kill()
        subprocess.run(["cp", "-a", server.folder / "data", server.folder / "older"], check=True)
        server.start()
        opened = Ledger(server.url())
        charge(opened)
        server.kill()
        shutil.rmtree(server.folder / "data")
        (server.folder / "older").rename(server.folder / "data")
        server.start()
        opened._backend._asked -= 10
        with opened, pytest.raises(LedgerError, match="lost history while open"):
            charge(opened, "another")
        with pytest.raises(LedgerError, match="is older than when it was last used here"):
            Ledger(server.url())


@pytest.mark.slow
def test_a_standby_is_read_and_takes_no_charge(tmp_path):
    with running(durable=True, quick=True) as server:
        with Ledger.create(server.url()) as ledger:
            ledger.grant("adult", PureDP(3), reason="approved")
            head = ledger.head
        server.kill()
        (server.folder / "data" / "standby.signal").touch()
        shutil.chown(server.folder / "data" / "standby.signal", *_owner(server))
        server.start()
        with Ledger(server.url()) as ledger:
            assert ledger.verify(head=head) == head
            with pytest.raises(LedgerError, match=r"takes no writes .* on the primary"):
                charge(ledger)
            assert ledger.balance("adult").spent.micro_epsilon == 0


def _owner(server):
    about = (server.folder / "data").stat()
    return about.st_uid, about.st_gid
