"""The statistics of one party under its share of the noise, and the release from their sum.

The methods are those of one owner, untouched: they buy from a purse, and the purse is another
one here.  `SharingPurse` adds a share of the noise to what one party's records give, and stops
when the statistics of the round are there.  `OpenedPurse` answers with the sum that was opened;
the records it is asked about are stand-ins, whose number is public and which hold nothing.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from sfumato.errors import PartyError
from sfumato.numeric.arrays import Whole
from sfumato.plan import Plan
from sfumato.privacy.guarantee import Guarantee
from sfumato.privacy.mechanism import Noise, Paid, Purse
from sfumato.privacy.randomness import Bits, SystemBits
from sfumato.privacy.share import NoiseShare
from sfumato.schema.domain import MISSING, Axis, Domain, Grid
from sfumato.table.records import Records
from sfumato.table.source import BATCH_ROWS
from sfumato.table.statistic import Statistic, folded

__all__ = ["OpenedPurse", "StandIns", "bins_digest", "measured", "rehearse", "rehearse_all"]

_FEW, _MANY, _APART = 30, 10**9, 64  # counts of an earlier round, for a rehearsal of the next

T = TypeVar("T")


class StandIns(Records):
    """So many records that hold nothing: what is measured of them is never looked at."""

    def __init__(self, domain: Domain, rows: int) -> None:
        self._width, self._rows = len(domain.axes), rows

    def fold(self, statistic: Statistic[T]) -> T:
        """As for records, all of which are the first of the domain."""
        codes = np.zeros((min(self._rows, BATCH_ROWS), self._width), np.int32, order="F")
        starts = range(0, self._rows, BATCH_ROWS)
        return folded(statistic, (codes[: self._rows - start] for start in starts))


class _Probes(Records):
    """Made-up records with every code of every column: what is counted of them shows all bins.

    Each record counts as often as its weight says.  These are above 0, so no bound between bins
    of numbers moves unseen; and drawn by chance (always the same), so hardly any other bin does.
    """

    def __init__(self, domain: Domain) -> None:
        rows = np.arange(max(axis.codes for axis in domain.axes))
        codes = [_cycled(axis, rows) for axis in domain.axes]
        self._made_up = np.asfortranarray(np.stack(codes, axis=1), np.int32)
        self._drawn = np.frombuffer(hashlib.shake_128(b"probes").digest(2 * len(rows)), "<u2")

    def fold(self, statistic: Statistic[T]) -> T:
        """As for records, each with its weight: from its first digit, which is 1, to its last."""
        total = folded(statistic, [self._made_up])
        for place in range(15, -1, -1):
            twice = statistic.merge(statistic.merge(statistic.zero(), total), total)
            total = statistic.add(twice, self._made_up[self._drawn >> place & 1 > 0])
        return total


def _cycled(axis: Axis, rows: Whole) -> Whole:
    """All codes of a column, again and again."""
    codes = rows % axis.codes
    return np.where(codes > axis.points, MISSING, codes) if isinstance(axis, Grid) else codes


class _Done(Exception):
    """The statistics of a round are measured; not an error."""


class SharingPurse(Purse):
    """Sells shares of the noise; what earlier rounds bought is known, and answered with."""

    def __init__(
        self, limit: Guarantee, bits: Bits, honest: int, known: Sequence[Whole], wanted: int
    ) -> None:
        super().__init__(limit, bits)
        self._honest, self._known, self._wanted = honest, list(known), wanted
        self.entries: list[Whole] = []

    def pay(self, noise: Noise) -> Paid:
        """Pay for a statistic under a share of its noise."""
        return _Part(noise, self.spend(noise.event), self)

    def answer(self, noise: Noise, exact: Whole, units: Whole) -> Whole:
        """The sum that is known, or this party's part of it."""
        if self._known:
            return _fitting(self._known.pop(0), exact)
        self.entries.append(self._part(NoiseShare(noise, self._honest), exact, units))
        if len(self.entries) == self._wanted:
            raise _Done
        return self.entries[-1]

    def _part(self, share: NoiseShare, exact: Whole, units: Whole) -> Whole:
        # Modulo 2^64, as one owner adds: a function of the true sum.
        return exact + share.draw(units, self.bits)


class _Rehearsal(SharingPurse):
    """Draws nothing, and refuses what could not be drawn, however long it may become."""

    longest: Sequence[int] = ()  # of each statistic, at most

    def _part(self, share: NoiseShare, exact: Whole, units: Whole) -> Whole:
        most = max([len(units), *self.longest[len(self.entries) :][:1]])
        share.check(np.resize(units, most))
        return exact


@dataclass(frozen=True, slots=True)
class _Part(Paid):
    purse: SharingPurse

    def add(self, exact: Whole, units: Whole) -> Whole:
        """What the purse answers in place of the noisy values."""
        return self.purse.answer(self.noise, exact, units)


class OpenedPurse(Purse):
    """Answers with what the parties added up; every event is paid for in the purse behind it."""

    def __init__(self, purse: Purse, opened: Sequence[Whole]) -> None:
        super().__init__(purse.limit, purse.bits)
        self._purse, self._opened = purse, list(opened)

    def pay(self, noise: Noise) -> Paid:
        """Pay for a statistic whose noise is on it already."""
        self._purse.spend(noise.event)
        return _Opened(noise, self.bits, self._opened.pop(0))


@dataclass(frozen=True, slots=True)
class _Opened(Paid):
    opened: Whole

    def add(self, exact: Whole, units: Whole) -> Whole:  # noqa: ARG002  as `Paid` has it
        """The sum of all parties, noise and all; `exact` are stand-ins."""
        return _fitting(self.opened, exact)


def measured(
    plan: Plan, records: Records, bits: Bits, honest: int, known: Sequence[Whole]
) -> list[Whole]:
    """NOT PRIVATE until it is masked: the next round's statistics under one share of the noise."""
    return _stopped(plan, records, SharingPurse(plan.guarantee, bits, honest, *_next(plan, known)))


def rehearse(plan: Plan, honest: int, known: Sequence[Whole]) -> tuple[int, ...]:
    """How long the next round's statistics are; refused where their shares cannot be drawn."""
    bits, stand_ins = SystemBits(), StandIns(plan.domain, 0)
    purse = _Rehearsal(plan.guarantee, bits, honest, *_next(plan, known))
    return tuple(len(entries) for entries in _stopped(plan, stand_ins, purse))


def bins_digest(plan: Plan, known: Sequence[Whole]) -> str:
    """Of what the next round counts: the same for all who found the same bins."""
    purse = _Rehearsal(plan.guarantee, SystemBits(), 1, *_next(plan, known))
    found = hashlib.sha256()
    for entries in _stopped(plan, _Probes(plan.domain), purse):
        found.update(entries.astype("<i8").tobytes())
    return found.hexdigest()


def rehearse_all(plan: Plan, honest: int) -> None:
    """Refuse a plan that could fail in any round, whatever is opened in those before it."""
    known: list[Whole] = []
    for wanted in plan.rounds:
        purse = _Rehearsal(plan.guarantee, SystemBits(), honest, known, wanted)
        purse.longest = plan.longest[len(known) :]
        # What the bins of a later round are compared by is measured here as well.
        records = _Probes(plan.domain) if known else StandIns(plan.domain, 0)
        known += [_made_up(len(found)) for found in _stopped(plan, records, purse)]


def _made_up(length: int) -> Whole:
    """Few records everywhere and, now and then, many."""
    return np.where(np.arange(length) % _APART, _FEW, _MANY)


def _next(plan: Plan, known: Sequence[Whole]) -> tuple[Sequence[Whole], int]:
    """What is known, and how many statistics the round has that comes after it."""
    before = 0
    for wanted in plan.rounds:
        if before == len(known):
            return known, wanted
        before += wanted
    raise PartyError("all rounds are over: run sfumato party combine")


def _stopped(plan: Plan, records: Records, purse: SharingPurse) -> list[Whole]:
    try:
        plan.measure(records, purse)
    except _Done:
        return purse.entries
    raise PartyError(f"{plan.method} measures less than its plan says")  # pragma: no cover


def _fitting(opened: Whole, exact: Whole) -> Whole:
    if opened.shape != exact.shape:
        raise PartyError(
            "the sums of an earlier round do not fit here: all parties need the same versions of "
            "sfumato and numpy"
        )
    return opened
