"""Errors: all that Sfumato raises on purpose, as one tree.

    SfumatoError
    ├── Refused               the request cannot be granted; exit code 1
    │   ├── ParameterError    epsilon, delta, rank, rows … out of their rule
    │   ├── SchemaError       the schema contradicts itself or misses a fact
    │   ├── DataError         the file or frame does not fit the schema (by shape, never by value)
    │   ├── MisfitError       too many records do not fit the schema, by counts under paid noise
    │   ├── BudgetError       the ledger does not grant the charge
    │   ├── LedgerError       the ledger is damaged, foreign, newer, or out of reach
    │   ├── ReleaseError      a release folder is in the way, damaged, or not what it says
    │   └── PartyError        a file between parties is missing, damaged, or of another exchange
    └── MissingExtra          an optional package is needed; exit code 1

A message names the column, the rule and the remedy. It never contains a value of the
data: an error that depends on a record would be a release.
"""

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = [
    "BudgetError",
    "DataError",
    "LedgerError",
    "MisfitError",
    "MissingExtra",
    "ParameterError",
    "PartyError",
    "Refused",
    "ReleaseError",
    "SchemaError",
    "SfumatoError",
    "did_you_mean",
]


class SfumatoError(Exception):
    """Root of everything Sfumato raises on purpose."""


class Refused(SfumatoError):
    """The request cannot be granted."""


class ParameterError(Refused, ValueError):
    """A parameter is outside its rule."""


class SchemaError(Refused, ValueError):
    """The schema contradicts itself or lacks a fact."""


class DataError(Refused, ValueError):
    """The table does not fit the schema, judged by its shape alone."""


class MisfitError(Refused):
    """Too many records do not fit the schema: nothing is published, the look is paid for."""


class BudgetError(Refused):
    """The ledger does not grant this charge."""


class LedgerError(Refused):
    """The ledger is damaged, foreign, newer than this program, or out of reach."""


class ReleaseError(Refused):
    """A release folder is in the way, damaged, or not what it says it is."""


class PartyError(Refused):
    """A file that parties exchange is missing, damaged, or belongs to another exchange."""


class MissingExtra(SfumatoError, ImportError):
    """An optional package is needed for this."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A hint for an error about a name that is not among the public ones it could be.

    Capitals, spaces, underscores and hyphens do not count.

    >>> did_you_mean("mosiac", ["mosaic", "modips"]), did_you_mean("magic", ["svd"])
    (' (did you mean mosaic?)', '')
    >>> did_you_mean("Age", ["weight", "age"])
    ' (did you mean age?)'
    """
    bare = {_bare(one): one for one in known}
    near = get_close_matches(_bare(name), list(bare), n=1, cutoff=0.75)
    return f" (did you mean {bare[near[0]]}?)" if near else ""


def _bare(name: str) -> str:
    return name.casefold().translate({ord(mark): None for mark in " _-."})
