"""The key of the fingerprints: a file by itself, for whoever publishes and nobody else."""

import os
import stat
from pathlib import Path

import pyarrow as pa
import pytest

import sfumato as sf
from ledger_world import ABOUT, PLAN, connection_of, lines_in
from sfumato.errors import BudgetError, LedgerError, ParameterError
from sfumato.ledger import Ledger
from sfumato.ledger.chain import commitment
from sfumato.ledger.fingerprint_key import KEY_VARIABLE, find_key, kept_key_file, write_key
from sfumato.ledger.sql import committed_key
from sfumato.privacy.guarantee import PureDP

TABLE = pa.table({"s": [True, False] * 15})
SCHEMA = {
    "name": "clinic",
    "neighbours": "add-remove",
    "columns": {"s": {"kind": "boolean"}},
}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "budget.db"


@pytest.fixture
def key_file(path):
    Ledger.create(path).close()
    return path.with_name("budget.db.key")


def key_of(path):
    with Ledger(path) as ledger:
        return ledger.fingerprint_key


@pytest.mark.parametrize("masked", [0o000, 0o022, 0o077])
def test_the_key_is_for_its_owner_only_whatever_the_process_masks(path, masked):
    before = os.umask(masked)
    try:
        Ledger.create(path).close()
    finally:
        os.umask(before)
    key_file = path.with_name("budget.db.key")
    assert stat.S_IMODE(key_file.stat().st_mode) == 0o600
    assert {file.name for file in path.parent.iterdir()} == {"budget.db", "budget.db.key"}
    key = key_of(path)
    assert len(key) == 32
    assert key.hex() in key_file.read_text("ascii")


@pytest.mark.parametrize("masked", [0o177, 0o277, 0o777])
def test_a_mask_under_which_nobody_could_read_takes_nothing_from_the_owner(tmp_path, masked):
    file, before = tmp_path / "the.key", os.umask(masked)
    try:
        write_key(str(file), "id", b"k" * 32)
    finally:
        os.umask(before)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_the_ledger_holds_a_commitment_and_never_the_key(path, key_file):
    key = key_of(path)
    with Ledger(path) as ledger:
        assert committed_key(connection_of(ledger)) == commitment(key)
        first, _ = lines_in(ledger)[0]
    assert commitment(key) in first.detail
    whole = path.read_bytes()
    assert key not in whole
    assert key.hex().encode() not in whole


def test_two_ledgers_have_two_keys(tmp_path):
    for name in ("a.db", "b.db"):
        Ledger.create(tmp_path / name).close()
    assert key_of(tmp_path / "a.db") != key_of(tmp_path / "b.db")


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o610, 0o644, 0o777])
def test_a_key_that_others_could_read_or_change_is_refused(path, key_file, mode):
    key_file.chmod(mode)
    with pytest.raises(LedgerError, match="can be read by others: chmod 600") as refusal:
        key_of(path)
    key_file.chmod(0o600)
    assert key_of(path).hex() not in str(refusal.value)


# Wrong, damaged, missing


def test_the_key_of_another_ledger_or_an_older_one_is_refused(path, key_file):
    own = key_file.read_bytes()
    other = path.with_name("other.db")
    Ledger.create(other).close()
    key_file.write_bytes(path.with_name("other.db.key").read_bytes())
    with pytest.raises(LedgerError, match="key of another ledger, or an older key"):
        key_of(path)
    key_file.unlink()
    with Ledger(path) as ledger:
        ledger.new_key(reason="the disk was lost")
    assert key_of(path)
    key_file.write_bytes(own)
    with pytest.raises(LedgerError, match="an older key of this one"):
        key_of(path)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{}",
        b"null",
        b"[]",
        b'{"key": 7, "ledger": 7}',
        b'{"key": "no hex", "ledger": "x"}',
        b"\xff\xfe",
        b"x" * 9999,
        b'{"key":',
    ],
)
def test_what_is_no_key_is_refused_in_words(path, key_file, text):
    key_file.write_bytes(text)
    with pytest.raises(LedgerError, match=r"budget\.db\.key (is not the key|cannot be read)"):
        key_of(path)


def test_everything_but_drawing_works_without_the_key(path, key_file):
    key_file.unlink()
    with Ledger(path) as ledger:
        ledger.grant("clinic", epsilon=3, reason="approved")
        ledger.reserve("r", "clinic", PureDP(1), plan=PLAN, protects=ABOUT)
        ledger.refund("r", reason="not needed")
        head = ledger.verify()
        with pytest.raises(LedgerError, match="publishing needs it"):
            sf.publish(TABLE, schema=SCHEMA, epsilon=1, ledger=ledger)
        assert ledger.verify(head=head)


def test_a_publication_without_the_key_costs_nothing(path, key_file):
    with Ledger(path) as ledger:
        ledger.grant("clinic", epsilon=3, reason="approved")
        kept = key_file.read_bytes()
        key_file.unlink()
        with pytest.raises(LedgerError, match="fingerprint key of this ledger is not here"):
            sf.publish(TABLE, schema=SCHEMA, epsilon=1, ledger=ledger)
        assert ledger.balance("clinic").spent.micro_epsilon == 0
        key_file.touch(mode=0o600)
        key_file.write_bytes(kept)
        sf.publish(TABLE, schema=SCHEMA, epsilon=1, ledger=ledger)
        assert ledger.balance("clinic").spent.micro_epsilon == 10**6


def test_the_remedy_for_a_lost_key_works(path, key_file):
    with Ledger(path) as ledger:
        for name in ("clinic", "survey"):
            ledger.grant(name, epsilon=3, reason="approved")
        sf.publish(TABLE, schema=SCHEMA, epsilon=1, ledger=ledger)
        before = ledger.fingerprint_key
    key_file.unlink()
    with Ledger(path) as ledger:
        with pytest.raises(LedgerError, match="`sfumato ledger new-key --reason …` makes another"):
            ledger.fingerprint_key  # noqa: B018  looked for when it is asked for
        with pytest.raises(ParameterError, match="reason must"):
            ledger.new_key(reason="…")
        assert not key_file.exists()
        ledger.new_key(reason="the disk was lost")
        assert ledger.fingerprint_key != before
        assert stat.S_IMODE(key_file.stat().st_mode) == 0o600
        sf.publish(TABLE, schema=SCHEMA, epsilon=1, ledger=ledger)
        with pytest.raises(BudgetError, match="already known as 'clinic'"):
            sf.publish(TABLE, schema=SCHEMA | {"name": "survey"}, epsilon=1, ledger=ledger)
        marks = {line.fingerprint for line, _ in lines_in(ledger) if line.kind == "draw"}
        assert len(marks) == 2  # the same data, under two keys
        ledger.verify()


def test_an_open_ledger_follows_a_key_that_somebody_else_replaced(path, key_file):
    with Ledger(path) as here, Ledger(path) as there:
        before = here.fingerprint_key
        key_file.unlink()
        there.new_key(reason="the disk was lost")
        assert here.fingerprint_key == there.fingerprint_key != before


def test_a_new_key_is_never_written_over_a_file(path, key_file):
    before = key_file.read_bytes()
    with Ledger(path) as ledger:
        head = ledger.head
        with pytest.raises(LedgerError, match=r"budget\.db\.key exists: .*move it away"):
            ledger.new_key(reason="a second one")
        assert ledger.head == head
    assert key_file.read_bytes() == before
    assert key_of(path)


# Where it lies


def test_the_variable_names_the_file(path, tmp_path, monkeypatch):
    vault = tmp_path / "vault" / "deep" / "the.key"
    monkeypatch.setenv(KEY_VARIABLE, str(vault))
    Ledger.create(path).close()
    assert stat.S_IMODE(vault.stat().st_mode) == 0o600
    assert stat.S_IMODE(vault.parent.stat().st_mode) == 0o700
    assert not path.with_name("budget.db.key").exists()
    assert key_of(path).hex() in vault.read_text()
    monkeypatch.delenv(KEY_VARIABLE)
    with pytest.raises(LedgerError, match=f"or name it in {KEY_VARIABLE}"):
        key_of(path)


def test_the_variable_names_a_folder_for_the_keys_of_several_ledgers(tmp_path, monkeypatch):
    vault = tmp_path / "vault"
    vault.mkdir()
    monkeypatch.setenv(KEY_VARIABLE, str(vault))
    ids = set()
    for name in ("a.db", "b.db"):
        with Ledger.create(tmp_path / name) as ledger:
            assert ledger.fingerprint_key
            ids.add(f"{ledger.ledger_id}.key")
    assert {file.name for file in vault.iterdir()} == ids
    assert {file.name for file in tmp_path.iterdir()} == {"a.db", "b.db", "vault"}


def test_a_key_among_the_keys_of_the_user_is_found(path, key_file):
    with Ledger(path) as ledger:
        kept = Path(kept_key_file(ledger.ledger_id))
        assert kept.is_relative_to(os.environ["XDG_DATA_HOME"])
        kept.parent.mkdir(parents=True)
        key_file.rename(kept)
        assert ledger.fingerprint_key


def test_without_a_stated_folder_the_keys_of_a_user_lie_in_his_home(monkeypatch):
    for stated in ("", "relative"):
        monkeypatch.setenv("XDG_DATA_HOME", stated)
        monkeypatch.setenv("HOME", "/home/anna")
        if os.name == "posix":
            assert kept_key_file("f00d") == "/home/anna/.local/share/sfumato/keys/f00d.key"


def test_a_symbolic_link_to_the_key_is_followed_and_judged_by_what_it_points_at(
    path, key_file, tmp_path
):
    vault = tmp_path / "vault.key"
    key_file.rename(vault)
    key_file.symlink_to(vault)
    assert key_of(path)
    vault.chmod(0o644)
    with pytest.raises(LedgerError, match="can be read by others"):
        key_of(path)
    vault.unlink()
    with pytest.raises(LedgerError, match="cannot be read"):
        key_of(path)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="the owner may read all")
def test_a_key_of_somebody_else_is_refused_in_words(path, key_file):
    key_file.chmod(0)
    with pytest.raises(LedgerError, match="cannot be read: Permission denied"):
        key_of(path)


# Written whole or not at all


def test_what_a_stopped_run_left_of_a_key_is_removed_and_nothing_else(tmp_path):
    file = tmp_path / "budget.db.key"
    left, others = tmp_path / "budget.db.key.0123abcd.draft", [
        "budget.db.key.20300101",
        "budget.db.key.bak.draft",
        "other.db.key.0123abcd.draft",
    ]  # fmt: skip
    left.write_text("half a k")
    for name in others:
        (tmp_path / name).write_text("of somebody")
    write_key(str(file), "id", b"k" * 32)
    assert {found.name for found in tmp_path.iterdir()} == {*others, "budget.db.key"}
    write_key(str(file), "id", b"k" * 32)  # the same again
    assert find_key("id", commitment(b"k" * 32), str(file)) == b"k" * 32


def test_a_key_that_cannot_be_written_is_said_and_leaves_no_ledger(path, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv(KEY_VARIABLE, str(tmp_path / "file" / "the.key"))
    with pytest.raises(LedgerError, match=r"cannot be written: (Not a directory|File exists)"):
        Ledger.create(path)
    assert {file.name for file in tmp_path.iterdir()} == {"file"}


def test_the_key_stays_where_the_ledger_was_made_though_the_last_sync_failed(path, monkeypatch):
    def failing(folder):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("sfumato.ledger.sqlite.file.flush", failing)
    with pytest.raises(LedgerError, match="Input/output error"):
        Ledger.create(path)
    monkeypatch.undo()
    assert path.exists()
    assert key_of(path)


def test_no_message_and_no_view_of_a_ledger_shows_the_key(path, key_file, monkeypatch):
    with Ledger(path) as ledger:
        ledger.grant("clinic", epsilon=1, reason="approved")
        key, shown = ledger.fingerprint_key, [repr(ledger), ledger._repr_html_(), str(vars(ledger))]
        assert shown.pop().count("_key")  # the control: the object itself does hold it
        said = [
            lambda: find_key("another", commitment(key), str(key_file)),
            lambda: find_key(ledger.ledger_id, "0" * 64, str(key_file)),
            lambda: write_key(str(key_file), "another", key),
            lambda: ledger.new_key(reason="another one"),
            lambda: sf.publish(TABLE, schema=SCHEMA, epsilon=9, ledger=ledger),
        ]
        for step in said:
            with pytest.raises((LedgerError, BudgetError)) as refusal:
                step()
            shown.append(str(refusal.value))
        key_file.write_text(key_file.read_text()[:-4])
        with pytest.raises(LedgerError) as refusal:
            find_key(ledger.ledger_id, commitment(key), str(key_file))
        shown.append(str(refusal.value))
    for text in shown:
        assert key.hex()[:16] not in text
        assert repr(key)[2:20] not in text
