"""`sfumato inspect` as its user meets it."""

import gzip
import json

import pyarrow.csv as pacsv
import pytest
from typer.testing import CliRunner

import sfumato as sf
from sfumato.cli import app
from sfumato.errors import DataError, LedgerError, ReleaseError
from sfumato.example import CLINIC, clinic
from sfumato.ledger import Ledger
from sfumato.privacy.guarantee import PureDP

pytestmark = pytest.mark.usefixtures("wide")

run = CliRunner().invoke


@pytest.fixture
def folder(tmp_path):
    patients = clinic(500)
    (tmp_path / "s.yaml").write_text(CLINIC)
    pacsv.write_csv(patients.slice(0, 300), tmp_path / "a.csv")
    pacsv.write_csv(patients.slice(300), tmp_path / "b.csv")
    sf.publish(
        tmp_path / "a.csv", schema=tmp_path / "s.yaml", epsilon=1, folder=tmp_path / "release"
    )
    return tmp_path


@pytest.mark.slow
def test_it_prints_tables_and_writes_a_private_page(folder):
    release, page = folder / "release", folder / "page.html"
    done = run(
        app,
        [
            *("inspect", str(release), "--original", str(folder / "a.csv")),
            *("--control", str(folder / "b.csv"), "-o", str(page)),
        ],
        env={"COLUMNS": "120"},
    )
    assert done.exit_code == 0, done.output
    assert "Do not publish it" in done.output.splitlines()[0]
    for word in ("Utility", "Attacks", "membership", "readable by you alone"):
        assert word in done.output
    assert page.read_text().startswith("<!-- INTERNAL")
    assert sorted(p.name for p in release.iterdir()) == [
        "data.csv",
        "release.json",
        "synopsis.json",
    ]


@pytest.mark.slow
def test_a_charged_release_is_counted_and_shown_or_refused(folder):
    file, release = str(folder / "budget.db"), str(folder / "charged")
    with Ledger.create(file) as ledger:
        ledger.grant("clinic", PureDP(3), reason="approved")
        sf.publish(
            folder / "a.csv", schema=folder / "s.yaml", epsilon=1, ledger=ledger, folder=release
        )
    asked = ["inspect", release, "--original", str(folder / "a.csv")]
    assert isinstance(run(app, asked).exception, LedgerError)
    loose = run(app, [*asked, "--uncounted", "--ledger", file])
    assert loose.exit_code == 0, loose.output
    assert "not counted" in loose.output
    counted = run(app, [*asked, "--ledger", file])
    assert counted.exit_code == 0, counted.output
    assert "not counted" not in counted.output
    shown = run(app, ["ledger", "show", "--ledger", file], env={"COLUMNS": "200"})
    assert "looked at without noise once" in shown.output


def test_a_place_that_is_taken_is_refused_before_anything_is_read(folder):
    page = folder / "page.html"
    page.write_text("mine")
    missing = str(folder / "nothing.csv")
    done = run(app, ["inspect", str(folder / "release"), "--original", missing, "-o", str(page)])
    assert isinstance(done.exception, ReleaseError)
    assert "exists" in str(done.exception)
    assert page.read_text() == "mine"


def test_another_table_and_another_folder_are_refused_plainly(folder):
    done = run(app, ["inspect", str(folder), "--original", str(folder / "a.csv")])
    assert isinstance(done.exception, ReleaseError)
    (folder / "other.csv").write_text("x\n1\n2\n")
    release = str(folder / "release")
    done = run(app, ["inspect", release, "--original", str(folder / "other.csv")])
    assert isinstance(done.exception, DataError)
    assert "of the schema are not in the data" in str(done.exception)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda paper: paper | {"rows": 7}, "release.json was changed"),
        (lambda paper: paper | {"rows": "many"}, "release.json is damaged: rows"),
        (lambda paper: {"format": paper["format"]}, "release.json is damaged"),
    ],
    ids=["another number", "no number", "hardly anything"],
)
def test_a_certificate_that_was_changed_is_refused_before_anything_is_read(folder, change, said):
    paper = folder / "release" / "release.json"
    paper.write_text(json.dumps(change(json.loads(paper.read_text()))))
    asked = ["inspect", str(folder / "release"), "--original", str(folder / "nothing.csv")]
    done = run(app, asked)
    assert isinstance(done.exception, ReleaseError)
    assert said in str(done.exception)


def test_records_that_break_off_are_refused_uncounted(folder):
    whole = gzip.compress((folder / "a.csv").read_bytes())
    (folder / "half.csv.gz").write_bytes(whole[: len(whole) // 2])
    with Ledger.create(folder / "budget.db") as ledger:
        ledger.grant("clinic", PureDP(3), reason="approved")
    asked = ["inspect", str(folder / "release"), "--ledger", str(folder / "budget.db")]
    for sides in (("half.csv.gz", "b.csv"), ("a.csv", "half.csv.gz")):
        original, control = (str(folder / side) for side in sides)
        done = run(app, [*asked, "--original", original, "--control", control])
        assert isinstance(done.exception, DataError)
        assert "could not be read to its end" in str(done.exception)
    with Ledger(folder / "budget.db") as ledger:
        assert ledger.inspections("clinic") == {}
