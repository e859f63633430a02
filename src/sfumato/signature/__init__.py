"""Who made a thing: Ed25519 keys and their files, signatures, signed heads of ledgers.

What is signed is a short text that says what it is about, so that no signature fits elsewhere.

>>> from tempfile import TemporaryDirectory
>>> with TemporaryDirectory() as place:
...     made = create_key(f"{place}/publisher.key")
...     private = private_key(f"{place}/publisher.key")
...     [public] = known_keys(f"{place}/publisher.key.pub")
>>> made == private.id == public, is_signed(public, b"a text", private.signature(b"a text"))
(True, True)
"""

from sfumato.signature.head import SignedHead, check_head, sign_head
from sfumato.signature.key import PrivateKey, is_signed
from sfumato.signature.key_file import (
    KeyList,
    create_key,
    key_list,
    known_keys,
    private_key,
    signing_key,
)

__all__ = [
    "KeyList",
    "PrivateKey",
    "SignedHead",
    "check_head",
    "create_key",
    "is_signed",
    "key_list",
    "known_keys",
    "private_key",
    "sign_head",
    "signing_key",
]
