"""Adult: its public shape, and refusals that say where it comes from."""

import os
from pathlib import Path

import pyarrow as pa
import pytest

from papers.adult import ADULT, adult
from papers.tests.adults import made_up_adults, write_data_folder
from sfumato.errors import DataError
from sfumato.inspection.utility import encoded
from sfumato.render.decode import Decoder
from sfumato.schema import Category
from sfumato.schema.domain import Domain
from sfumato.synopsis.features import Features

BESIDE = Path(__file__).parents[2].parent / "shared" / "data"
SHARED = Path(os.environ.get("SFUMATO_DATA", BESIDE))
needs_adult = pytest.mark.skipif(
    not (SHARED / "adult" / "adult.csv.gz").exists(), reason="point SFUMATO_DATA at Adult"
)


def test_the_schema_has_the_papers_eleven_columns_and_thirty_five_dummies():
    categories = [c for c in ADULT.columns.values() if isinstance(c, Category)]
    numbers = len(ADULT.columns) - len(categories)
    assert (len(ADULT.columns), numbers) == (11, 5)
    assert numbers + sum(len(column.values) for column in categories) == 35
    assert len(Features.of(Domain.of(ADULT))) == 33
    assert ADULT.label == "income"


def test_without_a_pointer_the_refusal_says_where_the_data_comes_from(monkeypatch):
    monkeypatch.delenv("SFUMATO_DATA", raising=False)
    with pytest.raises(DataError, match=r"UCI machine learning repository.*SFUMATO_DATA=/folder"):
        adult()


def test_a_folder_without_the_file_is_refused_with_the_same_remedy(tmp_path):
    with pytest.raises(DataError, match=r"does not exist: get \"Adult\".*45,222"):
        adult(tmp_path)


def test_columns_the_paper_drops_are_not_read(tmp_path, monkeypatch, rng):
    table = made_up_adults(50, rng)
    wider = table.append_column("fnlwgt", pa.array(range(50)))
    monkeypatch.setenv("SFUMATO_DATA", str(write_data_folder(tmp_path, wider)))
    assert adult().column_names == list(ADULT.columns)
    assert adult().equals(table)


def test_a_missing_column_is_refused_with_the_header_it_needs(tmp_path, rng):
    narrower = made_up_adults(50, rng).drop_columns(["hours_per_week"])
    with pytest.raises(DataError, match=r"lacks a column.*hours_per_week"):
        adult(write_data_folder(tmp_path, narrower))


def test_a_damaged_file_is_refused(tmp_path, rng):
    folder = write_data_folder(tmp_path, made_up_adults(500, rng))
    file = folder / "adult" / "adult.csv.gz"
    file.write_bytes(file.read_bytes()[:200])
    with pytest.raises(DataError, match="damaged"):
        adult(folder)


@needs_adult
@pytest.mark.shared_data
def test_the_real_records_all_lie_inside_the_declared_domain():
    table, domain = adult(SHARED), Domain.of(ADULT)
    assert table.num_rows == 45_222
    assert table.column("income").to_pylist().count(">50K") == 11_208
    decoded = pa.Table.from_batches([Decoder(domain).batch(encoded(table, domain))])
    for name, column in ADULT.columns.items():
        if name == "capital_gain":  # 99,999 dollars on 2^15 points: the nearest point
            continue
        assert decoded.column(name).to_pylist() == table.column(name).to_pylist(), column.kind
