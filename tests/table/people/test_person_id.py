"""Ids: one rule for every way in which they are stored."""

from decimal import Decimal

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from people_world import DOMAIN, KEY, LAYOUT
from sfumato.table.people.people import People
from sfumato.table.people.person_id import id_hashes, id_texts
from sfumato.table.people.sip_hash import hashes_of_bytes
from sfumato.table.source import open_source


def seen(values):
    return [text and text.decode(errors="replace") for text in id_texts(values).to_pylist()]


@pytest.mark.parametrize(
    "values",
    [
        pa.array([7, -3, None]),
        pa.array([7, -3, None], pa.int8()),
        pa.array([7.0, -3.0, float("nan")]),
        pa.array([7.0, -3.0, None], pa.float32()),
        pa.array(["7", "-3", ""]),
        pa.array([" 7", "-3\t", " "], pa.large_string()),
        pa.array(["7.0", "-3.00", "NaN"], pa.string_view()),
        pa.array([b"7", b"-3", None]),
        pa.array([b" 7", b"-3", b""], pa.large_binary()),
        pa.array([Decimal("7.00"), Decimal("-3"), None], pa.decimal128(9, 2)),
    ],
    ids=lambda values: str(values.type),
)
def test_the_same_number_is_the_same_person_however_it_is_stored(values):
    assert seen(values) == ["7", "-3", None]
    plain = pa.RecordBatch.from_pydict({"a": pa.array(["7", "-3", None])})
    for column in (values, pa.array(values.to_pylist() * 2, values.type)[3:]):
        found, there = id_hashes(pa.RecordBatch.from_pydict({"a": column}), ("a",), KEY)
        assert there.tolist() == [True, True, False]
        assert (found[:2] == id_hashes(plain, ("a",), KEY)[0][:2]).all()


def test_what_is_kept_apart_and_what_is_not():
    apart = ["7", "007", "a", "A", "7.5", "07.0", "x y", "7e0", "١"]
    assert len(set(seen(pa.array(apart)))) == len(apart)
    assert seen(pa.array(["e\u0301", "\u00e9", "\ufffd", "nan "])) == [
        "e\u0301",
        "e\u0301",
        None,
        None,
    ]
    assert seen(pa.array([2.0**70, 0.5, -0.0, 1e15])) == [str(2**70), "0.5", "0", str(10**15)]
    torn = pa.array([b"\xff\xfe", b" 7", b"\xff\xfd"])
    assert id_texts(torn).to_pylist() == [b"\xff\xfe", b"7", b"\xff\xfd"]


def test_long_ids_and_several_columns():
    long = ["x" * n for n in (0, 7, 8, 255, 256, 257, 100_000)] + ["x" * 99_999 + "y"]
    found = hashes_of_bytes(pa.array(long).cast(pa.large_binary()), bytes(16))
    assert len({tuple(row) for row in found.tolist()}) == len(long)
    batch = pa.RecordBatch.from_pydict({"a": ["1", "12", "1", None], "b": ["23", "3", "23", "1"]})
    found, there = id_hashes(batch, ("a", "b"), KEY)
    assert there.tolist() == [True, True, True, False]
    assert (found[0] == found[2]).all()
    assert (found[0] != found[1]).any()
    assert (id_hashes(batch, ("a", "b"), b"other")[0][0] != found[0]).any()


def test_files_and_frames_have_the_same_persons(tmp_path):
    columns = {"patient": [7, 8, 7], "sex": ["f", "m", "f"], "year": [0, 1, 2], "ward": list("aba")}
    pd.DataFrame(columns).to_csv(tmp_path / "a.csv", index=False)
    pd.DataFrame(columns).astype({"patient": float}).to_csv(tmp_path / "b.csv", index=False)
    pq.write_table(pa.table(columns), tmp_path / "a.parquet")
    given = [
        *(tmp_path / name for name in ("a.csv", "b.csv", "a.parquet")),
        pd.DataFrame(columns),
        pd.DataFrame(columns).astype({"patient": "category"}),
        pd.DataFrame(columns | {"patient": pd.Series([7, "8", 7.0], dtype=object)}),
        pl.DataFrame(columns),
        pl.LazyFrame(columns | {"patient": ["7", "8.0", " 7"]}),
        columns,
    ]
    assert len({People(open_source(d), DOMAIN, LAYOUT, key=KEY).fingerprint() for d in given}) == 1
