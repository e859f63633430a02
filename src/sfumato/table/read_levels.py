"""Categories and truth values from a column of any stored type, as codes of their levels."""

import re
from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.numeric.arrays import Codes, Vector
from sfumato.schema.domain import Levels
from sfumato.table.complaint import Complaint, Complaints, against_unread
from sfumato.table.read_numbers import NO_NUMBER, numbers
from sfumato.table.stored import absent, plain, trimmed
from sfumato.table.value import text_of

__all__ = ["listed", "write_levels", "write_truths"]

_WHOLE = re.compile(r"[+-]?[0-9]+\.0+")
_FOREIGN = "\ufffd"  # what stands for bytes that are not UTF-8
_TRUE, _FALSE = ("true", "t", "yes", "y", "1", "1.0"), ("false", "f", "no", "n", "0", "0.0")
_NEITHER = -1


def write_truths(
    codes: Codes, complaints: Complaints | None, axis: Levels, column: pa.Array
) -> None:
    """NOT PRIVATE: the code of each truth value and, where asked, what is said against it."""
    found = _truths(plain(column))
    neither = found == _NEITHER
    np.copyto(codes, found)
    codes[neither] = axis.unusable
    if complaints is not None:
        complaints[:] = Complaint.FITS
        complaints[neither] = against_unread(
            absent(column, NO_NUMBER)[neither], allowed=axis.missing
        )


def _truths(column: pa.Array) -> Codes:
    if not pa.types.is_large_string(column.type):
        return _of_numbers(numbers(column))
    texts = pc.utf8_lower(trimmed(column))
    true, false = (
        np.asarray(pc.is_in(texts, pa.array(words, texts.type)).to_numpy(zero_copy_only=False))
        for words in (_TRUE, _FALSE)
    )
    codes = np.where(true, 1, np.where(false, 0, _NEITHER)).astype(np.int32)
    rest = ~(true | false)
    if rest.any():  # numbers in other spellings, as where the column holds numbers
        codes[rest] = _of_numbers(numbers(texts.filter(pa.array(rest))))
    return codes


def _of_numbers(values: Vector) -> Codes:
    return np.where(values == 1, 1, np.where(values == 0, 0, _NEITHER)).astype(np.int32)


def write_levels(
    codes: Codes, complaints: Complaints | None, axis: Levels, column: pa.Array
) -> None:
    """NOT PRIVATE: the place of each value in the list, compared as trimmed text.

    Where asked, what is said against it as well.
    """
    stored = plain(column)
    if pa.types.is_timestamp(stored.type) or pa.types.is_date(stored.type):
        stored = pa.nulls(len(stored))
    # A few distinct values are converted once each; most columns have far fewer than rows.
    distinct = stored.dictionary_encode()
    judged = _judge(axis)
    known = [judged(text_of(value)) for value in _each(distinct.dictionary)]
    known.append(judged(""))
    places = np.asarray(pc.fill_null(distinct.indices, len(known) - 1))
    codes[:] = np.array([code for code, _ in known], np.int32)[places]
    if complaints is not None:
        complaints[:] = np.array([complaint for _, complaint in known], np.uint8)[places]


def _each(values: pa.Array) -> list[object]:
    """Values as Python objects; bytes that are not UTF-8 as the mark that stands for them."""
    if not pa.types.is_large_string(values.type):
        return list(values.to_pylist())
    raw = values.cast(pa.large_binary()).to_pylist()
    return [value.decode(errors="replace") for value in raw]


def _judge(axis: Levels) -> Callable[[str | None], tuple[int, Complaint]]:
    """The code of a text, and what is said against it."""
    found_in = listed(axis)

    def judged(text: str | None) -> tuple[int, Complaint]:
        text = (text or "").strip()
        if not text:
            return axis.unusable, Complaint.FITS if axis.missing else Complaint.MISSING
        if (code := found_in(text, _NEITHER)) != _NEITHER:
            return code, Complaint.FITS
        if _FOREIGN in text:
            return axis.unusable, Complaint.UNREADABLE
        return axis.unknown, Complaint.FITS if axis.other else Complaint.NOT_LISTED

    return judged


def listed(axis: Levels) -> Callable[[str, int], int]:
    """Where a trimmed text stands in the list of levels; else what is said instead."""
    exact = {str(value).strip(): code for code, value in enumerate(axis.values)}
    position = {_whole(text): code for text, code in exact.items()} | exact
    return lambda text, unknown: position.get(text, position.get(_whole(text), unknown))


def _whole(text: str) -> str:
    """3.0 as 3: a gap in a column of whole numbers turns them into floats."""
    return text.partition(".")[0] if _WHOLE.fullmatch(text) else text
