"""A stream that pauses: its state in a file that can be resumed once.

Saving ends the counter, and taking the state up removes the file before a bit of noise is
drawn from it.  So at most one counter goes on from a state, and no bit is measured twice.  A
kill at any moment may lose the state, and with it budget; it never leaves two of them.  Noise
is drawn anew after the pause: no key is ever saved.

The file is for the owner alone (mode 0600): unless the counter is pan-private, it holds exact
partial sums.  It names the ledger that its series was charged to and the part that ended, so
that of several copies one goes on: the ledger holds each part once.  Where no ledger is kept,
nothing stops whoever goes on from two copies.

>>> from tempfile import TemporaryDirectory
>>> with TemporaryDirectory() as folder:
...     place = Path(folder) / "counter.state"
...     save(place, {"ones": 3}, Series("r").facts, position=5, caution="exact")
...     ones = take(place, Series("r").facts, lambda saved, _: saved.whole("ones", most=5))
...     ones, place.exists()
(3, False)
"""

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISREG
from typing import Any, BinaryIO, TypeVar

from sfumato.durable import flush
from sfumato.errors import ReleaseError
from sfumato.privacy.guarantee import to_json
from sfumato.release.digest import digest
from sfumato.release.folder import aside, write_whole
from sfumato.stream.recipe import StreamPlan
from sfumato.stream.saved import Saved

__all__ = ["Series", "owner", "plan_digest", "save", "take"]

T = TypeVar("T")
_KIND, _FORMAT = "sfumato stream state", 2
_LARGEST = 1 << 20  # bytes; a state is far smaller, whatever the stream
_MOST = 2**50  # bits, or parts


@dataclass(frozen=True)
class Series:
    """Whose state it is: the release that was charged, by which ledger, and which part ended."""

    release: str
    ledger: str | None = None  # its id; None where no ledger was kept
    part: int = 0  # the release itself is part 0

    @property
    def facts(self) -> dict[str, str | int | None]:
        """What a state that belongs to it says."""
        return {"release": self.release, "ledger": self.ledger, "part": self.part}


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
    belongs_to: Mapping[str, str | int | None],
    *,
    position: int,
    caution: str,
) -> None:
    """Write a state; if this raises, there is no file and the counter may go on."""
    place = Path(path)
    document = {
        "kind": _KIND,
        "format": _FORMAT,
        "caution": caution,
        "belongs to": dict(belongs_to),
        "position": position,
        "state": dict(state),
    }
    try:
        if place.exists() or place.is_symlink():
            raise ReleaseError(f"{place} exists: choose another name")
        write_whole(place, {**document, "seal": digest(document)}, 0o600)
    except OSError as error:
        raise ReleaseError(f"{place} cannot be written: {error.strerror}") from None
    # The name is there; if it does not survive a power cut, the state is lost and not doubled.
    with suppress(OSError):
        flush(place.absolute().parent)


def take(
    path: str | Path,
    belongs_to: Mapping[str, str | int | None],
    restore: Callable[[Saved, int], T],
) -> T:
    """The state, as restored, and gone from the disk when this returns; refused, it stays."""
    place = Path(path)
    with _opened(place) as file:  # kept open, so that no other file gets its number meanwhile
        document = _read(place, file)
        owned = document.get("belongs to")
        for name, mine in belongs_to.items():
            if not isinstance(owned, dict) or owned.get(name) != mine:
                raise ReleaseError(f"{place} belongs to another {name}: it is left as it is")
        whole = Saved(place, document)
        state = restore(whole.part("state"), whole.whole("position", most=_MOST))
        taken = aside(place)
        try:
            place.rename(taken)  # of two that try, one fails here
            if not os.path.samestat(taken.stat(), os.fstat(file.fileno())):
                taken.rename(place)
                raise ReleaseError(f"{place} was replaced while it was read: try again")
            taken.unlink()
            flush(place.absolute().parent)
        except FileNotFoundError:
            raise ReleaseError(f"{place} was just resumed elsewhere") from None
        except OSError as error:
            raise ReleaseError(f"{place} cannot be resumed: {error.strerror}") from None
    return state


def owner(path: str | Path) -> tuple[Series, int]:
    """The series that a state belongs to, and how many bits it has counted; nothing is taken."""
    place = Path(path)
    with _opened(place) as file:
        whole = Saved(place, _read(place, file))
    owned = whole.part("belongs to")
    series = Series(
        owned.text("release"), owned.optional_text("ledger"), owned.whole("part", most=_MOST)
    )
    return series, whole.whole("position", most=_MOST)


def _opened(place: Path) -> BinaryIO:
    try:
        # Without waiting: a pipe under this name may have no writer.
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        descriptor = os.open(place, flags)
    except FileNotFoundError:
        raise ReleaseError(
            f"{place} does not exist: it was resumed before, or never saved"
        ) from None
    except OSError as error:
        raise ReleaseError(f"{place} cannot be read: {error.strerror}") from None
    if not S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise ReleaseError(f"{place} cannot be read: it is no file")
    return os.fdopen(descriptor, "rb")


def _read(place: Path, file: BinaryIO) -> dict[str, Any]:
    """A whole state: its kind, format and seal fit; what it says is not looked at here."""
    # Under a second name the same state could be taken up a second time.
    if os.fstat(file.fileno()).st_nlink != 1:
        raise ReleaseError(f"{place} must be a file with one name: remove the other link")
    try:
        content = file.read(_LARGEST + 1)
    except OSError as error:
        raise ReleaseError(f"{place} cannot be read: {error.strerror}") from None
    try:
        document = json.loads(content) if len(content) <= _LARGEST else None
        seal = digest(document) if isinstance(document, dict) else None
    except (ValueError, RecursionError):
        raise ReleaseError(f"{place} is damaged: it is no state of a stream") from None
    if not isinstance(document, dict) or document.get("kind") != _KIND:
        raise ReleaseError(f"{place} is no state of a stream")
    if document.get("seal") != seal:
        raise ReleaseError(f"{place} is damaged: its seal does not match")
    if document.get("format") != _FORMAT:
        raise ReleaseError(
            f"{place} was saved by another version and cannot be resumed: use that version"
        )
    return document
