"""What values show of themselves in a notebook: public facts, escaped, without scripts."""

import re
from html.parser import HTMLParser

import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.example import CLINIC, clinic

HOSTILE = "<script>alert(1)</script>\u202e"


class Tags(HTMLParser):
    """The elements of a piece of HTML, its text, and whether all that opened was closed."""

    def __init__(self, text):
        super().__init__()
        self.seen, self.open, self.text = set(), [], ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.seen.add(tag)
        self.open.append(tag)
        assert {name for name, _ in attributes} <= {"style"}

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data + " "


@pytest.fixture(scope="module")
def schema():
    return sf.Schema.parse(CLINIC)


@pytest.fixture(scope="module")
def release(schema):
    return sf.publish(clinic(300), schema=schema, epsilon=1)


@pytest.fixture(scope="module")
def shown(schema, release, tmp_path_factory):
    """Each value that shows itself, by its name."""
    tmp_path = tmp_path_factory.mktemp("shown")
    with sf.Ledger.create(tmp_path / "budget.db") as ledger:
        ledger.grant("clinic", epsilon=2, reason="data board")
        folder = release.save(tmp_path / "release")
        yield {
            "schema": schema,
            "plan": sf.price(schema, epsilon=1),
            "forecast": sf.forecast(schema, records=300, epsilon=1),
            "release": release,
            "certificate": release.certificate,
            "ledger": ledger,
            "verification": sf.verify(folder),
            "answers": release.accuracy(),
        }


def test_every_value_is_a_small_closed_piece_of_html_without_scripts_or_colours(shown):
    for name, value in shown.items():
        text = value._repr_html_()
        found = Tags(text)
        assert not found.open, name
        assert found.seen <= {"div", "strong", "table", "tr", "th", "td"}, name
        assert len(text) < 30_000, name
        assert not re.search(r"color|background|http|javascript", text), name


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("schema", ["clinic", "age", "18 … 98", "never read", "replace-one"]),
        ("plan", ["mosaic", "one-way tables", "1-differential privacy"]),
        ("release", ["1-differential privacy", "300 rows by mosaic", "in memory"]),
        ("certificate", ["one record (row) of the table", "discrete laplace noise"]),
        ("ledger", ["clinic", "epsilon 2", "left"]),
        ("verification", ["passed", "files", "plan", "data"]),
        ("answers", ["ward", "within"]),
    ],
)
def test_each_says_what_it_is(shown, name, words):
    text = Tags(shown[name]._repr_html_()).text
    assert [word for word in words if word not in text] == []


def test_names_that_are_markup_are_shown_and_not_obeyed():
    columns = {HOSTILE: {"kind": "category", "values": [HOSTILE, "b"]}, "a": {"kind": "boolean"}}
    schema = sf.Schema.of({"name": HOSTILE, "columns": columns})
    records = pa.table({HOSTILE: ["b"] * 20, "a": [True] * 20})
    release = sf.publish(records, schema=schema, epsilon=1)
    for value in (schema, release, release.certificate, release.accuracy()):
        text = value._repr_html_()
        assert "<script" not in text
        assert "\u202e" not in text
        assert "&lt;script&gt;" in text


def test_what_is_very_long_is_cut_and_says_so():
    columns = {f"c{k}": {"kind": "boolean"} for k in range(3_000)}
    columns["long"] = {"kind": "category", "values": ["x" * 50_000, "y"]}
    text = sf.Schema.of({"name": "n" * 200, "columns": columns})._repr_html_()
    assert len(text) < 100_000
    assert "… 2,901 more" in text
    wide = sf.Schema.of({"name": "t", "columns": {"long": columns["long"]}})._repr_html_()
    assert len(wide) < 5_000


def test_a_plan_whose_noise_is_not_known_yet_does_not_call_it_none(schema):
    plan = sf.price(schema, epsilon=1)
    unknown = [event for event in plan.events if event.noise is None]
    assert "without noise" not in plan._repr_html_()
    assert all("follows from earlier steps" in event.law for event in unknown)


def test_a_closed_ledger_shows_why_it_has_no_balances(tmp_path):
    ledger = sf.Ledger.create(tmp_path / "budget.db")
    assert "No budget was granted yet" in ledger._repr_html_()
    ledger.close()
    assert "closed" in ledger._repr_html_()
