"""What a forger can do with a release folder: change anything, and adjust all digests."""

import json
from copy import deepcopy

from sfumato.release.digest import digest, whole_digest
from sfumato.release.folder import sha256

OUTSIDE = ("files", "seal", "signature")  # what the signature does not cover itself


def read(folder, name="release.json"):
    return json.loads((folder / name).read_text())


def sealed(folder, paper):
    """Put a certificate in place, with the digests of the files and a seal that fits."""
    paper["files"] = {name: sha256(folder / name) for name in paper["files"]}
    paper["seal"] = digest({name: fact for name, fact in paper.items() if name != "signature"})
    (folder / "release.json").write_text(json.dumps(paper, indent=2, ensure_ascii=False) + "\n")


def with_synopsis(folder, synopsis, *, certified):
    """Put a synopsis in place; `certified` also changes what the certificate says of it."""
    (folder / "synopsis.json").write_text(json.dumps(synopsis))
    paper = read(folder)
    if certified:
        paper["synopsis"] = whole_digest(synopsis)
    sealed(folder, paper)


def leaves(inner, path=()):
    """Every place that holds a value, and every empty list or mapping."""
    items = inner.items() if isinstance(inner, dict) else enumerate(inner)
    for key, value in items:
        if isinstance(value, dict | list) and value:
            yield from leaves(value, (*path, key))
        else:
            yield (*path, key)


def others(value):
    """Values of the same kind that are not this one, which a reader may or may not take."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1]
    if isinstance(value, float):
        return [value + 0.5, -value]
    if isinstance(value, str):
        flipped = value[:-1] + ("0" if value[-1:] != "0" else "1")
        return [flipped, value + "x"]
    if isinstance(value, list):
        return [["x"]]
    return [{"x": "y"}] if isinstance(value, dict) else ["x", {}]


def changed(record, where, value):
    """The record with another value at one place."""
    made = deepcopy(record)
    inner = made
    for key in where[:-1]:
        inner = inner[key]
    inner[where[-1]] = value
    return made
