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
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from sfumato.errors import SchemaError
from sfumato.schema.column import (
    COLUMN_WORDS,
    Boolean,
    Category,
    Column,
    Date,
    Estimated,
    Identifier,
    Integer,
    Number,
)
from sfumato.schema.consistent import check_written
from sfumato.schema.constraint import Constraint
from sfumato.schema.constraint import check as check_constraints
from sfumato.schema.formats import FileFormat, as_stored, written
from sfumato.schema.person import MOST_ROWS, PERSON, RECORD, ROWS, People, Tables
from sfumato.schema.person_rule import people_of
from sfumato.schema.shorthand import said, say_other
from sfumato.schema.sound import check_writable
from sfumato.schema.strict_yaml import explain, load
from sfumato.untrusted.fact_table import fact_table
from sfumato.untrusted.plain_file import content

__all__ = ["Schema"]

_LARGEST = 2**26  # bytes of a file
_CLOSED = ConfigDict(frozen=True, extra="forbid")


class Schema(BaseModel):
    """Columns in the order of the release, and who counts as a neighbour."""

    model_config = _CLOSED
    name: str = Field(
        min_length=1, max_length=200, description="the data set, as the ledger knows it"
    )
    neighbours: Literal["replace-one", "add-remove"] = "replace-one"
    grid_bits: int = Field(default=15, ge=1, le=16, description="numbers keep 2^bits + 1 points")
    file: FileFormat | None = Field(default=None, description="how text files write values")
    person: str | None = Field(
        default=None,
        min_length=1,
        description="the id column that says whose row it is: a person is the unit then, not a row",
    )
    rows_per_person: int = Field(
        default=ROWS,
        ge=1,
        le=MOST_ROWS,
        strict=True,
        description="how many rows of a person are used at most: a public bound",
    )
    order: str | None = Field(
        default=None, min_length=1, description="the column by which rows of a person follow"
    )
    tables: Tables | None = Field(
        default=None, description="two files in place of one: persons, and their events"
    )
    columns: Mapping[str, Column] = Field(min_length=1)
    constraints: tuple[Constraint, ...] = Field(
        default=(), max_length=1_000, description="what holds between columns within each record"
    )

    @model_validator(mode="after")
    def _between_columns(self) -> Self:
        check_constraints(self.constraints, self.released)
        return self

    @model_validator(mode="after")
    def _persons(self) -> Self:
        _ = self.people
        return self

    @model_validator(mode="after")
    def _spelt(self) -> Self:
        for name, column in self.released.items() if self.file else ():
            try:
                check_written(written(column, self.file))
            except ValueError as error:
                raise ValueError(f"column {name}, with what file declares: {error}") from None
        return self

    @model_validator(mode="after")
    def _one_price(self) -> Self:
        paid = [c.provenance for c in self.released.values() if isinstance(c.provenance, Estimated)]
        for name, first in self.bought.items():
            if any(one.release == name and one.price != first.price for one in paid):
                raise ValueError(
                    f"release {name} is said to have cost two prices: restore what was written"
                )
        return self

    @model_validator(mode="after")
    def _roles(self) -> Self:
        if not self.released:
            raise ValueError("at least one column besides the ids is needed")
        for name in self.columns:
            check_writable(name, "a column name")
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
    def people(self) -> People | None:
        """Whose rows they are, where a person is the unit; None where one row is."""
        return people_of(
            self.columns,
            person=self.person,
            order=self.order,
            rows=self.rows_per_person if "rows_per_person" in self.model_fields_set else None,
            tables=self.tables,
        )

    @property
    def unit(self) -> str:
        """What a promise about this table protects."""
        return RECORD if self.people is None else PERSON

    @property
    def unsaid(self) -> tuple[str, ...]:
        """Categories that do not say what a value outside of their list becomes."""
        return tuple(
            name
            for name, column in self.columns.items()
            if isinstance(column, Category) and column.other is None
        )

    @property
    def bought(self) -> dict[str, Estimated]:
        """The releases by which ranges or values were bought, by their ids."""
        paid = (column.provenance for column in self.released.values())
        return {one.release: one for one in paid if isinstance(one, Estimated)}

    @property
    def label(self) -> str | None:
        """The name of the label column, if the schema has one."""
        return next((n for n, c in self.released.items() if c.role == "label"), None)

    def plain(self) -> Self:
        """The schema without how text is written: values are stored as what they are.

        Rows that were decoded from the grid are read by it.
        """
        columns = {name: as_stored(column) for name, column in self.columns.items()}
        return self.model_copy(update={"file": None, "columns": columns})

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """A schema from a YAML or JSON file, in which every category says what is not listed."""
        path = Path(path)
        try:
            text = content(path, _LARGEST, follow=True).decode("utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
            raise SchemaError(f"schema {path} cannot be read: {reason}") from None
        schema = cls.of(load(text, where=str(path)), where=str(path), folder=path.parent)
        if schema.unsaid:
            raise SchemaError(f"{path}: {say_other(schema.unsaid)}")
        return schema

    @classmethod
    def parse(cls, text: str, *, where: str = "schema") -> Self:
        """A schema from YAML or JSON text; `where` names it in messages."""
        return cls.of(load(text, where=where), where=where)

    @classmethod
    def of(cls, content: object, *, where: str = "schema", folder: Path | None = None) -> Self:
        """A schema from a mapping, with refusals that name column, rule and remedy.

        `folder` is where code books that are files lie.
        """
        return cls._of(content, where, {"folder": folder})

    @classmethod
    def from_json(cls, content: object) -> Self:
        """What `to_json` wrote, perhaps elsewhere: no short forms, and no file is looked at."""
        return cls._of(content, "schema", None)

    @classmethod
    def _of(cls, content: object, where: str, context: dict[str, Path | None] | None) -> Self:
        if isinstance(content, cls):
            return content
        if not isinstance(content, Mapping):
            raise SchemaError(f"{where}: a schema is a mapping with name and columns")
        try:
            return cls.model_validate(content, context=context)
        except ValidationError as error:
            # What is wrong with no single column is said of the schema.
            said = explain(error, words=cls.model_fields, column_words=COLUMN_WORDS)
            raise SchemaError(
                said if said.startswith(f"{where}: ") else f"{where}: {said}"
            ) from None

    def to_json(self) -> dict[str, Any]:
        """The schema as plain JSON values, without the defaults."""
        return self.model_dump(mode="json", exclude_defaults=True)

    def _repr_html_(self) -> str:
        from sfumato.schema.column_facts import HEADINGS, column_facts  # which reads schemas itself

        rules = f" {len(self.constraints)} constraints." if self.constraints else ""
        unit = f" Unit: {self.people}." if self.people else ""
        note = f"Neighbours: {self.neighbours}.{unit}{rules}"
        return fact_table(f"Schema {self.name}", column_facts(self), headings=HEADINGS, note=note)

    def to_yaml(self) -> str:
        """The schema as a person would write it."""
        content = self.to_json()
        content["columns"] = {name: said(facts) for name, facts in content["columns"].items()}
        # Line breaks beyond ASCII would be folded away unless they are escaped.
        readable = json.dumps(content, ensure_ascii=False).isprintable()
        return yaml.safe_dump(content, sort_keys=False, allow_unicode=readable)
