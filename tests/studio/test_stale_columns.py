"""Two windows on one page of columns: the older one puts nothing back, and loses nothing."""

import json
import re
from html import unescape
from urllib.parse import urlencode

import pytest

from studio_world import studio

HERE = "/d/patients/schema"
BEGUN = {"k0": "id", "k1": "integer", "f1": "0..110", "known": "law", "source": "a law"}


@pytest.fixture
def visitor(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "patients.csv").write_text("who,age,ward\nP1,31,surgery\n")
    with studio(tmp_path) as found:
        answers = {"file": "patients.csv", "header": "yes", "held": "secret", "unit": "one"}
        found.post("/new", answers)
        yield found


def kept(visitor):
    return json.loads((visitor.folder / "datasets/patients/draft.json").read_text())


def mark(visitor):
    return re.search('name="columns" value="([0-9a-f]+)"', visitor.get(HERE).text)[1]


def test_an_older_window_puts_nothing_back_and_keeps_what_was_typed(visitor):
    old = {"columns": mark(visitor)}
    assert visitor.post(HERE, BEGUN | old | {"do": "check"}).status == 303
    before = kept(visitor)
    typed = {"k2": "category", "f2": "surgery, <i>care", "do": "next", "pasted": "a book"}
    reply = visitor.post(HERE, typed | old)
    assert (reply.status, kept(visitor)) == (409, before)
    said = unescape(re.search('id="stale".*?</div>', reply.text, re.S)[0])
    assert "Since this page was opened, the columns were changed" in said
    assert "<code>age: 0..110</code>" in said
    assert "<code>ward:</code>" in said
    assert 'value="surgery, &lt;i&gt;care"' in reply.text
    assert "a book" in reply.text
    # Whoever has read this may send it again.
    again = re.search('name="columns" value="([0-9a-f]+)"', reply.text)[1]
    assert visitor.post(HERE, BEGUN | typed | {"columns": again, "do": "check"}).status == 303
    assert kept(visitor)["columns"][2]["facts"] == "surgery, <i>care"


def test_an_older_window_accepts_nothing_that_it_did_not_show(visitor):
    old = {"columns": mark(visitor)}
    visitor.post(HERE, {"do": "import", "pasted": "who\tnever released\nage\tinteger\t0..9"})
    before = kept(visitor)
    fields = {f"{name}{k}": one[fact] for k, one in enumerate(before["columns"])
              for name, fact in (("k", "kind"), ("f", "facts"))}  # fmt: skip
    reply = visitor.post(HERE, fields | old | {"f1": "", "accept": "on", "do": "check"})
    assert (reply.status, kept(visitor)) == (409, before)


@pytest.mark.parametrize(
    "do",
    [{"do": "check"}, {"do": "next"}, {"do": "import", "pasted": "ward\tlist\tsurgery, care"}],
)
def test_what_is_sent_twice_is_no_other_window(visitor, do):
    form = BEGUN | do | {"columns": mark(visitor)}
    first, second = (visitor.post(HERE, form) for _ in range(2))
    assert (first.status, second.status, second.leads_to) == (303, 303, first.leads_to)


@pytest.mark.parametrize("form", [{}, {"do": "next"}, BEGUN | {"do": "check", "columns": ""}])
def test_a_form_without_the_mark_of_its_page_changes_nothing(visitor, form):
    visitor.post(HERE, BEGUN | {"do": "check"})
    before = kept(visitor)
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    site = {"Sec-Fetch-Site": "same-origin", "Origin": f"http://127.0.0.1:{visitor.port}"}
    reply = visitor.ask("POST", HERE, urlencode(form), Cookie=visitor.cookie, **kind, **site)
    assert (reply.status, kept(visitor)) == (409, before)
    assert "nothing that was sent is kept" in reply.text


def test_many_columns_that_differ_are_counted(tmp_path):
    (tmp_path / "data").mkdir()
    names = [f"c{k}" for k in range(200)]
    (tmp_path / "data" / "wide.csv").write_text(",".join(names) + "\n")
    with studio(tmp_path) as visitor:
        answers = {"file": "wide.csv", "header": "yes", "held": "secret", "unit": "one"}
        visitor.post("/new", answers)
        page = "/d/wide/schema"
        old = re.search('name="columns" value="([0-9a-f]+)"', visitor.get(page).text)[1]
        form = {f"f{k}": "0..99" for k in range(200)}
        visitor.post(page, form | {"do": "check"})
        again = {f"f{k}": "cardiology, surgery; other: elsewhere" for k in range(200)}
        reply = visitor.post(page, again | {"columns": old, "do": "check"})
    assert (reply.status, "and 190 more" in reply.text) == (409, True)
    assert len(reply.body) < 150_000
