"""Opening a round: shares are revealed that take the masks off the sum, and off nothing else.

A party reveals its share of the own mask of those that contributed and of the mask key of those
that dropped out, never both of one party; once for a round, for one list of contributions; and
only if enough contributed for the noise to be whole.
"""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sfumato.errors import PartyError
from sfumato.numeric.arrays import Whole
from sfumato.party.document import ContributionFile, OpeningFile, decoded
from sfumato.party.exchange import Exchange, fingerprint, list_digest
from sfumato.party.joining import held_shares, own_keys
from sfumato.party.mask import LENGTH, pair_mask, public_key, self_mask
from sfumato.party.secret import joined
from sfumato.party.state import locked

__all__ = [
    "Opened",
    "check_same_parties",
    "open_round",
    "opened_before",
    "opened_sums",
    "unused_openings",
]


@dataclass(frozen=True)
class Opened:
    """What was written, and for which contributions."""

    place: Path
    round: int
    again: bool
    file: OpeningFile


def open_round(
    exchange: Exchange, state: Path, without: Iterable[str] = (), *, listed: str | None = None
) -> Opened:
    """Reveal what this party holds for the contributions that have arrived.

    `listed` is the fingerprint of the list that was compared with the others: no other is opened.
    """
    left_out = list(without)
    exchange.agreement.check_known(left_out)
    with locked(state) as kept:
        party = own_keys(exchange, kept)
        number = next(
            (
                number
                for number in _rounds(exchange)
                if f"opening-{number}" not in kept.file.sent
                or not exchange.arrived(party, "opening", number)  # lost
            ),
            exchange.agreement.rounds,
        )
        name = f"opening-{number}"
        made = kept.sent(name, OpeningFile)
        again = made is not None
        if made is None:
            found = exchange.contributions(number, left_out)
            mine = kept.sent(f"contribution-{number}", ContributionFile)
            if party in found and found[party] != mine:
                raise PartyError(
                    f"{exchange.place(party, 'contribution', number)} is not what you sent: "
                    "somebody replaced it. Do not go on before you know who"
                )
            contributions = {one: file.digest for one, file in found.items()}
            _check_listed(contributions, listed)
            _check_others(exchange, number, contributions)
            if number > 1:
                check_same_parties(exchange, number, *found, whole=True)
            held = held_shares(exchange, kept.file)
            unsigned = OpeningFile(
                agreement=exchange.agreement.digest,
                party=party,
                round=number,
                roster=exchange.roster,
                contributions=contributions,
                selves={one: held[one].self_share(number) for one in found},
                keys={one: held[one].key_share(number) for one in held if one not in found},
            )
            made = unsigned.signed(kept.signing)
            kept.keep(name, made)
        else:
            _check_listed(made.contributions, listed)
        place = exchange.place(party, "opening", number)
        made.write(place)
        return Opened(place, number, again, made)


def _check_listed(contributions: Mapping[str, str], listed: str | None) -> None:
    found = fingerprint(list_digest(contributions))
    if listed is not None and "".join(listed.split()).lower() != "".join(found.split()):
        raise PartyError(
            f"the list of contributions here has the fingerprint {found}, not the one that was "
            "given: compare with the others which contributions they have"
        )


def _check_others(exchange: Exchange, number: int, contributions: Mapping[str, str]) -> None:
    """Two lists that are opened tell more than one: refuse to be the second."""
    for party, file in exchange.openings(number).items():
        if file.contributions != contributions:
            raise PartyError(
                f"{party} has opened another list than you would now ({_named(file.contributions)} "
                f"in place of {_named(contributions)}): open the same, by leaving out the others "
                "with --without, or start anew with another agreement. Nothing was revealed"
            )


def _named(contributions: Mapping[str, str]) -> str:
    return f"{', '.join(contributions)}: {fingerprint(list_digest(contributions))[:9]}"


def _by_list(openings: Mapping[str, OpeningFile]) -> dict[str, dict[str, OpeningFile]]:
    """Openings that fit together, by the digest of their list."""
    found: dict[str, dict[str, OpeningFile]] = {}
    for party, file in openings.items():
        found.setdefault(list_digest(file.contributions), {})[party] = file
    return found


def _fitting(exchange: Exchange, number: int) -> dict[str, OpeningFile]:
    """Enough openings that have the same list; refused where there are none, or two such lists."""
    openings, needed = exchange.openings(number), exchange.agreement.threshold
    lists = _by_list(openings)
    enough = [group for group in lists.values() if len(group) >= needed]
    if len(enough) == 1:
        return enough[0]
    if len(lists) < 2:
        raise PartyError(
            f"{len(openings)} openings of round {number} have arrived, and {needed} are needed: "
            "ask the other parties to run sfumato party open"
        )
    said = "; ".join(
        f"{' and '.join(group)} opened {_named(next(iter(group.values())).contributions)}"
        for group in lists.values()
    )
    many = f"{needed} of the same are needed" if not enough else "more than one could be added up"
    raise PartyError(
        f"the parties opened different lists of contributions, and {many}: {said}. Each opens a "
        "round only once: start anew with another agreement"
    )


def unused_openings(exchange: Exchange) -> list[tuple[int, str]]:
    """Round and party of each opening that was not used, because it has another list."""
    return [
        (number, party)
        for number in _rounds(exchange)
        for party in sorted(set(exchange.openings(number)) - set(_fitting(exchange, number)))
    ]


def _rounds(exchange: Exchange) -> range:
    return range(1, exchange.agreement.rounds + 1)


def opened_before(exchange: Exchange) -> tuple[list[Whole], int]:
    """The sums of the rounds that are over, and the number of the one that is on."""
    known: list[Whole] = []
    for number in _rounds(exchange):
        if not exchange.opened(number):
            return known, number
        known += opened_sums(exchange, number)[1]
    return known, exchange.agreement.rounds + 1


def check_same_parties(exchange: Exchange, number: int, *parties: str, whole: bool = False) -> None:
    """Refuse others than those of the first round: one owner has the same records in all."""
    first = set(opened_sums(exchange, 1)[0])
    if not set(parties) <= first or (whole and set(parties) != first):
        raise PartyError(
            f"round {number} must have the parties of the first: {', '.join(sorted(first))}. If "
            "one of them is gone for good, start anew with another agreement"
        )


def opened_sums(exchange: Exchange, number: int) -> tuple[dict[str, ContributionFile], list[Whole]]:
    """The sums of a round without their masks, and the contributions that they are the sums of."""
    openings = _fitting(exchange, number)
    listed = next(iter(openings.values())).contributions
    left_out = [party for party in exchange.agreement.parties if party not in listed]
    found = exchange.contributions(number, left_out)
    for party, expected in listed.items():
        if party not in found or found[party].digest != expected:
            raise PartyError(f"the contribution of {party} is not the one that was opened")
    return found, _Unmasking(exchange, number, found, openings).sums()


@dataclass(frozen=True)
class _Unmasking:
    exchange: Exchange
    number: int
    found: Mapping[str, ContributionFile]
    openings: Mapping[str, OpeningFile]

    def sums(self) -> list[Whole]:
        lengths = next(iter(self.found.values())).lengths
        count = sum(lengths)
        total = np.zeros(count, np.uint64)
        use = self.exchange.use("mask", self.number)
        for party, file in self.found.items():
            total += _entries(file, count)
            total -= self_mask(self._seed(party), f"{use}; {party}", count)
        for gone in self.exchange.agreement.parties:
            if gone not in self.found:
                private = self._mask_key(gone)
                for party in self.found:
                    peer = bytes.fromhex(self.exchange.keys[party].masks[self.number - 1])
                    adds = self._number(party) < self._number(gone)
                    total -= pair_mask(private, peer, use, count, adds=adds)
        return np.split(total.view(np.int64), np.cumsum(lengths)[:-1])

    def _number(self, party: str) -> int:
        return self.exchange.agreement.number(party)

    def _seed(self, party: str) -> bytes:
        shares = {opener: file.selves.get(party) for opener, file in self.openings.items()}
        seed = self._joined(party, shares)
        expected = self.exchange.shares[party].commitments[self.number - 1]
        if hashlib.sha256(seed).hexdigest() != expected:
            raise _wrong(party)
        return seed

    def _mask_key(self, party: str) -> bytes:
        shares = {opener: file.keys.get(party) for opener, file in self.openings.items()}
        key = self._joined(party, shares)
        if public_key(key).hex() != self.exchange.keys[party].masks[self.number - 1]:
            raise _wrong(party)
        return key

    def _joined(self, party: str, shares: Mapping[str, str | None]) -> bytes:
        held = {self._number(opener): int(s, 16) for opener, s in shares.items() if s is not None}
        threshold = self.exchange.agreement.threshold
        if len(held) < threshold:
            raise _wrong(party)
        return joined({x: held[x] for x in sorted(held)[:threshold]}, LENGTH)


def _entries(file: ContributionFile, count: int) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    data = decoded(file.entries, f"the contribution of {file.party}")
    if len(data) != 8 * count:
        raise PartyError(f"the contribution of {file.party} is damaged: ask for it again")
    return np.frombuffer(data, "<u8").astype(np.uint64)


def _wrong(party: str) -> PartyError:
    return PartyError(
        f"the shares that were revealed for {party} do not fit together: an opening was changed, "
        "or its party does not follow the protocol. Ask each party for its opening again"
    )
