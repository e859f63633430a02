"""Keys of a party, sealed letters between two, and masks that cancel in the sum.

All of it is X25519, HKDF-SHA-256, ChaCha20 and ChaCha20-Poly1305 as the library `cryptography`
has them.  Every derived key is bound to its use, to the agreement, to all public keys (the
roster) and to the round, so that nothing of one exchange fits another and no mask is used twice.

>>> ours, theirs = new_key(), new_key()
>>> here = pair_mask(ours, public_key(theirs), "use", 3, adds=True)
>>> there = pair_mask(theirs, public_key(ours), "use", 3, adds=False)
>>> (here + there).tolist()
[0, 0, 0]
"""

import os

import numpy as np
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from numpy.typing import NDArray

from sfumato.errors import PartyError

__all__ = ["LENGTH", "new_key", "pair_mask", "public_key", "sealed", "self_mask", "unsealed"]

LENGTH = 32  # bytes of every key and seed
_NONCE = 12
Masks = NDArray[np.uint64]  # added modulo 2^64


def new_key() -> bytes:
    """A private key, from the operating system."""
    return X25519PrivateKey.generate().private_bytes_raw()


def public_key(private: bytes) -> bytes:
    """What others may know of it."""
    return X25519PrivateKey.from_private_bytes(private).public_key().public_bytes_raw()


def self_mask(seed: bytes, use: str, count: int) -> Masks:
    """The mask that a party puts on by itself."""
    return _stream(_derived(seed, f"self mask; {use}"), count)


def pair_mask(private: bytes, peer: bytes, use: str, count: int, *, adds: bool) -> Masks:
    """The mask that two parties have in common: one adds it, the other takes it off."""
    stream = _stream(_derived(_agreed(private, peer), f"pair mask; {use}"), count)
    return stream if adds else np.negative(stream)


def sealed(content: bytes, private: bytes, peer: bytes, use: str) -> bytes:
    """The content, for the holder of the other key alone; whoever changes it is found out."""
    nonce = os.urandom(_NONCE)
    cipher = ChaCha20Poly1305(_derived(_agreed(private, peer), f"letter; {use}"))
    return nonce + cipher.encrypt(nonce, content, use.encode())


def unsealed(letter: bytes, private: bytes, peer: bytes, use: str) -> bytes:
    """The inverse of `sealed`, on the other side."""
    cipher = ChaCha20Poly1305(_derived(_agreed(private, peer), f"letter; {use}"))
    try:
        return cipher.decrypt(letter[:_NONCE], letter[_NONCE:], use.encode())
    except (InvalidTag, ValueError):
        raise PartyError(
            "sealed shares do not open: the file was changed or is another's"
        ) from None


def _agreed(private: bytes, peer: bytes) -> bytes:
    try:
        key = X25519PublicKey.from_public_bytes(peer)
        return X25519PrivateKey.from_private_bytes(private).exchange(key)
    except ValueError:  # a point of small order
        raise PartyError("a public key is none: ask the party for its key file again") from None


def _derived(secret: bytes, use: str) -> bytes:
    return HKDF(SHA256(), LENGTH, salt=None, info=f"sfumato party; {use}".encode()).derive(secret)


def _stream(key: bytes, count: int) -> Masks:
    """A key is used for one stream, so that its nonce may be zero."""
    cipher = Cipher(algorithms.ChaCha20(key, bytes(16)), mode=None).encryptor()
    return np.frombuffer(cipher.update(bytes(8 * count)), "<u8").astype(np.uint64)
