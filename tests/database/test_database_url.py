"""URLs of databases: no password gets further than here, and none is repeated."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.database.url import is_url, read_url
from sfumato.errors import ParameterError, Refused
from sfumato.ledger import Ledger
from sfumato.ledger.postgres.address import LedgerAddress
from sfumato.table.source import open_source
from sfumato.untrusted.password import without_password
from table.sources_world import texts

SECRET = "s3cr3t"


@pytest.mark.parametrize(
    ("url", "host", "database", "table"),
    [
        ("postgresql://ann@db.example:5433/clinic#visits", "db.example", "clinic", "visits"),
        ("postgres://db/clinic", "db", "clinic", None),
        ("POSTGRESQL://ann@/clinic?host=/run/sock#a.b", "/run/sock", "clinic", "a.b"),
        ("postgresql://%2Frun%2Fsock/clinic", "/run/sock", "clinic", None),
        ("postgresql://[::1]:5432/clinic", "[::1]", "clinic", None),
        ("postgresql://one:1,two:2/clinic", "one:1,two", "clinic", None),
        ("postgresql:///?service=clinic&sslmode=require#visits", "", "", "visits"),
    ],
)
def test_a_url_says_server_database_and_table(url, host, database, table):
    found, named = read_url(url)
    assert (found.host, found.database, named) == (host, database, table)
    assert "#" not in found.text


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://ann:{SECRET}@host/clinic#visits",
        f"postgresql://ann:{SECRET}@/clinic",
        f"postgresql://ann:a@{SECRET}@host/clinic",
        f"postgresql://ann:a/{SECRET}@host/clinic",
        f"postgresql://ann:12/{SECRET}@host/clinic",
        f"postgresql://ann:a#{SECRET}@host/clinic",
        f"postgresql://ann:a?{SECRET}@host/clinic",
        f"postgresql://host/clinic?password={SECRET}",
        f"postgresql://host/clinic?sslmode=require&SSLPassword={SECRET}#visits",
        f"postgresql://host/clinic?{SECRET}=1",
        f"mysql://ann:{SECRET}@host/clinic",
        f"postgresql+psycopg://ann:{SECRET}@host/clinic",
    ],
)
def test_a_password_is_refused_and_never_repeated(url):
    for take in (read_url, open_source, lambda url: sf.sql(url, table="visits")):
        with pytest.raises(Refused) as error:
            take(url)
        assert SECRET not in " ".join(texts(error.value))
    assert SECRET not in without_password(url) or "12/" in url or "?s3" in url or "#s3" in url


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://ann%3A{SECRET}%40host/clinic#visits",
        f"postgresql://ann%3A{SECRET}/clinic#visits",
        f"postgresql:///clinic?host=ann:{SECRET}@host#visits",
        f" postgresql://ann:{SECRET}@host/clinic",
        f"jdbc:postgresql://host/clinic?user=ann&password={SECRET}",
        f"postgresql:/ann:{SECRET}@host/clinic",
        f"postgresql:ann:{SECRET}@host/clinic",
        f"host=host user=ann password={SECRET}",
    ],
)
def test_a_misspelt_url_is_refused_and_never_repeated(url):
    with pytest.raises(ParameterError) as error:
        open_source(url)
    assert SECRET not in " ".join(texts(error.value))


@pytest.mark.parametrize(
    "text",
    [
        f"//ann:{SECRET}@host/clinic",
        f"/ann:{SECRET}@host/clinic",
        f"ann:{SECRET}@host/clinic",
        f"ann:{SECRET}@host",
        f"a:{SECRET}/x@host/clinic",
        f"postgresql//ann:{SECRET}@host/clinic",
        f"./postgresql/ann:{SECRET}@host/clinic",
        f" 'ann:{SECRET}@host/clinic'",
        f"db.example:{SECRET}@host/clinic#visits",
        Path(f"ann:{SECRET}@host/clinic"),
    ],
    ids=str,
)
def test_an_address_that_was_torn_is_no_path_and_is_never_repeated(text):
    for take in (open_source, Ledger, Ledger.create):
        with pytest.raises(
            ParameterError, match="this reads as the address of a database"
        ) as error:
            take(text)
        assert SECRET not in " ".join(texts(error.value))


@pytest.mark.parametrize(
    "text",
    [
        *("a:b.db", "./a@b.db", "a@b:c.db", "C:\\data@home\\b.db", "C:/data@home/b.db", "@a/b:c"),
        *("/home/ann@example/b.db", "run:12/b.db", ":@", "postgresql://ann@host/clinic"),
    ],
)
def test_what_has_a_colon_or_an_at_is_a_path_as_before(text):
    is_url(text)


def test_what_reads_like_an_address_and_is_there_is_a_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "at 10:30@home").mkdir()
    (tmp_path / "10:30@home.csv").write_text("a\n1\n")
    assert not is_url("10:30@home.csv")
    assert not is_url("at 10:30@home/b.db")
    assert open_source("10:30@home.csv").names == ("a",)


def test_a_port_that_is_none_is_not_repeated(monkeypatch):
    monkeypatch.setenv("PGPORT", SECRET)
    assert LedgerAddress.of("postgresql://ann@host:5433/clinic").name.endswith(":5433/clinic")
    assert LedgerAddress.of("postgresql:///?service=clinic").name == "postgresql:///"
    for url in ("postgresql://ann@host/clinic#t", f"postgresql://host/clinic?port=a{SECRET}#t"):
        with pytest.raises(ParameterError, match="port of the database is a number") as error:
            read_url(url)
        assert SECRET not in " ".join(texts(error.value))
    monkeypatch.setenv("PGPORT", "5433,5434")
    assert LedgerAddress.of("postgresql://one,two/clinic").name.endswith(":5433,5434/clinic")


def test_a_password_is_answered_with_the_places_for_one():
    with pytest.raises(ParameterError, match=r"PGPASSWORD, ~/.pgpass or a service file"):
        read_url(f"postgresql://ann:{SECRET}@host/clinic")


def test_paths_are_no_urls_and_a_flattened_url_is_refused():
    assert not any(map(is_url, ("visits.csv", "a:b.csv", Path("visits.csv"), 5)))
    with pytest.raises(ParameterError, match="given as a text"):
        open_source(Path(f"postgresql://ann:{SECRET}@host/clinic"))


def test_a_file_of_duckdb_is_named_from_here_or_from_the_root():
    assert read_url("duckdb:///data/c.db#visits") == (Path("data/c.db"), "visits")
    assert read_url("duckdb:////data/c.db") == (Path("/data/c.db"), None)
    for url in ("duckdb://c.db", "duckdb:///", "duckdb://"):
        with pytest.raises(ParameterError, match="three slashes"):
            read_url(url)


@given(st.text(max_size=20), st.text(max_size=20), st.text(max_size=20))
def test_whatever_is_typed_is_a_place_or_a_refusal_without_its_words(user, rest, table):
    url = f"postgresql://{user}:{SECRET}@{rest}#{table}"
    if "#" in user or "/" in user or "?" in user:
        return  # then what follows is no password to anybody
    with pytest.raises(Refused) as error:
        read_url(url)
    assert SECRET not in " ".join(texts(error.value))


def test_waiting_for_a_server_ends(monkeypatch):
    monkeypatch.delenv("PGCONNECT_TIMEOUT", raising=False)
    found = read_url("postgresql://host/clinic?sslmode=require")[0]
    assert found.with_limit.endswith("sslmode=require&connect_timeout=15")
    own = "postgresql://host/clinic?connect_timeout=2"
    assert read_url(own)[0].with_limit == own
    monkeypatch.setenv("PGCONNECT_TIMEOUT", "3")
    assert found.with_limit == found.text
