"""Whole numbers as options take them: digits and nothing else.

Typer itself takes 4.000 for 4, which in many countries is how four thousand is written.

>>> integer("4000"), integer("-1"), integer(5)
(4000, -1, 5)
"""

import typer

from sfumato.untrusted.digits import written

__all__ = ["integer"]


def integer(text: str | int) -> int:
    """The number; the name of this function stands in the help."""
    if isinstance(text, int):  # a default
        return text
    if (number := written(text)) is None:
        raise typer.BadParameter("a whole number is written in digits alone, such as 4000")
    return number
