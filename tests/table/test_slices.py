"""Slices of a table: by rows towards a release, by bytes in memory, and neither tells anything."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.table import fold, mapped, text
from sfumato.table import records as module
from sfumato.table.records import Records
from sfumato.table.source import open_source

DOMAIN = Domain.of(
    Schema.of(
        {
            "name": "t",
            "neighbours": "add-remove",
            "columns": {
                "age": {"kind": "integer", "low": 0, "high": 99},
                "ward": {"kind": "category", "values": ["a", "b"], "other": "else"},
            },
        }
    )
)


PLAIN = pa.string()


def table(texts, kind=PLAIN):
    ages = pa.array([str(i % 100) for i in range(len(texts))], kind)
    return pa.table({"age": ages, "ward": pa.array(texts, kind)})


def codes_of(records):
    parts = list(records.parts())
    return [len(part) for part in parts], np.vstack([np.empty((0, 2), np.int32), *parts]).tolist()


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()], ids=str)
@settings(max_examples=30)
@given(texts=st.lists(st.sampled_from(["a", "b", "x" * 300, None]), max_size=40))
def test_texts_are_worked_on_in_slices_of_bounded_size_with_the_same_codes(kind, texts):
    known = codes_of(Records(open_source(table(texts)), DOMAIN))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fold, "_MOST_BYTES", 500)
        sizes = []
        encode = module.encode

        def watched(domain, batch):
            sizes.append((batch.num_rows, sum(len(v or "") for v in batch["ward"].to_pylist())))
            return encode(domain, batch)

        patch.setattr(module, "encode", watched)
        found = codes_of(Records(open_source(table(texts, kind)), DOMAIN))
        assert found == known
        if kind != pa.string_view():  # whose texts can be shared between rows
            assert all(rows == 1 or held <= 500 for rows, held in sizes)


@pytest.mark.parametrize("place", [0, 20, 39])
def test_what_is_handed_on_is_cut_by_the_number_of_records_alone(tmp_path, monkeypatch, place):
    """The blocks of a file end where its texts are long; the parts of a release must not."""
    monkeypatch.setattr(mapped, "BATCH_ROWS", 9)
    monkeypatch.setattr(text, "_BLOCK_BYTES", 64)
    cuts, blocks = set(), set()
    for value in ("a", "", "y" * 50, "z" * 3_000, "a,b,c"):
        lines = [f"{i},a" for i in range(40)]
        lines[place] = f"{place},{value}"
        (tmp_path / "x.csv").write_text("\n".join(["age,ward", *lines, ""]))
        source = open_source(tmp_path / "x.csv")
        cuts.add(tuple(codes_of(Records(source, DOMAIN))[0]))
        blocks.add(tuple(batch.num_rows for batch in source.batches(["age", "ward"])))
    assert cuts == {(9, 9, 9, 9, 4)}
    assert len(blocks) > 1  # so that the file did come in pieces of different sizes


@pytest.mark.slow
def test_more_than_two_gigabytes_of_text_in_one_slice_are_read():
    rows, length = 65_536, 33_000  # 2.16 GB, beyond what 32 bits count
    letters = np.full(rows * length, ord("x"), np.uint8)
    letters[:length] = ord(" ")
    letters[0] = ord("a")
    offsets = np.arange(rows + 1, dtype=np.int64) * length
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(letters)]
    column = pa.Array.from_buffers(pa.large_string(), rows, buffers)
    held = pa.table({"age": column, "ward": column})
    parts = Records(open_source(held), DOMAIN).parts()
    found = [np.bincount(codes[:, 1], minlength=3) for codes in parts]
    assert sum(found).tolist() == [1, 0, rows - 1]
