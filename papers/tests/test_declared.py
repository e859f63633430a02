"""Declared ranges: public, wide enough, and the records inside them are the records."""

import os

import numpy as np
import pytest

from papers.declared import NAMES, declared
from papers.tests.made_up_uci import made_up, write_uci, write_uci_folder
from papers.uci import Loaded, load
from sfumato.errors import ParameterError
from sfumato.inspection.utility import encoded
from sfumato.synopsis.centred import UNIT, Centred

SHARED = os.environ.get("SFUMATO_DATA")
needs_data = pytest.mark.skipif(not SHARED, reason="SFUMATO_DATA is not set")


def both(name, folder, rng, rows=60):
    write_uci_folder(folder, [name], rows, rng)
    loaded = load(name, folder)
    return loaded, declared(name, loaded)


@pytest.mark.parametrize("name", NAMES)
def test_every_data_set_has_a_domain_without_its_label_and_says_where_it_comes_from(
    name, tmp_path, rng
):
    loaded, found = both(name, tmp_path, rng)
    assert found.table.num_rows == len(loaded.y)
    assert len(Centred.of(found.domain)) == loaded.X.shape[1]
    assert found.domain.label is None
    assert any(word in found.source for word in ("format", "documentation", "declared", "READ OFF"))


@pytest.mark.parametrize("name", [name for name in NAMES if name != "secom"])
def test_ranges_do_not_depend_on_the_records(name, tmp_path, rng):
    loaded, found = both(name, tmp_path, rng)
    other = declared(name, loaded._replace(X=np.zeros_like(loaded.X)))
    assert other.domain.schema == found.domain.schema


def test_where_they_do_it_is_said_aloud(tmp_path, rng):
    loaded, found = both("secom", tmp_path, rng)
    assert "READ OFF THE RECORDS" in found.source
    assert "not private" in found.source
    highs = np.array([axis.column.high for axis in found.domain.axes])
    sizes = np.nanmax(np.abs(loaded.X), axis=0)
    assert (highs >= sizes).all()
    assert (highs <= 10 * sizes).all()
    np.testing.assert_allclose(np.log10(highs), np.rint(np.log10(highs)), atol=1e-9)


def test_centred_records_are_places_in_the_range(tmp_path, rng):
    loaded, found = both("waveform", tmp_path, rng)
    Z = Centred.of(found.domain).design(encoded(found.table, found.domain)) / UNIT
    np.testing.assert_allclose(Z, np.clip((loaded.X - 3) / 14, -0.5, 0.5), atol=1e-4)


def test_one_hot_columns_become_categories_and_come_back_as_they_were(tmp_path, rng):
    loaded, found = both("covtype", tmp_path, rng)
    assert found.table.column_names[-2:] == ["wilderness_area", "soil_type"]
    Z = Centred.of(found.domain).design(encoded(found.table, found.domain)) / UNIT
    np.testing.assert_array_equal(Z[:, 10:], loaded.X[:, 10:])


def test_columns_of_covtype_are_found_by_name(tmp_path, rng):
    table = made_up("covtype", 30, rng)
    write_uci(tmp_path, "covtype", table.select(table.column_names[::-1]))
    found = declared("covtype", load("covtype", tmp_path))
    np.testing.assert_array_equal(
        found.table.column("aspect").to_numpy(), table.column("aspect").to_numpy()
    )


def test_no_ranges_are_made_up_for_other_data():
    nothing = Loaded(np.zeros((1, 1)), np.zeros(1, np.int64), ("a",), "")
    with pytest.raises(ParameterError, match="no ranges are declared for 'iris'"):
        declared("iris", nothing)


@needs_data
@pytest.mark.shared_data
@pytest.mark.parametrize("name", ["waveform", "musk1", "musk2", "gfe"])
def test_hardly_a_real_value_lies_outside(name):
    loaded = load(name, SHARED)
    columns = [axis.column for axis in declared(name, loaded).domain.axes]
    low, high = (np.array([getattr(c, end) for c in columns]) for end in ("low", "high"))
    assert (np.clip(loaded.X, low, high) != loaded.X).mean() < 1e-4
