"""Whether a column can be stored as it is, for what the schema says it holds.

Types that a frame or file declares are public.  What nobody could mean is refused: dates for a
number, whole numbers for a category of words.  So is a column of numbers for a category with
levels that numbers lose, such as 007: with one text among the records, or one gap, pandas would
have stored the column otherwise, and in a table with types of its own nobody has that level.

Values that a schema leaves blank, to be bought, are whatever is stored: no level is lost of them.
"""

from collections.abc import Collection
from decimal import Decimal
from itertools import islice
from math import inf

import pyarrow as pa

from sfumato.errors import DataError
from sfumato.schema import Boolean, Category, Date, Integer, Number
from sfumato.schema.consistent import number_of, spellings, whole
from sfumato.schema.domain import Axis, Domain, Levels
from sfumato.table.read_levels import listed
from sfumato.table.source import Source
from sfumato.table.sql.unread import UnreadType
from sfumato.table.value import text_of
from sfumato.table.zone import is_known

__all__ = ["check_spelling", "check_types"]

_TRUTHS = "b"  # NumPy's letter for them; i u f c are those of numbers


def check_types(source: Source, domain: Domain, blank: Collection[str] = ()) -> None:
    """Refuse columns that are stored as something else than the schema declares.

    `blank`: categories whose values nobody declared, with others in their place.
    """
    types = source.types
    guessed = getattr(source, "guessed", {})
    for axis in domain.axes:
        kind, unknown = types.get(axis.name), axis.name in blank
        if kind is not None:
            stored = _value_type(kind)
            _check_stored(axis, stored, blank=unknown)
            if (letter := _letter(stored)) is not None:
                exact = not pa.types.is_floating(stored)
                _check_kept(axis, letter, exact=exact, blank=unknown)
        check_spelling(axis, guessed.get(axis.name), blank=unknown)


def _check_stored(axis: Axis, kind: pa.DataType, *, blank: bool) -> None:
    moment = bool(pa.types.is_timestamp(kind) or pa.types.is_date(kind))
    if (letter := _letter(kind)) is not None:
        _check_letter(axis, letter, str(kind), blank=blank)
    elif moment and isinstance(axis.column, Date):
        _check_zone(axis.name, axis.column, kind)
    elif not _is_text(kind):
        remedy = ""
        if "period" in str(kind):
            remedy = ", periods to dates (with pandas, .dt.to_timestamp())"
        elif pa.types.is_duration(kind):
            remedy = ", spans to a number of days or seconds"
        elif isinstance(kind, UnreadType):
            remedy = "; a view, or a select that converts it, can be given instead"
        raise _refused(axis, str(kind), remedy)


def _check_zone(name: str, column: Date, kind: pa.DataType) -> None:
    """Refuse a zone whose days nobody here can tell."""
    zone = getattr(kind, "tz", None)
    if zone is not None and not column.tells_time and not is_known(zone):
        raise DataError(
            f"column {name} is stored in the time zone {zone}, which is not known here: convert it "
            "to one with a name, such as Europe/Berlin, or to days"
        )


def _check_letter(axis: Axis, letter: str, stored: str, *, blank: bool) -> None:
    """Refuse truth values or numbers that cannot be what the schema lists."""
    column = axis.column
    if isinstance(column, Date) and (letter == _TRUTHS or column.format is None):
        raise _refused(axis, stored, ', or declare how the numbers write dates (format: "%Y%m%d")')
    if isinstance(column, Number | Integer) and column.percent:
        raise DataError(
            f"column {axis.name} is declared percent but stored as numbers ({stored}): percent "
            "is about texts such as 45.1%; leave it out, and declare low and high as stored"
        )
    if isinstance(axis, Levels) and not blank and not _can_spell(axis, letter):
        listed_as = "words for true and false" if isinstance(column, Boolean) else "values"
        raise _refused(axis, stored, f": it spells none of the {listed_as}; or list what is stored")


def _refused(axis: Axis, stored: str, remedy: str) -> DataError:
    return DataError(
        f"column {axis.name} is declared {axis.column.kind} but stored as {stored}: "
        f"convert it or correct its kind{remedy}"
    )


def _can_spell(axis: Levels, letter: str) -> bool:
    if isinstance(axis.column, Boolean):
        words = (word for level in spellings(axis.column) for word in level)
        return letter == _TRUTHS or any(number_of(word) is not None for word in words)
    found = listed(axis)
    if letter == _TRUTHS:
        return any(found(text, -1) >= 0 for text in ("True", "False"))
    texts = (text for level in spellings(axis.column) for text in level)
    numbers = (number for text in texts if (number := number_of(text)) is not None)
    return any(found(text_of(number) or "", -1) >= 0 for number in numbers)


def check_spelling(axis: Axis, kind: str | None, *, blank: bool = False) -> None:
    """Refuse a column of numbers or truth values that cannot hold what is listed, or may lose it.

    Beside numbers, pandas reads 007 as 7, and beside a gap it rounds whole numbers beyond 2^53.
    `kind` is NumPy's letter for the type of the column: b for truth values, i u f c for numbers;
    None where texts have stayed texts.  Of a category that is `blank` only other is declared.

    >>> from sfumato.schema import Schema
    >>> agents = Domain.of(Schema.of({"name": "t", "columns": {
    ...     "agent": {"kind": "category", "values": ["006", "007"]}}})).axes[0]
    >>> check_spelling(agents, None)
    >>> check_spelling(agents, "i")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    sfumato.errors.DataError: column agent has the level 006, which a column of numbers loses: ...
    """
    if kind is None:
        return
    _check_kept(axis, kind, exact=False, blank=blank)
    # Floats may be nothing but gaps, where those are allowed.
    gaps = kind in "fc" and axis.missing and not isinstance(axis.column, Number | Integer)
    if not gaps:
        _check_letter(axis, kind, _what(kind), blank=blank)


def _what(letter: str) -> str:
    return "truth values" if letter == _TRUTHS else "numbers"


def _check_kept(axis: Axis, letter: str, *, exact: bool, blank: bool) -> None:
    """Refuse levels that such a column cannot tell; `exact`: it keeps every digit it has."""
    if not isinstance(axis, Levels) or not isinstance(axis.column, Category):
        return
    found = listed(axis)
    as_stored = _truth if letter == _TRUTHS else _exact_number if exact else _number
    declared = len(axis.column.values) if blank else 0  # other comes after all values
    for code, level in islice(enumerate(spellings(axis.column)), declared, None):
        if all(found(as_stored(text), -1) != code for text in level):
            first, short = level[0], whole(level[0])
            instead = f"list it as {short}, or " if short != first else ""
            raise DataError(
                f"column {axis.name} has the level {first}, which a column of {_what(letter)} "
                f"loses: {instead}read it as text (with pandas, dtype={{{axis.name!r}: str}})"
            )


def _truth(level: str) -> str:
    """What a level reads as where it was taken for a truth value."""
    return level.capitalize() if level.lower() in ("true", "false") else level


def _number(level: str) -> str:
    """What a level reads as where it was taken for a number; nothing where others read the same."""
    if level.lower() in ("true", "false"):
        return ""
    try:
        number = float(level)
    except ValueError:
        return level
    return "" if 2**53 <= abs(number) < inf else text_of(number) or level


def _exact_number(level: str) -> str:
    """The same where numbers keep all their digits."""
    if level.lower() in ("true", "false") or number_of(level) is None:
        return _number(level)
    return text_of(Decimal(level)) or level


def _letter(kind: pa.DataType) -> str | None:
    """NumPy's letter of truth values and numbers."""
    if pa.types.is_boolean(kind):
        return _TRUTHS
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return "f"
    return "i" if pa.types.is_integer(kind) else None


def _value_type(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _is_text(kind: pa.DataType) -> bool:
    tests = ("null", "string", "large_string", "string_view")
    return any(getattr(pa.types, f"is_{test}")(kind) for test in tests)
