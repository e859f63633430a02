"""PostgreSQL when things go wrong: clear words, spent >= released, no secret, no half file."""

import sys

import pytest

import sfumato as sf
from postgres_server import PASSWORD
from sfumato.cli import main
from sfumato.errors import DataError
from sfumato.table.source import open_source
from table.sources_world import texts

pytestmark = pytest.mark.slow

SCHEMA = """\
name: t
columns:
  id: {kind: id}
  age: {kind: integer, low: 0, high: 99}
  sex: {kind: category, values: [f, m], other: none}
"""


@pytest.fixture(scope="module")
def table(server):
    server.run(
        "CREATE TABLE people AS SELECT repeat('x', 300) AS id, x % 100 AS age, "
        "CASE x % 2 WHEN 0 THEN 'f' ELSE 'm' END AS sex FROM generate_series(1, 200000) x",
        "CREATE VIEW wide AS SELECT id, age, id || sex AS sex FROM people",
        "GRANT SELECT (age, sex) ON people TO guarded",
        "CREATE TABLE locked (age int)",
    )
    return "people"


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    (tmp_path / "t.yaml").write_text(SCHEMA)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "300")

    def command(*words, code=0):
        monkeypatch.setattr(sys, "argv", ["sfumato", *map(str, words)])
        with pytest.raises(SystemExit) as leaving:
            main()
        said = capsys.readouterr()
        assert (leaving.value.code or 0) == code, said.err
        assert PASSWORD not in said.out + said.err
        return said.out + said.err

    return command


def test_a_connection_that_is_lost_in_the_middle_leaves_a_charge_and_nothing_else(
    server, table, tmp_path
):
    killed = []

    def kill(phase, _rows):
        if phase == "read" and not killed:
            killed.append(
                server.run(
                    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
                    "WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
                )
            )

    with sf.Ledger.create(tmp_path / "b.db") as ledger:
        ledger.grant("t", sf.PureDP(1), reason="test")
        asked = {"epsilon": "0.5", "ledger": ledger, "release": "one", "progress": kill}
        schema = sf.Schema.parse(SCHEMA)
        with pytest.raises(DataError, match="connection to the database was lost") as error:
            sf.publish(server.url(), table="wide", schema=schema, folder=tmp_path / "r", **asked)
        assert killed
        assert "terminat" not in " ".join(texts(error.value))
        assert ledger.entry("one").state == "reserved"
        assert str(ledger.balance("t").left) == "epsilon 0.5"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.db", "b.db.key"]
    assert server.others() == 0


def test_the_password_is_found_where_it_belongs_and_appears_nowhere(
    server, table, run, tmp_path, monkeypatch
):
    url = server.url(user="guarded")
    run("ledger", "create", "--ledger", "b.db")
    run("ledger", "grant", "t", "--epsilon", 2, "--reason", "test", "--ledger", "b.db")
    asked = ("--table", "people", "--schema", "t.yaml", "--epsilon", 1, "--ledger", "b.db")
    refused = run("publish", url, *asked, "-o", "r", code=1)
    assert "does not accept the user or the password" in refused
    assert "PGPASSWORD, ~/.pgpass or a service file" in refused
    monkeypatch.setenv("PGPASSWORD", "wrong")
    assert "does not accept the user" in run("publish", url, *asked, "-o", "r", code=1)
    with sf.Ledger(tmp_path / "b.db") as ledger:
        assert ledger.balance("t").releases == 0
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    assert "200,000 rows by mosaic" in run("publish", url, *asked, "-o", "r")
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) > 3
    for secret in (PASSWORD, "guarded", str(server.folder)):
        assert not [path for path in files if secret.encode() in path.read_bytes()]


def test_a_column_that_the_user_may_not_read_is_refused_unless_it_is_an_id(
    server, table, run, monkeypatch
):
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    url = server.url(user="guarded")
    run("schema", "draft", url, "--table", "people")
    assert open_source(f"{url}#people").has_rows(2)
    schema = sf.Schema.parse(SCHEMA.replace("{kind: id}", "{kind: category, values: [x]}"))
    with pytest.raises(DataError, match=r"column id .* what this user may not read"):
        sf.publish(f"{url}#people", schema=schema, epsilon=1)
    with pytest.raises(DataError, match=r"table locked cannot be read: .* \(GRANT SELECT\)"):
        sf.publish(
            f"{url}#locked",
            schema={"name": "t", "columns": {"age": {"kind": "boolean"}}},
            epsilon=1,
        )


def test_a_user_who_is_let_in_once_is_told_that_passes_need_more(server, table):
    server.run("CREATE ROLE single LOGIN CONNECTION LIMIT 1", "GRANT SELECT ON people TO single")
    with pytest.raises(DataError, match="does not let this user in a second time"):
        open_source(f"{server.url(user='single')}#people")


def test_commands_read_the_table_of_a_url(server, table, run):
    url = server.url()
    drafted = run("schema", "draft", url, "--table", "public.people")
    assert "# Drafted from the header of people; no record was read." in drafted
    assert "name: people\ncolumns:\n  id:\n    kind: category" in drafted
    fits = run("check", f"{url}#people", "--schema", "t.yaml", "--uncounted")
    assert "200,000 of 200,000 records fit" in fits
    asked = ("--table", "people", "--schema", "t.yaml", "--epsilon", 1, "--seed", 1)
    assert "200,000 rows by mosaic" in run("publish", url, *asked, "-o", "r")
    bought = run(
        *("schema", "estimate", url, "--table", "locked", "--epsilon", 1),
        *("--seed", 1, "-o", "bought.yaml"),
        code=1,
    )
    assert "fewer than two records" in bought


def test_what_is_not_there_is_said(server, table):
    for url, words in {
        f"{server.url()}#poeple": r"no table or view poeple \(did you mean people\?\)",
        f"{server.url()}#people_pkey.x": "no table or view",
        server.url(): "say which table or view of the database is meant: --table",
        f"{server.url('nowhere')}#people": "has no such database",
        f"{server.url(user='nobody')}#people": "does not accept the user or the password",
        "postgresql://a@localhost:1/b#c": "server at localhost does not answer: check host and",
        f"postgresql://a@/b?host={server.folder}/none#c": "none does not answer",
    }.items():
        with pytest.raises(DataError, match=words) as error:
            open_source(url)
        assert error.value.__context__ is None
