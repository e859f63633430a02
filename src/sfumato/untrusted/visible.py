"""Text from elsewhere, with every character to be seen.

A name in a received file may hold what a terminal or a browser obeys instead of showing:
escape sequences, line breaks, marks that reverse the direction of writing, spaces of no width.
Such characters are written out.  It is done where text is shown, not where it is read, so that
what is compared and hashed stays as it is.
"""

from typing import Any
from unicodedata import category

__all__ = ["seen_on_a_page", "visible"]


def visible(text: str) -> str:
    r"""The text on one line, in which every character that has no shape of its own is written out.

    >>> print(visible("clinic\x1b[2K passed\nall \u202edessap"))
    clinic\x1b[2K passed\nall \u202edessap
    """
    if text.isprintable():
        return text
    return "".join(_written(character) for character in text)


def seen_on_a_page(value: Any) -> Any:
    """What a template puts into a page; markup of our own, and what is no text, as it is."""
    return visible(value) if type(value) is str else value


def _written(character: str) -> str:
    if character.isprintable() or category(character) == "Zs":
        return character
    return character.encode("unicode_escape").decode("ascii")
