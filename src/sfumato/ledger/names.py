"""Names of data sets that are almost the same: as a rule one of them was mistyped."""

import re
from collections.abc import Sequence
from difflib import get_close_matches
from shlex import quote
from unicodedata import normalize

from sfumato.errors import LedgerError

__all__ = ["almost", "no_mistake"]

_ALIKE = 0.8  # "adlut" is .8 of "adult", "adult-2026" .67


def almost(dataset: str, known: Sequence[str]) -> str | None:
    """The known name that this one looks like, if there is one.

    Names that differ in their numbers alone are a row of years or waves, and no mistake.

    >>> almost("Clinic", ["clinic", "survey"]), almost("visits", ["clinic", "survey"])
    ('clinic', None)
    >>> almost("survey-2026", ["survey-2025"]), almost("survye-2025", ["survey-2025"])
    (None, 'survey-2025')
    """
    plain = {_looks(name): name for name in known if not _in_a_row(name, dataset)}
    found = get_close_matches(_looks(dataset), plain, n=1, cutoff=_ALIKE)
    return plain[found[0]] if found else None


def _looks(name: str) -> str:
    """The name as it looks: a letter with its accent is one letter or two, by the keyboard."""
    return normalize("NFKC", name).casefold()


def _in_a_row(one: str, two: str) -> bool:
    """Whether two names have the same words, each number in its place, and other numbers."""
    (words, numbers), (others, theirs) = _taken_apart(one), _taken_apart(two)
    return words == others and numbers != theirs


def _taken_apart(name: str) -> tuple[list[str], list[int]]:
    pieces = re.split(r"(\d+)", _looks(name))
    return pieces[::2], [int(number) for number in pieces[1::2]]


def no_mistake(dataset: str, known: Sequence[str]) -> None:
    """Refuse to open an account under a name that was probably mistyped."""
    if (meant := almost(dataset, known)) is not None:
        raise LedgerError(
            f"data set {dataset!r} has no account, but {meant!r} has: did you mean that? If "
            f"{dataset!r} is another data set, say so with `sfumato ledger create-dataset "
            f"{quote(dataset)} --reason …`"
        )
