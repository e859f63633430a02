"""What to do about a misfit, on a page: what to choose there, and no word of a schema."""

import re

import pytest

from misfit_world import COLUMNS
from sfumato.publishing.misfit_words import QUOTE_THEM, remedy
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.studio.remedy import on_pages
from sfumato.table.first_complaint import complaints_of

AXES = Domain.of(Schema.of({"name": "people", "columns": COLUMNS})).axes
OF_A_SCHEMA = re.compile(
    r"missing: allowed|missing_words|sfumato |declare|\((low|high|format|decimal|file)\b|aliases"
)


@pytest.mark.parametrize("axis", AXES, ids=lambda axis: axis.name)
def test_every_remedy_is_one_that_the_pages_have(axis):
    for complaint in complaints_of(axis):
        said = remedy(complaint.words, axis)
        assert OF_A_SCHEMA.search(said)
        assert not OF_A_SCHEMA.search(on_pages(said)), on_pages(said)
        assert "JSON" not in on_pages(said)


def test_a_mark_between_columns_is_not_to_be_chosen_on_a_page():
    assert on_pages(QUOTE_THEM) == "put such values in quotes"
