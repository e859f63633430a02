"""The messages between client and server: a question with its id, as JSON or as bytes.

    JSON    {"id": "…", "query": [0, 1, -2, …]}                      one number for each key
            {"id": "…", "coefficients": [0.5, 0, …]}                 orthonormal Haar coefficients
    bytes   "SFQ1" | kind | length of id | id | count (u32, little endian) | numbers

A kind says how the numbers are packed: whole numbers of 1, 2, 4 or 8 bytes, whichever is
enough, or Haar coefficients as one bit each for "not 0" and the others as 4-byte floats.  What
is sent is already noisy, so packing and rounding are post-processing.
"""

import hashlib
import json
import re
import struct
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from sfumato.errors import ParameterError
from sfumato.numeric.arrays import Vector
from sfumato.numeric.haar import levels
from sfumato.retrieval.histogram import checked_query
from sfumato.retrieval.mutual import restored
from sfumato.untrusted.strict_json import parsed

__all__ = ["BYTES", "JSON", "Form", "Question", "largest_message"]

JSON, BYTES = "application/json", "application/octet-stream"
Form = Literal["query", "coefficients"]
_MAGIC = b"SFQ1"
_WHOLE = {1: "<i1", 2: "<i2", 4: "<i4", 8: "<i8"}
_SPARSE = 16
_LARGEST = 2.0**53  # so that no answer leaves the range of floats
_ID = re.compile(r"[A-Za-z0-9_-]{8,64}")
_DAMAGED = "the message is damaged: it is not a question of this protocol"


def largest_message(length: int) -> int:
    """Bytes that no honest question of this length exceeds: 24 digits a number, and the rest."""
    return 1024 + 25 * (1 << levels(length))


@dataclass(frozen=True, eq=False)
class Question:
    """An id, and what is asked under it.

    >>> noisy = Question("a1b2c3d4", "query", np.array([0.0, 3, -1, 0]))
    >>> packed = noisy.to_bytes()
    >>> len(packed), Question.from_bytes(packed, 4).digest() == noisy.digest()
    (22, True)
    """

    id: str
    form: Form
    numbers: Vector

    def __post_init__(self) -> None:
        if not isinstance(self.id, str) or not _ID.fullmatch(self.id):
            raise ParameterError("id must have 8 to 64 letters, digits, - or _")

    def vector(self, length: int) -> Vector:
        """A number for each key."""
        return self.numbers if self.form == "query" else restored(self.numbers, length)

    def digest(self) -> str:
        """The same for the same numbers, however they were sent."""
        found = hashlib.sha256(self.form.encode())
        found.update((self.numbers + 0.0).astype("<f8").tobytes())  # no minus zeros
        return found.hexdigest()

    def to_json(self) -> bytes:
        """As JSON."""
        return json.dumps({"id": self.id, self.form: self.numbers.tolist()}).encode()

    @classmethod
    def from_json(cls, body: bytes, length: int) -> "Question":
        """The inverse of `to_json`, refused unless it fits counts of this length."""
        try:
            found = parsed(body)
        except ValueError as error:
            raise ParameterError(f"the question cannot be read: {error}") from None
        if not isinstance(found, dict) or len(found) != 2 or "id" not in found:
            raise ParameterError("a question has an id and either a query or coefficients")
        for form in ("query", "coefficients"):
            if form in found:
                numbers = found[form]
                # Looked at before NumPy does, which takes its time over lists of other things.
                if not isinstance(numbers, list):
                    raise ParameterError("query must be a list of numbers, one for each key")
                _check_length(len(numbers), length if form == "query" else 1 << levels(length))
                if not all(type(number) in (int, float) for number in numbers):
                    raise ParameterError("query must be a list of numbers, one for each key")
                return cls._checked(found["id"], form, numbers, length)
        raise ParameterError("a question has an id and either a query or coefficients")

    def to_bytes(self) -> bytes:
        """Packed, in as few bytes as the numbers need; coefficients lose digits here."""
        name, count = self.id.encode(), struct.pack("<I", self.numbers.size)
        if self.form == "coefficients":
            some = self.numbers != 0
            bits, kept = np.packbits(some).tobytes(), self.numbers[some].astype("<f4").tobytes()
            return b"".join([_MAGIC, bytes([_SPARSE, len(name)]), name, count, bits, kept])
        most = float(np.abs(self.numbers).max(initial=0.0))
        size = next((size for size in _WHOLE if most < 2 ** (8 * size - 1)), None)
        if size is None or (self.numbers % 1).any():
            raise ParameterError("query must consist of whole numbers of at most 64 bits")
        packed = self.numbers.astype(_WHOLE[size]).tobytes()
        return b"".join([_MAGIC, bytes([size, len(name)]), name, count, packed])

    @classmethod
    def from_bytes(cls, body: bytes, length: int) -> "Question":
        """The inverse of `to_bytes`, refused unless it fits counts of this length."""
        if len(body) < 10 or body[:4] != _MAGIC:
            raise ParameterError(_DAMAGED)
        kind, start = body[4], 6 + body[5]
        name, rest = body[6:start].decode("ascii", "replace"), body[start + 4 :]
        if len(body) < start + 4:
            raise ParameterError(_DAMAGED)
        (count,) = struct.unpack_from("<I", body, start)
        _check_length(count, length if kind in _WHOLE else 1 << levels(length))
        if kind == _SPARSE:
            return cls._checked(name, "coefficients", _unpacked(rest, count), length)
        if kind not in _WHOLE or len(rest) != kind * count:
            raise ParameterError(_DAMAGED)
        return cls._checked(name, "query", np.frombuffer(rest, _WHOLE[kind]), length)

    @classmethod
    def _checked(cls, name: Any, form: Form, numbers: Any, length: int) -> "Question":
        wanted = length if form == "query" else 1 << levels(length)
        found = checked_query(numbers, wanted)
        if np.abs(found).max() > _LARGEST:
            raise ParameterError("query must hold numbers of at most 2**53 in size")
        return cls(name, form, found)


def _check_length(found: int, wanted: int) -> None:
    if found != wanted:
        raise ParameterError(f"query must have {wanted} numbers, one for each key, got {found}")


def _unpacked(rest: bytes, count: int) -> Vector:
    room = -(-count // 8)
    if len(rest) < room:
        raise ParameterError(_DAMAGED)
    some = np.unpackbits(np.frombuffer(rest[:room], np.uint8), count=count).astype(bool)
    if len(rest) != room + 4 * int(some.sum()):
        raise ParameterError(_DAMAGED)
    numbers = np.zeros(count)
    numbers[some] = np.frombuffer(rest[room:], "<f4")
    return numbers
