"""Connections that hand out Arrow: read over one of our own, refused by their kind."""

import sqlite3
from contextlib import closing

import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import DataError
from sfumato.table.source import number_of_records, open_source
from sfumato.table.sql.broken import BrokenQuery
from table.sources_world import COLUMNS, DOMAIN, SECRET, codes, domain_of, records, texts

duckdb = pytest.importorskip("duckdb")
pytest.importorskip("adbc_driver_manager")
driver = pytest.importorskip("adbc_driver_duckdb.dbapi")


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "clinic.duckdb"
    with duckdb.connect(path) as connection:
        connection.register("given", records())
        connection.execute("CREATE TABLE visits AS SELECT * FROM given")
        connection.execute("CREATE VIEW torn AS SELECT error(ward)::INTEGER AS age FROM visits")
    return path


@pytest.fixture
def connection(path):
    with closing(driver.connect(str(path))) as opened:
        yield opened


def test_an_adbc_connection_gives_the_codes_of_the_table(connection):
    given = sf.sql(connection, table="main.visits")
    assert codes(given) == codes(given) == codes(records())
    source = open_source(given)
    assert number_of_records(source, DOMAIN) == 7
    assert [source.has_rows(7), source.has_rows(8)] == [True, False]
    assert "Connection" not in repr(given) + repr(source)


def test_what_is_not_committed_is_not_read_and_nobody_is_disturbed(connection):
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM visits")
        assert open_source(sf.sql(connection, table="visits")).rows == 7
        cursor.execute("SELECT count(*) FROM visits")
        assert cursor.fetchone() == (0,)
    connection.rollback()


def test_whoever_stops_early_can_read_again(connection):
    source = open_source(sf.sql(connection, table="visits"))
    passing = source.batches(["age"])
    assert next(passing).num_rows
    passing.close()
    assert source.rows == 7


def test_a_query_that_fails_on_a_record_is_told_in_fixed_words(connection):
    source = open_source(sf.sql(connection, table="torn"))
    with pytest.raises(BrokenQuery, match="ended the query, or the connection was lost") as error:
        list(source.batches(["age"]))
    assert SECRET not in " ".join(texts(error.value))


def test_a_table_that_is_not_there_is_refused(connection):
    with pytest.raises(DataError, match="no table or view gone can be read over this") as error:
        open_source(sf.sql(connection, table="gone"))
    assert error.value.__context__ is None


def test_a_closed_connection_is_refused(path):
    connection = driver.connect(str(path))
    connection.close()
    with pytest.raises(DataError, match="the connection is closed, or no second one can be made"):
        open_source(sf.sql(connection, table="visits"))


def test_connections_without_arrow_are_refused_with_the_way_out():
    with closing(sqlite3.connect(":memory:")) as other:
        with pytest.raises(DataError, match="Connection is no connection that hands out Arrow"):
            sf.sql(other, table="visits")
        with pytest.raises(DataError, match="it is a connection: name the table, sql"):
            open_source(other)


class Cursor:
    """Of a library with the verbs of DB-API, whose answers are Arrow."""

    def __init__(self, asked):
        self.asked = asked

    def execute(self, query):
        self.asked.append(query)

    def fetch_record_batch(self):
        table = pa.table({"count": [2]}) if "count" in self.asked[-1] else pa.table({"a": [1, 2]})
        return table.slice(0, 0 if "1 = 0" in self.asked[-1] else None).to_reader()

    def close(self):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Connection:
    def __init__(self, vendor=None):
        self.asked = []
        if vendor:
            self.adbc_clone, self.adbc_get_info = lambda: self, lambda: {"vendor_name": vendor}

    def cursor(self):
        return Cursor(self.asked)

    def close(self):
        pass


def test_any_connection_whose_cursors_hand_out_arrow_is_read():
    connection = Connection()
    source = open_source(sf.sql(connection, table='s."x"" y"'))
    assert (source.types, source.rows) == ({"a": pa.int64()}, 2)
    assert [batch.to_pydict() for batch in source.batches(["a"])] == [{"a": [1, 2]}]
    assert connection.asked[-1] == 'SELECT "a" FROM "s"."x"" y"'


def test_sqlite_is_refused_since_records_decide_its_types():
    with pytest.raises(DataError, match="in SQLite the type of a column depends on its records"):
        open_source(sf.sql(Connection("SQLite"), table="visits"))


@pytest.mark.long
def test_a_private_choice_is_not_made_where_records_have_no_position(connection):
    given = sf.sql(connection, table="visits")
    small = domain_of({"age": COLUMNS["age"]}, "replace-one").schema
    asked = {"methods": ["mosaic", "modips"], "epsilon": 1, "share": "0.5"}
    with pytest.raises(DataError, match="deals records by their position, which a database"):
        sf.choose_method(given, small, **asked)
