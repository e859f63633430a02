"""Names of tables: parted at dots, kept as they are, quoted for SQL."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import ParameterError
from sfumato.table.sql.name import TableName, table_in


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("visits", ("visits",)),
        ("Clinic.Visits", ("Clinic", "Visits")),
        ("lake.clinic.visits", ("lake", "clinic", "visits")),
        ('"odd.name"', ("odd.name",)),
        ('clinic."a ""b"" c"', ("clinic", 'a "b" c')),
        ("visits; drop table x", ("visits; drop table x",)),
        ("visits#2", ("visits#2",)),
    ],
)
def test_a_name_has_the_parts_that_were_typed_and_is_quoted_whole(text, parts):
    name = TableName.of(text)
    assert name.parts == parts
    assert TableName.of(name.quoted) == name
    assert name.last == parts[-1]


@pytest.mark.parametrize("text", ["", ".", "a.", ".a", 'a"b', '"a', "a.b.c.d", "a\0b", 5, None])
def test_what_is_no_name_is_refused(text):
    with pytest.raises(ParameterError, match="table"):
        TableName.of(text)


@given(
    st.lists(st.text(st.characters(exclude_characters="\0"), min_size=1), min_size=1, max_size=3)
)
def test_every_name_can_be_typed_in_quotes(parts):
    name = TableName(tuple(parts))
    assert TableName.of(name.quoted) == name


def test_a_quote_cannot_end_the_name():
    assert TableName.of('"x""; DROP TABLE y; --"').quoted == '"x""; DROP TABLE y; --"'


def test_only_databases_have_tables_behind_their_names():
    assert table_in("duckdb:///c.db#visits") == table_in("c.duckdb#s.visits") == "visits"
    assert [table_in(one) for one in ("visits.xlsx#2", "c.duckdb", 5, "postgresql://h/d")] == [
        None
    ] * 4
