"""Keys, and shares of a party's secrets for the others: all of it before a record is read.

Each party has, for each round, a seed of its own mask and a private key whose pairwise masks
cancel in the sum.  Both are shared among all: the first is put together again for those that
contributed, the second for those that dropped out, never both of one party.
"""

import hashlib
import json
import os
import re
from pathlib import Path

from sfumato.errors import PartyError
from sfumato.party.document import SHARE, KeyFile, SharesFile, decoded, encoded
from sfumato.party.exchange import Exchange, fingerprint
from sfumato.party.mask import LENGTH, new_key, public_key, sealed, unsealed
from sfumato.party.secret import split
from sfumato.party.signing import new_signing_key, public_signing_key
from sfumato.party.state import State, StateFile, locked
from sfumato.untrusted.plain_file import is_there
from sfumato.untrusted.strict_json import parsed

__all__ = ["Held", "held_shares", "join", "key_fingerprint", "own_keys", "share"]

KEY, SHARES = "key", "shares"


def join(exchange: Exchange, party: str, state: Path) -> Path:
    """Draw the keys of a party, keep the private ones, and write the public ones."""
    agreement = exchange.agreement
    agreement.number(party)
    _check_apart(exchange, state)
    place = exchange.place(party, KEY)
    if not is_there(state):
        if is_there(place):
            raise PartyError(_joined(place, party, state))
        rounds = range(agreement.rounds)
        file = StateFile(
            agreement=agreement.digest,
            party=party,
            signing=new_signing_key().hex(),
            channel=new_key().hex(),
            masks=tuple(new_key().hex() for _ in rounds),
            selves=tuple(os.urandom(LENGTH).hex() for _ in rounds),
            sent={},
        )
        file.write(state)
    with locked(state) as kept:
        if member(exchange, kept) != party:
            raise PartyError(f"{state} is the state of {kept.file.party}: choose another file")
        made = public_keys(kept.file)
        # The others may hold what is there, so no key is put in its place.
        if is_there(place) and KeyFile.read(place) != made:
            raise PartyError(_joined(place, party, state))
        return _write(exchange, kept, KEY, made)


def _joined(place: Path, party: str, state: Path) -> str:
    return (
        f"{party} has joined: {place} is not the key of {state}; join with the state that it "
        "belongs to, or make a new agreement"
    )


def public_keys(state: StateFile) -> KeyFile:
    """The key file that belongs to a state."""
    return KeyFile(
        agreement=state.agreement,
        party=state.party,
        signing=public_signing_key(bytes.fromhex(state.signing)).hex(),
        channel=public_key(bytes.fromhex(state.channel)).hex(),
        masks=tuple(public_key(bytes.fromhex(key)).hex() for key in state.masks),
    )


def key_fingerprint(exchange: Exchange, party: str) -> str:
    """Of the key file of one party, in a form that two people can compare."""
    return fingerprint(KeyFile.read(exchange.place(party, KEY)).digest)


def _check_apart(exchange: Exchange, state: Path) -> None:
    """What lies in the folder is sent to the others."""
    if state.resolve().is_relative_to(exchange.folder.resolve()):
        raise PartyError(
            f"{state} lies in {exchange.folder}, whose files go to the others: keep the state, "
            "which is private, in another folder"
        )


def member(exchange: Exchange, state: State) -> str:
    """Whose state this is; refused where it is of another exchange."""
    _check_apart(exchange, state.path)
    if state.file.agreement != exchange.agreement.digest:
        raise PartyError(
            f"{state.path} belongs to another agreement than {exchange.folder}: give the state "
            "that was made for it, or join again with a new one"
        )
    exchange.agreement.number(state.file.party)
    return state.file.party


def own_keys(exchange: Exchange, state: State) -> str:
    """As `member`; refused where the folder holds another key under this name."""
    party = member(exchange, state)
    if exchange.keys[party] != public_keys(state.file):
        raise PartyError(
            f"{exchange.place(party, KEY)} is not the key that {state.path} belongs to: somebody "
            "replaced it. Do not go on before you know who"
        )
    return party


def share(exchange: Exchange, state: Path) -> Path:
    """Split the secrets of a party and seal each part for its holder."""
    with locked(state) as kept:
        party = own_keys(exchange, kept)
        made = kept.sent(SHARES, SharesFile)
        if made is None:
            made = _sealed_shares(exchange, kept.file, party).signed(kept.signing)
        elif made.roster != exchange.roster:
            raise PartyError(
                "your shares were sealed for other keys than those that are in the folder now: "
                "find out which party changed its key; a new agreement starts anew"
            )
        return _write(exchange, kept, SHARES, made)


def _sealed_shares(exchange: Exchange, state: StateFile, party: str) -> SharesFile:
    agreement = exchange.agreement
    count, threshold = len(agreement.parties), agreement.threshold

    def shared(keys: tuple[str, ...]) -> list[list[int]]:
        return [split(bytes.fromhex(key), threshold, count) for key in keys]

    selves, keys = shared(state.selves), shared(state.masks)
    letters = {}
    for place, holder in enumerate(agreement.parties):
        content = {
            "selves": [f"{shares[place]:x}" for shares in selves],
            "keys": [f"{shares[place]:x}" for shares in keys],
        }
        letter = sealed(
            json.dumps(content).encode(),
            bytes.fromhex(state.channel),
            bytes.fromhex(exchange.keys[holder].channel),
            exchange.use(f"shares from {party} to {holder}"),
        )
        letters[holder] = encoded(letter)
    return SharesFile(
        agreement=agreement.digest,
        party=party,
        roster=exchange.roster,
        commitments=tuple(hashlib.sha256(bytes.fromhex(seed)).hexdigest() for seed in state.selves),
        sealed=letters,
    )


class Held:
    """The shares that one party holds of another's secrets, by round."""

    def __init__(self, content: bytes, rounds: int, sender: str) -> None:
        try:
            found = parsed(content)
            self._selves, self._keys = ([_share(s) for s in found[n]] for n in ("selves", "keys"))
        except (ValueError, LookupError, TypeError):
            raise PartyError(f"the sealed shares of {sender} are not shares") from None
        if not len(self._selves) == len(self._keys) == rounds:
            raise PartyError(f"the sealed shares of {sender} are for another number of rounds")

    def self_share(self, number: int) -> str:
        """Of the seed of its own mask."""
        return self._selves[number - 1]

    def key_share(self, number: int) -> str:
        """Of the private key of its pairwise masks."""
        return self._keys[number - 1]


def _share(text: str) -> str:
    if re.fullmatch(SHARE, text) is None:
        raise ValueError
    return text


def held_shares(exchange: Exchange, state: StateFile) -> dict[str, Held]:
    """What a party holds of all others; refused where one of the letters does not open."""
    found = {}
    for sender, file in exchange.shares.items():
        letter = decoded(file.sealed[state.party], f"the shares file of {sender}")
        content = unsealed(
            letter,
            bytes.fromhex(state.channel),
            bytes.fromhex(exchange.keys[sender].channel),
            exchange.use(f"shares from {sender} to {state.party}"),
        )
        found[sender] = Held(content, exchange.agreement.rounds, sender)
    return found


def _write(exchange: Exchange, state: State, what: str, document: KeyFile | SharesFile) -> Path:
    if state.sent(what, type(document)) is None:
        state.keep(what, document)
    place = exchange.place(state.file.party, what)
    document.write(place)
    return place
