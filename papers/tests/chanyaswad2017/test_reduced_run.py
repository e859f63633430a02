"""A whole small run: measured cells, files, words beside figures, and nothing without need."""

import csv
import os
import re

import numpy as np
import pytest
from typer.testing import CliRunner

from papers.chanyaswad2017 import FIGURES, Settings, clusters, reproduce
from papers.chanyaswad2017.data import faces, faces_in_the_frame
from papers.command import app
from papers.outcome import Outcomes
from papers.tests.made_up_uci import write_uci_folder
from papers.uci import load
from sfumato.errors import DataError, ParameterError, ReleaseError

pytestmark = pytest.mark.slow  # what it looks at is one long run

SMALL = {"trials": 2, "epsilons": (1.0, 50.0), "scored": {"II": 60, "III": 200, "IV": 150}}


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    return write_uci_folder(folder, ["gfe", "covtype"], 700, np.random.default_rng(0))


@pytest.fixture(scope="module")
def finished(data, tmp_path_factory):
    folder, ticks = tmp_path_factory.mktemp("runs") / "whole", []
    judged = reproduce(folder, Settings(**SMALL), data=data, tick=ticks.append)
    with (folder / "results.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    return folder, judged, ticks, rows


def test_the_folder_holds_every_figure_twice_the_numbers_and_the_words(finished):
    folder, *_ = finished
    expected = {f"figure-{n}.{kind}" for n in "12" for kind in ("png", "svg")}
    assert {path.name for path in folder.iterdir()} == expected | {"results.csv", "results.md"}
    assert not list(folder.parent.glob(".*"))


def test_progress_counts_every_piece_of_work(finished):
    _, _, ticks, _ = finished
    assert len(ticks) == Settings(**SMALL).steps == 60 + 4 * 9 * 2


def test_tables_have_every_method_at_one_budget_and_figure_one_the_reduced_ones_at_all(finished):
    *_, rows = finished
    budgets = {}
    for row in rows:
        budgets.setdefault((row["figure"], row["contender"]), set()).add(row["epsilon"])
    assert budgets["III", "dp-lda"] == {"1.0"}
    assert budgets["III", "pca-gauss-mixture, AG-PCA"] == {"1.0"}
    assert budgets["II", "pca-gauss"] == {"1.0", "50.0"}
    assert budgets["IV", "pca-gauss-regression, Pub-PCA"] == {"1.0", "50.0"}
    assert budgets["IV", "random guess"] == {""}
    for table, settings in (("II", 6), ("III", 9), ("IV", 8)):
        named = {contender for figure, contender in budgets if figure == table}
        assert len(named & {c.name for c in Settings().contenders[table]}) == settings


def test_all_features_are_tried_where_components_cost_nothing(finished):
    *_, rows = finished

    def measures(contender):
        return {row["measure"] for row in rows if row["contender"] == contender}

    reduced = {f"accuracy, P = {rank}" for rank in (2, 5, 10)}
    grid = {f"{measure}, α = 0.{tenths}" for measure in reduced for tenths in range(1, 10)}
    assert measures("pca-gauss-mixture, Lap-PCA") == reduced | grid
    assert measures("pca-gauss-mixture, Pub-PCA") == reduced | {"accuracy, P = 18"}


def test_every_trial_has_a_noise_of_its_own(finished):
    *_, rows = finished
    cell = [
        row["value"]
        for row in rows
        if (row["contender"], row["measure"]) == ("pca-gauss", "silhouette, P = 5")
    ]
    assert len(set(cell)) == 4


def test_the_page_has_a_text_beside_every_figure_and_quotes_the_paper(finished):
    folder, *_ = finished
    page = (folder / "results.md").read_text(encoding="utf-8")
    shown = re.findall(r"!\[[^\]]+\]\((figure-\w+\.png)\)\n\n(.+)\n", page)
    assert len(shown) == 2
    for name, text in shown:
        assert (folder / name).exists()
        assert len(re.findall(r"\d", text)) > 10
    for number in ("0.286", "0.123 ± 0.000", "76.36 ± 0.38 %", "62.71", "0.4805", "0.578"):
        assert number in page
    assert "nan" not in page


def test_the_page_has_every_claim_with_its_verdict(finished):
    folder, judged, *_ = finished
    page = (folder / "results.md").read_text(encoding="utf-8")
    assert {claim.figure for claim in judged} == set(FIGURES)
    for claim in judged:
        line = next(line for line in page.splitlines() if f"| {claim.text} |" in line)
        assert claim.verdict in line


def test_without_a_budget_of_three_its_claim_is_not_run(finished):
    _, judged, *_ = finished
    (claim,) = [c for c in judged if "ε = 3" in c.text]
    assert claim.verdict == claim.ours == "not run"


@pytest.mark.parametrize(("figures", "tables"), [(("III",), {"III"}), (("2",), {"2"})])
def test_only_what_is_asked_for_is_run(figures, tables, data, tmp_path):
    settings, ticks = Settings(**SMALL | {"figures": figures, "trials": 1}), []
    judged = reproduce(tmp_path / "run", settings, data=data, tick=ticks.append)
    assert {claim.figure for claim in judged} == tables
    assert len(ticks) == settings.steps
    with (tmp_path / "run" / "results.csv").open(newline="") as file:
        assert {row["figure"] for row in csv.DictReader(file)} == tables


def test_the_same_seed_gives_the_same_numbers_and_another_seed_others(data):
    frames = load("gfe", data)

    def numbers(seed):
        settings = Settings(**SMALL | {"trials": 1, "seed": seed, "figures": ("II",)})
        found, part = Outcomes(), (frames, seed, None)
        run = clusters.run
        run(faces(*part), faces_in_the_frame(*part), settings, found, lambda what: None)
        return list(found)

    first = numbers(1)
    assert numbers(1) == first
    assert {row.value for row in numbers(2)}.isdisjoint({row.value for row in first})


def test_an_existing_folder_is_refused_before_anything_runs(data, tmp_path):
    ticks = []
    with pytest.raises(ReleaseError, match="exists"):
        reproduce(tmp_path, Settings(**SMALL), data=data, tick=ticks.append)
    assert not ticks


def test_missing_data_is_asked_for_and_leaves_no_folder(tmp_path, monkeypatch):
    monkeypatch.delenv("SFUMATO_DATA", raising=False)
    with pytest.raises(DataError, match="SFUMATO_DATA"):
        reproduce(tmp_path / "run", Settings(**SMALL))
    assert list(tmp_path.iterdir()) == []


def test_the_command_prints_the_claims_and_where_the_rest_is(data, tmp_path):
    folder = tmp_path / "run"
    arguments = ["chanyaswad2017", "--figures", "2", "-o", str(folder)]
    run = CliRunner().invoke(app, arguments, env={"SFUMATO_DATA": str(data)})
    assert run.exit_code == 0, run.output
    assert "reached" in run.output
    assert (folder / "figure-2.svg").exists()


def test_the_command_refuses_a_table_that_is_not_there():
    run = CliRunner().invoke(app, ["chanyaswad2017", "--figures", "V"])
    assert isinstance(run.exception, ParameterError)
    assert "figures must be of II, III, IV, 1, 2" in str(run.exception)


@pytest.mark.shared_data
@pytest.mark.skipif("SFUMATO_DATA" not in os.environ, reason="needs the data set")
def test_real_faces_and_noise_score_what_the_paper_reports():
    """0.286 for records and 0.123 for projections of single records, in five dimensions."""
    kept = [c for c in Settings().contenders["II"] if c.name in ("compressive", "pca-gauss")]
    settings = Settings(trials=3, figures=("II",), contenders={"II": tuple(kept)})
    frames, found = load("gfe"), Outcomes()
    part = frames, 1, None
    clusters.run(faces(*part), faces_in_the_frame(*part), settings, found, lambda what: None)

    def mean(name, epsilon, measure):
        return found.summary("II", name, epsilon, measure)[0]

    real = np.median(found.values("II", clusters.REAL, None, "silhouette"))
    assert real == pytest.approx(0.286, abs=0.03)
    for name, epsilon in (("compressive", 1.0), (clusters.NOISE, None)):
        assert mean(name, epsilon, "silhouette, P = 5") == pytest.approx(0.123, abs=0.03)
    assert mean("pca-gauss", 1.0, "silhouette, P = 5") == pytest.approx(0.22, abs=0.04)
