"""Names of data sets that are almost the same: as a rule one of them was mistyped."""

from collections.abc import Sequence
from difflib import get_close_matches
from shlex import quote

from sfumato.errors import LedgerError

__all__ = ["almost", "no_mistake"]

_ALIKE = 0.8  # "adlut" is .8 of "adult", "adult-2026" .67


def almost(dataset: str, known: Sequence[str]) -> str | None:
    """The known name that this one looks like, if there is one.

    >>> almost("Clinic", ["clinic", "survey"]), almost("visits", ["clinic", "survey"])
    ('clinic', None)
    """
    plain = {name.casefold(): name for name in known}
    found = get_close_matches(dataset.casefold(), plain, n=1, cutoff=_ALIKE)
    return plain[found[0]] if found else None


def no_mistake(dataset: str, known: Sequence[str]) -> None:
    """Refuse to open an account under a name that was probably mistyped."""
    if (meant := almost(dataset, known)) is not None:
        raise LedgerError(
            f"data set {dataset!r} has no account, but {meant!r} has: did you mean that? If "
            f"{dataset!r} is another data set, say so with `sfumato ledger create-dataset "
            f"{quote(dataset)} --reason …`"
        )
