"""Sentences and names that more than one page says."""

__all__ = [
    "KINDS",
    "NOTHING_READ",
    "PHASE_WORDS",
    "READ_PUBLIC",
    "READ_SO_FAR",
    "STEPS",
    "sentence",
    "several",
]

STEPS = ("File", "Columns", "Promise", "Review", "Release")
NOTHING_READ = "Read of your data so far: nothing but the names of the files."
READ_SO_FAR = "Read of your data so far: the header. No record was read."
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
PHASE_WORDS = {
    "charged": "charged",
    "drawn": "noise drawn",
    "writing": "written",
    "checked": "checked",
}


def several(count: int, one: str, many: str | None = None) -> str:
    """A count with its noun.

    >>> several(1, "column"), several(3, "look"), several(2, "person", "people")
    ('1 column', '3 looks', '2 people')
    """
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"


def sentence(text: str) -> str:
    """A message of the command line, as a page says it; names of files keep their letters.

    >>> sentence("values must differ"), sentence("a.csv has no header"), sentence("Choose a file.")
    ('Values must differ.', 'a.csv has no header.', 'Choose a file.')
    """
    first = text.partition(" ")[0].rstrip(",;:")
    begun = text[:1].upper() + text[1:] if first.isalpha() else text
    return begun + "." * (text[-1:] not in (".", "!", "?", ":"))
