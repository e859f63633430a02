"""Records that stay in PostgreSQL: the server's counts are ours, bit for bit, or are refused."""

import numpy as np
import pytest

import sfumato as sf
from sfumato.cli import main
from sfumato.errors import DataError
from sfumato.measure.fit import FirstComplaints
from sfumato.table.encode import read
from sfumato.table.records import Records
from sfumato.table.source import open_source
from sfumato.table.sql.coded import Coded
from sfumato.table.statistic import Rows
from table.sources_world import domain_of, texts

pytestmark = pytest.mark.slow

GAPS = {"missing": "allowed"}
NUMBER = {"kind": "number", "low": -1.5, "high": 1000}
COLUMNS = {
    "i2": {"kind": "integer", "low": -3, "high": 9},
    "i8": {"kind": "integer", "low": -(10**12), "high": 10**12, **GAPS},
    "f4": NUMBER,
    "f8": {**NUMBER, **GAPS},
    "n8": {"kind": "number", "low": 0, "high": 500, "step": "0.01"},
    "n18": {**NUMBER, **GAPS},
    "d": {"kind": "date", "low": "2000-01-01", "high": "2020-12-31", **GAPS},
    "ts": {"kind": "date", "low": "2000-01-01", "high": "2020-12-31", "step": "month"},
    "tz": {"kind": "date", "low": "2020-01-01", "high": "2020-01-02", "step": "second"},
    "t": {"kind": "category", "values": ["a", 'q"\\', "3"], "other": "else", **GAPS},
    "e": {"kind": "category", "values": ["x", "y"]},
    "g": {"kind": "category", "values": [1, 2, 3]},
    "b": {"kind": "boolean"},
}
KINDS = [
    *("smallint", "bigint", "real", "float8", "numeric(8, 2)", "numeric(18, 6)", "date"),
    *("timestamp", "timestamptz", "text", "clinic.mood", "int", "boolean"),
]
ODD = [
    "-32768, -9223372036854775808, '-Infinity', '-Infinity', -999999.99, -999999999999.999999, "
    "'-infinity', '-infinity', '-infinity', ' a\u00a0', 'x', -1, true",
    "32767, 9223372036854775807, 'Infinity', 'Infinity', 999999.99, 999999999999.999999, "
    "'infinity', 'infinity', 'infinity', E'q\"\\\\', 'y', 2, false",
    "NULL, NULL, 'NaN', 'NaN', 'NaN', 'NaN', NULL, NULL, NULL, '', NULL, NULL, NULL",
    "9, 0, '-0', '-0', 0, 0, '4000-01-01 BC', '290000-01-01', '2020-01-01 12:00:00.999999+00', "
    "'3.0', 'z', 3, true",
    "0, 1, 1e-45, 5e-324, 0.01, 1000.000001, '2020-12-31', '2020-12-31 23:59:59.999999', "
    "'2020-01-02 01:00+01', E'\\t3', 'x', 9, NULL",
]


@pytest.fixture(scope="module")
def url(server):
    declared = ", ".join(f"{n} {k}" for n, k in zip(COLUMNS, KINDS, strict=True))
    server.run(
        "CREATE TYPE clinic.mood AS ENUM ('x', 'y', 'z')",
        f"CREATE TABLE odd ({declared})",
        *(f"INSERT INTO odd VALUES ({row})" for row in ODD),
        "INSERT INTO odd SELECT x % 20 - 5, x * 12345678901, x * 0.37 - 5, x * 1.0001 - 5, "
        "x * 0.77, x * 1.234567 - 5, date '1999-12-01' + x * 9, "
        "timestamp '1999-12-01' + x * interval '9 days 7 seconds', "
        "timestamptz '2019-12-31 23:00+00' + x * interval '113.7 seconds', "
        "(ARRAY['a', 'b', '3', ' a', NULL])[1 + x % 5], "
        "(ARRAY['x', 'y', 'z'])[1 + x % 3]::clinic.mood, x % 5, x % 2 = 0 "
        "FROM generate_series(1, 900) x",
    )
    return server.url()


def test_every_code_and_complaint_is_that_of_our_encoder(url):
    domain = domain_of(COLUMNS)
    kept, read_here = (
        open_source(sf.sql(url, table="odd", in_database=there), counted=True)
        for there in (True, False)
    )
    kept.check(domain, "mosaic")
    coded = Coded.of(domain, kept)
    there = [
        np.column_stack([np.asarray(column) for column in batch.columns])
        for batch in kept.session.batches(coded.query, *coded.bound.texts)
    ]
    here = []
    for batch in read_here.batches(list(COLUMNS)):
        codes, said = read(domain, batch)
        here.append(np.stack([codes, said], axis=2).reshape(len(codes), -1))
    assert sorted(np.concatenate(there).tolist()) == sorted(np.concatenate(here).tolist())


@pytest.mark.parametrize("part", [None, "b=true"])
def test_statistics_fingerprint_and_release_are_the_same(url, part):
    domain = domain_of(COLUMNS)
    both = [sf.sql(url, table="odd", in_database=there) for there in (True, False)]
    records = [Records(open_source(one, counted=True), domain, key=b"k" * 32) for one in both]
    for statistic in (Rows(), FirstComplaints(domain)):
        there, here = (one.fold(statistic) for one in records)
        np.testing.assert_array_equal(there, here)
    assert records[0].fingerprint() == records[1].fingerprint()
    few = COLUMNS | {name: {"kind": "id"} for name in COLUMNS if name not in ("i2", "f8", "t", "b")}
    schema = {"name": "t", "neighbours": "add-remove", "columns": few}
    asked = {"schema": schema, "epsilon": 5, "seed": 4, "part": part, "misfit": 1, "rows": 50}
    there, here = (sf.publish(one, **asked) for one in both)
    assert there.data.equals(here.data)


def test_what_cannot_be_counted_there_is_refused_before_a_charge(server, url, tmp_path):
    server.run(
        "CREATE TABLE loose AS SELECT 1.5::numeric AS a, 'x'::text AS b, 2::float8 AS c, 1 AS d "
        "FROM generate_series(1, 9)"
    )
    given = sf.sql(url, table="loose", in_database=True)
    ids = {name: {"kind": "id"} for name in "abcd"}
    number = {"kind": "number", "low": 0, "high": 9}
    for column, facts in {
        "a": number,
        "b": number,
        "c": {"kind": "category", "values": [1, 2]},
        "d": number | {"missing": "allowed", "missing_words": ["-99"]},
    }.items():
        with sf.Ledger.create(tmp_path / f"{column}.db") as ledger:
            ledger.grant("t", sf.PureDP(1), reason="test")
            schema = {"name": "t", "columns": ids | {column: facts}}
            with pytest.raises(DataError, match=f"column {column} cannot be counted inside"):
                sf.publish(given, schema=schema, epsilon=1, ledger=ledger)
            assert ledger.balance("t").releases == 0
    schema = {"name": "t", "columns": ids | {"d": number}}
    with pytest.raises(DataError, match="modips needs more than counts: choose mosaic"):
        sf.publish(given, schema=schema, epsilon=1, method="modips")
    for look in (
        lambda: sf.check(given, schema=schema, uncounted=True),
        lambda: sf.estimate_schema(given, schema=schema, epsilon=1),
        lambda: sf.compare(given, schema, epsilons=[1]),
    ):
        with pytest.raises(DataError, match="records are not to leave the database"):
            look()
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE loose AS SELECT 1 AS d FROM range(9)")
        with pytest.raises(DataError, match="only by PostgreSQL"):
            sf.publish(
                sf.sql(connection, table="loose", in_database=True), schema=schema, epsilon=1
            )


def test_names_that_look_like_the_query_are_only_names(server, url):
    server.run('CREATE TABLE named AS SELECT x % 4 AS "x AS k" FROM generate_series(1, 99) x')
    column = {"x AS k": {"kind": "integer", "low": 0, "high": 3}}
    schema = {"name": "t", "neighbours": "add-remove", "columns": column}
    there, here = (
        sf.publish(sf.sql(url, table="named", in_database=k), schema=schema, epsilon=5, seed=1)
        for k in (True, False)
    )
    assert there.data.equals(here.data)


def test_a_connection_that_is_lost_is_told_as_one(server, url):
    given = open_source(sf.sql(url, table="odd", in_database=True), counted=True)
    server.run(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
    )
    with pytest.raises(DataError, match="connection to the database was lost") as error:
        Records(given, domain_of(COLUMNS)).fold(Rows())
    assert "terminat" not in " ".join(texts(error.value))


def test_the_command_counts_there(url, tmp_path, monkeypatch, capsys):
    (tmp_path / "t.yaml").write_text(
        "name: t\ncolumns:\n"
        + "".join(f"  {name}: {{kind: id}}\n" for name in COLUMNS if name != "i8")
        + "  i8: {kind: integer, low: 0, high: 9}\n"
    )
    said = []
    for data in (url, "t.csv"):
        words = [
            "publish",
            data,
            "--table",
            "odd",
            "--in-database",
            "--schema",
            tmp_path / "t.yaml",
        ]
        words += ["--epsilon", "1", "--misfit", "1", "-o", tmp_path / "r"]
        monkeypatch.setattr("sys.argv", ["sfumato", *map(str, words)])
        with pytest.raises(SystemExit):
            main()
        said.append("".join(capsys.readouterr()))
    assert "905 rows by mosaic" in said[0]
    assert "table names a table of a database" in said[1]
