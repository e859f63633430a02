"""A whole small run: files, words beside figures, settings, and the command."""

import csv
import os
import re

import numpy as np
import pyarrow as pa
import pytest
from typer.testing import CliRunner

from papers import chakrabarti2010 as study
from papers.chakrabarti2010 import Settings, reproduce
from papers.chakrabarti2010.settings import level_of
from papers.chakrabarti2010.tables import Labelled, adults
from papers.command import app
from papers.tests.adults import made_up_adults, write_data_folder
from sfumato.errors import DataError, ParameterError, ReleaseError

pytestmark = pytest.mark.slow  # what it looks at is one long run

SMALL = {"trials": 2, "epsilons": (10.0, 5.0)}


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    rng = np.random.default_rng(0)
    table = made_up_adults(1_200, rng)
    weights = pa.array(rng.integers(10_000, 900_000, table.num_rows))
    return write_data_folder(
        tmp_path_factory.mktemp("data"), table.append_column("fnlwgt", weights)
    )


@pytest.fixture(scope="module")
def finished(data, tmp_path_factory):
    rng = np.random.default_rng(1)
    y = rng.random(300) < 0.5
    tumours = Labelled(rng.uniform(0.2, 0.8, size=(300, 30)) + 0.1 * y[:, None], y)
    folder, ticks = tmp_path_factory.mktemp("runs") / "whole", []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(study, "cancer", lambda: tumours)
        judged = reproduce(folder, Settings(**SMALL), data=data, tick=ticks.append)
    return folder, judged, ticks


def test_the_folder_holds_every_figure_twice_the_numbers_and_the_words(finished):
    folder, _, ticks = finished
    names = ["figure-2", "figure-2-borders", "figure-3", "figure-3-borders", "figure-4", "figure-5"]
    expected = {f"{name}.{kind}" for name in names for kind in ("png", "svg")}
    assert {path.name for path in folder.iterdir()} == expected | {"results.csv", "results.md"}
    assert len(ticks) == Settings(**SMALL).steps == 16


def test_the_page_names_the_records_that_took_part(finished, data, tmp_path):
    whole, *_ = finished
    assert "records of Adult 1,200 are drawn at random" in (whole / "results.md").read_text()
    settings = Settings(**SMALL | {"rows": 900, "figures": ("2",), "trials": 1})
    reproduce(tmp_path / "part", settings, data=data)
    assert "records of Adult 900 are drawn" in (tmp_path / "part" / "results.md").read_text()


def test_the_page_has_a_text_beside_every_figure_and_every_verdict(finished):
    folder, judged, _ = finished
    page = (folder / "results.md").read_text(encoding="utf-8")
    shown = re.findall(r"!\[[^\]]+\]\((figure-[\w-]+\.png)\)\n\n(.+)\n", page)
    assert len(shown) == 6
    for name, text in shown:
        assert (folder / name).exists()
        assert len(text) > 80
        assert re.search(r"\d", text)
    for claim in judged:
        line = next(line for line in page.splitlines() if f"| {claim.text} |" in line)
        assert claim.verdict in line
    assert not re.search(r"\bnan\b", page)
    assert "-0.0 " not in page


def test_every_repetition_is_in_the_file(finished):
    folder, *_ = finished
    with (folder / "results.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    measure = "accuracy, Bayes' border, ranges from the data"
    kept = [
        (r["figure"], r["epsilon"], r["trial"])
        for r in rows
        if r["contender"] == "plain LDA" and r["measure"] == measure
    ]
    assert kept == [(f, e, t) for f in "23" for e in ("10.0", "5.0") for t in "01"]


def test_figures_four_and_five_need_no_data_and_figure_two_says_what_it_needs(
    tmp_path, monkeypatch
):
    monkeypatch.delenv("SFUMATO_DATA", raising=False)
    reproduce(tmp_path / "run", Settings(figures=("4", "5"), epsilons=(5.0,)))
    assert (tmp_path / "run" / "figure-5.svg").exists()
    with pytest.raises(DataError, match="SFUMATO_DATA"):
        reproduce(tmp_path / "more", Settings(figures=("2",)))
    with pytest.raises(ReleaseError, match="exists"):
        reproduce(tmp_path / "run", Settings(figures=("4",)))


def test_adults_are_as_many_as_asked_for_and_keep_their_classes(data):
    table = adults(500, 3, data)
    assert table.X.shape == (500, 6)
    assert 0 < table.y.sum() < 500
    assert not np.array_equal(table.X, adults(500, 4, data).X)
    np.testing.assert_array_equal(table.X, adults(500, 3, data).X)


@pytest.mark.parametrize("epsilon", [0.0, -1.0, float("inf"), float("nan")])
def test_impossible_levels_are_refused(epsilon):
    with pytest.raises(ParameterError, match="epsilons must be positive"):
        Settings(epsilons=(epsilon,))


def test_the_papers_levels_and_repetitions_are_the_default():
    assert [level_of(e) for e in Settings().epsilons] == [0.1, 0.15, 0.2, 0.25, 0.3]
    assert Settings().trials == 20
    assert Settings(figures=("4",)).steps == 0


def test_the_command_prints_the_claims_and_where_the_rest_is(tmp_path):
    folder = tmp_path / "run"
    run = CliRunner().invoke(app, ["chakrabarti2010", "--figures", "4,5", "-o", str(folder)])
    assert run.exit_code == 0, run.output
    assert "reached" in run.output
    assert (folder / "results.md").exists()
    assert "drawn 20 times" in (folder / "results.md").read_text(encoding="utf-8")


@pytest.mark.skipif("SFUMATO_DATA" not in os.environ, reason="SFUMATO_DATA is not set")
@pytest.mark.shared_data
def test_on_the_real_data_the_findings_stand(tmp_path):
    """Few repetitions; the margins are several standard deviations."""
    judged = reproduce(tmp_path / "run", Settings(trials=3, epsilons=(10.0, 5.0)))
    verdicts = {claim.text: claim.verdict for claim in judged}
    gain = "on Cancer LDA with noise statistics is clearly (2 points) above plain LDA"
    assert verdicts[f"{gain}, Bayes' border"] == "reached"
    assert verdicts[f"{gain}, middle border"] == "not reached"
    assert verdicts["on Adult plain LDA is close (a point) to the original"] == "not reached"
