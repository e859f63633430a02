"""Signed heads: a ledger that lost what it once held is told from one that did not."""

import json
import shutil

import pytest

import sfumato as sf
from sfumato.errors import LedgerError
from sfumato.signature import KeyList, PrivateKey, SignedHead, check_head, sign_head

KEY, OTHER = PrivateKey.new(), PrivateKey.new()
KEYS = KeyList({KEY.id: "owner.pub"}, ("owner.pub",))


@pytest.fixture
def path(tmp_path, monkeypatch):
    """A ledger, on a machine that takes no notes of its own of where ledgers were."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    path = tmp_path / "budget.db"
    with sf.Ledger.create(path) as ledger:
        ledger.grant("clinic", epsilon=1, reason="board")
    return path


def later(path, reason):
    with sf.Ledger(path) as ledger:
        ledger.grant("clinic", epsilon=1, reason=reason)


def signed(path, key=KEY):
    with sf.Ledger(path) as ledger:
        return sign_head(ledger, key)


def checked(path, head, keys=KEYS):
    with sf.Ledger(path) as ledger:
        return check_head(ledger, head, keys)


def forgotten(path):
    """As on another machine, or under another user."""
    shutil.rmtree(path.parent / "state", ignore_errors=True)


def test_a_ledger_that_went_on_holds_the_head(path):
    head = signed(path)
    assert checked(path, head) == head.head
    later(path, "more")
    assert checked(path, head) != head.head


def test_a_ledger_that_was_rolled_back_is_caught(path):
    old = shutil.copy(path, path.with_name("old.db"))
    later(path, "more")
    head = signed(path)
    old.replace(path)
    forgotten(path)
    with pytest.raises(LedgerError, match="rolled back to before that, shortened, or went another"):
        checked(path, head)


def test_a_ledger_that_went_another_way_is_caught(path):
    other = shutil.copy(path, path.with_name("other.db"))
    later(path, "one way")
    head = signed(path)
    forgotten(path)
    later(other, "another way")
    later(other, "and on")
    with pytest.raises(LedgerError, match="does not hold the head that was signed on 20"):
        checked(other, head)


def test_a_damaged_ledger_is_called_damaged_and_is_not_signed(path):
    head = signed(path)
    text = path.read_bytes()
    assert text.count(b"board") == 1
    path.write_bytes(text.replace(b"board", b"bored"))
    forgotten(path)
    for act in (lambda: checked(path, head), lambda: signed(path)):
        with pytest.raises(LedgerError) as refused:
            act()
        assert "rolled back" not in str(refused.value)


def test_the_head_of_another_ledger_is_no_rollback(path, tmp_path):
    with sf.Ledger.create(tmp_path / "other.db") as other:
        head = sign_head(other, KEY)
    with pytest.raises(LedgerError, match=r"is about ledger .* no copies of each other"):
        checked(path, head)


def test_a_head_by_another_key_is_refused_by_name(path):
    with pytest.raises(LedgerError, match=r"signed by another key: .* is not in owner\.pub"):
        checked(path, signed(path, OTHER))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("ledger", "0" * 32),
        ("head", "0" * 64),
        ("date", "2020-01-01T00:00:00Z"),
        ("signature", "0" * 128),
    ],
)
def test_every_field_is_signed(path, field, value):
    changed = signed(path).model_copy(update={field: value})
    with pytest.raises(LedgerError, match="the signature of the head does not fit"):
        checked(path, changed)


def test_a_head_that_names_a_key_that_did_not_sign_it_is_refused(path):
    claimed = signed(path, OTHER).model_copy(update={"key": KEY.id})
    with pytest.raises(LedgerError, match="does not fit"):
        checked(path, claimed)


def test_a_signature_of_a_release_fits_no_head_and_the_reverse(path):
    head = signed(path)
    release = f"sfumato release\n{head.stated.decode()}".encode()
    with pytest.raises(LedgerError, match="does not fit"):
        checked(path, head.model_copy(update={"signature": KEY.signature(release)}))


def test_a_head_is_read_as_it_was_written(path, tmp_path):
    head = signed(path)
    (tmp_path / "head.json").write_text(head.text)
    assert SignedHead.read(tmp_path / "head.json") == head
    assert set(json.loads(head.text)) == {
        *("kind", "format", "ledger", "head", "date", "key", "signature"),
    }


WEIRD = [None, [], {}, "x", -1, True, 1.5, "0" * 10**5, "0" * 63, ["0" * 64]]


@pytest.mark.parametrize("field", list(SignedHead.model_fields))
def test_a_malformed_head_is_refused_by_its_field(path, tmp_path, field):
    record = json.loads(signed(path).text)
    for value in WEIRD:
        if field == "ledger" and isinstance(value, str) and len(value) < 65:
            continue  # which may be a name
        (tmp_path / "head.json").write_text(json.dumps({**record, field: value}))
        with pytest.raises(LedgerError, match=f"wrong: ({field}|its form)|more than") as refused:
            SignedHead.read(tmp_path / "head.json")
        assert len(str(refused.value)) < 300 + len(str(tmp_path))


def test_a_head_that_lacks_a_field_or_has_another_is_refused(path, tmp_path):
    record = json.loads(signed(path).text)
    for field in record:
        rest = {name: fact for name, fact in record.items() if name != field}
        (tmp_path / "head.json").write_text(json.dumps(rest))
        with pytest.raises(LedgerError, match="no signed head"):
            SignedHead.read(tmp_path / "head.json")
    (tmp_path / "head.json").write_text(json.dumps({**record, "more": 1}))
    with pytest.raises(LedgerError, match="wrong: more"):
        SignedHead.read(tmp_path / "head.json")


@pytest.mark.parametrize("text", ["", "[]", "7", "{}", '{"a": 1, "a": 2}', "\0", "[" * 10_000])
def test_what_is_no_head_is_refused(tmp_path, text):
    (tmp_path / "head.json").write_text(text)
    with pytest.raises(LedgerError, match=r"no signed head|cannot be read as a signed"):
        SignedHead.read(tmp_path / "head.json")
    with pytest.raises(LedgerError, match="cannot be read"):
        SignedHead.read(tmp_path / "none.json")
