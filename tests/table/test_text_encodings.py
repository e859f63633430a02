"""Text files in declared encodings and dialects: one record per row, whatever the bytes."""

import codecs
import gzip
import re

import numpy as np
import pyarrow as pa
import pytest

from sfumato.errors import DataError
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.schema.formats import FileFormat
from sfumato.table import text
from sfumato.table.complaint import Complaint
from sfumato.table.encode import encode, read
from sfumato.table.header import check_header
from sfumato.table.source import open_source

WORDS = 'ä,größe\r\nZürich,1\r\n"a,\r\nb",é\r\nnur eins\r\n\r\nœuvre,€\r\n'
ROWS = [("Zürich", "1"), ("a,\r\nb", "é"), (None, None), ("", ""), ("œuvre", "€")]
WIDE = ("utf-16", "utf-16-le", "utf-16-be", "utf-32")


@pytest.fixture
def opened(tmp_path):
    def write(content, name="x.csv", **facts):
        (tmp_path / name).write_bytes(content)
        return open_source(tmp_path / name, None, FileFormat(**facts) if facts else None)

    return write


def rows(source):
    found = []
    for batch in source.batches(source.names):
        found += zip(*(column.to_pylist() for column in batch.columns), strict=True)
    return found


@pytest.mark.parametrize("block", [32, 33, 47, 8 * 2**20])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "iso8859-15", *WIDE])
def test_a_declared_encoding_is_read_in_blocks_of_any_size(opened, monkeypatch, encoding, block):
    monkeypatch.setattr(text, "_BLOCK_BYTES", block)
    source = opened(WORDS.encode(encoding), encoding=encoding)
    assert source.names == ("ä", "größe")
    assert rows(source) == ROWS
    assert source.has_rows(5)
    assert not source.has_rows(6)
    assert source.is_terminated()
    assert not opened(WORDS[:-2].encode(encoding), encoding=encoding).is_terminated()


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
def test_long_records_and_packed_files_are_read_in_the_same_encoding(opened, monkeypatch, encoding):
    content = WORDS.replace("œuvre,€", "x" * 500 + ",ü").encode(encoding)
    monkeypatch.setattr(text, "_BLOCK_BYTES", 64)
    monkeypatch.setattr(text, "_LONGEST_BYTES", 64)
    source = opened(gzip.compress(content), "x.csv.gz", encoding=encoding)
    assert rows(source) == [*ROWS[:-1], ("x" * 500, "ü")]
    assert source.is_terminated()


@pytest.mark.parametrize(
    "encoding", ["utf-8", "latin-1", "utf-16", "shift_jis", "gb18030", "cp500"]
)
def test_no_bytes_of_a_record_raise_or_are_lost(opened, rng, encoding):
    garbage = rng.integers(0, 256, 4000).astype(np.uint8).tobytes()
    head = "a,b\r\n1,2\r\n".encode(encoding)
    source = opened(head + garbage, encoding=encoding)
    found = rows(source)
    assert found[0] == ("1", "2")
    assert source.has_rows(len(found))
    assert not source.has_rows(len(found) + 1)


@pytest.mark.parametrize(
    ("content", "facts", "words"),
    [
        (WORDS.encode("utf-16"), {}, r"is written in UTF-16: .*file: encoding: utf-16"),
        (WORDS.encode("utf-16"), {"encoding": "latin-1"}, "is written in UTF-16"),
        (WORDS.encode("utf-32"), {}, r"is written in UTF-32: .*file: encoding: utf-32"),
        (codecs.BOM_UTF32_BE + WORDS.encode("utf-32-be"), {}, "is written in UTF-32"),
        (WORDS.encode("utf-16-le"), {}, "the header of .* is not UTF-8: declare its encoding"),
        (WORDS.encode("cp1252"), {}, "the header of .* is not UTF-8: declare its encoding"),
        (WORDS.encode("utf-16-le"), {"encoding": "utf-16"}, "or utf-16-le or utf-16-be"),
        (b"", {"encoding": "utf-16"}, "has no header"),
    ],
)
def test_a_header_in_another_encoding_is_refused_with_the_remedy(opened, content, facts, words):
    with pytest.raises(DataError, match=words) as error:
        opened(content, **facts)
    assert "Zürich" not in str(error.value)
    if content:  # by a schema, or where there is none yet
        ways = r"\(--encoding ([\w-]+) while there is no schema; in a schema, file: encoding: \1\)"
        assert re.search(ways, str(error.value))


def test_a_declared_delimiter_and_quotation_mark_override_the_guess(opened):
    content = b"a,b;c\n'x;y';2\n\"3;4\n"
    assert opened(content).names == ("a,b", "c") or opened(content).names == ("a", "b;c")
    source = opened(content, delimiter=";", quote="'")
    assert (source.names, rows(source)) == (("a,b", "c"), [("x;y", "2"), ('"3', "4")])
    assert rows(opened(b"a#b\n1#2\n", delimiter="#")) == [("1", "2")]
    bare = opened(b'a;b\n"1;2\n3";4\n', delimiter=";", quote="none")
    assert rows(bare) == [('"1', "2"), ('3"', "4")]
    assert bare.has_rows(2)
    tabs = opened(b"a b\tc\n1,5\t2\n", delimiter="\t")
    assert (tabs.names, rows(tabs)) == (("a b", "c"), [("1,5", "2")])


def test_the_ending_tells_tabs_also_where_there_is_one_column(opened):
    for name in ("x.tsv", "X.TSV"):
        source = opened(b"size, in cm; rounded\n1,5\n2;7\n", name)
        assert (source.names, rows(source)) == (("size, in cm; rounded",), [("1,5",), ("2;7",)])
    assert opened(gzip.compress(b"a;b,c\n1\n"), "x.tsv.gz").names == ("a;b,c",)
    assert opened(b"a;b\n1;2\n", "x.tsv", delimiter=";").names == ("a", "b")
    assert rows(opened(gzip.compress(b"a;b\n1;2\n"), "x.txt.gz")) == [("1", "2")]


@pytest.mark.parametrize("header", [b"a;b;", b"a;b; ;", b'a;b;"";c', b"a;b;;"])
def test_a_column_without_a_name_is_refused_by_its_place(opened, header):
    with pytest.raises(DataError, match=r"x\.csv: column 3 has no name: name it in the header, or"):
        opened(header + b"\n1;2;\n")
    with pytest.raises(DataError, match="column 1 has no name"):
        opened(b",\n")


@pytest.mark.parametrize("block", [24, 40, 8 * 2**20])
def test_a_row_without_quotation_marks_is_torn_by_itself(opened, monkeypatch, block):
    monkeypatch.setattr(text, "_BLOCK_BYTES", block)
    source = opened(b'a;b\n"1;2\n3\n"4;5;6\n\n7;8\n', delimiter=";", quote="none")
    assert rows(source) == [('"1', "2"), (None, None), (None, None), ("", ""), ("7", "8")]


def complaints(source, columns):
    domain = Domain.of(Schema.of({"name": "t", "columns": columns}))
    check_header(source, domain)
    found = [read(domain, batch) for batch in source.batches(source.names)]
    for batch, (codes, _) in zip(source.batches(source.names), found, strict=True):
        np.testing.assert_array_equal(codes, encode(domain, batch))
    return [[Complaint(one).words for one in row] for _, said in found for row in said]


def test_undeclared_bytes_are_unreadable_and_a_torn_row_is_not_missing(opened):
    number = {"kind": "number", "low": 0, "high": 9, "missing": "allowed"}
    town = {"kind": "category", "values": ["Bern", "Zürich"], "other": "o", "missing": "allowed"}
    content = "town,size\nZürich,1\nBern,2\nBern,\n,3\nBern,1,5\n".encode("latin-1")
    assert complaints(opened(content), {"town": town, "size": number}) == [
        ["unreadable", "fits"],
        *[["fits", "fits"]] * 3,
        ["unreadable", "unreadable"],
    ]
    declared = opened(content, encoding="latin-1")
    assert complaints(declared, {"town": town, "size": number})[0] == ["fits", "fits"]


def test_a_null_of_a_table_is_missing_as_before():
    town = {"kind": "category", "values": ["Bern"], "missing": "allowed"}
    assert complaints(open_source(pa.table({"town": ["Bern", None]})), {"town": town}) == [
        ["fits"],
        ["fits"],
    ]
