"""Budgets that need two people: one asks, another approves; the sheet in PDF holds the head."""

import pytest

from browser.faults import address_faults, chromium  # noqa: F401  a fixture
from browser.test_studio import home, opened
from browser.test_studio_officer import PAPER, page_of, printed
from jobs_world import NAME, World
from ledger_world import who_writes
from release_world import RELEASE, published
from sfumato.ledger import Ledger
from studio_world import studio

pytestmark = pytest.mark.slow


def test_two_officers_grant_and_the_sheet_they_sign_holds_the_head(chromium, tmp_path):  # noqa: F811
    world = World(tmp_path)
    for file in tmp_path.glob("budget.db*"):
        file.unlink()
    with studio(tmp_path) as visitor, page_of(chromium, visitor) as page:
        at = f"{home(visitor)}/ledger/{NAME}"
        with who_writes("anna"):
            page.goto(f"{home(visitor)}/d/{NAME}/grant")
            page.get_by_label("ε to add").fill("2")
            page.get_by_label("Who decided it, and why").fill("data board, May")
            page.get_by_label("Budgets need two people").check()
            page.get_by_role("button", name="Grant it").dblclick()
            page.wait_for_url(at)
            assert (world.lines("request"), world.lines("grant"), world.lines("approve")) == (
                1,
                0,
                0,
            )
            page.get_by_label("Why it is approved or declined").fill("I agree with myself")
            page.get_by_role("button", name="Approve").click()
            page.get_by_text("another person does").wait_for()
            assert world.lines("approve") == 0
        with who_writes("bert"):
            page.goto(at)
            assert "anna asks for" in page.inner_text("main")
            page.get_by_label("Why it is approved or declined").fill("seen by the board")
            page.get_by_role("button", name="Approve").dblclick()
            page.get_by_text("seen by the board").wait_for()
        assert world.lines("approve") == 1
        page.get_by_role("link", name="Sheet to sign").click()
        page.wait_for_url("**/sheet")
        ((size, text),) = printed(page)
        with Ledger(world.ledger_path) as ledger:
            head = ledger.head
            assert ledger.balance(NAME).granted.micro_epsilon == 2 * 10**6
        assert size == PAPER
        assert head in "".join(text.split())
        page.goto(at)
        page.get_by_label("Head on your last sheet").fill(head)
        page.get_by_role("button", name="Compare and check").click()
        page.get_by_text("It holds the head of your sheet").wait_for()


@pytest.mark.parametrize("damaged", [False, True])
def test_no_page_of_a_recipient_has_a_fault(chromium, tmp_path, damaged):  # noqa: F811
    folder = published(tmp_path).releases / RELEASE
    if damaged:
        (folder / "data.csv").write_text("age\n1\n")
    with studio(folder, received=True) as visitor:
        context, _ = opened(chromium, visitor)
        for path in (f"/r/{RELEASE}", f"/r/{RELEASE}?ask=count&column=5&value=1"):
            reply = visitor.get(path)
            found = address_faults(context, home(visitor) + path, status=reply.status)
            assert (path, found) == (path, [])
        context.close()
