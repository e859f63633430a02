"""The folder in which the files of all parties lie: each checked against the agreement.

Nothing here is secret.  Whether a key is the one of the party it names is for people to find
out: `roster` is a fingerprint of all keys, which they compare by another way.
"""

from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from sfumato.errors import PartyError
from sfumato.party.agreement import AGREEMENT, Agreement
from sfumato.party.document import (
    ContributionFile,
    KeyFile,
    OpeningFile,
    SentFile,
    SharesFile,
    SignedFile,
)
from sfumato.release.digest import digest
from sfumato.untrusted.plain_file import is_there

__all__ = ["Exchange", "file_name", "fingerprint", "list_digest"]

S = TypeVar("S", bound=SentFile)


def file_name(party: str, what: str, number: int | None = None) -> str:
    """What a party's file is called.

    >>> file_name("north", "contribution", 1)
    'north.contribution-1.json'
    """
    return f"{party}.{what}.json" if number is None else f"{party}.{what}-{number}.json"


def fingerprint(of: str) -> str:
    """A digest in a form that two people can read to each other.

    >>> fingerprint("0123456789abcdef" * 4)
    '0123 4567 89ab cdef 0123 4567 89ab cdef'
    """
    return " ".join(of[i : i + 4] for i in range(0, 32, 4))


class Exchange:
    """One exchange between parties, as far as it has come."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.agreement = Agreement.read(self.folder / AGREEMENT)

    @cached_property
    def keys(self) -> dict[str, KeyFile]:
        """The public keys of all parties; refused while one is missing."""
        found = {party: self._read(KeyFile, party, "key") for party in self.agreement.parties}
        used = [key for file in found.values() for key in (file.signing, file.channel, *file.masks)]
        if len(set(used)) < len(used):
            raise PartyError("two key files hold the same key: one of them is a copy or a forgery")
        for party, file in found.items():
            if len(file.masks) != self.agreement.rounds:
                raise PartyError(f"the key file of {party} has keys for another number of rounds")
        return found

    @cached_property
    def roster(self) -> str:
        """A digest of the agreement and of all keys."""
        return digest(
            {
                "agreement": self.agreement.digest,
                "keys": {party: file.digest for party, file in self.keys.items()},
            }
        )

    @cached_property
    def shares(self) -> dict[str, SharesFile]:
        """The sealed shares of all parties; refused while one is missing."""
        found = {party: self._read(SharesFile, party, "shares") for party in self.agreement.parties}
        for party, file in found.items():
            self._check_sender(file, party, "shares")
            if set(file.sealed) != set(self.agreement.parties):
                raise PartyError(f"the shares of {party} are not for all parties")
            if len(file.commitments) != self.agreement.rounds:
                raise PartyError(f"the shares of {party} are for another number of rounds")
        return found

    def contributions(
        self, number: int, without: Iterable[str] = ()
    ) -> dict[str, ContributionFile]:
        """The contributions of a round that have arrived, but for those to be left out."""
        left_out = set(without)
        self.agreement.check_known(left_out)
        found: dict[str, ContributionFile] = {}
        for party in self.agreement.parties:
            if party not in left_out and self.arrived(party, "contribution", number):
                file = self._read(ContributionFile, party, "contribution", number)
                self._check_sender(file, party, "contribution")
                found[party] = file
        private = self.agreement.plan.domain.schema.neighbours == "add-remove"
        for party, file in found.items():
            if (file.rows is None) != private:
                raise PartyError(
                    f"the contribution of {party} states a number of records where it is private, "
                    "or none where it is public: it was not made by this program"
                )
        if len({(file.lengths, file.bins) for file in found.values()}) > 1:
            raise PartyError(
                "the contributions have different lengths or bins: all parties need the same "
                "versions of sfumato and numpy, and the odd one was made by another"
            )
        if len({file.seeded for file in found.values()}) > 1:
            raise PartyError(
                "some contributions are test runs (made with a seed), whose noise protects nobody: "
                "they cannot be opened with the others"
            )
        if len(found) < self.agreement.fewest:
            raise PartyError(
                f"{len(found)} of {len(self.agreement.parties)} parties contributed to round "
                f"{number}, and {self.agreement.fewest} must: with fewer there would be too "
                "little noise. Nothing can be opened; wait for the others"
            )
        return found

    def openings(self, number: int) -> dict[str, OpeningFile]:
        """The openings of a round that have arrived."""
        found: dict[str, OpeningFile] = {}
        for party in self.agreement.parties:
            if self.arrived(party, "opening", number):
                file = self._read(OpeningFile, party, "opening", number)
                self._check_sender(file, party, "opening")
                found[party] = file
        return found

    def opened(self, number: int) -> bool:
        """Whether enough openings of this round have arrived."""
        there = [p for p in self.agreement.parties if self.arrived(p, "opening", number)]
        return len(there) >= self.agreement.threshold

    def use(self, what: str, number: int | None = None) -> str:
        """What a key is derived for, and for nothing else."""
        return f"{self.roster}; {what}" + ("" if number is None else f"; round {number}")

    def place(self, party: str, what: str, number: int | None = None) -> Path:
        """Where a file lies, or will."""
        return self.folder / file_name(party, what, number)

    def arrived(self, party: str, what: str, number: int | None = None) -> bool:
        """Whether there is such a file; what it holds is not looked at."""
        return is_there(self.place(party, what, number))

    def _read(self, kind: type[S], party: str, what: str, number: int | None = None) -> S:
        path = self.place(party, what, number)
        found = kind.read(path)
        if found.agreement != self.agreement.digest:
            raise PartyError(f"{path} belongs to another agreement: ask the party for its file")
        if found.party != party:
            raise PartyError(f"{path} is the file of {found.party}: ask {party} for its own")
        if number is not None and getattr(found, "round", number) != number:
            raise PartyError(f"{path} belongs to another round: ask the party for its file")
        return found

    def _check_sender(self, file: SignedFile, party: str, what: str) -> None:
        if file.roster != self.roster:
            raise PartyError(
                f"the {what} of {party} was made with other keys than those in {self.folder}: "
                "compare the fingerprints, and exchange the key files again"
            )
        file.check_signature(bytes.fromhex(self.keys[party].signing), f"the {what} of {party}")


def list_digest(contributions: Mapping[str, str]) -> str:
    """A digest of which contributions are added up."""
    return digest({"contributions": dict(contributions)})
