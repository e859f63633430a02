"""Short forms that an owner may write, and what they stand for in full.

`other: none` says that a category has no value besides those listed; it is kept as `other: false`,
so that the word none in what older versions wrote stays a word.  `kind: code` takes the values of
a category from a public code book.

>>> in_full({"kind": "category", "values": ["f", "m"], "other": "none"}, None)["other"]
False
>>> facts = in_full({"kind": "code", "book": "nace-2"}, None)
>>> facts["kind"], len(facts["values"]), facts["other"], facts["source"]
('category', 21, 'other', 'NACE Rev. 2, letters of its 21 sections')
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationInfo

from sfumato.schema.code_book import book

__all__ = ["OTHER", "as_owner_writes", "in_full", "said", "say_other"]

OTHER = "other"


def as_owner_writes(facts: Any, info: ValidationInfo) -> Any:
    """Short forms are the owner's; what Sfumato wrote itself is in full and read as it stands."""
    return facts if info.context is None else in_full(facts, info.context["folder"])


def say_other(columns: Sequence[str]) -> str:
    """What is said of columns that do not say what is not listed."""
    return (
        f"column{'s' * (len(columns) > 1)} {', '.join(columns)}: other is not said: name what any "
        "other value becomes (other: elsewhere), or write other: none where no other value occurs"
    )


def in_full(facts: Any, folder: Path | None) -> Any:
    """The facts of a column without short forms; `folder` is where books that are files lie."""
    if not isinstance(facts, Mapping):
        return facts
    if facts.get("kind") == "code":
        facts = _listed(facts, folder)
    if facts.get("kind") == "category" and str(facts.get("other")).strip() == "none":
        return {**facts, "other": False}
    return facts


def said(facts: Mapping[str, Any]) -> dict[str, Any]:
    """The facts of a column with the word that its owner writes for no other value.

    >>> said({"kind": "category", "values": ["f", "m"], "other": False})["other"]
    'none'
    """
    none = facts.get("kind") == "category" and facts.get("other") is False
    return {**facts, "other": "none"} if none else dict(facts)


def _listed(facts: Mapping[str, Any], folder: Path | None) -> dict[str, Any]:
    name = facts.get("book")
    if not isinstance(name, str):
        raise ValueError("book must name a code book: iso-3166, nace-2, or a public .csv file")
    if "values" in facts:
        raise ValueError("a code takes its values from its book: leave values out")
    found = book(name, folder)
    kept = {fact: value for fact, value in facts.items() if fact != "book"}
    listed = {"kind": "category", "values": found.values}
    return {"other": OTHER, "source": found.source, **kept, **listed}
