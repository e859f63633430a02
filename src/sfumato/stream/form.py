"""The form of bits in a file, and a look at its beginning before any noise is drawn.

    text     characters 0 and 1; white space between them and a byte order mark are no bits
    packed   eight bits a byte, the most significant first

The form is declared.  Where it is not, .bits and .bin stand for packed bits and every other name
for text.  A file in the wrong form would be counted as noise and cost the whole budget, so its
beginning is looked at first and refused if it cannot have that form.  One value alone never
decides that: at least two, and more than a tenth of those looked at, must be no bits, or the
first line must be a header.  What passes is read value by value: a one is a one, and whatever
else is no white space is a zero.

>>> check_text(np.frombuffer(b"0110x011010101", np.uint8))
>>> check_text(np.frombuffer(b"click\\n0\\n1\\n", np.uint8))
Traceback (most recent call last):
...
sfumato.errors.DataError: the stream begins with a line without 0 and 1: take the header out
"""

from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import DataError, ParameterError

__all__ = [
    "CODES",
    "MARK",
    "SPACE",
    "Form",
    "check_declared",
    "check_guess",
    "check_text",
    "check_values",
    "form_of",
]

Form = Literal["text", "packed"]
_FORMS = ("text", "packed")
Bytes = NDArray[np.uint8]

_PACKED = (".bits", ".bin")
_FOREIGN, SPACE = 2, 3  # what stands for anything else than a bit, and for white space
CODES = np.full(256, _FOREIGN, np.uint8)  # of each character
CODES[[ord("0"), ord("1")]] = 0, 1
CODES[list(b" \t\r\n\v\f")] = SPACE
MARK = b"\xef\xbb\xbf"  # with which some editors begin a text
_TOLERATED = 10  # one value in so many may be no bit
_FEWEST = 16  # bytes that can be told to be text


def form_of(path: Path, declared: Form | None) -> Form:
    """The form that was declared, or that the ending of the name stands for.

    >>> form_of(Path("clicks.bits"), None), form_of(Path("clicks.bits"), "text")
    ('packed', 'text')
    """
    return declared or ("packed" if path.suffix.lower() in _PACKED else "text")


def check_declared(form: object, file: bool) -> None:
    """Refuse what is no form, and a form for what is no file."""
    if form is not None and form not in _FORMS:
        raise ParameterError(f"form must be one of {', '.join(_FORMS)}, got {form!r}")
    if form is not None and not file:
        raise ParameterError("form is for files and standard input: leave it out for an array")


def check_values(codes: Bytes) -> None:
    """Refuse values of which more than a tenth are neither 0 nor 1."""
    if not _mostly(codes <= 1):
        raise DataError(
            "the stream does not begin with values 0 and 1: convert what it holds into bits"
        )


def check_text(characters: Bytes) -> None:
    """Refuse a header, and characters of which more than a tenth are neither 0 nor 1."""
    first, line_ends, _ = characters.tobytes().partition(b"\n")
    word = first.strip()
    if line_ends and len(word) > 1 and not set(word) & set(b"01"):
        raise DataError("the stream begins with a line without 0 and 1: take the header out")
    codes = CODES[characters]
    if not _mostly(codes[codes != SPACE] <= 1):
        raise DataError(
            "the stream does not begin with characters 0 and 1: for eight bits a byte say so "
            "(--form packed, form='packed'), and take out whatever separates the bits"
        )


def check_guess(packed: Bytes) -> None:
    """Refuse as packed bits what is called so by its ending alone and looks like text."""
    if packed.size >= _FEWEST and _mostly(CODES[packed] != _FOREIGN):
        raise DataError(
            "the file has the ending of packed bits and holds characters 0 and 1: say which it "
            "is (--form text or --form packed, form=…)"
        )


def _mostly(true: NDArray[np.bool_]) -> bool:
    """Whether all but a tenth are, or all but one: a single value decides nothing."""
    others = true.size - int(np.count_nonzero(true))
    return others <= max(1, true.size // _TOLERATED)
