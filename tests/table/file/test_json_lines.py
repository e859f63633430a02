"""Lines of JSON: names from the schema, each line a record whatever it holds."""

import gzip
import json
import tracemalloc

import pytest

from sfumato.errors import DataError
from sfumato.schema.formats import FileFormat
from sfumato.table.complaint import Complaint
from sfumato.table.draft import draft
from sfumato.table.encode import read
from sfumato.table.file import batch as batching
from sfumato.table.file import json_lines
from sfumato.table.header import check_header
from sfumato.table.source import open_source
from table.sources_world import COLUMNS, SECRET, codes, domain_of, records, texts

AGE = domain_of({"id": {"kind": "id"}, "age": COLUMNS["age"], "ward": COLUMNS["ward"]})


@pytest.mark.parametrize("rows", [7, 1, 0])
@pytest.mark.parametrize("ending", [".jsonl", ".ndjson", ".jsonl.gz", ".NDJSON.GZ"])
def test_lines_give_the_codes_of_the_table(tmp_path, rows, ending):
    table = records(rows)
    lines = "".join(json.dumps(record, default=str) + "\n" for record in table.to_pylist())
    content = lines.encode()
    path = tmp_path / f"visits{ending}"
    path.write_bytes(gzip.compress(content) if ending.lower().endswith("gz") else content)
    assert codes(path) == codes(table)


SOUND = b'{"age": 3, "ward": "a", "beside": [1, {"a": 2}]}'
LINES = {
    b"{}": [-1, 4],
    b'{"ward": "q\\"", "age": "7"}': [7, 1],
    b'{"age": 1.0, "ward": 3.0}': [1, 2],
    b'{"age": true, "ward": null}': [1, 4],
    b'{"age": 1, "age": 2}': [2, 4],
    b'{"age": NaN, "ward": [1]}': [-1, 3],
    b'{"age": ' + b"9" * 5000 + b"}": [7, 4],
    b'{"age": 3, "ward": "\\ud800"}': [3, 4],
    b'{"age": 3, "ward": "\xff"}': [3, 4],
    b'{"age": 3': [-1, 4],
    b"[3]": [-1, 4],
    b"3": [-1, 4],
    SECRET.encode(): [-1, 4],
    b"\xff\xfe\x00": [-1, 4],
    b"[" * 100_000: [-1, 4],
    b'\xef\xbb\xbf{"age": 3}': [-1, 4],  # a mark belongs to the beginning of a file
}


@pytest.mark.parametrize("line", LINES, ids=lambda line: line[:30].decode("latin-1"))
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_a_broken_line_is_one_record_and_touches_no_other(tmp_path, line, end):
    path = tmp_path / "x.jsonl"
    path.write_bytes(end.join([SOUND, line, SOUND, b""]))
    assert codes(path, AGE) == [[3, 0], LINES[line], [3, 0]]


BROKEN = [b"{'age': 3}", b'{"age": 3', b"[3]", b"3", b'{"age": 3},', b"[" * 100_000]


@pytest.mark.parametrize("line", BROKEN, ids=lambda line: line[:30].decode("latin-1"))
def test_a_line_that_is_no_object_is_unreadable_and_not_missing(tmp_path, monkeypatch, line):
    domain = domain_of({name: c for name, c in COLUMNS.items() if name != "at"})
    path = tmp_path / "x.jsonl"
    monkeypatch.setattr(json_lines, "_LONGEST", 50_000)
    path.write_bytes(b"{}\n" + line + b"\n")
    (batch,) = open_source(path, tuple(domain.schema.columns)).batches(domain.schema.released)
    found, said = read(domain, batch)
    assert found[0].tolist() == found[1].tolist()  # as if missing, and counted otherwise
    assert set(said[0]) == {Complaint.FITS}
    assert set(said[1]) == {Complaint.UNREADABLE}


def test_keys_of_a_public_file_are_those_of_its_objects(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"[1]\n" + SOUND + b"\nnothing\n" + b'{"more": 1}')
    assert json_lines.keys_of_public(path) == ("age", "ward", "beside", "more")
    with pytest.raises(DataError, match="a line is no JSON object"):
        draft(path, public=True)


def test_numbers_are_numbers_as_in_a_list_of_dicts_whatever_texts_look_like(tmp_path):
    shared = {"missing": "allowed"}
    number = {"kind": "number", "low": 0, "high": 2000, "step": 0.001, "decimal": ","}
    domain = domain_of(
        {
            "local": number | {"thousands": "."} | shared,
            "comma": number | shared,
            "level": {"kind": "category", "values": [1.5, -2, 3, "0.10"]} | shared,
            "truth": {"kind": "boolean", "true": [-1], "false": [0]} | shared,
        }
    )
    values = ["1.234", "-1", "0", "1.50", "-2", "-2.0", "3.0", "0.10", "1e3", "1E-400", "9" * 3000]
    values += ['"1.234"', '"1,5"', '"-1"', '"0.10"', "true", "null", "NaN", "-Infinity"]
    lines = [f'{{"local": {v}, "comma": {v}, "level": {v}, "truth": {v}}}' for v in values]
    path = tmp_path / "x.jsonl"
    path.write_text("\n".join(lines))
    assert codes(path, domain) == codes([json.loads(line) for line in lines], domain)
    assert codes(path, domain)[0][:2] == [20, 20]  # in 32768 steps; 1234 would be 20218
    path.write_text('{"comma": -' + "9" * 5000 + ', "level": 3}')
    assert codes(path, domain) == [[-1, 0, 2, 2]]


def test_another_encoding_is_refused_with_the_remedy(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_bytes(SOUND)
    for name in ("utf-8", "UTF8", "utf-8-sig"):
        assert open_source(path, ("age",), FileFormat(encoding=name)).names == ("age",)
    for name in ("latin-1", "utf-16"):
        with pytest.raises(DataError, match=f"JSON lines are UTF-8.* encoding: {name}: leave"):
            open_source(path, ("age",), FileFormat(encoding=name))


def test_an_empty_line_is_no_record_and_the_last_one_needs_no_end(tmp_path):
    (tmp_path / "x.jsonl").write_bytes(b"\xef\xbb\xbf" + SOUND + b"\n \n\n\r\n" + SOUND)
    assert codes(tmp_path / "x.jsonl", AGE) == [[3, 0], [3, 0]]


def test_a_line_that_is_too_long_is_one_record_without_a_value(tmp_path, monkeypatch):
    monkeypatch.setattr(json_lines, "_LONGEST", 200)
    long = b'{"age": 3, "ward": "' + b"a" * 5000 + b'"}'
    (tmp_path / "x.jsonl").write_bytes(b"\n".join([SOUND, long, SOUND, long]))
    assert codes(tmp_path / "x.jsonl", AGE) == [[3, 0], [-1, 4], [3, 0], [-1, 4]]


def test_without_names_lines_are_refused_for_the_first_one_is_a_record(tmp_path):
    (tmp_path / "x.jsonl").write_text(f'{{"{SECRET}": 1}}\n')
    with pytest.raises(DataError, match=r"has no header: the keys of a line belong") as error:
        open_source(tmp_path / "x.jsonl")
    assert SECRET not in "".join(texts(error.value))


def test_too_few_lines_and_a_packed_file_cut_short_are_refused_before_a_charge(tmp_path):
    one = domain_of({"age": COLUMNS["age"]}, "replace-one")
    (tmp_path / "x.jsonl").write_bytes(SOUND)
    with pytest.raises(DataError, match="fewer than two records"):
        codes(tmp_path / "x.jsonl", one)
    packed = gzip.compress(b"\n".join([SOUND] * 99))
    (tmp_path / "x.jsonl.gz").write_bytes(packed[:-9])
    with pytest.raises(DataError, match="it is damaged or half-written"):
        check_header(open_source(tmp_path / "x.jsonl.gz", ["age"]), one)


def test_lines_are_read_in_bounded_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(batching, "BATCH_ROWS", 1000)
    (tmp_path / "x.jsonl").write_bytes((SOUND + b"\n") * 8_000)
    source = open_source(tmp_path / "x.jsonl", ["age"])
    tracemalloc.start()
    try:
        assert sum(batch.num_rows for batch in source.batches(["age"])) == 8_000
        assert tracemalloc.get_traced_memory()[1] < 2**20  # all lines take five times that
    finally:
        tracemalloc.stop()
