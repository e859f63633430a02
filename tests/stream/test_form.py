"""The form of a file: declared, looked at before noise is drawn, and never decided by one value."""

import io
import sys
from types import SimpleNamespace

import numpy as np
import pytest

import sfumato as sf
from sfumato.cli import main
from sfumato.errors import DataError, ParameterError
from sfumato.privacy.guarantee import PureDP
from sfumato.stream.source import open_bits

BITS = np.random.default_rng(7).integers(0, 2, 4_096).astype(np.uint8)
TEXT = "".join(map(str, BITS)).encode()
PACKED = np.packbits(BITS).tobytes()
COMMAS = ",".join(map(str, BITS)).encode()
LINES = "\n".join(map(str, BITS)).encode()
ASKED = {
    "counter": {"horizon": 2**20, "every": 64},
    "reservoir-mean": {"horizon": 500, "times": "500", "size": 20},
}


@pytest.fixture
def ledger(tmp_path):
    ledger = sf.Ledger.create(tmp_path / "budget.db")
    ledger.grant("clicks", PureDP(1), reason="approved")
    return ledger


def published(data, method="counter", **asked):
    common = {"name": "clicks", "epsilon": 1, "release": "r"}
    return sf.publish_stream(data, method=method, **(common | ASKED[method] | asked))


def file(folder, name, content):
    (folder / name).write_bytes(content)
    return folder / name


@pytest.mark.parametrize("method", ASKED)
@pytest.mark.parametrize(
    ("name", "content", "form", "remedy"),
    [
        ("clicks.txt", PACKED, None, "--form packed"),
        ("clicks.txt", bytes(4_096), None, "--form packed"),
        ("clicks.bits", PACKED, "text", "--form packed"),
        ("clicks.txt", TEXT.decode().encode("utf-16"), None, "--form packed"),
        ("clicks.csv", COMMAS, None, "separates the bits"),
        ("clicks.csv", b"click\n" + LINES, None, "header"),
        ("clicks.bits", TEXT, None, "--form text"),
        ("clicks.bin", LINES, None, "--form text"),
    ],
)
def test_a_wrong_form_is_refused_before_the_draw_and_can_be_refunded(
    method, name, content, form, remedy, ledger, tmp_path
):
    path = file(tmp_path, name, content)
    with pytest.raises(DataError, match="nothing was drawn, so it can be refunded") as refused:
        published(path, method, form=form, ledger=ledger, folder=tmp_path / "out")
    assert remedy in str(refused.value)
    assert ledger.entry("r").state == "reserved"
    assert not (tmp_path / "out").exists()
    ledger.refund("r", reason="wrong form")
    assert ledger.balance("clicks").left == ledger.balance("clicks").granted


@pytest.mark.parametrize(
    ("name", "content", "form"),
    [
        ("clicks.txt", TEXT, None),
        ("clicks.txt", b"\xef\xbb\xbf" + TEXT, None),  # with a byte order mark
        ("clicks.bits", PACKED, None),
        ("clicks.bits", TEXT, "text"),
        ("clicks.txt", PACKED, "packed"),
        ("CLICKS.BIN", PACKED, None),
    ],
)
def test_the_form_that_is_declared_or_that_the_ending_stands_for_is_read(
    name, content, form, tmp_path
):
    made = published(file(tmp_path, name, content), epsilon=10_000, form=form)
    assert np.array_equal(made.table["value"], np.cumsum(BITS)[63::64])


@pytest.mark.parametrize(("form", "content"), [("text", TEXT), ("packed", PACKED)])
def test_standard_input_has_the_declared_form_too(form, content, monkeypatch):
    given = io.BufferedReader(io.BytesIO(content))
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=given))
    made = published("-", epsilon=10_000, form=form)
    assert np.array_equal(made.table["value"], np.cumsum(BITS)[63::64])


@pytest.mark.parametrize("place", [0, 1, 70_000, 99_999])
@pytest.mark.parametrize("foreign", [b"x", b"\x00", b"\xff", b"2", b","])
def test_one_foreign_character_never_decides_whether_a_text_is_refused(place, foreign, tmp_path):
    bits = bytearray(b"1" * 100_000)
    bits[place : place + 1] = foreign
    with open_bits(file(tmp_path, "clicks.txt", bytes(bits))) as source:
        source.look()
        assert source.ones(10**6) == (99_999, 100_000)


@pytest.mark.parametrize(
    "data", [[7], [1, 7], [7, 1, 0], np.array([9]), np.array([0, 1, -5]), bytes([1, 200])]
)
def test_one_foreign_value_never_decides_whether_values_are_refused(data):
    with open_bits(data) as source:
        source.look()


def test_a_first_line_of_one_foreign_character_is_no_header(tmp_path):
    with open_bits(file(tmp_path, "clicks.txt", b"x\n1\n1\n")) as source:
        source.look()
        assert source.read(9).tolist() == [0, 1, 1]


@pytest.mark.parametrize(
    "data", [[7, 8], np.full(100, 3), b"0101", ["yes", "no"], np.array([0, 255] * 50)]
)
def test_values_that_are_no_bits_are_refused_before_the_draw(data, ledger):
    with pytest.raises(DataError, match="can be refunded"):
        published(data, every=2, ledger=ledger)
    assert ledger.entry("r").state == "reserved"


def test_what_was_looked_at_is_read_again_from_its_start(tmp_path):
    for source in (
        open_bits(file(tmp_path, "clicks.txt", TEXT)),
        open_bits(file(tmp_path, "clicks.bits", PACKED)),
        open_bits(file(tmp_path, "plain", PACKED), "packed"),
        open_bits(BITS),
        open_bits(BITS.tolist()),
        open_bits(iter(BITS.tolist())),
    ):
        with source:
            source.look()
            assert source.position == 0
            assert source.skip(100) == 100
            assert np.array_equal(source.read(50), BITS[100:150])
            assert source.ones(10**5) == (BITS[150:].sum(), BITS.size - 150)


def test_a_live_iterator_is_not_waited_for_before_the_draw(ledger):
    states = []

    def live():
        states.append(ledger.entry("r").state)
        yield from [0, 1]

    published(live(), ledger=ledger)
    assert states == ["drawn"]


def test_a_foreign_character_after_the_look_changes_no_figure_but_its_own(tmp_path):
    clean = b"1" * 200_000
    spoilt = clean[:150_000] + b"?" + clean[150_001:]
    asked = {"every": 100_000, "epsilon": 10_000}
    counts = [
        published(file(tmp_path, "clicks.txt", content), **asked).table["value"].to_pylist()
        for content in (clean, spoilt)
    ]
    assert counts == [[100_000, 200_000], [100_000, 199_999]]


@pytest.mark.parametrize(
    ("name", "size"), [("clicks.txt", 400), ("clicks.bits", 50), ("clicks.csv", 0)]
)
def test_a_file_too_short_for_a_mean_is_refused_before_the_charge(name, size, ledger, tmp_path):
    content = b"\x01" * size if name == "clicks.bits" else b"1" * size
    path = file(tmp_path, name, content)
    with pytest.raises(DataError, match="ended after" if size else "has no bit"):
        published(path, "reservoir-mean", ledger=ledger)
    assert ledger.entry("r") is None


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.txt", b""), ("a.txt", b" \n" * 90_000), ("a.bits", b""), ("a.txt", b"101"), (None, b"")],
)
def test_what_would_have_no_figure_is_refused_before_the_charge(name, content, ledger, tmp_path):
    data = list(content) if name is None else file(tmp_path, name, content)
    with pytest.raises(DataError, match=r"has no bit|ended after 3 bits, and bit 10 is needed"):
        published(data, every=10, ledger=ledger)
    assert ledger.entry("r") is None


def test_a_series_may_be_begun_before_its_first_bit(tmp_path):
    empty, state = file(tmp_path, "a.txt", b""), tmp_path / "state"
    begun = sf.publish_stream(empty, horizon=99, epsilon=1, every=10, pause=state)
    assert begun.table.num_rows == 0
    file(tmp_path, "a.txt", b"1" * 20)
    again = sf.publish_stream(empty, horizon=99, epsilon=1, every=10, resume=state)
    assert again.table["time"].to_pylist() == [10, 20]


def test_looking_for_a_first_bit_takes_none(tmp_path):
    with open_bits(file(tmp_path, "a.txt", b"\xef\xbb\xbf 1 0 1")) as source:
        assert not source.empty()
        assert source.read(9).tolist() == [1, 0, 1]


@pytest.mark.parametrize("form", ["binary", "", 1, "TEXT"])
def test_an_unknown_form_is_refused(form, tmp_path):
    with pytest.raises(ParameterError, match="form must be one of text, packed"):
        open_bits(file(tmp_path, "clicks.txt", TEXT), form)


def test_a_form_for_an_array_is_refused():
    with pytest.raises(ParameterError, match="leave it out"):
        open_bits(BITS, "packed")


def test_the_command_declares_the_form(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    file(tmp_path, "clicks.bits", TEXT)
    for words, code, said in (
        ("", 1, "--form text"),
        ("--form text", 0, "4 figures"),
        ("--form other", 1, "form must be one of"),
    ):
        line = f"count clicks.bits --horizon 65536 --every 1024 --epsilon 1 -o out {words}"
        monkeypatch.setattr(sys, "argv", ["sfumato", "stream", *line.split()])
        with pytest.raises(SystemExit) as leaving:
            main()
        told = capsys.readouterr()
        assert (leaving.value.code or 0) == code
        assert said in told.out + told.err
