"""The certificate of a release, from what was planned and from what was really bought."""

import platform
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import version
from typing import Any, NamedTuple

from sfumato.plan.terms import ReleaseTerms
from sfumato.privacy.guarantee import Guarantee, Heuristic, Seeded, to_json
from sfumato.privacy.mechanism import Event, Purse
from sfumato.release.certificate import FORMAT, Certificate
from sfumato.release.content import PartsContent, TablesContent
from sfumato.release.digest import whole_digest
from sfumato.release.fit import FitFacts
from sfumato.schema.person import PERSON

__all__ = ["certify", "check_certifiable", "stated_facts"]

_LARGE_EPSILON, _LARGE_DELTA = 10, 1e-4
_NOT_CHECKED = (
    "That the ranges or values were bought, and at this price, was not checked against a ledger."
)
_NO_LEDGER = "No ledger was kept: what other releases of the same data cost is not known here."


def certify(
    terms: ReleaseTerms,
    purse: Purse,
    content: TablesContent | PartsContent,
    *,
    synopsis: Mapping[str, Any] | None,
    release: str,
    ledger: Mapping[str, Any] | None,
    fit: FitFacts | None = None,
    persons: int | None = None,
) -> Certificate:
    """The certificate of one release; `ledger` is the id and the head of the one charged."""
    bought = _Bought(purse.guarantee, purse.events, content, synopsis, fit, persons)
    return _certificate(terms, bought, release, ledger)


def check_certifiable(terms: ReleaseTerms, release: str) -> None:
    """Refuse, before anything is charged, what no certificate could state."""
    nobody = 0 if terms.subject["unit"] == PERSON and terms.columns is None else None
    nothing = _Bought(terms.guarantee, terms.events, TablesContent(), None, None, nobody)
    _certificate(terms, nothing, release, None)


class _Bought(NamedTuple):
    guarantee: Guarantee
    events: Sequence[Event]
    content: TablesContent | PartsContent
    synopsis: Mapping[str, Any] | None
    fit: FitFacts | None
    persons: int | None


def _certificate(
    terms: ReleaseTerms, bought: _Bought, release: str, ledger: Mapping[str, Any] | None
) -> Certificate:
    return Certificate.issued(
        {
            "format": FORMAT,
            "release": release,
            "guarantee": to_json(bought.guarantee),
            "statement": str(bought.guarantee),
            "budget": None if terms.budget is None else to_json(terms.budget),
            "events": [event.to_json() for event in bought.events],
            "rows": bought.content.rows,
            "content": {"sha256-tree": bought.content.hexdigest()},
            "synopsis": None if bought.synopsis is None else whole_digest(bought.synopsis),
            "ledger": None if ledger is None else dict(ledger),
            **stated_facts(terms, bought.guarantee, counted=ledger is not None),
            **(
                {}
                if bought.fit is None
                else {"fit": bought.fit.model_dump(mode="json", exclude_unset=True)}
            ),
            **({} if bought.persons is None else {"people": {"persons": bought.persons}}),
            "versions": _versions(),
        }
    )


def stated_facts(terms: ReleaseTerms, guarantee: Guarantee, *, counted: bool) -> dict[str, Any]:
    """The fields of a certificate that follow from the terms, so that they can be checked."""
    columns = terms.columns and {item.name: str(item.type) for item in terms.columns}
    return {
        **terms.subject,
        "method": terms.method,
        "options": dict(terms.options),
        "invariants": list(terms.invariants),
        "columns": columns,
        **_cautions(terms, guarantee, counted=counted),
    }


@cache  # reading them takes longer than a small release
def _installed(name: str) -> str:
    return version(name)


def _versions() -> dict[str, str]:
    packages = ("sfumato", "numpy", "pyarrow", "cryptography")
    return {"python": platform.python_version()} | {name: _installed(name) for name in packages}


def _cautions(terms: ReleaseTerms, guarantee: Guarantee, *, counted: bool) -> dict[str, Any]:
    """What a reader is to bear in mind; it follows from the plan, so that it can be checked."""
    keyed = "AES-256 in counter mode, keyed by the operating system"
    joint = "parties" in terms.subject  # whether each has a ledger is among the caveats
    unchecked = (_NOT_CHECKED,) if "bought" in terms.subject and not counted else ()
    exact = "" if isinstance(terms.guarantee, Heuristic) else "; exact discrete noise"
    return {
        "randomness": "a seed: a test run" if isinstance(guarantee, Seeded) else keyed + exact,
        "warnings": [*_weakness(guarantee), *(() if terms.doubt is None else (terms.doubt,))],
        "limits": [*terms.caveats, *unchecked, *(() if counted or joint else (_NO_LEDGER,))],
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
