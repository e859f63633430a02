"""A part of a table, declared in public facts: which codes it holds, and what it is called."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.errors import ParameterError, SchemaError
from sfumato.plan.part import DeclaredPart
from sfumato.publishing.table import price
from sfumato.schema import Schema
from sfumato.schema.domain import Domain

SCHEMA = {
    "name": "visits",
    "neighbours": "add-remove",
    "columns": {
        "region": {"kind": "category", "values": ["North", "South"], "other": "else"},
        "sex": {"kind": "category", "values": ["f", "m"], "missing": "allowed"},
        "age": {"kind": "integer", "low": 0, "high": 20},
        "dose": {"kind": "number", "low": 0, "high": 1, "missing": "allowed"},
        "seen": {"kind": "date", "low": "2024-01-01", "high": "2024-12-31"},
        "patient": {"kind": "id"},
    },
}


def domain(**changes):
    return Domain.of(Schema.of(SCHEMA | changes))


def charged(part, **changes):
    return DeclaredPart.of(domain(**changes), part).charged


@pytest.mark.parametrize(
    ("part", "codes"),
    [
        ("region=North", ((0, 0),)),
        ("region=North|else", ((0, 0), (2, 2))),
        ({"region": "North|South|else"}, ((0, 2),)),
        ("sex=", ((2, 2),)),
        ("age=0..10", ((0, 10),)),
        ("age=10..20", ((10, 20),)),
        ("age=10.5..", ((11, 20),)),
        ("dose=", ((2**15 + 1, 2**15 + 1),)),
        ("seen=..2024-01-31", ((0, 30),)),
    ],
)
def test_a_part_holds_the_codes_that_it_says(part, codes):
    assert charged(part).codes == codes


@given(st.lists(st.integers(0, 20), min_size=4, max_size=4))
def test_ranges_have_a_code_in_common_exactly_if_they_have_a_value_in_common(ends):
    low, high, first, last = ends
    if low > high or first > last:
        return
    (one,), (other,) = (charged(f"age={a}..{b}").codes for a, b in ((low, high), (first, last)))
    shared = set(range(low, high + 1)) & set(range(first, last + 1))
    assert bool(shared) == (one[0] <= other[1] and other[0] <= one[1])


@pytest.mark.parametrize(
    ("part", "error", "message"),
    [
        ("area=North", ParameterError, "part: no column area is released: correct its name"),
        ("patient=3", ParameterError, "part: no column patient is released"),
        ("region=Nord", ParameterError, "part: region has no value Nord"),
        ("region", ParameterError, "part: write COLUMN=VALUE"),
        ("", ParameterError, "part: write COLUMN=VALUE"),
        ({}, ParameterError, "part: give a condition on one column"),
        ("region=North, age=3", ParameterError, "part: give a condition on one column"),
        ("age=30..40", ParameterError, "part: age has no value in 30..40"),
        ("age=10..5", ParameterError, "part: age has no value"),
        ("age=nan", ParameterError, "part: age has no value"),
        ("age=old", ParameterError, "part: age must be a value or a range"),
        ("age=", ParameterError, "part: age is never missing"),
        (7, ParameterError, "part must be a text"),
    ],
)
def test_what_is_no_part_is_refused_by_column_and_remedy(part, error, message):
    with pytest.raises(error, match=message):
        price(SCHEMA, epsilon=1, part=part)


def test_under_replace_one_a_part_is_refused_with_the_reason():
    with pytest.raises(SchemaError, match=r"may leave one part for another.*declare neighbours"):
        price(SCHEMA | {"neighbours": "replace-one"}, epsilon=1, part="region=North")


def test_a_method_that_shows_the_number_of_records_has_no_parts():
    with pytest.raises(SchemaError, match=r"rotation releases one row per record.*another method"):
        price(SCHEMA, method="rotation", part="region=North")


def test_parts_are_told_apart_only_within_one_column_of_one_schema():
    north, columns = charged("region=North"), SCHEMA["columns"]
    assert charged("region=South").frame == north.frame
    renamed = {("area" if n == "region" else n): c for n, c in columns.items()}
    reordered = dict(reversed(columns.items()))
    wider = {**columns, "age": columns["age"] | {"high": 21}}
    recoded = {**columns, "region": columns["region"] | {"values": ["South", "North"]}}
    others = [
        charged("sex=f"),
        charged("area=North", columns=renamed),
        *(charged("region=North", columns=made) for made in (reordered, wider, recoded)),
        charged("region=North", grid_bits=8),
    ]
    assert len({north.frame, *(part.frame for part in others)}) == 1 + len(others)


def test_a_long_or_unprintable_name_is_shortened_for_the_ledger():
    values = [f"ward {k}\u200b" for k in range(60)]
    columns = {"ward": {"kind": "category", "values": values}}
    name = charged({"ward": "|".join(values)}, columns=columns).name
    assert len(name) == 201
    assert name.isprintable()


def test_a_plan_of_a_part_has_a_price_and_says_what_it_reads():
    plan = price(SCHEMA, epsilon=1, part="region=North")
    assert str(plan.guarantee) == "1-differential privacy"
    terms = plan.terms
    assert terms.subject["part"] == {"region": "North"}
    assert "Only records with region=North were used" in " ".join(terms.caveats)
    assert plan.options["where"] == {"region": "North"}  # no others are drawn
    whole = price(SCHEMA, epsilon=1)
    assert whole.terms.part is None
    assert "part" not in whole.terms.subject
    assert terms.digest() != whole.terms.digest()
    both = price(SCHEMA, epsilon=1, part="region=North", where="sex=f")
    assert both.options["where"] == {"region": "North", "sex": "f"}


def test_a_ledger_says_what_is_left_for_a_planned_part(tmp_path):
    north, south = (price(SCHEMA, epsilon=1, part=f"region={r}") for r in ("North", "South"))
    with sf.Ledger.create(tmp_path / "budget.db") as ledger:
        ledger.grant("visits", sf.PureDP(1), reason="approved")
        terms = north.terms
        ledger.reserve(
            "north",
            terms.dataset,
            terms.guarantee,
            plan=terms.digest(),
            protects=terms.protects,
            table_part=terms.part,
        )
        balance = ledger.balance("visits")
        assert str(balance.left_for(south.terms.part)) == "epsilon 1"
        assert str(balance.left_for(north.terms.part)) == str(balance.left) == "nothing"
