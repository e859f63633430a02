"""The durable budget ledger: what may be spent on a data set, and what was.

Guarantee.  A charge is on the disk before `reserve` returns; no interleaving of processes
spends more than was granted; a crash wastes budget and never grants it; a release id is
charged once and draws noise once; changed, removed or rolled-back history is refused,
the last against a head hash kept elsewhere, for which the user's state folder is one place;
charges about different units or neighbours are never added up; parts of one table that have no
record in common cost their maximum, all else adds up.  The proof pages are
docs/proofs/ledger.md and docs/proofs/parts.md.
Steps.  reserve (charged) → draw (noise begins) → settle (published); a reservation that
has not drawn can be refunded by a recorded act, a draw never.  A release that was reserved in two
steps may stop after the first, by the object that drew alone, and keeps what that one cost.  A
later part of a series and an inspection are lines of their own: they are counted and cost nothing.
Limits.  Whoever can write the file, or owns the database, can rewrite all of it: only the kept
head shows that.

>>> from tempfile import TemporaryDirectory
>>> from sfumato.privacy.guarantee import PureDP
>>> with TemporaryDirectory() as folder, Ledger.create(f"{folder}/budget.db") as ledger:
...     ledger.grant("adult", epsilon=3, reason="approved by the data board")
...     about = "one record; replace-one"
...     entry = ledger.reserve("adult-2026", "adult", PureDP(1), plan="c0ffee00", protects=about)
...     ledger.draw(entry.release, None)
...     ledger.settle(entry.release, "0123456789abcdef")
...     print(ledger.entry(entry.release).state, "·", ledger.balance("adult").left, "left")
released · epsilon 2 left
"""

import secrets
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from sfumato.errors import LedgerError, ParameterError
from sfumato.ledger.amount import minus
from sfumato.ledger.backend import Connection
from sfumato.ledger.balance_table import balance_table
from sfumato.ledger.chain import Balance, birth, commitment, genesis, next_line
from sfumato.ledger.clients import Clients, give_back, use
from sfumato.ledger.fingerprint_key import new_key, new_key_file, write_key
from sfumato.ledger.making import making
from sfumato.ledger.moving import move
from sfumato.ledger.period import charged_before, lapse_again, running
from sfumato.ledger.rules import (
    Entry,
    affordable,
    digest_text,
    divisible,
    entry_of,
    goes_on,
    inspectable,
    line_text,
    one_promise,
    one_table,
    part_id,
    priced,
    renamed,
    require_state,
    same_data,
    same_request,
    staged,
    unknown,
)
from sfumato.ledger.sql import (
    append,
    balance_of,
    granted_datasets,
    insert,
    inspections_of,
    joined_to,
    last_line,
    lines_of,
    names_of,
    parts_of,
    reservations_of,
    unfinished_releases,
    veil_of,
)
from sfumato.ledger.table_part import TablePart
from sfumato.ledger.two_steps import entry_in
from sfumato.privacy.budget import Charge
from sfumato.privacy.guarantee import Guarantee, Heuristic, to_json

__all__ = ["Balance", "Entry", "Ledger"]


class Ledger(Clients):
    """An open ledger.  Safe between threads and processes; not carried over a fork."""

    @classmethod
    def create(cls, place: str | Path, *, two_people: bool = False) -> Self:
        """Make a new ledger, readable by its owner only, and open it.

        With `two_people` no budget is granted by one person alone: one asks, another approves.
        """
        ledger_id, key = secrets.token_hex(16), new_key()
        said = birth(ledger_id, commitment(key), two_people=two_people)
        with making(place, ledger_id, key) as connection:
            start, now, who = (0, genesis(ledger_id)), connection.clock, connection.who
            insert(connection, next_line(start, Balance(), "create", "", said, clock=now, who=who))
        return cls(place)

    def move(self, place: str | Path) -> None:
        """Close this ledger and go on at another place, with the whole chain and the same id."""
        move(self, place)

    def new_key(self, *, reason: str) -> None:
        """Replace a fingerprint key that was lost: data drawn before is not known again."""
        line_text(reason=reason)
        key = new_key()
        with self._writing() as connection:
            file = new_key_file(self.ledger_id, self._opened().key_file)
            write_key(file, self.ledger_id, key)
            append(connection, "new-key", "", {"key": commitment(key), "reason": reason})

    def reserve(
        self,
        release: str,
        dataset: str,
        guarantee: Guarantee,
        *,
        plan: str,
        protects: str,
        table_part: TablePart | None = None,
        first: Guarantee | None = None,
        uses: Mapping[str, Guarantee] | None = None,
    ) -> Entry:
        """Charge the release; on the disk before this returns.

        `protects` says which unit is protected between which neighbours: budgets of different
        promises do not add up, so all charges of a data set must name the same.  What promises
        nothing costs nothing and is not bound by that.  With `table_part` it uses those records
        alone, and parts that have no record in common cost the most that one of them costs.  With
        `first` it may `stop` when that much was spent.  With `uses` each client's share of it is
        charged to that client as well, in the same transaction.  The same request again returns
        the entry it has, without a second charge: its `state` says how far it came.
        """
        line_text(release=release, dataset=dataset, protects=protects)
        digest_text(plan=plan)
        amount = priced(guarantee)
        promised = None if isinstance(guarantee, Heuristic) else protects
        with self._writing() as connection:
            if steps := lines_of(connection, release):
                return same_request(entry_of(steps), dataset, guarantee, plan, table_part)
            balance = balance_of(connection, dataset)
            if balance is None:
                raise unknown(dataset, granted_datasets(connection))
            said: dict[str, object] = {"guarantee": to_json(guarantee), "plan": plan}
            if table_part is not None:
                divisible(table_part, promised, balance, amount)
                said["table part"] = table_part.to_json()
            if first is not None:
                staged(first, amount)
                said["first"] = to_json(first)
            if promised is not None:
                one_promise(dataset, _same_data(connection, dataset), promised)
            now = running(connection, dataset)
            affordable(release, dataset, balance, amount, table_part)
            line = append(
                connection,
                "reserve",
                dataset,
                said,
                release=release,
                amount=amount,
                protects=promised,
                part=table_part,
                clock=now,
            )
            use(connection, dataset, release, uses or {}, amount)
        return entry_of([line])

    def go_on(self, series: str, part: int, *, plan: str) -> Entry:
        """Record that part 1, 2, 3 … of a charged series is published after its beginning.

        It costs nothing, because the series was charged for all its parts; each can be begun
        once and in order, under the id `series+part`, which then draws and settles like any
        other.  The same request again returns the entry it has.
        """
        digest_text(plan=plan)
        release = part_id(series, part)
        line_text(series=series, release=release)
        with self._writing() as connection:
            begun = entry_in(connection, series)
            if steps := lines_of(connection, release):
                found = entry_of(steps)
                return same_request(found, found.dataset, found.guarantee, plan)
            begun = goes_on(begun, series, part, parts_of(connection, series))
            said = {"guarantee": to_json(begun.guarantee), "plan": plan, "part": part}
            line = append(connection, "part", begun.dataset, said, release=release, other=series)
        return entry_of([line])

    def draw(self, release: str, fingerprint: bytes | None) -> None:
        """Record that noise is drawn from here on: once per release, whatever happens next.

        `fingerprint` (keyed with `fingerprint_key`) ties the data to the name of the data
        set; data known under another name is refused until `allow` has joined the two.  Parts
        of a table are drawn from one table, whose fingerprint is that of all its records.
        """
        if fingerprint is not None and len(fingerprint) < 16:
            raise ParameterError("fingerprint must have at least 16 bytes, or be None")
        mark = None if fingerprint is None else fingerprint.hex()
        with self._writing() as connection:
            entry = require_state(entry_in(connection, release), release, "draw")
            names = names_of(connection, mark) if mark else set()
            strangers = names - {entry.dataset} - joined_to(connection, entry.dataset)
            if strangers:
                raise renamed(min(strangers), entry.dataset)
            veil = None
            if mark is not None:
                veil = veil_of(connection, entry.dataset, mark) or secrets.token_hex(16)
            one_table(entry, balance_of(connection, entry.dataset) or Balance(), mark, veil)
            append(
                connection,
                "draw",
                entry.dataset,
                {},
                release=release,
                fingerprint=mark,
                veil=veil,
                part=entry.table_part,
            )
        if entry.first is not None:
            self._in_first_step.add(release)

    def settle(self, release: str, digest: str) -> None:
        """Record what was published; the same digest again changes nothing."""
        digest_text(digest=digest)
        with self._writing() as connection:
            entry = entry_in(connection, release)
            if entry is not None and entry.state == "released" and entry.digest == digest:
                return
            entry = require_state(entry, release, "settle")
            append(connection, "settle", entry.dataset, {"digest": digest}, release=release)

    def refund(self, release: str, *, reason: str) -> None:
        """Give a reservation back, on the record; only while no noise was drawn.

        Clients get back what they used of it, in the same transaction.
        """
        line_text(reason=reason)
        with self._writing() as connection:
            entry = require_state(entry_in(connection, release), release, "refund")
            append(
                connection,
                "refund",
                entry.dataset,
                {"reason": reason},
                release=release,
                amount=entry.charge,
                part=entry.table_part,
                over=charged_before(connection, entry.dataset, entry.sequence),
            )
            lapse_again(connection, entry.dataset, entry.sequence)
            give_back(connection, release)

    def allow(self, dataset: str, other: str, reason: str) -> None:
        """Record that two names stand for the same data; its people then bear both budgets."""
        line_text(dataset=dataset, other=other, reason=reason)
        if dataset == other:
            raise ParameterError("dataset and other must be two names")
        with self._writing() as connection:
            both: dict[str, Balance] = {}
            for name in (dataset, other):
                if balance_of(connection, name) is None:
                    raise unknown(name, granted_datasets(connection))
                both |= _same_data(connection, name)
            for protects in sorted({b.protects for b in both.values() if b.protects}):
                one_promise(dataset, both, protects)
            append(connection, "same-data", dataset, {"reason": reason}, other=other)

    def joined(self, dataset: str) -> list[str]:
        """The other names of the same data, as decided; what is spent under all of them adds up."""
        with self._session() as connection:
            return [name for name in _same_data(connection, dataset) if name != dataset]

    def protects(self, dataset: str, protects: str, *, reason: str) -> None:
        """Record what all charges so far are about, for an account that an older Sfumato kept."""
        line_text(dataset=dataset, protects=protects, reason=reason)
        with self._writing() as connection:
            balance = balance_of(connection, dataset)
            if balance is None:
                raise unknown(dataset, granted_datasets(connection))
            if balance.protects is not None:
                raise LedgerError(
                    f"data set {dataset!r} protects {balance.protects!r}: this cannot be changed"
                )
            append(connection, "protects", dataset, {"reason": reason}, protects=protects)

    def inspect(self, dataset: str, *, release: str | None = None, what: str) -> None:
        """Record that somebody looks at the records without noise; on the disk before this returns.

        It costs nothing, because no figure bounds what is seen; it is counted, so that
        whoever judges a choice of methods knows how often it was looked.  `release` names the
        release that is looked at, which must be published; `what` says what is done.
        """
        line_text(dataset=dataset, what=what)
        with self._writing() as connection:
            if balance_of(connection, dataset) is None:
                raise unknown(dataset, granted_datasets(connection))
            if release is not None:
                inspectable(entry_in(connection, release), release, dataset)
            append(connection, "inspect", dataset, {"what": what}, release=release)

    def inspections(self, dataset: str) -> dict[str | None, int]:
        """How often each release was looked at; None stands for the records without one."""
        with self._session() as connection:
            return dict(Counter(line.release for line in inspections_of(connection, dataset)))

    def entry(self, release: str) -> Entry | None:
        """How far a release came, or None if the ledger never heard of it."""
        with self._session() as connection:
            return entry_in(connection, release)

    def unfinished(self, dataset: str | None = None) -> list[Entry]:
        """Releases that were reserved and have not ended, oldest first."""
        with self._session() as connection:
            names = unfinished_releases(connection, dataset)
            return [entry_of(lines_of(connection, name)) for name in names]

    def balance(self, dataset: str) -> Balance:
        """Granted, spent and left, in whole units."""
        with self._session() as connection:
            balance = balance_of(connection, dataset)
            if balance is None:
                raise unknown(dataset, granted_datasets(connection))
        return balance

    def parts(self, dataset: str) -> dict[TablePart, Charge]:
        """The parts of a table that were charged apart, with the most that a record of each bears.

        What was spent on the whole table is included.
        """
        with self._session() as connection:
            balance = balance_of(connection, dataset) or Balance()
            named = (
                {}
                if not balance.parts.frames
                else dict.fromkeys(
                    entry.table_part
                    for line in reservations_of(connection, dataset)
                    if (entry := entry_of(lines_of(connection, str(line.release)))).table_part
                    and entry.state != "refunded"
                )
            )
        return {part: minus(balance.granted, balance.left_for(part)) for part in named if part}

    def datasets(self) -> list[str]:
        """The names that were ever granted anything."""
        with self._session() as connection:
            return granted_datasets(connection)

    @property
    def head(self) -> str:
        """The hash of the last event: it stands for the whole history."""
        with self._session() as connection:
            return last_line(connection)[1]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Ledger({self.name!r})"

    def _repr_html_(self) -> str:
        return balance_table(self, self.name)


def _same_data(connection: Connection, dataset: str) -> dict[str, Balance]:
    """The balances of a data set and of all that are the same data."""
    names = same_data(dataset, lambda name: joined_to(connection, name))
    return {name: balance_of(connection, name) or Balance() for name in sorted(names)}
