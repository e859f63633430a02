"""What is public about a table: its columns, their ranges and values, the rules between them."""

from sfumato.schema.column import (
    Boolean,
    Category,
    Column,
    Date,
    Identifier,
    Integer,
    Number,
)
from sfumato.schema.schema import Schema

__all__ = ["Boolean", "Category", "Column", "Date", "Identifier", "Integer", "Number", "Schema"]
