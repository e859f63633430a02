"""The made-up clinic: fits its own schema, has every kind of column, and never changes."""

import numpy as np
import pytest

import sfumato as sf
from sfumato.example import CLINIC, clinic
from sfumato.render.decode import Decoder
from sfumato.schema import Schema
from sfumato.schema.domain import Domain, Levels
from sfumato.table.encode import encode
from sfumato.table.header import check_header
from sfumato.table.records import Records
from sfumato.table.source import open_source

SCHEMA = Schema.parse(CLINIC)
DOMAIN = Domain.of(SCHEMA)


def test_the_clinic_fits_its_schema_and_shows_every_kind_of_column():
    check_header(open_source(clinic(100)), DOMAIN)
    kinds = {column.kind for column in SCHEMA.columns.values()}
    assert kinds == {"number", "integer", "category", "boolean", "date", "id"}


def test_every_value_of_the_clinic_lies_on_the_public_grid():
    """Only the ward that the schema does not list is mapped, to `elsewhere`."""
    patients = clinic(3000)
    (batch,) = patients.combine_chunks().to_batches()
    again = Decoder(DOMAIN).batch(encode(DOMAIN, batch))
    for name in DOMAIN.schema.released:
        given, decoded = batch.column(name).to_pylist(), again.column(name).to_pylist()
        expected = [{"hospice": "elsewhere"}.get(v, v) if name == "ward" else v for v in given]
        assert decoded == expected, name
    assert patients["weight"].null_count > 0
    assert "hospice" in patients["ward"].to_pylist()


def test_all_levels_occur_so_that_the_demo_has_something_to_show():
    (codes,) = Records(open_source(clinic(5000)), DOMAIN).parts()
    for column, axis in zip(codes.T, DOMAIN.axes, strict=True):
        if isinstance(axis, Levels):
            assert set(column) == set(range(axis.codes))
        else:
            assert np.ptp(column) > axis.points / 2


def test_the_same_seed_makes_the_same_patients_and_another_seed_others():
    assert clinic(50).equals(clinic(50))
    assert not clinic(50).drop_columns("patient").equals(clinic(50, seed=2).drop_columns("patient"))


@pytest.mark.parametrize("rows", [0, 1, 2])
def test_small_clinics_exist(rows):
    assert clinic(rows).num_rows == rows
    assert (
        clinic(rows).select(list(SCHEMA.released)).schema
        == clinic(9).select(list(SCHEMA.released)).schema
    )


def test_the_clinic_can_be_published():
    release = sf.publish(clinic(100), schema=SCHEMA, epsilon=1, seed=0)
    assert release.table.column_names == list(SCHEMA.released)
    assert release.table.num_rows == 100
