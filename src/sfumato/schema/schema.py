"""The schema: every public fact a release rests on, and nothing else.

Ranges, categories and dates are what the owner knows without looking at the records, or
what an earlier private release paid for.  There is no third way: a range read off the
data would be a release of its own.

>>> schema = Schema.model_validate({
...     "name": "clinic",
...     "columns": {
...         "age": {"kind": "integer", "low": 0, "high": 110},
...         "smoker": {"kind": "boolean", "missing": "allowed"},
...     },
... })
>>> schema.neighbours, list(schema.columns)
('replace-one', ['age', 'smoker'])
"""

import json
import re
from collections import Counter
from collections.abc import Mapping
from datetime import date, datetime
from fractions import Fraction
from math import lcm
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import yaml
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    WithJsonSchema,
    field_serializer,
    field_validator,
    model_validator,
)

from sfumato.errors import SchemaError
from sfumato.privacy.guarantee import ApproxDP, PureDP
from sfumato.schema.constraint import Constraint
from sfumato.schema.constraint import check as check_constraints
from sfumato.schema.strict_yaml import explain, load
from sfumato.untrusted.plain_file import content

__all__ = [
    "Boolean",
    "Category",
    "Column",
    "Date",
    "Estimated",
    "Identifier",
    "Integer",
    "Number",
    "Schema",
]

Step = Literal["second", "minute", "hour", "day", "month", "year"]
Role = Literal["label", "target", "group"]
# Editors that check formats would refuse 2020-01-01 as a date-time.
Moment = Annotated[
    datetime, WithJsonSchema({"type": "string", "pattern": r"^\d{4}-\d\d-\d\d([T ].+)?$"})
]
_LARGEST = 2**26  # bytes of a file
_CLOSED = ConfigDict(frozen=True, extra="forbid")


class Estimated(BaseModel):
    """A range that an earlier release bought: which one, and at what price."""

    model_config = _CLOSED
    release: str = Field(min_length=1)
    epsilon: float = Field(gt=0, allow_inf_nan=False)
    delta: float | None = Field(default=None, gt=0, lt=1, allow_inf_nan=False)

    @property
    def price(self) -> PureDP | ApproxDP:
        """The promise of that release."""
        if self.delta is None:
            return PureDP(self.epsilon)
        return ApproxDP(self.epsilon, self.delta)


class _Column(BaseModel):
    model_config = _CLOSED
    role: Role | None = None
    missing: Literal["allowed"] | None = Field(
        default=None, description="allowed: missing is a level of its own; else it is filled in"
    )
    provenance: Literal["declared"] | Estimated = Field(
        default="declared", description="where the range or the values came from"
    )


class Number(_Column):
    """A real number between two public bounds, optionally in steps."""

    kind: Literal["number"]
    low: float = Field(ge=-1e300, le=1e300, allow_inf_nan=False)
    high: float = Field(ge=-1e300, le=1e300, allow_inf_nan=False)
    step: float | None = Field(default=None, gt=0, allow_inf_nan=False)

    @model_validator(mode="after")
    def _range(self) -> Self:
        _ordered(self.low, self.high)
        if self.high - self.low < 1e-200:
            raise ValueError("the range is too narrow to tell values apart: choose another unit")
        if self.step is not None:
            _whole_steps(self.low, self.high, self.step)
        return self


class Integer(_Column):
    """A whole number between two public bounds."""

    kind: Literal["integer"]
    low: int = Field(ge=-(2**53), le=2**53)
    high: int = Field(ge=-(2**53), le=2**53)
    step: int = Field(default=1, gt=0)

    @model_validator(mode="after")
    def _range(self) -> Self:
        _ordered(self.low, self.high)
        _whole_steps(self.low, self.high, self.step)
        return self


class Category(_Column):
    """One of a public list of values; anything else becomes `other` where it is declared."""

    kind: Literal["category"]
    values: tuple[str | int, ...] = Field(min_length=1, max_length=10_000)
    other: str | None = Field(default=None, min_length=1)
    taxonomy: list[Any] | dict[str, Any] | None = Field(
        default=None, description="the values, and other, in nested lists or named branches"
    )

    @field_validator("taxonomy", mode="before")
    @classmethod
    def _tree(cls, taxonomy: Any) -> Any:
        if taxonomy is not None:
            _leaves(taxonomy)
        return taxonomy

    @field_validator("values", mode="before")
    @classmethod
    def _texts(cls, values: Any) -> Any:
        if not isinstance(values, list | tuple):
            return values
        for value in values:
            if isinstance(value, bool):
                raise ValueError(
                    "true and false are not category values: quote them "
                    '("yes" in YAML needs quotes), or use kind: boolean'
                )
            if isinstance(value, date):
                raise ValueError("quote values that look like dates, or use kind: date")
            if isinstance(value, int) and abs(value) > 2**53:
                raise ValueError("whole numbers beyond 2^53 lose digits in tables: quote them")
        # YAML reads 1.5 as a number; a category is compared as text.
        return [str(v) if isinstance(v, float) else v for v in values]

    @model_validator(mode="after")
    def _distinct(self) -> Self:
        seen = [str(value).strip() for value in (*self.values, *((self.other,) * bool(self.other)))]
        for text in seen:
            _writable(text, "a value")
        if "" in seen:
            raise ValueError("an empty text means a missing value and cannot be a category")
        if len(set(seen)) < len(seen):
            raise ValueError("values must differ from each other and from other")
        if self.taxonomy is not None:
            named, due = Counter(_leaves(self.taxonomy)), Counter(seen)
            if wrong := [*(due - named), *(named - due)]:
                raise ValueError(f"taxonomy must name every value, and other, once: see {wrong[0]}")
        return self


class Boolean(_Column):
    """True or false."""

    kind: Literal["boolean"]


class Date(_Column):
    """A date, or a time where the step is below a day, between two public bounds."""

    kind: Literal["date"]
    low: Moment
    high: Moment
    step: Step = "day"

    @field_validator("low", "high", mode="before")
    @classmethod
    def _moment(cls, value: Any) -> Any:
        # Bare digits would be read as seconds since 1970.
        text = isinstance(value, str) and not re.match(r"\d{4}-\d\d-\d\d", value)
        if text or isinstance(value, int | float):
            raise ValueError("write dates as YYYY-MM-DD")
        return datetime(value.year, value.month, value.day) if type(value) is date else value  # noqa: DTZ001  dates carry no zone

    @model_validator(mode="after")
    def _range(self) -> Self:
        if self.low.tzinfo or self.high.tzinfo:
            raise ValueError("write low and high without a time zone; records are read as UTC")
        _ordered(self.low, self.high)
        return self

    @field_serializer("low", "high", when_used="json")
    def _written(self, moment: datetime) -> str:
        return moment.isoformat().removesuffix("T00:00:00")


class Identifier(BaseModel):
    """A column that is never read and never released."""

    model_config = _CLOSED
    kind: Literal["id"]


Column = Annotated[
    Number | Integer | Category | Boolean | Date | Identifier, Field(discriminator="kind")
]


class Schema(BaseModel):
    """Columns in the order of the release, and who counts as a neighbour."""

    model_config = _CLOSED
    name: str = Field(
        min_length=1, max_length=200, description="the data set, as the ledger knows it"
    )
    neighbours: Literal["replace-one", "add-remove"] = "replace-one"
    grid_bits: int = Field(default=15, ge=1, le=16, description="numbers keep 2^bits + 1 points")
    columns: Mapping[str, Column] = Field(min_length=1)
    constraints: tuple[Constraint, ...] = Field(
        default=(), max_length=1_000, description="what holds between columns within each record"
    )

    @model_validator(mode="after")
    def _between_columns(self) -> Self:
        check_constraints(self.constraints, self.released)
        return self

    @model_validator(mode="after")
    def _one_price(self) -> Self:
        paid = [c.provenance for c in self.released.values() if isinstance(c.provenance, Estimated)]
        for name, first in self.bought.items():
            if any(one.release == name and one != first for one in paid):
                raise ValueError(
                    f"release {name} is said to have cost two prices: restore what was written"
                )
        return self

    @model_validator(mode="after")
    def _roles(self) -> Self:
        if not self.released:
            raise ValueError("at least one column besides the ids is needed")
        for name in self.columns:
            _writable(name, "a column name")
        for role in ("label", "target"):
            named = [n for n, c in self.released.items() if c.role == role]
            if len(named) > 1:
                raise ValueError(f"only one column can be the {role}, not {', '.join(named)}")
        for name, column in self.released.items():
            if column.role == "label":
                if not isinstance(column, Category | Boolean):
                    raise ValueError(f"label {name} must be a category or a boolean")
                if isinstance(column, Category) and len(column.values) + bool(column.other) < 2:
                    raise ValueError(f"label {name} needs at least two values")
        return self

    @property
    def released(self) -> dict[str, Number | Integer | Category | Boolean | Date]:
        """The columns that are read and released: all but the ids."""
        return {n: c for n, c in self.columns.items() if not isinstance(c, Identifier)}

    @property
    def bought(self) -> dict[str, Estimated]:
        """The releases by which ranges or values were bought, by their ids."""
        paid = (column.provenance for column in self.released.values())
        return {one.release: one for one in paid if isinstance(one, Estimated)}

    @property
    def label(self) -> str | None:
        """The name of the label column, if the schema has one."""
        return next((n for n, c in self.released.items() if c.role == "label"), None)

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """A schema from a YAML or JSON file."""
        path = Path(path)
        try:
            text = content(path, _LARGEST, follow=True).decode("utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
            raise SchemaError(f"schema {path} cannot be read: {reason}") from None
        return cls.parse(text, where=str(path))

    @classmethod
    def parse(cls, text: str, *, where: str = "schema") -> Self:
        """A schema from YAML or JSON text; `where` names it in messages."""
        return cls.of(load(text, where=where), where=where)

    @classmethod
    def of(cls, content: object, *, where: str = "schema") -> Self:
        """A schema from a mapping, with refusals that name column, rule and remedy."""
        if isinstance(content, cls):
            return content
        if not isinstance(content, Mapping):
            raise SchemaError(f"{where}: a schema is a mapping with name and columns")
        try:
            return cls.model_validate(content)
        except ValidationError as error:
            said = explain(error)  # what is wrong with no single column is said of the schema
            raise SchemaError(
                said if said.startswith(f"{where}: ") else f"{where}: {said}"
            ) from None

    def to_json(self) -> dict[str, Any]:
        """The schema as plain JSON values, without the defaults."""
        return self.model_dump(mode="json", exclude_defaults=True)

    def to_yaml(self) -> str:
        """The schema as a person would write it."""
        content = self.to_json()
        # Line breaks beyond ASCII would be folded away unless they are escaped.
        readable = json.dumps(content, ensure_ascii=False).isprintable()
        return yaml.safe_dump(content, sort_keys=False, allow_unicode=readable)


def _leaves(taxonomy: Any, depth: int = 0) -> list[str]:
    """The values at the ends of a taxonomy, as text, in its order."""
    if depth and isinstance(taxonomy, str | int | float) and not isinstance(taxonomy, bool):
        return [str(taxonomy).strip()]
    if not isinstance(taxonomy, list | tuple | Mapping) or not taxonomy or depth > 20:
        raise ValueError("taxonomy must be nested lists or mappings of values, none of them empty")
    if isinstance(taxonomy, Mapping) and not all(isinstance(name, str) for name in taxonomy):
        raise ValueError("the branches of a taxonomy need names that are text: put them in quotes")
    parts = taxonomy.values() if isinstance(taxonomy, Mapping) else taxonomy
    return [leaf for part in parts for leaf in _leaves(part, depth + 1)]


def _writable(text: str, what: str) -> None:
    """Zero bytes, carriage returns and half characters do not survive every text file."""
    if any(c in "\0\r" or 0xD800 <= ord(c) <= 0xDFFF for c in text):
        raise ValueError(f"{what} holds a character that files cannot keep: remove it")


def _ordered(low: Any, high: Any) -> None:
    if not low < high:
        raise ValueError("low must be below high: correct one of them")


def _whole_steps(low: float, high: float, step: float) -> None:
    bottom, top, size = (Fraction(str(value)) for value in (low, high, step))
    if ((top - bottom) / size).denominator != 1:
        raise ValueError("high must be a whole number of steps above low: change high or step")
    if max(abs(bottom), abs(top)) * lcm(bottom.denominator, size.denominator) > 2**53:
        raise ValueError("low, high and step have more digits than a number keeps: use fewer")
