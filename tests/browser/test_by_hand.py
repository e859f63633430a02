"""A first release with every column typed by hand: as lines in one field, or field by field."""

import pytest

from browser.faults import chromium  # noqa: F401  a fixture
from browser.journey import Mouse, release_first, walker
from browser.test_newcomer import MOST_CLICKS, MOST_FIELDS
from browser.test_studio import home
from sfumato.schema import Schema
from studio_world import studio

ROWS = 300
# Each a header, one record as a format of its number k, and what a person types of it.
TABLES = {
    "clinic": (
        "patient_id,age,sex,ward,diagnosis,los,sys_bp,smoker,cost",
        lambda k: ["P", k % 90, "fm"[k % 2], "ab"[k % 2], "I0", k % 30, 90 + k % 80, 1, k + 0.5],
        "sex: f, m; other: none",
        "ward: a, b; other: none",
        "diagnosis: I0, I1, I2; other: rest",
        "cost: number 0..10000",
    ),
    "census": (
        "age,workclass,education_num,marital-status,race,sex,hours-per-week,income",
        lambda k: [17 + k % 70, "ab"[k % 2], 1 + k % 16, "ms"[k % 2], "w", "M", k % 99, "<"],
        "workclass: a, b; other: rest",
        "education_num: 1..16",
        "marital-status: m, s; other: rest",
        "race: w, b; other: rest",
        "sex: M, F; other: none",
        "hours-per-week: 0..168",
        "income: one of a list <, >; other: none; predicted",
    ),
    "umfrage": (
        "Alter,Geschlecht,Größe in cm,Raucher,Abschluss,Kinder,Zufriedenheit,Antworttag",
        lambda k: [18 + k % 70, "wm"[k % 2], 150 + k % 50, 1, "ja", k % 4, k % 11, "2024-05-01"],
        "Geschlecht: w, m; other: divers",
        "Größe in cm: 100..220",
        "Abschluss: ja, nein; other: none",
        "Kinder: 0..9",
        "Zufriedenheit: 0..10",
        "Antworttag: 2024-01-01..2024-12-31",
    ),
    "sales": (
        "order_id,ORDER_DATE,region,zip,product,quantity,unitPrice,discount_pct,returned",
        lambda k: [k, "2024-03-09", "N", "10115", "x", 1 + k % 9, k % 50 + 0.99, 5, "false"],
        "ORDER_DATE 2024-01-01..2024-12-31",
        "region N, S; other: none",
        "zip 10115, 20115; other: rest",
        "product x, y; other: rest",
        "quantity 1..100",
        "unitPrice number 0..500; may lack",
        "returned yes or no",
    ),
    "trial": (
        "age_at_entry,SEX,weight_kg,bmi,dbp,arm,visit month,alive",
        lambda k: [18 + k % 70, 1 + k % 2, 50.5, 20.1 + k % 10, 60 + k % 40, "A", 1 + k % 12, 1],
        "SEX\tone of a list\t1, 2; other: none",
        "arm\tA, B; other: none",
        "visit month\t1..12",
    ),
}
WAYS = [*((name, True) for name in TABLES), ("sales", False)]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "data").mkdir()
    for name, (header, record, *_) in TABLES.items():
        rows = "\n".join(",".join(map(str, record(k))) for k in range(ROWS))
        (tmp_path / "data" / f"{name}.csv").write_text(f"{header}\n{rows}\n", encoding="utf-8")
    return tmp_path


def begin(person, visitor, name):
    """From the start page to the columns."""
    person.open(f"{home(visitor)}/")
    person.press('main a[href="/new"]', leads="**/new")
    person.press(f'[name=file][value="{name}.csv"]')
    person.press("[name=header][value=yes]")
    person.press("[name=unit][value=one]")
    person.press("main .actions button.main", leads="**/schema")


def finish(person, visitor, name):
    """From columns that are written to the release."""
    person.choose("#known", "a code book or data dictionary")
    person.fill("#source", "manual of the table, 2024")
    if person.page.locator("[name=accept]").count():
        person.press("[name=accept]")
    person.press("[name=unread]")
    person.press("button.main[value=next]", leads="**/budget")
    release_first(person, name)
    schema = Schema.read(visitor.folder / "datasets" / name / "schema.yaml")
    assert len(schema.released) == 8
    print(f"{name}: {person.clicks} clicks, {person.fields} typed fields")
    assert person.clicks <= MOST_CLICKS
    assert person.fields <= MOST_FIELDS
    return schema


@pytest.mark.slow
@pytest.mark.parametrize(("name", "script"), WAYS)
def test_all_columns_are_typed_in_one_field(chromium, folder, name, script):  # noqa: F811
    with studio(folder) as visitor:
        person, faults, context = walker(chromium, visitor, java_script_enabled=script)
        begin(person, visitor, name)
        person.press("#in-one summary")
        person.fill("#lines", "\n".join(TABLES[name][2:]))
        finish(person, visitor, name)
        context.close()
    assert faults == []


@pytest.mark.slow
def test_where_names_are_familiar_field_by_field_is_as_short(chromium, folder):  # noqa: F811
    with studio(folder) as visitor:
        person, faults, context = walker(chromium, visitor, Mouse, look=True)
        begin(person, visitor, "clinic")
        for place, facts in (
            (2, "f, m; other: none"),
            (3, "a, b; other: none"),
            (4, "I0, I1, I2; other: rest"),
            (8, "0..10000"),
        ):
            person.fill(f"[name=f{place}]", facts)
        columns = finish(person, visitor, "clinic").columns
        context.close()
    assert columns["age"].source == "people live for 0 to 120 years"
    assert columns["sys_bp"].source == "only a guess: usual for a systolic pressure in mmHg"
    assert columns["cost"].source == "manual of the table, 2024"
    assert (person.looks, faults) == ([], [])


@pytest.mark.slow
def test_lines_that_cannot_be_placed_are_told_on_a_page_without_a_fault(chromium, folder):  # noqa: F811
    with studio(folder) as visitor:
        person, faults, context = walker(chromium, visitor, Mouse, look=True)
        begin(person, visitor, "clinic")
        person.press("#in-one summary")
        person.fill("#lines", "wart: a, b\nsex: f, F; other: none")
        person.press("#in-one button")
        person.page.locator("#lines-fault").wait_for()
        person.here()
        assert person.page.locator("#lines").input_value() == "wart: a, b\nsex: f, F; other: none"
        assert person.page.locator("[name=f2]").input_value() == "f, F; other: none"
        context.close()
    assert (person.looks, faults) == ([], [])
