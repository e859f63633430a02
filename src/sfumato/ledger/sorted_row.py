"""Rows of whole numbers and texts as JSON with sorted names, written quickly.

A history has few shapes of rows, told apart by the types of their columns, and for each shape the
names, brackets and commas are the same.  What is written is what `json.dumps` writes, character by
character; a row with anything else in it has no shape.

>>> shape = Shape.of({"b": 2, "a": "é", "c": None}, ("a", "b", "c"))
>>> shape.written(("é", 2, None))
'{"a":"\\\\u00e9","b":2,"c":null}'
"""

from collections.abc import Mapping, Sequence
from json import dumps
from json.encoder import encode_basestring_ascii
from typing import Any, NamedTuple

__all__ = ["Shape"]

_MARKS = {int: "%d", str: "%s", type(None): "null"}


class Shape(NamedTuple):
    """Where the columns of such a row go."""

    frame: str
    columns: tuple[tuple[int, bool], ...]  # place in the row, and whether it is a text

    @classmethod
    def of(cls, example: Mapping[str, object], names: Sequence[str]) -> "Shape | None":
        """The shape of rows with these columns of `names`; None if json must write them."""
        kinds = {name: type(value) for name, value in sorted(example.items())}
        if not _MARKS.keys() >= set(kinds.values()):
            return None
        marks = (f"{dumps(name).replace('%', '%%')}:{_MARKS[kind]}" for name, kind in kinds.items())
        places = ((names.index(name), kind) for name, kind in kinds.items())
        columns = ((place, kind is str) for place, kind in places if kind is not type(None))
        return cls("{" + ",".join(marks) + "}", tuple(columns))

    def written(self, row: Sequence[Any]) -> str:
        """A row of this shape."""
        texts = [
            encode_basestring_ascii(row[place]) if text else row[place]
            for place, text in self.columns
        ]
        return self.frame % tuple(texts)
