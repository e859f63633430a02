"""PostgreSQL, from a real server: the same codes, one snapshot, and no word of a record."""

from contextlib import closing
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.errors import DataError
from sfumato.table.source import number_of_records, open_source
from table.sources_world import COLUMNS, codes, domain_of, records, texts

pytestmark = pytest.mark.slow

_TABLE = """CREATE TABLE clinic."the visits" (id text, size float8, age int8, ward clinic.ward,
    grade int2, smoker bool, seen date, at timestamptz, cost clinic.cost, weight numeric(6, 1),
    note jsonb)"""
MONEY = {"kind": "number", "low": 0, "high": 1000, "step": "0.01", "missing": "allowed"}
WIDER = COLUMNS | {"cost": MONEY, "weight": MONEY | {"step": "0.1"}, "note": {"kind": "id"}}


def wider():
    """The usual table, with what PostgreSQL's enumeration and decimals can hold of it."""
    wards = pa.array(["a", 'q"', "3", None, "else", "a", "else"])
    table = records().set_column(3, "ward", wards)
    cost = [Decimal("0.10"), None, Decimal("999999.99"), Decimal("-1.00"), *[Decimal("12.35")] * 3]
    weight = [None, *map(Decimal, ("0.5", "70.2", "-3.3", "99999.9", "0.0", "80.1"))]
    table = table.append_column("cost", pa.array(cost, pa.decimal128(8, 2)))
    return table.append_column("weight", pa.array(weight, pa.decimal128(6, 1)))


@pytest.fixture(scope="module")
def visits(server):
    """The URL of that table on the server, with every value written as it reads."""
    rows = [
        ", ".join("NULL" if value is None else "'" + str(value) + "'" for value in row)
        for row in zip(*(column.to_pylist() for column in wider().columns), strict=True)
    ]
    server.run(_TABLE, *(f'INSERT INTO clinic."the visits" VALUES ({row})' for row in rows))
    return f"{server.url()}#clinic.the visits"


def test_a_table_gives_the_codes_of_the_same_records_in_memory(visits):
    domain = domain_of(WIDER)
    wanted = sorted(codes(wider().append_column("note", pa.nulls(7)), domain))
    assert sorted(codes(visits, domain)) == sorted(codes(visits, domain)) == wanted
    source = open_source(visits)
    assert number_of_records(source, domain) == 7
    assert [source.has_rows(7), source.has_rows(8)] == [True, False]


def test_parquet_duckdb_and_postgresql_give_the_same_synopsis_and_rows(server, tmp_path):
    duckdb = pytest.importorskip("duckdb")
    from adbc_driver_postgresql import dbapi

    table = sf.example.clinic(3_000)
    pq.write_table(table, tmp_path / "c.parquet")
    with duckdb.connect(tmp_path / "c.duckdb") as connection:
        connection.execute(f"CREATE TABLE c AS FROM '{tmp_path}/c.parquet'")
    with closing(dbapi.connect(server.url())) as connection:
        with connection.cursor() as cursor:
            cursor.adbc_ingest("patients", table, mode="create")
        connection.commit()
        given = {
            "parquet": tmp_path / "c.parquet",
            "duckdb": tmp_path / "c.duckdb",
            "postgresql": f"{server.url()}#patients",
            "connection": sf.sql(connection, table="public.patients"),
        }
        schema = sf.Schema.parse(sf.example.CLINIC)
        for name, data in given.items():
            folder = tmp_path / name
            sf.publish(data, schema=schema, epsilon=1, seed=7, folder=folder, format="csv")
    first, *others = (
        [(tmp_path / name / file).read_bytes() for file in ("synopsis.json", "data.csv")]
        for name in given
    )
    assert all(other == first for other in others)
    assert server.others() == 0  # nobody is left behind


def test_all_passes_see_one_moment(server):
    server.run("CREATE TABLE moved AS SELECT x AS age FROM generate_series(1, 1000) x")
    source = open_source(f"{server.url()}#moved")
    server.run("DELETE FROM moved WHERE age > 10", "INSERT INTO moved VALUES (5000)")
    assert source.rows == 1000
    server.run("DELETE FROM moved")
    assert sum(batch.num_rows for batch in source.batches(["age"])) == 1000
    assert open_source(f"{server.url()}#moved").rows == 0


def test_what_no_moment_hides_has_to_wait(server):
    server.run(
        "CREATE TABLE kept AS SELECT 1 AS age FROM generate_series(1, 1000)",
        "CREATE MATERIALIZED VIEW stale AS SELECT * FROM kept",
    )
    for table, statement in (
        ("kept", "TRUNCATE kept"),
        ("kept", "ALTER TABLE kept RENAME TO gone"),
        ("stale", "REFRESH MATERIALIZED VIEW stale"),
    ):
        source = open_source(f"{server.url()}#{table}")
        with pytest.raises(Exception, match="lock timeout"):
            server.run("SET lock_timeout = '50ms'", statement)
        assert source.rows == 1000
        del source
    server.run("TRUNCATE kept")  # nobody holds it any more


def test_whoever_stops_early_reads_on_in_the_same_moment(server):
    server.run(
        "CREATE TABLE large AS SELECT x AS age, repeat('x', 100) AS t FROM "
        "generate_series(1, 200000) x"
    )
    source = open_source(f"{server.url()}#large")
    passing = source.batches(["age", "t"])
    first = next(passing)
    assert first.nbytes < 2**24  # a part of the table, not all
    passing.close()
    server.run("DELETE FROM large")
    assert source.rows == 200_000


def test_the_ends_of_dates_and_numbers_are_read_as_ends(server):
    server.run(
        "CREATE TABLE ends (seen date, at timestamp, size numeric, age numeric(5, 0))",
        "INSERT INTO ends VALUES ('infinity', 'infinity', 'Infinity', 'NaN'), "
        "('-infinity', '-infinity', '-Infinity', 99999), "
        "('4000-01-01 BC', '290000-01-01', 1e1000, -99999), (NULL, NULL, 'NaN', NULL)",
    )
    domain = domain_of({name: COLUMNS[name] for name in ("seen", "at", "size", "age")})
    top, middle = domain.axes[1].points, domain.axes[1].middle
    most = domain.axes[2].points
    assert codes(f"{server.url()}#ends", domain) == [
        [366, top, most, -1],
        [0, 0, 0, 7],
        [0, top, most, 0],
        [-1, middle, -1, -1],
    ]


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("jsonb", "jsonb"),
        ("int4[]", r"integer\[\]"),
        ("bytea", "bytea"),
        ("money", "money"),
        ("inet", "inet"),
        ("interval", "duration"),
        ("time", "time64"),
        ("int4range", "int4range"),
    ],
)
def test_a_column_of_a_type_that_is_not_read_is_refused_by_its_type(server, kind, said):
    columns = {"id": {"kind": "id"}, "age": COLUMNS["age"]}
    server.run("DROP TABLE IF EXISTS strange", f"CREATE TABLE strange (age int, id {kind})")
    assert codes(f"{server.url()}#strange", domain_of(columns)) == []  # an id is not read
    server.run("DROP TABLE strange", f"CREATE TABLE strange (age {kind}, id int)")
    with pytest.raises(DataError, match=f"column age is declared integer but stored as {said}"):
        codes(f"{server.url()}#strange", domain_of(columns))


def test_a_type_of_somebodys_own_is_not_taken_for_the_servers(server):
    server.run(
        'CREATE TYPE clinic."text" AS (a int)',
        'CREATE TABLE typed (ward clinic."text", age int)',
    )
    with pytest.raises(DataError, match="column ward is declared category but stored as"):
        codes(f"{server.url()}#typed", domain_of({n: COLUMNS[n] for n in ("ward", "age")}))


@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII", "WIN1252"])
def test_no_letter_of_another_encoding_stops_the_reading(server, encoding):
    name = f"in_{encoding.lower()}"
    server.run(f"CREATE DATABASE {name} TEMPLATE template0 ENCODING '{encoding}' LOCALE 'C'")
    url = f"{server.url(name)}&options=-c%20client_encoding%3DSQL_ASCII"
    with_letter = "convert_from('\\x61e9'::bytea, 'SQL_ASCII')"
    server.run(f"CREATE TABLE t AS SELECT {with_letter} AS ward", database=name)
    if encoding == "WIN1252":
        with pytest.raises(DataError, match="kept in WIN1252, in which some bytes are no letters"):
            open_source(f"{url}#t")
        return
    columns = {"ward": {"kind": "category", "values": ["aé", "b"], "missing": "allowed"}}
    # As LATIN1 the byte is a letter; without an encoding it is none, and the value no level.
    assert codes(f"{url}#t", domain_of(columns)) == [[0 if encoding == "LATIN1" else 2]]


def test_a_view_that_fails_half_way_is_told_in_fixed_words(server):
    server.run(
        "CREATE VIEW torn AS SELECT (1 / (x - 5000))::int AS age FROM generate_series(1, 9999) x"
    )
    source = open_source(f"{server.url()}#torn")
    with pytest.raises(OSError, match="the database ended the query") as error:
        list(source.batches(["age"]))
    assert "zero" not in " ".join(texts(error.value))
    assert source.rows == 9999  # the same moment, after a pass that failed


@pytest.mark.parametrize("autocommit", [True, False])
def test_a_table_that_another_session_would_not_see_is_refused(server, autocommit):
    from adbc_driver_postgresql import dbapi

    server.run(
        "DROP SCHEMA IF EXISTS other CASCADE",
        "CREATE SCHEMA other",
        "CREATE TABLE IF NOT EXISTS public.twins (age int)",
        "CREATE TABLE other.twins AS SELECT 1 AS age FROM generate_series(1, 3)",
        "GRANT USAGE ON SCHEMA other TO guarded",
        "GRANT SELECT ON other.twins TO guarded",
    )
    with closing(dbapi.connect(server.url(), autocommit=autocommit)) as given:
        assert open_source(sf.sql(given, table="twins")).rows == 0
        for setting in ("SET search_path = other", "SET ROLE guarded"):
            with given.cursor() as cursor:
                cursor.execute(setting)
            with pytest.raises(DataError, match="a second connection would see other tables"):
                open_source(sf.sql(given, table="twins"))
            if setting.endswith("other"):  # of which the name says it itself
                assert open_source(sf.sql(given, table="other.twins")).rows == 3
        with pytest.raises(DataError, match="a second connection would see other tables"):
            open_source(sf.sql(given, table="other.twins"))
