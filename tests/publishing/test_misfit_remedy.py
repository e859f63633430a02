"""What is advised where values do not fit, column by column."""

from sfumato.publishing.misfit_words import remedy
from sfumato.schema import Schema
from sfumato.schema.domain import Domain

TOWN = {"kind": "category", "values": ["Köln", "Bonn"], "other": "other"}


def test_a_column_without_values_may_be_a_key_in_other_letters():
    (axis,) = Domain.of(Schema.of({"name": "t", "columns": {"town": TOWN}})).axes
    assert "in lines of JSON see also whether the key is written town," in remedy("missing", axis)
    assert "in lines of JSON whether each is an object by itself" in remedy("unreadable", axis)
