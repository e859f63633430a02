"""The page of a release by person: persons and rows, one table and two, in memory and on disk."""

import re
from html import unescape
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.accuracy.published import published
from sfumato.ledger import Ledger
from sfumato.publishing.officer import officer_page
from sfumato.report.columns import survey
from sfumato.report.people_rows import flat_rows
from sfumato.synopsis.flat_people import COUNT
from slowness import slow

PERSONS = 400
COLUMNS = {
    "who": {"kind": "id"},
    "sex": {"kind": "category", "values": ["f", "m"], "per": "person"},
    "year": {"kind": "integer", "low": 2010, "high": 2020},
    "ward": {"kind": "category", "values": ["eyes", "heart", "skin"]},
    "cost": {"kind": "integer", "low": 0, "high": 40},
}
ONE = {"name": "visits", "person": "who", "rows_per_person": 6, "order": "year", "columns": COLUMNS}
TWO = {
    "name": "visits",
    "tables": {"persons": {"key": "who"}, "events": {"person": "who", "order": "year"}},
    "rows_per_person": 6,
    "columns": COLUMNS,
}
ASKED = {"rho": 2, "seed": 2, "fit": False}


def rows_of(persons: int = PERSONS) -> pa.Table:
    rng = np.random.default_rng(5)
    counts = rng.integers(1, 6, persons)
    who = np.repeat(np.arange(persons), counts)
    nth = np.concatenate([np.arange(count) for count in counts])
    return pa.table(
        {
            "who": who,
            "sex": np.where(who % 3 == 0, "f", "m"),
            "year": 2010 + nth,
            "ward": np.where(nth == 0, "heart", "skin"),
            "cost": nth * 8,
        }
    )


def released(schema: dict[str, object], **asked: object) -> sf.Release:
    rows = rows_of()
    if "tables" not in schema:
        return sf.publish(rows, schema=schema, **ASKED, **asked)  # type: ignore[arg-type]
    persons = pa.table({"who": np.arange(PERSONS), "sex": ["f"] * PERSONS})
    both = {"persons": persons, "events": rows.drop_columns(["sex"])}
    return sf.publish(both, schema=schema, **ASKED, **asked)  # type: ignore[arg-type]


def page_of(release: sf.Release) -> str:
    return unescape(sf.report_page(release).decode())


@pytest.fixture(scope="module")
def one() -> sf.Release:
    return released(ONE)


@pytest.fixture(scope="module")
def text(one: sf.Release) -> str:
    return page_of(one)


def cut(release: sf.Release, size: int) -> sf.Release:
    """The same in batches that know of no persons."""
    tables = {
        name: pa.Table.from_batches(table.to_batches(max_chunksize=size))
        for name, table in release.tables.items()
    }
    certificate, synopsis = release.certificate, release.synopsis
    return sf.Release(certificate, synopsis=synopsis, tables=tables)


def test_the_page_counts_persons_and_rows(one: sf.Release, text: str) -> None:
    rows = one.table.num_rows
    assert f"{PERSONS} persons with {rows:,} rows published by" in text
    assert f"The release holds {PERSONS} persons with {rows:,} rows in 5 columns" in text
    assert "each person weighing the same: one of five rows counts as a fifth of a person" in text
    assert "Each person counts once, and each of their rows, of which at most 6 are used" in text


def test_the_page_shows_rows_per_person_and_columns_over_the_order(text: str) -> None:
    for title in ("Rows per person", "ward over year", "cost over year"):
        assert f"<b>{title}</b>" in text
    assert "% of persons" in text
    first, last = re.search(r"mean from (\S+) at 2,010 to (\S+) at", text).groups()  # type: ignore[union-attr]
    assert float(first) < float(last)  # costs grow with the years
    assert "How the rows of a person follow each other was measured." in text


def test_nobody_at_all_still_has_a_page(one: sf.Release) -> None:
    nobody = one.certificate.model_copy(
        update={"rows": 0, "people": one.certificate.people.model_copy(update={"persons": 0})}  # type: ignore[union-attr]
    )
    empty = sf.Release(nobody, synopsis=one.synopsis, table=one.table.slice(0, 0))
    assert "0 persons with 0 rows published by" in page_of(empty)


def test_rows_per_person_end_where_the_release_does(text: str, one: sf.Release) -> None:
    _, counts = np.unique(one.table["who"].to_numpy(), return_counts=True)
    assert f"histogram of the released persons from 1 to {counts.max()} rows; most have" in text


def test_without_an_order_nothing_is_drawn_over_it() -> None:
    schema = {name: said for name, said in ONE.items() if name != "order"}
    found = page_of(released(schema))
    assert "Rows per person" in found
    assert " over year" not in found
    assert "over None" not in found


def test_what_is_to_be_predicted_is_drawn_over_the_order_first() -> None:
    cost = {**COLUMNS["cost"], "role": "target"}
    schema = {**ONE, "columns": {**COLUMNS, "cost": cost}}
    titles = re.findall(r"<b>(\w+) over year</b>", page_of(released(schema)))
    assert titles == ["cost", "ward"]


def test_that_how_rows_follow_was_not_measured_is_said() -> None:
    rows = rows_of(60)
    release = sf.publish(rows, schema=ONE, epsilon="0.1", seed=1, fit=False)
    assert "How the rows of a person follow each other was not measured" in page_of(release)


@pytest.mark.parametrize("size", [1, 7, 1_000])
@pytest.mark.parametrize("schema", [ONE, TWO], ids=["one table", "two tables"])
def test_persons_are_whole_however_batches_are_cut(schema: dict[str, object], size: int) -> None:
    release = released(schema)
    parts = list(flat_rows(cut(release, size)))
    assert sum(float(part.weight.sum()) for part in parts) == pytest.approx(PERSONS)
    assert sum(len(part.one_each) for part in parts) == PERSONS
    counts = np.concatenate([np.asarray(part.batch.column(COUNT)) for part in parts])
    rows = release.tables["events" if "tables" in schema else "data"]
    assert (counts > 0).sum() == rows.num_rows
    cost = pa.chunked_array([part.batch.column("cost") for part in parts]).drop_null()
    assert cost.to_pylist() == rows.column("cost").to_pylist()


def test_bars_are_of_persons_so_that_they_stand_beside_what_was_measured(one: sf.Release) -> None:
    columns = {column.name: column for column in survey(one).columns}
    table = one.table
    _, whose, counts = np.unique(table["who"].to_numpy(), return_inverse=True, return_counts=True)
    heart = (table["ward"].to_numpy() == "heart") / counts[whose]
    assert columns["ward"].shares[1] == pytest.approx(heart.sum() / PERSONS)
    assert columns[COUNT].rows == PERSONS
    seen = published(one).count("ward", ["heart"]).value / PERSONS
    assert columns["ward"].shares[1] == pytest.approx(seen, abs=0.05)
    plain = np.mean(table["ward"].to_numpy() == "heart")
    assert abs(columns["ward"].shares[1] - plain) > 0.1


@pytest.mark.long
@pytest.mark.parametrize("kind", ["csv", slow("parquet")])
@pytest.mark.parametrize("schema", [ONE, TWO], ids=["one table", "two tables"])
def test_a_folder_has_the_page_of_the_release_in_memory(
    schema: dict[str, object], kind: str, tmp_path: Path
) -> None:
    folder = tmp_path / "release"
    release = released(schema, folder=folder, format=kind)
    assert sf.Release.load(folder).report().name == "report.html"
    assert (folder / "report.html").read_bytes() == sf.report_page(release)
    assert sf.verify(folder).passed


def test_two_tables_are_one_page(tmp_path: Path) -> None:
    release = released(TWO)
    rows = release.tables["events"].num_rows
    found = page_of(release)
    assert (
        f"{PERSONS} persons with {rows:,} rows in two tables, persons (2 columns) and events "
        "(4 columns)" in found
    )
    assert "Who has no row counts as missing in what rows hold." in found


def test_the_officer_reads_of_persons(tmp_path: Path) -> None:
    folder, place = tmp_path / "release", tmp_path / "budget.db"
    with Ledger.create(place) as ledger:
        ledger.grant("visits", sf.ZCDP(2), reason="a test")
        sf.publish(rows_of(), schema=ONE, rho=1, folder=folder, ledger=ledger, fit=False)
        found = unescape(officer_page(folder, ledger))
    assert f": {PERSONS} persons with " in found
    assert "a person with all of their rows, while what several persons share" in found
