"""A small run of chapters 2 and 3: files, words beside figures, settings, and the command."""

import csv
import os
import re

import numpy as np
import pytest
from typer.testing import CliRunner

from papers.chakrabarti2010.tables import Labelled
from papers.command import app
from papers.liu2015 import Settings, reproduce, tables
from papers.tests.made_up_uci import write_uci_folder
from sfumato.errors import DataError, ParameterError, ReleaseError

pytestmark = pytest.mark.slow  # what it looks at is one long run

NAMES = ["figure-2.1", "figure-2.2", "table-2.1", "figure-2-attack", "tables-3.1-3.2", "table-3.3"]

TABLES = Settings(chapters=("2", "3"), trials=2)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    rng = np.random.default_rng(0)
    return write_uci_folder(tmp_path_factory.mktemp("data"), ["bupa", "wbc"], 60, rng)


@pytest.fixture(scope="module")
def finished(data, tmp_path_factory):
    rng = np.random.default_rng(1)
    y = rng.random(64) < 0.5
    tumours = Labelled(rng.uniform(1, 2, size=(64, 30)) + 0.5 * y[:, None], y)
    folder, ticks = tmp_path_factory.mktemp("runs") / "whole", []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "wdbc", lambda: tumours)
        judged = reproduce(folder, TABLES, data=data, tick=ticks.append)
    return folder, judged, ticks


def test_the_folder_holds_every_figure_twice_the_numbers_and_the_words(finished):
    folder, _, ticks = finished
    expected = {f"{name}.{kind}" for name in NAMES for kind in ("png", "svg")}
    assert {path.name for path in folder.iterdir()} == expected | {"results.csv", "results.md"}
    assert ticks == ["chapter 2"] * 2 + ["chapter 3"] * 2
    assert len(ticks) == TABLES.steps


def test_the_page_has_a_text_beside_every_figure_and_every_verdict(finished):
    folder, judged, _ = finished
    page = (folder / "results.md").read_text(encoding="utf-8")
    shown = re.findall(r"!\[[^\]]+\]\(([\w.-]+\.png)\)\n\n(.+)\n", page)
    assert [name for name, _ in shown] == [f"{name}.png" for name in NAMES]
    assert all(len(text) > 80 and re.search(r"\d", text) for _, text in shown)
    for claim in judged:
        line = next(line for line in page.splitlines() if f"| {claim.text} |" in line)
        assert claim.verdict in line
    assert not re.search(r"\bnan\b", page)


def test_the_page_names_the_sizes_that_were_run(finished):
    page = (finished[0] / "results.md").read_text(encoding="utf-8")
    assert "- Bupa is 60 × 7 with drinks and selector, wine 178 × 14" in page
    assert "Table 3.1, WBC (60 × 9):" in page
    assert "Table 3.2, WDBC (64 × 30):" in page


def test_every_trial_is_in_the_file(finished):
    folder, *_ = finished
    with (folder / "results.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    kept = [r["trial"] for r in rows if r["measure"] == "seconds" and r["contender"] == "SVD"]
    assert kept == ["0", "0", "1", "1"]  # two tables


def test_missing_grades_are_filled_in_as_the_thesis_says(data):
    table = tables.wbc(data)
    loaded = tables.load("wbc", data)
    missing = np.isnan(loaded.X)
    assert missing.any()
    np.testing.assert_array_equal(table.X[~missing], loaded.X[~missing])
    rows = missing.any(axis=1)
    np.testing.assert_array_equal(table.X[missing], np.where(table.y[rows], 1, 2))


def test_bupa_has_its_selector_and_wine_its_class(data):
    assert tables.bupa(data).shape == (60, 7)
    assert sorted(set(tables.wine()[:, -1])) == [1, 2, 3]


@pytest.mark.parametrize(
    ("wrong", "rule"),
    [
        ({"chapters": ("2", "12")}, r"chapters must be of 2, 3, .*got \['12'\]"),
        ({"chapters": ()}, "got none"),
        ({"trials": 0}, "trials must be at least 1"),
    ],
)
def test_impossible_runs_are_refused_by_name(wrong, rule):
    with pytest.raises(ParameterError, match=rule):
        Settings(**wrong)


def test_a_folder_that_exists_and_data_that_does_not_are_refused(tmp_path, monkeypatch):
    monkeypatch.delenv("SFUMATO_DATA", raising=False)
    with pytest.raises(ReleaseError, match="exists"):
        reproduce(tmp_path)
    with pytest.raises(DataError, match=r"Liver Disorders.*SFUMATO_DATA"):
        reproduce(tmp_path / "run", Settings(chapters=("2",)))


def test_the_command_runs_the_chapters_asked_for(data, tmp_path, monkeypatch):
    monkeypatch.setenv("SFUMATO_DATA", str(data))
    folder = tmp_path / "run"
    asked = ["liu2015", "--chapter", "2", "--trials", "1", "-o", str(folder)]
    run = CliRunner().invoke(app, asked)
    assert run.exit_code == 0, run.output
    page = (folder / "results.md").read_text(encoding="utf-8")
    assert "## Chapter 2" in page
    assert "## Chapter 3" not in page


@pytest.mark.parametrize(
    ("asked", "rule"),
    [
        (["liu2015", "--chapter", "2,12"], r"chapters must be of 2, 3, .*got \['12'\]"),
        (["liu2015", "--rows", "200"], "liu2015 has no choice of rows"),
        (["jiang2013", "--chapter", "2"], "jiang2013 has no choice of chapters"),
    ],
)
def test_choices_a_study_does_not_have_are_refused_by_name(asked, rule):
    run = CliRunner().invoke(app, asked)
    assert isinstance(run.exception, ParameterError)
    assert re.search(rule, str(run.exception))


@pytest.mark.skipif("SFUMATO_DATA" not in os.environ, reason="SFUMATO_DATA is not set")
@pytest.mark.shared_data
def test_on_the_real_data_the_findings_stand(tmp_path):
    """One trial; what is judged here hardly depends on chance."""
    judged = reproduce(tmp_path / "run", Settings(chapters=("2", "3"), trials=1))
    verdicts = {claim.text: claim.verdict for claim in judged}
    five = "the five measures (to a tenth): "
    assert verdicts[f"{five}SVD, RP and CP of orders"] == "reached"
    assert verdicts[f"{five}wavelet (S), as described"] == "reached in 1 of 10"
    for cut in ("VP", "HP"):
        exchanged = f"{five}wavelet ({cut}), orders, universal threshold, cut the other way"
        assert verdicts[exchanged] == "reached"
    assert verdicts["VD (to a tenth), spectral: SVD"] == "reached"
    wavelet = "wavelet, shares of the universal threshold"
    assert verdicts[f"VD (to a tenth), spectral: {wavelet}"] == "reached"
    assert verdicts[f"VD (to a tenth): {wavelet}"] == "not reached"
