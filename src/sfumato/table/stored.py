"""Columns as they are stored: the few plain types that every reading rule knows.

Nothing here raises because of a value, and what is said of a value looks at that value alone.
"""

from collections.abc import Collection

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.numeric.arrays import Mask
from sfumato.table.value import text_of

__all__ = ["absent", "among", "decoded", "distinct", "is_number", "plain", "trimmed"]


def distinct(column: pa.DictionaryArray) -> tuple[NDArray[np.integer], pa.Array]:
    """For each row the place of its value among all that are listed, the last of which is missing.

    Not spread out: a long text of many rows would fill the memory.  Of a list that is longer than
    the column, what occurs is all that is looked at.
    """
    places, values = column.indices, column.dictionary
    if pa.types.is_string_view(values.type):  # which Arrow cannot pick from
        values = values.cast(pa.large_string())
    if len(values) > len(column):
        used = places.dictionary_encode()
        places, values = used.indices, values.take(used.dictionary)
    if places.null_count:
        places = pc.fill_null(places.cast(pa.int64()), len(values))
    listed = pa.concat_arrays([values, pa.nulls(1, values.type)])
    return np.asarray(places.to_numpy(zero_copy_only=False)), listed


def plain(column: pa.Array) -> pa.Array:
    """Texts of every width and short numbers as ordinary arrays; nulls where no kind fits."""
    kind = column.type
    if pa.types.is_decimal(kind):
        short = kind.bit_width < 128
        return column.cast(pa.decimal128(kind.precision, kind.scale)) if short else column
    if pa.types.is_float16(kind):  # whose values Arrow before 26 cannot tell apart
        return column.cast(pa.float32())
    if pa.types.is_string(kind) or pa.types.is_string_view(kind):
        # The wide one has no bound on the bytes of all its rows together.
        return column.cast(pa.large_string())
    known = pa.types.is_large_string(kind) or pa.types.is_boolean(kind) or is_number(kind)
    known = known or pa.types.is_timestamp(kind) or pa.types.is_date(kind)
    return column if known else pa.nulls(len(column))


def is_number(kind: pa.DataType) -> bool:
    """Whether these are whole numbers or floats."""
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def trimmed(texts: pa.Array) -> pa.Array:
    """Texts without spaces around them, with a mark for bytes that are not UTF-8."""
    return pc.utf8_trim_whitespace(_readable(texts))


def _readable(texts: pa.Array) -> pa.Array:
    """Text whose bytes are UTF-8; others are marked: they spoil the value, not the file."""
    try:
        texts.validate(full=True)
    except pa.ArrowInvalid:
        raw = texts.cast(pa.large_binary()).to_pylist()
        return pa.array([text_of(value) for value in raw], pa.large_string())
    return texts


def decoded(texts: pa.Array) -> list[str]:
    """Texts, none of them null, one by one; bytes that are not UTF-8 as the mark for such."""
    return [raw.decode(errors="replace") for raw in texts.cast(pa.large_binary()).to_pylist()]


def absent(column: pa.Array) -> Mask:
    """Where a column holds nothing: no value, not-a-number, or a text that is empty or `nan`.

    Bytes that are not UTF-8 are something.

    >>> absent(pa.array(["", " ", "7", None, "NaN"])).tolist()
    [True, True, False, True, True]
    """
    nothing = np.asarray(column.is_null(nan_is_null=True).to_numpy(zero_copy_only=False))
    return nothing | among(column, ("", "nan"), folded=True)


def among(column: pa.Array, words: Collection[str], *, folded: bool = False) -> Mask:
    """Where a column of texts holds one of the words, without spaces around it.

    `folded`: in capitals or not.

    >>> among(pa.array([" NA", "na", None]), ["NA"]).tolist()
    [True, False, False]
    """
    column = plain(column)
    if not words or not pa.types.is_large_string(column.type):
        return np.zeros(len(column), np.bool_)
    texts, known = trimmed(column), pa.array(list(words), pa.large_string())
    if folded:
        texts, known = pc.utf8_lower(texts), pc.utf8_lower(known)
    found = pc.is_in(texts, known, skip_nulls=True)
    return np.asarray(found.to_numpy(zero_copy_only=False))
