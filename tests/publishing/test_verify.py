"""Verification: a sound release passes, and whatever is changed is caught by name."""

import json
import shutil
from copy import deepcopy

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from ledger_world import ABOUT
from sfumato.errors import ReleaseError
from sfumato.example import CLINIC, clinic
from sfumato.ledger import Ledger
from sfumato.privacy.guarantee import PureDP
from sfumato.release.certificate import Certificate
from sfumato.release.content import Content
from sfumato.release.digest import digest
from sfumato.release.file import read_batches
from sfumato.release.folder import sha256
from sfumato.release.release import table_schema
from sfumato.schema import Schema
from slowness import slow

SCHEMA = Schema.parse(CLINIC)
PATIENTS = clinic(80)


@pytest.fixture(scope="module")
def ledger(tmp_path_factory):
    with Ledger.create(tmp_path_factory.mktemp("ledger") / "budget.db") as ledger:
        ledger.grant("clinic", PureDP(9), reason="test")
        yield ledger


@pytest.fixture(scope="module")
def sound(tmp_path_factory, ledger):
    """A charged release as CSV, never touched; tests work on copies."""
    folder = tmp_path_factory.mktemp("sound") / "r"
    sf.publish(PATIENTS, schema=SCHEMA, epsilon=1, ledger=ledger, folder=folder, release="autumn")
    return folder


@pytest.fixture
def copy(sound, tmp_path):
    return shutil.copytree(sound, tmp_path / "r")


def failed(folder, **options):
    """The names of the checks that did not pass."""
    try:
        return [check.name for check in sf.verify(folder, **options) if not check.passed]
    except ReleaseError:  # a certificate that is none is refused before any check
        return ["certificate"]


def paper_of(folder):
    return json.loads((folder / "release.json").read_text())


def rewrite(folder, paper, *, sealed=True):
    """Put a changed certificate in place; `sealed` also adjusts what a forger can compute."""
    if sealed:
        paper["files"] = {name: sha256(folder / name) for name in paper["files"]}
        paper["seal"] = digest(paper)
    (folder / "release.json").write_text(json.dumps(paper, indent=2, ensure_ascii=False) + "\n")


def test_a_sound_release_passes_every_check(sound, ledger):
    checks = sf.verify(sound, ledger=ledger)
    assert [check.name for check in checks] == ["files", "plan", "data", "origin", "ledger"]
    assert all(check.passed for check in checks)
    assert "80 rows" in checks[2].detail
    assert "1-differential privacy" in checks[1].detail


def test_a_certificate_written_again_is_the_same_certificate(sound, copy):
    """Control of the tests below: what they catch is the change, not the writing."""
    rewrite(copy, paper_of(copy))
    assert (copy / "release.json").read_bytes() == (sound / "release.json").read_bytes()


SOUND = {
    "csv": {"format": "csv"},
    "parquet": {"format": "parquet"},
    "no rows": {"rows": 0},
    "many rows": {"rows": 70_000, "format": "parquet"},
    "seeded": {"seed": 1},
    "approximate": {"delta": "1e-6"},
    "concentrated": {"epsilon": None, "rho": "0.1"},
    "one row per record": {"method": "identity-laplace"},
    "add-remove": {"schema": SCHEMA.model_copy(update={"neighbours": "add-remove"})},
}


@pytest.mark.parametrize("what", SOUND)
@pytest.mark.parametrize("saved", [slow(False), True])
def test_every_kind_of_sound_release_passes(tmp_path, what, saved):
    given = {"schema": SCHEMA, "epsilon": 1} | SOUND[what]
    format = given.pop("format", "csv")
    if saved:
        sf.publish(PATIENTS, **given).save(tmp_path / "r", format=format)
    else:
        sf.publish(PATIENTS, folder=tmp_path / "r", format=format, **given)
    assert failed(tmp_path / "r") == []


def test_missing_values_and_odd_categories_pass(tmp_path):
    columns = {
        "word": {"kind": "category", "values": ["a\nb", 'q"', "c,d"], "missing": "allowed"},
        "year": {"kind": "date", "low": "0001-01-01", "high": "9999-12-31", "step": "year"},
        "at": {"kind": "date", "low": "1969-12-31", "high": "1970-01-02", "step": "second"},
        "tiny": {"kind": "number", "low": -1e-9, "high": 1e-9, "missing": "allowed"},
        'na"me, odd': {"kind": "boolean", "missing": "allowed"},
    }
    data = pa.table({name: ["", None, "true", "a\nb"] * 30 for name in columns})
    for format in ("csv", "parquet"):
        folder = tmp_path / format
        sf.publish(
            data,
            schema={"name": "odd", "columns": columns},
            epsilon=1,
            folder=folder,
            format=format,
        )
        assert failed(folder) == []


def change_cell(folder):
    """One age in the data, still on the grid."""
    path = folder / "data.csv"
    header, first, *rest = path.read_text().split("\n")
    age, _, others = first.partition(",")
    path.write_text("\n".join([header, f"{int(age) % 80 + 18},{others}", *rest]))


def drop_row(folder):
    path = folder / "data.csv"
    header, _, *rest = path.read_text().split("\n")
    path.write_text("\n".join([header, *rest]))


def swap_rows(folder):
    path = folder / "data.csv"
    header, first, *rest = path.read_text().split("\n")
    place = next(i for i, row in enumerate(rest) if row != first)
    rest[place], first = first, rest[place]
    path.write_text("\n".join([header, first, *rest]))


def leave_the_grid(folder):
    path = folder / "data.csv"
    header, first, *rest = path.read_text().split("\n")
    path.write_text("\n".join([header, "1000," + first.partition(",")[2], *rest]))


def empty_a_cell(folder):
    path = folder / "data.csv"
    header, first, *rest = path.read_text().split("\n")
    path.write_text("\n".join([header, "," + first.partition(",")[2], *rest]))


def rename_a_column(folder):
    path = folder / "data.csv"
    path.write_text(path.read_text().replace("smoker", "drinker", 1))


def cut_short(folder):
    path = folder / "data.csv"
    path.write_bytes(path.read_bytes()[:-30])


DATA = [change_cell, drop_row, swap_rows, leave_the_grid, empty_a_cell, rename_a_column, cut_short]


@pytest.mark.parametrize("tamper", DATA)
def test_changed_data_is_caught_with_and_without_its_hash_adjusted(copy, ledger, tamper):
    tamper(copy)
    assert failed(copy) == ["files", "data"]
    rewrite(copy, paper_of(copy))
    assert failed(copy) == ["data"]


@pytest.mark.parametrize("tamper", [change_cell, drop_row, swap_rows])
def test_a_forgery_that_adjusts_everything_is_caught_by_the_ledger(copy, ledger, tamper):
    tamper(copy)
    paper, content = paper_of(copy), Content()
    schema = table_schema(Certificate.of(paper))
    for batch in read_batches(copy / "data.csv", schema):
        content.update(batch)
    paper["rows"], paper["content"] = content.rows, {"sha256-tree": content.hexdigest()}
    rewrite(copy, paper)
    assert failed(copy, ledger=ledger) == ["ledger"]


def test_values_off_the_grid_are_caught_even_in_a_forgery(copy):
    leave_the_grid(copy)
    paper, content = paper_of(copy), Content()
    for batch in read_batches(copy / "data.csv", sf.Release.load(copy).table.schema):
        content.update(batch)
    paper["content"] = {"sha256-tree": content.hexdigest()}
    rewrite(copy, paper)
    (check,) = [check for check in sf.verify(copy) if not check.passed]
    assert (check.name, check.detail) == ("data", "the data holds values outside the public grid")


@pytest.mark.parametrize("name", ["data.csv", "synopsis.json"])
def test_a_dropped_file_is_caught(copy, name):
    (copy / name).unlink()
    check = sf.verify(copy)[0]
    assert (check.passed, check.detail) == (False, f"{name} is missing")


@pytest.mark.parametrize("name", ["data.csv", "synopsis.json"])
def test_a_file_that_became_a_folder_is_caught(copy, name):
    (copy / name).unlink()
    (copy / name).mkdir()
    assert "files" in failed(copy)


def test_a_second_data_file_is_caught(copy):
    pq.write_table(pacsv.read_csv(copy / "data.csv"), copy / "data.parquet")
    check = sf.verify(copy)[0]
    assert not check.passed
    assert check.detail.startswith("data.parquet is not part of the release")


def test_a_file_that_does_not_belong_to_the_release_is_named(copy):
    (copy / "patients.csv").write_text("dropped here by mistake")
    assert "patients.csv is not part of the release" in sf.verify(copy)[0].detail


def test_an_edited_synopsis_is_caught(copy):
    synopsis = json.loads((copy / "synopsis.json").read_text())
    synopsis["classes"][0][0] += 1
    (copy / "synopsis.json").write_text(json.dumps(synopsis))
    check = sf.verify(copy)[0]
    assert check.detail == "synopsis.json was changed after the release"


NUMBER = {"kind": "number", "low": 18.0, "high": 98.0}
# Where, what instead, and which checks see through it when all hashes are adjusted.
EDITS = {
    "a smaller epsilon": (("guarantee", "epsilon"), "1/10", ["plan"]),
    "a smaller budget": (("budget", "epsilon"), "1/10", ["plan"]),
    "a better statement": (("statement",), "0.1-differential privacy", ["plan"]),
    "a smaller noise": (("events", 0, "noise"), {"scale": "1", "approximately": 1.0}, ["plan"]),
    "a smaller sensitivity": (("events", 0, "sensitivity", "value"), "1", ["plan"]),
    "a cheaper event": (("events", 0, "cost", "epsilon"), "1/10", ["plan"]),
    "another method": (("method",), "identity-laplace", ["plan"]),
    "an unknown method": (("method",), "magic", ["plan"]),
    "an option": (("options",), {"rank": 3}, ["plan"]),
    "other neighbours": (("neighbours",), "add-remove", ["plan"]),
    "other neighbours in the schema": (("schema", "neighbours"), "add-remove", ["plan"]),
    "another data set": (("dataset",), "hospital", ["plan"]),
    "no invariants": (("invariants",), [], ["plan"]),
    "columns of its own": (("columns",), {"age": "double"}, ["plan", "data"]),
    "more rows": (("rows",), 81, ["data"]),
    "another kind of column": (("schema", "columns", "age"), NUMBER, ["plan", "data"]),
    "a coarser grid": (("schema", "grid_bits"), 3, ["plan", "data"]),
    "a narrower range": (("schema", "columns", "age", "high"), 20, ["plan", "data"]),
    "a new category": (("schema", "columns", "sex", "values"), ["x", "y", "z"], ["plan", "data"]),
    "a wider range": (("schema", "columns", "age", "high"), 99, ["plan"]),
    "no limits": (("limits",), [], ["plan"]),
    "better randomness": (("randomness",), "dice", ["plan"]),
    "another warning": (("warnings",), ["all is well"], ["plan"]),
    # What only the ledger, or an untouched seal, can tell.
    "other versions": (("versions", "numpy"), "1.0", []),
    "another id": (("release",), "winter", []),
    "no ledger": (("ledger",), None, ["plan"]),
}


def edited(paper, where, value):
    paper = deepcopy(paper)
    inner = paper
    for key in where[:-1]:
        inner = inner[key]
    assert inner.get(where[-1], None) != value if isinstance(inner, dict) else True
    inner[where[-1]] = value
    return paper


@pytest.mark.parametrize("what", EDITS)
def test_an_edited_certificate_is_caught(copy, ledger, what):
    where, value, seen = EDITS[what]
    if what == "a narrower range" and max(sf.Release.load(copy).table["age"].to_pylist()) <= value:
        seen = ["plan"]  # noise drew every age into it, as it does once in a few hundred times
    paper = edited(paper_of(copy), where, value)
    rewrite(copy, paper, sealed=False)
    assert failed(copy, ledger=ledger) == ["files", *seen, "ledger"]
    assert "release.json was changed" in sf.verify(copy)[0].detail
    rewrite(copy, paper)
    assert failed(copy, ledger=ledger) == [*seen, "ledger"]


def test_a_smaller_promise_with_its_own_statement_is_caught(copy):
    paper = paper_of(copy)
    paper["guarantee"]["epsilon"], paper["statement"] = "1/10", str(PureDP("0.1"))
    rewrite(copy, paper)
    (check,) = [check for check in sf.verify(copy) if not check.passed]
    assert check.detail == "the promise is not the one that the budget buys"


@pytest.mark.parametrize(
    "key", ["files", "seal", "guarantee", "schema", "content", "rows", "events"]
)
def test_a_missing_field_is_caught(copy, key):
    paper = paper_of(copy)
    del paper[key]
    rewrite(copy, paper, sealed=False)
    assert failed(copy)


WEIRD = [None, [], {}, "x", -1, True, 1e999, "1/0", "nan", "9" * 5000, {"a": 1}, [None]]


def places(inner, path=()):
    """Every place in a certificate."""
    items = inner.items() if isinstance(inner, dict) else enumerate(inner)
    for key, value in items:
        yield (*path, key)
        if isinstance(value, dict | list):
            yield from places(value, (*path, key))


@pytest.mark.slow
def test_no_certificate_however_absurd_makes_verification_fail_with_another_error(copy):
    paper = paper_of(copy)
    lines = (copy / "data.csv").read_text().split("\n")
    (copy / "data.csv").write_text("\n".join(lines[:3]))  # few rows, because there are many tries
    tried = 0
    for where in [place for place in places(paper) if place[0] not in ("limits", "versions")]:
        for value in WEIRD:
            changed = deepcopy(paper)
            inner = changed
            for key in where[:-1]:
                inner = inner[key]
            inner[where[-1]] = value
            rewrite(copy, changed, sealed=False)
            assert failed(copy)
            tried += 1
    assert tried > 500


def test_another_ledger_is_refused_by_name(sound, tmp_path):
    with Ledger.create(tmp_path / "other.db") as other:
        (check,) = [c for c in sf.verify(sound, ledger=other) if not c.passed]
    assert (check.name, check.detail) == ("ledger", "the release was not charged to this ledger")


def test_a_ledger_that_does_not_hold_the_stated_head_is_refused(copy, ledger):
    paper = paper_of(copy)
    paper["ledger"]["head"] = "0" * len(paper["ledger"]["head"])
    rewrite(copy, paper)
    (check,) = [c for c in sf.verify(copy, ledger=ledger) if not c.passed]
    assert "not in this ledger" in check.detail


def test_a_release_that_was_never_charged_is_not_in_the_ledger(tmp_path, ledger):
    sf.publish(PATIENTS, schema=SCHEMA, epsilon=1, folder=tmp_path / "r")
    assert failed(tmp_path / "r") == []
    assert failed(tmp_path / "r", ledger=ledger) == ["ledger"]


def test_an_id_that_the_ledger_does_not_hold_as_released_is_caught(copy, ledger):
    ledger.reserve("spring", "clinic", PureDP(1), plan="0" * 8, protects=ABOUT)
    for name in ("spring", "never"):
        paper = paper_of(copy)
        paper["release"] = name
        rewrite(copy, paper)
        (check,) = [c for c in sf.verify(copy, ledger=ledger) if not c.passed]
        assert check.detail == "the ledger does not hold this release as released"


@pytest.mark.parametrize("content", [None, "", "[]", "{}", '{"format": 2}', '{"format": "1"}'])
def test_folders_that_are_no_releases_are_refused(tmp_path, content):
    if content is not None:
        (tmp_path / "release.json").write_text(content)
    with pytest.raises(ReleaseError):
        sf.verify(tmp_path)
    with pytest.raises(ReleaseError, match="not a release folder"):
        sf.verify(tmp_path / "gone")


def test_a_changed_synopsis_is_caught_even_with_its_hash_adjusted(copy):
    path = copy / "synopsis.json"
    content = json.loads(path.read_text())
    content["classes"][0][0] += 1
    path.write_text(json.dumps(content))
    paper = json.loads((copy / "release.json").read_text())
    paper["files"]["synopsis.json"] = sha256(path)
    (copy / "release.json").write_text(json.dumps(paper))
    failed = {check.name: check.detail for check in sf.verify(copy) if not check.passed}
    assert failed == {"files": "synopsis.json was changed after the release"}
