"""What was typed about one data set, kept until it is a schema; nothing in it is read off records.

    datasets/NAME/draft.json    the header of the file, and all fields as they were typed
    datasets/NAME/schema.yaml   what came of them, once all of it is declared
    datasets/NAME/notes.yaml    where it is known from, and that nothing was read off the records

>>> draft = Draft("clinic", "clinic", "patients.csv", [TypedColumn("age", "integer", "0..110")])
>>> Draft.from_json("clinic", draft.to_json()) == draft
True
"""

import json
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

from pydantic import ConfigDict, TypeAdapter

from sfumato.errors import ParameterError
from sfumato.untrusted.strict_json import parsed

__all__ = ["Draft", "TypedColumn"]


@dataclass
class TypedColumn:
    """One column as it was typed; `beyond` holds facts of a code book that have no field."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")
    name: str
    kind: str = ""
    facts: str = ""
    missing: bool = False
    per_person: bool = False
    source: str = ""
    beyond: dict[str, Any] = field(default_factory=dict)
    label: str = ""  # what a code book calls it
    proposed: bool = False  # from the name alone, and nobody has looked at it yet

    @property
    def acceptable(self) -> bool:
        """Whether all of it was proposed, so that a person only has to say that it holds."""
        return self.proposed and (bool(self.facts) or self.kind in ("id", "boolean"))


@dataclass
class Draft:
    """A data set on its way."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")
    slug: str
    name: str  # in the ledger
    file: str  # of the project's data folder
    columns: list[TypedColumn] = field(default_factory=list)
    public: bool = False
    several: bool = False  # rows of one person
    person: str = ""
    rows_per_person: str = ""
    predicts: str = ""
    known_from: str = ""
    source: str = ""
    read_records: bool = False  # of a public file, to propose ranges
    unread: bool = False  # that no range or value was read off the records
    declared: bool = False  # there is a schema
    made_up: bool = False  # its records never were
    beyond: dict[str, Any] = field(default_factory=dict)

    def to_json(self) -> str:
        """For the file."""
        return json.dumps({**asdict(self), "format": 1}, indent=1, default=str)

    @classmethod
    def from_json(cls, slug: str, text: str) -> "Draft":
        """What `to_json` wrote."""
        try:
            found = parsed(text.encode())
            if not isinstance(found, dict) or found.pop("format", None) != 1:
                raise TypeError
            # Strictly, by the types above, as JSON has them.
            draft = _READER.validate_json(json.dumps({**found, "slug": slug}), strict=True)
        except (ValueError, TypeError):
            raise ParameterError(
                f"datasets/{slug}/draft.json is no draft of this version: move it away"
            ) from None
        if len(draft.positions) < len(draft.columns):
            raise ParameterError(f"datasets/{slug}/draft.json names a column twice: move it away")
        return draft

    @property
    def positions(self) -> dict[str, int]:
        """Where each column stands."""
        return {column.name: place for place, column in enumerate(self.columns)}


_READER = TypeAdapter(Draft)
