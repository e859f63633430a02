"""Publishing by person: from one table or two to as many, and refused before any charge."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.errors import DataError, ParameterError, ReleaseError, SchemaError
from sfumato.ledger import Ledger
from sfumato.privacy.guarantee import PureDP
from sfumato.publishing.table import publish_plan
from sfumato.table.people.people import People
from sfumato.table.source import ArrowTable
from sfumato.table.sql.opening import SqlTable
from toy_people import TOY
from visits_world import LINKED_PANEL, PANEL, ROWS, linked_panel, panel, plan_for_persons

pytestmark = pytest.mark.usefixtures("toy_people")
ASKED = {"method": TOY, "epsilon": 1}
WORLDS = {"one table": (PANEL, panel), "two tables": (LINKED_PANEL, linked_panel)}
each_world = pytest.mark.parametrize(("schema", "data"), WORLDS.values(), ids=WORLDS)


@pytest.fixture
def ledger(tmp_path):
    with Ledger.create(tmp_path / "budget.db") as ledger:
        ledger.grant("panel", PureDP(9), reason="board")
        yield ledger


def written(tables, folder, write):
    folder.mkdir()
    found = {}
    for name, table in tables.items():
        found[name] = folder / f"{name}.{write.__name__.rpartition('_')[2]}"
        write(table, found[name])
    return found


@each_world
def test_a_release_in_a_folder_is_charged_verifies_and_is_loaded_again(
    ledger, tmp_path, schema, data
):
    made = sf.publish(data(), schema=schema, ledger=ledger, folder=tmp_path / "r", **ASKED)
    names = {"synopsis.json", "release.json", *(f"{name}.csv" for name in made.tables)}
    assert {path.name for path in (tmp_path / "r").iterdir()} == names
    assert sf.verify(made, ledger=ledger)
    loaded = sf.Release.load(tmp_path / "r")
    assert loaded.certificate == made.certificate
    assert loaded.tables.keys() == made.tables.keys()
    assert all(loaded.tables[name].equals(table) for name, table in made.tables.items())
    persons = 40 + 2 * ("persons" in made.tables)
    assert made.certificate.people.persons == persons
    assert made.certificate.options == {"persons": persons}  # the plan was made for that number
    again = sf.publish(data(), schema=schema, ledger=ledger, folder=tmp_path / "r", **ASKED)
    assert again.certificate == made.certificate
    assert ledger.balance("panel").releases == 1


@each_world
@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_what_is_saved_from_memory_is_what_is_written_at_once(tmp_path, schema, data, format):
    kept = sf.publish(data(), schema=schema, seed=4, **ASKED)
    kept.save(tmp_path / "kept", format=format)
    folder = tmp_path / "made"
    made = sf.publish(data(), schema=schema, seed=4, folder=folder, format=format, **ASKED)
    made.save(tmp_path / "copy", format="csv")
    assert kept.certificate.content == made.certificate.content
    assert all(sf.verify(tmp_path / name) for name in ("kept", "made", "copy"))
    for name, table in kept.tables.items():
        assert sf.Release.load(tmp_path / "copy").tables[name].equals(table)


def test_two_tables_are_no_single_one():
    two = sf.publish(linked_panel(), schema=LINKED_PANEL, **ASKED)
    assert list(two.data) == list(two.tables) == ["persons", "events"]
    with pytest.raises(ReleaseError, match=r"2 tables \(persons, events\): take one of them from"):
        _ = two.table
    one = sf.publish(panel(), schema=PANEL, **ASKED)
    assert one.data is one.table is one.tables["data"]


@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
@each_world
def test_as_many_persons_are_drawn_as_are_asked_for(schema, data, neighbours):
    asked = {**schema, "neighbours": neighbours}
    for persons in (0, 3):
        made = sf.publish(data(), schema=asked, rows=persons, **ASKED)
        assert made.certificate.people.persons == persons
        assert made.certificate.rows == list(made.tables.values())[-1].num_rows


@each_world
def test_frames_come_back_as_frames_with_whole_numbers_for_keys(schema, data):
    tables = data()
    small = {"year": "int16", "ward": "category", "days": "Int16", "patient": "string"}

    def as_pandas(table):
        kinds = {n: k for n, k in small.items() if n in table.column_names}
        return table.to_pandas().astype(kinds)

    given = {n: as_pandas(t) for n, t in tables.items()} if isinstance(tables, dict) else None
    found = sf.publish(given or as_pandas(tables), schema=schema, **ASKED).data
    rows = found["events"] if given else found
    assert rows.dtypes.astype(str)[list(small)].to_dict() == {**small, "patient": "int64"}
    if given:
        assert found["persons"].dtypes["pid"] == np.int64
    given = {n: pl.from_arrow(t) for n, t in tables.items()} if given else pl.from_arrow(tables)
    found = sf.publish(given, schema=schema, **ASKED).data
    rows = found["events"] if isinstance(found, dict) else found
    assert isinstance(rows, pl.DataFrame)
    assert rows.schema["patient"] == pl.Int64


def test_tables_of_two_kinds_come_back_as_arrow():
    tables = linked_panel()
    mixed = {"persons": tables["persons"].to_pandas(), "events": pl.from_arrow(tables["events"])}
    found = sf.publish(mixed, schema=LINKED_PANEL, **ASKED).data
    assert all(isinstance(table, pa.Table) for table in found.values())


def test_files_are_read_and_parquet_gives_parquet(tmp_path):
    for name, write in (("csv", pacsv.write_csv), ("pq", _write_parquet)):
        files = written(linked_panel(), tmp_path / name, write)
        folder = tmp_path / f"release of {name}"
        sf.publish(files, schema=LINKED_PANEL, folder=folder, **ASKED)
        ending = "csv" if name == "csv" else "parquet"
        assert (folder / f"persons.{ending}").exists()
        assert sf.verify(folder)


def _write_parquet(table, path):
    pq.write_table(table, path)


def test_the_source_is_read_once_although_persons_are_counted_before_the_charge(monkeypatch):
    reads, batches = [], ArrowTable.batches

    def counted(self, columns):
        reads.append(tuple(columns))
        return batches(self, columns)

    monkeypatch.setattr(ArrowTable, "batches", counted)
    sf.publish(panel(), schema=PANEL, **ASKED)
    assert reads == [("patient", "born", "sex", "year", "days", "ward")]


def test_under_add_remove_nothing_is_read_before_the_charge(ledger, monkeypatch):
    seen, batches = [], ArrowTable.batches

    def watched(self, columns):
        seen.append([entry.state for entry in ledger.unfinished()])
        return batches(self, columns)

    monkeypatch.setattr(ArrowTable, "batches", watched)
    alone = {**PANEL, "neighbours": "add-remove"}
    for data in (panel(), panel(0)):  # nor is it said that there is nobody
        sf.publish(data, schema=alone, ledger=ledger, rows=4, **ASKED)
    assert seen == [["reserved"], ["reserved"]]


def test_rows_are_kept_by_the_key_of_the_ledger_and_in_test_runs_by_the_seed(ledger, monkeypatch):
    keys, init = [], People.__init__

    def watched(self, *given, key, **more):
        keys.append(key)
        init(self, *given, key=key, **more)

    monkeypatch.setattr(People, "__init__", watched)
    for more in ({"ledger": ledger}, {}, {}, {"seed": 1}, {"seed": 1}, {"seed": 2}):
        sf.publish(panel(), schema=PANEL, **more, **ASKED)
    assert keys[0] == ledger.fingerprint_key
    assert keys[3] == keys[4]
    assert len(set(keys)) == 5


def tables_but(**changed):
    return lambda: {**linked_panel(), **changed}


def without(table, column):
    return lambda: {**linked_panel(), table: linked_panel()[table].drop([column])}


def with_more(table, column):
    def made():
        tables = linked_panel()
        tables[table] = tables[table].append_column(column, [[None] * tables[table].num_rows])
        return tables

    return made


def _with_dates(table):
    return table.set_column(1, "born", table.column("born").cast(pa.int32()).cast(pa.date32()))


REFUSED = {
    "one table for two": (LINKED_PANEL, panel, r"the schema is of two files .* --persons FILE"),
    "other names": (
        LINKED_PANEL,
        lambda: dict(zip(["people", "events"], linked_panel().values(), strict=True)),
        r'\{"persons": …, "events": …\} and nothing else',
    ),
    "a third table": (LINKED_PANEL, tables_but(wards=panel()), "and nothing else"),
    "two tables for one": (PANEL, linked_panel, r"leave out that of persons \(--persons\), or say"),
    "two tables of rows": (ROWS, linked_panel, r"leave out that of persons \(--persons\), or say"),
    "no id": (PANEL, lambda: panel().drop(["patient"]), "column patient of the schema is not in"),
    "no key": (LINKED_PANEL, without("persons", "pid"), "persons: column pid of the schema is not"),
    "no id of events": (LINKED_PANEL, without("events", "patient"), "events: column patient of"),
    "no constant": (LINKED_PANEL, without("persons", "sex"), "persons: column sex of the schema"),
    "no column": (LINKED_PANEL, without("events", "ward"), "events: column ward of the schema is"),
    "a constant among events": (
        LINKED_PANEL,
        with_more("events", "sex"),
        "events: column sex belongs to the file of persons: drop it here, or leave out its per:",
    ),
    "a column among persons": (
        LINKED_PANEL,
        with_more("persons", "ward"),
        "persons: column ward belongs to the file of events: drop it here, or declare per: person",
    ),
    "unknown": (LINKED_PANEL, with_more("events", "x"), "events: column x is not in the schema"),
    "a type": (
        LINKED_PANEL,
        lambda: {**linked_panel(), "persons": _with_dates(linked_panel()["persons"])},
        "persons: column born is declared integer but stored as date32",
    ),
    "nobody": (PANEL, lambda: panel(0), "fewer than two persons: at least two are needed"),
    "one person": (PANEL, lambda: panel(1), "fewer than two persons: at least two are needed"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_misuse_is_refused_with_its_remedy_and_nothing_is_charged(ledger, tmp_path, what):
    schema, data, message = REFUSED[what]
    schema = {**schema, "name": "panel"}
    head = ledger.head
    given = {"schema": schema, "ledger": ledger, "folder": tmp_path / "r", "epsilon": 1}
    method = "mosaic" if what == "two tables of rows" else TOY
    with pytest.raises(DataError, match=message):
        sf.publish(data(), method=method, **given)
    assert ledger.head == head
    assert not (tmp_path / "r").exists()


@pytest.mark.parametrize(
    ("more", "error", "message"),
    [
        ({"rows": -1}, ParameterError, r"rows \(persons to draw\) must be from 0 to"),
        ({"rows": 2**40}, ParameterError, r"rows \(persons to draw\) must be from 0 to"),
        ({"rows": 1.5}, ParameterError, "rows must be a whole number"),
        ({"part": "year=2020"}, SchemaError, "makes a person with all of their rows the unit"),
        ({"format": "xml", "folder": "r"}, ParameterError, "format must be csv or parquet"),
        ({"sheet": "2020"}, DataError, "sheet names a sheet of a workbook"),
    ],
    ids=str,
)
def test_options_that_do_not_go_with_persons_are_refused_by_name(ledger, more, error, message):
    head = ledger.head
    with pytest.raises(error, match=message):
        sf.publish(panel(), schema=PANEL, ledger=ledger, **more, **ASKED)
    assert ledger.head == head


def test_so_much_noise_on_the_number_of_persons_asks_for_a_number():
    alone = {**PANEL, "neighbours": "add-remove"}
    with pytest.raises(ParameterError, match="say how many persons to draw"):
        sf.publish(panel(), schema=alone, method=TOY, epsilon="1e-7")
    assert sf.publish(panel(), schema=alone, method=TOY, epsilon="1e-7", rows=3)


def test_a_database_that_counts_by_itself_does_not_group_persons(ledger, monkeypatch):
    class Counting(ArrowTable):
        def fold(self, columns, task):
            raise AssertionError("nothing is asked")

    monkeypatch.setattr(SqlTable, "open", lambda *_, counted: Counting(panel()))
    head = ledger.head
    given = sf.sql("postgresql://reader@host/clinic", table="panel", in_database=True)
    with pytest.raises(DataError, match="leave out in_database"):
        sf.publish(given, schema=PANEL, ledger=ledger, **ASKED)
    assert ledger.head == head


def test_public_data_by_row_is_no_basis_of_persons(ledger):
    plan = replace(plan_for_persons({**PANEL}), public=object())
    head = ledger.head
    with pytest.raises(ParameterError, match="here the unit is a person: leave out basis"):
        publish_plan(plan, panel(), ledger=ledger)
    assert ledger.head == head


def test_a_method_may_release_columns_of_its_own(tmp_path):
    columns = pa.schema([pa.field("mean", pa.float64(), nullable=False)])
    batch = pa.RecordBatch.from_pydict({"mean": [0.5]}, columns)
    plan = replace(
        plan_for_persons({**PANEL}), columns=columns, render=lambda *_: [batch], sized=None
    )
    made = publish_plan(plan, panel(), folder=tmp_path / "r")
    assert made.certificate.people is None
    assert made.table.to_pydict() == {"mean": [0.5]}
    assert sf.Release.load(tmp_path / "r").data.num_rows == 1


def test_columns_may_be_called_persons_and_events():
    number = {"kind": "integer", "low": 0, "high": 9}
    schema = {"name": "t", "columns": {"persons": number, "events": number}}
    data = {"persons": [1, 2] * 30, "events": [3, 4] * 30}
    assert sf.publish(data, schema=schema, epsilon=1, fit=False).table.num_rows == 60


def test_a_plan_for_persons_begins_with_counts_of_what_does_not_fit():
    plan = sf.price(PANEL, **ASKED)
    assert plan.fit is not None
    assert [event.statistic.split(",")[0] for event in plan.events] == ["fit", "rows per person"]


def test_the_certificate_and_the_synopsis_hold_no_id(tmp_path):
    made = sf.publish(panel(), schema=PANEL, folder=tmp_path / "r", **ASKED)
    assert json.loads((tmp_path / "r/release.json").read_text())["people"] == {"persons": 40}
    for path in (tmp_path / "r").iterdir():
        assert '"p1"' not in path.read_text()
    assert pd.api.types.is_integer_dtype(made.table.to_pandas()["patient"])


def test_rows_stay_on_dask_and_are_written_here(tmp_path):
    dask = pytest.importorskip("dask.dataframe")
    tables = {n: dask.from_pandas(t.to_pandas(), npartitions=2) for n, t in linked_panel().items()}
    made = sf.publish(tables, schema=LINKED_PANEL, folder=tmp_path / "r", **ASKED)
    assert made.certificate.people.persons == 42
    assert sf.verify(tmp_path / "r")
