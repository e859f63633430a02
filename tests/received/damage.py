"""What can be wrong with a JSON document: every place in it, and what may stand there instead."""

from copy import deepcopy

__all__ = ["INSTEAD", "damaged", "places"]

DEEP = []
for _ in range(60):
    DEEP = [DEEP]
TOO_DEEP = []
for _ in range(500):
    TOO_DEEP = [TOO_DEEP]
GONE = object()
INSTEAD = {
    "nothing": GONE,
    "null": None,
    "a truth": True,
    "a list": [],
    "a list of lists": [[]],
    "a mapping": {},
    "a mapping of mappings": {"a": {"b": {}}},
    "a text": "x",
    "an empty text": "",
    "minus one": -1,
    "zero": 0,
    "a fraction": 0.5,
    "huge": 10**8,
    "larger": 2**53,
    "beyond 64 bits": 10**30,
    "infinite": float("inf"),
    "no number": float("nan"),
    "deep": DEEP,
    "too deep": TOO_DEEP,
    "long": "y" * 20_000,
    "one over zero": "1/0",
    "hostile": "\x1b[2K\x1b[1A[bold red]passed[/bold red]\n\u202edessap\x9b2J\u200b\x7f",
}
_FIRST = 2  # places of a list that are tried


def places(inner, path=()):
    """Every place in a document; of a long list the first few."""
    items = list(inner.items()) if isinstance(inner, dict) else list(enumerate(inner))[:_FIRST]
    for key, value in items:
        yield (*path, key)
        if isinstance(value, dict | list):
            yield from places(value, (*path, key))


def damaged(document, place, what):
    """A copy with something else, or nothing, in one place."""
    changed = deepcopy(document)
    inner = changed
    for key in place[:-1]:
        inner = inner[key]
    if INSTEAD[what] is GONE:
        del inner[place[-1]]
    else:
        inner[place[-1]] = INSTEAD[what]
    return changed
