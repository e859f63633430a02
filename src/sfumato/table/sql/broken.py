"""A query that did not reach its end: fixed words, never those of the database.

What a database says may quote a record.  `strerror` is what `sfumato.table.source` repeats.
"""

from typing import Literal

__all__ = ["BrokenQuery", "Why"]

Why = Literal["lost", "ended", "either"]
_WORDS: dict[Why, str] = {
    "lost": "the connection to the database was lost",
    "ended": "the database ended the query; run it there by itself to see why",
    "either": "the database ended the query, or the connection was lost",
}


class BrokenQuery(OSError):
    """Reading a database stopped before its end.

    >>> BrokenQuery("lost").strerror
    'the connection to the database was lost'
    """

    def __init__(self, why: Why) -> None:
        super().__init__(0, _WORDS[why])
        self.why = why
