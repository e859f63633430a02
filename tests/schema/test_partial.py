"""Schemas with blanks: what is bought, what stays declared, what is refused."""

import pytest

from sfumato.errors import SchemaError
from sfumato.schema import Schema
from sfumato.schema.partial import PartialSchema

COLUMNS = {
    "age": {"kind": "integer", "low": 0, "high": None},
    "cost": {"kind": "number"},
    "paid": {"kind": "number", "same_range_as": "cost"},
    "height": {"kind": "number", "low": 0, "high": 3, "step": 0.5},
    "ward": {"kind": "category", "values": None, "role": "label"},
    "town": {"kind": "category", "values": ["a", "b"]},
    "seen": {"kind": "date", "high": "2024-12-31", "step": "day"},
    "smoker": {"kind": "boolean"},
    "patient": {"kind": "id"},
}


def partial(columns=COLUMNS, groups=(), **more):
    return PartialSchema.of({"name": "t", "columns": columns, **more}, groups)


def refusal(columns, groups=()):
    with pytest.raises(SchemaError) as error:
        partial(columns, groups)
    return str(error.value)


def test_blanks_are_bought_and_the_rest_stays_declared():
    found = partial()
    assert found.ranges == (("age",), ("cost", "paid"), ("seen",))
    assert found.categories == ("ward",)
    assert found.bought == ("age", "cost", "paid", "ward", "seen")
    assert found.declared("age", "low") == 0
    assert found.declared("age", "high") is None
    assert found.declared("seen", "step") == "day"
    assert found.declared("seen", "low") is None


def test_groups_can_be_given_beside_the_schema():
    columns = {name: {"kind": "integer"} for name in "abcd"}
    assert partial(columns, [["c", "a"], ["d", "b"]]).ranges == (("a", "c"), ("b", "d"))


def test_a_partial_schema_reads_what_it_writes():
    found = partial(neighbours="add-remove", grid_bits=12)
    again = PartialSchema.of(found.to_json())
    assert again.to_json() == found.to_json()
    assert (again.ranges, again.categories) == (found.ranges, found.categories)
    assert again.declared("seen", "step") == "day"


def test_what_is_found_fills_the_blanks():
    found = {
        "age": {"high": 99},
        "cost": {"low": -1.0, "high": 8.0},
        "paid": {"low": -1.0, "high": 8.0},
        "ward": {"values": ["x"], "other": "other"},
        "seen": {"low": "2019-01-01"},
    }
    whole = partial().completed(found)
    assert isinstance(whole, Schema)
    assert (whole.columns["age"].low, whole.columns["age"].high) == (0, 99)
    assert whole.label == "ward"
    assert whole.columns["town"] == partial().template.columns["town"]


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"a": {"low": 1}}, "column a: kind is blank"),
        ({"a": {"kind": None}}, "column a: kind is blank"),
        ({"a": {"kind": "numbre"}}, "kind must be one of"),
        ({"a": {"kind": "integer", "low": "x"}}, "column a: low"),
        ({"a": {"kind": "integer", "lows": 1}}, "lows is not known here"),
        ({"a": {"kind": "date", "low": "soon"}}, "write dates as YYYY-MM-DD"),
        ({"a": {"kind": "number", "step": -1}}, "column a: step"),
        ({"a": {"kind": "category", "taxonomy": [["x"]]}}, "a taxonomy names the values"),
        ({"a": {"kind": "integer"}, "b": {"kind": "number", "same_range_as": "a"}}, "another kind"),
        ({"a": {"kind": "integer", "same_range_as": "z"}}, "z is no column whose range"),
        ({"a": {"kind": "boolean", "same_range_as": "a"}}, "a is no column whose range"),
        (
            {"a": {"kind": "integer", "low": 0}, "b": {"kind": "integer", "same_range_as": "a"}},
            "declare the same of both",
        ),
        ({"a": {"kind": "category", "aliases": {"x": ["y"]}}}, "column a: aliases need values"),
        ({"a": {"kind": "category", "other": "none"}}, "column a: values that few records have"),
        ({"a": {"kind": "category", "other": False}}, "other: elsewhere"),
        (
            {"a": {"kind": "integer", "low": 0, "provenance": {"release": "r", "epsilon": 1}}},
            "column a: what an earlier release bought",
        ),
        ([], "a schema is a mapping"),
        ({1: {"kind": "integer"}}, "the name is not text"),
    ],
)
def test_refusals_name_column_rule_and_remedy(columns, said):
    assert said in refusal(columns)


def test_a_group_of_one_is_refused():
    assert "at least two columns" in refusal({"a": {"kind": "integer"}}, [["a"]])
    assert "at least two columns" in refusal({"a": {"kind": "integer"}}, ["ab"])


@pytest.mark.parametrize("group", [["a", ["b"]], ["a", 1], {"a": "b"}, 7])
def test_a_group_that_is_no_list_of_names_is_refused(group):
    assert "by their names" in refusal(
        {"a": {"kind": "integer"}, "b": {"kind": "integer"}}, [group]
    )


def test_a_code_is_declared_and_its_book_is_not_read_again(tmp_path):
    (tmp_path / "wards.csv").write_text("code\nA\nB\n")
    columns = {"ward": {"kind": "code", "book": "wards.csv"}, "age": {"kind": "integer"}}
    found = PartialSchema.of({"name": "t", "columns": columns}, folder=tmp_path)
    assert (found.categories, found.bought) == ((), ("age",))
    (tmp_path / "wards.csv").unlink()
    whole = found.completed({"age": {"low": 0, "high": 9}})
    assert whole.columns["ward"].values == ("A", "B")


@pytest.mark.parametrize("value", ["True", "987654321", "a"])
def test_a_constraint_cannot_name_values_that_are_blank(value):
    columns = {"a": {"kind": "category"}, "b": {"kind": "boolean"}}

    def named(value):
        return partial(columns, constraints=[{"columns": ["a", "b"], "forbidden": [[value, True]]}])

    assert named("other").categories == ("a",)
    with pytest.raises(SchemaError, match=r"values of a are blank|a has no value a"):
        named(value)


@pytest.mark.parametrize(
    "column",
    [
        {"kind": "number", "missing_words": [0]},
        {"kind": "integer", "missing_words": [0, 1]},
        {"kind": "date", "missing_words": ["2000-01-01"]},
        {"kind": "category", "missing_words": ["True"]},
        {"kind": "category", "other": "987654321"},
        {"kind": "number", "low": 1e12},
        {"kind": "number", "missing_words": ["0,5"], "decimal": ","},
        {
            "kind": "integer",
            "low": 900,
            "missing_words": ["1.000"],
            "thousands": ".",
            "decimal": ",",
        },
        {"kind": "number", "missing_words": ["0 %"], "percent": True},
    ],
)
def test_no_refusal_is_about_what_nobody_wrote(column):
    assert partial({"a": column}).bought == ("a",)


def test_a_file_is_read_like_a_schema(tmp_path):
    path = tmp_path / "kinds.yaml"
    path.write_text("name: t\ncolumns:\n  age: {kind: integer, low:, high: }\n")
    assert PartialSchema.read(path).ranges == (("age",),)
    with pytest.raises(SchemaError, match="cannot be read"):
        PartialSchema.read(tmp_path / "none.yaml")
