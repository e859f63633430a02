"""A whole small run: measured cells, files, words beside figures, refusals, the command."""

import csv
import os
import re

import numpy as np
import pytest
from typer.testing import CliRunner

from papers.command import app
from papers.declared import declared
from papers.outcome import Outcomes
from papers.tests.made_up_uci import write_uci_folder
from papers.uci import load
from papers.xu2019 import (
    SETS,
    Settings,
    accuracy,
    private_accuracy,
    private_error,
    ratios,
    reproduce,
)
from papers.xu2019.normalised import Normalised
from papers.xu2019.settings import ranks_upto
from sfumato.errors import DataError, ParameterError, ReleaseError

pytestmark = pytest.mark.slow  # what it looks at is one long run

SHARED = os.environ.get("SFUMATO_DATA")
needs_data = pytest.mark.skipif(not SHARED, reason="SFUMATO_DATA is not set")
SMALL = {"trials": 2, "epsilons": (0.5, 50.0), "beyond": (5000.0,)}
FIGURES = ["1", "2", "3", "4", "5", "3-private", "4-private", "5-private"]


def ignore(what):
    pass


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    return write_uci_folder(folder, SETS, 150, np.random.default_rng(0))


@pytest.fixture(scope="module")
def finished(data, tmp_path_factory):
    folder, ticks = tmp_path_factory.mktemp("runs") / "whole", []
    settings = Settings(**SMALL)
    judged = reproduce(folder, settings, data=data, tick=ticks.append)
    return folder, settings, judged, ticks


def test_the_folder_holds_every_figure_twice_the_numbers_and_the_words(finished):
    folder, *_ = finished
    expected = {f"figure-{name}.{kind}" for name in FIGURES for kind in ("png", "svg")}
    assert {path.name for path in folder.iterdir()} == expected | {"results.csv", "results.md"}


def test_progress_counts_every_piece_of_work(finished):
    _, settings, _, ticks = finished
    # Per trial: 6 sets of (1 + 1 + 1 + 2 + 3 private budgets), 2 sets of (2 + 3).
    assert len(ticks) == settings.steps == 2 * (6 * 8 + 2 * 5)


def test_every_trial_is_in_the_file(finished):
    folder, *_ = finished
    with (folder / "results.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    trials = [r for r in rows if r["figure"] == "4" and r["contender"] == "musk1"]
    assert [(r["trial"], r["epsilon"]) for r in trials] == [
        (t, e) for t in "01" for e in ("0.5", "50.0")
    ]
    assert len({r["value"] for r in trials}) == 4
    named = {r["contender"] for r in rows if r["figure"] == "1"}
    assert named == set(SETS)


def test_the_page_has_a_text_beside_every_figure(finished):
    folder, *_ = finished
    page = (folder / "results.md").read_text(encoding="utf-8")
    shown = re.findall(r"!\[[^\]]+\]\((figure-[\w-]+\.png)\)\n\n(.+)\n", page)
    assert len(shown) == len(FIGURES)
    for name, text in shown:
        assert (folder / name).exists()
        assert len(text) > 80
        assert re.search(r"\d", text)
    assert "nan" not in page


def test_the_page_says_what_is_not_private_and_where_ranges_come_from(finished):
    folder, _, judged, _ = finished
    page = (folder / "results.md").read_text(encoding="utf-8")
    for words in ("neither is private as printed", "READ OFF THE RECORDS", "100.0%", "√(d(d+3)/2)"):
        assert words in page
    for claim in judged:
        start = f"| {claim.figure} | {claim.text} |"
        (line,) = (line for line in page.splitlines() if line.startswith(start))
        assert claim.verdict in line


def test_ratios_follow_from_formulas_so_small_data_reach_them_too(finished):
    *_, judged, _ = finished
    texts = {claim.text: claim.verdict for claim in judged}
    assert texts["θ is below 1 at every k"] == texts["η falls as k grows"] == "reached"


def test_the_certified_noise_is_told_beside_the_published(finished):
    folder, *_ = finished
    page = (folder / "results.md").read_text(encoding="utf-8")
    # Six features: 2d = 12 against √27 = 5.2, and the box of 0/1 pixels needs 36/8 ÷ 6/4 = 3.
    assert re.search(r"\| semeion \| 150 \| 6 \| \d \| 12 \| 5.2 \| 2.31 times \| 3.0 ", page)
    assert "What the certified noise is worth to lip" in page


def test_the_same_seed_gives_the_same_numbers_and_another_seed_others(data):
    loaded = load("waveform", data)
    prepared, public = Normalised.of(loaded), declared("waveform", loaded)

    def numbers(seed):
        settings, found = Settings(**SMALL | {"seed": seed, "trials": 1}), Outcomes()
        for study in (ratios, accuracy):
            study.run("waveform", prepared, settings, found, ignore)
        private_error.run("waveform", public, settings, found, ignore)
        private_accuracy.run("waveform", public, loaded.y, settings, found, ignore)
        return [outcome.value for outcome in found]

    first = numbers(1)
    assert numbers(1) == first
    assert numbers(2) != first


def test_figure_five_alone_needs_two_data_sets(data, tmp_path):
    folder = write_uci_folder(
        tmp_path / "data", ("semeion", "waveform"), 120, np.random.default_rng(1)
    )
    settings = Settings(**SMALL | {"figures": ("5",), "trials": 1})
    ticks = []
    reproduce(tmp_path / "run", settings, data=folder, tick=ticks.append)
    assert len(ticks) == settings.steps == 10
    with pytest.raises(DataError, match="secom"):
        reproduce(tmp_path / "more", Settings(**SMALL), data=folder)


def test_a_part_of_the_rows_is_a_part(data, tmp_path):
    settings = Settings(**SMALL | {"rows": 100, "figures": ("2",), "sets": ("musk1",), "trials": 1})
    reproduce(tmp_path / "run", settings, data=data)
    page = (tmp_path / "run" / "results.md").read_text()
    assert "| musk1 | 100 | 6 |" in page
    assert "| 100 of its rows, at random. " in page
    assert "A quick look: of each data set at most 100 records" in page


def test_an_existing_folder_is_refused_before_anything_runs(data, tmp_path):
    ticks = []
    with pytest.raises(ReleaseError, match="exists"):
        reproduce(tmp_path, Settings(**SMALL), data=data, tick=ticks.append)
    assert not ticks


@pytest.mark.parametrize(
    ("wrong", "rule"),
    [
        ({"epsilons": (-1.0,)}, "epsilon must be"),
        ({"beyond": (0.0,)}, "epsilon must be"),
        ({"figures": ("6",)}, "figures must be of 1, 2, 3, 4, 5"),
    ],
)
def test_impossible_settings_are_refused_by_name(wrong, rule):
    with pytest.raises(ParameterError, match=rule):
        Settings(**wrong)


@pytest.mark.parametrize("width", [2, 5, 21, 443])
def test_ranks_rise_from_one_to_half_of_the_features(width):
    ranks = ranks_upto(width)
    assert ranks[0] == 1
    assert ranks[-1] == max(width // 2, 1)
    assert ranks == sorted(set(ranks))
    assert len(ranks) <= 8


def test_the_command_prints_the_claims_and_where_the_rest_is(data, tmp_path, monkeypatch):
    monkeypatch.setenv("SFUMATO_DATA", str(data))
    folder = tmp_path / "run"
    arguments = ["xu2019", "--figures", "1,2", "--trials", "2", "-o", str(folder)]
    run = CliRunner().invoke(app, arguments)
    assert run.exit_code == 0, run.output
    assert "reached" in run.output
    assert (folder / "results.md").exists()


@needs_data
@pytest.mark.shared_data
def test_on_real_waves_the_figures_as_published_come_out_and_the_private_ones_do_not(tmp_path):
    settings = Settings(trials=2, epsilons=(1.0, 10.0), beyond=(), sets=("waveform",))
    judged = {claim.text: claim for claim in reproduce(tmp_path / "run", settings, data=SHARED)}
    for text in ("θ falls as n grows", "η is below 1 at every ε", "η falls as k grows"):
        assert judged[text].verdict == "reached"
    private = next(c for c in judged.values() if c.text.startswith("lip errs less"))
    assert private.verdict == "not reached"
