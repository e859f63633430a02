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
    """Too many records do not fit the schema: nothing is published, the look is paid for.

    `parts` are the sentences of the message: the whole, its columns, the remedy, the price.
    """

    def __init__(self, *parts: str) -> None:
        super().__init__(". ".join(parts))
        self.parts = parts


class BudgetError(Refused):
    """The ledger does not grant this charge.

    Where a `command` records that it may, the message ends with it, after what it would do (`by`);
    `said` is the message without that.
    """

    def __init__(self, said: str, by: str = "", command: str = "") -> None:
        super().__init__(f"{said}, or {by} with `{command}`" if command else said)
        self.said, self.command = said, command


class LedgerError(Refused):
    """The ledger is damaged, foreign, newer than this program, or out of reach."""


class ReleaseError(Refused):
    """A release folder is in the way, damaged, or not what it says it is."""


class PartyError(Refused):
    """A file that parties exchange is missing, damaged, or belongs to another exchange."""


class MissingExtra(SfumatoError, ImportError):
    """An optional package is needed for this."""
