"""Categories and truth values from a column of any stored type, as codes of their levels."""

import re
from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.numeric.arrays import Codes, Mask, Vector, Whole
from sfumato.schema import Boolean
from sfumato.schema.consistent import number_of, spellings, whole
from sfumato.schema.domain import Levels
from sfumato.table.complaint import Complaint, Complaints, against_unread
from sfumato.table.read_numbers import numbers
from sfumato.table.stored import absent, among, decoded, distinct, plain, trimmed
from sfumato.table.value import STORED, UNREADABLE, text_of

__all__ = ["listed", "named", "texts", "write_levels", "write_truths"]

_NEITHER = -1
_DECIMALS = re.compile(r"[0-9]\.[0-9]")
_USUAL = tuple(spellings(Boolean(kind="boolean")))  # words for false, and for true


def write_truths(
    codes: Codes, complaints: Complaints | None, axis: Levels, column: pa.Array
) -> None:
    """NOT PRIVATE: the code of each truth value and, where asked, what is said against it."""
    stored = plain(column)
    found = _truths(tuple(spellings(axis.column)), stored)
    neither = found == _NEITHER
    np.copyto(codes, found)
    codes[neither] = axis.unusable
    if complaints is None:
        return
    complaints[:] = Complaint.FITS
    if neither.any():
        words, rest = axis.column.missing_words or (), stored.filter(pa.array(neither))
        gone = absent(column)[neither] | among(rest, words) | named(numbers(rest), words)
        complaints[neither] = against_unread(gone, allowed=axis.missing)


def _truths(words: tuple[Sequence[str], ...], column: pa.Array) -> Codes:
    """1 for true, 0 for false, by the words for false and for true."""
    if not pa.types.is_large_string(column.type):
        stored = pa.types.is_boolean(column.type)
        return _of_numbers(_USUAL if stored else words, numbers(column))
    texts = pc.utf8_lower(trimmed(column))
    false, true = (
        np.asarray(pc.is_in(texts, pc.utf8_lower(pa.array(level, texts.type)))) for level in words
    )
    codes = np.where(true, 1, np.where(false, 0, _NEITHER)).astype(np.int32)
    rest = ~(true | false)
    if rest.any():  # numbers in other spellings, as where the column holds numbers
        codes[rest] = _of_numbers(words, numbers(texts.filter(pa.array(rest))))
    if words != _USUAL:
        stored = np.asarray(pc.fill_null(pc.starts_with(column, STORED), False))
        if stored.any():
            codes[stored] = _of_stored(words, texts.filter(pa.array(stored)))
    return codes


def _of_stored(words: tuple[Sequence[str], ...], texts: pa.Array) -> Codes:
    """Of values that are no texts: truth values are themselves, numbers go by the words."""
    itself = np.asarray(pc.is_in(texts, pa.array(["true", "false"], texts.type)))
    values = numbers(texts)
    return np.where(itself, _of_numbers(_USUAL, values), _of_numbers(words, values))


def _of_numbers(words: tuple[Sequence[str], ...], values: Vector) -> Codes:
    false, true = (named(values, level) for level in words)
    return np.where(true, 1, np.where(false, 0, _NEITHER)).astype(np.int32)


def named(values: Vector, words: Sequence[str]) -> Mask:
    """Where a number is one of the words that are numbers.

    >>> named(np.array([-99.0, 3.0]), ["NA", "-99"]).tolist()
    [True, False]
    """
    found = np.zeros(len(values), np.bool_)
    for number in {number_of(word) for word in words} - {None}:
        found |= values == number
    return found


def write_levels(
    codes: Codes, complaints: Complaints | None, axis: Levels, column: pa.Array
) -> None:
    """NOT PRIVATE: the place of each value in the list, compared as trimmed text.

    Where asked, what is said against it as well.
    """
    places, values = texts(column)
    known = list(map(_judge(axis), values))
    codes[:] = np.array([code for code, _ in known], np.int32)[places]
    if complaints is not None:
        complaints[:] = np.array([complaint for _, complaint in known], np.uint8)[places]


def texts(column: pa.Array) -> tuple[Whole, list[str]]:
    """NOT PRIVATE: for each row the place of its trimmed text; an empty one where it is missing.

    >>> texts(pa.array(["b", " b", None, "a"]))
    (array([0, 1, 3, 2]), ['b', 'b', 'a', ''])
    """
    if pa.types.is_dictionary(column.type):
        rows, values = distinct(column)
        places, found = texts(values)
        return places[rows], found
    column = plain(column)
    if pa.types.is_timestamp(column.type) or pa.types.is_date(column.type):
        column = pa.nulls(len(column))
    # A few distinct values are converted once each; most columns have far fewer than rows.
    known = column.dictionary_encode()
    written = pa.types.is_large_string(column.type)
    each = decoded(known.dictionary) if written else known.dictionary.to_pylist()
    found = [(text_of(value) or "").strip() for value in each]
    return np.asarray(pc.fill_null(known.indices, len(found)), np.int64), [*found, ""]


def _judge(axis: Levels) -> Callable[[str], tuple[int, Complaint]]:
    """The code of a trimmed text, and what is said against it."""
    found_in = listed(axis)
    gone = {whole(word) for word in ("", *(axis.column.missing_words or ()))}

    def judged(text: str) -> tuple[int, Complaint]:
        if whole(text) in gone:
            return axis.unusable, Complaint.FITS if axis.missing else Complaint.MISSING
        if (code := found_in(text, _NEITHER)) != _NEITHER:
            return code, Complaint.FITS
        if UNREADABLE in text:
            return axis.unusable, Complaint.UNREADABLE
        return axis.unknown, Complaint.FITS if axis.other else Complaint.NOT_LISTED

    return judged


def listed(axis: Levels) -> Callable[[str, int], int]:
    """Where a trimmed text stands in the list of levels; else what is said instead.

    3.0 is 3, since a gap turns whole numbers into floats.  So is 3 where 3.0 is listed, unless
    a level has decimals: among codes such as 250.01, 250.00 is one of them and 250 is none.
    """
    exact = {text: code for code, level in enumerate(spellings(axis.column)) for text in level}
    position = exact
    if not any(_DECIMALS.search(whole(text)) for text in exact):
        position = {whole(text): code for text, code in exact.items()} | exact
    return lambda text, unknown: position.get(text, position.get(whole(text), unknown))
