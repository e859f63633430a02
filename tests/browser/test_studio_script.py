"""What the studio's script adds to a page that names it in attributes."""

from importlib.resources import files

import pytest

from browser.faults import chromium  # noqa: F401  a fixture

HOME = "http://127.0.0.1:9"
SCRIPT = (files("sfumato.studio") / "static" / "studio.js").read_text()
HEAD = "<!doctype html><title>t</title><script type=module src=/studio.js></script>"
LIVE = HEAD + "<form data-live=answer><input name=epsilon></form><div id=answer>{}</div>"
LONG = (
    HEAD + "<form method=post action=/sent><textarea name=t></textarea><button>Send</button></form>"
)
EVENTS = HEAD + "<div data-events=/events><p id=phase>waiting</p></div>"
CONFIRM = HEAD + "<form data-confirm='Really?' action=/sent><button>Send</button></form>"


@pytest.fixture
def served(chromium):  # noqa: F811
    """A page with this script, of a server that answers as it is told."""
    page, answers = chromium.new_page(), {"/studio.js": ("text/javascript", lambda _: SCRIPT)}

    def reply(route):
        path, _, query = route.request.url.removeprefix(HOME).partition("?")
        if path not in answers:
            route.fulfill(status=204)
            return
        kind, text = answers[path]
        route.fulfill(body=text(query), content_type=kind)

    page.route("**/*", reply)
    yield page, answers
    page.close()


def test_what_is_typed_is_asked_for_once_the_typing_stops(served):
    page, answers = served
    asked = []
    answers["/"] = ("text/html", lambda query: asked.append(query) or LIVE.format(query))
    page.clock.install(time=0)  # the pauses are those of the test, however slow the machine is
    page.goto(f"{HOME}/")
    page.clock.pause_at(60_000)
    for key in "1.5":
        page.locator("input").press(key)
        page.clock.run_for(150)
    assert asked == [""]
    page.clock.run_for(100)
    page.locator("#answer", has_text="epsilon=1.5").wait_for()
    assert asked == ["", "epsilon=1.5"]
    assert page.evaluate("document.activeElement.name") == "epsilon"
    assert page.locator("[aria-busy]").count() == 0


def test_script_in_what_is_sent_does_not_run(served):
    page, answers = served
    evil = "<img src=x onerror='window.ran = 1'><script>window.ran = 1</script>"
    answers["/"] = ("text/html", lambda query: LIVE.format(evil if query else "before"))
    # As the gate has it: nothing within a page may run.
    policy = "script-src 'self'"
    page.route(f"{HOME}/", lambda route: route.fulfill(
        body=LIVE.format("before"),
        content_type="text/html",
        headers={"content-security-policy": policy},
    ))  # fmt: skip
    page.goto(f"{HOME}/")
    page.locator("input").fill("1")
    page.locator("#answer img").wait_for(state="attached")
    page.wait_for_timeout(100)
    assert page.evaluate("window.ran") is None


def test_events_are_shown_and_the_last_one_leads_on(served):
    page, answers = served
    answers["/"] = ("text/html", lambda _: EVENTS)
    answers["/done"] = ("text/html", lambda _: "<title>done</title>")
    sent = "data: <p id=phase><b>drawn</b></p>\n\nevent: next\ndata: /done\n\n"
    answers["/events"] = ("text/event-stream", lambda _: sent)
    page.goto(f"{HOME}/")
    page.wait_for_url(f"{HOME}/done")
    assert page.title() == "done"


def test_events_lead_to_no_other_site(served):
    page, answers = served
    answers["/"] = ("text/html", lambda _: EVENTS)
    sent = "data: <p id=phase><b>drawn</b></p>\n\nevent: next\ndata: http://evil.example/\n\n"
    answers["/events"] = ("text/event-stream", lambda _: sent)
    page.goto(f"{HOME}/")
    page.locator("#phase b").wait_for()
    page.wait_for_timeout(200)
    assert page.url == f"{HOME}/"


@pytest.mark.parametrize("said", [True, False])
def test_a_form_is_sent_when_it_is_confirmed_and_not_otherwise(served, said):
    page, answers = served
    answers["/"] = ("text/html", lambda _: CONFIRM)
    answers["/sent"] = ("text/html", lambda _: "<title>sent</title>")
    page.on("dialog", lambda asked: asked.accept() if said else asked.dismiss())
    page.goto(f"{HOME}/")
    page.get_by_role("button").click()
    if said:
        page.wait_for_url(f"{HOME}/sent**")
    page.wait_for_timeout(200)
    assert (page.title() == "sent") is said


def test_a_form_that_is_too_long_is_not_sent_and_what_was_typed_stays(served):
    page, answers = served
    sent, told = [], []
    answers["/"] = ("text/html", lambda _: LONG)
    answers["/sent"] = ("text/html", lambda _: sent.append(1) or "sent")
    page.on("dialog", lambda dialog: told.append(dialog.message) or dialog.accept())
    page.goto(f"{HOME}/")
    page.locator("textarea").fill("x" * 2**20)
    page.get_by_role("button").click()
    assert ("more than 1 MiB" in told[0], sent) == (True, [])
    assert page.locator("textarea").input_value() == "x" * 2**20
    page.locator("textarea").fill("short")
    page.get_by_role("button").click()
    page.wait_for_url("**/sent")
    assert (len(told), sent) == (1, [1])
