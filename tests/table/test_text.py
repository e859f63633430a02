"""CSV files: every row is a record in its place, whatever the block, line end or garbage."""

import csv
import gzip
import io
import time
from collections import deque
from contextlib import closing
from threading import Thread

import pyarrow as pa
import pyarrow.csv as pacsv
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import DataError
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.table import long_text, text
from sfumato.table.file import batch as batching
from sfumato.table.header import check_header
from sfumato.table.source import open_source
from sfumato.untrusted import csv_reader

GAP, EMPTY = (None, None), (b"", b"")


@pytest.fixture
def written(tmp_path):
    def write(content, name="x.csv"):
        (tmp_path / name).write_bytes(content)
        return open_source(tmp_path / name)

    return write


def rows(source, columns=None):
    """The records as raw bytes: what is on disk need not be UTF-8."""
    found = []
    for batch in source.batches(columns or source.names):
        found += zip(*(c.cast(pa.binary()).to_pylist() for c in batch.columns), strict=True)
    return found


@pytest.mark.parametrize("content", [b"a,b\n1,2\n3,4\n", b"a,b\n1,2\n3,4"])
@pytest.mark.parametrize("newline", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("delimiter", [b",", b";", b"\t", b"|"])
@pytest.mark.parametrize("packed", [False, True])
def test_line_ends_marks_delimiters_and_packing_do_not_matter(
    written, content, newline, mark, delimiter, packed
):
    content = mark + content.replace(b"\n", newline).replace(b",", delimiter)
    source = written(gzip.compress(content), "x.CSV.GZ") if packed else written(content)
    assert source.names == ("a", "b")
    assert rows(source) == [(b"1", b"2"), (b"3", b"4")]
    assert source.has_rows(2)
    assert not source.has_rows(3)


def test_the_delimiter_is_the_commonest_candidate_in_the_header(written):
    assert rows(written(b"a;b\n1,5;2\n")) == [(b"1,5", b"2")]
    assert written(b'"a,x";"b;y"\n1;2\n').names == ("a,x", "b;y")
    assert written(b"alone\n1\n2\n").names == ("alone",)


@pytest.mark.parametrize("block", [16, 20, 27, 33, 64, 8 * 2**20])
def test_rows_that_do_not_parse_are_missing_records_in_their_place(written, monkeypatch, block):
    monkeypatch.setattr(text, "_BLOCK_BYTES", block)
    source = written(b'a,b\n1,2\n3\n4,5,6\n\n7,8\n9\n"1\n0",1\n\r\n   \n12\n13,14\n15')
    assert rows(source) == [
        *((b"1", b"2"), GAP, GAP, EMPTY, (b"7", b"8"), GAP, (b"1\n0", b"1")),
        *(EMPTY, GAP, GAP, (b"13", b"14"), GAP),
    ]


def test_a_file_of_nothing_but_broken_rows_holds_as_many_records(written):
    assert rows(written(b"a,b\n1\n2,3,4\n")) == [GAP, GAP]
    assert rows(written(b"a,b\n  \n")) == [GAP]


def records_of(letters):
    """Records as a sound writer escapes them: quotes, blanks, any Unicode; and broken ones."""
    field = st.text(st.sampled_from(letters), max_size=6)
    return st.lists(st.one_of(st.tuples(field, field), st.just(None)), max_size=8)


@settings(max_examples=100)
@given(records_of([*'ab1",;\n\r\t |', "é", "\0", "𝔘"]), st.integers(24, 200))
def test_what_a_sound_writer_wrote_is_read_back_in_blocks_of_any_size(
    tmp_path_factory, records, block
):
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, quoting=csv.QUOTE_ALL)
    writer.writerow(["a", "b"])
    for record in records:
        writer.writerow(["only one field"] if record is None else record)
    path = tmp_path_factory.mktemp("csv") / "x.csv"
    path.write_bytes(buffer.getvalue().encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text, "_BLOCK_BYTES", block)
        found = rows(open_source(path))
    foreign = [r and tuple(value.replace("\0", "\ufffd") for value in r) for r in records]
    assert found == [GAP if r is None else tuple(value.encode() for value in r) for r in foreign]


@pytest.mark.parametrize("block", range(24, 60))
def test_a_line_break_between_quotes_is_kept_wherever_a_block_ends(written, monkeypatch, block):
    monkeypatch.setattr(text, "_BLOCK_BYTES", block)
    source = written(b"a,b\r\n" + b'"\r\n1\r\r\n","\r\n"\r\n' * 6)
    assert rows(source) == [(b"\r\n1\r\r\n", b"\r\n")] * 6


@pytest.mark.parametrize("block", range(25, 40))
def test_a_zero_byte_makes_no_record_of_its_own_wherever_a_block_ends(written, monkeypatch, block):
    monkeypatch.setattr(text, "_BLOCK_BYTES", block)
    source = written(b'"a","b"\r\n"",""\r\n"11111\0","\r"\r\n"1","2"\r\n')
    assert len(rows(source)) == 3


@pytest.mark.parametrize("quoted", [False, True])
def test_a_record_longer_than_a_block_stops_no_other(written, monkeypatch, quoted):
    monkeypatch.setattr(text, "_BLOCK_BYTES", 64)
    long = b'"' + b"3\n" * 500 + b'"' if quoted else b"3" * 1000
    source = written(b"a,b\n1,2\nx\n" + long + b",4\n" + b"5,6\n" * 40 + long + b",7\n8,9\n")
    value = long.strip(b'"')
    assert rows(source) == [
        *((b"1", b"2"), GAP, (value, b"4"), *([(b"5", b"6")] * 40), (value, b"7"), (b"8", b"9"))
    ]


@pytest.mark.parametrize("quoted", [False, True])
def test_a_record_beyond_every_block_is_a_record_like_any_other(written, monkeypatch, quoted):
    monkeypatch.setattr(text, "_BLOCK_BYTES", 64)
    monkeypatch.setattr(text, "_LONGEST_BYTES", 128)
    monkeypatch.setattr(batching, "BATCH_ROWS", 3)
    long = b'"' + b"3\n" * 500 + b'"' if quoted else b"3\0" * 500
    content = b"a,b\n" + b"1,2\n" * 40 + b"x\n\n" + long + b",4\n5,6\n\n" + long + b",7,8\n9,10"
    source = written(content)
    value = long.strip(b'"').replace(b"\0", "\ufffd".encode())
    assert rows(source) == [
        *([(b"1", b"2")] * 40),
        *(GAP, EMPTY, (value, b"4"), (b"5", b"6"), EMPTY, GAP, (b"9", b"10")),
    ]
    assert rows(source, ["b"])[42:44] == [(b"4",), (b"6",)]
    assert csv.field_size_limit() == 131_072  # as it was before


def test_empty_lines_are_records(written):
    assert rows(written(b"a\n\n1\n\n\n2\n")) == [(b"",), (b"1",), (b"",), (b"",), (b"2",)]
    assert rows(written(b"a\r\n\r\n1\r\n")) == [(b"",), (b"1",)]
    assert rows(written(b"a,b\n\n1,2\n\n")) == [EMPTY, (b"1", b"2"), EMPTY]
    assert rows(written(b"a,b\r\n\r\n1,2\r\n\r\n")) == [EMPTY, (b"1", b"2"), EMPTY]


LINES = [
    *(b"", b" ", b"\t", b"5", b",", b",,", b"5,6,7", b'""', b'"",""', b'"5\n6",7', b"\0", b"\xff"),
    *(
        b"\xef\xbb\xbf",
        b"'",
        b'5" pipe,6',
        b"\x0b\x0c\x1c\x85",
        "\u2028,\u2029".encode(),
        b"x" * 300_000,
    ),
]


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("newline", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("names", [b"a,b", b"a", b"a,b,c"])
def test_whatever_a_line_holds_it_is_one_record_and_the_others_stay(written, place, newline, names):
    others = [b"1,2", b"3,4"]
    known = rows(written(newline.join([names, *others, b""])))
    for line in LINES:
        lines = [*others[:place], line, *others[place:]]
        source = written(newline.join([names, *lines, b""]))
        found = rows(source)
        assert found[:place] + found[place + 1 :] == known, line
        assert len(found) == 3
        assert source.has_rows(3)
        assert not source.has_rows(4)


def test_the_comparison_catches_a_reader_that_drops_empty_lines(written, monkeypatch):
    """Positive control, for the reader that Arrow offers by default."""
    options = text.pacsv.ParseOptions
    monkeypatch.setattr(
        text.pacsv, "ParseOptions", lambda **given: options(**given | {"ignore_empty_lines": True})
    )
    assert len(rows(written(b"a,b\n1,2\n\n3,4\n"))) == 2


@settings(max_examples=150)
@given(st.text(st.sampled_from('a1",\n\r'), max_size=40), st.integers(1, 3), st.integers(8, 60))
def test_arrow_and_python_read_every_text_alike_in_blocks_of_any_size(
    tmp_path_factory, body, k, block
):
    """So that a file with a record too long for Arrow reads as it would without that record."""
    names = ["a", "b", "c"][:k]
    path = tmp_path_factory.mktemp("csv") / "x.csv"
    path.write_bytes(f"{','.join(names)}\n{body}".encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text, "_BLOCK_BYTES", block)
        found = rows(open_source(path))
    lines = io.StringIO(body, newline="")
    batches = list(long_text.long_records(lines, names, ",", names, 0))
    slow = [
        row
        for batch in batches
        for row in zip(*(c.to_pylist() for c in batch.columns), strict=True)
    ]
    assert found == [tuple(v if v is None else v.encode() for v in row) for row in slow]


@pytest.mark.parametrize("packed", [False, True])
def test_a_file_whose_last_line_has_no_end_is_refused_where_the_number_is_public(written, packed):
    """Its last record could not be replaced by an empty one without changing the number."""

    def said(content, neighbours):
        source = written(gzip.compress(content), "x.csv.gz") if packed else written(content)
        columns = {"a": {"kind": "boolean"}}
        schema = Schema.of({"name": "t", "neighbours": neighbours, "columns": columns})
        try:
            check_header(source, Domain.of(schema))
        except DataError as error:
            return str(error)
        return None

    for sound in (b"a\n1\n0\n", b"a\n1\n\n", b"a\r\n1\r\n0\r\n", b"a\r1\r0\r"):
        assert said(sound, "replace-one") is None
        assert said(sound, "add-remove") is None
    for open_ended in (b"a\n1\n0", b"a\n1\n0\nSECRET-4711", b"a\r\n1\r\n\r\n "):
        assert "does not end with a line break" in said(open_ended, "replace-one")
        assert "SECRET" not in said(open_ended, "replace-one")
        assert said(open_ended, "add-remove") is None


def test_a_record_of_blank_fields_is_a_record(written):
    """A table of two does not shrink to one when somebody's fields are all empty."""
    for content in (b"a\tb\n\t\n1\t2\n", b"a\tb\n\t\n\t\n", b"a,b\n,\n,\n"):
        source = written(content)
        assert source.has_rows(2)
        assert len(rows(source)) == 2


@pytest.mark.parametrize("content", [b"a,b\n", b"a,b", b"a,b\r\n", b"a,b\r", b"\xef\xbb\xbfa,b\n"])
def test_a_header_without_records_is_an_empty_table(written, content):
    source = written(content)
    assert rows(source) == []
    assert not source.has_rows(1)


@pytest.mark.parametrize("content", [b"", b"\n1,2\n", b"   \n", b"\xef\xbb\xbf"])
def test_a_file_without_a_header_is_refused(written, content):
    with pytest.raises(DataError, match="no header"):
        written(content)


@pytest.mark.parametrize("content", [b"a,a\n1,2\n", b"a, a\n1,2\n", b'a,b,"a"\n1,2,3\n'])
def test_a_name_that_occurs_twice_is_refused_without_naming_it(written, content):
    with pytest.raises(DataError, match="two columns have the same name"):
        written(content)


def test_a_name_that_goes_on_in_the_next_line_is_refused(written):
    with pytest.raises(DataError, match="goes on in the next line"):
        written(b'a,"b\nc"\n1,2\n3,4\n')


def test_only_the_columns_asked_for_are_handed_out(written):
    source = written(b"id,a\n\xff\xff,1\nSECRET-4711,2\n")
    assert rows(source, ["a"]) == [(b"1",), (b"2",)]
    assert [batch.schema.names for batch in source.batches(["a"])] == [["a"]]


def test_bytes_that_are_no_text_stop_nobody_even_in_a_row_that_does_not_parse(written, capfd):
    foreign = "\ufffd".encode()
    content = b"a,b\n\xff\xfe,2\n\0,\0\nSECRET\xff\n3,4\n"
    expected = [(foreign * 2, b"2"), (foreign, foreign), (None, None), (b"3", b"4")]
    assert rows(written(content)) == expected
    assert "SECRET" not in capfd.readouterr().err


def test_quotes_inside_a_value_are_part_of_it(written):
    assert rows(written(b'a,b\n5" pipe,"say ""x"""\n3,4\n')) == [
        (b'5" pipe', b'say "x"'),
        (b"3", b"4"),
    ]


def test_nobody_reads_on_after_a_reader_was_left_halfway(written, monkeypatch):
    """A thread of Arrow's that calls back while Python ends would abort the process."""
    monkeypatch.setattr(text, "_BLOCK_BYTES", 64)
    handed_out = []
    read = csv_reader._Lent.read

    def watched(self, size=-1):
        block = read(self, size)
        handed_out.append(len(block))
        return block

    monkeypatch.setattr(csv_reader._Lent, "read", watched)
    batches = written(b"a,b\n" + b"1,2\n" * 20_000).batches(["a", "b"])
    next(batches)
    batches.close()
    before = len(handed_out)
    time.sleep(0.2)
    assert len(handed_out) == before  # nothing is under way any more
    assert handed_out[-1] == 0  # and Arrow has seen the end


@pytest.mark.parametrize("kept", ["the stream", "a block that was read"])
@pytest.mark.parametrize("ends", ["read to its end", "left halfway", "read again"])
def test_a_closed_reader_has_waited_for_the_threads_that_held_what_it_was_lent(
    written, monkeypatch, ends, kept
):
    """Else the last of them drops it while Python ends, and the process aborts.

    A thread of Arrow's lets go a moment too late in about one read of six; this one always does.
    """
    readers, let_go = [], []

    def hold(_held):
        time.sleep(0.05)
        let_go.append(True)

    class Kept(csv_reader._Lent):
        def read(self, size=-1):
            block = super().read(size)
            if id(self) not in readers:
                readers.append(id(self))
                Thread(target=hold, args=(self if kept == "the stream" else block,)).start()
            return block

    monkeypatch.setattr(csv_reader, "_Lent", Kept)
    file = written(b"a,b\n1,2\n1," + b"x" * 2_000 + b"\ntorn\n")
    if ends == "read again":  # Arrow refuses records that are longer than a block
        monkeypatch.setattr(text, "_BLOCK_BYTES", 64)
    batches = file.batches(["a"])
    next(batches)
    if ends == "left halfway":
        batches.close()
    else:
        deque(batches, maxlen=0)
    assert len(readers) >= 1
    assert len(let_go) == len(readers)


@pytest.mark.parametrize("after", [1, 3])
def test_a_stream_that_breaks_off_is_told_at_once(after):
    """What it raised remembers whose `read` it came from: that is not waited for."""

    class Broken(io.RawIOBase):
        def __init__(self):
            self.left = after

        def readable(self):
            return True

        def read(self, size=-1):
            self.left -= 1
            if not self.left:
                raise OSError("broken off")
            return b"a,b\n" + b"1,2\n" * 100

    begun = time.monotonic()
    options = {"read": pacsv.ReadOptions(block_size=404), "convert": pacsv.ConvertOptions()}
    with pytest.raises(OSError, match="broken off"):  # noqa: SIM117  to the last block
        with closing(csv_reader.CsvReader(Broken(), parse={}, **options)) as reader:
            deque(reader, maxlen=0)
    assert time.monotonic() - begun < csv_reader._PATIENCE / 2
