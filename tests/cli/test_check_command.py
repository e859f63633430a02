"""`sfumato check`, and what `sfumato publish` says of a file that does not fit."""

import re
import shlex

import pyarrow.csv as pacsv
import pytest
import yaml
from typer.testing import CliRunner

from misfit_world import WRONG, people, schema
from sfumato.cli import app
from sfumato.ledger import Ledger
from sfumato.privacy.budget import Charge
from sfumato.privacy.guarantee import PureDP


@pytest.fixture
def world(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    table = people(6_000)
    pacsv.write_csv(table, "right.csv")
    pacsv.write_csv(WRONG[0].table(table), "wrong.csv", pacsv.WriteOptions(delimiter=";"))
    stated = schema()
    for name in ("region", "town", "work"):  # a file must say what other values become
        stated["columns"][name] = {**stated["columns"][name], "other": "none"}
    (tmp_path / "people.yaml").write_text(yaml.safe_dump(stated, sort_keys=False))
    with Ledger.create("budget.db") as ledger:
        ledger.grant("people", PureDP(2), reason="test")
    return tmp_path


def run(*words):
    return CliRunner().invoke(app, list(words))


def publish(data, *more):
    asked = ("--schema", "people.yaml", "--epsilon", "1", "--method", "modips", "-o", "release")
    return run("publish", data, *asked, *more)


def test_a_look_names_column_complaint_and_remedy_and_is_counted(world):
    found = run("check", "wrong.csv", "--schema", "people.yaml", "--ledger", "budget.db")
    assert found.exit_code == 0
    for word in ("INTERNAL", "0 of 6,000 records fit", "wage", "100.00%", "decimal comma"):
        assert word in found.output
    with Ledger("budget.db") as ledger:
        assert ledger.inspections("people") == {None: 1}
        assert ledger.balance("people").spent == Charge()


def test_a_page_is_for_its_owner_alone_and_never_overwritten(world):
    asked = ("check", "right.csv", "--schema", "people.yaml", "--uncounted", "-o", "page.html")
    found = run(*asked)
    assert found.exit_code == 0
    assert "not counted" in found.output
    assert (world / "page.html").stat().st_mode & 0o777 == 0o600
    assert "Every value fits." in (world / "page.html").read_text("utf-8")
    assert run(*asked).exit_code == 1


def test_without_a_ledger_a_look_is_refused(world):
    found = run("check", "right.csv", "--schema", "people.yaml")
    assert found.exit_code == 1
    assert "--uncounted" in str(found.exception)


def test_a_release_that_stops_exits_with_1_and_leaves_no_folder(world):
    found = publish("wrong.csv", "--ledger", "budget.db")
    assert found.exit_code == 1
    for word in ("Column wage", "cannot be read", "nothing was published"):
        assert word in str(found.exception)
    assert not (world / "release").exists()
    with Ledger("budget.db") as ledger:
        assert ledger.balance("people").spent == Charge(20_000)


@pytest.mark.parametrize("more", [("--no-fit",), ("--misfit", "1")])
def test_the_owner_may_publish_all_the_same(world, more):
    found = publish("wrong.csv", *more)
    assert found.exit_code == 0
    assert ("do not fit and were cut or replaced: wage" in found.output) == (more[0] == "--misfit")


def test_a_fitting_file_says_so(world):
    found = publish("right.csv", "--seed", "1")  # else noise alone is seen once in fifty
    assert found.exit_code == 0
    assert "no column is seen not to fit" in found.output
    assert "measured    fit: discrete laplace noise, scale 100" in found.output


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--no-fit", "--misfit", "0.05"), "leave out misfit (--misfit), or fit=False (--no-fit)"),
        (("--misfit", "1e-100"), "misfit must be a share of few digits, such as 0.05"),
    ],
)
def test_a_share_that_means_nothing_is_refused_before_anything_is_charged(world, more, said):
    found = publish("right.csv", "--ledger", "budget.db", *more)
    assert found.exit_code == 1
    assert said in str(found.exception)
    with Ledger("budget.db") as ledger:
        assert ledger.unfinished() == []
        assert ledger.balance("people").spent == Charge()


def test_the_look_that_a_stop_names_works_as_it_is_named(world):
    said = str(publish("wrong.csv", "--ledger", "budget.db").exception)
    (named,) = re.findall(r"sfumato (check .*?) \(or --uncounted\)", said)
    assert run(*named.split()).exit_code == 0
    (world / "wrong.csv").rename("wrong ones.csv")
    said = str(publish("wrong ones.csv").exception)
    (named,) = re.findall(r"sfumato (check .*? --uncounted)\.", said)
    assert run(*shlex.split(named)).exit_code == 0
