"""Looks at the records: a reason, a line in the ledger, then a page that is kept nowhere."""

import re
from time import sleep

import pytest

from jobs_world import NAME, World, confirmed
from sfumato.ledger import Ledger
from studio_world import studio

FIT = "/d/visits/fit"


def once_in(reply):
    return re.search('name="once" value="([0-9a-f]{16})"', reply.text)[1]


def reasons(world):
    with Ledger(world.ledger_path) as ledger:
        return [line.detail for line in ledger.history(NAME) if line.kind == "inspect"]


def test_a_look_is_counted_once_and_what_it_finds_is_kept_nowhere(tmp_path):
    world = World(tmp_path, rows="age,ward\n" + "old,north\n" * 3 + "30,south\n" * 9)
    with studio(tmp_path) as visitor:
        once = once_in(visitor.get(FIT))
        form = {"once": once, "reason": "does it fit?"}
        assert visitor.post(FIT, form).leads_to == f"/looks/{once}"
        assert visitor.post(FIT, form).leads_to == f"/looks/{once}"
        assert reasons(world) == ['{"what":"fit: does it fit?"}']
        events = visitor.get(f"/looks/{once}/events")
        assert events.text == f"event: next\ndata: /looks/{once}\n\n"
        shown, found = visitor.get(f"/looks/{once}"), visitor.get(f"/looks/{once}/page")
        assert (
            f'<iframe class="found" title="What the look has found" src="/looks/{once}/page" '
            in (shown.text)
        )
        assert "INTERNAL" in shown.text
        assert "this look is counted" in found.text
        assert "unreadable" in found.text
        assert "choose on the page of the columns how the file writes its numbers" in found.text
        assert "missing_words" not in found.text
        assert "sandbox" in found.headers["content-security-policy"]
        assert found.headers["cache-control"] == "no-store"
        assert visitor.post(FIT, form).leads_to == f"/looks/{once}"
    assert not [name for name, text in world.files().items() if b"unreadable" in text]
    with studio(tmp_path) as visitor:
        assert "kept nowhere" in visitor.get(f"/looks/{once}").text
        assert visitor.get(f"/looks/{once}/page").status == 409
    assert len(reasons(world)) == 1


BACK = ['<a class="button" href="/d/visits/schema">', '<a class="button" href="/d/visits/budget">']


def test_from_a_look_and_from_its_question_a_way_leads_back_to_the_data_set(tmp_path):
    World(tmp_path)
    with studio(tmp_path) as visitor:
        asked = visitor.get(FIT)
        once = once_in(asked)
        under_way = visitor.send(FIT, {"once": once, "reason": "does it fit?"})
        visitor.get(f"/looks/{once}/events")
        done = visitor.get(f"/looks/{once}")
        for reply in (asked, visitor.get("/d/visits/compare"), under_way, done):
            assert all(way in reply.text for way in BACK)
        assert f'href="/r/{"0" * 16}">To the release' in visitor.get(f"/r/{'0' * 16}/inspect").text
        (tmp_path / "datasets/visits").rename(tmp_path / "away")
        assert not any(way in visitor.get(f"/looks/{once}").text for way in BACK)


@pytest.mark.parametrize(
    ("path", "form", "said"),
    [
        (FIT, {"once": "0" * 16, "reason": ""}, "Reason must"),
        (FIT, {"once": "", "reason": "does it fit?"}, "no number of its own"),
        ("/d/visits/compare", {"once": "0" * 16, "reason": "which one?"}, "Choose an epsilon"),
        (f"/r/{'0' * 16}/inspect", {"once": "1" * 16, "reason": "how good?"}, "not made here"),
    ],
)
def test_a_look_without_a_reason_or_a_subject_is_neither_counted_nor_begun(
    tmp_path, path, form, said
):
    world = World(tmp_path)
    with studio(tmp_path) as visitor:
        reply = visitor.post(path, form)
    assert (reply.status, said in reply.text) == (422, True)
    assert reasons(world) == world.jobs().folder.all() == []


def test_a_look_before_the_first_grant_is_refused(tmp_path):
    world = World(tmp_path)
    world.ledger_path.unlink()
    with studio(tmp_path) as visitor:
        reply = visitor.post(FIT, {"once": "0" * 16, "reason": "does it fit?"})
    assert (reply.status, "grant a budget first" in reply.text) == (422, True)
    assert world.jobs().folder.all() == []


@pytest.mark.parametrize("path", ["", "/page", "/events"])
def test_a_look_that_never_was_has_no_page(tmp_path, path):
    World(tmp_path)
    with studio(tmp_path) as visitor:
        assert visitor.get(f"/looks/{'0' * 16}{path}").status == 409


@pytest.mark.slow
@pytest.mark.parametrize("what", ["inspect", "compare"])
def test_a_release_and_methods_are_looked_at_beside_the_records(tmp_path, what):
    world = World(tmp_path).choose()
    path = "/d/visits/compare"
    with studio(tmp_path) as visitor:
        if what == "inspect":
            job = confirmed(visitor)
            visitor.get(f"/jobs/{job}/events")
            path = f"/r/{job}/inspect"
        once = once_in(visitor.get(path))
        assert visitor.post(path, {"once": once, "reason": "how good?"}).status == 303
        while "being read" in visitor.get(f"/looks/{once}").text:
            sleep(0.2)
        assert "INTERNAL" in visitor.get(f"/looks/{once}/page").text
    assert len(reasons(world)) == 1
