"""What a party keeps to itself: its private keys, and every file that it has sent.

The file is for the party alone (mode 0600): whoever has it can take the masks off.  What was sent
is kept, so that a command that is run again sends the same file once more: no mask is ever put on
two vectors, and a round is opened for one list of contributions only.  It is on the disk before
the file it stands for leaves.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from sfumato.errors import PartyError
from sfumato.party.document import Document, Key, PartyName, PerRound
from sfumato.party.first_round import FirstRound
from sfumato.release.certificate import Digest

__all__ = ["State", "StateFile", "locked"]

D = TypeVar("D", bound=Document)


class StateFile(Document):
    """The private file of one party in one exchange."""

    about = "it was made by: sfumato party join"
    mode = 0o600
    kind: Literal["sfumato party state"] = "sfumato party state"
    caution: str = "PRIVATE: keep this file; send it to nobody"
    agreement: Digest
    party: PartyName
    signing: Key
    channel: Key
    masks: Annotated[tuple[Key, ...], PerRound]
    selves: Annotated[tuple[Key, ...], PerRound]
    sent: dict[str, dict[str, Any]]
    first: FirstRound | None = None


class State:
    """The state of a party, under a lock."""

    def __init__(self, path: Path, file: StateFile) -> None:
        self.path, self.file = path, file

    @property
    def signing(self) -> bytes:
        """The key that this party signs with."""
        return bytes.fromhex(self.file.signing)

    def sent(self, name: str, kind: type[D]) -> D | None:
        """What was sent before under this name."""
        found = self.file.sent.get(name)
        return None if found is None else kind.of(found, str(self.path))

    def keep(self, name: str, document: Document, first: FirstRound | None = None) -> None:
        """Note that a file is about to be sent; on the disk before this returns."""
        if name in self.file.sent:
            raise PartyError(f"{name} was sent before and is never made twice")
        sent = {**self.file.sent, name: document.to_json()}
        self.file = self.file.model_copy(update={"sent": sent, "first": first or self.file.first})
        self.file.write(self.path)


@contextmanager
def locked(path: Path) -> Iterator[State]:
    """The state, which no other process changes meanwhile."""
    descriptor = _held(path)
    try:
        yield State(path, StateFile.read(path))
    finally:
        os.close(descriptor)


def _held(path: Path) -> int:
    """A lock on the file that has this name now: writing replaces the file."""
    while True:
        try:
            descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        except OSError as error:
            raise PartyError(
                f"{path} cannot be read: {error.strerror}; {StateFile.about}"
            ) from None
        if sys.platform != "win32":
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX)
        with suppress(OSError):
            if os.path.samestat(os.fstat(descriptor), path.stat()):
                return descriptor
        os.close(descriptor)
