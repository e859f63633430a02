"""Two hundred columns from a dictionary; pages of others that post, read, frame or rename."""

import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import perf_counter

import pytest

from browser.faults import chromium, faults_now, program  # noqa: F401  a fixture
from browser.journey import Mouse, walker
from browser.test_studio import home, opened
from jobs_world import REVIEW, World, release_in
from studio_world import studio

MOST_BYTES = 150_000  # of a page, with its style sheets and its script
COLUMNS = [f"lab_value_{k}" for k in range(200)]
HEAD = (
    "Variable / Field Name,Form Name,Field Type,Field Label,"
    '"Choices, Calculations, OR Slider Labels",Text Validation Type OR Show Slider Number,'
    "Text Validation Min,Text Validation Max,Identifier?,Required Field?\n"
)


def dictionary():
    """As REDCap exports it: numbers, lists, dates, with labels as long as they are in life."""
    kinds = (
        "text,{label},,integer,0,{most},,y",
        'radio,{label},"1, never | 2, sometimes | 3, often | 4, always",,,,,y',
        "text,{label},,date_ymd,2020-01-01,2025-12-31,,y",
        "yesno,{label},,,,,,y",
    )
    rows = [
        f"{name},base,"
        + kinds[k % 4].format(label=f"What the laboratory found in sample {k}", most=100 + k)
        for k, name in enumerate(COLUMNS)
    ]
    return HEAD + "\n".join(rows) + "\n"


def weight(visitor, path):
    """Bytes of a page with its style sheets and script, and milliseconds to its first byte."""
    began = perf_counter()
    reply = visitor.get(path)
    took = 1000 * (perf_counter() - began)
    assert reply.status == 200
    named = set(re.findall(r'(?:href|src)="(/static/[^"]+)"', reply.text))
    return len(reply.body) + sum(len(visitor.get(one).body) for one in named), took


@pytest.mark.slow
def test_two_hundred_columns_of_a_dictionary_are_declared_on_pages_that_stay_small(
    chromium,  # noqa: F811
    tmp_path,
):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "lab.csv").write_text(",".join(COLUMNS) + "\n")
    (tmp_path / "dictionary.csv").write_text(dictionary())
    with studio(tmp_path) as visitor:
        person, faults, context = walker(chromium, visitor, Mouse)
        person.open(f"{home(visitor)}/new")
        for field in ("[name=file]", "[name=header][value=yes]", "[name=unit][value=one]"):
            person.press(field)
        person.press("main .actions button.main", leads="**/schema")
        person.press("main details:has(#book) summary")
        person.choose("#book", "dictionary.csv")
        person.press("button[value=import]", leads="**/schema?taken=200#columns")
        found = list(faults_now(person.page))
        person.choose("#known", "a code book or data dictionary")
        person.fill("#source", "dictionary of the laboratory")
        person.press("[name=unread]")
        person.press("button.main[value=next]", leads="**/budget")
        context.close()
        sizes = {}
        for path in (
            "/",
            "/new",
            "/d/lab/schema",
            "/d/lab/schema?check=1",
            "/d/lab/budget",
            "/d/lab/file",
        ):
            sizes[path], took = weight(visitor, path)
            print(f"{path}: {sizes[path]:,} bytes, {took:.0f} ms")
    assert (found, faults) == ([], [])
    assert {path: size for path, size in sizes.items() if size >= MOST_BYTES} == {}


class Foreign(BaseHTTPRequestHandler):
    """Another site, on this machine: its page tries what it can."""

    body = b""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, *_):
        """Says nothing."""


@pytest.fixture
def foreign():
    """Where another site is served."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Foreign)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join(10)


TRIES = """<!doctype html><title>foreign</title><body><script>
const at = "HOME", said = [];
const form = new URLSearchParams({release: "RELEASE", name: "visits"});
const tries = [];
for (const path of ["/d/visits/publish", "/quit", "/open", "/d/visits/grant", "/d/visits/fit"])
  for (const mode of ["no-cors", "cors"])
    for (const credentials of ["include", "omit"])
      tries.push(fetch(at + path, {method: "POST", mode, credentials, body: form})
        .then(async (r) => said.push(r.type + (await r.text()))).catch(() => said.push("none")));
for (const path of ["/", "/new", "/static/studio.js"])
  tries.push(fetch(at + path, {credentials: "include"})
    .then(async (r) => said.push("read" + (await r.text()))).catch(() => said.push("none")));
const frame = document.createElement("iframe");
frame.src = at + "/";
document.body.append(frame);
const script = document.createElement("script");
script.src = at + "/static/studio.js";
tries.push(new Promise((done) => { script.onload = () => done(said.push("ran"));
  script.onerror = () => done(said.push("none")); document.body.append(script); }));
const other = open(at + "/", "other");
Promise.all(tries).then(() => { window.said = said; });
</script>"""


def test_a_page_of_another_site_posts_reads_frames_and_runs_nothing(chromium, tmp_path, foreign):  # noqa: F811
    world = World(tmp_path).choose()
    with studio(tmp_path) as visitor:
        release = release_in(visitor.get(REVIEW))
        # Under a name that the studio's cookie is not sent to, and under one that it is.
        for site in (foreign, foreign.replace("127.0.0.1", "localhost")):
            script = TRIES.replace("HOME", home(visitor)).replace("RELEASE", release)
            Foreign.body = script.encode()
            context, _ = opened(chromium, visitor)
            page = context.new_page()
            page.goto(site)
            page.wait_for_function("window.said")
            said = page.evaluate("window.said")
            assert set(said) <= {"none", "opaque"}, said
            assert all("Data sets" not in frame.content() for frame in page.frames)
            context.close()
        assert visitor.get("/").status == 200
        kinds = [world.lines(kind) for kind in ("grant", "reserve", "inspect")]
    assert kinds == [1, 0, 0]


def test_a_name_that_points_here_by_rebinding_is_answered_nothing(chromium, tmp_path):  # noqa: F811
    World(tmp_path).choose()
    with studio(tmp_path) as visitor:
        browser = chromium.browser_type.launch(
            executable_path=program(chromium.browser_type),
            args=["--no-sandbox", "--disable-gpu", "--host-resolver-rules=MAP evil.test 127.0.0.1"],
        )
        context = browser.new_context()
        name, _, value = visitor.cookie.partition("=")
        evil = f"http://evil.test:{visitor.port}"
        context.add_cookies([{"name": name, "value": value, "url": evil}])
        page = context.new_page()
        reply = page.goto(f"{evil}/")
        assert reply.status == 421
        assert "visits" not in page.content()
        assert page.evaluate("fetch('/new').then(r => r.status)") == 421
        assert page.evaluate("fetch('/quit', {method: 'POST'}).then(r => r.status)") == 421
        browser.close()
        assert visitor.get("/").status == 200
