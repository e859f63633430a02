"""Files of keys: modes, names that are taken, and every wrong file in a sentence of its own."""

import os
import stat
import subprocess
import sys

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from sfumato.errors import ParameterError
from sfumato.signature import create_key, key_list, known_keys, private_key
from sfumato.signature.key import PrivateKey
from sfumato.signature.key_file import shown_keys

PEM, PKCS8 = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
OPEN = serialization.NoEncryption()


@pytest.fixture
def made(tmp_path):
    create_key(tmp_path / "k.key")
    return tmp_path / "k.key"


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_a_key_and_its_public_half_belong_together(made):
    public = made.with_name("k.key.pub").read_text()
    assert public == f"ed25519 {private_key(made).id}\n"
    assert known_keys(made.with_name("k.key.pub")) == (private_key(made).id,)
    assert shown_keys(made) == shown_keys(made.with_name("k.key.pub")) == [private_key(made).id]
    assert made.read_text().startswith("-----BEGIN PRIVATE KEY-----")


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077, 0o277, 0o777])
def test_a_private_key_is_for_its_owner_alone_under_any_mask(tmp_path, mask):
    before = os.umask(mask)
    try:
        create_key(tmp_path / "k.key")
    finally:
        os.umask(before)
    assert mode(tmp_path / "k.key") == 0o600
    assert mode(tmp_path / "k.key.pub") == 0o644 & ~mask


def test_a_private_key_is_closed_to_others_from_the_first_byte_on(tmp_path):
    """Every call that opens or changes a file, as it happens, with the mode of the key after it."""
    script = (
        "import os, sys\n"
        "os.umask(0)\n"
        "from sfumato.signature import create_key\n"
        "seen = []\n"
        "def watch(event, given):\n"
        "    if event in ('open', 'os.chmod') and os.path.lexists('k.key'):\n"
        "        seen.append(os.stat('k.key').st_mode & 0o777)\n"
        "    if event == 'open' and given[0] and str(given[0]).endswith('k.key'):\n"
        "        seen.append(('made', given[2]))\n"
        "sys.addaudithook(watch)\n"
        "create_key('k.key')\n"
        "assert any(s == 0o600 for s in seen), seen\n"
        "assert all(s == 0o600 for s in seen if isinstance(s, int)), seen\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert mode(tmp_path / "k.key") == 0o600


@pytest.mark.parametrize("taken", ["k.key", "k.key.pub"])
@pytest.mark.parametrize("kind", ["file", "link", "folder"])
def test_what_is_there_is_never_overwritten(tmp_path, taken, kind):
    place = tmp_path / taken
    if kind == "file":
        place.write_text("mine")
    elif kind == "link":
        place.symlink_to(tmp_path / "nothing")
    else:
        place.mkdir()
    with pytest.raises(ParameterError, match="exists and may be a key in use"):
        create_key(tmp_path / "k.key")
    assert [path.name for path in tmp_path.iterdir()] == [taken]
    assert kind != "file" or place.read_text() == "mine"


def test_a_key_without_room_for_its_public_half_is_not_left_behind(tmp_path, monkeypatch):
    real = os.fsync

    def full(descriptor):
        if (tmp_path / "k.key.pub").exists():
            raise OSError(28, "No space left on device")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ParameterError, match="No space left"):
        create_key(tmp_path / "k.key")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("path", ["", ".", "/"])
def test_a_folder_is_no_place_for_a_key(path):
    with pytest.raises(ParameterError, match="is a folder: name a file"):
        create_key(path)


@pytest.mark.parametrize("name", ["no/such/folder/k.key", "n" * 300])
def test_a_place_that_cannot_be_written_is_named(tmp_path, name):
    with pytest.raises(ParameterError, match="cannot be written"):
        create_key(tmp_path / name)


@pytest.mark.parametrize("bits", [0o640, 0o604, 0o660, 0o644, 0o620, 0o601])
def test_a_private_key_that_others_can_reach_is_refused_with_a_remedy(made, bits):
    made.chmod(bits)
    with pytest.raises(ParameterError, match=f"open to others .mode 0{bits:o}.: chmod 600"):
        private_key(made)
    made.chmod(0o400)
    assert private_key(made).id


def test_the_two_halves_are_not_taken_for_each_other(made):
    with pytest.raises(ParameterError, match=r"k\.key\.pub is a public key: signing takes"):
        private_key(made.with_name("k.key.pub"))
    with pytest.raises(ParameterError, match=r"k\.key is a private key: give the public one"):
        known_keys(made)


def wrong_files():
    rsa = generate_private_key(65537, 2048)
    locked = serialization.BestAvailableEncryption(b"word")
    good = PrivateKey.new().pem()
    return {
        "empty": (b"", "no private key"),
        "data": (b"age,sex\n3,f\n", "no private key"),
        "binary": (bytes(range(256)), "no private key"),
        "long": (b"x" * 10**6, "no private key"),
        "cut": (good[:60], "no private key"),
        "garbled": (good.replace(b"MC4", b"MC5"), "no private key"),
        "huge": (good[:-26] + b"A" * 10**6 + good[-26:], "no private key"),
        "rsa": (rsa.private_bytes(PEM, PKCS8, OPEN), "no private key"),
        "x25519": (X25519PrivateKey.generate().private_bytes(PEM, PKCS8, OPEN), "no private key"),
        "two keys": (good + PrivateKey.new().pem(), "more than one key"),
        "locked": (rsa.private_bytes(PEM, PKCS8, locked), "locked with a passphrase"),
        "public": (
            rsa.public_key().public_bytes(PEM, serialization.PublicFormat.SubjectPublicKeyInfo),
            "is a public key",
        ),
    }


WRONG = wrong_files()


@pytest.mark.parametrize("what", WRONG)
def test_what_is_no_private_key_is_refused_in_a_line_that_quotes_nothing(tmp_path, what):
    text, said = WRONG[what]
    (tmp_path / "k.key").write_bytes(text)
    (tmp_path / "k.key").chmod(0o600)
    with pytest.raises(ParameterError, match=said) as refused:
        private_key(tmp_path / "k.key")
    shown = str(refused.value)
    assert refused.value.__cause__ is None
    assert "\n" not in shown
    assert len(shown) < 300 + len(str(tmp_path))
    for line in text.decode(errors="replace").splitlines():
        assert len(line) < 12 or line not in shown


@pytest.mark.parametrize("read", [private_key, known_keys, shown_keys])
def test_a_file_that_is_not_there_or_none_is_refused(tmp_path, read):
    os.mkfifo(tmp_path / "pipe")
    for name in ("missing", "", "pipe", "n" * 300, "zero\0byte"):
        with pytest.raises(ParameterError, match="cannot be read"):
            read(tmp_path / name)


@pytest.mark.parametrize("given", [7, b"k", True, ["k"]])
def test_a_path_must_be_a_path(given):
    with pytest.raises(ParameterError, match="sign takes the path of a private key"):
        private_key(given)
    with pytest.raises(ParameterError, match="a list of keys is a file"):
        known_keys(given)


def test_a_list_has_remarks_blank_lines_and_bare_ids(tmp_path):
    one, two = PrivateKey.new().id, PrivateKey.new().id
    place = tmp_path / "keys"
    place.write_text(f"# ours\n\n  ed25519 {one}  # since 2025\r\n{two}\n{two}\n")
    assert known_keys(place) == (one, two)
    assert key_list(place).keys == {one: "keys", two: "keys"}


@pytest.mark.parametrize(
    "line", ["ed25519", "rsa 00", "0" * 63, "0" * 65, "A" * 64, "ed25519  " + "0" * 64, "﻿x", "\0"]
)
def test_a_line_that_is_no_key_is_refused_by_its_number(tmp_path, line):
    place = tmp_path / "keys"
    place.write_text(f"{PrivateKey.new().id}\n{line}\n")
    with pytest.raises(ParameterError, match="no list of public keys: line 2"):
        known_keys(place)


def test_a_list_without_a_key_shows_no_origin(tmp_path):
    place = tmp_path / "keys"
    place.write_text("# none\n")
    assert known_keys(place) == ()
    with pytest.raises(ParameterError, match="holds no public key"):
        key_list(place)
