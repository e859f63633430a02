"""Every look at the records without noise is counted, before anything is computed.

An inspection has no price: no figure bounds what its reader learns.  So it is counted
where the budget is kept, under the release it looks at.  Whoever publishes after ten
inspections has chosen with open eyes, and the ledger says so.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sfumato.errors import BudgetError, LedgerError
from sfumato.ledger import Ledger
from sfumato.release.certificate import Certificate

__all__ = ["UNCOUNTED", "by_name", "count_comparison", "count_inspection"]

UNCOUNTED = "not counted: no ledger recorded this inspection"


@contextmanager
def by_name(ledger: Ledger | str | Path | None) -> Iterator[Ledger | None]:
    """The ledger, opened here and closed again where its path was given."""
    if isinstance(ledger, str | Path):
        with Ledger(ledger) as opened:
            yield opened
    else:
        yield ledger


def count_inspection(
    certificate: Certificate, ledger: Ledger | None, *, uncounted: bool = False
) -> bool:
    """Write the inspection of a release into its ledger; whether it was counted.

    A release that was charged to a ledger is refused without that ledger, unless
    `uncounted`: counting is what happens when nothing is said.  A release without a
    ledger counts under its data set, if one is given that knows it.
    """
    if uncounted:
        return False
    stated = certificate.ledger
    if ledger is None:
        if stated is None:
            return False
        raise LedgerError(
            f"release {certificate.release} was charged to ledger {stated.id}, which counts "
            "inspections: give it (--ledger FILE), or say --uncounted"
        )
    if stated is None:
        _count(certificate.dataset, ledger, "inspection of a release without a ledger")
        return True
    if stated.id != ledger.ledger_id:
        raise LedgerError(
            f"release {certificate.release} was charged to ledger {stated.id}, not to this one "
            f"({ledger.ledger_id}): give that one, or say --uncounted"
        )
    entry = ledger.entry(certificate.release)
    if entry is not None and entry.digest not in (None, certificate.digest):
        raise LedgerError(f"the ledger holds another release under the name {certificate.release}")
    ledger.inspect(certificate.dataset, release=certificate.release, what="inspection")
    return True


def count_comparison(dataset: str, ledger: Ledger) -> None:
    """Write a comparison of methods on a data set's records into its ledger."""
    _count(dataset, ledger, "comparison of methods")


def _count(dataset: str, ledger: Ledger, what: str) -> None:
    try:
        ledger.inspect(dataset, what=what)
    except BudgetError as error:
        raise BudgetError(f"{error}, or say --uncounted") from None
