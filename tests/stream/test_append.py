"""New bits alone: counted with `append`, refused where they cannot be a whole stream."""

import shlex
import sys

import numpy as np
import pytest

import sfumato as sf
from sfumato.cli import main
from sfumato.errors import DataError, ParameterError
from sfumato.privacy.guarantee import PureDP

BITS = np.random.default_rng(7).integers(0, 2, 600).astype(np.uint8)
ASKED = {"horizon": 600, "every": 50, "epsilon": 1_000, "smooth": "none", "name": "visits"}


def begun(state, upto=220, **asked):
    return sf.publish_stream(BITS[:upto], pause=state, **(ASKED | asked))


def gone_on(data, state, **asked):
    return sf.publish_stream(data, resume=state, **(ASKED | asked))


def text(bits):
    return "\n".join(map(str, bits.tolist())) + "\n"


@pytest.mark.parametrize("pan", [False, True])
@pytest.mark.parametrize(
    "given",
    [lambda bits: bits, lambda bits: bits.tolist(), lambda bits: iter(bits.tolist())],
    ids=["array", "list", "live"],
)
def test_new_bits_alone_count_as_the_whole_stream_does(tmp_path, given, pan):
    state = tmp_path / "state"
    begun(state, pan=pan)
    second = gone_on(given(BITS[220:400]), state, append=True, pause=state, pan=pan)
    third = gone_on(given(BITS[400:]), state, append=True, pan=pan)
    found = [*second.table["value"].to_pylist(), *third.table["value"].to_pylist()]
    assert np.rint(found).tolist() == np.cumsum(BITS)[249::50].tolist()
    assert second.certificate.continues.start == 220


def test_packed_bits_are_appended(tmp_path):
    (tmp_path / "new.bits").write_bytes(np.packbits(BITS[200:]).tobytes())
    begun(tmp_path / "state", upto=200)
    rest = gone_on(tmp_path / "new.bits", tmp_path / "state", append=True)
    assert np.rint(rest.table["value"]).tolist() == np.cumsum(BITS)[249::50].tolist()


@pytest.mark.parametrize("upto", [1, 219, 220])
@pytest.mark.parametrize("given", ["array", "live", "text"])
def test_what_holds_nothing_beyond_the_state_is_refused_and_the_state_stays(tmp_path, given, upto):
    """Of a text, white space counts as size: that it ends is known when it was passed over."""
    state, file = tmp_path / "state", tmp_path / "bits.txt"
    begun(state)
    before = state.read_bytes()
    file.write_text(text(BITS[:upto]))
    data = {"array": BITS[:upto], "live": iter(BITS[:upto].tolist()), "text": file}[given]
    with pytest.raises(DataError, match=r"counted of it already, 220 bits: give all .*append"):
        gone_on(data, state)
    assert state.read_bytes() == before
    assert gone_on(BITS, state).table.num_rows == 8


def test_a_refusal_is_known_before_the_ledger_has_a_line_of_the_part(tmp_path):
    state = tmp_path / "state"
    with sf.Ledger.create(tmp_path / "budget.db") as ledger:
        ledger.grant("visits", PureDP(1_000), reason="approved")
        begun(state, ledger=ledger, release="r")
        with pytest.raises(DataError, match="shorter than what was counted"):
            gone_on(BITS[:100], state, ledger=ledger)
        assert ledger.entry("r+1") is None
        assert gone_on(BITS[220:], state, ledger=ledger, append=True).table.num_rows == 8


@pytest.mark.parametrize("data", [BITS[:0], iter([])], ids=["array", "live"])
def test_appending_nothing_leaves_the_state(tmp_path, data):
    state = tmp_path / "state"
    begun(state)
    with pytest.raises(DataError, match="has no bit: the state is left"):
        gone_on(data, state, append=True)
    assert state.exists()


def test_appending_beyond_the_horizon_is_refused_and_leaves_the_state(tmp_path):
    state = tmp_path / "state"
    begun(state)
    with pytest.raises(DataError, match="longer than its horizon of 600"):
        gone_on(BITS[:381], state, append=True)
    assert state.exists()
    assert gone_on(BITS[:380], state, append=True).table.num_rows == 8


def test_append_needs_a_state(tmp_path):
    with pytest.raises(ParameterError, match="append is about a state that is resumed"):
        sf.publish_stream(BITS, append=True, **ASKED)


@pytest.fixture
def command(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")

    def run(words, code=0):
        monkeypatch.setattr(sys, "argv", ["sfumato", "stream", *shlex.split(words)])
        with pytest.raises(SystemExit) as leaving:
            main()
        said = capsys.readouterr()
        assert (leaving.value.code or 0) == code, said.err
        return said.out + said.err

    return run


def test_from_the_command_line_new_bits_are_appended_and_both_ways_say_what_was_done(
    command, tmp_path
):
    (tmp_path / "monday.txt").write_text(text(BITS[:220]))
    (tmp_path / "tuesday.txt").write_text(text(BITS[220:400]))
    (tmp_path / "all.txt").write_text(text(BITS))
    common = "--name visits --horizon 600 --every 50 --epsilon 1000 --option smooth=none"
    command(f"count monday.txt {common} --pause s -o one")
    said = command(f"count tuesday.txt {common} --resume s -o two", code=1)
    assert "shorter than what was counted of it already, 220 bits" in said
    assert "--append" in said
    assert (tmp_path / "s").exists()
    assert not (tmp_path / "two").exists()
    said = command(f"count tuesday.txt {common} --resume s --append --pause s -o two")
    assert "went on after the 220 bits that were counted before, with all of these" in said
    said = command(f"count all.txt {common} --resume s -o three")
    assert "passed over the first 400 bits, which were counted before" in said
    values = [
        value for part in ("one", "two", "three") for value in sf.Release.load(part).table["value"]
    ]
    assert np.rint([v.as_py() for v in values]).tolist() == np.cumsum(BITS)[49::50].tolist()
    assert all(check.passed for check in sf.verify(tmp_path / "two"))


def test_append_without_a_state_is_refused_on_the_command_line(command, tmp_path):
    (tmp_path / "monday.txt").write_text(text(BITS[:220]))
    said = command("count monday.txt --horizon 600 --epsilon 1 --append -o one", code=1)
    assert "give resume, too" in said
    assert not (tmp_path / "one").exists()
