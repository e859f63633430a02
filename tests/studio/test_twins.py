"""Twins: two folders with one header and other records are told apart by nothing that is sent."""

import gzip
import os
import shutil
from io import BytesIO

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

from studio_journey import FIELDS, first_release
from studio_world import studio

HEADER = ",".join(FIELDS)
FEW = f"{HEADER}\nP1,31,surgery,2024-05-01,x\n".encode()
MANY = FEW + b"".join(b"P%d,99,care,1999-01-01,%s\n" % (k, b"y" * (k % 50)) for k in range(5_000))
RECORDS = {
    "many": MANY,
    "none": f"{HEADER}\n".encode(),
    "a header that does not end": HEADER.encode(),
    "a stray quote": f'{HEADER}\n"P1,31,surgery\n'.encode(),
    "bad UTF-8": HEADER.encode() + b"\n\xff\xfe,\xc3(,\x80,,\n",
    "zero bytes": HEADER.encode() + b"\n\0\0\0,,,,\n",
    "too many fields": f"{HEADER}\n1,2,3,4,5,6,7,8,9\n".encode(),
    "markup": f"{HEADER}\n<script>,=1+1,<b>,&amp;,{{{{7*7}}}}\n".encode(),
}


def replies(folder, file, content, *, mode=0o600, age=0):
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "data").mkdir(parents=True)
    path = folder / "data" / file
    path.write_bytes(content)
    path.chmod(mode)
    os.utime(path, (age, age))
    with studio(folder) as visitor:
        seen = first_release(visitor, file)[1:]  # without the cookie, which is drawn
        assert visitor.said == []
    return [(reply.status, reply.headers, reply.body) for reply in seen]


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    folder = tmp_path_factory.mktemp("twins") / "project"
    return folder, replies(folder, "patients.csv", FEW)


def test_the_journey_is_one(plain):
    assert [status for status, _, _ in plain[1]].count(200) == 10
    assert {500, 401, 403}.isdisjoint(status for status, _, _ in plain[1])


@pytest.mark.parametrize("what", RECORDS)
def test_other_records_change_no_byte_of_any_answer(plain, what):
    folder, expected = plain
    found = replies(folder, "patients.csv", RECORDS[what], mode=0o640, age=10**9)
    assert found == expected


def test_another_header_is_told_apart(plain):
    folder, expected = plain
    other = FEW.replace(b"note", b"hint", 1)
    assert replies(folder, "patients.csv", other) != expected


def parquet(rows):
    table = pa.table({name: [f"{name}{k}" for k in range(rows)] for name in FIELDS})
    out = BytesIO()
    pq.write_table(table, out)
    return out.getvalue()


def packed(rows):
    out = BytesIO()
    pacsv.write_csv(pa.table({name: ["x" * rows] * rows for name in FIELDS}), out)
    return gzip.compress(out.getvalue())


@pytest.mark.parametrize(("file", "made"), [("a.parquet", parquet), ("a.csv.gz", packed)])
def test_files_of_other_kinds_tell_no_more(plain, file, made):
    folder, _ = plain
    assert replies(folder, file, made(3)) == replies(folder, file, made(300))


def test_once_the_header_is_read_the_file_is_not_opened_again(tmp_path):
    (tmp_path / "data").mkdir()
    path = tmp_path / "data" / "patients.csv"
    path.write_bytes(FEW)
    with studio(tmp_path) as visitor:
        answers = {"file": "patients.csv", "header": "yes", "unit": "one", "held": "secret"}
        assert visitor.post("/new", answers).status == 303
        path.unlink()
        for address in ("/", "/d/patients/schema", "/d/patients/schema?check=1"):
            assert visitor.get(address).status == 200
