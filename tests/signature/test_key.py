"""Keys: what they sign, what they refuse to check, and that they show nothing of themselves."""

import copy
import pickle

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from sfumato.signature.key import _WEAK, PrivateKey, brief, is_signed

KEY = PrivateKey.new()
MADE = KEY.signature(b"a text")
# R is the neutral point and S is 0: it fits every text under a key that is the neutral point.
FITS_ALL = "01" + "00" * 63


def test_a_signature_fits_its_text_and_key_and_no_other():
    assert is_signed(KEY.id, b"a text", MADE)
    assert not is_signed(KEY.id, b"a text ", MADE)
    assert not is_signed(PrivateKey.new().id, b"a text", MADE)


def test_every_changed_bit_of_a_signature_is_seen():
    whole = bytes.fromhex(MADE)
    for bit in range(512):
        flipped = bytearray(whole)
        flipped[bit // 8] ^= 1 << bit % 8
        assert not is_signed(KEY.id, b"a text", flipped.hex())


@pytest.mark.parametrize(
    "made", ["", "0", "zz", MADE[:-2], MADE + "00", "0" * 10**6, "é" * 128], ids=range(7)
)
def test_what_is_no_signature_fits_nothing(made):
    assert not is_signed(KEY.id, b"a text", made)


@pytest.mark.parametrize(  # the key is another one in each process of the tests
    "key", ["", "0", KEY.id[:-2], KEY.id + "00", "é" * 64, "f" * 64], ids=range(6)
)
def test_what_is_no_key_signs_nothing(key):
    assert not is_signed(key, b"a text", MADE)


def test_keys_for_which_anybody_can_sign_are_no_keys():
    """Each of them takes a signature that nobody made, as the library checks it: the control."""
    signs = [key[:-2] + f"{int(key[-2:], 16) | sign:02x}" for key in _WEAK for sign in (0, 0x80)]
    taken = 0
    for key in signs:
        texts = [str(number).encode() for number in range(200)]
        taken += any(_library_takes(key, text) for text in texts)
        assert not any(is_signed(key, text, FITS_ALL) for text in texts)
    assert taken >= len(_WEAK)


def _library_takes(key, text):
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(key)).verify(bytes.fromhex(FITS_ALL), text)
    except (InvalidSignature, ValueError):
        return False
    return True


def test_a_private_key_shows_its_id_alone_and_is_not_carried_away():
    secret = KEY._key.private_bytes_raw()
    for shown in (repr(KEY), str(KEY), f"{KEY!s}"):
        assert secret.hex() not in shown
        assert KEY.id in shown
    assert not hasattr(KEY, "__dict__")
    for carry in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="stays in its file"):
            carry(KEY)


def test_two_keys_are_never_the_same_and_half_an_id_is_shown():
    assert len({PrivateKey.new().id for _ in range(50)}) == 50
    assert brief(KEY.id) == KEY.id[:32] + "…"
