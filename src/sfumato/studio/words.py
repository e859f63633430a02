"""Sentences and names that more than one page says."""

import re
from pathlib import Path

__all__ = [
    "KINDS",
    "NOTHING_READ",
    "PHASE_WORDS",
    "READ_PUBLIC",
    "READ_RELEASE",
    "READ_SO_FAR",
    "SPOKEN",
    "at_home",
    "greek",
    "sentence",
    "several",
]

NOTHING_READ = "Read of your data so far: nothing but the names of the files."
READ_SO_FAR = "Read of your data for this page: at most the header. No record was read."
READ_RELEASE = "Read for this page: the release alone. No record was read."
READ_PUBLIC = (
    "Read of your data so far: the header and, because you said that everybody may read the file, "
    "its records."
)
KINDS = {
    "id": "never released",
    "integer": "whole number",
    "number": "number",
    "category": "one of a list",
    "date": "date",
    "boolean": "yes or no",
}
SPOKEN = {  # what people write for a kind
    **{words: kind for kind, words in KINDS.items()},
    **{kind: kind for kind in KINDS},
    "whole": "integer",
    "list": "category",
    "yes/no": "boolean",
}
_LETTERS = {"epsilon": "ε", "delta": "δ", "rho": "ρ"}
_AMOUNT = re.compile(rf"(?<![\w-])(?:{'|'.join(_LETTERS)})(?= [0-9])")
PHASE_WORDS = {  # once it is done, and while it is
    "charged": ("charged", "being charged"),
    "drawn": ("noise drawn", "noise being drawn"),
    "written": ("written", "being written"),
    "checked": ("checked", "being checked"),
}


def several(count: int, one: str, many: str | None = None) -> str:
    """A count with its noun.

    >>> several(1, "column"), several(3, "look"), several(2, "person", "people")
    ('1 column', '3 looks', '2 people')
    """
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"


def at_home(path: Path) -> str:
    """A path as people say it: what lies at home begins with a tilde.

    >>> at_home(Path.home() / "registry"), at_home(Path("/srv/registry"))
    ('~/registry', '/srv/registry')
    """
    try:
        return f"~/{path.relative_to(Path.home()).as_posix()}"
    except (ValueError, RuntimeError):  # elsewhere, or nobody is at home
        return str(path)


def greek(amount: str) -> str:
    """An amount of a budget with the letters that promises are written with.

    Screen readers name a letter that stands alone, so that it is heard as the command line has it.

    >>> greek("epsilon 1.5, delta 1e-9"), greek("epsilon must be above 0")
    ('ε 1.5, δ 1e-9', 'epsilon must be above 0')
    >>> greek("sfumato ledger grant clinic --epsilon 1")
    'sfumato ledger grant clinic --epsilon 1'
    """
    return _AMOUNT.sub(lambda found: _LETTERS[found[0]], amount)


def sentence(text: str) -> str:
    """A message of the command line, as a page says it; names of files keep their letters.

    >>> sentence("values must differ"), sentence("a.csv has no header"), sentence("Choose a file.")
    ('Values must differ.', 'a.csv has no header.', 'Choose a file.')
    >>> sentence("'clinic' has epsilon 3 left")
    "'clinic' has ε 3 left."
    >>> sentence("add `; other: elsewhere`")
    'Add ; other: elsewhere.'
    """
    text = greek(text.replace("`", ""))
    first = text.partition(" ")[0].rstrip(",;:")
    begun = text[:1].upper() + text[1:] if first.isalpha() and first not in "εδρ" else text
    return begun + "." * (text[-1:] not in (".", "!", "?", ":"))
