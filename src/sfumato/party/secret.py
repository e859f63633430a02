"""Shamir's sharing of a secret: so many shares together give it, fewer say nothing at all.

The secret is the value at 0 of a polynomial over the integers modulo 2^521 − 1 whose other
coefficients are drawn uniformly; share x is its value at x = 1, 2, …  (Shamir 1979).

>>> shares = split(b"a secret of at most 32 bytes", threshold=2, count=3)
>>> joined({1: shares[0], 3: shares[2]}, 28)
b'a secret of at most 32 bytes'
"""

import secrets
from collections.abc import Mapping

from sfumato.errors import PartyError

__all__ = ["joined", "split"]

_PRIME = 2**521 - 1
_LONGEST = 64  # bytes


def split(secret: bytes, threshold: int, count: int) -> list[int]:
    """Shares 1, 2, …, count, of which any `threshold` give the secret."""
    if len(secret) > _LONGEST or not 1 <= threshold <= count:
        raise ValueError("a secret of at most 64 bytes, and a threshold of at most the shares")
    rest = [secrets.randbelow(_PRIME) for _ in range(threshold - 1)]
    coefficients = [int.from_bytes(secret, "big"), *rest]
    return [_value(coefficients, x) for x in range(1, count + 1)]


def _value(coefficients: list[int], x: int) -> int:
    total = 0
    for coefficient in reversed(coefficients):
        total = (total * x + coefficient) % _PRIME
    return total


def joined(shares: Mapping[int, int], length: int) -> bytes:
    """The secret of so many bytes that these shares, by their number, give."""
    total = 0
    for i, y in shares.items():
        over = under = 1
        for j in shares:
            if j != i:
                over = over * j % _PRIME
                under = under * (j - i) % _PRIME
        total = (total + y * over * pow(under, -1, _PRIME)) % _PRIME
    try:
        return total.to_bytes(length, "big")
    except OverflowError:
        raise PartyError("the shares of a secret do not fit together: a file was changed") from None
