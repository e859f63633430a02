"""What nobody would type, and code books that nobody would keep: clear words, and nothing lost."""

import json
from time import monotonic

import pytest

from sfumato.errors import Refused
from sfumato.studio.codebook import code_book
from sfumato.studio.declaring import declared
from sfumato.studio.draft import Draft, TypedColumn
from studio_world import studio

HERE = "/d/t/schema"
PATIENCE = 10  # seconds: five times what a page may take, for a machine that does other things


@pytest.fixture
def visitor(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "t.csv").write_text("a,b\n1,2\n3,4\n5,9\n")
    with studio(tmp_path) as found:
        found.post("/new", {"file": "t.csv", "header": "yes", "unit": "one", "held": "secret"})
        yield found


def first(visitor):
    return json.loads((visitor.folder / "datasets/t/draft.json").read_text())["columns"][0]


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ("1e400..2", "low: input should be a finite number"),
        ("0..1e308", "less than or equal to 1e+300"),
        ("5..1", "low must be below high"),
        ("-0..0", "low must be below high"),
        ("nan..1", "write numbers with a point"),
        ("\u0663..\u0669", "write numbers with a point"),
        ("\u22125..5", "write numbers with a point"),
        ("0..999999999999999999", "less than or equal to 9007199254740992"),
        ("1..9; percent: maybe", "percent: yes or no"),
        ("2024-02-30..2024-03-01", "write dates as YYYY-MM-DD"),
        ("2024-01-01T10:00+02:00..2024-12-31", "without a time zone"),
        (", ".join(map(str, range(10_001))) + "; other: none", "at most 10,000 items"),
    ],
)
def test_an_odd_range_or_list_is_told_beside_its_field(facts, said):
    from sfumato.studio.typed import kind_of

    found = declared(Draft("t", "t", "t.csv", [TypedColumn("a", kind_of(facts), facts)]))
    assert said in found.faults[0]
    assert "column a" not in found.faults[0]


@pytest.mark.parametrize(
    "facts",
    [
        ", ".join(f"v{k}" for k in range(100_000)) + "; other: none",
        "a to " * 150_000,
        "a" + " " * 500_000 + "b",
        "1 - " * 150_000,
    ],
)
def test_what_is_very_long_is_judged_soon_and_is_there_again(visitor, facts):
    begun = monotonic()
    page = visitor.send(HERE, {"do": "check", "f0": facts})
    assert monotonic() - begun < PATIENCE
    assert page.status == 200
    assert "id=e0" in page.text
    assert first(visitor)["facts"] == facts.strip()


def test_fields_that_are_too_long_are_told_and_take_nothing_away(visitor):
    page = visitor.send(HERE, {"do": "next", "f0": "0..9", "known": "law", "source": "s" * 401})
    assert "in at most 400 characters" in page.text
    assert "s" * 401 in page.text
    assert first(visitor)["facts"] == "0..9"


def test_what_cannot_be_seen_is_shown_and_is_sent_again_as_it_was_typed(visitor):
    typed = "\u0645\u06cc\u200c\u062e, x; other: none"
    page = visitor.send(HERE, {"do": "check", "f0": typed}).text
    assert f'value="{typed}"' in page
    assert "with characters that are not seen: \u0645\u06cc\\u200c\u062e, x" in page


@pytest.mark.parametrize("values", ["f, F", "\u00e9, e\u0301", "a\u200b, a", "\ufb01, fi"])
def test_values_that_look_alike_are_named(values):
    column = TypedColumn("a", "category", f"{values}; other: none")
    assert declared(Draft("t", "t", "t.csv", [column])).alike["a"]
    other = TypedColumn("a", "category", "f, m; other: none")
    assert not declared(Draft("t", "t", "t.csv", [other])).alike["a"]


SLOW = "columns:\n" + "".join(f"  c{k}: {{kind: number, low: 0, high: 1}}\n" for k in range(60_000))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (SLOW, "more than 120,000 characters of YAML: write it as JSON"),
        ("{" * 400_000, "nested too deeply|not JSON"),
        ("columns: !!python/object/apply:os.system ['true']", "could not determine a constructor"),
        ("a: &a [x, x]\ncolumns: {b: &b [*b]}", "refers to itself"),
        ("columns: {a: {kind: boolean}}\nfile: 7", "file must be a mapping"),
        ("columns: {a: {kind: boolean}}\nneighbours: 9", "neighbours"),
    ],
)
def test_a_hostile_code_book_is_refused_soon(text, said):
    begun = monotonic()
    with pytest.raises(Refused, match=said):
        code_book(text, "book")
    assert monotonic() - begun < PATIENCE


@pytest.mark.parametrize(
    "facts",
    [
        "{kind: 7}",
        "{kind: category, values: 5}",
        "{kind: category, values: {x: 1}, other: [1]}",
        "{kind: category, values: [[1], [2]]}",
        "{kind: number, low: [1], high: {x: 1}}",
        "{kind: date, low: 5, high: x}",
        "{}",
        "[1, 2]",
    ],
)
def test_odd_facts_of_a_code_book_are_left_open_and_every_page_goes_on(visitor, facts):
    visitor.post(HERE, {"do": "import", "pasted": f"columns:\n  a: {facts}\n"})
    assert visitor.get(f"{HERE}?check=1").status == 200
    assert visitor.post(HERE, {"do": "next", "k0": "integer", "f0": "0..9"}).status == 303
    assert first(visitor)["facts"] == "0..9"


def test_a_pasted_text_of_several_lines_comes_back_as_it_was_where_it_is_refused(visitor):
    reply = visitor.post(HERE, {"do": "import", "pasted": "a\tnonsense\nb\tnonsense"})
    assert reply.status == 422
    assert ">\na\tnonsense\nb\tnonsense</textarea>" in reply.text


def test_a_constraint_that_does_not_fit_goes_with_the_code_book_that_said_it(visitor):
    book = "columns: {a: {kind: integer, low: 0, high: 9}, b: {kind: integer, low: 0, high: 9}}\n"
    visitor.post(HERE, {"do": "import", "pasted": f"{book}constraints: [a <= nobody]\n"})
    typed = {f"k{k}": "integer" for k in range(2)} | {f"f{k}": "0..9" for k in range(2)}
    typed |= {"known": "common", "unread": "on", "do": "next"}
    assert "nobody" in visitor.send(HERE, typed).text
    visitor.post(HERE, {"do": "import", "pasted": book})
    assert visitor.post(HERE, typed).leads_to == "/d/t/budget"


def test_what_was_read_off_public_records_is_not_said_to_be_known_otherwise(visitor):
    public = {"file": "t.csv", "header": "yes", "unit": "one", "held": "public", "name": "open"}
    visitor.post("/new", public)
    page = visitor.send("/d/open/schema", {"do": "propose"}).text
    assert "proposed: read off the records, which everybody may read" in page
    assert "Everybody may know all ranges and values on this page" in page
    assert "was read off the records<" not in page
    folder = visitor.folder / "datasets/open"
    columns = json.loads((folder / "draft.json").read_text())["columns"]
    typed = {f"k{k}": one["kind"] for k, one in enumerate(columns)}
    typed |= {f"f{k}": one["facts"] for k, one in enumerate(columns)}
    typed |= {"known": "other", "source": "the file", "unread": "on", "accept": "on", "do": "next"}
    assert visitor.post("/d/open/schema", typed).leads_to == "/d/open/budget"
    said = (folder / "notes.yaml").read_text()
    assert "no range or value was read off the records: false" in said
