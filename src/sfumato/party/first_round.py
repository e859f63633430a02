"""What a party noted in its first round, and what later rounds must have in common with it.

One owner has the same records in all rounds, and pays for them once.  So a later round reads the
same records, by their keyed fingerprint, and is counted in the same ledger, or in none.
"""

import hashlib

from pydantic import BaseModel, ConfigDict

from sfumato.errors import PartyError
from sfumato.ledger import Ledger
from sfumato.release.certificate import Digest, Name

__all__ = ["FirstRound", "fingerprint_key"]


class FirstRound(BaseModel):
    """In the private state: from which records, and counted where."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")
    records: Digest
    ledger: Name | None
    seeded: bool

    def check_counted(
        self, release: str, agreement: str, ledger: Ledger | None, *, seeded: bool
    ) -> None:
        """Refuse a later round that is counted elsewhere; nothing was read yet."""
        if seeded != self.seeded:
            raise PartyError("one round is a test run, and the other is not: both must be, or none")
        if ledger is None:
            if self.ledger is not None:
                raise PartyError(
                    "the first round was charged to a ledger: give the same one with --ledger"
                )
            return
        if self.ledger is None:
            raise PartyError(
                "the first round was not charged to a ledger, and a later one cannot be: leave "
                "out --ledger (and SFUMATO_LEDGER). No ledger counts this release"
            )
        if ledger.ledger_id != self.ledger:
            raise PartyError("the first round was charged to another ledger: give that one")
        entry = ledger.entry(release)
        if entry is None or entry.state != "drawn" or entry.plan != agreement:
            raise PartyError(
                "the ledger does not hold the first round as drawn under this agreement: was it "
                "replaced by an older copy?"
            )

    def check_records(self, found: str) -> None:
        """Refuse other records than those of the first round; nothing was written yet."""
        if found != self.records:
            raise PartyError(
                "these are not the records of the first round: one release is about one table. "
                "Give the same records again. Nothing was written"
            )


def fingerprint_key(ledger: Ledger | None, signing: bytes) -> bytes:
    """Of the ledger, which knows data by it, or else a key of this party alone."""
    if ledger is not None:
        return ledger.fingerprint_key
    return hashlib.sha256(b"sfumato party; fingerprint of records; " + signing).digest()
