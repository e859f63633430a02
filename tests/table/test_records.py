"""Records: two verbs that do not see batches, and a fingerprint that sees records only."""

import gzip

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kept_codes import KeptCodes
from neighbours import MIXED, schema, table, text_rows, typed_rows
from sfumato.errors import DataError
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.table import fold, mapped, text, workers
from sfumato.table import records as module
from sfumato.table.encode import encode
from sfumato.table.file import parquet
from sfumato.table.records import Records
from sfumato.table.source import open_source
from sfumato.table.statistic import Rows
from slowness import slow

SECRET = "SECRET-4711"
DOMAIN = Domain.of(schema(neighbours="add-remove"))
KEY, OTHER_KEY = b"k" * 32, b"l" * 32
ROWS = st.lists(st.one_of(text_rows(), typed_rows()), min_size=1, max_size=6)


class Chunks:
    """A source that hands a table out in pieces of the given lengths, the rest as one."""

    kind, types = "arrow", {}

    def __init__(self, content, lengths=()):
        self.names = content.column_names
        self._pieces, start = [], 0
        for length in lengths:
            self._pieces += content.slice(start, length).combine_chunks().to_batches()
            start += length
        self._pieces += content.slice(start).combine_chunks().to_batches()

    def batches(self, columns):
        return (piece.select(list(columns)) for piece in self._pieces)

    def has_rows(self, count):
        return True


def fingerprint(source, key=KEY, domain=DOMAIN):
    return Records(source, domain, key=key).fingerprint()


def numbers(count):
    """A small domain and a table of that many whole numbers."""
    known = {"name": "t", "columns": {"x": {"kind": "integer", "low": 0, "high": 99}}}
    return Domain.of(Schema.of(known)), pa.table({"x": np.arange(count) % 100})


@settings(max_examples=30)
@given(ROWS, st.lists(st.integers(0, 3), max_size=5))
@pytest.mark.long
def test_both_verbs_give_the_same_however_the_records_are_cut(rows, lengths):
    whole = encode(DOMAIN, table(rows).combine_chunks().to_batches()[0])
    records = Records(Chunks(table(rows), lengths), DOMAIN)
    assert sorted(records.fold(KeptCodes())) == sorted(whole.tolist())
    np.testing.assert_array_equal(np.vstack(list(records.parts())), whole)


@pytest.mark.parametrize("cores", [1, 2, 4])
def test_any_number_of_threads_gives_the_same_sums_fingerprint_and_progress(cores, monkeypatch):
    monkeypatch.setattr(workers, "_cores", lambda: cores)
    domain, content = numbers(100)
    seen = []
    records = Records(Chunks(content, [7] * 14), domain, key=KEY, progress=seen.append)
    assert sorted(records.fold(KeptCodes())) == [[code] for code in range(100)]
    assert seen == [*[7] * 14, 2]
    assert records.fingerprint() == fingerprint(Chunks(content), domain=domain)


def test_what_is_counted_ahead_takes_no_pass_of_its_own_and_is_handed_out_once():
    domain, content = numbers(9)
    seen = []
    records = Records(Chunks(content, [2, 0, 3]), domain, key=KEY, progress=seen.append)
    first, second, third = KeptCodes(), Rows(), Rows()
    records.ahead(second, third)
    assert sorted(records.fold(first)) == [[code] for code in range(9)]
    assert (records.fold(second), records.fold(third)) == (9, 9)
    assert records.fingerprint() == fingerprint(Chunks(content), domain=domain)
    assert sum(seen) == 9
    assert (records.fold(second), sum(seen)) == (9, 18)


def test_another_number_of_records_than_was_counted_is_refused():
    domain, content = numbers(9)
    for verb in (lambda r: r.fold(Rows()), lambda r: list(r.parts()), Records.fingerprint):
        verb(Records(Chunks(content), domain, key=KEY, expected=9))
        records = Records(Chunks(content), domain, key=KEY, expected=10)
        with pytest.raises(DataError, match="not what it was when they were counted"):
            verb(records)


def test_another_number_than_an_earlier_pass_found_is_refused_where_none_is_public():
    domain, content = numbers(9)
    source = Chunks(content, [4])
    records = Records(source, domain)
    assert records.fold(Rows()) == 9
    assert records.fold(Rows()) == 9
    del source._pieces[0]  # somebody writes to the data
    for verb in (lambda r: r.fold(Rows()), lambda r: list(r.parts())):
        with pytest.raises(DataError, match="they were changed meanwhile"):
            verb(records)


def test_an_empty_table_gives_the_zero_of_a_statistic():
    domain, content = numbers(0)
    assert Records(open_source(content), domain).fold(Rows()) == 0
    assert list(Records(open_source(content), domain).parts()) == []


def test_a_long_batch_is_cut_and_every_record_is_reported_once(monkeypatch):
    monkeypatch.setattr(mapped, "BATCH_ROWS", 4)
    monkeypatch.setattr(fold, "BATCH_ROWS", 4)
    domain, content = numbers(10)
    seen = []
    records = Records(Chunks(content), domain, progress=seen.append)
    assert list(map(len, records.parts())) == [4, 4, 2]
    assert seen == [4, 4, 2]


@settings(max_examples=40)
@given(ROWS, st.lists(st.integers(0, 3), max_size=5), st.data())
@pytest.mark.long
def test_the_fingerprint_does_not_know_order_or_batches(rows, lengths, data):
    shuffled = data.draw(st.permutations(rows))
    expected = fingerprint(Chunks(table(rows)))
    assert fingerprint(Chunks(table(shuffled), lengths)) == expected
    assert fingerprint(Chunks(table(rows)), OTHER_KEY) != expected


@pytest.mark.parametrize("examples", [15, slow(60)])
def test_the_fingerprint_knows_every_record_that_was_changed_added_or_removed(examples):
    @settings(max_examples=examples)
    @given(ROWS, st.one_of(text_rows(), typed_rows()), st.data())
    def check(rows, new, data):
        place = data.draw(st.integers(0, len(rows) - 1))
        changed = [*rows[:place], new, *rows[place + 1 :]]
        before, after = (encode(DOMAIN, table(r).to_batches()[0]) for r in ([rows[place]], [new]))
        known = fingerprint(Chunks(table(rows)))
        same = known == fingerprint(Chunks(table(changed)))
        assert same == bool((before == after).all())
        assert fingerprint(Chunks(table([*rows, new]))) != known
        twice = [*rows, rows[place], rows[place]]
        assert fingerprint(Chunks(table(twice))) != known

    check()


def test_the_fingerprint_tells_which_column_holds_a_value():
    row = dict.fromkeys(MIXED["columns"], "") | {"site": "y", "outcome": "died"}
    swapped = row | {"site": "z", "outcome": "care"}
    assert fingerprint(Chunks(table([row]))) != fingerprint(Chunks(table([swapped])))


def test_the_fingerprint_tells_which_record_holds_a_value():
    """The same values in every column, dealt out to other records, are another table."""
    row = dict.fromkeys(MIXED["columns"], "")
    one, two = [row | {"site": s, "age": a} for s, a in (("y", "1"), ("z", "5"))]
    dealt = [one | {"age": "5"}, two | {"age": "1"}]
    assert fingerprint(Chunks(table([one, two]))) != fingerprint(Chunks(table(dealt)))


def test_the_fingerprint_does_not_know_formats_or_names(tmp_path):
    usual = {"size": "1", "dose": "0.5", "age": "7", "sex": "m", "ward": "b", "site": "z"}
    other = {"smoker": "true", "seen": "2020-01-05", "outcome": "died"}
    rows = [usual | other, dict.fromkeys(MIXED["columns"], "")]
    content = table(rows)
    pacsv.write_csv(content, tmp_path / "a.csv")
    (tmp_path / "b.csv.gz").write_bytes(gzip.compress((tmp_path / "a.csv").read_bytes()))
    pq.write_table(content, tmp_path / "c.parquet", row_group_size=2)
    reordered = content.select(content.column_names[::-1])
    pq.write_table(reordered, tmp_path / "d.parquet")
    given_as = [content, content.to_pandas(), reordered, *sorted(tmp_path.iterdir())]
    assert len({fingerprint(open_source(data)) for data in given_as}) == 1


def test_sums_that_pass_64_bits_wrap_around_without_a_word():
    """Warnings are errors here: a sum over many batches must wrap, not warn."""
    domain, content = numbers(300)
    whole = fingerprint(Chunks(content), domain=domain)
    assert fingerprint(Chunks(content, [1] * 299), domain=domain) == whole


def test_without_a_key_there_is_no_fingerprint_and_no_pass():
    def never(rows):
        raise AssertionError("the records were read")

    domain, content = numbers(5)
    assert Records(Chunks(content), domain, progress=never).fingerprint() is None


def test_a_pass_that_was_left_early_does_not_spoil_the_fingerprint():
    domain, content = numbers(20)
    expected = fingerprint(Chunks(content), domain=domain)
    records = Records(Chunks(content, [5, 5, 5]), domain, key=KEY)
    passing = records.parts()
    first = next(passing)
    assert records.fingerprint() == expected
    assert sum(len(part) for part in [first, *passing]) == 20
    assert records.fingerprint() == expected


def test_a_whole_pass_leaves_the_fingerprint_behind():
    domain, content = numbers(20)
    seen = []
    records = Records(Chunks(content), domain, key=KEY, progress=seen.append)
    list(records.parts())
    assert records.fingerprint() == fingerprint(Chunks(content), domain=domain)
    assert sum(seen) == 20


def behind(error):
    """The error with all it holds on to."""
    found = []
    while error is not None:
        found.append(f"{error!r} {error} {error.__cause__!r}")
        error = error.__context__
    return " ".join(found)


def failing(kind):
    class Failing(Chunks):
        def batches(self, columns):
            yield from super().batches(columns)
            raise kind(f"cannot convert {SECRET}")

    return Failing


@pytest.mark.parametrize("kind", [pa.ArrowInvalid, pa.ArrowTypeError, OSError])
def test_an_error_while_reading_does_not_quote_a_record(kind):
    domain, content = numbers(5)
    records = Records(failing(kind)(content), domain, key=KEY)
    with pytest.raises(DataError, match="could not be read to its end: it is damaged") as error:
        records.fingerprint()
    assert SECRET not in behind(error.value)
    assert records._fingerprint is None


def test_an_error_while_encoding_does_not_quote_a_record(monkeypatch):
    def broken(*_):
        raise pa.ArrowInvalid(f"cannot convert {SECRET}")

    for reader in (module, fold):
        monkeypatch.setattr(reader, "encode", broken)
    domain, content = numbers(50)
    records = Records(Chunks(content, [9] * 4), domain)
    for verb in (lambda: records.fold(Rows()), lambda: list(records.parts())):
        with pytest.raises(DataError, match="could not be read to its end") as error:
            verb()
        assert SECRET not in behind(error.value)


class Overflowing(Rows):
    def add(self, total, records):
        raise OverflowError(SECRET)


def test_an_error_of_the_work_itself_is_not_called_damage():
    domain, content = numbers(50)
    records = Records(Chunks(content, [9] * 4), domain)
    with pytest.raises(RuntimeError, match=r"could not be counted \(OverflowError\)") as error:
        records.fold(Overflowing())
    assert SECRET not in behind(error.value)


def secrets(rows=60_000):
    rng = np.random.default_rng(0)
    return pa.table(
        {
            "x": rng.integers(0, 99, rows),
            "note": [f"{SECRET}-{number}" for number in rng.integers(0, 2**62, rows)],
        }
    )


def cut_gzip(path):
    pacsv.write_csv(secrets(), path / "x.csv")
    packed = gzip.compress((path / "x.csv").read_bytes())
    (path / "x.csv.gz").write_bytes(packed[: len(packed) // 2])
    return path / "x.csv.gz"


def cut_parquet(path):
    pq.write_table(secrets(), path / "x.parquet", row_group_size=10_000)
    chunk = pq.read_metadata(path / "x.parquet").row_group(4).column(1)
    content = bytearray((path / "x.parquet").read_bytes())
    start = chunk.dictionary_page_offset or chunk.data_page_offset
    content[start : start + chunk.total_compressed_size] = bytes(chunk.total_compressed_size)
    (path / "x.parquet").write_bytes(content)
    return path / "x.parquet"


@pytest.mark.parametrize("damaged", [cut_gzip, cut_parquet])
def test_a_file_that_breaks_off_is_a_refusal_without_a_value(tmp_path, monkeypatch, damaged):
    monkeypatch.setattr(text, "_BLOCK_BYTES", 2**14)
    monkeypatch.setattr(parquet, "BATCH_ROWS", 5000)
    columns = {"x": {"kind": "integer", "low": 0, "high": 99}, "note": {"kind": "category"}}
    columns["note"]["values"] = ["a"]
    domain = Domain.of(Schema.of({"name": "t", "columns": columns}))
    seen = []
    records = Records(open_source(damaged(tmp_path)), domain, progress=seen.append)
    with pytest.raises(DataError, match="could not be read to its end") as error:
        records.fold(Rows())
    assert SECRET not in behind(error.value)
    assert 0 < sum(seen) < 60_000  # it broke in the middle, not at the door


def test_a_file_that_vanished_is_a_refusal(tmp_path):
    domain, content = numbers(5)
    pq.write_table(content, tmp_path / "x.parquet")
    records = Records(open_source(tmp_path / "x.parquet"), domain)
    (tmp_path / "x.parquet").unlink()
    with pytest.raises(DataError, match="No such file"):
        list(records.parts())


def test_whatever_goes_wrong_with_a_record_is_said_without_quoting_it(monkeypatch):
    """A last line of defence: encoding does not raise, but if it did nobody should hear of it."""

    def broken(domain, batch):
        raise ValueError(SECRET)

    for reader in (module, fold):
        monkeypatch.setattr(reader, "encode", broken)
    rows = [dict.fromkeys(MIXED["columns"], "1")] * 3
    for verb in (lambda r: r.fold(Rows()), lambda r: list(r.parts())):
        with pytest.raises(DataError, match="could not be read to its end") as error:
            verb(Records(Chunks(table(rows)), DOMAIN))
        assert error.value.__cause__ is error.value.__context__ is None
