"""The certificate: what was done, what is promised, what is not, for `release.json`.

Unit, domain, unprotected quantities, accounting and implementation are the fields of the
third transparency tier of the OpenDP deployments registry; the order follows NIST SP 800-226.
"""

import platform
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any, Protocol

import pyarrow as pa

from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import Guarantee, Heuristic, Seeded, to_json
from sfumato.privacy.mechanism import Purse
from sfumato.release.content import Content
from sfumato.release.folder import digest

__all__ = ["FORMAT", "Account", "cautions", "certificate"]

FORMAT = 1

_LARGE_EPSILON, _LARGE_DELTA = 10, 1e-4
_NO_LEDGER = "No ledger was kept: what other releases of the same data cost is not known here."


class Account(Protocol):
    """What a certificate needs to know of a plan, for whatever kind of data."""

    @property
    def method(self) -> str:
        """The recipe by its name."""

    @property
    def options(self) -> Mapping[str, Any]:
        """What the recipe was told; the same again gives the same plan."""

    @property
    def budget(self) -> Budget | None:
        """What the noise was planned for."""

    @property
    def guarantee(self) -> Guarantee:
        """What is promised: the budget, or plainly nothing."""

    @property
    def columns(self) -> pa.Schema | None:
        """Columns of the data file, where they are not those of a schema."""

    @property
    def invariants(self) -> tuple[str, ...]:
        """What is published as it is."""

    @property
    def caveats(self) -> tuple[str, ...]:
        """What a reader is to bear in mind."""

    def subject(self) -> dict[str, Any]:
        """What the data is and between which neighbours the promise holds: public facts."""


def certificate(
    plan: Account,
    purse: Purse,
    content: Content,
    *,
    synopsis: Mapping[str, Any] | None,
    release: str,
    ledger: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """The account of one release, from the plan and from what was really bought."""
    return {
        "format": FORMAT,
        "release": release,
        **plan.subject(),
        "method": plan.method,
        "options": dict(plan.options),
        "guarantee": to_json(purse.guarantee),
        "statement": str(purse.guarantee),
        "budget": None if plan.budget is None else to_json(plan.budget),
        "events": [event.to_json() for event in purse.events],
        "invariants": list(plan.invariants),
        "columns": None
        if plan.columns is None
        else {item.name: str(item.type) for item in plan.columns},
        "rows": content.rows,
        "content": {"blake2b-256": content.hexdigest()},
        "synopsis": None if synopsis is None else digest(synopsis),
        "ledger": None if ledger is None else dict(ledger),
        **cautions(plan, purse.guarantee, ledger),
        "versions": {"python": platform.python_version()}
        | {name: version(name) for name in ("sfumato", "numpy", "pyarrow", "cryptography")},
    }


def cautions(
    plan: Account, guarantee: Guarantee, ledger: Mapping[str, Any] | None
) -> dict[str, Any]:
    """What a reader is to bear in mind; it follows from the plan, so that it can be checked."""
    keyed = "AES-256 in counter mode, keyed by the operating system"
    exact = "" if isinstance(plan.guarantee, Heuristic) else "; exact discrete noise"
    return {
        "randomness": "a seed: a test run" if isinstance(guarantee, Seeded) else keyed + exact,
        "warnings": list(_weakness(guarantee)),
        "limits": [*plan.caveats, *(() if ledger else (_NO_LEDGER,))],
    }


def _weakness(guarantee: Guarantee) -> tuple[str, ...]:
    """A plain word where the figures promise little."""
    if isinstance(guarantee, Heuristic):
        return (f"NOT PRIVATE by any proof: {guarantee.reason}.",)
    epsilon, delta = getattr(guarantee, "epsilon", 0), getattr(guarantee, "delta", 0)
    found = []
    if epsilon > _LARGE_EPSILON:
        found.append(
            f"An epsilon above {_LARGE_EPSILON} promises little: the odds of a guess about a "
            "record may change by a factor of more than twenty thousand."
        )
    if delta > _LARGE_DELTA:
        found.append(
            f"A delta above {_LARGE_DELTA} is large: with up to that probability the promise may "
            "fail outright. It should be far below one over the number of records."
        )
    return tuple(found)
