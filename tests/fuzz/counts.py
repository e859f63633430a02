"""Counts under public keys: the counts are private, the keys are not."""

from pathlib import Path
from random import Random

from fuzz.changes import bytes_changed, cell, words_changed
from fuzz.judge import Trial, command
from fuzz.tables import FIGURE, SECRETS, WORD
from sfumato.publishing.counts import publish_counts

__all__ = ["make"]

_KEYS = [f"k{place}" for place in range(24)]


def _file(rng: Random, odd: bool) -> str:
    counts = [str(rng.randrange(1000)) for _ in _KEYS]
    for place in range(len(_KEYS)) if odd else ():
        counts[place] = cell(rng).replace('"', '""') if rng.random() < 0.4 else counts[place]
    counts[rng.randrange(len(_KEYS))] = rng.choice((WORD, FIGURE))
    lines = [f'{key},"{count}"' for key, count in zip(_KEYS, counts, strict=True)]
    return "\n".join(["key,count", *lines]) + "\n"


def make(rng: Random, folder: Path) -> Trial:
    """A file of counts that is published."""
    level = rng.choice(("cells", "bytes", "words"))
    content = _file(rng, odd=level == "cells").encode()
    if level == "bytes":
        content = bytes_changed(rng, content)
    elif level == "words":
        content = words_changed(rng, content.decode(), 5).encode("utf-8", "replace")
    file, out = folder / "words.csv", folder / "out"
    file.write_bytes(content)
    ways = rng.choice(("histogram", "wavelet", "both"))
    neighbours = rng.choice(("add-remove", "replace-one"))
    # A change of bytes may put a count where a key belongs, and keys are public.
    secrets = SECRETS if level == "cells" else ()
    said = f"{ways} {neighbours}, {level}: {content!r}"
    if rng.random() < 0.3:
        words = ("query", "publish", str(file), "--epsilon", "1", "-o", str(out))
        return Trial(command(*words), f"command {said}", secrets, level == "cells")
    return Trial(
        lambda: publish_counts(file, ways=ways, neighbours=neighbours, epsilon=1, folder=out),
        f"publish_counts {said}",
        secrets,
        # Between replaced records their number is public, and too large a number is refused.
        level == "cells" and neighbours == "add-remove",
    )
