"""Signatures: Ed25519, as the library `cryptography` has it.

>>> private = new_signing_key()
>>> made = signature(private, b"a contribution")
>>> is_signed(public_signing_key(private), b"a contribution", made)
True
>>> is_signed(public_signing_key(private), b"another one", made)
False
"""

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

__all__ = ["is_signed", "new_signing_key", "public_signing_key", "signature"]

_USE = b"sfumato party; "  # so that nothing else that is signed with the key fits here


def new_signing_key() -> bytes:
    """A private key, from the operating system."""
    return Ed25519PrivateKey.generate().private_bytes_raw()


def public_signing_key(private: bytes) -> bytes:
    """What others check signatures with."""
    return Ed25519PrivateKey.from_private_bytes(private).public_key().public_bytes_raw()


def signature(private: bytes, content: bytes) -> str:
    """That the holder of the key made this."""
    return Ed25519PrivateKey.from_private_bytes(private).sign(_USE + content).hex()


def is_signed(public: bytes, content: bytes, made: str) -> bool:
    """Whether it is the signature of this content by the holder of the other key."""
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(bytes.fromhex(made), _USE + content)
    except (InvalidSignature, ValueError):
        return False
    return True
