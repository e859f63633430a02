"""A stream that pauses: its state in a file that can be taken up again once.

Saving ends the counter, and taking the state up removes the file before a bit of noise is
drawn from it.  So at most one counter goes on from a state, and no bit is measured twice.  A
kill at any moment may lose the state, and with it budget; it never leaves two of them.  Noise
is drawn anew after the pause: no key is ever saved.

The file is for the owner alone (mode 0600): unless the counter is pan-private, it holds exact
partial sums.  Whoever copies it and takes up both copies publishes the same bits twice.

>>> from tempfile import TemporaryDirectory
>>> with TemporaryDirectory() as folder:
...     place = Path(folder) / "counter.state"
...     save(place, {"sums": [3]}, {"release": "r", "plan": "p"}, position=5, caution="exact")
...     take(place, {"release": "r", "plan": "p"}), place.exists()
({'sums': [3]}, False)
"""

import hashlib
import json
import os
import secrets
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from stat import S_ISREG
from typing import Any, TextIO

from sfumato.errors import ReleaseError
from sfumato.privacy.guarantee import to_json
from sfumato.release.folder import digest, flush, sweep
from sfumato.stream.recipe import StreamPlan

__all__ = ["owner", "plan_digest", "save", "take"]

_KIND, _FORMAT = "sfumato stream state", 1


def plan_digest(plan: StreamPlan) -> str:
    """A fingerprint of what was decided before the first bit: a state fits no other plan."""
    decided = {
        "method": plan.method,
        "options": dict(plan.options),
        "horizon": plan.horizon,
        "budget": to_json(plan.budget),
        "events": [event.to_json() for event in plan.events],
    }
    return hashlib.sha256(json.dumps(decided, sort_keys=True).encode()).hexdigest()


def save(
    path: str | Path,
    state: Mapping[str, Any],
    belongs_to: Mapping[str, str],
    *,
    position: int,
    caution: str,
) -> None:
    """Write a state; if this raises, there is no file and the counter may go on."""
    place = Path(path)
    paper = {
        "kind": _KIND,
        "format": _FORMAT,
        "caution": caution,
        "belongs to": dict(belongs_to),
        "position": position,
        "state": dict(state),
    }
    part = _aside(place)
    try:
        if place.exists() or place.is_symlink():
            raise ReleaseError(f"{place} exists: choose another name")
        sweep(place.absolute().parent, place.name)
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump({**paper, "seal": digest(paper)}, file, indent=1)
            file.flush()
            os.fsync(descriptor)
        part.rename(place)
    except OSError as error:
        raise ReleaseError(f"{place} cannot be written: {error.strerror}") from None
    finally:
        part.unlink(missing_ok=True)
    # The name is there; if it does not survive a power cut, the state is lost and not doubled.
    with suppress(OSError):
        flush(place.absolute().parent)


def take(path: str | Path, belongs_to: Mapping[str, str]) -> dict[str, Any]:
    """The state, which is gone from the disk when this returns; refused, it stays."""
    place = Path(path)
    with _opened(place) as file:  # kept open, so that no other file gets its number meanwhile
        paper = _read(place, file)
        for name, mine in belongs_to.items():
            if paper["belongs to"].get(name) != mine:
                raise ReleaseError(f"{place} belongs to another {name}: it is left as it is")
        taken = _aside(place)
        try:
            place.rename(taken)  # of two that try, one fails here
            if not os.path.samestat(taken.stat(), os.fstat(file.fileno())):
                taken.rename(place)
                raise ReleaseError(f"{place} was replaced while it was read: try again")
            taken.unlink()
            flush(place.absolute().parent)
        except FileNotFoundError:
            raise ReleaseError(f"{place} was just taken up elsewhere") from None
        except OSError as error:
            raise ReleaseError(f"{place} cannot be taken up: {error.strerror}") from None
    state: dict[str, Any] = paper["state"]
    return state


def owner(path: str | Path) -> tuple[str, int]:
    """The release that a state belongs to, and how many bits it has counted; nothing is taken."""
    place = Path(path)
    with _opened(place) as file:
        paper = _read(place, file)
    return str(paper["belongs to"]["release"]), int(paper["position"])


def _aside(place: Path) -> Path:
    """A name beside the place, swept away by the next one who saves there if this one is killed."""
    return place.with_name(f".{place.name}.partial-{secrets.token_hex(4)}-{os.getpid()}")


def _opened(place: Path) -> TextIO:
    try:
        descriptor = os.open(place, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    except FileNotFoundError:
        raise ReleaseError(
            f"{place} is not there: it was taken up before, or never saved"
        ) from None
    except OSError as error:
        raise ReleaseError(f"{place} cannot be read: {error.strerror}") from None
    if not S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise ReleaseError(f"{place} cannot be read: it is no file")
    return os.fdopen(descriptor, encoding="utf-8")


def _read(place: Path, file: TextIO) -> dict[str, Any]:
    """A whole state."""
    # Under a second name the same state could be taken up a second time.
    if os.fstat(file.fileno()).st_nlink != 1:
        raise ReleaseError(f"{place} must be a file with one name: remove the other link")
    try:
        paper = json.load(file)
    except OSError as error:
        raise ReleaseError(f"{place} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise ReleaseError(f"{place} is damaged: it is no state of a stream") from None
    if not isinstance(paper, dict) or paper.get("kind") != _KIND:
        raise ReleaseError(f"{place} is no state of a stream")
    if paper.get("seal") != digest(paper):
        raise ReleaseError(f"{place} is damaged: its seal does not fit")
    if paper["format"] != _FORMAT:
        raise ReleaseError(f"{place} was saved by another version: go on with that one")
    return paper
