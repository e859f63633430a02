"""Releases: the same bytes whenever they are looked at, and a shape that no record decides."""

import io
import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.errors import ReleaseError
from sfumato.privacy.guarantee import PureDP, Seeded
from sfumato.release import Release
from sfumato.release.file import read_batches
from sfumato.render.decode import Decoder
from sfumato.schema import Schema
from sfumato.schema.arrow import arrow_schema
from sfumato.schema.domain import MISSING, Domain, Grid
from slowness import slow

SCHEMA = Schema.of(
    {
        "name": "ward",
        "columns": {
            "size": {"kind": "number", "low": 0, "high": 10, "missing": "allowed"},
            "age": {"kind": "integer", "low": 0, "high": 120, "missing": "allowed"},
            "code": {"kind": "category", "values": [1, 2, 3], "missing": "allowed"},
            "name": {"kind": "category", "values": ["ann", 'bo"b', "c\nd"], "other": "else"},
            "sick": {"kind": "boolean", "missing": "allowed"},
            "well": {"kind": "boolean"},
            "beds": {"kind": "integer", "low": 0, "high": 9},
            "seen": {"kind": "date", "low": "2020-01-01", "high": "2020-12-31"},
            "at": {"kind": "date", "low": "2020-01-01", "high": "2020-01-02", "step": "minute"},
        },
    }
)
DOMAIN = Domain.of(SCHEMA)
ROW = {
    "size": "5",
    "age": "40",
    "code": "2",
    "name": "ann",
    "sick": "true",
    "well": "true",
    "beds": "4",
    "seen": "2020-06-01",
    "at": "2020-01-01T12:00:00",
}
# Each makes of one record the only one of its kind.
ALONE = {
    "the only member of a category": {"name": "c\nd", "code": "3"},
    "a value outside the list": {"name": "SECRET-4711"},
    "the minimum": {"age": "-1000000", "size": "-1e300"},
    "the maximum": {"age": "99999999", "size": "1e300"},
    "the longest string": {"name": "x" * 10_000},
    "a new date": {"seen": "2020-12-31", "at": "9999-12-31"},
    "the only missing values": dict.fromkeys(ROW, ""),
    "garbage": dict.fromkeys(ROW, "\0½"),
    "a fraction among whole numbers": {"age": "39.5", "code": "2.5"},
}


def table(*changes):
    rows = [*([ROW] * (12 - len(changes))), *(ROW | change for change in changes)]
    return pa.table({name: [row[name] for row in rows] for name in ROW})


def written(content):
    buffer = io.BytesIO()
    pacsv.write_csv(content, buffer)
    return buffer.getvalue()


def inferred(content):
    """The frame of a careless reader: types as the values suggest."""
    return pd.read_csv(io.BytesIO(written(content)))


def release(data=None, **options):
    given = {"schema": SCHEMA, "epsilon": 1, "seed": 3} | options
    return sf.publish(table() if data is None else data, **given)


def shape(release, folder):
    """All that a recipient sees of a release besides its values."""
    folder.mkdir()
    csv, parquet = release.save(folder / "c"), release.save(folder / "p", format="parquet")
    stored = pq.read_metadata(parquet / "data.parquet")
    pandas, polars = (Release.load(csv, frame=kind).data for kind in ("pandas", "polars"))
    drawn = ("release", "content", "synopsis")  # an id, and hashes of noisy values
    paper = {k: v for k, v in release.certificate.to_json().items() if k not in drawn}
    fit = paper.pop("fit")  # noisy counts, whose places are public
    fit["fitting"], fit["misfits"] = None, [(c["column"], c["complaint"]) for c in fit["misfits"]]
    return {
        "arrow schema": (release.table.schema, release.table.schema.metadata),
        "parquet schema": pq.read_schema(parquet / "data.parquet").to_string(),
        "parquet metadata": (stored.metadata, stored.created_by, stored.num_row_groups),
        "csv header": (csv / "data.csv").read_bytes().split(b"\n")[0],
        "pandas types": dict(pandas.dtypes),
        "polars types": dict(polars.schema),
        "synopsis": release.synopsis and (list(release.synopsis), len(release.synopsis["entries"])),
        "certificate": json.dumps(paper),
        "fit": json.dumps(fit),
        "files": sorted(path.name for place in (csv, parquet) for path in place.iterdir()),
    }


@pytest.mark.parametrize("method", ["modips", slow("identity-laplace")])
@pytest.mark.parametrize("what", ALONE)
@pytest.mark.long
def test_no_record_shows_in_the_shape_of_a_release(tmp_path, method, what):
    seen = []
    for content in (table(), table(ALONE[what])):
        path = tmp_path / f"{len(seen)}.csv"
        path.write_bytes(written(content))
        for data in (content, inferred(content), path):
            made = release(data, method=method)
            seen.append(shape(made, tmp_path / str(len(seen))))
    assert len(seen) == 6
    for other in seen[1:]:
        assert other == seen[0]


@pytest.mark.parametrize("what", ALONE)
def test_an_encoder_that_learns_from_the_data_shows_the_record(what):
    """Positive control: with types and categories from the data, the same pairs differ."""

    def naive(content):
        frame = inferred(content).astype("category")
        learnt = pa.Table.from_pandas(frame).schema
        return learnt, [list(frame[name].cat.categories) for name in frame]

    assert naive(table()) != naive(table(ALONE[what]))


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_a_saved_release_is_loaded_as_it_was(tmp_path, format):
    made = release()
    loaded = Release.load(made.save(tmp_path / "r", format=format))
    assert loaded.table.equals(made.table)
    assert loaded.table.schema.equals(made.table.schema, check_metadata=True)
    assert loaded.synopsis == made.synopsis
    assert loaded.certificate.digest == made.certificate.digest
    assert loaded.guarantee == made.guarantee == Seeded()
    assert repr(loaded) == repr(made)
    assert "ward by mosaic" in repr(made)


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_saving_twice_or_again_gives_the_same_bytes(tmp_path, format):
    made = release()
    first = made.save(tmp_path / "a", format=format)
    second = made.save(tmp_path / "b", format=format)
    third = Release.load(first).save(tmp_path / "c", format=format)
    names = {f"data.{format}", "release.json", "synopsis.json"}
    for folder in (first, second, third):
        assert {path.name for path in folder.iterdir()} == names
    for name in names:
        assert len({(folder / name).read_bytes() for folder in (first, second, third)}) == 1


def test_a_release_is_never_saved_over_another(tmp_path):
    made = release()
    before = made.save(tmp_path / "r")
    content = (before / "release.json").read_bytes()
    with pytest.raises(ReleaseError, match="exists"):
        release(seed=4).save(tmp_path / "r")
    assert (before / "release.json").read_bytes() == content


def codes(rows, missing):
    """Records with every value present, or every value missing that may be."""
    gaps = [(MISSING if isinstance(a, Grid) else a.codes - 1) if a.missing else 0 for a in AXES]
    return np.tile(np.array(gaps if missing else [0] * len(AXES), np.int32), (rows, 1))


AXES = DOMAIN.axes
PANDAS = {
    "size": "float64",
    "age": "Int64",
    "code": "Int64",
    "sick": "boolean",
    "well": "bool",
    "beds": "int64",
    "seen": "datetime64[us]",
    "at": "datetime64[us]",
}


@pytest.mark.parametrize("rows", [0, 3])
@pytest.mark.parametrize("missing", [False, True])
def test_frame_types_follow_from_the_schema_whatever_is_missing(rows, missing):
    paper = release().certificate
    content = pa.Table.from_batches([Decoder(DOMAIN).batch(codes(rows, missing))])
    pandas = Release(paper, table=content, frame="pandas").data
    assert {name: str(pandas[name].dtype) for name in PANDAS} == PANDAS
    assert pandas["age"].isna().sum() == (rows if missing else 0)
    polars = Release(paper, table=content, frame="polars").data
    other = Release(paper, table=release().table, frame="polars").data
    assert polars.schema == other.schema
    assert (len(pandas), len(polars)) == (rows, rows)


@pytest.mark.parametrize("format", ["csv", "parquet"])
@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_a_release_without_rows_keeps_its_columns_and_types(tmp_path, format, kind):
    empty = release(rows=0)
    loaded = Release.load(empty.save(tmp_path / "r", format=format), frame=kind)
    assert len(loaded.data) == 0
    assert list(loaded.data.schema.names if kind == "arrow" else loaded.data.columns) == list(ROW)
    assert loaded.table.schema == release().table.schema
    if kind == "pandas":
        assert {n: str(loaded.data[n].dtype) for n in PANDAS} == PANDAS


def test_the_guarantee_is_read_from_the_certificate():
    made = release(seed=None)
    assert made.guarantee == PureDP(1)
    with pytest.raises(ReleaseError, match="neither a table nor a folder"):
        _ = Release(made.certificate).table


@pytest.mark.parametrize("name", ["gone", "file", "empty"])
def test_what_is_no_release_is_not_loaded(tmp_path, name):
    (tmp_path / "file").write_text("{}")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ReleaseError, match="not a whole release"):
        Release.load(tmp_path / name)


def rename(path):
    path.write_bytes(path.read_bytes().replace(b"size", b"bulk", 1))


def drop_column(path):
    pacsv.write_csv(release().table.drop_columns("well"), path)


def empty_cell(path):
    content = path.read_text()
    path.write_text(content.replace("true", "").replace("false", ""))


def ragged(path):
    with path.open("a") as file:
        file.write("1,2\n")


def word(path):
    lines = path.read_text().split("\n")
    path.write_text("\n".join([lines[0], "SECRET-4711" + lines[1], *lines[2:]]))


def nothing(path):
    path.write_bytes(b"")


@pytest.mark.parametrize("damage", [rename, drop_column, empty_cell, ragged, word, nothing])
def test_damaged_data_is_refused_without_quoting_it(tmp_path, damage):
    folder = release().save(tmp_path / "r")
    damage(folder / "data.csv")
    with pytest.raises(ReleaseError, match=r"data\.csv") as error:
        _ = Release.load(folder).table
    assert "SECRET" not in str(error.value)


@pytest.mark.parametrize("damage", [nothing, lambda path: path.write_bytes(b"PAR1" * 99)])
def test_a_damaged_parquet_file_is_refused(tmp_path, damage):
    folder = release().save(tmp_path / "r", format="parquet")
    damage(folder / "data.parquet")
    with pytest.raises(ReleaseError, match="cannot be read"):
        _ = Release.load(folder).table


def test_line_breaks_inside_values_survive_the_ends_of_blocks(tmp_path):
    known = Domain.of(Schema.of({"name": "t", "columns": {"x": {"kind": "category"} | LINES}}))
    batch = Decoder(known).batch(np.arange(200_000, dtype=np.int32)[:, None] % 3)
    with pacsv.CSVWriter(tmp_path / "data.csv", batch.schema) as writer:
        writer.write_batch(batch)
    again = pa.Table.from_batches(read_batches(tmp_path / "data.csv", arrow_schema(known)))
    assert again.equals(pa.Table.from_batches([batch]))


LINES = {"values": ["\n1\n2\n3", "a\nb", "\n\n5,\n"]}
