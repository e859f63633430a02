"""What is wrong with the words by which a schema says that a person is the unit."""

from collections.abc import Sequence

from sfumato.schema.person import MOST_ROWS
from sfumato.untrusted.misspelt import did_you_mean

__all__ = ["person_fault"]

_TABLES = "tables: {persons: {key: …}, events: {person: …, order: …}}"
_WORDS = {(): ("persons", "events"), ("persons",): ("key",), ("events",): ("person", "order")}


def person_fault(fault: str, where: Sequence[str], *, column: bool) -> str | None:
    """A fault of these words, or None where it is about others; `fault` is its type.

    `column`: it is about a column.

    >>> person_fault("extra_forbidden", ["per"], column=True)
    'per is for columns that are released, and an id never is: remove it here'
    """
    match fault, where:
        case "extra_forbidden", ["increasing"] if column:
            return "increasing is for columns of kind integer, number or date: remove it here"
        case "extra_forbidden", ["per"] if column:
            return "per is for columns that are released, and an id never is: remove it here"
        case "extra_forbidden", ["tables", *table, word] if tuple(table) in _WORDS:
            hint = did_you_mean(word, _WORDS[tuple(table)])
            return f"{'.'.join(['tables', *table])} has no {word}{hint}: write {_TABLES}"
        case "extra_forbidden", _:
            return None
        case _, ["per"]:
            return "per must be person: leave it out where values differ between rows"
        case _, ["increasing"]:
            return "increasing must be true: leave it out where values may fall"
        case _, ["rows_per_person"]:
            return f"rows_per_person must be a whole number from 1 to {MOST_ROWS}"
        case _, ["person" | "order" as word]:
            return f"{word} must name a column: write its name as text, in quotes if need be"
        case "missing", ["tables", *lacking]:
            return f"tables lacks {'.'.join(lacking)}: write {_TABLES}"
        case _, ["tables", *_]:
            return f"tables must say the ids of two files: write {_TABLES}"
    return None
