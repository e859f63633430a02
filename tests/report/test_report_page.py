"""The page: nothing of a record in it, small, self-contained, safe, and plain about promises."""

import re
import sys

import numpy as np
import pyarrow as pa
import pytest
from worlds import KINDS, frozen, made

import sfumato as sf
from neighbours import schema as mixed
from sfumato.errors import MissingExtra
from sfumato.report.columns import MOST_COLUMNS
from sfumato.report.html import report

MOST = 1_000_000  # bytes
USUAL = {
    "size": "0.5",
    "dose": "1.0",
    "age": "3",
    "sex": "f",
    "ward": "a",
    "site": "x",
    "smoker": "true",
    "seen": "2020-01-03",
    "outcome": "home",
}
# What must not show: the only member of a category, both ends, a new date, the only missing value.
NEIGHBOURS = {
    "only member": USUAL | {"ward": "b", "outcome": "died"},
    "smallest": USUAL | {"size": "-1", "dose": "0", "age": "0"},
    "largest": USUAL | {"size": "3", "dose": "2", "age": "7"},
    "new date": USUAL | {"seen": "2020-01-09"},
    "only missing": USUAL | {"dose": None, "site": None},
    "absurd": dict.fromkeys(USUAL, "x" * 3_000),
}
OTHERS = [USUAL, USUAL | {"sex": "m", "smoker": "false", "outcome": "care"}] * 40


def peeking(release, rows):
    """NOT PRIVATE: a page that has looked at the records."""
    return report(release, summary=f"{len({row['ward'] for row in rows})} wards were seen.")


def pages(method, build, names=tuple(NEIGHBOURS)):
    """A page for every neighbouring table, all along the same noisy numbers."""
    first, script = frozen(mixed(), [*OTHERS, USUAL], method=method, epsilon=1)
    found = {"usual": build(first, [*OTHERS, USUAL])}
    for name in names:
        rows = [*OTHERS, NEIGHBOURS[name]]
        found[name] = build(frozen(mixed(), rows, script, method=method, epsilon=1)[0], rows)
    return found


@pytest.mark.parametrize("method", ["modips", "dp-lda"])
def test_no_byte_changes_with_a_neighbour_when_the_noise_is_frozen(method):
    found = pages(method, lambda release, _: report(release))
    assert "ε = 1" in found["usual"]
    assert len(set(found.values())) == 1


def test_a_page_that_peeks_at_the_records_is_caught():
    """Positive control of the test above."""
    assert len(set(pages("modips", peeking, ["only member"]).values())) == 2


def test_another_noise_gives_another_page():
    one, two = (report(made("table")) for _ in range(2))
    assert one != two


def wide(columns):
    rng = np.random.default_rng(0)
    kinds = [
        ({"kind": "boolean"}, rng.random(60) < 0.5),
        (
            {"kind": "category", "values": [f"value {k}" for k in range(40)]},
            [f"value {k}" for k in rng.integers(0, 40, 60)],
        ),
        ({"kind": "number", "low": 0, "high": 1}, rng.random(60)),
    ]
    names = [f"a rather long name of column {k}" for k in range(columns)]
    schema = {"name": "wide", "columns": {n: kinds[k % 3][0] for k, n in enumerate(names)}}
    data = pa.table({n: kinds[k % 3][1] for k, n in enumerate(names)})
    return sf.publish(data, schema=schema, method="identity-laplace", epsilon=1)


def test_two_hundred_columns_stay_under_a_megabyte_and_what_is_left_out_is_said():
    text = report(wide(200))
    assert len(text.encode()) < MOST
    assert text.count("<figure") <= MOST_COLUMNS + 6
    assert f"{200 - MOST_COLUMNS} further columns are not drawn" in text


HOSTILE = [
    '<script>alert("x")</script>',
    "</style><b>",
    '"><img src=x onerror=y>',
    "$x_{$",
    "漢字🙂",
]


def test_hostile_names_and_values_stay_text():
    names = HOSTILE[:4]
    columns = {name: {"kind": "category", "values": HOSTILE} for name in names}
    columns["&amp; {{ 7 * 7 }}"] = {"kind": "number", "low": 0, "high": 1}
    data = pa.table({n: HOSTILE * 20 if n in names else [0.5] * 100 for n in columns})
    schema = {"name": HOSTILE[0], "columns": columns}
    text = report(sf.publish(data, schema=schema, epsilon=1, rows=100))
    assert "<script" not in text
    assert "<img" not in text
    assert "<b>alert" not in text
    assert text.count("</style>") == 1
    assert "&lt;script&gt;" in text
    assert "{{ 7 * 7 }}" in text
    assert "$x_{$" in text


def test_a_value_that_is_called_like_a_colour_keeps_its_name():
    schema = {"name": "c", "columns": {"a": {"kind": "category", "values": ["#222222", "#0072B2"]}}}
    text = report(sf.publish(pa.table({"a": ["#222222"] * 9}), schema=schema, epsilon=1, rows=9))
    assert ">#222222</text>" in text


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_release_is_self_contained_and_repeatable(kind):
    release = made(kind)
    text = report(release)
    assert text == report(release)
    assert len(text.encode()) < MOST
    for forbidden in ("http:", "https:", "<script", "src=", "@import", "nan", ">None<", "inf "):
        assert forbidden not in text.replace('xmlns:xlink="http://www.w3.org/1999/xlink"', "")
    ids = re.findall(r' id="([^"]*)"', text)
    assert len(ids) == len(set(ids)), "ids of pictures must not clash"
    assert text.count("<svg") == text.count('role="img" aria-label="') == text.count("<figure")


def top(text):
    """What is read first."""
    return text[: text.index("<main>")]


def test_what_promises_nothing_says_so_first_and_why():
    release = made("heuristic")
    first = top(report(release))
    assert "Nothing is promised" in first
    assert release.guarantee.reason[1:] in first
    assert "ε = " not in report(release).replace("ε = 2.64", "")
    assert "of the budget" not in report(release)


def test_a_seeded_run_says_first_that_it_is_a_test():
    first = top(report(made("table", seed=3)))
    assert "A test run: nothing is promised" in first
    assert "seed" in first


def test_a_promise_says_no_alarm():
    first = top(report(made("table")))
    assert "ε = 1" in first
    assert "× 2.72" in first
    assert "73.2 %" in first
    assert "promised</p>" not in first


def test_a_large_budget_is_warned_of_first():
    schema = {"name": "t", "columns": {"a": {"kind": "boolean"}}}
    release = sf.publish(pa.table({"a": [True] * 9}), schema=schema, epsilon=12)
    assert "promises little" in top(report(release))


def test_no_rows_make_a_page_too():
    text = report(made("table", rows=0))
    assert "0 rows" in text


def test_without_matplotlib_the_message_says_how_to_get_it(monkeypatch):
    release = made("table")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match=r"pip install 'sfumato\[report\]'"):
        report(release)
