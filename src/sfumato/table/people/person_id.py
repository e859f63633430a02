"""Who a row belongs to: its id, made comparable by one rule, as a keyed hash of 128 bits.

The rule.  An id is compared as text.  Whole numbers are their digits, and so are numbers without
a fraction, stored or written: 7, 7.0, "7" and "7.0" are one person.  White space at the ends does
not count, letters are compared in Unicode's form NFD, and case matters.  Zeros in front
are part of a text: "007" is not 7, and whoever reads a file into numbers has lost them.  Bytes that
are no text are compared as bytes.  What is empty, missing, not a number or unreadable is no id.

Where two spellings are in doubt they are one person: two persons taken for one are protected
together, one taken for two only by half.  Nothing here raises because of a value.
The hash: two of n persons are taken for one with probability below n² / 2¹²⁹, 10⁻²⁵ for ten
million.
"""

import hmac

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.errors import DataError
from sfumato.numeric.arrays import Mask
from sfumato.table.people.sip_hash import hashes_of_bytes, hashes_of_words
from sfumato.table.source import Source
from sfumato.table.sql.unread import UnreadType
from sfumato.table.stored import distinct
from sfumato.table.value import UNREADABLE, text_of

__all__ = ["check_ids", "id_hashes", "id_texts"]

_FRACTION = r"^(-?[0-9]+)\.0+$"
_LARGEST = 2.0**63


def id_hashes(
    batch: pa.RecordBatch, names: tuple[str, ...], key: bytes
) -> tuple[NDArray[np.uint64], Mask]:
    """NOT PRIVATE: two numbers for the id of each row, and whether it has one.

    >>> batch = pa.RecordBatch.from_pydict({"a": [7.0, None, 7.5], "b": ["7", "x", "7.50"]})
    >>> found, there = id_hashes(batch, ("a",), b"key")
    >>> bool((found[0] == id_hashes(batch, ("b",), b"key")[0][0]).all()), there.tolist()
    (True, [True, False, True])
    """
    own = hmac.digest(key, b"sfumato person", "sha256")[:16]
    each = [_hashes(batch.column(name), own) for name in names]
    there = np.logical_and.reduce([found for _, found in each])
    if len(each) == 1:
        return each[0][0], there
    return hashes_of_words(np.hstack([found for found, _ in each]), own), there


def _hashes(column: pa.Array, key: bytes) -> tuple[NDArray[np.uint64], Mask]:
    """Worked out once for each id that occurs in the batch."""
    places, values = _distinct(column)
    texts = id_texts(values)
    there = np.asarray(texts.is_valid().to_numpy(zero_copy_only=False))
    return hashes_of_bytes(texts, key)[places], there[places]


def _distinct(column: pa.Array) -> tuple[NDArray[np.integer], pa.Array]:
    if pa.types.is_string_view(column.type) or pa.types.is_string(column.type):
        column = column.cast(pa.large_string())
    if pa.types.is_float16(column.type):  # whose values Arrow before 26 cannot tell apart
        column = column.cast(pa.float32())
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    return distinct(column)


def check_ids(source: Source, names: tuple[str, ...]) -> None:
    """Refuse, by the header alone, columns that are not there or hold no single values."""
    for name in names:
        if name not in source.names:
            raise DataError(f"column {name}, the id of persons, is not in the data")
        kind = source.types.get(name)
        if kind is not None and (pa.types.is_nested(kind) or isinstance(kind, UnreadType)):
            raise DataError(f"column {name}: values of its type are no ids: make it text")


def id_texts(values: pa.Array) -> pa.LargeBinaryArray:
    """NOT PRIVATE: each id as it is compared; null for what is none.

    >>> ids = [" 7", "7.0", "007", "\\u00e1", "", "NaN", "7.5"]
    >>> [text and ascii(text.decode()) for text in id_texts(pa.array(ids)).to_pylist()]
    ["'7'", "'7'", "'007'", "'a\\\\u0301'", None, None, "'7.5'"]
    """
    kind = values.type
    if pa.types.is_integer(kind):
        return _as_bytes(values.cast(pa.large_string()))
    if pa.types.is_floating(kind):
        return _of_floats(values)
    if pa.types.is_fixed_size_binary(kind) or pa.types.is_binary(kind):
        values = values.cast(pa.large_binary())
    if pa.types.is_large_binary(values.type) or pa.types.is_large_string(values.type):
        return _of_raw(values.cast(pa.large_binary()))
    try:
        return _of_texts(values.cast(pa.large_string()))
    except pa.ArrowException:  # of a type that has no text
        return pa.nulls(len(values), pa.large_binary())


def _of_floats(values: pa.Array) -> pa.LargeBinaryArray:
    numbers = np.asarray(values.cast(pa.float64()).to_numpy(zero_copy_only=False))
    whole = (np.abs(numbers) < _LARGEST) & (np.floor(numbers) == numbers)
    digits = pa.array(np.where(whole, numbers, 0).astype(np.int64)).cast(pa.large_string())
    if whole.all():
        return _as_bytes(digits)
    others = [
        None if is_whole else text_of(float(x)) for x, is_whole in zip(numbers, whole, strict=True)
    ]
    texts = pc.if_else(pa.array(whole), digits, pa.array(others, pa.large_string()))
    return _as_bytes(texts)


def _of_raw(raw: pa.LargeBinaryArray) -> pa.LargeBinaryArray:
    """Bytes that are UTF-8 as text, others as they stand."""
    try:
        return _of_texts(raw.cast(pa.large_string()))
    except pa.ArrowInvalid:
        pass
    listed = raw.to_pylist()
    torn = np.array([value is not None and not _is_text(value) for value in listed])
    sound = pa.array(
        [None if bad else v for v, bad in zip(listed, torn, strict=True)], pa.large_binary()
    )
    return pc.if_else(pa.array(torn), raw, _of_texts(sound.cast(pa.large_string())))


def _is_text(value: bytes) -> bool:
    try:
        value.decode()
    except UnicodeDecodeError:
        return False
    return True


def _of_texts(texts: pa.LargeStringArray) -> pa.LargeBinaryArray:
    texts = pc.utf8_trim_whitespace(texts)
    if not pc.all(pc.string_is_ascii(texts)).as_py():
        # Taken apart, not composed: Arrow before 26 takes apart whatever it is asked for.
        texts = pc.utf8_normalize(texts, form="NFD")
    if pc.any(pc.match_substring(texts, ".0")).as_py():
        texts = pc.replace_substring_regex(texts, _FRACTION, r"\1")
    nothing = pc.is_in(pc.utf8_lower(texts), pa.array(["", "nan", UNREADABLE], pa.large_string()))
    return _as_bytes(pc.if_else(nothing, pa.scalar(None, pa.large_string()), texts))


def _as_bytes(texts: pa.LargeStringArray) -> pa.LargeBinaryArray:
    return texts.cast(pa.large_binary())
