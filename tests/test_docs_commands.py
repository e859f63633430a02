"""The pages tell the truth: every command and every example on them runs."""

import doctest
import re
import shlex
import sys
from functools import partial

import numpy as np
import pyarrow.csv as pacsv
import pytest
import yaml

import sfumato as sf
from sfumato.cli import main
from sfumato.example import CLINIC, clinic
from site_hooks import HOME, methods, tables
from slowness import slow_but

GUIDE = HOME / "docs" / "guide"
OTHERS = [
    item for kind, known in methods.kinds().items() if kind != "tables" for item in known.values()
]


def ran(command, monkeypatch):
    """The exit code of a command as a person types it."""
    monkeypatch.setattr(sys, "argv", shlex.split(command, comments=True))
    try:
        main()
    except SystemExit as leaving:
        return leaving.code or 0
    return 0


def commands(page):
    """What stands after a dollar sign in the page, with lines that go on joined."""
    return re.findall(r"^\$ (.+)$", page.replace("\\\n", " "), flags=re.M)


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """A folder with the files that the pages speak of, and no ledger."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SFUMATO_LEDGER", raising=False)
    pacsv.write_csv(clinic(300), "clinic.csv")
    pacsv.write_csv(clinic(300, seed=2), "public.csv")
    blank = yaml.safe_load(CLINIC)
    blank["columns"]["age"] = {"kind": "integer"}
    (tmp_path / "kinds.yaml").write_text(yaml.safe_dump(blank))
    edges = "source,target,weight\na,b,7\na,c,9\nb,c,3\nc,d,2\nb,d,8\nd,e,4\n"
    for name in ("edges.csv", "arcs.csv"):
        (tmp_path / name).write_text(edges)
    bits = np.random.default_rng(0).integers(0, 2, 4_096)
    (tmp_path / "visits.txt").write_text("".join(map(str, bits)))
    (tmp_path / "words.csv").write_text("key,count\nflu,40\ncold,60\ncough,7\n")
    return tmp_path


@pytest.mark.parametrize("name", slow_but(list(methods.METHODS)[:6], methods.METHODS))
def test_the_command_on_the_page_of_a_table_method_runs(name, desk, monkeypatch):
    (desk / "clinic.yaml").write_text(methods.tried(name).schema.to_yaml())
    [command] = commands(methods.table_page(name))
    assert ran(command, monkeypatch) == 0
    assert sf.Release.load("release").certificate.method == name


@pytest.mark.parametrize("item", OTHERS, ids=lambda item: item.name)
def test_the_command_on_the_page_of_another_method_runs(item, desk, monkeypatch):
    [command] = commands(methods.other_page(item, methods.GUIDES[item.kind]))
    assert ran(command, monkeypatch) == 0
    assert sf.Release.load("release").certificate.method == item.name


@pytest.mark.parametrize("page", tables.PAGES, ids=lambda page: page.name)
def test_the_tables_of_methods_are_those_of_the_registries(page):
    assert tables.written(page) == page.read_text("utf-8"), "stale: run make tables"


def test_there_are_such_tables_and_a_stale_one_is_found(tmp_path):
    marked = [page.name for page in tables.PAGES if tables.BLOCK.search(page.read_text("utf-8"))]
    assert marked == ["README.md", "audit.md", "networks.md", "streams.md"]
    stale = tmp_path / "README.md"
    stale.write_text((HOME / "README.md").read_text("utf-8").replace("`modips`", "`gone`"))
    assert tables.written(stale) == (HOME / "README.md").read_text("utf-8") != stale.read_text()


@pytest.mark.slow
def test_the_tutorial_runs_from_its_first_command_to_its_last(desk, monkeypatch):
    monkeypatch.setattr("sfumato.example.clinic", partial(clinic, 1_000))  # a smaller clinic
    page = (GUIDE / "first-release.md").read_text("utf-8")
    for command in commands(page):
        if command.startswith("cd "):
            monkeypatch.chdir(command.removeprefix("cd "))
            continue
        assert ran(command, monkeypatch) == command.endswith("# refused"), command
    shown = re.search(r"```yaml\n(.*?)```", page, flags=re.S)[1]
    for line in shown.splitlines()[1:]:
        assert line.split("#")[0].strip() in CLINIC.replace("  # never", "#"), line


def test_the_commands_on_the_page_of_signatures_run(desk, monkeypatch):
    (desk / "clinic.yaml").write_text(CLINIC)
    assert ran("sfumato key create owner.key", monkeypatch) == 0
    assert ran("sfumato ledger create --ledger budget.db", monkeypatch) == 0
    found = commands((GUIDE / "signature.md").read_text("utf-8"))
    assert len(found) == 5
    for command in found:
        assert ran(command, monkeypatch) == 0, command
    other = "sfumato verify release/ --key owner.key.pub"
    assert ran(other, monkeypatch) == 1, "control: by another key"


@pytest.mark.parametrize(
    "name", ["epsilon", "forecast", "sources", "untidy", "refused", "pipelines", "sql"]
)
def test_the_examples_of_the_guide_are_what_happens(name, monkeypatch):
    monkeypatch.chdir(HOME)
    page = str(GUIDE / f"{name}.md")
    found = doctest.testfile(page, module_relative=False, encoding="utf-8")
    assert found.attempted > 0
    assert found.failed == 0


def test_the_commands_on_the_page_of_a_shared_ledger_run_in_order(desk, monkeypatch):
    found = commands((GUIDE / "shared-ledger.md").read_text("utf-8"))
    assert len(found) >= 7
    for command in found:
        assert ran(command, monkeypatch) == 0, command


def test_the_commands_of_the_page_on_forecasts_print_what_it_shows(desk, monkeypatch, capsys):
    (desk / "clinic.yaml").write_text(CLINIC)
    page = (GUIDE / "forecast.md").read_text("utf-8")
    shown = re.findall(r"```text\n(.*?)```", page, flags=re.S)
    run = commands(page)
    assert len(run) == len(shown) == 2
    for command, expected in zip(run, shown, strict=True):
        assert ran(command, monkeypatch) == 0
        printed = re.sub(r"[^\S\n]*[│┃][^\S\n]*", " ", capsys.readouterr().out)
        for line in expected.splitlines():
            assert " ".join(line.split()) in " ".join(printed.split()), line
