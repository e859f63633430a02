"""Noise for records in parts that any worker may make, again and again: a key and a part give bits.

A row for each record means noise where the records are.  A worker that is started again must
repeat its noise, or two attempts would tell more than was paid for; and the same noise must never
meet other records, or their difference would be bare.  So the bits of a part are the AES-256-CTR
keystream under

    HMAC-SHA256(key; purpose, number of the part, codes of its records),

and the key is drawn once for each purchase, from the bits that the purse hands out: the ledger
knows of the draw before there is a key.  It is sent to whoever makes parts, and written nowhere
(`docs/proofs/noise.md`).

>>> from sfumato.privacy.randomness import SystemBits
>>> key = NoiseKey.of(SystemBits(), "records")
>>> key
NoiseKey(purpose='records', seeded=False)
>>> codes = np.array([[1, 2]], np.int32)
>>> key.part(3, codes).words(2).tolist() == key.part(3, codes).words(2).tolist()
True
>>> key.part(3, codes).words(2).tolist() == key.part(4, codes).words(2).tolist()
False
"""

import hmac
import json
from dataclasses import dataclass, field

import numpy as np

from sfumato.numeric.arrays import Codes
from sfumato.privacy.randomness import Bits, Keystream

__all__ = ["NoiseKey", "PartBits"]

_WORDS = 4  # of 64 bits


@dataclass(frozen=True)
class NoiseKey:
    """What the noise of every part of one purchase follows from; it never leaves the run."""

    secret: bytes = field(repr=False)
    purpose: str
    seeded: bool

    @classmethod
    def of(cls, bits: Bits, purpose: str) -> "NoiseKey":
        """A fresh key; whoever is told before the first draw is told before it exists."""
        return cls(bits.words(_WORDS).astype("<u8").tobytes(), purpose, bits.seeded)

    def part(self, number: int, codes: Codes) -> Bits:
        """The bits of one part of the records, from their beginning."""
        return PartBits(self.digest(number, codes), self.seeded)

    def digest(self, number: int, codes: Codes) -> bytes:
        """The key of a part: another one for another number and for any other records."""
        # A list in JSON shows where it ends, and how many codes follow.
        said = json.dumps([self.purpose, number, *codes.shape])
        found = hmac.new(self.secret, f"sfumato noise by part {said}".encode(), "sha256")
        found.update(np.ascontiguousarray(codes.T, "<i4").data)  # as codes lie in memory
        return found.digest()


class PartBits(Keystream):
    """The bits of one part; those of another purchase, part or records are other ones."""

    def __init__(self, key: bytes, seeded: bool) -> None:
        super().__init__()
        self._key, self.seeded = key, seeded

    def _key_and_nonce(self) -> tuple[bytes, bytes]:
        return self._key, bytes(16)  # each key is used for one stream
