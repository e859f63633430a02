"""What a partial schema leaves blank, and whether a schema that is refused is one."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sfumato.errors import SchemaError
from sfumato.schema.partial import PartialSchema
from sfumato.schema.schema import Schema

__all__ = ["blanks", "read_or_partial", "to_buy"]


def read_or_partial(schema: Schema | Mapping[str, Any] | str | Path) -> Schema | PartialSchema:
    """The schema; or what it declares, where all that it lacks can be bought.

    >>> kinds = {"name": "t", "columns": {"age": {"kind": "integer", "low": 0}}}
    >>> blanks(read_or_partial(kinds))
    {'age': ('high',)}
    """
    file = isinstance(schema, str | Path)
    try:
        return Schema.read(schema) if isinstance(schema, str | Path) else Schema.of(schema)
    except SchemaError as refusal:
        try:
            partial = PartialSchema.read(str(schema)) if file else PartialSchema.of(schema)
        except SchemaError as other:
            raise _neither(str(refusal), str(other), str(schema) if file else "schema") from None
        if not partial.bought:
            raise
        return partial


def _neither(refusal: str, other: str, where: str) -> SchemaError:
    """What is said where a schema lacks facts, and something else forbids to buy them."""
    if other == refusal:  # so it lacks none
        return SchemaError(refusal)
    bare = other.removeprefix(f"{where}: ")
    rest = set(bare.split("; "))  # which is said once, behind what is blank
    said = [one for one in refusal.removeprefix(f"{where}: ").split("; ") if one not in rest]
    place = f"{where}: " * refusal.startswith(f"{where}: ")
    return SchemaError(
        f"{place}{'; '.join(said)}. Ranges and values that are blank can also be bought (sfumato "
        f"schema estimate), once this is corrected: {bare}"
        if said
        else refusal
    )


def blanks(partial: PartialSchema) -> dict[str, tuple[str, ...]]:
    """The facts that each column lacks."""
    return {
        name: ("values",)
        if name in partial.categories
        else tuple(end for end in ("low", "high") if partial.declared(name, end) is None)
        for name in partial.bought
    }


def to_buy(partial: PartialSchema, path: Path) -> str:
    """Which facts are blank, and how to get them."""
    said = "; ".join(f"{name}: {' and '.join(facts)}" for name, facts in blanks(partial).items())
    delta = " --delta 1e-9" * bool(partial.categories)  # pure epsilon finds no values
    return (
        f"{path} has blanks ({said}): declare them from public knowledge, or buy them: "
        f"sfumato schema estimate DATA --schema {path} --epsilon 0.1{delta} "
        "--folder estimate -o NEW.yaml"
    )
