"""The overview of a release, what is asked of each kind, and the page nobody else may read."""

import stat

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import BudgetError, DataError, LedgerError, ReleaseError
from sfumato.example import CLINIC, clinic
from sfumato.inspection.counting import UNCOUNTED
from sfumato.inspection.overview import Overview, inspect
from sfumato.inspection.page import WARNING, html, write_page
from sfumato.inspection.section import Line, Picture, Section
from sfumato.ledger import Ledger
from sfumato.privacy.guarantee import PureDP
from sfumato.schema import Schema
from sfumato.table import records

PATIENTS = clinic(900)
KNOWN, OTHERS = PATIENTS.slice(0, 600), PATIENTS.slice(600)
SOME = KNOWN.slice(0, 100)  # where it does not matter what is found
SCHEMA = Schema.parse(CLINIC)
NUMBERS = {
    "name": "signals",
    "columns": {f"x{j}": {"kind": "number", "low": -4, "high": 4} for j in range(4)}
    | {"group": {"kind": "category", "values": ["a", "b"], "role": "label"}},
}


@pytest.fixture
def signals(rng):
    X = np.clip(rng.normal(size=(400, 4)) @ rng.normal(size=(4, 4)) / 2, -4, 4)
    columns = dict(zip(("x0", "x1", "x2", "x3"), X.T, strict=True))
    return pa.table(columns | {"group": np.where(X[:, 0] > 0, "a", "b")})


def section(found, title):
    return next((s for s in found.sections if s.title == title), None)


def verdicts(found):
    return {line.what: line.value for line in section(found, "Attacks").lines}


def test_a_drawn_release_is_judged_by_distributions_models_and_attacks():
    release = sf.publish(KNOWN, schema=SCHEMA, method="dp-lda", epsilon=1, seed=1)
    found = inspect(release, KNOWN, control=OTHERS)
    assert section(found, "Distortion") is None
    asked = [line.what for line in section(found, "Distributions").lines]
    assert asked[:2] == ["total variation, columns", "total variation, pairs of columns"]
    assert [line.what for line in section(found, "Utility").lines] == ["lda", "tree", "logistic"]
    assert section(found, "Utility").remark == ""
    assert set(verdicts(found)) == {
        "membership",
        "reconstruction",
        "attribute, outcome",
        "linkage",
        "singling out",
    }
    assert "succeeds" not in verdicts(found).values()
    for line in section(found, "Attacks").lines:
        assert ("would have gained at least" in line.meaning) == (line.value != "no power")
    assert (found.rows, found.records) == (600, 600)


def test_without_control_records_it_says_what_could_not_be_asked():
    release = sf.publish(KNOWN, schema=SCHEMA, method="dp-lda", epsilon=1, seed=1)
    found = inspect(release, KNOWN)
    assert "flatters" in section(found, "Utility").remark
    assert not {"membership", "reconstruction"} & set(verdicts(found))
    assert "need control records" in section(found, "Attacks").remark
    assert all("of all records" in line.meaning for line in section(found, "Exposed records").lines)


@pytest.mark.slow
def test_a_target_is_predicted_and_a_schema_without_a_task_says_so(signals):
    columns = {name: dict(column) for name, column in NUMBERS["columns"].items()}
    columns["group"].pop("role")
    plain = {"name": "signals", "columns": columns}
    release = sf.publish(signals, schema=plain, epsilon=1, seed=1)
    assert "neither a label nor a target" in section(inspect(release, signals), "Utility").remark
    columns["x3"]["role"] = "target"
    release = sf.publish(signals, schema=plain, epsilon=1, seed=1)
    (line,) = section(inspect(release, signals), "Utility").lines
    assert line.what == "x3, root mean square error"


def test_released_directions_are_judged_by_the_variance_they_capture():
    release = sf.publish(KNOWN, schema=SCHEMA, method="lap-pca", epsilon=10, seed=1)
    found = section(inspect(release, KNOWN), "Utility")
    assert [line.what for line in found.lines] == ["variance captured"]
    assert 0 < float(found.lines[0].value.rstrip("%")) <= 100


def test_the_records_themselves_are_caught_by_every_attack():
    """Positive control: a release that is no protection at all."""
    release = sf.publish(KNOWN, schema=SCHEMA, method="modips", epsilon=1, seed=1)
    naked = sf.Release(release.certificate, table=KNOWN.select(release.table.column_names))
    assert set(verdicts(inspect(naked, KNOWN, control=OTHERS)).values()) == {"succeeds"}


@pytest.mark.slow
def test_published_tables_are_rebuilt_from_where_there_are_some():
    release = sf.publish(KNOWN, schema=SCHEMA, epsilon=60, seed=1, model="forest")
    assert release.synopsis["pairs"]
    found = inspect(release, KNOWN, control=OTHERS)
    assert "reconstruction from tables" in verdicts(found)
    (line,) = (x for x in section(found, "Attacks").lines if x.what.endswith("from tables"))
    assert "naming records of other people" in line.meaning
    assert "on records that were not in the data" in line.meaning


def test_a_rotation_moves_everything_and_is_undone(signals):
    release = sf.publish(
        signals, schema=NUMBERS, method="rotation", seed=1, accept_no_guarantee=True
    )
    found = inspect(release, signals)
    moved = {line.what: line.value for line in section(found, "Distortion").lines}
    assert float(moved["VD, values"]) > 0.3
    undone = {n: v for n, v in verdicts(found).items() if n.startswith("known sample")}
    assert len(undone) == 2
    assert set(undone.values()) == {"succeeds"}


def test_a_table_of_components_is_judged_by_its_shape():
    release = sf.publish(KNOWN, schema=SCHEMA, method="pca-gauss", epsilon=10, seed=1)
    found = inspect(release, KNOWN)
    assert [line.what for line in section(found, "Utility").lines] == ["silhouette after k-means"]
    assert section(found, "Attacks").lines == ()
    assert "no attack" in section(found, "Attacks").remark


def test_coordinates_along_known_components_are_attacked_row_by_row(signals):
    release = sf.publish(
        signals, schema=NUMBERS, method="pca-laplace", b="0.01", seed=1, accept_no_guarantee=True
    )
    found = verdicts(inspect(release, signals))
    assert any(v == "succeeds" for name, v in found.items() if "least squares" in name)


def test_a_table_of_categories_has_no_rows_to_turn_back():
    columns = {name: {"kind": "category", "values": ["a", "b", "c"]} for name in ("u", "v")}
    table = pa.table({name: ["a", "b", "c", "a"] * 30 for name in columns})
    release = sf.publish(
        table, schema={"name": "t", "columns": columns}, method="identity-laplace", epsilon=1
    )
    found = inspect(release, table)
    assert section(found, "Distortion") is None
    assert not any("known sample" in name for name in verdicts(found))


def test_a_constant_column_is_answered_not_refused(signals):
    flat = signals.set_column(0, "x0", pa.array([1.0] * signals.num_rows))
    release = sf.publish(flat, schema=NUMBERS, method="additive", accept_no_guarantee=True)
    found = inspect(release, flat)
    assert section(found, "Attacks").lines or "not possible" in section(found, "Attacks").remark


def test_exposed_records_are_named_by_position_and_never_by_value():
    """A release that holds records 7 and 300 and nobody else, beside a value that would show."""
    odd = KNOWN.set_column(1, "age", pa.array([97 if i in (6, 299) else 40 for i in range(600)]))
    release = sf.publish(odd, schema=SCHEMA, epsilon=1, seed=1)
    two = pa.concat_tables([odd.slice(6, 1), odd.slice(299, 1)]).select(release.table.column_names)
    found = inspect(sf.Release(release.certificate, table=two), odd)
    lines = section(found, "Exposed records").lines
    assert {line.what for line in lines[:2]} == {"record 7", "record 300"}
    assert [line.value for line in lines[:2]] == ["0.00", "0.00"]
    assert not any("97" in line.what + line.meaning for line in lines)


# Counted before anything is computed


@pytest.fixture
def charged(tmp_path):
    """A release that was charged to a ledger, and the ledger."""
    with Ledger.create(tmp_path / "budget.db") as ledger:
        ledger.grant("clinic", PureDP(3), reason="approved")
        yield sf.publish(SOME, schema=SCHEMA, epsilon=1, ledger=ledger), ledger


def test_a_look_is_counted_before_a_record_is_encoded(charged, monkeypatch):
    release, ledger = charged
    seen = []

    def watched(*_):
        seen.append(ledger.inspections("clinic"))
        raise KeyboardInterrupt

    monkeypatch.setattr(records, "encode", watched)  # whatever looks at a record comes by here
    with pytest.raises(KeyboardInterrupt):
        inspect(release, SOME, ledger=ledger)
    name = release.certificate.release
    assert seen == [{name: 1}]
    assert ledger.inspections("clinic") == {name: 1}


def test_a_charged_release_is_refused_without_its_ledger_unless_that_is_said(charged, tmp_path):
    release, ledger = charged
    with pytest.raises(LedgerError, match=r"give it .* or say --uncounted"):
        inspect(release, SOME)
    with (
        Ledger.create(tmp_path / "other.db") as other,
        pytest.raises(LedgerError, match="not to this one"),
    ):
        inspect(release, SOME, ledger=other)
    found = inspect(release, SOME, uncounted=True)
    assert not found.counted
    assert ledger.inspections("clinic") == {}
    assert UNCOUNTED in html(found)
    assert inspect(release, SOME, ledger=ledger).counted


@pytest.mark.slow
def test_a_release_without_a_ledger_counts_under_its_data_set(charged):
    _, ledger = charged
    alone = sf.publish(SOME, schema=SCHEMA, epsilon=1)
    assert not inspect(alone, SOME).counted
    assert inspect(alone, SOME, ledger=ledger).counted
    assert ledger.inspections("clinic") == {None: 1}
    renamed = SCHEMA.to_json() | {"name": "elsewhere"}
    unknown = sf.publish(SOME, schema=renamed, epsilon=1)
    with pytest.raises(BudgetError, match=r"'elsewhere' has no budget.*--uncounted"):
        inspect(unknown, SOME, ledger=ledger)


def test_a_table_that_does_not_fit_is_refused_and_not_counted(charged):
    release, ledger = charged
    with pytest.raises(DataError, match="of the schema is not in the data"):
        inspect(release, SOME.drop_columns(["age"]), ledger=ledger)
    assert ledger.inspections("clinic") == {}


def test_a_changed_certificate_is_not_inspected_under_its_name(charged):
    release, ledger = charged
    forged = sf.Release(release.certificate.model_copy(update={"rows": 1}), table=release.table)
    with pytest.raises(LedgerError, match="holds another release"):
        inspect(forged, SOME, ledger=ledger)


# The page


@pytest.mark.slow
def test_a_page_draws_columns_correlations_and_components():
    release = sf.publish(KNOWN, schema=SCHEMA, method="dp-lda", epsilon=1, seed=1)
    found = inspect(release, KNOWN, pictures=True)
    drawn = {s.title: len(s.pictures) for s in found.sections if s.pictures}
    assert drawn == {"Distributions": 8, "Correlations": 3, "Components": 2}
    page = html(found)
    assert page.count('role="img"') == page.count("<svg") == 13
    assert "http" not in page.replace("http://www.w3.org", "")


SMALL = Overview(
    "t", "modips", "<b>1</b>", 2, 2, (Section("Utility", (Line("a", "succeeds", "<x>"),), "r"),)
)


def test_the_page_says_first_that_it_must_not_be_published_and_escapes_text():
    page = html(SMALL)
    assert WARNING in page.splitlines()[0]
    assert page.count(WARNING) == 2
    assert "<x>" not in page
    assert "&lt;b&gt;" in page
    assert "<script" not in page


def test_the_page_is_for_its_owner_alone_and_replaces_nothing(tmp_path):
    path = write_page(SMALL, tmp_path / "page.html")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    before = path.read_text()
    with pytest.raises(ReleaseError, match="exists"):
        write_page(SMALL, path)
    assert path.read_text() == before
    assert [p.name for p in tmp_path.iterdir()] == ["page.html"]


def test_a_drawing_is_put_in_as_it_is_and_its_title_is_escaped():
    drawing = Section("Shape", (), pictures=(Picture("<a>", "<b>", "<svg></svg>"),))
    page = html(Overview("t", "modips", "none", 2, 2, (drawing,)))
    assert "<svg></svg>" in page
    assert "<a>" not in page.replace("<a>", "", 0).split("<body>")[1]
    assert "&lt;b&gt;" in page


def test_the_page_never_goes_into_a_release_that_was_not_named_either(tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "release.json").write_text("{}")
    with pytest.raises(ReleaseError, match="inside the release"):
        write_page(SMALL, tmp_path / "other" / "page.html")


def test_the_page_never_goes_into_the_release(tmp_path):
    (tmp_path / "release").mkdir()
    with pytest.raises(ReleaseError, match="inside the release"):
        write_page(SMALL, tmp_path / "release" / "page.html", release=tmp_path / "release")
    (tmp_path / "link").symlink_to(tmp_path / "release")
    with pytest.raises(ReleaseError, match="inside the release"):
        write_page(SMALL, tmp_path / "link" / "page.html", release=tmp_path / "release")
    with pytest.raises(ReleaseError, match="folder does not exist"):
        write_page(SMALL, tmp_path / "none" / "page.html")
    assert list((tmp_path / "release").iterdir()) == []
