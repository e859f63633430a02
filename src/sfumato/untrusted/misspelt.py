"""Names that somebody misspelt, and the public one that was meant."""

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = ["did_you_mean"]


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A hint for an error about a name that is not among the public ones it could be.

    Capitals, spaces, underscores and hyphens do not count.

    >>> did_you_mean("mosiac", ["mosaic", "modips"]), did_you_mean("magic", ["svd"])
    (' (did you mean mosaic?)', '')
    >>> did_you_mean("Age", ["weight", "age"])
    ' (did you mean age?)'
    """
    bare = {_bare(one): one for one in known}
    near = get_close_matches(_bare(name), list(bare), n=1, cutoff=0.75)
    return f" (did you mean {bare[near[0]]}?)" if near else ""


def _bare(name: str) -> str:
    return name.casefold().translate({ord(mark): None for mark in " _-."})
