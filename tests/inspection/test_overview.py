"""The overview of a release, what is asked of each kind, and the page nobody else may read."""

import stat

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import ReleaseError
from sfumato.example import CLINIC, clinic
from sfumato.inspection.overview import Line, Overview, Section, overview
from sfumato.inspection.page import WARNING, html, write_page
from sfumato.schema import Schema

PATIENTS = clinic(900)
KNOWN, OTHERS = PATIENTS.slice(0, 600), PATIENTS.slice(600)
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
    found = overview(release, KNOWN, control=OTHERS)
    assert section(found, "Distortion") is None
    asked = [line.what for line in section(found, "Utility").lines]
    assert asked[:2] == ["total variation, columns", "total variation, pairs of columns"]
    assert {"lda", "tree", "logistic"} <= set(asked)
    assert set(verdicts(found)) == {
        "membership",
        "attribute, outcome",
        "linkage",
        "singling out",
    }
    assert "succeeds" not in verdicts(found).values()
    assert (found.rows, found.records) == (600, 600)


def test_without_control_records_it_says_what_could_not_be_asked():
    release = sf.publish(KNOWN, schema=SCHEMA, method="dp-lda", epsilon=1, seed=1)
    found = overview(release, KNOWN)
    assert "control" in section(found, "Utility").remark
    assert "membership" not in verdicts(found)


def test_the_records_themselves_are_caught_by_every_attack():
    """Positive control: a release that is no protection at all."""
    release = sf.publish(KNOWN, schema=SCHEMA, method="modips", epsilon=1, seed=1)
    naked = sf.Release(release.certificate, table=KNOWN.select(release.table.column_names))
    assert set(verdicts(overview(naked, KNOWN, control=OTHERS)).values()) == {"succeeds"}


def test_a_rotation_moves_everything_and_is_undone(signals):
    release = sf.publish(
        signals, schema=NUMBERS, method="rotation", seed=1, accept_no_guarantee=True
    )
    found = overview(release, signals)
    moved = {line.what: line.value for line in section(found, "Distortion").lines}
    assert float(moved["VD, values"]) > 0.3
    undone = {n: v for n, v in verdicts(found).items() if n.startswith("known sample")}
    assert len(undone) == 2
    assert set(undone.values()) == {"succeeds"}


def test_a_table_of_components_is_judged_by_its_shape():
    release = sf.publish(KNOWN, schema=SCHEMA, method="pca-gauss", epsilon=10, seed=1)
    found = overview(release, KNOWN)
    assert [line.what for line in section(found, "Utility").lines] == ["silhouette after k-means"]
    assert section(found, "Attacks").lines == ()
    assert "no attack" in section(found, "Attacks").remark


def test_coordinates_along_known_components_are_attacked_row_by_row(signals):
    release = sf.publish(
        signals, schema=NUMBERS, method="pca-laplace", b="0.01", seed=1, accept_no_guarantee=True
    )
    found = verdicts(overview(release, signals))
    assert any(v == "succeeds" for name, v in found.items() if "least squares" in name)


def test_a_table_of_categories_has_no_rows_to_turn_back():
    columns = {name: {"kind": "category", "values": ["a", "b", "c"]} for name in ("u", "v")}
    table = pa.table({name: ["a", "b", "c", "a"] * 30 for name in columns})
    release = sf.publish(
        table, schema={"name": "t", "columns": columns}, method="identity-laplace", epsilon=1
    )
    found = overview(release, table)
    assert section(found, "Distortion") is None
    assert not any("known sample" in name for name in verdicts(found))


def test_a_constant_column_is_answered_not_refused(signals):
    flat = signals.set_column(0, "x0", pa.array([1.0] * signals.num_rows))
    release = sf.publish(flat, schema=NUMBERS, method="additive", accept_no_guarantee=True)
    found = overview(release, flat)
    assert section(found, "Attacks").lines or "not possible" in section(found, "Attacks").remark


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
