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
from sfumato.privacy.guarantee import ZCDP, ApproxDP, PureDP
from sfumato.report.columns import MOST_COLUMNS
from sfumato.report.html import html_page
from sfumato.report.promise import Gain, percent, shown
from slowness import slow_but

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
    return html_page(release, summary=f"{len({row['ward'] for row in rows})} wards were seen.")


def pages(method, build, names):
    """A page for each of these neighbouring tables, all along the same noisy numbers."""
    first, script = frozen(mixed(), [*OTHERS, USUAL], method=method, epsilon=1)
    found = {"usual": build(first, [*OTHERS, USUAL])}
    for name in names:
        rows = [*OTHERS, NEIGHBOURS[name]]
        found[name] = build(frozen(mixed(), rows, script, method=method, epsilon=1)[0], rows)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("method", ["mosaic", "modips", "dp-lda"])
def test_no_byte_changes_with_a_neighbour_when_the_noise_is_frozen(method):
    found = pages(method, lambda release, _: html_page(release), NEIGHBOURS)
    assert "ε = 1" in found["usual"]
    assert len(set(found.values())) == 1


@pytest.mark.slow
def test_a_page_that_peeks_at_the_records_is_caught():
    """Positive control of the test above."""
    assert len(set(pages("modips", peeking, ["only member"]).values())) == 2


@pytest.mark.slow
def test_another_noise_gives_another_page():
    one, two = (html_page(release) for release in (made("table"), KINDS["table"]()))
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


@pytest.mark.slow
def test_two_hundred_columns_stay_under_a_megabyte_and_what_is_left_out_is_said():
    text = html_page(wide(200))
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


@pytest.mark.slow
def test_hostile_names_and_values_stay_text():
    names = HOSTILE[:4]
    columns = {name: {"kind": "category", "values": HOSTILE} for name in names}
    columns["&amp; {{ 7 * 7 }}"] = {"kind": "number", "low": 0, "high": 1}
    data = pa.table({n: HOSTILE * 20 if n in names else [0.5] * 100 for n in columns})
    schema = {"name": HOSTILE[0], "columns": columns}
    text = html_page(sf.publish(data, schema=schema, epsilon=1, rows=100))
    assert "<script" not in text
    assert "<img" not in text
    assert "<b>alert" not in text
    assert text.count("</style>") == 1
    assert "&lt;script&gt;" in text
    assert "{{ 7 * 7 }}" in text
    assert "$x_{$" in text


def test_a_value_that_is_called_like_a_colour_keeps_its_name():
    schema = {"name": "c", "columns": {"a": {"kind": "category", "values": ["#222222", "#0072B2"]}}}
    text = html_page(sf.publish(pa.table({"a": ["#222222"] * 9}), schema=schema, epsilon=1, rows=9))
    assert ">#222222</text>" in text


@pytest.mark.parametrize("kind", slow_but(["table"], KINDS))
def test_every_kind_of_release_is_self_contained_and_repeatable(kind):
    release = made(kind)
    text = html_page(release)
    assert text == html_page(release)
    assert len(text.encode()) < MOST
    text = re.sub(r"(?<=base64,)[A-Za-z0-9+/=\s]+", "", text)  # pictures spell anything
    for forbidden in ("http:", "https:", "<script", "src=", "@import", "nan", ">None<", "inf "):
        assert forbidden not in text.replace('xmlns:xlink="http://www.w3.org/1999/xlink"', "")
    ids = re.findall(r' id="([^"]*)"', text)
    assert len(ids) == len(set(ids)), "ids of pictures must not clash"
    assert text.count("<svg") == text.count('role="img" aria-label="') == text.count("<figure")


def top(text):
    """What is read first."""
    return text[: text.index("<main>")]


@pytest.mark.slow
def test_what_promises_nothing_says_so_first_and_why():
    release = made("heuristic")
    first = top(html_page(release))
    assert "Nothing is promised" in first
    assert release.guarantee.reason[1:] in first
    assert "ε = " not in html_page(release).replace("ε = 2.64", "")
    assert "of the budget" not in html_page(release)


def test_a_seeded_run_says_first_that_it_is_a_test():
    first = top(html_page(made("table", seed=3)))
    assert "A test run: nothing is promised" in first
    assert "seed" in first


def test_a_promise_says_no_alarm():
    first = top(html_page(made("table")))
    assert "ε = 1" in first
    assert "× 2.72" in first
    assert "73.2 %" in first
    assert "promised</p>" not in first


LETTERS = {"a": {"kind": "category", "values": ["x", "y", "z"]}}


def promised(text):
    """The first screen and the section on the promise, without tags."""
    words = re.sub(r"(?s)<style>.*?</style>|<[^>]+>", " ", text[: text.index("not promised</h2>")])
    return re.sub(r"\s+", " ", words)


@pytest.mark.parametrize(
    ("budget", "content", "presence"),
    [
        ({"epsilon": 1}, Gain.under(PureDP(2)), Gain.under(PureDP(1))),
        ({"rho": "0.1"}, Gain.under(ZCDP("0.4")), Gain.under(ZCDP("0.1"))),
        (
            {"epsilon": 1, "delta": "1e-6"},
            Gain.under(ApproxDP(1, "1e-6"), steps=2),
            Gain.under(ApproxDP(1, "1e-6")),
        ),
    ],
    ids=["epsilon", "rho", "delta"],
)
def test_where_rows_come_and_go_a_guess_at_what_one_holds_counts_the_budget_twice(
    budget, content, presence
):
    schema = {"name": "t", "neighbours": "add-remove", "columns": LETTERS}
    release = sf.publish(pa.table({"a": ["x", *"z" * 50]}), schema=schema, **budget, rows=9)
    text = promised(html_page(release))
    assert f"× {shown(content.factor)} is the most" in text
    assert f"{percent(content.right)} is how often" in text
    assert f"1 % {percent(content.after('0.01'))} 10 % {percent(content.after('0.1'))}" in text
    assert f"× {shown(presence.factor)} where it is only whether the row is there" in text
    assert f"there at all, none is right more often than {percent(presence.right)}" in text
    assert "which of two things that row holds" in text


def test_counts_that_come_and_go_say_the_same_of_a_record():
    text = promised(html_page(made("counts")))
    assert "× 7.39 is the most" in text
    assert "× 2.72 where it is only whether the record is there" in text
    assert "88.1 % is how often" in text


@pytest.mark.parametrize("kind", ["table", "network", "stream"])
def test_where_something_is_exchanged_the_budget_counts_once(kind):
    text = promised(html_page(made(kind)))
    assert re.search(r"× (2\.72|3\.00) is the most", text)
    assert "counts twice" not in text
    assert "is there" not in text.partition("Neighbours are")[0]


def test_a_guess_at_a_network_is_one_between_neighbouring_weightings():
    first = promised(html_page(made("network"))).partition("What was published")[0]
    assert "odds of a guess about which of two neighbouring weightings is the true one" in first


def test_a_budget_that_caps_nothing_says_so_and_states_no_odds():
    schema = {"name": "t", "columns": LETTERS}
    release = sf.publish(pa.table({"a": ["x", "y", "z"]}), schema=schema, epsilon=2000)
    text = promised(html_page(release))
    assert "no cap on what reading it does to the odds of a guess about one row" in text
    assert "The odds of a guess are not capped" in text
    assert "10^" not in text
    assert "so sure before" not in text


def test_a_large_budget_is_warned_of_first():
    schema = {"name": "t", "columns": {"a": {"kind": "boolean"}}}
    release = sf.publish(pa.table({"a": [True] * 9}), schema=schema, epsilon=12)
    assert "promises little" in top(html_page(release))


def test_no_rows_make_a_page_too():
    text = html_page(made("table", rows=0))
    assert "0 rows" in text


def test_without_matplotlib_the_message_says_how_to_get_it(monkeypatch):
    release = made("table")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match="pip install matplotlib"):
        html_page(release)
