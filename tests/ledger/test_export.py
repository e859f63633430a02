"""What an auditor gets: every line, no fingerprint, and hashes that follow all the same."""

import json
import os
import sqlite3
import tracemalloc
from hashlib import sha256
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ledger_world import ABOUT
from sfumato.cli import app
from sfumato.errors import LedgerError
from sfumato.ledger import Ledger
from sfumato.ledger.export import check_export
from sfumato.ledger.table_part import DIVISIBLE, TablePart
from sfumato.privacy.guarantee import PureDP

PLAN, DIGEST, DATA = "c0ffee00", "0123456789abcdef", b"fingerprint of the data"


@pytest.fixture
def ledger(tmp_path):
    """A history with every secret in it: of whole tables, and of parts."""
    with Ledger.create(tmp_path / "budget.db") as made:
        made.grant("adult", epsilon=3, reason="board")
        for name in ("one", "two"):
            made.reserve(name, "adult", PureDP(1), plan=PLAN, protects=ABOUT)
            made.draw(name, DATA)
            made.settle(name, DIGEST)
        made.grant("visits", epsilon=2, reason="board")
        for name, codes in (("north", ((0, 0),)), ("south", ((1, 1),))):
            part = TablePart(f"region={name}", "deadbeef", codes)
            made.reserve(name, "visits", PureDP(1), plan=PLAN, protects=DIVISIBLE, table_part=part)
            made.draw(name, DATA[::-1])
        yield made


def lines(file):
    return [json.loads(text) for text in file.read_text().splitlines()]


def test_an_export_for_an_auditor_is_audited_to_the_same_head(ledger, tmp_path):
    file = tmp_path / "audit.jsonl"
    count = ledger.export(file, for_auditor=True)
    checked = check_export(file)
    assert (checked.lines, checked.head) == (count, ledger.verify())
    assert (checked.ledger_id, checked.taken_as_stated) == (ledger.ledger_id, [])
    assert file.stat().st_mode & 0o777 == 0o600


def test_it_holds_neither_a_fingerprint_nor_a_veil_and_a_whole_export_holds_both(ledger, tmp_path):
    veils = {line.veil for line in ledger.history() if line.veil}
    secrets = {DATA.hex(), DATA[::-1].hex(), ledger.fingerprint_key.hex(), *veils}
    ledger.export(tmp_path / "audit.jsonl", for_auditor=True)
    ledger.export(tmp_path / "whole.jsonl")
    told = (tmp_path / "audit.jsonl").read_text()
    assert not [secret for secret in secrets if secret in told]
    whole = (tmp_path / "whole.jsonl").read_text()
    assert [secret in whole for secret in (DATA.hex(), *veils)] == [True] * (1 + len(veils))
    assert check_export(tmp_path / "whole.jsonl").head == ledger.head


def test_each_hash_is_that_of_the_line_as_it_stands(ledger, tmp_path):
    file = tmp_path / "audit.jsonl"
    ledger.export(file, for_auditor=True)
    before = None
    for found in lines(file):
        stored = found.pop("hash")
        text = json.dumps(found, sort_keys=True, separators=(",", ":"))
        assert sha256(text.encode()).hexdigest() == stored
        assert before in (None, found["previous"])
        before = stored


def test_any_changed_figure_or_text_is_refused(ledger, tmp_path):
    file = tmp_path / "audit.jsonl"
    ledger.export(file, for_auditor=True)
    whole = lines(file)
    assert check_export(file)
    changes = 0
    for place, line in enumerate(whole):
        for name, value in line.items():
            other = value + 1 if isinstance(value, int) else f"{value}x"
            changed = [*whole[:place], line | {name: other}, *whole[place + 1 :]]
            file.write_text("".join(json.dumps(one) + "\n" for one in changed))
            with pytest.raises(LedgerError, match=r"damaged|first line|not a line"):
                check_export(file)
            changes += 1
    assert changes > 300


@pytest.mark.parametrize("gone", [0, 3, -2])
def test_a_missing_line_is_refused(ledger, tmp_path, gone):
    file = tmp_path / "audit.jsonl"
    ledger.export(file, for_auditor=True)
    texts = file.read_text().splitlines(keepends=True)
    del texts[gone]
    file.write_text("".join(texts))
    with pytest.raises(LedgerError, match=r"damaged|first line"):
        check_export(file)


def test_a_cut_end_shows_by_a_head_that_was_kept_and_by_nothing_else(ledger, tmp_path):
    file, head = tmp_path / "audit.jsonl", ledger.head
    ledger.export(file, for_auditor=True)
    assert check_export(file, head=head).head == head
    file.write_text("".join(file.read_text().splitlines(keepends=True)[:-1]))
    assert check_export(file).head != head
    with pytest.raises(LedgerError, match="older, shortened or diverged"):
        check_export(file, head=head)


@pytest.mark.parametrize(
    "text",
    ["", "\n", "[1]\n", '{"hash": [1]}\n', "{", "\x00\n", '{"hash": "a"}\n', "x" * 2_000_000],
)
def test_what_is_no_export_is_refused_in_words(tmp_path, text):
    file = tmp_path / "audit.jsonl"
    file.write_text(text)
    with pytest.raises(LedgerError, match=r"not a line of a ledger|is empty"):
        check_export(file)


def test_consistent_hashes_over_odd_types_are_refused_in_words(ledger, tmp_path):
    file = tmp_path / "audit.jsonl"
    ledger.export(file, for_auditor=True)
    first = lines(file)[0]
    del first["hash"]
    for name in first:
        for odd in ([], {}, 1.5, True, "", None, -(2**70), "\u0000"):
            line = first | {name: odd}
            text = json.dumps(line, sort_keys=True, separators=(",", ":"))
            line["hash"] = sha256(text.encode()).hexdigest()
            file.write_text(json.dumps(line) + "\n")
            try:
                check_export(file)
            except LedgerError:
                continue
            assert odd == first[name] or name in ("who", "nonce", "parts", "clock")


def test_a_line_of_this_version_cannot_be_changed_by_stating_its_fingerprint_as_left_out(
    ledger, tmp_path
):
    file, head = tmp_path / "audit.jsonl", ledger.head
    ledger.export(file, for_auditor=True)
    whole = lines(file)
    for place, line in enumerate(whole):
        if line["kind"] == "draw":
            changed = line | {"fingerprint": "left out", "detail": "{}", "who": "somebody else"}
            texts = [*whole[:place], changed, *whole[place + 1 :]]
            file.write_text("".join(json.dumps(one) + "\n" for one in texts))
            with pytest.raises(LedgerError, match="a fingerprint is left out"):
                check_export(file, head=head)


@pytest.mark.parametrize("name", ["detail", "parts"])
@pytest.mark.parametrize("place", [0, 1])
def test_texts_within_a_line_that_nest_too_deeply_are_refused_in_words(
    ledger, tmp_path, name, place
):
    file = tmp_path / "audit.jsonl"
    ledger.export(file, for_auditor=True)
    whole = lines(file)
    whole[place][name] = "[" * 100_000 + "]" * 100_000
    file.write_text("".join(json.dumps(one) + "\n" for one in whole))
    with pytest.raises(LedgerError, match=r"no ledger writes|first line of a ledger|damaged"):
        check_export(file)


@pytest.mark.parametrize("number", [1, 4, 5])
def test_lines_that_cover_a_fingerprint_of_an_older_version_are_named_and_no_others(
    tmp_path, number
):
    text = Path(__file__).with_name(f"ledger_format_{number}.sql").read_text("utf-8")
    older = sqlite3.connect(tmp_path / "budget.db")
    older.executescript(text)
    older.close()
    file = tmp_path / "audit.jsonl"
    with Ledger(tmp_path / "budget.db") as ledger:
        ledger.grant("another", epsilon=1, reason="a line of today")
        history, key = ledger.history(), ledger.fingerprint_key
        ledger.export(file, for_auditor=True)
    shown = {line.fingerprint for line in history if line.fingerprint}
    covering = [
        line.sequence
        for line in history
        if line.fingerprint or any(one in (line.parts or "") for one in shown)
    ]
    assert check_export(file).taken_as_stated == covering
    told = file.read_text()
    assert not [secret for secret in (*shown, key.hex()) if secret in told]
    told = CliRunner().invoke(app, ["ledger", "verify", "--export", str(file)]).output
    assert f"of {len(covering)} of its {len(history)} lines the hash is taken" in " ".join(
        told.split()
    )
    assert str(covering[0]) in told
    changed = lines(file)
    changed[covering[-1] - 1]["spent_micro_epsilon"] += 1
    file.write_text("".join(json.dumps(one) + "\n" for one in changed))
    with pytest.raises(LedgerError, match="does not follow from the one before"):
        check_export(file)


@pytest.mark.parametrize("number", [4, 5])
def test_no_guess_can_be_tested_with_the_hash_of_such_a_line_not_even_with_the_key(
    tmp_path, number
):
    text = Path(__file__).with_name(f"ledger_format_{number}.sql").read_text("utf-8")
    older = sqlite3.connect(tmp_path / "budget.db")
    older.executescript(text)
    older.close()
    with Ledger(tmp_path / "budget.db") as ledger:
        history = ledger.history()
        ledger.export(tmp_path / "audit.jsonl", for_auditor=True)
    covering = check_export(tmp_path / "audit.jsonl").taken_as_stated
    for found in lines(tmp_path / "audit.jsonl"):
        line = history[found["sequence"] - 1]
        # Whoever guessed right has all that the hash covers, but for what was left out besides.
        guessed = found | {"fingerprint": line.mark, "parts": line.parts}
        guessed = {name: guessed[name] for name in found if name != "hash"}
        text = json.dumps(guessed, sort_keys=True, separators=(",", ":"))
        right = sha256(text.encode()).hexdigest() == found["hash"]
        assert right == (found["sequence"] not in covering)


def test_a_line_without_an_end_is_refused_before_it_is_read(tmp_path):
    file = tmp_path / "audit.jsonl"
    file.touch()
    os.truncate(file, 2**28)  # a hole
    tracemalloc.start()
    try:
        with pytest.raises(LedgerError, match="line 1 is not a line of a ledger"):
            check_export(file)
        assert tracemalloc.get_traced_memory()[1] < 2**24
    finally:
        tracemalloc.stop()


def test_a_pipe_is_no_export_and_nobody_waits_for_it(tmp_path):
    os.mkfifo(tmp_path / "audit.jsonl")
    with pytest.raises(LedgerError, match="not a plain file"):
        check_export(tmp_path / "audit.jsonl")


def test_an_export_never_replaces_a_file_and_leaves_no_half(ledger, tmp_path, monkeypatch):
    file = tmp_path / "audit.jsonl"
    file.write_text("mine")
    with pytest.raises(LedgerError, match="cannot be written"):
        ledger.export(file)
    assert file.read_text() == "mine"
    monkeypatch.setattr("sfumato.ledger.export.export_lines", broken)
    with pytest.raises(KeyboardInterrupt):
        ledger.export(tmp_path / "half.jsonl")
    assert not (tmp_path / "half.jsonl").exists()
    assert ledger.verify()


def broken(_lines, *, for_auditor):
    yield "a line\n"
    raise KeyboardInterrupt
