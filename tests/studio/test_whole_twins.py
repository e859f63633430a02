"""Twins by the whole way to the review: with a budget, a promise, and a review to be confirmed."""

from html.parser import HTMLParser
from urllib.parse import urlencode

import pytest

from browser.journey import BOOK, HEADER, row
from studio_world import studio

FEW = f"{HEADER}\n{row(1)}\n".encode()
OTHERS = {
    "many": FEW + b"".join(f"{row(k)}\n".encode() for k in range(3_000)),
    "none": f"{HEADER}\n".encode(),
    "torn": HEADER.encode() + b'\n"\xff\xfe,\xc3(,"",9\n=1+1,<script>\n',
}
DECLARED = {"known": "code book", "source": "data dictionary", "unread": "on"}
BUDGET = {"records": "400", "number": "secret", "epsilon": "1"}


def whole_way(folder, content):
    """Every answer up to the review; from the header on, nobody may read the file."""
    (folder / "data").mkdir(parents=True)
    file = folder / "data" / "registry.csv"
    file.write_bytes(content)
    with studio(folder) as visitor:
        answers = {"file": "registry.csv", "header": "yes", "unit": "one", "held": "secret"}
        assert visitor.post("/new", answers).status == 303
        file.chmod(0)
        at = "/d/registry"
        taken = visitor.send(f"{at}/schema", {"do": "import", "pasted": BOOK})
        assert "9 taken over" in taken.text
        assert visitor.post(f"{at}/schema", {"do": "next", **fields(taken), **DECLARED}).leads_to
        grant = {"epsilon": "3", "reason": "board", "after": "0", "back": "budget"}
        assert visitor.send(f"{at}/grant", grant).status == 200
        before = len(visitor.seen)
        asked = f"{at}/budget?{urlencode(BUDGET)}&do=show"
        while "data-again" in visitor.get(asked).text:
            del visitor.seen[before:]  # how often it is asked is up to the machine
        assert "Each count within" in visitor.seen[-1].text
        visitor.send(f"{at}/budget", BUDGET)
        review = visitor.get(f"{at}/review")
        assert "type the name of the data set" in review.text
        visitor.post(f"{at}/publish", {"name": "wrong", "release": "0123456789abcdef"})
        visitor.get("/")
        # Without the cookie, which is drawn.
        seen = visitor.seen[1:]
    return [(one.status, one.headers, one.body) for one in seen]


def fields(reply):
    """What the page of the columns has in its fields."""
    found, chosen = {}, []

    class Fields(HTMLParser):
        def handle_starttag(self, tag, attrs):
            named = dict(attrs)
            if tag == "input" and named.get("name", " ")[0] == "f":
                found[named["name"]] = named.get("value") or ""
            if tag == "input" and named.get("name", " ")[0] == "m" and "checked" in named:
                found[named["name"]] = "on"
            if tag == "select":
                chosen[:] = [named["name"]]
            if tag == "option" and "selected" in named:
                found[chosen[0]] = named["value"]

    Fields().feed(reply.text)
    return found


@pytest.fixture
def answers(tmp_path, monkeypatch):
    monkeypatch.setattr("sfumato.studio.job_folder.new_job", lambda: "0123456789abcdef")

    def found(content):
        folder = tmp_path / "project"
        seen = whole_way(folder, content)
        folder.rename(tmp_path / str(len(list(tmp_path.iterdir()))))
        return seen

    return found


@pytest.mark.slow
def test_no_byte_up_to_the_review_depends_on_records(answers):
    plain = answers(FEW)
    assert len(plain) > 10
    for what, content in OTHERS.items():
        assert answers(content) == plain, what
