"""The columns of a schema: kinds, ranges and lists, and where each of them came from.

>>> Integer(kind="integer", low=0, high=110).step
1
"""

import re
from collections import Counter
from datetime import date, datetime
from fractions import Fraction
from typing import Annotated, Any, Literal, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    WithJsonSchema,
    field_serializer,
    field_validator,
    model_validator,
)

from sfumato.errors import ParameterError
from sfumato.privacy.guarantee import ApproxDP, PureDP, exact
from sfumato.schema.consistent import check_written
from sfumato.schema.formats import (
    WrittenCategory,
    WrittenDate,
    WrittenNumber,
    WrittenTruth,
    written,
)
from sfumato.schema.shorthand import OTHER, as_owner_writes
from sfumato.schema.sound import check_ordered, check_whole_steps, check_writable, leaves

__all__ = [
    "COLUMN_WORDS",
    "Boolean",
    "Category",
    "Column",
    "Date",
    "Estimated",
    "Identifier",
    "Integer",
    "Number",
    "Step",
]

Step = Literal["second", "minute", "hour", "day", "month", "year"]
Role = Literal["label", "target", "group"]
# Editors that check formats would refuse 2020-01-01 as a date-time.
Moment = Annotated[
    datetime, WithJsonSchema({"type": "string", "pattern": r"^\d{4}-\d\d-\d\d([T ].+)?$"})
]
Other = Annotated[
    Literal[False] | Annotated[str, Field(min_length=1)] | None,
    Field(description="what any other value becomes; none (or false): no other value occurs"),
]
Scale = Annotated[
    Literal["log", "linear"] | None,
    Field(
        description="how bins of values are cut: log: they grow with the distance from zero; "
        "linear: even ones; else log where the range spans orders of magnitude"
    ),
]
Increasing = Annotated[
    bool,
    Field(
        strict=True,
        description="true: from row to row of a person, by the order, it never falls",
    ),
]
_CLOSED = ConfigDict(frozen=True, extra="forbid")


def _figure(value: Any) -> Any:
    """Text is kept where no float says the same: 1/3 is no number of finitely many digits."""
    if not isinstance(value, str):
        return value
    try:
        figure = exact("a price", value)
        return float(figure) if Fraction(str(float(figure))) == figure else str(figure)
    except (ParameterError, OverflowError) as error:
        raise ValueError(str(error)) from None


Figure = Annotated[
    Annotated[float, Field(gt=0, allow_inf_nan=False)]
    | Annotated[str, Field(description="a fraction, as 1/3")],
    BeforeValidator(_figure),
]


class Estimated(BaseModel):
    """A range that an earlier release bought: which one, and at what price."""

    model_config = _CLOSED
    release: str = Field(min_length=1)
    epsilon: Figure
    delta: Figure | None = None

    @model_validator(mode="after")
    def _valid(self) -> Self:
        try:
            _ = self.price
        except ParameterError as error:
            raise ValueError(str(error)) from None
        return self

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
    source: str | None = Field(
        default=None,
        min_length=1,
        max_length=500,
        description="who says so: a law, a code book, a questionnaire; the certificate repeats it",
    )
    per: Literal["person"] | None = Field(
        default=None, description="person: one value for each person, the same in all their rows"
    )


class Number(WrittenNumber, _Column):
    """A real number between two public bounds, optionally in steps."""

    kind: Literal["number"]
    low: float = Field(ge=-1e300, le=1e300, allow_inf_nan=False)
    high: float = Field(ge=-1e300, le=1e300, allow_inf_nan=False)
    step: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    scale: Scale = None
    increasing: Increasing = False

    @model_validator(mode="after")
    def _range(self) -> Self:
        check_ordered(self.low, self.high)
        if self.high - self.low < 1e-200:
            raise ValueError("the range is too narrow to tell values apart: choose another unit")
        if self.step is not None:
            check_whole_steps(self.low, self.high, self.step)
        check_written(written(self, None))
        return self


class Integer(WrittenNumber, _Column):
    """A whole number between two public bounds."""

    kind: Literal["integer"]
    low: int = Field(ge=-(2**53), le=2**53)
    high: int = Field(ge=-(2**53), le=2**53)
    step: int = Field(default=1, gt=0)
    scale: Scale = None
    increasing: Increasing = False

    @model_validator(mode="after")
    def _range(self) -> Self:
        check_ordered(self.low, self.high)
        check_whole_steps(self.low, self.high, self.step)
        check_written(written(self, None))
        return self


class Category(WrittenCategory, _Column):
    """One of a public list of values; anything else becomes `other` where it is declared."""

    kind: Literal["category"]
    values: tuple[str | int, ...] = Field(min_length=1, max_length=10_000)
    other: Other = None
    taxonomy: list[Any] | dict[str, Any] | None = Field(
        default=None, description="the values, and other, in nested lists or named branches"
    )

    @field_validator("other", mode="before")
    @classmethod
    def _word(cls, other: Any) -> Any:
        if isinstance(other, int) and not isinstance(other, bool):  # 0 would pass for false
            raise ValueError("other must be a text: put it in quotes")
        return other

    @field_validator("taxonomy", mode="before")
    @classmethod
    def _tree(cls, taxonomy: Any) -> Any:
        if taxonomy is not None:
            leaves(taxonomy)
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
            check_writable(text, "a value")
        if "" in seen:
            raise ValueError("an empty text means a missing value and cannot be a category")
        if len(set(seen)) < len(seen):
            raise ValueError("values must differ from each other and from other")
        if self.taxonomy is not None:
            named, due = Counter(leaves(self.taxonomy)), Counter(seen)
            if wrong := [*(due - named), *(named - due)]:
                raise ValueError(f"taxonomy must name every value, and other, once: see {wrong[0]}")
        check_written(self)
        return self


class Code(WrittenCategory, _Column):
    """A category whose values are those of a public code book: written out when it is read."""

    kind: Literal["code"]
    book: str = Field(
        min_length=1,
        description="iso-3166, icd-10-chapters, nace-2, nace-2.1, or a public .csv file beside the "
        "schema: its column code, or else its first",
    )
    other: Other = OTHER


class Boolean(WrittenTruth, _Column):
    """True or false."""

    kind: Literal["boolean"]

    @model_validator(mode="after")
    def _words(self) -> Self:
        check_written(self)
        return self


class Date(WrittenDate, _Column):
    """A date, or a time where the step is below a day, between two public bounds."""

    kind: Literal["date"]
    low: Moment
    high: Moment
    step: Step = "day"
    increasing: Increasing = False

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
            raise ValueError(
                "write low and high without a time zone; days of records are read as written, "
                "shorter steps in UTC"
            )
        check_ordered(self.low, self.high)
        check_written(written(self, None))
        return self

    @property
    def tells_time(self) -> bool:
        """Whether its steps are shorter than a day: then moments are read in UTC."""
        return self.step in ("second", "minute", "hour")

    @field_serializer("low", "high", when_used="json")
    def _written(self, moment: datetime) -> str:
        return moment.isoformat().removesuffix("T00:00:00")


class Identifier(BaseModel):
    """A column that is never released, and read only where it says whose row it is."""

    model_config = _CLOSED
    kind: Literal["id"]


_Kinds = Annotated[
    Number | Integer | Category | Boolean | Date | Identifier, Field(discriminator="kind")
]


Column = Annotated[
    _Kinds,
    BeforeValidator(
        as_owner_writes,
        json_schema_input_type=Annotated[
            Number | Integer | Category | Code | Boolean | Date | Identifier,
            Field(discriminator="kind"),
        ],
    ),
]
COLUMN_WORDS = frozenset(
    word
    for kind in (Number, Integer, Category, Code, Boolean, Date, Identifier)
    for word in kind.model_fields
)
