"""Files that parties send each other, as whoever collects them may have changed them."""

import json
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from fuzz.changes import bytes_changed, nested_changed, words_changed
from fuzz.judge import Trial
from party_world import World, table
from sfumato import party

__all__ = ["make"]


@cache
def _good() -> dict[str, bytes]:
    """A whole exchange, and the private state of one party, by their names."""
    with TemporaryDirectory() as place:
        world = World(Path(place)).joined().contribute().open()
        files = [*world.folder.iterdir(), world.state("north")]
        return {str(path.relative_to(world.path)): path.read_bytes() for path in sorted(files)}


def make(rng: Random, folder: Path) -> Trial:
    """One file of a whole exchange is changed, and a party, or anyone, goes on with it."""
    home, good = folder / "home", _good()
    (home / "exchange").mkdir(parents=True)
    for name, bytes_ in good.items():
        (home / name).write_bytes(bytes_)
    chosen = rng.choice(list(good))
    content = good[chosen]
    how = rng.choice(("bytes", "words", "nested", "other"))
    if how == "bytes":
        content = bytes_changed(rng, content)
    elif how == "words":
        content = words_changed(rng, content.decode()).encode(errors="surrogatepass")
    elif how == "nested":
        content = json.dumps(nested_changed(rng, json.loads(content))).encode(
            errors="surrogatepass"
        )
    else:
        content = good[rng.choice(list(good))]
    (home / chosen).write_bytes(content)
    acts = {
        "contribute": lambda: party.contribute(
            party.Exchange(home / "exchange"), home / "north.state", table(0), seed=0
        ),
        "open": lambda: party.open_round(party.Exchange(home / "exchange"), home / "north.state"),
        "share": lambda: party.share(party.Exchange(home / "exchange"), home / "north.state"),
        "combine": lambda: party.combine(party.Exchange(home / "exchange")),
    }
    act = rng.choice(list(acts))

    said = f"{act} after {how} of {chosen}: {content[:2000]!r}"
    return Trial(acts[act], said)
