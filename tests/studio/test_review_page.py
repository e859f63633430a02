"""The review: what is charged and left, before a name is typed; no record has a part in it."""

import json
import re
import shlex
from fractions import Fraction
from html import unescape
from urllib.parse import urlencode

import pytest
from typer.testing import CliRunner

from jobs_world import NAME, PUBLISH, REVIEW, ROWS, SCHEMA, World, confirmed, release_in
from ledger_world import at_time
from sfumato.cli import app
from sfumato.ledger import Ledger
from sfumato.privacy.guarantee import PureDP
from sfumato.schema import Schema
from sfumato.studio.review import reviewed
from slowness import slow
from studio_world import studio

REVIEWED = "sfumato.studio.pages.review.reviewed"


@pytest.fixture
def world(tmp_path):
    return World(tmp_path).choose()


def test_it_says_what_is_charged_left_published_unprotected_and_who_agreed(world):
    with studio(world.project.folder) as visitor:
        text = visitor.get(REVIEW).text
    assert 'by <b>mosaic</b> under <b class="figure">ε = 1</b>' in text
    assert "1 % likely thinks it at most 2.68 % likely afterwards" in text
    assert "ε 1, of ε 3 left; then ε 2 is left" in text
    assert "the number of records; the names of all columns, their ranges and their lists" in text
    assert "People with several records" in text
    assert re.search(r"granted by \S+, [0-9-]{10} \(ledger line 2\): approved by the data", text)
    assert "No record was read" in text


@pytest.mark.parametrize("person", [False, True])
def test_it_promises_in_the_very_words_of_the_page_of_the_promise(world, person):
    """Where the promise may fail, and whose it is, is said on both."""
    if person:
        facts = json.loads(json.dumps(Schema.parse(SCHEMA).to_json()))
        facts["columns"]["who"] = {"kind": "id"}
        schema = Schema.of({**facts, "person": "who", "rows_per_person": 4})
        world.project.schema_path("visits").write_text(schema.to_yaml())
    form = {"records": "200", "number": "secret", "epsilon": "1", "delta": "1e-6"}
    with studio(world.project.folder) as visitor:
        shown = visitor.get(f"/d/visits/budget?{urlencode(form)}").text
        assert visitor.post("/d/visits/budget", form).leads_to == REVIEW
        review = visitor.get(REVIEW).text
    said = re.search('<div id="said".*?<p>(.*?)</p>', shown)[1]
    assert "at most 7.59 % likely afterwards" in said
    assert "except with a chance of one in" in said
    assert ("about one person" in said) == person
    assert f"<dd>{said}</dd>" in review


def test_all_that_is_published_is_shown_line_by_line(world):
    text = SCHEMA.replace("south", '"<b>\u202e"')
    world.project.schema_path("visits").write_text(text)
    with studio(world.project.folder) as visitor:
        shown = re.search("<pre[^>]*>(.*?)</pre>", visitor.get(REVIEW).text, re.S)[1]
    assert shown.count("\n") == text.count("\n")
    assert "&lt;b&gt;\\u202e" in shown
    assert "\u202e" not in shown


def test_looks_are_counted_on_it(world):
    with Ledger(world.ledger_path) as ledger:
        for _ in range(3):
            ledger.inspect(NAME, what="does it fit?")
    with studio(world.project.folder) as visitor:
        text = visitor.get(REVIEW).text
    assert re.search(r"so far</dt>\s*<dd>3\b", text)
    assert "What was read before, for releases and looks, stands in the ledger" in text


def test_the_id_stays_until_something_else_is_typed(world):
    with studio(world.project.folder) as visitor:
        first, second = (release_in(visitor.get(REVIEW)) for _ in range(2))
        world.choose(epsilon="2")
        assert first == second != release_in(visitor.get(REVIEW))
    with studio(world.project.folder) as visitor:
        assert release_in(visitor.get(REVIEW)) not in (None, first)


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({}, "Type visits, as it stands above"),
        ({"name": "visit"}, "Type visits, as it stands above"),
        ({"name": "VISITS"}, "Type visits, as it stands above"),
        ({"name": "visits", "format": "xlsx"}, "Choose one of these formats"),
    ],
)
def test_without_the_name_nothing_is_begun(world, form, said):
    with studio(world.project.folder) as visitor:
        reply = visitor.post(PUBLISH, {"release": release_in(visitor.get(REVIEW)), **form})
    assert (reply.status, said in reply.text) == (422, True)
    assert world.jobs().folder.all() == []


@pytest.mark.parametrize("change", ["budget", "schema", "none"])
def test_what_was_changed_in_another_window_is_shown_again_before_it_is_charged(world, change):
    with studio(world.project.folder) as visitor:
        release = release_in(visitor.get(REVIEW))
        if change == "budget":
            world.choose(epsilon="2")
        elif change == "schema":
            world.project.schema_path("visits").write_text(SCHEMA.replace("99", "98"))
        else:
            release = ""
        reply = visitor.post(PUBLISH, {"release": release, "name": NAME})
    assert (reply.status, "has changed since" in reply.text) == (409, True)
    assert release_in(reply) != release
    assert world.jobs().folder.all() == []


def test_a_form_that_is_sent_twice_at_once_leads_to_its_release_both_times(world, monkeypatch):
    """The other one is begun between the first look at its id and the review."""
    sent = []

    def overtaken(*given):
        monkeypatch.setattr(REVIEWED, reviewed)
        sent.append(visitor.post(PUBLISH, form))
        return reviewed(*given)

    with studio(world.project.folder) as visitor:
        form = {"release": release_in(visitor.get(REVIEW)), "name": NAME}
        monkeypatch.setattr(REVIEWED, overtaken)
        sent.append(visitor.post(PUBLISH, form))
        assert [reply.leads_to for reply in sent] == [f"/jobs/{form['release']}"] * 2
    assert len(world.jobs().folder.all()) == 1


def test_a_budget_that_is_spent_has_a_remedy_on_the_page(world):
    world.choose(epsilon="4")
    with studio(world.project.folder) as visitor:
        reply = visitor.get(REVIEW)
        assert "This cannot be charged" in reply.text
        assert "has ε 3 left" in reply.text
        for way in ("/d/visits/budget", "/d/visits/grant?back=review", "/ledger/visits"):
            assert f'href="{way}"' in reply.text
            assert visitor.get(way).status == 200
        said, _, command = reply.text.partition("This cannot be charged")[2].partition("<details>")
        assert "whoever owns the ledger" in said
        assert "asks for ε 4: ask for less." in said
        assert "sfumato ledger" not in said
        assert "sfumato ledger grant visits --epsilon 1 --reason …" in command
        assert release_in(reply) is None
        with Ledger(world.ledger_path) as ledger:
            ledger.grant(NAME, epsilon=1, reason="the board met again")
        assert release_in(visitor.get(REVIEW))


@pytest.mark.parametrize("why", ["over", "other neighbours"])
def test_a_grant_is_offered_where_it_would_help_and_nowhere_else(world, why):
    with Ledger(world.ledger_path) as ledger:
        if why == "over":
            ledger.grant(NAME, epsilon=1, reason="this year", until="2030-06-30")
        else:
            about = "one record (row) of the table; add-remove"
            ledger.reserve("elsewhere", NAME, PureDP(1), plan="c0ffee00", protects=about)
    with at_time("2030-07-01"), studio(world.project.folder) as visitor:
        text = visitor.get(REVIEW).text
    assert "This cannot be charged" in text
    offered = "whoever owns the ledger" in text, "Grant more" in text
    assert offered == (why == "over",) * 2


def test_what_another_process_charged_meanwhile_is_seen_when_it_is_confirmed(world):
    with studio(world.project.folder) as visitor:
        release = release_in(visitor.get(REVIEW))
        with Ledger(world.ledger_path) as ledger:
            ledger.reserve(
                "elsewhere",
                NAME,
                PureDP("2.5"),
                plan="c0ffee00",
                protects="one record (row) of the table; replace-one",
            )
        reply = visitor.post(PUBLISH, {"release": release, "name": NAME})
    assert (reply.status, "has ε 0.5 left" in reply.text) == (422, True)
    assert world.jobs().folder.all() == []


def test_a_doubt_is_shown_and_taken_before_the_name_counts(world):
    world.choose(epsilon="0.01", records=50)
    with studio(world.project.folder) as visitor:
        reply = visitor.get(REVIEW)
        assert "guessing" in reply.text
        reply = visitor.post(PUBLISH, {"release": release_in(reply), "name": NAME})
    assert (reply.status, "Say that you have read this" in reply.text) == (422, True)
    assert world.jobs().folder.all() == []


@pytest.mark.parametrize(
    ("undone", "said"),
    [
        ("promise", "promise is not chosen"),
        ("columns", "not declared"),
        ("method", "promises nothing"),
        ("schema", "schema.yaml is missing or no text in UTF-8"),
    ],
)
def test_what_is_missing_is_said_in_place_of_a_button(world, undone, said):
    if undone == "promise":
        (world.project.folder / "datasets/visits/promise.json").unlink()
    elif undone == "columns":
        world.draft.declared = False
        world.project.keep(world.draft)
    elif undone == "schema":
        world.project.schema_path("visits").write_bytes("name: visits".encode("utf-16"))
    else:
        world.choose(method="rotation")
    with studio(world.project.folder) as visitor:
        reply = visitor.get(REVIEW)
        assert visitor.get("/d/visits/budget").status != 500
    assert (reply.status, said in reply.text, release_in(reply)) == (200, True, None)


def test_without_a_ledger_the_page_says_how_to_get_a_budget(tmp_path):
    world = World(tmp_path).choose()
    world.ledger_path.unlink()
    with studio(tmp_path) as visitor:
        reply = visitor.get(REVIEW)
        assert visitor.get("/ledger").status == 200
    assert "Nobody has granted a budget for visits yet" in reply.text
    assert "A budget can be granted by whoever owns the ledger" in reply.text
    assert 'href="/ledger">the page of the ledger' in reply.text
    assert "Grant a budget</a>" in reply.text
    assert "sfumato ledger" not in reply.text
    assert release_in(reply) is None


def test_the_command_on_the_page_is_the_same_release(world, monkeypatch):
    with studio(world.project.folder) as visitor:
        reply = visitor.get(REVIEW)
        words = shlex.split(
            unescape(re.search("<code>(sfumato publish .*?)</code>", reply.text)[1])
        )
        with monkeypatch.context() as there:
            there.chdir(world.project.folder)
            done = CliRunner().invoke(app, words[1:])
        assert done.exit_code == 0, done.output
        job = release_in(reply)
        assert visitor.post(PUBLISH, {"release": job, "name": NAME}).leads_to == f"/jobs/{job}"
        visitor.get(f"/jobs/{job}/events")
        assert "checked against its plan" in visitor.get(f"/jobs/{job}").text
    assert (world.lines("reserve"), world.lines("draw"), world.spent) == (1, 1, 1)


def test_two_folders_with_other_records_have_the_same_review(tmp_path, monkeypatch):
    ids = iter(["0123456789abcdef"] * 10)
    monkeypatch.setattr("sfumato.studio.job_folder.new_job", lambda: next(ids))
    replies = []
    torn = 'age,ward\n"30,no\xffrth\n' + "99,south\n" * 7
    for name, rows in (("one", ROWS), ("two", torn)):
        world = World(tmp_path / name, rows=rows).choose()
        (world.project.data / "visits.csv").chmod(0)
        with studio(world.project.folder) as visitor:
            reply = visitor.get(REVIEW)
            replies.append((reply.status, reply.headers, reply.text.replace(f"/{name}<", "/<")))
    assert replies[0] == replies[1]


@pytest.mark.parametrize(
    ("chosen", "said", "flag"),
    [
        slow("0.05", "If more than 5 % of the records do not fit", ""),
        ("0.2", "If more than 20 % of the records do not fit", " --misfit 0.2"),
        slow("none", "It goes on without a check", " --no-fit"),
    ],
)
def test_how_many_records_may_fail_to_fit_is_chosen_and_stands_in_the_plan(
    tmp_path, chosen, said, flag
):
    world = World(tmp_path).choose()
    with studio(tmp_path) as visitor:
        form = {"records": "200", "epsilon": "1", "misfit": chosen}
        assert visitor.post("/d/visits/budget", form).leads_to == "/d/visits/review"
        review = visitor.get(REVIEW).text
        assert said in review
        assert ("noise may hide all misfits" in review) == (chosen != "none")
        assert (" --misfit" in review or " --no-fit" in review) == bool(flag)
        assert flag in review
        kept = visitor.get("/d/visits/budget").text
        assert f'name="misfit" value="{chosen}" checked' in kept
        job = confirmed(visitor)
        assert world.jobs().asked(job).misfit == chosen
        visitor.get(f"/jobs/{job}/events")
    facts = json.loads((world.project.releases / job / "release.json").read_text()).get("fit")
    assert (facts is None) == (chosen == "none")
    if facts is not None:
        assert Fraction(facts["misfit"]) == Fraction(chosen)
