"""UCI data sets: matrices with labels apart, refusals that say where the data comes from."""

import os

import numpy as np
import pyarrow as pa
import pytest

from papers.tests.made_up_uci import made_up, write_uci, write_uci_folder
from papers.uci import NAMES, load
from sfumato.errors import DataError, ParameterError

SHARED = os.environ.get("SFUMATO_DATA")
needs_data = pytest.mark.skipif(not SHARED, reason="SFUMATO_DATA is not set")


@pytest.mark.parametrize("name", NAMES)
def test_features_and_labels_are_those_of_the_file(name, tmp_path, rng):
    table = made_up(name, 40, rng)
    write_uci(tmp_path, name, table)
    X, y, columns, note = load(name, tmp_path)
    assert X.shape == (40, len(columns))
    assert X.dtype == np.float64
    assert y.tolist() == table.column(table.num_columns - 1).to_pylist()
    assert table.column_names[-1] not in columns
    for j, column in enumerate(columns):
        expected = table.column(column).to_numpy().astype(float)
        np.testing.assert_allclose(X[:, j], expected, rtol=1e-6)
    assert note.endswith(".")


def test_what_is_missing_stays_missing(tmp_path, rng):
    write_uci_folder(tmp_path, ["secom"], 200, rng)
    assert 0 < np.isnan(load("secom", tmp_path).X).mean() < 0.2


def test_who_and_when_are_no_features_of_a_face(tmp_path, rng):
    write_uci_folder(tmp_path, ["gfe"], 20, rng)
    assert load("gfe", tmp_path).columns == ("p0_x", "p0_y", "p0_z", "p1_x", "p1_y", "p1_z")


def test_the_folder_comes_from_the_environment(tmp_path, rng, monkeypatch):
    write_uci_folder(tmp_path, ["musk1"], 20, rng)
    monkeypatch.setenv("SFUMATO_DATA", str(tmp_path))
    assert len(load("musk1").y) == 20
    monkeypatch.delenv("SFUMATO_DATA")
    with pytest.raises(DataError, match=r"Musk \(Version 1\).*SFUMATO_DATA"):
        load("musk1")


def test_an_unknown_name_is_refused_with_those_there_are():
    with pytest.raises(ParameterError, match=r"no data set 'iris'; choose one of semeion, wave"):
        load("iris")


def test_a_missing_label_is_refused(tmp_path, rng):
    write_uci(tmp_path, "waveform", made_up("waveform", 20, rng).drop_columns(["class"]))
    with pytest.raises(DataError, match="must name class"):
        load("waveform", tmp_path)


def test_text_where_a_number_should_be_is_refused_without_showing_it(tmp_path, rng):
    table = made_up("waveform", 20, rng).set_column(0, "x1", pa.array(["secret"] * 20))
    write_uci(tmp_path, "waveform", table)
    with pytest.raises(DataError, match="not a number") as refusal:
        load("waveform", tmp_path)
    assert "secret" not in str(refusal.value)


@pytest.mark.parametrize("name", ["waveform", "covtype"])
def test_a_damaged_file_is_refused(name, tmp_path, rng):
    write_uci_folder(tmp_path, [name], 200, rng)
    (file,) = (tmp_path / name).iterdir()
    file.write_bytes(file.read_bytes()[:100])
    with pytest.raises(DataError, match="damaged"):
        load(name, tmp_path)


@needs_data
@pytest.mark.shared_data
@pytest.mark.parametrize(
    ("name", "shape", "labels"),
    [
        ("semeion", (1593, 256), 10),
        ("waveform", (5000, 21), 3),
        ("musk1", (476, 166), 2),
        ("musk2", (6598, 166), 2),
        ("secom", (1567, 443), 2),
        ("covtype", (581_012, 54), 7),
        ("gfe", (27_348, 300), 2),
    ],
)
def test_the_real_data_sets_have_their_documented_shapes(name, shape, labels):
    found = load(name, SHARED)
    assert found.X.shape == shape
    assert len(np.unique(found.y)) == labels
