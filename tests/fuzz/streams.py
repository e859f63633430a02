"""Bit streams and the states of streams that pause."""

import json
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from fuzz.changes import bytes_changed, nested_changed, words_changed
from fuzz.judge import Trial, command
from fuzz.tables import SECRETS, WORD
from sfumato.publishing.stream import publish_stream
from sfumato.release.digest import digest

__all__ = ["make", "make_state"]

_ASKED: dict[str, Any] = {"horizon": 64, "every": 8, "epsilon": 1}


def make(rng: Random, folder: Path) -> Trial:
    """A file of bits; any packed file is a stream, of a text file the signs may be wrong."""
    packed = rng.random() < 0.3
    file = folder / ("visits.bits" if packed else "visits.txt")
    if packed:
        content = rng.randbytes(rng.randrange(9))
    else:
        bits = "".join(rng.choice("01") + rng.choice(("", "", "\n")) for _ in range(40))
        content = rng.choice((bytes_changed(rng, bits.encode()), f"{bits}{WORD}".encode()))
    file.write_bytes(content)
    out = folder / "out"
    if rng.random() < 0.3:
        words = ("stream", "count", str(file), "--horizon", "64", "--epsilon", "1", "-o", str(out))
        return Trial(command(*words), f"command count: {content!r}", SECRETS, packed)
    if rng.random() < 0.3:
        mean: dict[str, Any] = {"method": "reservoir-mean", "times": "16,32", "size": 4}
        return Trial(
            lambda: publish_stream(file, horizon=32, epsilon=1, folder=out, **mean),
            f"mean: {content!r}",
            SECRETS,
        )
    pan = rng.random() < 0.3
    return Trial(
        lambda: publish_stream(file, **_ASKED, pan=pan, pause=folder / "a.state", folder=out),
        f"count, pan {pan}: {content!r}",
        SECRETS,
        packed,
    )


@cache
def _good(pan: bool) -> str:
    with TemporaryDirectory() as place:
        state = Path(place) / "s"
        publish_stream([0, 1] * 12, **_ASKED, pan=pan, release="r", pause=state, seed=1)
        return state.read_text()


def make_state(rng: Random, folder: Path) -> Trial:
    """A state that is taken up; half of the changed ones carry a seal that fits."""
    pan, level = rng.random() < 0.3, rng.choice(("bytes", "words", "nested", "nested"))
    good = _good(pan)
    if level == "nested":
        changed = nested_changed(rng, json.loads(good))
        if isinstance(changed, dict) and rng.random() < 0.8:
            changed.pop("seal", None)
            changed["seal"] = digest(changed)
        content = json.dumps(changed).encode()
    elif level == "words":
        content = words_changed(rng, good).encode("utf-8", "surrogatepass")
    else:
        content = bytes_changed(rng, good.encode())
    file = folder / "a.state"
    file.write_bytes(content)
    return Trial(
        lambda: publish_stream([0, 1] * 20, **_ASKED, pan=pan, resume=file, seed=1),
        f"resume, {level}, pan {pan}: {content!r}",
    )
