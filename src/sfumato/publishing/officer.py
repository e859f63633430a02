"""The officer's page of a release: its figures from the folder, the account from the ledger."""

import json
from collections.abc import Iterator
from pathlib import Path

from sfumato.errors import ReleaseError
from sfumato.ledger import Ledger
from sfumato.ledger.chain import LedgerLine
from sfumato.ledger.history import said
from sfumato.publishing.kinds import kind_rules
from sfumato.publishing.page import sound
from sfumato.publishing.verification import Verification
from sfumato.release.release import Release
from sfumato.report.officer import Account, Step, officer_html

__all__ = ["officer_page"]

_STATES = {
    "reserved": "reserved, nothing drawn yet",
    "drawn": "drawn, not settled",
    "stopped": "stopped: the records did not fit",
    "refunded": "given back",
}


def officer_page(folder: str | Path, ledger: Ledger) -> str:
    """What the officer reads before a release goes out; refused where it does not verify.

    It is about the ledger as it is now, so it is no part of the release and changes with time.
    """
    checks = sound(Path(folder), ledger=ledger)
    release = Release.load(Path(folder))
    summary = kind_rules(release.certificate).described(release.certificate)
    return officer_html(release, _account(release, ledger, checks), summary=summary)


def _account(release: Release, ledger: Ledger, checks: Verification) -> Account:
    certificate, dataset = release.certificate, release.certificate.dataset
    entry = ledger.entry(certificate.release)
    if entry is None:
        raise ReleaseError(
            "the ledger never heard of this release: give the one that it was charged to (--ledger)"
        )
    every, balance = ledger.history(dataset), ledger.balance(dataset)
    joined = {line.dataset if line.dataset != dataset else line.other or ""
              for line in every if line.kind == "same-data"}  # fmt: skip
    lines = [line for line in every if line.dataset == dataset]
    own = {line.kind: line for line in lines if line.release == certificate.release}
    first, settled = own.get("reserve") or own.get("part"), own.get("settle")
    bought = [line.release or "" for line in lines if line.kind == "settle"]
    return Account(
        ledger=ledger.ledger_id,
        head=ledger.head,
        reserved=_day(first) if first else "",
        published=_day(settled) if settled else "",
        charged=str(entry.charge),
        protects=balance.protects or "",
        granted=str(balance.granted) + (", and releases without a promise" * balance.heuristic),
        spent=balance.spent.spelled(like=balance.granted),
        left=balance.left.spelled(like=balance.granted),
        grants=[
            Step(_day(line), "grant", str(line.amount), _said(line, "reason"))
            for line in lines
            if line.kind == "grant"
        ],
        charges=list(_charges(lines, ledger)),
        looks=[
            Step(_day(line), line.release or "the records, without a release", "",
                 _said(line, "what"))
            for line in lines
            if line.kind == "inspect"
        ],
        other_names=sorted(joined),
        bought=bought,
        checks=[(check.name, check.detail) for check in checks],
    )  # fmt: skip


def _charges(lines: list[LedgerLine], ledger: Ledger) -> Iterator[Step]:
    for line in lines:
        if line.kind not in ("reserve", "part"):
            continue
        entry = ledger.entry(str(line.release))
        state = "released" if entry is None else entry.state
        amount = str(line.amount if entry is None else entry.charge)
        yield Step(_day(line), str(line.release), amount, _STATES.get(state, state))


def _said(line: LedgerLine, name: str) -> str:
    return str(json.loads(line.detail).get(name, ""))


def _day(line: LedgerLine) -> str:
    return f"{said(line.clock)[:16]} UTC"
