"""A whole small run: measured cells, files, words beside figures, and nothing half-written."""

import csv
import re

import numpy as np
import pytest
from typer.testing import CliRunner

from papers.adult import ADULT
from papers.command import app
from papers.jiang2013 import Contender, Settings, classes, record_error, reproduce
from papers.outcome import Outcomes
from papers.tests.adults import made_up_adults, write_data_folder
from sfumato.errors import DataError, ParameterError, ReleaseError
from sfumato.inspection.utility import encoded
from sfumato.schema.domain import Domain
from sfumato.synopsis.features import Features

pytestmark = pytest.mark.slow  # what it looks at is one long run

SMALL = {
    "trials": 2,
    "epsilons": (0.5, 50.0),
    "records": (Contender("identity-laplace"),),
    "classes": (Contender("modips"),),
}


def ignore(what):
    pass


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    return write_data_folder(folder, made_up_adults(600, np.random.default_rng(0)))


@pytest.fixture(scope="module")
def finished(data, tmp_path_factory):
    folder, ticks = tmp_path_factory.mktemp("runs") / "whole", []
    settings = Settings(**SMALL)
    judged = reproduce(folder, settings, data=data, tick=ticks.append)
    return folder, settings, judged, ticks


def test_the_folder_holds_every_figure_twice_the_numbers_and_the_words(finished):
    folder, *_ = finished
    figures = ["figure-1", "figure-2a", "figure-2b", "figure-2c", "figure-3", "figure-4"]
    expected = {f"{name}.{kind}" for name in figures for kind in ("png", "svg")}
    assert {path.name for path in folder.iterdir()} == expected | {"results.csv", "results.md"}
    assert not list(folder.parent.glob(".*"))


def test_progress_counts_every_release(finished):
    _, settings, _, ticks = finished
    assert len(ticks) == settings.steps == 16


def test_every_trial_is_in_the_file(finished):
    folder, *_ = finished
    with (folder / "results.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    measured = [r for r in rows if r["measure"] == "squared error per record"]
    trials = [r for r in measured if r["contender"] == "identity-laplace"]
    assert [(r["epsilon"], r["trial"]) for r in trials] == [
        (e, t) for e in ("0.5", "50.0") for t in "01"
    ]
    assert len({r["value"] for r in trials}) == 4


def test_the_page_has_a_text_beside_every_figure_and_quotes_the_paper(finished):
    folder, *_ = finished
    page = (folder / "results.md").read_text(encoding="utf-8")
    shown = re.findall(r"!\[[^\]]+\]\((figure-\w+\.png)\)\n\n(.+)\n", page)
    assert len(shown) == 6
    for name, text in shown:
        assert (folder / name).exists()
        assert len(text) > 80
        assert re.search(r"\d", text)
    for number in ("2750.08", "85.3 %", "104.00", "114.42", "unbounded"):
        assert number in page
    assert "nan" not in page


def test_the_page_says_what_did_not_run_and_what_is_not_reached(finished):
    folder, _, judged, _ = finished
    page = (folder / "results.md").read_text(encoding="utf-8")
    assert {claim.verdict for claim in judged} >= {"not run", "reached"}
    for claim in judged:
        line = next(line for line in page.splitlines() if f"| {claim.text} |" in line)
        assert claim.verdict in line


def test_the_same_seed_gives_the_same_numbers_and_another_seed_others(rng):
    table = made_up_adults(300, rng)

    def numbers(seed):
        settings, found = Settings(**SMALL | {"trials": 1, "seed": seed}), Outcomes()
        record_error.run(table, settings, found, ignore)
        classes.run(table, settings, found, ignore)
        return list(found)

    first = numbers(1)
    assert numbers(1) == first
    assert numbers(2) != first


def test_an_existing_folder_is_refused_before_anything_runs(data, tmp_path):
    ticks = []
    with pytest.raises(ReleaseError, match="exists"):
        reproduce(tmp_path, Settings(**SMALL), data=data, tick=ticks.append)
    assert not ticks


def test_a_run_that_stops_leaves_nothing_behind(data, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Outcomes, "write", full)
    with pytest.raises(ReleaseError, match="No space left"):
        reproduce(tmp_path / "run", Settings(**SMALL | {"figures": ("1",)}), data=data)
    assert list(tmp_path.iterdir()) == []


def test_figure_one_needs_no_data(tmp_path, monkeypatch):
    monkeypatch.delenv("SFUMATO_DATA", raising=False)
    reproduce(tmp_path / "run", Settings(**SMALL | {"figures": ("1",)}))
    assert (tmp_path / "run" / "figure-1.svg").exists()
    with pytest.raises(DataError, match="SFUMATO_DATA"):
        reproduce(tmp_path / "more", Settings(**SMALL))


def test_a_constant_record_is_measured_by_hand(rng):
    table, found = made_up_adults(400, rng), Outcomes()
    record_error.run(table, Settings(**SMALL | {"trials": 1, "epsilons": (1e6,)}), found, ignore)
    domain = Domain.of(ADULT)
    features = Features.of(domain)
    X = features.design(encoded(table, domain)) / features.units
    spread = float(((X - X.mean(axis=0)) ** 2).sum(axis=1).mean())
    (plain,) = found.values("2", record_error.UNDECODED, 1e6, record_error.ERROR)
    (decoded,) = found.values("2", record_error.CONSTANT, 1e6, record_error.ERROR)
    (kept,) = found.values("2", "identity-laplace", 1e6, record_error.ERROR)
    assert plain == pytest.approx(spread, rel=1e-3)
    assert decoded > plain
    assert kept < 1e-6


def test_energy_rises_to_one_and_is_that_of_the_eigenvalues(rng):
    table, found = made_up_adults(400, rng), Outcomes()
    record_error.run(table, Settings(**SMALL | {"epsilons": (1.0,)}), found, ignore)
    for centre in (record_error.CENTRED, record_error.ORIGIN):
        energy = found.values("2", centre, None, record_error.ENERGY)
        assert len(energy) == 33
        assert (np.diff(energy, prepend=0) >= -1e-12).all()
        assert (np.diff(energy, 2) <= 1e-12).all()  # largest first
        assert energy[-1] == pytest.approx(1)


@pytest.mark.parametrize(("figure", "kept"), [("3", {"3"}), ("4", {"4"})])
def test_scores_and_information_are_measured_only_where_asked_for(figure, kept, rng):
    found = Outcomes()
    settings = Settings(**SMALL | {"figures": (figure,), "trials": 1, "epsilons": (1.0,)})
    classes.run(made_up_adults(300, rng), settings, found, ignore)
    assert {outcome.figure for outcome in found} == kept


def test_two_thirds_are_published_and_the_rest_is_held_out(rng, monkeypatch):
    seen = []
    monkeypatch.setattr(
        classes, "publish", lambda train, **_: seen.append(train) or _Published(train)
    )
    table = made_up_adults(300, rng)
    settings = Settings(**SMALL | {"figures": ("3",), "epsilons": (1.0,)})
    found = Outcomes()
    classes.run(table, settings, found, ignore)
    assert [train.num_rows for train in seen] == [200, 200]
    assert not seen[0].equals(seen[1])
    # A release that is the records themselves scores as the best achievable.
    for model in settings.models:
        for measure in (classes.accuracy(model), classes.auc(model)):
            best = found.values("3", classes.BEST, None, measure)
            np.testing.assert_array_equal(found.values("3", "modips", 1.0, measure), best)


class _Published:
    def __init__(self, table):
        self.table = table


def test_the_command_prints_the_claims_and_where_the_rest_is(tmp_path):
    folder = tmp_path / "run"
    run = CliRunner().invoke(
        app,
        ["jiang2013", "--figures", "1", "--trials", "2", "--epsilons", "1,2", "-o", str(folder)],
    )
    assert run.exit_code == 0, run.output
    assert "reached" in run.output
    assert (folder / "results.md").exists()


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [
        (["nobody2020"], "no study 'nobody2020'; choose one of jiang2013"),
        (["jiang2013", "--epsilons", "1,many"], "epsilons must be numbers"),
        (["jiang2013", "--figures", "7"], "figures must be of"),
    ],
)
def test_the_command_refuses_by_name(arguments, rule):
    run = CliRunner().invoke(app, arguments)
    assert isinstance(run.exception, ParameterError)
    assert rule in str(run.exception)
