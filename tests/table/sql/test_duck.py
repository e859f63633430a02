"""Tables of DuckDB: by file, by URL, over a connection; one snapshot, and no record in a word."""

import sys

import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import DataError, MissingExtra
from sfumato.table.source import number_of_records, open_source
from table.sources_world import COLUMNS, DOMAIN, SECRET, codes, domain_of, records, texts

duckdb = pytest.importorskip("duckdb")


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "clinic.duckdb"
    with duckdb.connect(path) as connection:
        connection.register("given", records())
        connection.execute("CREATE TABLE visits AS SELECT * FROM given")
        connection.execute("CREATE SCHEMA odd")
        connection.execute('CREATE VIEW odd."a ""b"".c" AS SELECT * FROM visits')
        connection.execute("CREATE VIEW torn AS SELECT error(ward)::INTEGER AS age FROM visits")
    return path


def test_a_file_gives_the_codes_of_the_table_in_every_spelling(file):
    wanted = codes(records())
    view = 'odd."a ""b"".c"'
    assert codes(f"{file}#visits") == codes(f"duckdb:///{file}#{view}") == wanted
    assert codes(sf.sql(file, table="visits")) == codes(sf.sql(str(file), table=view)) == wanted
    with duckdb.connect(file, read_only=True) as connection:
        assert codes(sf.sql(connection, table="main.visits")) == wanted
    source = open_source(f"{file}#visits")
    assert number_of_records(source, DOMAIN) == 7
    assert [source.has_rows(7), source.has_rows(8)] == [True, False]
    assert SECRET not in repr(source)


def test_the_only_table_needs_no_name(tmp_path):
    with duckdb.connect(tmp_path / "one.db") as connection:
        connection.execute('CREATE TABLE "the one" AS SELECT 1 AS age')
    assert open_source(tmp_path / "one.db").names == ["age"]


def test_infinite_dates_are_those_at_the_ends(tmp_path):
    values = "('infinity', 'infinity'), ('-infinity', '-infinity'), (NULL, NULL)"
    with duckdb.connect() as connection:
        connection.execute('CREATE TABLE t (seen DATE, "at" TIMESTAMP)')
        connection.execute(f"INSERT INTO t VALUES {values}")
        domain = domain_of({name: COLUMNS[name] for name in ("seen", "at")})
        found = codes(sf.sql(connection, table="t"), domain)
    assert found == [[366, DOMAIN.axes[-1].points], [0, 0], [-1, DOMAIN.axes[-1].middle]]


def test_other_connections_change_nothing_between_two_passes():
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t AS SELECT 1 AS age FROM range(1000)")
        source = open_source(sf.sql(connection, table="t"))
        assert source.rows == 1000
        connection.execute("DELETE FROM t WHERE rowid < 10")
        assert sum(batch.num_rows for batch in source.batches(["age"])) == source.rows == 1000
        assert open_source(sf.sql(connection, table="t")).rows == 990


def test_a_table_is_published_from_a_connection_and_from_a_file(file):
    left_out = {name: {"kind": "id"} for name in ("size", "ward", "grade", "seen", "at")}
    asked = {"schema": {"name": "t", "columns": COLUMNS | left_out}, "epsilon": 1, "seed": 5}
    with duckdb.connect(file, read_only=True) as connection:
        given = [
            sf.publish(records(), **asked),
            sf.publish(connection, table="visits", **asked),
            sf.publish(file, table="visits", **asked),
            sf.publish(connection.table("visits"), **asked),
        ]
    assert all(one.data.equals(given[0].data) for one in given)


def test_what_cannot_be_opened_is_refused_with_the_way_out(file, tmp_path):
    (tmp_path / "text.duckdb").write_text("age\n1\n")
    (tmp_path / "lite.db").write_bytes(b"SQLite format 3\0" + bytes(100))
    with duckdb.connect(tmp_path / "none.db"):
        pass
    for data, words in {
        file: r'has the tables torn, visits, odd.a "b".c: say which with --table',
        f"{file}#visit": r"no table or view visit that can be read \(did you mean visits\?\)",
        tmp_path / "none.db": "has no table",
        tmp_path / "text.duckdb": "is no DuckDB database",
        tmp_path / "lite.db": "SQLite, where the type of a column depends on its records: save",
        f"duckdb:///{tmp_path}/gone.db": "does not exist",
    }.items():
        with pytest.raises(DataError, match=words) as error:
            open_source(data)
        assert error.value.__context__ is None
    with (
        duckdb.connect(file),
        pytest.raises(DataError, match="cannot be opened for reading: close it where it is open"),
    ):
        open_source(f"{file}#visits")
    closed = duckdb.connect()
    closed.close()
    with pytest.raises(DataError, match="connection to DuckDB is closed"):
        open_source(sf.sql(closed, table="t"))


def test_a_view_that_fails_on_a_record_is_told_in_fixed_words(file, tmp_path):
    schema = {"name": "t", "neighbours": "add-remove", "columns": {"age": COLUMNS["age"]}}
    with sf.Ledger.create(tmp_path / "b.db") as ledger:
        ledger.grant("t", sf.PureDP(1), reason="test")
        asked = {"schema": schema, "epsilon": 1, "ledger": ledger, "release": "one"}
        with pytest.raises(DataError, match="database ended the query") as error:
            sf.publish(f"{file}#torn", folder=tmp_path / "r", **asked)
        assert SECRET not in " ".join(texts(error.value))
        assert ledger.entry("one").state == "reserved"
    assert not (tmp_path / "r").exists()


def test_without_duckdb_a_file_is_refused_in_one_line(file, monkeypatch):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(MissingExtra, match=r"pip install 'sfumato\[sql\]'"):
        open_source(f"{file}#visits")


def test_a_table_is_named_where_there_is_a_database_and_nowhere_else(tmp_path):
    with pytest.raises(DataError, match="table names a table of a database"):
        sf.publish("v.csv", table="v", schema={"name": "t", "columns": COLUMNS}, epsilon=1)
    with duckdb.connect() as connection, pytest.raises(DataError, match="name the table, sql"):
        open_source(connection)
    for stranger in (5, pa.table({"a": [1]})):
        with pytest.raises(DataError, match="no connection that hands out Arrow"):
            sf.sql(stranger, table="visits")


def test_columns_that_no_kind_is_read_from_are_refused_by_their_type():
    with duckdb.connect() as connection:
        ids = {"age": {"kind": "id"}, "ward": {"kind": "id"}}
        connection.execute("CREATE TABLE t AS SELECT [1] AS age, 'x'::BLOB AS ward")
        for name in ("age", "ward"):
            with pytest.raises(DataError, match=f"column {name} is declared .* but stored as"):
                codes(sf.sql(connection, table="t"), domain_of(ids | {name: COLUMNS[name]}))


def test_days_do_not_depend_on_the_clock_of_the_machine(tmp_path):
    with duckdb.connect() as connection:
        connection.execute("SET GLOBAL TimeZone = 'America/New_York'")
        connection.execute("CREATE TABLE t AS SELECT TIMESTAMPTZ '2020-05-03 02:00+00' AS seen")
        assert open_source(sf.sql(connection, table="t")).types["seen"].tz == "UTC"
        domain = domain_of({"seen": {"kind": "date", "low": "2020-05-01", "high": "2020-05-09"}})
        assert codes(sf.sql(connection, table="t"), domain) == [[2]]


def test_a_relation_that_lost_its_connection_or_table_is_refused_in_one_line():
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t AS SELECT 1 AS age FROM range(9)")
        closed = connection.sql("FROM t")
        connection.execute("DROP TABLE t")
        with pytest.raises(DataError, match="what it reads is gone"):
            open_source(closed)
    with pytest.raises(DataError, match="its connection is closed"):
        open_source(closed)


def test_a_relation_that_fails_while_it_is_counted_is_told_in_fixed_words():
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE t AS SELECT '{SECRET}' AS ward FROM range(9)")
        source = open_source(connection.sql("SELECT 1 AS age FROM t WHERE ward::INTEGER = 1"))
        for ask in (lambda: source.rows, lambda: source.has_rows(2)):
            with pytest.raises(OSError, match="the database ended the query") as error:
                ask()
            assert SECRET not in str(error.value)


def test_whole_numbers_that_would_wrap_are_refused_by_their_type():
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t AS SELECT (2::UHUGEINT ** 127)::UHUGEINT AS age")
        schema = {"name": "t", "columns": {"age": {"kind": "integer", "low": 0, "high": 9}}}
        with pytest.raises(DataError, match="stored as UHUGEINT"):
            sf.publish(connection, table="t", schema=schema, epsilon=1)


def test_a_table_that_another_session_would_not_see_is_refused():
    with duckdb.connect() as connection:
        connection.execute("CREATE SCHEMA s; CREATE TABLE visits AS SELECT 1 AS age FROM range(7)")
        connection.execute("CREATE TABLE s.visits AS SELECT 2 AS age FROM range(11)")
        assert open_source(sf.sql(connection, table="visits")).rows == 7
        pending = connection.execute("SELECT 5")
        with pytest.raises(DataError, match="fetch the answer that it has"):
            open_source(sf.sql(connection, table="visits"))
        assert pending.fetchall() == [(5,)]
        connection.execute("USE s")
        with pytest.raises(DataError, match="a second connection would see other tables"):
            open_source(sf.sql(connection, table="visits"))
        assert open_source(sf.sql(connection, table="s.visits")).rows == 11
        connection.execute("USE main; CREATE TEMP TABLE Visits AS SELECT 3 AS age")
        with pytest.raises(DataError, match="a second connection would see other tables"):
            open_source(sf.sql(connection, table="visits"))
