"""The certificate: what was done, what is promised, what is not, for `release.json`.

Unit, domain, unprotected quantities, accounting and implementation are the fields of the
third transparency tier of the OpenDP deployments registry; the order follows NIST SP 800-226.
"""

import platform
from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from typing import Any

from sfumato.plan.terms import ReleaseTerms
from sfumato.privacy.guarantee import Guarantee, Heuristic, Seeded, to_json
from sfumato.privacy.mechanism import Purse
from sfumato.release.content import Content
from sfumato.release.folder import digest

__all__ = ["FORMAT", "cautions", "certificate"]

FORMAT = 1

_LARGE_EPSILON, _LARGE_DELTA = 10, 1e-4
_NO_LEDGER = "No ledger was kept: what other releases of the same data cost is not known here."


def certificate(
    terms: ReleaseTerms,
    purse: Purse,
    content: Content,
    *,
    synopsis: Mapping[str, Any] | None,
    release: str,
    ledger: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """The account of one release, from what was planned and from what was really bought."""
    return {
        "format": FORMAT,
        "release": release,
        **terms.subject,
        "method": terms.method,
        "options": dict(terms.options),
        "guarantee": to_json(purse.guarantee),
        "statement": str(purse.guarantee),
        "budget": None if terms.budget is None else to_json(terms.budget),
        "events": [event.to_json() for event in purse.events],
        "invariants": list(terms.invariants),
        "columns": None
        if terms.columns is None
        else {item.name: str(item.type) for item in terms.columns},
        "rows": content.rows,
        "content": {"blake2b-256": content.hexdigest()},
        "synopsis": None if synopsis is None else digest(synopsis),
        "ledger": None if ledger is None else dict(ledger),
        **cautions(terms, purse.guarantee, ledger),
        "versions": _versions(),
    }


@cache  # reading them takes longer than a small release
def _installed(name: str) -> str:
    return version(name)


def _versions() -> dict[str, str]:
    packages = ("sfumato", "numpy", "pyarrow", "cryptography")
    return {"python": platform.python_version()} | {name: _installed(name) for name in packages}


def cautions(
    terms: ReleaseTerms, guarantee: Guarantee, ledger: Mapping[str, Any] | None
) -> dict[str, Any]:
    """What a reader is to bear in mind; it follows from the plan, so that it can be checked."""
    keyed = "AES-256 in counter mode, keyed by the operating system"
    exact = "" if isinstance(terms.guarantee, Heuristic) else "; exact discrete noise"
    return {
        "randomness": "a seed: a test run" if isinstance(guarantee, Seeded) else keyed + exact,
        "warnings": list(_weakness(guarantee)),
        "limits": [*terms.caveats, *(() if ledger else (_NO_LEDGER,))],
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
