"""What a data-protection officer decides on: the release, and what the ledger says around it.

The page of a release follows from the release alone, byte for byte; the ledger knows more, and
changes.  So this is a page of its own, for the owner: it holds no record, but reasons, dates and
other releases that a publisher need not tell.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sfumato.release.release import Release
from sfumato.report.html import rendered
from sfumato.report.model import page
from sfumato.schema.column import Estimated

__all__ = ["Account", "Step", "officer_html"]


@dataclass(frozen=True)
class Step:
    """A line of the ledger, in words."""

    date: str
    what: str
    amount: str = ""
    reason: str = ""


@dataclass(frozen=True)
class Account:
    """What the ledger says of the data set that a release is about."""

    ledger: str
    head: str
    reserved: str  # when this release was charged
    published: str  # when it was settled; "" if that is not known
    charged: str
    protects: str
    granted: str
    spent: str
    left: str
    grants: Sequence[Step]
    charges: Sequence[Step]
    looks: Sequence[Step]
    other_names: Sequence[str]  # of the same data: their budgets add up
    bought: Sequence[str]  # releases that the ledger holds as released
    checks: Sequence[tuple[str, str]]  # what `sfumato verify` found


def officer_html(release: Release, account: Account, *, summary: str = "") -> str:
    """The page, self-contained; never part of the release."""
    schema = release.certificate.public_schema
    released = {} if schema is None else schema.released
    estimates = [
        (name, column.provenance.release, column.provenance.release in account.bought)
        for name, column in released.items()
        if isinstance(column.provenance, Estimated)
    ]
    return rendered(
        "officer.html", page=page(release, summary=summary), account=account, estimates=estimates
    )
