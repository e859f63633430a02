"""What must hold among persons is checked, although a forger seals all that can be sealed."""

import json
import shutil

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.errors import ReleaseError
from sfumato.methods import METHODS
from sfumato.publishing import people_check
from sfumato.publishing.people_check import Joined, PersonKeys, PersonRows
from sfumato.release import file
from sfumato.release.content import TablesContent
from sfumato.release.digest import digest
from sfumato.release.folder import sha256
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from toy_people import METHOD, TOY
from visits_world import LINKED_PANEL, PANEL, linked_panel, panel

pytestmark = pytest.mark.usefixtures("toy_people")


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """Releases of one table and of two that are never touched."""
    place = tmp_path_factory.mktemp("sound")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(METHODS, TOY, METHOD)
        for name, schema, data in (("one", PANEL, panel()), ("two", LINKED_PANEL, linked_panel())):
            asked = {"method": TOY, "epsilon": 1, "seed": 1, "format": "parquet"}
            sf.publish(data, schema=schema, folder=place / name, **asked)
    return place


def forged(folder, change, **stated):
    """The tables with a change, sealed as far as anybody can who has the folder."""
    paper = json.loads((folder / "release.json").read_text())
    names = [name for name in ("data", "persons", "events") if f"{name}.parquet" in paper["files"]]
    tables = {name: pq.read_table(folder / f"{name}.parquet") for name in names}
    kinds = {name: table.schema for name, table in tables.items()}
    rows = {name: table.to_pylist() for name, table in tables.items()}
    change(*rows.values())
    content = TablesContent(names)
    for name, found in rows.items():
        table = pa.Table.from_pylist(found, kinds[name])
        pq.write_table(table, folder / f"{name}.parquet")
        for batch in table.to_batches():
            content.update(name, batch)
    paper["rows"], paper["content"] = content.rows, {"sha256-tree": content.hexdigest()}
    if "persons" in rows:
        paper["people"]["persons"] = len(rows["persons"])
    paper["people"].update(stated)
    paper["files"] = {name: sha256(folder / name) for name in paper["files"]}
    paper["seal"] = digest(paper)
    (folder / "release.json").write_text(json.dumps(paper, indent=2, ensure_ascii=False) + "\n")


def place_of_two(rows):
    """The first row whose successor is of the same person."""
    return next(k for k in range(len(rows) - 1) if rows[k]["patient"] == rows[k + 1]["patient"])


def put(column, first, second):
    """Two rows of one person with these values in a column."""

    def change(*tables):
        rows, k = tables[-1], place_of_two(tables[-1])
        rows[k][column], rows[k + 1][column] = first, second

    return change


def gap(rows):
    for row in rows:
        row["patient"] += row["patient"] > 1


def moved_down(rows):
    for row in rows:
        row["patient"] -= 1


def swapped(*tables):
    rows = tables[-1]
    rows[0], rows[-1] = rows[-1], rows[0]


def more_rows(*tables):
    tables[-1][1:1] = [dict(tables[-1][0]) for _ in range(5)]


def one_name_twice(rows):
    last = rows[-1]["patient"]
    rows += [{**rows[0], "patient": last + 1}, {**rows[0], "patient": last}]


def nobody_is_it(persons, events):
    persons.pop()
    events[-1]["patient"] = len(persons) + 1


def nobody(*_):
    pass


ONE = {
    "sound": (nobody, None),
    "a person left out of the keys": (gap, "column patient: the keys of persons are not 1, 2, 3"),
    "keys from zero": (moved_down, "column patient: the keys of persons are not 1, 2, 3"),
    "rows apart": (one_name_twice, "column patient: the keys of persons are not 1, 2, 3"),
    "rows in another order": (swapped, "column patient: the keys of persons are not 1, 2, 3"),
    "two years of birth": (put("born", 1930, 1931), "column born: a person has more than one"),
    "a sex that is missing once": (put("sex", None, "f"), "column sex: a person has more than one"),
    "back in time": (put("year", 2020, 2019), "column year: it falls from one row of a person"),
    "fewer days": (put("days", 9, 8), "column days: it falls from one row of a person"),
    "too many rows": (more_rows, "a person has more than 5 rows"),
    "off the grid": (put("ward", "knee", "heart"), "values outside the public grid"),
}
TWO = {
    "sound": (nobody, None),
    "persons in another order": (
        lambda persons, _: persons.reverse(),
        "column pid: the keys of persons are not 1, 2, 3",
    ),
    "a person twice": (
        lambda persons, _: persons.append(dict(persons[-1])),
        "column pid: the keys of persons are not 1, 2, 3",
    ),
    "a row of nobody": (nobody_is_it, "column patient: a row belongs to nobody in the table of"),
    "events in another order": (swapped, "column patient: rows are not in the order of their"),
    "back in time": (put("year", 2020, 2019), "column year: it falls from one row of a person"),
    "fewer days": (put("days", 9, 8), "column days: it falls from one row of a person"),
    "too many rows": (more_rows, "a person has more than 5 rows"),
    "off the grid": (put("ward", "knee", "heart"), "values outside the public grid"),
    "a constant off the grid": (
        lambda persons, _: persons[0].update(born=1900),
        "values outside the public grid",
    ),
}
CASES = [("one", what) for what in ONE] + [("two", what) for what in TWO]


@pytest.mark.parametrize(("which", "what"), CASES)
def test_what_is_forged_and_sealed_again_is_caught_by_name(sound, tmp_path, which, what):
    folder = shutil.copytree(sound / which, tmp_path / "r")
    change, message = (ONE if which == "one" else TWO)[what]
    forged(folder, change)
    failed = sf.verify(folder).failed
    assert [check.name for check in failed] == ([] if message is None else ["data"])
    assert all(message in check.detail for check in failed)


@pytest.mark.parametrize(("which", "persons"), [("one", 39), ("one", 41), ("two", 41), ("two", 43)])
def test_another_number_of_persons_is_caught(sound, tmp_path, which, persons):
    folder = shutil.copytree(sound / which, tmp_path / "r")
    forged(folder, nobody, persons=persons)
    (check,) = sf.verify(folder).failed
    said = "another number of persons than there are"
    if which == "two":  # some person is not there, or its file is too short
        said = "belongs to nobody" if persons < 42 else "another number of rows than"
    assert (check.name, said in check.detail) == ("data", True)


def test_a_change_that_is_not_sealed_is_caught_in_both_tables(sound, tmp_path):
    for name, column in (("persons", "born"), ("events", "year")):
        folder = shutil.copytree(sound / "two", tmp_path / name)
        paper = json.loads((folder / "release.json").read_text())
        table = pq.read_table(folder / f"{name}.parquet")
        values = table.column(column).to_pylist()
        values[0] -= 1 if values[0] > table.column(column)[0].as_py() - 1 > 1920 else -1
        place = table.column_names.index(column)
        changed = table.set_column(place, table.schema.field(place), pa.array(values))
        pq.write_table(changed, folder / f"{name}.parquet")
        paper["files"][f"{name}.parquet"] = sha256(folder / f"{name}.parquet")
        paper["seal"] = digest(paper)
        (folder / "release.json").write_text(json.dumps(paper))
        assert [check.name for check in sf.verify(folder).failed] == ["data"]


CODES = {"born": 1, "year": 1, "days": 1, "sex": 0, "ward": 0, "well": 0}
ACROSS = [["f", "heart"], ["m", "heart"], [None, "heart"]]


@pytest.mark.parametrize(
    ("columns", "allowed", "row", "person"),
    [
        (["sex", "well"], [["f", False], ["m", True]], {}, {"well": True}),
        (["sex", "ward"], ACROSS, {"ward": "lung"}, {}),
    ],
    ids=["of a person without a row", "across both"],
)
def test_constraints_hold_within_persons_and_across_tables(
    tmp_path, monkeypatch, columns, allowed, row, person
):
    known = {**LINKED_PANEL["columns"], "well": {"kind": "boolean", "per": "person"}}
    rule = {"columns": columns, "allowed": allowed}
    schema = {**LINKED_PANEL, "columns": known, "constraints": [rule]}
    data = linked_panel()
    data["persons"] = data["persons"].append_column("well", [[False] * 42])
    monkeypatch.setattr("toy_people._any", lambda axis, n, _: np.full(n, CODES[axis.name]))
    asked = {"method": TOY, "epsilon": 1, "format": "parquet", "folder": tmp_path / "r", "rows": 4}
    asked["seed"] = 1
    sf.publish(data, schema=schema, **asked)
    assert sf.verify(tmp_path / "r")

    def change(persons, events):
        persons.append({**persons[-1], "pid": len(persons) + 1, **person})
        events[-1].update(row)

    forged(tmp_path / "r", change)
    (check,) = sf.verify(tmp_path / "r").failed
    assert "a record that its constraints" in check.detail


DOMAIN = Domain.of(Schema.of(PANEL))
RISING = np.array([[1, 0, 0, 5, 0], [1, 0, 1, -1, 0], [1, 0, 1, 6, 0]], np.int32)


def checked(codes, keys, sizes):
    rows, start = PersonRows(DOMAIN, DOMAIN.schema.people, max(keys)), 0
    for size in sizes:
        rows(np.array(keys[start : start + size]), codes[start : start + size])
        start += size
    rows.finish()


@pytest.mark.parametrize("sizes", [(3,), (1, 1, 1), (2, 1), (0, 1, 2)])
@pytest.mark.parametrize(
    ("place", "code", "message"),
    [
        (None, None, None),
        ((2, 0), 2, "column born: a person has more than one value"),
        ((2, 2), 0, "column year: it falls"),
        ((2, 3), 4, "column days: it falls"),  # although the row between them has none
    ],
)
def test_nothing_is_lost_between_batches(sizes, place, code, message):
    codes = RISING.copy()
    if place is None:
        checked(codes, [1, 1, 1], sizes)
        return
    codes[place] = code
    with pytest.raises(ReleaseError, match=message):
        checked(codes, [1, 1, 1], sizes)
    checked(codes, [1, 1, 2], sizes)  # the control: another person


@pytest.mark.parametrize("sizes", [(6,), (1,) * 6, (4, 2)])
def test_rows_are_counted_across_batches(sizes):
    codes = np.repeat(RISING[:1], 6, axis=0)
    with pytest.raises(ReleaseError, match="more than 5 rows"):
        checked(codes, [1] * 6, sizes)
    checked(codes, [1] * 5 + [2], sizes)


@pytest.mark.parametrize("keys", [[None, 1], [0, 1], [2**62, 1], [-(2**63), 1]])
def test_keys_that_are_none_are_refused_before_they_are_used(keys):
    batch = pa.RecordBatch.from_pydict({"k": pa.array(keys, pa.int64())})
    with pytest.raises(ReleaseError, match="column k: the keys of persons"):
        people_check.keys_in(batch, "k")


def test_persons_come_beside_their_rows_whatever_the_batches():
    persons = np.arange(1, 101, dtype=np.int32)[:, None]
    keys = np.array([3, 3, 40, 41, 41, 99, 100, 100])
    for size in (1, 7, 50, 100):
        for step in (1, 3, 8):
            joined = Joined(iter([persons[k : k + size] for k in range(0, 100, size)]), 1)
            found = [joined(keys[k : k + step])[:, 0] for k in range(0, len(keys), step)]
            assert np.array_equal(np.concatenate(found), keys)


def test_keys_of_persons_are_each_the_next():
    check = PersonKeys("pid")
    check(np.array([1, 2]))
    check(np.array([], np.int64))
    check(np.array([3]))
    with pytest.raises(ReleaseError, match="column pid"):
        check(np.array([5]))


def test_text_files_are_checked_in_many_batches(tmp_path, monkeypatch):
    schema = {**LINKED_PANEL, "rows_per_person": 64}
    folder = tmp_path / "r"
    sf.publish(linked_panel(), schema=schema, folder=folder, rows=400, method=TOY, epsilon=1)
    seen, read = [], file.pacsv.open_csv

    def in_small_blocks(*given, **more):
        small = file.pacsv.ReadOptions(block_size=400, use_threads=False)
        seen.append(small)
        return read(*given, **{**more, "read_options": small})

    monkeypatch.setattr(file.pacsv, "open_csv", in_small_blocks)
    assert sf.verify(folder)
    assert len(seen) == 2
