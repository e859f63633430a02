"""What a worker is asked to do: names and typed facts, whole in one file, nothing off the records.

The schema lies in it as it was when this was reviewed, so that what is finished later is what was
asked for, whatever was typed since.

>>> asked = Asked(job="9c1e0a7733f1b2d4", kind="publish", dataset="clinic", name="clinic",
...     file="clinic.csv", schema="name: clinic", epsilon="1")
>>> Asked.from_json(asked.to_json()) == asked
True
>>> is_job("9c1e0a7733f1b2d4"), is_job("../9c1e"), is_job("")
(True, False, False)
"""

import json
import re
import secrets
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, Self

from sfumato.errors import ParameterError
from sfumato.studio.misfit import CHOICES, USUAL
from sfumato.untrusted.strict_json import parsed

__all__ = ["PAGE", "PHASES", "Asked", "Kind", "is_job", "new_job"]

# All that is ever told of a release under way, in this order.
PHASES = ("charged", "drawn", "written", "checked")
PAGE = "page"  # after this word comes all that a look has found

Kind = Literal["publish", "fit", "inspect", "compare"]
_JOB = re.compile("[0-9a-f]{16}")


def is_job(text: str) -> bool:
    """Whether this can be the id of a job, which is that of its release."""
    return _JOB.fullmatch(text) is not None


def new_job() -> str:
    """An id that was never used."""
    return secrets.token_hex(8)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One job: a release, or a look at the records."""

    job: str
    kind: Kind
    dataset: str  # in addresses
    name: str  # in the ledger
    file: str  # of the data folder
    schema: str
    method: str = "mosaic"
    epsilon: str | None = None
    delta: str | None = None
    rho: str | None = None
    rows: int | None = None
    format: Literal["csv", "parquet"] = "csv"
    options: dict[str, Any] = field(default_factory=dict)
    misfit: str = USUAL  # how many records may fail to fit
    doubted: str = ""  # the doubt that was read, and all the same
    release: str = ""  # that is looked at
    epsilons: tuple[str, ...] = ()  # of a comparison
    reason: str = ""  # of a look

    def same_as(self, other: "Asked") -> bool:
        """Whether both ask for the same, under whatever id and in whatever format."""
        return _bare(self) == _bare(other)

    def despite(self, doubt: str) -> "Asked":
        """The same, for somebody who has read this doubt."""
        return replace(self, doubted=doubt)

    def to_look(self, kind: Kind, job: str, reason: str) -> "Asked":
        """A look at what was published, beside its records."""
        return replace(self, kind=kind, job=job, reason=reason, release=self.job)

    def to_json(self) -> str:
        """For the file."""
        return json.dumps({**asdict(self), "version": 1}, indent=1)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """What `to_json` wrote."""
        try:
            found = parsed(text.encode())
            if not isinstance(found, dict) or found.pop("version", None) != 1:
                raise TypeError
            asked = cls(**{**found, "epsilons": tuple(found["epsilons"])})
        except (ValueError, TypeError, KeyError):
            raise ParameterError("a job of this project is not of this version") from None
        known = asked.format in ("csv", "parquet") and asked.misfit in CHOICES
        if not (is_job(asked.job) and known):
            raise ParameterError("a job of this project is damaged")
        return asked


def _bare(asked: Asked) -> Asked:
    return replace(asked, job="", format="csv", doubted="")
