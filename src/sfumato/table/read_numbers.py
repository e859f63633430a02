"""Numbers from a column of any stored type, and from texts as the schema says they are written.

>>> numbers(pa.array(["7", " 1e2", "-inf", "seven", "1_000"]))
array([  7., 100., -inf,  nan,  nan])
>>> numbers(pa.array(["1.234,50", "1,5", "1.5"]), Written(decimal=",", thousands="."))
array([1234.5,    1.5,    nan])
"""

import re

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.numeric.arrays import Vector
from sfumato.schema.written_number import PLAIN, Written, shape_of
from sfumato.table.stored import distinct, is_number, plain, trimmed
from sfumato.table.value import STORED

__all__ = ["numbers"]

_NUMBER = r"^[+-]?([0-9]{1,300}\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,2})?$"
# The same without bounds: as Python would read it, but for underscores and foreign digits.
_ANY = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?inf(inity)?", re.I)


def numbers(column: pa.Array, how: Written = PLAIN) -> Vector:
    """NOT PRIVATE: values as float64, not-a-number where they cannot be read."""
    if pa.types.is_dictionary(column.type):
        places, values = distinct(column)
        return np.asarray(numbers(values, how)[places])
    column = plain(column)
    if pa.types.is_large_string(column.type):
        column = _parsed(column if how == PLAIN else _rewritten(column, how))
    elif pa.types.is_boolean(column.type):
        column = column.cast(pa.int8())
    elif not (is_number(column.type) or pa.types.is_decimal(column.type)):
        return np.full(len(column), np.nan)
    column = column.cast(pa.float64(), safe=False)
    if column.null_count:
        column = pc.fill_null(column, float("nan"))
    return np.asarray(column.to_numpy(zero_copy_only=False))


def _rewritten(texts: pa.Array, how: Written) -> pa.Array:
    """Texts as they would be written without a declaration; null where they break it."""
    shape, separators, end = shape_of(how)
    bare = trimmed(texts)
    known = pc.if_else(pc.match_substring_regex(bare, shape), bare, None)
    if separators:
        known = pc.replace_substring_regex(known, separators, "")
    if how.decimal != ".":
        known = pc.replace_substring(known, how.decimal, ".")
    if end:  # a number among texts may be a share of one, 0.45 shown as 45 %: it is not read
        return pc.replace_substring_regex(known, end, "")
    return pc.if_else(pc.starts_with(texts, STORED), bare, known)


def _parsed(texts: pa.Array) -> pa.Array:
    texts = trimmed(texts)
    readable = pc.match_substring_regex(texts, _NUMBER)
    numbers = pc.if_else(readable, texts, None).cast(pa.float64())
    # Infinities, booleans and exponents of three digits are rare: each by itself.
    rest = np.asarray(pc.fill_null(pc.invert(readable), False).to_numpy(zero_copy_only=False))
    if not rest.any():
        return numbers
    values = np.array(numbers.to_numpy(zero_copy_only=False), dtype=np.float64)
    values[rest] = [_float(text) for text in texts.filter(pa.array(rest)).to_pylist()]
    return pa.array(values, from_pandas=True)


def _float(text: str) -> float:
    # Booleans count as 1 and 0 when they are stored as such, so also when written out.
    text = {"true": "1", "false": "0"}.get(text.lower(), text)
    return float(text) if _ANY.fullmatch(text) else float("nan")
