"""A page of columns that was opened before somebody changed them, in another window.

Its form holds every field, so that sending it would put the old values of all others back.

>>> from sfumato.studio.draft import TypedColumn
>>> kept = Draft("a", "a", "a.csv", [TypedColumn("age", "integer", "0..110"), TypedColumn("ward")])
>>> typed = Draft("a", "a", "a.csv", [TypedColumn("age"), TypedColumn("ward", "category", "n, s")])
>>> is_of(mark_of(kept), typed), is_newest(mark_of(kept), kept), is_newest(mark_of(kept), typed)
(True, True, False)
>>> is_of("", kept)
False
>>> differing(kept, typed)
['age: 0..110', 'ward:']
"""

import json
from dataclasses import replace
from hashlib import sha256

from sfumato.studio.draft import Draft
from sfumato.studio.lines import written_line

__all__ = ["differing", "is_newest", "is_of", "mark_of"]

_HALF = 16  # characters


def mark_of(draft: Draft) -> str:
    """Which columns these are, in which order, and what is known of them."""
    names = json.dumps(list(draft.positions))
    # Whether there is a schema of it is nothing that was typed.
    return _short(names) + _short(replace(draft, declared=False).to_json())


def is_of(mark: str, draft: Draft) -> bool:
    """Whether the page had these columns, in this order: its fields are sent by place."""
    return mark[:_HALF] == mark_of(draft)[:_HALF]


def is_newest(mark: str, draft: Draft) -> bool:
    """Whether nothing was changed since the page was made."""
    return mark == mark_of(draft)


def differing(kept: Draft, typed: Draft) -> list[str]:
    """The columns of which the other says something else, as they are kept."""
    return [
        written_line(kept, place)
        for place in range(len(kept.columns))
        if written_line(kept, place) != written_line(typed, place)
    ]


def _short(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_HALF]
