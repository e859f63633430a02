"""The release of an opened exchange: anyone who has the files can make it.

The sum under its noise is public now.  What is made from it is what one owner would have made:
the same plan turns it into a synopsis and a table, with a certificate that says who contributed.
"""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa

from sfumato.numeric.arrays import Whole
from sfumato.party.document import ContributionFile
from sfumato.party.exchange import Exchange
from sfumato.party.measuring import OpenedPurse, StandIns
from sfumato.party.opening import check_same_parties, opened_sums
from sfumato.plan import Plan
from sfumato.plan.terms import ReleaseTerms
from sfumato.privacy.mechanism import Purse
from sfumato.publishing.joint import joint_terms
from sfumato.publishing.row_number import check_rows
from sfumato.publishing.transaction import Produced, ReleaseTransaction
from sfumato.release.certificate import PartyFacts
from sfumato.release.file import Format
from sfumato.release.release import Release
from sfumato.signature import signing_key

__all__ = ["combine"]


def combine(
    exchange: Exchange,
    folder: str | Path | None = None,
    *,
    format: Format = "csv",
    rows: int | None = None,
    sign: str | Path | None = None,
) -> Release:
    """Add up what the parties contributed, and make the release from it.

    `sign` is the file of a private key: whoever combines may sign, in nobody else's name.
    """
    signer = signing_key(sign)
    check_rows(rows, exchange.agreement.plan)
    opened: list[Whole] = []
    seeded = False
    for number in range(1, exchange.agreement.rounds + 1):
        found, sums = opened_sums(exchange, number)
        if number > 1:
            check_same_parties(exchange, number, *found, whole=True)
        opened += sums
        seeded = seeded or any(file.seeded for file in found.values())
    seed = 0 if seeded else None  # of a test run
    joint = _Joint(exchange, found, opened, rows, seed)
    transaction = ReleaseTransaction(
        joint, None, exchange.agreement.file.release, seed, signer=signer
    )
    return transaction.to(folder, format, "arrow")


class _Joint:
    """What parties publish together."""

    def __init__(
        self,
        exchange: Exchange,
        found: Mapping[str, ContributionFile],
        opened: list[Whole],
        rows: int | None,
        seed: int | None,
    ) -> None:
        self._plan: Plan = exchange.agreement.plan
        self._opened, self._rows, self._seed = opened, rows, seed
        self._records = sum(file.rows or 0 for file in found.values())
        self.terms: ReleaseTerms = joint_terms(self._plan.terms, facts_of(exchange, tuple(found)))
        self.tables: Mapping[str, pa.Schema] = self._plan.tables

    def fingerprint(self) -> bytes | None:
        """None: no records are here."""
        return None

    def produce(self, purse: Purse, _release: str) -> Produced:
        """The synopsis that the sums are, and rows drawn from it."""
        stand_ins = StandIns(self._plan.domain, self._records)
        synopsis = self._plan.measure(stand_ins, OpenedPurse(purse, self._opened))
        batches = self._plan.render(synopsis, self._rows, np.random.default_rng(self._seed))
        return Produced(synopsis.to_json(), batches)


def facts_of(exchange: Exchange, contributed: tuple[str, ...]) -> PartyFacts:
    """What a certificate says about the parties."""
    agreement = exchange.agreement
    return PartyFacts(
        agreement=agreement.digest,
        names=agreement.parties,
        contributed=contributed,
        dropouts=agreement.file.dropouts,
        colluders=agreement.file.colluders,
        honest=agreement.honest,
        threshold=agreement.threshold,
    )
