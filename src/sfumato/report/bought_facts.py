"""What the page of an estimate shows: the ranges and values that were bought."""

from collections.abc import Iterator

from sfumato.release.release import Release
from sfumato.report.card import Group
from sfumato.report.svg import short

__all__ = ["CHOSEN", "bought_facts"]

CHOSEN = (
    "Ranges and values were chosen under noise, not measured: a range may be several times wider "
    "than the values, and a few records in a thousand may lie outside of it."
)
_MOST_VALUES, _MOST_COLUMNS, _LONGEST = 12, 60, 60


def bought_facts(release: Release) -> Iterator[Group]:
    """One group in words: every column with what was bought of it."""
    facts: dict[str, dict[str, list[str]]] = {}
    for row in release.table.to_pylist():
        facts.setdefault(row["column"], {}).setdefault(row["fact"], []).append(row["value"])
    told = [f"{short(name, _LONGEST)}: {_told(one)}" for name, one in facts.items()]
    more = len(told) - _MOST_COLUMNS
    left = f"{more} more columns are in the data file." if more > 0 else ""
    yield Group("Facts that were bought", "; ".join(told[:_MOST_COLUMNS]) + ".", (), left)


def _told(facts: dict[str, list[str]]) -> str:
    if "value" in facts:
        values = [short(value, _LONGEST) for value in facts["value"]]
        more = [f"{len(values) - _MOST_VALUES} more"] * (len(values) > _MOST_VALUES)
        return ", ".join([*values[:_MOST_VALUES], *more])
    said = [f"{word} {facts[fact][0]}" for fact, word in _WORDS.items() if fact in facts]
    return ", ".join(said)


_WORDS = {"low": "from", "high": "to", "step": "by"}
