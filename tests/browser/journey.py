"""A person before the studio: with a mouse, or by keyboard alone; and all that is wrong on the way.

Everything is named by a CSS selector, so that one journey is made with either hand.
"""

from browser.faults import faults_at
from browser.test_studio import home, opened

__all__ = [
    "BOOK",
    "HEADER",
    "Keyboard",
    "Mouse",
    "grant_first",
    "publish_first",
    "release_first",
    "row",
    "walker",
]

_TABS = 250  # more than any page has stops
HEADER = "patient,age,sex,ward,weight,admitted,smoker,outcome,severity"
# A dictionary as REDCap exports it: eight columns to be released, and one that never is.
BOOK = (
    "Variable / Field Name,Form Name,Field Type,Field Label,"
    '"Choices, Calculations, OR Slider Labels",Text Validation Type OR Show Slider Number,'
    "Text Validation Min,Text Validation Max,Identifier?,Required Field?\n"
    "patient,base,text,Number of the patient,,,,,y,\n"
    "age,base,text,Age,,integer,0,110,,y\n"
    'sex,base,radio,Sex,"f, f | m, m",,,,,y\n'
    'ward,base,radio,Ward,"north, north | south, south",,,,,y\n'
    "weight,base,text,Weight,,number,30,200,,y\n"
    "admitted,base,text,Admitted,,date_ymd,2024-01-01,2025-12-31,,y\n"
    "smoker,base,yesno,Smoker,,,,,,y\n"
    'outcome,base,radio,Outcome,"home, home | care, care",,,,,y\n'
    'severity,base,radio,Severity,"1, mild | 2, grave",,,,,y\n'
)


def row(k):
    """One record of the registry."""
    return f"P{k},{k % 90},{'fm'[k % 2]},north,{60 + k % 40},2024-05-{1 + k % 28:02},1,home,2"


class Mouse:
    """Clicks and typed fields, counted: choosing from a list is a click as well."""

    def __init__(self, page, looks=None):
        self.page, self.clicks, self.fields = page, 0, 0
        self.looks = looks  # whether every page is looked at, and what was found
        self.visited = []

    def open(self, address):
        self.page.goto(address)
        self.here()

    def press(self, selector, *, leads=None):
        """A button, link, radio button or box; `leads` is the page that it leads to."""
        self.clicks += 1
        self._press(self.page.locator(selector).first, selector)
        if leads is not None:
            self.page.wait_for_url(leads)
            self.here()

    def fill(self, selector, text):
        self.fields += 1
        self._fill(selector, text)

    def choose(self, selector, label):
        self.clicks += 1
        self._choose(selector, label)

    def _press(self, found, selector):
        found.click()

    def _fill(self, selector, text):
        self.page.locator(selector).fill(text)

    def _choose(self, selector, label):
        self.page.locator(selector).select_option(label=label)

    def here(self):
        """Look at the page as it stands: small, nothing kept, and without a fault."""
        self.page.wait_for_load_state()
        path = "/" + self.page.url.split("/", 3)[3]
        self.visited.append(path)
        kept = self.page.evaluate(
            "localStorage.length + sessionStorage.length + document.cookie.length"
        )
        assert kept == 0, path
        if self.looks is not None:
            self.looks += [f"{path}: {fault}" for fault in _faults_here(self.page)]


class Keyboard(Mouse):
    """The same without a mouse: what is focused must be seen to be."""

    def reach(self, selector):
        """Press the tabulator until the focus is there."""
        matches = "selector => document.activeElement.matches(selector)"
        for _ in range(_TABS):
            if self.page.evaluate(matches, selector):
                look = (
                    "(s => s.outlineStyle + s.boxShadow)(getComputedStyle(document.activeElement))"
                )
                assert self.page.evaluate(look) != "nonenone", f"{selector} is focused unseen"
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"{selector} is not reached by keyboard")

    def _press(self, found, selector):
        kind = found.evaluate("e => e.type == 'radio' || e.type == 'checkbox' ? e.type : e.tagName")
        if kind == "radio":
            name = found.get_attribute("name")
            self.reach(f"[name={name}]")
            for _ in range(_TABS):
                if found.evaluate("e => e === document.activeElement"):
                    break
                self.page.keyboard.press("ArrowDown")
            if not found.is_checked():
                self.page.keyboard.press("Space")
            assert found.is_checked()
            return
        self.reach(selector)
        self.page.keyboard.press("Space" if kind == "checkbox" else "Enter")

    def _fill(self, selector, text):
        self.reach(selector)
        self.page.keyboard.press("ControlOrMeta+a")
        self.page.keyboard.type(text)

    def _choose(self, selector, label):
        self.reach(selector)
        self.page.keyboard.type(label)
        chosen = self.page.locator(f"{selector} option:checked").inner_text()
        assert chosen == label


def _faults_here(page):
    """What is wrong with a page as it stands, on a phone and a screen, by day and by night."""
    before = page.viewport_size
    yield from faults_at(page)
    page.set_viewport_size(before)
    page.emulate_media(color_scheme="light")


def walker(browser, visitor, hand=Mouse, *, look=False, **settings):
    """A person in a browser of their own, and what went wrong there; close their context."""
    context, faults = opened(browser, visitor, **settings)
    return hand(context.new_page(), [] if look else None), faults, context


def publish_first(person, visitor, name):
    """From the start page to the release: nine columns, eight of which are published."""
    grant_first(person, visitor, name)
    _publish(person, name)


def release_first(person, name):
    """From the promise to the release."""
    _promise(person)
    _publish(person, name)


def _publish(person, name):
    person.fill("#name", name)
    person.press("main .actions button.main", leads="**/jobs/*")
    person.page.locator("main a.main").wait_for()
    person.here()
    person.press("main a.main", leads="**/r/*")


def grant_first(person, visitor, name):
    """From the start page to the review."""
    person.open(f"{home(visitor)}/")
    declare_first(person, name)
    _promise(person)


def _promise(person):
    person.press("#funds a", leads="**/grant?back=budget**")
    person.fill("#epsilon", "3")
    person.fill("#reason", "data board, first meeting")
    person.press("main .actions button.main", leads="**/budget**")
    person.fill("#records", "300")
    person.press("button.main[value=next]", leads="**/review")


def declare_first(person, name):
    """From the start page to the promise."""
    person.press('main a[href="/new"]', leads="**/new")
    person.press('[name=file][value="registry.csv"]')
    person.press("[name=header][value=yes]")
    person.press("[name=unit][value=one]")
    if name != "registry":
        person.fill("#name", name)
    person.press("main .actions button.main", leads="**/schema")
    person.press("main details:has(#book) summary")
    person.choose("#book", "dictionary.csv")
    person.press("button[value=import]", leads="**/schema?taken=9#columns")
    person.choose("#known", "a code book or data dictionary")
    person.fill("#source", "data dictionary of the registry")
    person.press("[name=unread]")
    person.press("button.main[value=next]", leads="**/budget")
