"""`sfumato compare` as its user meets it."""

import gzip
import stat

import pyarrow.csv as pacsv
import pytest
import typer
from typer.testing import CliRunner

from sfumato.cli.compare import compare
from sfumato.errors import DataError, ParameterError, ReleaseError
from sfumato.example import CLINIC, clinic
from sfumato.ledger import Ledger
from sfumato.privacy.budget import Charge
from sfumato.privacy.guarantee import PureDP

pytestmark = pytest.mark.usefixtures("wide")

app = typer.Typer()
app.command()(compare)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "s.yaml").write_text(CLINIC)
    pacsv.write_csv(clinic(400), tmp_path / "a.csv")
    with Ledger.create(tmp_path / "budget.db") as ledger:
        ledger.grant("clinic", PureDP(10), reason="approved")
    return tmp_path


@pytest.fixture
def run(folder):
    def invoke(*options, epsilon="1", data="a.csv"):
        asked = [str(folder / data), "--schema", str(folder / "s.yaml"), "--epsilon", epsilon]
        return CliRunner().invoke(app, [*asked, *map(str, options)], env={"COLUMNS": "120"})

    return invoke


@pytest.mark.slow
def test_it_prints_rankings_and_advice_writes_a_private_page_and_is_counted(run, folder):
    page, file = folder / "page.html", folder / "budget.db"
    options = ("--methods", "dp-lda,modips,lop", "--trials", 2, "-o", page, "--ledger", file)
    done = run(*options, epsilon="0.5,1")
    assert done.exit_code == 0, done.output
    assert "Do not publish it" in done.output.splitlines()[0]
    for word in ("AUC on held-out records", "ε = 0.5", "lop: ", "Best at each budget", "no budget"):
        assert word in done.output
    assert "not counted" not in done.output
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
    assert page.read_text().startswith("<!-- INTERNAL")
    with Ledger(file) as ledger:
        assert ledger.inspections("clinic") == {None: 1}


@pytest.mark.slow
def test_without_a_ledger_it_says_that_nobody_counts(run):
    done = run("--methods", "dp-lda", "--trials", 1)
    assert done.exit_code == 0, done.output
    assert "not counted" in done.output


def test_a_place_that_is_taken_or_in_a_release_is_refused_before_anything_is_run(run, folder):
    (folder / "release").mkdir()
    (folder / "release" / "release.json").write_text("{}")
    for place, why in ((folder / "release" / "p.html", "inside"), (folder / "s.yaml", "exists")):
        done = run("--methods", "nonsense", "-o", place)
        assert isinstance(done.exception, ReleaseError)
        assert why in str(done.exception)


def test_a_private_choice_tells_a_name_pays_and_says_how_to_go_on(run, folder):
    file = folder / "budget.db"
    options = ("--methods", "dp-lda,modips", "--private-choice", "0.25", "--ledger", file)
    done = run(*options, epsilon="4")
    assert done.exit_code == 0, done.output
    assert "paid 1-differential privacy" in done.output
    assert "--epsilon 3 --ledger" in done.output
    assert "INTERNAL" not in done.output
    with Ledger(file) as ledger:
        assert ledger.balance("clinic").spent == Charge(1_000_000)
        assert ledger.inspections("clinic") == {}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("-o", "page.html"), "leave out --output"),
        (("--ledger", "budget.db"), "needs --methods"),
        (("--methods", "dp-lda,modips"), "give --ledger FILE"),
    ],
)
def test_a_private_choice_lacking_something_is_refused(run, options, message):
    done = run("--private-choice", "0.25", *options)
    assert isinstance(done.exception, ParameterError)
    assert message in str(done.exception)


@pytest.mark.parametrize("more", [(), ("--private-choice", "0.5", "--methods", "dp-lda,modips")])
def test_a_table_that_breaks_off_is_refused_uncounted_and_uncharged(run, folder, more):
    whole = gzip.compress((folder / "a.csv").read_bytes())
    (folder / "a.csv.gz").write_bytes(whole[: len(whole) // 2])
    done = run("--ledger", folder / "budget.db", *more, data="a.csv.gz")
    assert isinstance(done.exception, DataError)
    assert "damaged or half-written" in str(done.exception)
    with Ledger(folder / "budget.db") as ledger:
        assert ledger.balance("clinic").releases == 0
        assert ledger.inspections("clinic") == {}


def test_a_delta_that_is_none_is_refused_also_where_no_method_uses_it(run):
    done = run("--methods", "dp-lda", "--delta", "5")
    assert isinstance(done.exception, ParameterError)
    assert "delta must be" in str(done.exception)


def test_the_next_command_asks_for_what_the_ledger_has_left(run, folder):
    options = ("--methods", "dp-lda,modips", "--private-choice", "1/3")
    done = run(*options, "--ledger", folder / "budget.db", epsilon="10")
    assert done.exit_code == 0, done.output
    assert "--epsilon 6.666666 --ledger" in done.output
    with Ledger(folder / "budget.db") as ledger:
        assert ledger.balance("clinic").left == Charge(6_666_666)


def test_a_private_choice_at_several_budgets_is_refused(run):
    done = run("--private-choice", "0.25", epsilon="1,2")
    assert "takes a single epsilon" in str(done.exception)


def test_help_shows_an_example():
    shown = " ".join(CliRunner().invoke(app, ["--help"], env={"COLUMNS": "200"}).output.split())
    assert "sfumato compare patients.csv" in shown


@pytest.mark.slow
def test_a_comparison_that_is_not_to_be_counted_leaves_the_ledger_alone(run, folder):
    file, options = folder / "budget.db", ("--methods", "modips", "--trials", 1)
    done = run(*options, "--ledger", file, "--uncounted")
    assert done.exit_code == 0, done.output
    assert "not counted: no ledger recorded this inspection" in done.output
    with Ledger(file) as ledger:
        assert ledger.inspections("clinic") == {}
    with Ledger.create(folder / "other.db"):
        pass
    refused = run(*options, "--ledger", folder / "other.db")
    assert "has no budget" in str(refused.exception)
    assert str(refused.exception).endswith(", or say --uncounted")
    choice = run("--methods", "dp-lda,modips", "--private-choice", "0.2", "--uncounted")
    assert "leave out --uncounted" in str(choice.exception)
