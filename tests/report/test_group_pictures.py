"""The report shows the label within each group, with what the truth lies between."""

import pytest

import sfumato as sf
from sfumato.example import CLINIC, clinic
from sfumato.report.model import page

MARKED = CLINIC.replace("[female, male]", "[female, male], role: group")


def groups(text, method="mosaic", **options):
    schema = sf.Schema.parse(text)
    made = sf.publish(clinic(400), schema=schema, method=method, epsilon=1, seed=1, **options)
    return {group.title: group for group in page(made).groups}


@pytest.mark.slow
def test_the_label_is_drawn_within_each_group():
    found = groups(MARKED)["By group"]
    (card,) = found.cards
    assert card.title == "outcome by sex"
    for words in ("female, home", "male, care", "(as read "):
        assert words in card.picture
    assert "A thin line" in found.reading


def test_a_method_without_the_table_draws_the_rows_alone():
    found = groups(MARKED, "modips")["By group"]
    assert "(as read " not in found.cards[0].picture
    assert "A thin line" not in found.reading


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "drawn"),
    [
        (CLINIC, None),
        (CLINIC.replace("high: 98}", "high: 98, role: group}"), 0),
        (MARKED.replace(", role: label", ""), 3),  # with smoker, ward and outcome
    ],
)
def test_without_a_group_there_is_no_section_and_numbers_are_said_not_to_be_drawn(text, drawn):
    found = groups(text).get("By group")
    assert (None if found is None else len(found.cards)) == drawn
    if drawn == 0:
        assert "Not drawn: age (no category" in found.left_out
        assert "--by-group" in found.left_out


MANY_WARDS = CLINIC.replace(
    "[cardiology, surgery, oncology], other: elsewhere",
    f"[{', '.join(f'w{k}' for k in range(30))}], other: elsewhere, role: group",
).replace("[home, care]", "[home, care, elsewhere]")
ONE_CATEGORY = """\
name: t
columns:
  age: {kind: integer, low: 18, high: 98}
  sex: {kind: category, values: [female, male], role: group}
"""
FLAGS = [f"flag{k}" for k in range(5)]
EIGHT_CATEGORIES = MARKED.replace(", role: label", "") + "".join(
    f"  {name}: {{kind: boolean}}\n" for name in FLAGS
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "said"),
    [
        (MANY_WARDS, "Not drawn: outcome by ward (more than 24 bars)."),
        (ONE_CATEGORY, "Not drawn: sex (no category beside it)."),
        (EIGHT_CATEGORIES, "Not drawn: 2 further columns by sex."),
    ],
)
def test_what_is_not_drawn_is_named_with_the_reason(text, said):
    schema, data = sf.Schema.parse(text), clinic(300)
    for name in FLAGS:
        data = data.append_column(name, data["smoker"])
    data = data.select(list(schema.columns))
    made = sf.publish(data, schema=schema, method="modips", epsilon=1, seed=1)
    (found,) = (group for group in page(made).groups if group.title == "By group")
    assert found.left_out.strip() == said


def test_words_of_a_value_are_not_taken_for_an_interval():
    text = MARKED.replace("[female, male]", '["x (truth 1% to", male]')
    assert "A thin line" not in groups(text, "modips")["By group"].reading
