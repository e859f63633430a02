"""What a method is tried out on: small made-up tables, stated beside the method itself.

Plain values, so that a method can carry them: `tests/contract` publishes with every
`ContractCase`, `sfumato audit` looks for broken promises on an `AuditCase`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sfumato.plan.made_up import LEVELS, MIXED, NUMBERS, PLAIN

__all__ = ["DEFAULT_RUNS", "EVERY_KIND", "AuditCase", "ContractCase", "MadeUpBasis", "Setting"]

DEFAULT_RUNS = 5_000


@dataclass(frozen=True)
class ContractCase:
    """One budget, one neighbour relation and some options that the promises are tested with."""

    budget: Mapping[str, str] = field(default_factory=dict)
    neighbours: str = "replace-one"
    options: Mapping[str, Any] = field(default_factory=dict)
    public: str | None = None  # the option that takes public data of the same columns
    frozen: bool = True  # else draws whose scores are brute-forced in tests of their own
    promised: bool = True  # else the method says that it has no proof
    numbers: bool = False  # whether all columns but the label must be numbers
    columns: tuple[str, ...] = ()  # the only ones released, where a method takes few values only
    target: str | None = None  # the number that is to be predicted, and there is no label then
    random: bool = True  # else the same records always give the same release


@dataclass(frozen=True)
class MadeUpBasis:
    """Stands for public directions in no particular direction, as the value of an option."""

    rank: int
    without: tuple[int, ...] = ()  # columns that the directions leave out


@dataclass(frozen=True)
class Setting:
    """A made-up schema with a name, and options that lead through one branch of a method."""

    name: str
    schema: Mapping[str, Any]
    options: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        said = ", ".join(
            f"{key}={'given' if isinstance(value, dict) else value}"
            for key, value in self.options.items()
        )
        return f"{self.name} columns" + (f" with {said}" if said else "")


EVERY_KIND = (
    Setting("plain", PLAIN),
    Setting("mixed", MIXED),
    Setting("number", NUMBERS),
    Setting("level", LEVELS),
)


@dataclass(frozen=True)
class AuditCase:
    """Public facts that suit a method, options that it needs, and a claim in its currency.

    The fewer coordinates, the more of its budget a method shows: one column where one will do, a
    label where the method needs one, two features where it looks for components.  `settings` are
    the rich tables on which noise is frozen: a fault in what the small one does not have (a third
    level, a missing value, a second component, a ball) shows only there.
    """

    schema: Mapping[str, Any]
    options: Mapping[str, Any] = field(default_factory=dict)
    budget: Mapping[str, str] = field(default_factory=lambda: {"epsilon": "2"})
    runs: int = DEFAULT_RUNS  # as many as take some seconds
    settings: tuple[Setting, ...] = EVERY_KIND
