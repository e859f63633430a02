"""A new method is one file: whatever lists, runs, tests or describes methods finds it there."""

import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from typer.testing import CliRunner

import sfumato as sf
import sfumato.methods
from contract.cases import registered_cases
from sfumato.cli import app
from sfumato.inspection.compare.contender import methods_named
from sfumato.methods import METHODS
from site_hooks import HOME, methods, proofs, tables

ADDED = Path(__file__).parent / "added"
TOY = "toy-mean"
TABLE = pa.table({"age": [30, 40, 50, 60], "smoker": [True, False, True, False]})
SCHEMA = {
    "name": "people",
    "columns": {
        "age": {"kind": "integer", "low": 0, "high": 100},
        "smoker": {"kind": "boolean"},
    },
}
# Tests of all methods, whichever there are.
EVERYWHERE = (
    "contract/test_all.py",
    "estimator/test_publisher.py",
    "inspection/attack/test_outlier.py",
    "inspection/audit/test_audit_faults.py",
    "inspection/audit/test_audit_methods.py",
    "inspection/audit/test_number_of_records.py",
    "report/test_report_methods.py",
    "schema/test_constraint.py",
    "test_docs_commands.py",
)


def run(words):
    done = CliRunner(env={"COLUMNS": "160", "NO_COLOR": "1"}).invoke(app, words.split())
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.fixture
def added(monkeypatch):
    """The folder with the new file, among those that the package is made of."""
    monkeypatch.setenv("COLUMNS", "200")  # so that no sentence is broken
    monkeypatch.setattr(sfumato.methods, "__path__", [*sfumato.methods.__path__, str(ADDED)])
    METHODS.look_again()
    yield
    METHODS.look_again()
    sys.modules.pop("sfumato.methods.toy_mean", None)


def test_without_its_file_it_is_nowhere():
    assert TOY not in METHODS
    assert TOY not in [case.method for case in registered_cases()]
    assert TOY not in tables.written(HOME / "README.md")


@pytest.mark.usefixtures("added")
class TestOneFile:
    def test_is_registered_and_listed_by_its_family(self):
        assert METHODS[TOY].name == TOY
        assert list(METHODS).index("lop") < list(METHODS).index(TOY)
        assert list(METHODS).index(TOY) < list(METHODS).index("compressive")
        assert TOY in methods_named(None)

    def test_is_described_on_the_command_line(self):
        assert TOY in run("methods")
        assert "showing that one file is enough" in run(f"methods {TOY}")

    def test_publishes_and_its_release_verifies(self, tmp_path):
        release = sf.publish(TABLE, schema=SCHEMA, method=TOY, epsilon=1, folder=tmp_path / "r")
        assert release.certificate.method == TOY
        assert release.table.num_rows == 4
        assert all(check.passed for check in sf.verify(tmp_path / "r"))
        run(f"report {tmp_path / 'r'}")
        assert "the noisy mean, once for every record" in (tmp_path / "r/report.html").read_text()

    def test_is_held_to_the_contract_of_all_methods(self):
        cases = [case for case in registered_cases() if case.method == TOY]
        assert [case.budget for case in cases] == [{"epsilon": "1"}, {"rho": "0.1"}]

    def test_is_audited(self):
        said = run(f"audit {TOY} --epsilon 2 --effort 0 --seed 1")
        assert "800 runs on each table" in said
        assert "not contradicted: epsilon of at least" in said

    def test_is_in_the_tables_of_readme_and_guide(self):
        assert f"| `{TOY}` | ε-DP | showing that" in tables.written(HOME / "README.md")
        assert f"| {TOY} | ε 2 | smoker | 800 |" in tables.written(HOME / "docs/guide/audit.md")

    def test_has_a_page_with_a_command(self):
        pages = methods.pages()
        page = pages[f"methods/tables/{TOY}.md"]
        assert f"--method {TOY} --epsilon 1 -o release/" in page.replace("\\\n    ", "")
        assert f"[`{TOY}`](tables/{TOY}.md)" in pages["methods/index.md"]
        assert f"[`{TOY}`]" in proofs.page()


@pytest.mark.slow
def test_the_tests_of_all_methods_run_for_it_and_it_passes(tmp_path):
    (tmp_path / "with_toy.py").write_text(
        f"import sfumato.methods\nsfumato.methods.__path__.append({str(ADDED)!r})\n"
    )
    # Its proof page is another's, and the tables in the pages are those without it.
    words = ["-p", "with_toy", "-p", "no:cacheprovider", "-v", "-m", ""]
    words += ["-k", f"{TOY} and not proof_page and not tables_of_methods"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words, *(f"tests/{where}" for where in EVERYWHERE)],
        cwd=HOME,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), *filter(None, sys.path)])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    passed = [line for line in done.stdout.splitlines() if " PASSED" in line]
    assert len(passed) > 25
    missed = [where for where in EVERYWHERE if not any(where in line for line in passed)]
    assert missed == []
