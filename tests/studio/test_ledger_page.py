"""The ledger's pages: history, grants, refunds, heads, exports; each decision one line."""

import re
from pathlib import Path
from threading import Thread
from urllib.parse import unquote

import pytest

from jobs_world import World
from ledger_world import who_writes
from release_world import (
    BOARD,
    HOSTILE,
    NAME,
    RELEASE,
    asked,
    lines,
    published,
    read,
    reserved,
    text,
)
from sfumato.ledger import Ledger
from sfumato.ledger.export import check_export
from sfumato.schema import Schema
from sfumato.studio.account import account, address_of, name_at
from sfumato.studio.draft import Draft, TypedColumn
from sfumato.studio.project import Project
from studio_world import studio

PAGE, GRANT = f"/ledger/{NAME}", f"/d/{NAME}/grant"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    project = published(tmp_path_factory.mktemp("ledger"), rows=300)
    with studio(project.folder) as visitor:
        yield project, visitor


@pytest.fixture
def empty(tmp_path):
    """A project with columns and without a ledger."""
    project = Project(tmp_path)
    draft = project.begin(Draft("", NAME, "p.csv", [TypedColumn("a", "boolean")]))
    schema = Schema.of({"name": NAME, "columns": {"a": {"kind": "boolean"}}})
    project.declare(draft, schema, "")
    return project


def after(reply):
    """The newest line that a form was made with."""
    return after_in(reply.text)


def after_in(text):
    return re.search('name="after" value="([0-9]+)"', text)[1]


def funds(project):
    """What was granted, with what other tests added, and what is left."""
    with Ledger(project.ledger_path) as ledger:
        balance = ledger.balance(NAME)
        return [charge.micro_epsilon / 10**6 for charge in (balance.granted, balance.left)]


def head_of(project):
    with Ledger(project.ledger_path) as ledger:
        return ledger.head


def test_the_history_says_who_did_what_why_and_what_was_left(made):
    project, visitor = made
    said = text(visitor.get(PAGE))
    granted = lines(project, "grant")[0]
    assert f"granted {granted.who}: {BOARD} +ε 3 ε 3" in said
    assert f"charged, noise drawn, released {RELEASE} {granted.who} −ε 1 ε 2" in said
    assert f'href="/r/{RELEASE}"' in visitor.get(PAGE).text
    assert head_of(project) in said


def test_the_overview_says_what_is_left_of_each(made):
    project, visitor = made
    said = text(visitor.get("/ledger"))
    granted, left = (f"{float(figure):g}" for figure in funds(project))
    assert f"{NAME} ε {granted} ε 1 ε {left} 1" in said
    assert head_of(project) in said


def test_a_grant_that_is_sent_twice_is_one_line(made):
    project, visitor = made
    before = len(lines(project, "grant"))
    form = {"epsilon": "0.5", "reason": "once", "after": after(visitor.get(GRANT))}
    for _ in range(3):
        assert visitor.post(GRANT, form).leads_to == PAGE
    assert len(lines(project, "grant")) == before + 1


def test_a_grant_that_is_sent_from_several_windows_at_once_is_one_line(made):
    project, visitor = made
    before = len(lines(project, "grant"))
    form = {"epsilon": "0.25", "reason": "at once", "after": after(visitor.get(GRANT))}
    windows = [Thread(target=visitor.post, args=(GRANT, form)) for _ in range(6)]
    for window in windows:
        window.start()
    for window in windows:
        window.join()
    assert len(lines(project, "grant")) == before + 1


def test_another_amount_from_a_page_that_is_out_of_date_is_not_granted_unseen(made):
    project, visitor = made
    seen = after(visitor.get(GRANT))
    visitor.post(GRANT, {"epsilon": "0.125", "reason": "first", "after": seen})
    before = len(lines(project, "grant"))
    reply = visitor.post(GRANT, {"epsilon": "2", "reason": "first", "after": seen})
    assert reply.status == 422
    assert "Since this page was opened" in text(reply)
    assert 'value="2"' in reply.text
    assert len(lines(project, "grant")) == before
    assert visitor.post(GRANT, {"epsilon": "2", "reason": "first", "after": after(reply)}).leads_to


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"epsilon": "", "reason": "x"}, "Say how much"),
        ({"epsilon": "1", "reason": ""}, "Reason must"),
        ({"epsilon": "1", "reason": "…"}, "Reason must"),
        ({"epsilon": "1", "reason": "two\nlines"}, "Reason must"),
        ({"epsilon": "one", "reason": "x"}, "Epsilon must"),
        ({"epsilon": "-1", "reason": "x"}, "Epsilon must"),
        ({"epsilon": "1", "until": "2001-01-01", "reason": "x"}, "must not be over"),
        ({"epsilon": "1", "until": "soon", "reason": "x"}, "Until must be"),
        ({"epsilon": "1e30", "reason": "x"}, "must stay below"),
        ({"epsilon": "1", "rho": "1", "reason": "x"}, "rho"),
    ],
)
def test_a_grant_that_cannot_be_is_refused_beside_what_was_typed(made, form, said):
    project, visitor = made
    before = head_of(project)
    reply = visitor.post(GRANT, {"after": after(visitor.get(GRANT)), **form})
    assert reply.status == 422
    assert said in text(reply)
    assert head_of(project) == before
    assert visitor.said == []


def test_the_first_grant_makes_the_ledger(empty):
    with studio(empty.folder) as visitor:
        assert "There is no ledger yet" in text(visitor.get("/ledger"))
        assert "A ledger is made with it" in text(visitor.get(GRANT))
        reply = visitor.post(GRANT, {"epsilon": "1,5", "reason": "board", "after": "0"})
        assert reply.leads_to == PAGE
        assert "ε 1.5 left" in text(visitor.get(PAGE))
        assert oct(empty.ledger_path.stat().st_mode)[-3:] == "600"


def test_a_grant_to_nobody_makes_no_ledger(empty):
    with studio(empty.folder) as visitor:
        reply = visitor.post("/d/nobody/grant", {"epsilon": "1", "reason": "board"})
        assert reply.status in (409, 422)
    assert not empty.ledger_path.exists()


def test_where_two_people_are_needed_one_asks_and_cannot_approve(empty):
    with studio(empty.folder) as visitor:
        form = {"epsilon": "1", "reason": "second wave", "after": "0", "two_people": "on"}
        for _ in range(2):
            assert visitor.post(GRANT, form).leads_to == PAGE
        assert (len(lines(empty, "request")), len(lines(empty, "grant"))) == (1, 0)
        assert "a request waits for an answer" in text(visitor.get("/ledger"))
        assert "asks for ε 1" in text(visitor.get(PAGE))


@pytest.mark.parametrize("answer", ["approve", "decline"])
def test_a_request_is_answered_once_and_approved_by_another_person_only(empty, answer):
    with Ledger.create(empty.ledger_path, two_people=True) as ledger, who_writes("anna"):
        number = ledger.request(NAME, epsilon=1, reason="second wave")
    form = {"number": number, "dataset": NAME, "reason": "board"}
    with studio(empty.folder) as visitor:
        assert "second wave" in text(visitor.get(PAGE))
        with who_writes("anna"):
            reply = visitor.post("/ledger/approve", form | {"answer": "approve"})
        assert reply.status == 422
        assert "another person does" in text(reply)
        with who_writes("bert"):
            for _ in range(2):
                reply = visitor.post("/ledger/approve", form | {"answer": answer})
                assert reply.leads_to == PAGE
        assert visitor.get(PAGE).status == 200
    assert len(lines(empty, answer)) == 1
    assert len(lines(empty, "approve")) == (answer == "approve")


def test_who_may_open_the_ledger_alone_can_approve_and_is_told_the_rest(empty, monkeypatch):
    with Ledger.create(empty.ledger_path, two_people=True) as ledger, who_writes("anna"):
        number = ledger.request(NAME, epsilon=1, reason="second wave")
    iterdir = Path.iterdir

    def refused(path, *_):
        if path.name in ("data", "datasets", "releases", "draft.json"):
            raise PermissionError(13, "Permission denied")
        return iterdir(path)

    monkeypatch.setattr(Path, "iterdir", refused)
    monkeypatch.setattr("sfumato.studio.project.content", refused)
    form = {"number": number, "dataset": NAME, "reason": "board", "answer": "approve"}
    with studio(empty.folder) as visitor:
        start = visitor.get("/")
        assert start.status == 200
        for folder in ("data", "datasets"):
            assert f"{folder} cannot be read: Permission denied" in text(start)
        for path in ("/new", f"/d/{NAME}/schema"):
            assert visitor.get(path).status == 409
        assert visitor.get("/ledger").status == visitor.get(PAGE).status == 200
        with who_writes("bert"):
            assert visitor.post("/ledger/approve", form).leads_to == PAGE
        assert visitor.said == []
    assert len(lines(empty, "approve")) == 1


def test_a_stopped_release_is_given_back_once_and_a_finished_one_never(made):
    project, visitor = made
    reserved(project, "77ab")
    said = text(visitor.get(PAGE))
    assert "Release 77ab is charged, and drew no noise" in said
    form = {"release": "77ab", "dataset": NAME, "reason": "stopped by hand"}
    for _ in range(2):
        assert visitor.post("/ledger/refund", form).leads_to == PAGE
    assert len(lines(project, "refund")) == 1
    reply = visitor.post("/ledger/refund", form | {"release": RELEASE})
    assert reply.status == 422
    assert visitor.post("/ledger/refund", form | {"release": "never"}).status == 422
    assert len(lines(project, "refund")) == 1


def test_the_head_of_an_old_sheet_holds_and_that_of_another_ledger_does_not(made, tmp_path):
    project, visitor = made
    head = head_of(project)
    visitor.post(GRANT, {"epsilon": "0.1", "reason": "later", "after": after(visitor.get(GRANT))})
    reply = visitor.post("/ledger/verify", {"head": f" {head.upper()} ", "dataset": NAME})
    assert "It holds the head of your sheet" in text(reply)
    with Ledger.create(tmp_path / "other.db") as other:
        foreign = other.head
    for path in ({"dataset": NAME}, {}):
        reply = visitor.post("/ledger/verify", {"head": foreign, **path})
        assert reply.status == 422
        assert "is not in this ledger" in text(reply)
    assert "64 digits" in text(visitor.post("/ledger/verify", {"head": "3f1a…"}))
    assert "is sound" in text(visitor.post("/ledger/verify"))


def test_a_ledger_that_was_rolled_back_is_found_out_by_the_sheet(made, tmp_path, monkeypatch):
    project, visitor = made
    copy = project.ledger_path.read_bytes()
    visitor.post(GRANT, {"epsilon": "0.2", "reason": "sheet", "after": after(visitor.get(GRANT))})
    sheet = text(visitor.get(f"{PAGE}/sheet"))
    head = re.search("Head ([0-9a-f]{64})", sheet)[1]
    older = Project(tmp_path)
    older.ledger_path.write_bytes(copy)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "another-machine"))
    with studio(older.folder) as other:
        assert "is not in this ledger" in text(other.post("/ledger/verify", {"head": head}))


def test_the_export_for_an_auditor_is_whole_and_names_no_fingerprint(made, tmp_path):
    project, visitor = made
    reply = visitor.get("/ledger/export")
    assert "attachment" in reply.headers["content-disposition"]
    (tmp_path / "audit.jsonl").write_bytes(reply.body)
    assert check_export(tmp_path / "audit.jsonl").head == head_of(project)
    for line in lines(project, "draw"):
        assert line.fingerprint
        assert line.fingerprint not in reply.text


def test_looks_are_counted_and_named(made):
    project, visitor = made
    with Ledger(project.ledger_path) as ledger:
        ledger.inspect(NAME, release=RELEASE, what="heap at 0 in weight?")
    said = text(visitor.get(PAGE))
    assert f"looked at {RELEASE}" in said
    assert "heap at 0 in weight?" in said
    assert "1 look at the records" in said


def test_two_names_of_the_same_data_are_recorded_once(made):
    project, visitor = made
    with Ledger(project.ledger_path) as ledger:
        ledger.create_dataset("survey", reason="next")
    form = {"dataset": NAME, "other": "survey", "reason": "one table"}
    for _ in range(2):
        assert visitor.post("/ledger/same-data", form).leads_to == PAGE
    assert len(lines(project, "same-data")) == 1
    assert "also known as survey" in text(visitor.get(PAGE))


@pytest.mark.parametrize(
    "name", ["..", "export", "verify", "a/b", "x" * 500, HOSTILE, "klinik süd"]
)
def test_every_name_has_an_address_of_its_own_that_leads_back_to_it(name):
    address = address_of(name)
    assert re.fullmatch("[a-z0-9_-]+", address)
    assert name_at(address, ["other", name]) == name
    assert address not in ("export", "verify")


def test_hostile_names_and_reasons_are_text_on_every_page(tmp_path):
    name = HOSTILE.replace("\x1b", "").replace("\u202e", "")
    project = Project(tmp_path)
    with Ledger.create(project.ledger_path) as ledger:
        ledger.grant(name, epsilon=1, reason=name)
        ledger.inspect(name, what=name)
    with studio(tmp_path) as visitor:
        address = address_of(name)
        for path in (
            "/ledger",
            f"/ledger/{address}",
            f"/ledger/{address}/sheet",
            f"/d/{address}/grant",
        ):
            reply = visitor.get(path)
            tags = [tag for tag, _ in read(reply.text)[1]]
            assert (reply.status, "img" in tags, tags.count("script")) == (200, False, 1)
            assert "<img" in text(reply)
        form = {"epsilon": "1", "reason": HOSTILE, "after": "0"}
        reply = visitor.post(f"/d/{address}/grant", form)
        assert reply.status == 422
        assert "\x1b" not in reply.text
        assert "img" not in [tag for tag, _ in read(reply.text)[1]]


@pytest.mark.parametrize(
    "path", ["/ledger/nobody", "/ledger/nobody/sheet", "/d/nobody/grant", "/ledger/.."]
)
def test_what_the_ledger_does_not_know_is_said_so(made, path):
    reply = made[1].get(path)
    assert reply.status in (404, 409)
    assert "no such" in text(reply)


def test_a_long_history_is_shown_in_part_until_all_is_asked_for(tmp_path):
    project = Project(tmp_path)
    with Ledger.create(project.ledger_path) as ledger:
        ledger.grant(NAME, epsilon=1, reason="first of all")
        for k in range(205):
            ledger.inspect(NAME, what=f"look {k}")
        found = account(ledger, NAME)
    assert len(found.looks) == 205
    with studio(tmp_path) as visitor:
        reply = visitor.get(PAGE)
        assert len(reply.body) < 150_000
        assert "first of all" not in reply.text
        assert "Show 6 older lines" in text(reply)
        assert "first of all" in visitor.get(f"{PAGE}?all=1").text


@pytest.mark.parametrize(
    ("back", "filled"),
    [
        ("budget?epsilon=4&delta=&records=5000", {"epsilon": "1", "delta": ""}),
        ("budget?epsilon=0,5&delta=1e-9", {"epsilon": "", "delta": "1e-9"}),
        ("budget?epsilon=3", {"epsilon": "", "delta": ""}),
        ("budget?epsilon=lots", {"epsilon": "", "delta": ""}),
        ("budget", {"epsilon": "", "delta": ""}),
        ("review", {"epsilon": "2", "delta": "1e-8"}),
        ("", {"epsilon": "", "delta": ""}),
    ],
)
def test_what_is_missing_for_a_wanted_release_is_filled_in_and_leads_back(tmp_path, back, filled):
    world = World(tmp_path).choose(epsilon="5", delta="1e-8")
    with studio(tmp_path) as visitor:
        found = visitor.get(asked("/d/visits/grant", back=back)).text
        fields = dict(re.findall('name="(epsilon|delta)" .*?value="(.*?)"', found))
        assert fields == filled
        assert ("is missing" in found) == any(filled.values())
        form = {"epsilon": "1", "reason": "board", "after": after_in(found), "back": back}
        leads = visitor.post("/d/visits/grant", form).leads_to
    assert unquote(leads) == (f"/d/visits/{back}" if back else "/ledger/visits")
    assert len(lines(world.project, "grant", "visits")) == 2


def test_before_the_first_grant_all_that_is_wanted_is_filled_in(empty):
    with studio(empty.folder) as visitor:
        found = visitor.get(asked(GRANT, back="budget?epsilon=2")).text
        assert 'inputmode="decimal" value="2"' in found
        assert not empty.ledger_path.exists()
