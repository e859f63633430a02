"""`--table`: a table of a database, wherever a command takes a table."""

import sys

import pytest

from sfumato.cli import main

duckdb = pytest.importorskip("duckdb")
SCHEMA = "name: t\ncolumns:\n  age: {kind: integer, low: 0, high: 99}\n"


@pytest.fixture
def run(monkeypatch, capsys, tmp_path, wide):
    with duckdb.connect(tmp_path / "clinic.duckdb") as connection:
        connection.execute("CREATE TABLE visits AS SELECT x % 90 AS age FROM range(40) t(x)")
        connection.execute("CREATE SCHEMA other")
        connection.execute("CREATE TABLE other.visits AS SELECT * FROM visits")
    (tmp_path / "t.yaml").write_text(SCHEMA)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SFUMATO_LEDGER", raising=False)

    def command(*words, code=0):
        monkeypatch.setattr(sys, "argv", ["sfumato", *map(str, words)])
        with pytest.raises(SystemExit) as leaving:
            main()
        said = capsys.readouterr()
        assert (leaving.value.code or 0) == code, said.err
        return said.out if code == 0 else said.err

    return command


ASKED = ("--schema", "t.yaml", "--epsilon", 1)


def test_a_named_table_is_published_and_looked_at(run):
    of = ("clinic.duckdb", "--table", "visits")
    assert "40 rows by mosaic" in run("publish", *of, *ASKED, "-o", "r")
    assert "40 rows by mosaic" in run("publish", "clinic.duckdb#other.visits", *ASKED, "-o", "q")
    assert "40 of 40 records fit" in run("check", *of, "--schema", "t.yaml", "--uncounted")


@pytest.mark.slow
def test_a_release_is_inspected_and_methods_compared_beside_a_named_table(run):
    run("publish", "clinic.duckdb#visits", *ASKED, "-o", "r")
    original = ("--original", "duckdb:///clinic.duckdb", "--table", "visits", "--uncounted")
    assert "40 rows by mosaic" in run("inspect", "r", *original)
    of = ("clinic.duckdb", "--table", "visits", *ASKED, "--methods", "mosaic", "--trials", 1)
    assert "28 records to publish from" in run("compare", *of, "--uncounted")


def test_a_schema_is_drafted_asked_and_bought_for_a_named_table(run, tmp_path, monkeypatch):
    drafted = run("schema", "draft", "clinic.duckdb", "--table", "visits")
    assert "# Drafted from the header of clinic.duckdb#visits; no record was read." in drafted
    assert "name: visits\ncolumns:\n  age:\n    kind: integer" in drafted
    url = run("schema", "draft", "duckdb:///clinic.duckdb", "--table", "other.visits")
    assert "# Drafted from the header of visits;" in url
    run(
        *("schema", "estimate", "clinic.duckdb#visits", "--epsilon", 10),
        *("--seed", 1, "-o", "bought.yaml"),
    )
    assert "name: visits" in (tmp_path / "bought.yaml").read_text()


def test_a_table_that_is_not_there_or_belongs_to_no_database_is_refused(run):
    refused = run("publish", "clinic.duckdb", *ASKED, "-o", "r", code=1)
    assert "has the tables visits, other.visits: say which with --table" in refused
    refused = run("publish", "clinic.duckdb", "--table", "visit", *ASKED, "-o", "r", code=1)
    assert "no table or view visit that can be read (did you mean visits?)" in refused
    refused = run("publish", "t.yaml", "--table", "visits", *ASKED, "-o", "r", code=1)
    assert "table names a table of a database" in refused
    refused = run("publish", "clinic.duckdb", "--table", "a..b", *ASKED, "-o", "r", code=1)
    assert "table must be the name of a table or view" in refused


@pytest.mark.parametrize(
    "words",
    [
        ("publish", "postgresql://ann:s3cr3t@host/db", "--table", "v", *ASKED, "-o", "r"),
        ("publish", "t.csv", "postgresql://ann:s3cr3t@host/db", *ASKED, "-o", "r"),
        ("check", "postgresql://ann:s3cr3t@host/db#v", "--schema", "t.yaml", "--uncounted"),
        ("schema", "draft", "postgresql://ann:s3cr3t@host/db#v"),
        ("schema", "wizard", "postgresql://ann:s3cr3t@host/db#v", "-o", "w.yaml"),
        ("schema", "estimate", "postgresql://ann:s3cr3t@h/db#v", "--epsilon", 1, "-o", "e.yaml"),
        ("compare", "postgresql://ann:s3cr3t@host/db", "--table", "v", *ASKED),
        ("publish", "mysql://ann:s3cr3t@host/db", *ASKED, "-o", "r"),
    ],
)
def test_no_command_repeats_a_password(run, words):
    code = 2 if "t.csv" in words else 1
    said = run(*words, code=code)
    assert "s3cr3t" not in said
    assert "mysql" in words[1] or code == 2 or "PGPASSWORD" in said
