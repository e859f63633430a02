"""Schemas: characters that a file could lose are refused where they are declared."""

import pytest

from sfumato.errors import SchemaError
from sfumato.schema import Schema


@pytest.mark.parametrize("text", ["\0", "a\rb", "\ud800"])
def test_characters_that_files_lose_are_refused_in_values_and_names(text):
    for columns in (
        {"a": {"kind": "category", "values": [text, "b"]}},
        {"a": {"kind": "category", "values": ["b"], "other": text}},
        {f"x{text}": {"kind": "boolean"}},
    ):
        with pytest.raises(SchemaError, match=r"that files cannot keep|unicode|in quotes"):
            Schema.of({"name": "t", "columns": columns})
