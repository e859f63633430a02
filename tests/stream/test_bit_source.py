"""Bit sources: the same bits from everywhere, in bounded memory, refused by position alone."""

import io
import os
import sys
import tracemalloc
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import DataError, ParameterError
from sfumato.stream import source as module
from sfumato.stream.source import available, open_bits

KINDS = ("array", "truths", "bytes", "list", "words", "generator", "text", "packed", "input")


def opened(kind, bits, folder, monkeypatch):
    bits = list(map(int, bits))
    match kind:
        case "array":
            return open_bits(np.array(bits, np.int16))
        case "truths":
            return open_bits(np.array(bits, bool))
        case "bytes":
            return open_bits(bytes(bits))
        case "list":
            return open_bits(bits)
        case "words":
            return open_bits(iter("".join(map(str, bits))))
        case "generator":
            return open_bits(np.int8(bit) for bit in bits)
        case "text":
            path = folder / "stream.txt"
            path.write_text(
                "\n".join("".join(map(str, bits[i : i + 7])) for i in range(0, len(bits), 7))
                + " \n"
            )
            return open_bits(path)
        case "packed":
            path = folder / "stream.bits"
            path.write_bytes(np.packbits(np.array(bits, np.uint8)).tobytes())
            return open_bits(str(path))
        case "input":
            text = io.BytesIO(" ".join(map(str, bits)).encode())
            monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BufferedReader(text)))
            return open_bits("-")
    raise AssertionError(kind)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_source_gives_the_same_bits_however_they_are_asked_for(
    kind, tmp_path, monkeypatch
):
    # Small chunks, so that requests cross them.
    monkeypatch.setattr(module, "_CHUNK", 64)
    monkeypatch.setattr(module, "_LEAST", 16)
    steps = st.tuples(st.sampled_from(("read", "skip", "ones")), st.integers(0, 150))

    @given(st.integers(0, 2**32 - 1), st.integers(0, 60), st.lists(steps, max_size=12))
    def check(seed, eighths, asked):
        bits = np.random.default_rng(seed).integers(0, 2, 8 * eighths)
        with opened(kind, bits, tmp_path, monkeypatch) as source:
            at = 0
            for what, count in asked:
                there = bits[at : at + count]
                if what == "read":
                    assert np.array_equal(source.read(count), there)
                elif what == "skip":
                    assert source.skip(count) == there.size
                else:
                    assert source.ones(count) == (there.sum(), there.size)
                at += there.size
                assert source.position == at
            assert source.length in (None, bits.size)

    check()


@pytest.mark.parametrize(
    ("data", "bits"),
    [
        (np.array([0, 1, 2]), [0, 1, 0]),
        (np.array([1, -1, 1]), [1, 0, 1]),
        (np.array([257, 1]), [0, 1]),  # what a byte would take for 1
        (np.array([2**63 + 1, 1], np.uint64), [0, 1]),
        (bytes([1, 1, 0, 49]), [1, 1, 0, 0]),
        ([1, None, 0.5, 1.0, float("nan"), float("inf")], [1, 0, 0, 1, 0, 0]),
        (["1", "10", " 1\n", b"1\r\n", "", "one", b"\xff"], [1, 0, 1, 1, 0, 0, 0]),
        ([[1], {1}, 10**400, True, np.float32(1), np.bool_(True)], [0, 0, 0, 1, 1, 1]),
        (iter("01x1"), [0, 1, 0, 1]),
    ],
)
def test_each_value_is_read_by_itself_and_what_is_no_one_is_a_zero(data, bits):
    assert open_bits(data).read(10).tolist() == bits


@pytest.mark.parametrize("what", ["read", "skip", "ones"])
def test_a_foreign_character_is_a_zero_and_changes_no_other_bit(what, tmp_path):
    path = tmp_path / "stream.txt"
    path.write_bytes(b"01 10\n1z1 \xff\x001")
    with open_bits(path) as source:
        assert source.ones(5) == (3, 5)
        found = getattr(source, what)(5)
        expected = {"read": [0, 1, 0, 0, 1], "skip": 5, "ones": (2, 5)}[what]
        assert (found.tolist() if what == "read" else found) == expected
        assert source.read(1).size == 0


def test_an_iterator_is_pulled_only_as_far_as_it_is_asked_for():
    pulled = []

    def bits():
        for i in range(10):
            pulled.append(i)
            yield i % 2

    source = open_bits(bits())
    assert source.read(3).tolist() == [0, 1, 0]
    assert source.ones(2) == (1, 2)
    assert len(pulled) == 5
    assert available(source) == 0


def test_a_pipe_is_read_as_far_as_it_is_written(monkeypatch):
    out, into = os.pipe()
    with os.fdopen(out, "rb") as reader, os.fdopen(into, "wb", buffering=0) as writer:
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=reader))
        source = open_bits("-")
        writer.write(b"0110")  # and the writer stays open: waiting for more would hang
        assert source.read(1).tolist() == [0]
        assert available(source) == 3
        assert source.read(3).tolist() == [1, 1, 0]
        assert available(source) == 0


def test_packed_bits_are_passed_over_without_being_read(tmp_path, monkeypatch):
    path = tmp_path / "long.bin"
    with path.open("wb") as file:
        file.truncate(2**31)  # a hole: 2³⁴ bits
        file.seek(2**31 - 1)
        file.write(b"\x05")
    read = []
    plain = module._File._bytes
    monkeypatch.setattr(
        module._File, "_bytes", lambda self, count: read.append(count) or plain(self, count)
    )
    with open_bits(path) as source:
        assert source.read(3).tolist() == [0, 0, 0]
        assert source.skip(2**34 - 8) == 2**34 - 8
        assert source.position == 2**34 - 5
        assert source.read(10).tolist() == [0, 0, 1, 0, 1]
        assert source.skip(1) == 0
    assert sum(read) < 2**20


def test_the_last_bits_of_an_odd_length_are_counted_too():
    bits = np.arange(1000) % 3 == 0
    assert open_bits(bits).ones(10**9) == (bits.sum(), 1000)


@pytest.mark.parametrize("kind", ["text", "packed"])
def test_memory_does_not_grow_with_the_file(kind, tmp_path):
    peaks = []
    for size in (2**18, 2**22):
        path = tmp_path / f"{size}.{'bits' if kind == 'packed' else 'txt'}"
        path.write_bytes(b"1" * size)
        tracemalloc.start()
        with open_bits(path) as source:
            while source.ones(10_001)[1] == 10_001:
                pass
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.1 * peaks[0]


def test_a_file_is_let_go_at_the_end_of_the_block_and_standard_input_is_not(tmp_path, monkeypatch):
    path = tmp_path / "stream.txt"
    path.write_text("01")
    with open_bits(path) as source:
        assert open_bits(source) is source
    with pytest.raises(ValueError, match="closed file"):
        source.read(1)
    with opened("input", [1], tmp_path, monkeypatch):
        pass
    assert not sys.stdin.buffer.closed


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        (np.zeros((2, 2), int), DataError, "one dimension"),
        (np.zeros(2), DataError, "truth values or integers"),
        (7, ParameterError, "bits come from an array"),
        (None, ParameterError, "bits come from an array"),
        ("nowhere/stream.txt", DataError, "cannot be read: No such file"),
    ],
)
def test_what_is_no_source_is_refused(data, error, message):
    with pytest.raises(error, match=message):
        open_bits(data)


def test_a_folder_is_refused(tmp_path):
    with pytest.raises(DataError, match="directory"):
        open_bits(tmp_path)


@pytest.mark.parametrize("count", [-1, 1.5, True, "3"])
@pytest.mark.parametrize("kind", ["array", "list", "packed"])
@pytest.mark.parametrize("what", ["read", "skip", "ones"])
def test_an_impossible_number_of_bits_is_refused(what, kind, count, tmp_path, monkeypatch):
    with (
        opened(kind, [0] * 8, tmp_path, monkeypatch) as source,
        pytest.raises(ParameterError, match="count must be a whole number"),
    ):
        getattr(source, what)(count)
