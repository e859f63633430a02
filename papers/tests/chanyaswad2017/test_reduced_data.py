"""Parts that do not overlap, ranges that private records have no part in, scores by hand."""

import numpy as np
import pyarrow as pa
import pytest
from threadpoolctl import threadpool_limits

from papers.chanyaswad2017 import clusters, supervised
from papers.chanyaswad2017.compete import planned, released
from papers.chanyaswad2017.data import LABEL, faces, faces_in_the_frame, forests
from papers.chanyaswad2017.settings import CONTENDERS, Settings
from papers.outcome import Outcomes
from papers.tests.made_up_uci import made_up, write_uci_folder
from papers.uci import load
from papers.xu2019.private import Kept
from sfumato.inspection import regression
from sfumato.inspection.utility import encoded
from sfumato.synopsis.centred import UNIT, Centred


@pytest.fixture(autouse=True)
def one_thread():
    """As the study runs; on a busy machine threads wait for each other."""
    with threadpool_limits(1):
        yield


@pytest.fixture(scope="module")
def loaded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    write_uci_folder(folder, ["gfe", "covtype"], 500, np.random.default_rng(0))
    return {name: load(name, folder) for name in ("gfe", "covtype")}


@pytest.mark.parametrize("table", ["III", "IV"])
def test_private_public_and_held_out_records_are_all_records_once(table, loaded):
    numbered = loaded["covtype"]
    X = numbered.X.copy()
    X[:, 0] = 1000 + np.arange(len(X))  # elevations that tell records apart
    task = forests(numbered._replace(X=X), table, 1, None)
    parts = (task.private, task.public, task.held_out)
    assert [part.num_rows for part in parts] == [300, 100, 100]
    together = np.concatenate([part.column("elevation").to_numpy() for part in parts])
    np.testing.assert_array_equal(np.sort(together), X[:, 0])


def test_rows_cap_what_is_private_and_nothing_else(loaded):
    task = forests(loaded["covtype"], "III", 1, 120)
    assert (task.rows, task.public.num_rows, task.held_out.num_rows) == (120, 100, 100)


def test_the_label_is_the_second_cover_type(loaded):
    task = forests(loaded["covtype"], "III", 1, None)
    whole = pa.concat_tables([task.private, task.public, task.held_out])
    assert sum(whole.column(LABEL).to_pylist()) == (loaded["covtype"].y == 2).sum()
    assert task.domain.axes[task.domain.label].name == LABEL


def test_ranges_of_faces_are_those_of_the_public_frames_alone(loaded):
    frames = loaded["gfe"]
    task = faces(frames, 1, None)
    public = np.column_stack([column.to_numpy() for column in task.public.columns])
    middles = [(a.column.low + a.column.high) / 2 for a in task.domain.axes]
    np.testing.assert_allclose(middles, public.mean(axis=0))
    widths = [a.column.high - a.column.low for a in task.domain.axes]
    np.testing.assert_allclose(widths[0], 6 * public[:, [0, 3]].std())
    assert widths[0] == pytest.approx(widths[3])
    wild = frames.X.copy()
    wild[~(frames.X[:, :1] == public[:, 0]).any(axis=1)] *= 9  # all but the public frames
    assert faces(frames._replace(X=wild), 1, None).domain.schema == task.domain.schema


def test_the_camera_gives_wider_ranges_to_the_same_frames(loaded):
    near, far = (make(loaded["gfe"], 1, None) for make in (faces, faces_in_the_frame))
    assert far.private.equals(near.private)
    assert [a.column.high for a in far.domain.axes[:3]] == [640, 480, 4000]


def test_noise_that_saw_no_record_is_the_same_for_other_records(loaded, rng):
    settings = Settings(trials=1, figures=("II",), scored={"II": 60}, contenders={"II": ()})
    other = loaded["gfe"]._replace(X=rng.uniform(0, 400, loaded["gfe"].X.shape))
    clouds = []
    for frames in (loaded["gfe"], other):
        found, part = Outcomes(), (frames, 1, None)
        clusters.run(faces(*part), faces_in_the_frame(*part), settings, found, lambda what: None)
        clouds.append([row for row in found if row.contender == clusters.NOISE])
        assert found.values("II", clusters.REAL, None, "silhouette").size == 1
    assert clouds[0] == clouds[1]
    assert len(clouds[0]) == 3  # P of 2 and 5, and all six


def test_the_frame_of_regression_is_what_it_says(loaded):
    task = forests(loaded["covtype"], "IV", 1, None)
    settings = Settings(trials=1, figures=("IV",), scored={"IV": 300}, contenders={"IV": ()})
    found = Outcomes()
    assert supervised.run("IV", task, settings, found, lambda what: None) == 17
    y = (task.held_out.column("elevation").to_numpy() - 1000) / 3500

    def value(name):
        return found.values("IV", name, None, "RMSE").item()

    assert value(supervised.CONSTANT) == pytest.approx(2 * y.std(), rel=1e-3)
    guess = 2 * np.sqrt(np.mean(y**2 - y + 1 / 3))  # expected over uniform guesses
    assert value(supervised.GUESS) == pytest.approx(guess, rel=0.2)
    assert value(supervised.REAL) < value(supervised.CONSTANT)
    own = regression(task.public, task.held_out, task.domain.schema, target="elevation")
    assert value(supervised.ALONE) == 2 * own.rmse  # the target runs over 2, not over 1
    assert value(supervised.REAL) != value(supervised.ALONE)


@pytest.mark.parametrize("table", ["III", "IV"])
def test_held_out_records_are_projected_on_the_components_of_the_release(
    table, loaded, monkeypatch
):
    task, seen = forests(loaded["covtype"], table, 1, None), []
    model = supervised._Model(table, task)
    contender = next(c for c in CONTENDERS[table] if c.curve)
    plan = planned(contender, task, 1.0, 3)
    measured, release = released(plan, Kept(task.private, task.domain), 200, 1)
    name = "classification" if table == "III" else "regression"
    scorer = getattr(supervised, name)
    monkeypatch.setattr(supervised, name, lambda *a, **k: seen.append(a) or scorer(*a, **k))
    model.score(release, measured)
    ((train, test, schema),) = seen
    assert train is release
    space = Centred.of(task.domain, without=(model.place,))
    Z = space.design(encoded(task.held_out, task.domain)) / UNIT
    wanted = Z @ measured.reduced.directions.matrix.T
    for k, column in enumerate(("component_1", "component_2", "component_3")):
        np.testing.assert_allclose(test.column(column).to_numpy(), wanted[:, k])
        assert schema.columns[column].kind == "number"
    assert test.column(model.beside).equals(task.held_out.column(model.beside))


@pytest.mark.parametrize(("table", "better"), [("III", 1), ("IV", -1)])
def test_with_a_large_budget_components_teach_nearly_what_records_teach(table, better, tmp_path):
    write_uci_folder(tmp_path, ["covtype"], 1_200, np.random.default_rng(0))
    task = forests(load("covtype", tmp_path), table, 1, None)
    model = supervised._Model(table, task)
    contender = next(c for c in CONTENDERS[table] if c.curve)
    plan = planned(contender, task, 1e6, len(model.space))
    measured, release = released(plan, Kept(task.private, task.domain), 600, 1)
    frame = model.frame(task.private, np.random.default_rng(0))
    real, nothing = frame[supervised.REAL], frame[supervised.CONSTANT]
    learnt = (model.score(release, measured) - nothing) / (real - nothing)
    assert better * (real - nothing) > 0
    assert learnt > 0.6


@pytest.mark.parametrize(("drawn", "held_out"), [([0.1, -3.0], [2.0]), ([0.1], [2.0, -3.0])])
def test_scoring_cuts_neither_drawn_nor_held_out_coordinates(drawn, held_out):
    frame = supervised._frame(pa.chunked_array([drawn]), np.array(held_out))
    assert (frame["low"], frame["high"]) == (-3.0, 3.0)


def test_made_up_forests_hold_every_cover_type(rng):
    assert set(made_up("covtype", 100, rng).column("cover_type").to_pylist()) == {1, 2, 3}
