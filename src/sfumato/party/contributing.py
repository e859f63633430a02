"""One party's contribution: measured, under its share of the noise, charged and masked.

The charge is on the disk before a record is read, the contribution in the private state before it
leaves.  Run again, the same file is written again: no mask is put on two vectors.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.errors import ParameterError, PartyError
from sfumato.ledger import Ledger
from sfumato.numeric.arrays import Whole
from sfumato.party.agreement import Agreement
from sfumato.party.document import ContributionFile, encoded
from sfumato.party.exchange import Exchange
from sfumato.party.first_round import FirstRound, fingerprint_key
from sfumato.party.joining import held_shares, own_keys
from sfumato.party.mask import Masks, pair_mask, self_mask
from sfumato.party.measuring import bins_digest, measured, rehearse
from sfumato.party.opening import check_same_parties, opened_before
from sfumato.party.state import State, StateFile, locked
from sfumato.privacy.randomness import Bits, SeededBits, SystemBits
from sfumato.publishing.transaction import Charged
from sfumato.table.header import check_header
from sfumato.table.records import Records
from sfumato.table.source import number_of_records, open_source

__all__ = ["Contributed", "contribute"]


@dataclass(frozen=True)
class Contributed:
    """What was written, and whether it had been made before."""

    place: Path
    round: int
    again: bool
    file: ContributionFile
    charged: bool  # now, to a ledger


def contribute(
    exchange: Exchange,
    state: Path,
    data: Any,
    *,
    ledger: Ledger | None = None,
    seed: int | None = None,
    progress: Callable[[str, int], None] | None = None,
) -> Contributed:
    """Add one party's part to the next round.  A `seed` makes a test run without any guarantee."""
    if seed is not None and ledger is not None:
        raise ParameterError("a seeded run is a test: leave out the seed, or the ledger")
    with locked(state) as kept:
        party = own_keys(exchange, kept)
        lost = _lost(exchange, kept, party)
        known, number = opened_before(exchange) if lost is None else ([], lost)
        if number > exchange.agreement.rounds:
            raise PartyError(
                "all rounds have been opened: nothing was measured or charged now. Whoever has "
                "the files runs sfumato party combine"
            )
        name = f"contribution-{number}"
        made = kept.sent(name, ContributionFile)
        again = made is not None
        if made is None:
            if exchange.arrived(party, "contribution", number):
                raise PartyError(
                    f"{exchange.place(party, 'contribution', number)} is there, and your state "
                    "does not know it: an older copy of the state? With it the same masks would "
                    "cover two contributions, so nothing was measured or charged"
                )
            if number > 1:
                check_same_parties(exchange, number, party)
            _check_awaited(exchange, number, party)
            held_shares(exchange, kept.file)  # refused now, if others could not open with them
            work = _Contribution(exchange, kept.file, known, number, ledger, seed)
            made = work.made(data, progress, lambda file, first: kept.keep(name, file, first))
        elif made.roster != exchange.roster:
            raise PartyError("your contribution was made for other keys than those in the folder")
        place = exchange.place(party, "contribution", number)
        made.write(place)
        first = kept.file.first
        if ledger is not None and first is not None and ledger.ledger_id == first.ledger:
            _settle(exchange.agreement, ledger, made)
        charged = ledger is not None and number == 1 and not again
        return Contributed(place, number, again, made, charged)


def _lost(exchange: Exchange, state: State, party: str) -> int | None:
    """The round whose contribution was made, and is not in the folder."""
    for number in range(1, exchange.agreement.rounds + 1):
        made = f"contribution-{number}" in state.file.sent
        if made and not exchange.arrived(party, "contribution", number):
            return number
    return None


def _check_awaited(exchange: Exchange, number: int, party: str) -> None:
    for other, file in exchange.openings(number).items():
        if party not in file.contributions:
            raise PartyError(
                f"{other} has opened round {number} without you: a contribution would come too "
                "late, so nothing was measured or charged"
            )


def _settle(agreement: Agreement, ledger: Ledger, last: ContributionFile) -> None:
    entry = ledger.entry(agreement.file.release)
    mine = entry is not None and (entry.state, entry.plan) == ("drawn", agreement.digest)
    if mine and last.round == agreement.rounds:
        ledger.settle(agreement.file.release, last.digest)


Keep = Callable[[ContributionFile, FirstRound], None]


@dataclass(frozen=True)
class _Contribution:
    exchange: Exchange
    state: StateFile
    known: list[Whole]
    number: int
    ledger: Ledger | None
    seed: int | None

    def made(
        self,
        data: Any,
        progress: Callable[[str, int], None] | None,
        keep: Keep,
    ) -> ContributionFile:
        agreement = self.exchange.agreement
        plan, release = agreement.plan, agreement.file.release
        if self.number > 1:
            seeded = self.seed is not None
            self._first.check_counted(release, agreement.digest, self.ledger, seeded=seeded)
        rehearse(plan, agreement.honest, self.known)
        bins = bins_digest(plan, self.known) if self.known else None
        source = open_source(data, tuple(plan.domain.schema.columns), plan.domain.schema.file)
        check_header(source, plan.domain)
        public = plan.domain.schema.neighbours == "replace-one"
        rows = number_of_records(source, plan.domain) if public else None
        key = fingerprint_key(self.ledger, bytes.fromhex(self.state.signing))
        told = None if progress is None else lambda count: progress("read", count)
        records = Records(source, plan.domain, key=key, progress=told)
        if self.ledger is None:
            return self._measured(records, rows, bins, keep)
        if self.number == 1:
            terms = plan.terms
            entry = self.ledger.reserve(
                release,
                terms.dataset,
                terms.guarantee,
                plan=agreement.digest,
                protects=terms.protects,
            )
            if entry.state != "reserved":
                raise PartyError(
                    f"release {release} is {entry.state} in this ledger, and its noise is never "
                    "drawn twice: a contribution was begun and interrupted, or sent from "
                    "another state. Start anew with another agreement; the charge stays"
                )
        with Charged(self.ledger, release):
            return self._measured(records, rows, bins, keep)

    @property
    def _first(self) -> FirstRound:
        if self.state.first is None:
            raise PartyError("the state does not say what the first round was about: start anew")
        return self.state.first

    def _measured(
        self, records: Records, rows: int | None, bins: str | None, keep: Keep
    ) -> ContributionFile:
        agreement = self.exchange.agreement
        parts = measured(agreement.plan, records, self._bits(records), agreement.honest, self.known)
        found = self._noted(records)
        if self.number > 1:
            self._first.check_records(found.records)
        entries = np.concatenate(parts).view(np.uint64) + self._masks(sum(map(len, parts)))
        file = ContributionFile(
            agreement=agreement.digest,
            party=self.state.party,
            round=self.number,
            roster=self.exchange.roster,
            rows=rows,
            seeded=self.seed is not None,
            bins=bins,
            lengths=tuple(map(len, parts)),
            entries=encoded(entries.astype("<u8").tobytes()),
        ).signed(bytes.fromhex(self.state.signing))
        keep(file, found)
        return file

    def _noted(self, records: Records) -> FirstRound:
        return FirstRound(
            records=hashlib.sha256(records.fingerprint() or b"").hexdigest(),
            ledger=None if self.ledger is None else self.ledger.ledger_id,
            seeded=self.seed is not None,
        )

    def _bits(self, records: Records) -> Bits:
        if self.seed is not None:
            return SeededBits(self.seed)
        ledger, release = self.ledger, self.exchange.agreement.file.release
        if ledger is None or self.number > 1:  # a later round is part of the same draw
            return SystemBits()
        return SystemBits(lambda: ledger.draw(release, records.fingerprint()))

    def _masks(self, count: int) -> Masks:
        """The party's own mask, and one in common with each other party."""
        exchange, me = self.exchange, self.state.party
        use, place = exchange.use("mask", self.number), self.number - 1
        total = self_mask(bytes.fromhex(self.state.selves[place]), f"{use}; {me}", count)
        private, mine = bytes.fromhex(self.state.masks[place]), exchange.agreement.number(me)
        for other, keys in exchange.keys.items():
            if other != me:
                adds = mine < exchange.agreement.number(other)
                peer = bytes.fromhex(keys.masks[place])
                total = total + pair_mask(private, peer, use, count, adds=adds)
        return total
