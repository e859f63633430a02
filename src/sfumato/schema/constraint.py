"""Constraints between columns: public facts that hold within each record.

A text orders two columns of numbers or two of dates; a combination lists the values that
categories and booleans take together, or never do.  Drawn records are held to them; records
of the data are counted as they are, because refusing one would tell something about it.

>>> columns = ("admitted", "discharged")
>>> ordering("admitted <= discharged", columns)
Ordering(first='admitted', relation='<=', second='discharged')
>>> Combination(columns=("sex", "ward"), forbidden=(("m", "maternity"),)).listed
(('m', 'maternity'),)
"""

import re
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal, NamedTuple, Protocol, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from sfumato.schema.strict_yaml import explain

__all__ = ["Combination", "Constraint", "Ordering", "check", "level", "ordering"]

Relation = Literal["<=", "<", ">=", ">", "==", "!="]
Value = str | int | bool | None
_RELATION = re.compile(r"<=|>=|==|!=|<|>")
_EXAMPLE = "admitted <= discharged"
_NUMBERS, _LISTED = ("number", "integer"), ("category", "boolean")


class Ordering(NamedTuple):
    """Two columns and how the first stands to the second."""

    first: str
    relation: Relation
    second: str


def _texts(combinations: Any) -> Any:
    """Values as a category writes them."""
    if not isinstance(combinations, list | tuple):
        return combinations
    for combination in combinations:
        if not isinstance(combination, list | tuple):
            raise ValueError("write each combination as a list of values, one per column")
        if not all(isinstance(value, str | int | float | None) for value in combination):
            raise ValueError("values must be texts, whole numbers, true, false or null: quote them")
    # YAML reads 1.5 as a number; a category is compared as text.
    return [[str(v) if isinstance(v, float) else v for v in c] for c in combinations]


Combinations = Annotated[
    tuple[tuple[Value, ...], ...],
    Field(min_length=1, max_length=10_000),
    BeforeValidator(_texts),
]


class Combination(BaseModel):
    """Values that columns take together: only those allowed, or all but those forbidden."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    columns: tuple[str, ...] = Field(min_length=1)
    allowed: Combinations | None = Field(default=None, description="null stands for missing")
    forbidden: Combinations | None = Field(default=None, description="null stands for missing")

    @property
    def listed(self) -> tuple[tuple[Value, ...], ...]:
        """The combinations that are written down."""
        return self.allowed or self.forbidden or ()


def _written(entry: Any) -> Any:
    """One refusal per entry, in place of one for each way it could have been meant."""
    if isinstance(entry, str | Combination):
        return entry
    if not isinstance(entry, Mapping):
        raise ValueError(f"a constraint is a text ({_EXAMPLE}), or columns and their combinations")
    try:
        return Combination.model_validate(entry)
    except ValidationError as error:
        raise ValueError(explain(error).replace("schema: ", "constraint: ")) from None


Constraint = Annotated[
    Annotated[str, Field(description=f"two columns in their order: {_EXAMPLE}")] | Combination,
    BeforeValidator(_written),
]


class Listed(Protocol):
    """What is asked of a column here; the schema has the rest."""

    @property
    def kind(self) -> str:
        """Number, integer, category, boolean or date."""

    @property
    def missing(self) -> str | None:
        """Whether missing is a level."""


def ordering(text: str, columns: Iterable[str]) -> Ordering:
    """The two columns of an ordering, whatever signs their names hold themselves."""
    known = set(columns)
    splits = [
        Ordering(text[: at.start()].strip(), cast(Relation, at.group()), text[at.end() :].strip())
        for at in _RELATION.finditer(text)
    ]
    if not splits:
        raise ValueError(f"constraint {text}: write two columns with <=, <, >=, >, == or !=")
    for split in splits:
        if split.first in known and split.second in known:
            return split
    unknown = next(name for name in (splits[0].first, splits[0].second) if name not in known)
    raise ValueError(f"constraint {text}: no column {unknown} is released: correct its name")


def level(name: str, column: Any, value: Value) -> int:
    """The code of a value of a category or boolean, as a person writes it."""
    if column.kind == "boolean":
        values = ["false", "true"]
    else:
        values = [str(v).strip() for v in (*column.values, *((column.other,) * bool(column.other)))]
    if value is None:
        if column.missing is None:
            raise ValueError(f"{name} is never missing: declare missing: allowed, or leave it out")
        return len(values)
    text = str(value).strip()
    try:
        return values.index(text.lower() if column.kind == "boolean" else text)
    except ValueError:
        raise ValueError(f"{name} has no value {text}: take one that is declared") from None


def check(constraints: Iterable[Constraint], columns: Mapping[str, Listed]) -> None:
    """Refuse what names no released column, compares what has no order, or lists no value."""
    for constraint in constraints:
        if isinstance(constraint, str):
            _check_order(ordering(constraint, columns), columns)
        else:
            _check_listed(constraint, columns)


def _check_order(found: Ordering, columns: Mapping[str, Listed]) -> None:
    name = f"constraint {' '.join(found)}"
    if found.first == found.second:
        raise ValueError(f"{name}: both sides are the same column: name two")
    kinds = [columns[found.first].kind, columns[found.second].kind]
    if not (all(kind in _NUMBERS for kind in kinds) or kinds == ["date", "date"]):
        raise ValueError(
            f"{name}: only two numbers or two dates have an order: "
            "for categories and booleans list the combinations"
        )


def _check_listed(found: Combination, columns: Mapping[str, Listed]) -> None:
    name = f"constraint on {', '.join(found.columns)}"
    if (found.allowed is None) == (found.forbidden is None):
        raise ValueError(f"{name}: list either allowed or forbidden combinations")
    if len(found.columns) < 2:
        raise ValueError(f"{name}: a combination needs two columns: for one, shorten its values")
    if len(set(found.columns)) < len(found.columns):
        raise ValueError(f"{name}: a column is named twice: keep one")
    for column in found.columns:
        if column not in columns:
            raise ValueError(f"{name}: no column {column} is released: correct its name")
        if columns[column].kind not in _LISTED:
            raise ValueError(
                f"{name}: {column} is no category or boolean: "
                "numbers and dates can only be ordered, as in a <= b"
            )
    for combination in found.listed:
        if len(combination) != len(found.columns):
            raise ValueError(f"{name}: each combination needs one value per column")
        for column, value in zip(found.columns, combination, strict=True):
            try:
                level(column, columns[column], value)
            except ValueError as error:
                raise ValueError(f"{name}: {error}") from None
