"""Keys and signatures: Ed25519, as the library `cryptography` has it.

The id of a key is its public half, 64 hexadecimal digits: whoever has the id can check signatures,
and no digest of it can be mistaken for that of another key.
"""

from typing import NoReturn

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

__all__ = ["KEY_ID", "SIGNATURE", "PrivateKey", "brief", "is_signed"]

KEY_ID = r"^[0-9a-f]{64}$"
SIGNATURE = r"^[0-9a-f]{128}$"
# Points of small order, but for the sign: "keys" for which anybody can sign anything.
_WEAK = frozenset(
    {
        "00" * 32,
        "01" + "00" * 31,
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "ec" + "ff" * 30 + "7f",
        "ed" + "ff" * 30 + "7f",
        "ee" + "ff" * 30 + "7f",
    }
)


class PrivateKey:
    """What signs.  It shows its id and nothing else, and is neither copied nor pickled.

    >>> key = PrivateKey.new()
    >>> repr(key) == f"PrivateKey(id={key.id!r})"
    True
    """

    __slots__ = ("_key", "id")

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key, self.id = key, key.public_key().public_bytes_raw().hex()

    @classmethod
    def new(cls) -> "PrivateKey":
        """A key from the operating system's randomness."""
        return cls(Ed25519PrivateKey.generate())

    def signature(self, text: bytes) -> str:
        """That the holder of the key stated this text."""
        return self._key.sign(text).hex()

    def pem(self) -> bytes:
        """What its file holds: PKCS 8, which tools that look for lost secrets know."""
        return self._key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())

    def __repr__(self) -> str:
        return f"PrivateKey(id={self.id!r})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a private key stays in its file: give the path")


def brief(key: str) -> str:
    """The first half of an id, for a line: 128 bits, which nobody finds a second key for.

    >>> brief("3f1a" * 16)
    '3f1a3f1a3f1a3f1a3f1a3f1a3f1a3f1a…'
    """
    return f"{key[:32]}…"


def is_signed(key: str, text: bytes, signature: str) -> bool:
    """Whether the holder of the key with this id signed the text.

    >>> key = PrivateKey.new()
    >>> made = key.signature(b"one text")
    >>> is_signed(key.id, b"one text", made), is_signed(key.id, b"another text", made)
    (True, False)
    >>> is_signed("no key", b"one text", made), is_signed(key.id, b"one text", "short")
    (False, False)
    """
    try:
        point = bytes.fromhex(key)
        if bytes([*point[:-1], point[-1] & 0x7F]).hex() in _WEAK:
            return False
        public = Ed25519PublicKey.from_public_bytes(point)
        public.verify(bytes.fromhex(signature), text)
    except (InvalidSignature, ValueError, IndexError):
        return False
    return True
