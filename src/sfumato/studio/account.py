"""The account of a data set as a page shows it: its history line by line, what is left, what waits.

Draws and settlements are told in the line of the charge that they belong to; every other line of
the ledger is a line here.

>>> address_of("clinic"), address_of("Klinik Süd / 2026")
('clinic', 'klinik-sud-2026-3b5b39b3f0cc')
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from hashlib import sha256

from sfumato.errors import ParameterError
from sfumato.ledger import Balance, Entry, Ledger
from sfumato.ledger.amount import NOTHING
from sfumato.ledger.chain import LedgerLine
from sfumato.ledger.clients import Client
from sfumato.ledger.granting import Period, Request
from sfumato.ledger.history import act_of
from sfumato.privacy.budget import Charge
from sfumato.release.certificate import Certificate
from sfumato.studio.place import is_slug, slug_of
from sfumato.studio.words import greek, several

__all__ = ["Account", "Row", "account", "address_of", "day_of_release", "name_at"]

_MORE, _LESS = ("grant", "approve", "refund", "stop"), ("reserve", "lapse")
_TOLD_ELSEWHERE = ("draw", "settle", "checkpoint")
_STATES = {  # of a release, by its last line
    "reserve": "charged, no noise drawn yet",
    "part": "goes on, no noise drawn yet",
    "draw": "charged, noise drawn, not finished",
    "settle": "charged, noise drawn, released",
    "stop": "charged, noise drawn, stopped: the records did not fit",
    "refund": "charged, given back before noise was drawn",
}
_ROUTES = frozenset(["approve", "export", "refund", "same-data", "verify"])  # beside data sets
_FIGURES = ("micro_epsilon", "pico_delta", "micro_rho")


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the history."""

    line: int
    day: str
    what: str
    release: str
    who: str
    reason: str
    amount: str  # with its sign
    left: str


@dataclass(frozen=True)
class Account:
    """Where one data set stands."""

    name: str
    address: str
    balance: Balance
    rows: tuple[Row, ...]
    looks: tuple[Row, ...]
    unproved: tuple[str, ...]  # releases without a promise
    unfinished: tuple[Entry, ...]
    stopped: int
    clients: tuple[Client, ...]
    requests: tuple[Request, ...]
    period: Period | None
    others: tuple[str, ...]  # names of the same data
    last: int  # its newest line: a form says which one was seen

    @property
    def granted(self) -> str:
        """All that was ever allowed."""
        return greek(str(self.balance.granted))

    @property
    def spent(self) -> str:
        """By all releases together."""
        return greek(self.balance.spent.spelled(like=self.balance.granted))

    @property
    def left(self) -> str:
        """What may still be spent."""
        return greek(self.balance.left.spelled(like=self.balance.granted))

    @property
    def releases(self) -> int:
        """How many were published."""
        return self.balance.releases - self.stopped - self._under_way

    @property
    def spent_by(self) -> str:
        """Who has spent it: what was published, what stopped, what is not finished."""
        said = [several(self.releases, "release")]
        if self.stopped:
            said.append(f"{self.stopped} that stopped")
        if self._under_way:
            said.append(f"{self._under_way} not finished")
        return " and ".join(said)

    @property
    def _under_way(self) -> int:
        return sum(entry.part is None for entry in self.unfinished)

    @property
    def share_left(self) -> int:
        """Hundredths of the currency of which least is left, for a bar."""
        pairs = zip(figures(self.balance.left), figures(self.balance.granted), strict=True)
        shares = [Fraction(left, granted) for left, granted in pairs if granted]
        return int(100 * max(min(shares, default=Fraction(0)), Fraction(0)))


def figures(charge: Charge) -> tuple[int, ...]:
    """The three currencies of a charge, in whole units."""
    return tuple(getattr(charge, name) for name in _FIGURES)


def account(ledger: Ledger, name: str) -> Account:
    """The account of a data set; refused where the ledger does not know it."""
    balance, lines = ledger.balance(name), ledger.history(name)
    own = [line for line in lines if line.dataset == name]
    steps = {line.release: line.kind for line in lines if line.kind in _STATES}  # the last of each
    rows = tuple(_rows(lines, steps))
    unproved = (
        str(line.release)
        for line in own
        if line.kind == "reserve" and line.amount == NOTHING and steps[line.release] != "refund"
    )
    joined = {line.dataset if line.dataset != name else str(line.other)
              for line in lines if line.kind == "same-data"}  # fmt: skip
    looked = {line.sequence for line in own if line.kind == "inspect"}
    return Account(
        name=name,
        address=address_of(name),
        balance=balance,
        rows=rows,
        looks=tuple(row for row in rows if row.line in looked),
        unproved=tuple(unproved),
        unfinished=tuple(ledger.unfinished(name)),
        stopped=len(ledger.stopped(name)),
        clients=tuple(ledger.clients(name)),
        requests=tuple(one for one in ledger.requests() if one.dataset == name),
        period=ledger.period(name),
        others=tuple(sorted(joined)),
        last=max((line.sequence for line in own), default=0),
    )


def _did(line: LedgerLine, what: str) -> str:
    """What was done; a look at no release is one at the records themselves."""
    return "looked at the records" if line.kind == "inspect" and not line.release else what


def _rows(lines: Sequence[LedgerLine], steps: Mapping[str | None, str]) -> Iterator[Row]:
    for line in lines:
        if line.kind in _TOLD_ELSEWHERE:
            continue
        act = act_of(line)
        sign = "+" if line.kind in _MORE else "−" if line.kind in _LESS else ""
        row = Row(
            line=line.sequence,
            day=act.when.partition(" ")[0],
            what=" ".join(filter(None, (_did(line, act.what), act.client, act.about))),
            release=act.release,
            who=act.who,
            reason=act.reason,
            amount=f"{sign}{greek(act.amount)}" if act.amount else "",
            left=greek(act.left),
        )
        if line.kind in ("reserve", "part"):
            about = f" ({act.about})" if act.about else ""
            row = replace(row, what=_STATES[steps[line.release]] + about)
        yield row


def address_of(name: str) -> str:
    """What stands for a data set in addresses: its name, or a name made of it and a digest."""
    if is_slug(name) and name not in _ROUTES:
        return name
    digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"{slug_of(name)}-{digest}"


def name_at(address: str, names: Sequence[str]) -> str:
    """The data set that an address stands for."""
    for name in names:
        if address_of(name) == address:
            return name
    raise ParameterError("the ledger knows no such data set: begin at the start page")


def day_of_release(ledger: Ledger, certificate: Certificate) -> str:
    """The day on which a release was entered as published; empty where the ledger does not know."""
    for line in ledger.history(certificate.dataset):
        if line.kind == "settle" and line.release == certificate.release:
            return act_of(line).when.partition(" ")[0]
    return ""
