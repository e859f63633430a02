"""The studio: seconds until it answers, milliseconds to the first byte of a page, bytes of a page.

A studio of its own runs as a process; its pages are asked for one after the other over HTTP, with
a ledger of some hundred lines. The goals: up in 1.5 s, first byte in 50 ms for 95 of 100 pages;
for a table of 200 columns 150 ms, and 150 kB with style and script; stopped within 2 s. On the page
of the promise the sentence comes at once and the errors of 8 columns in 1.5 s; other pages stay as
quick while errors of 200 columns are computed.

    python benchmarks/studio.py [--repeats 100]
"""

import argparse
import http.client
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from sfumato.ledger import Ledger
from sfumato.privacy.guarantee import PureDP

COMMAND = "from sfumato.cli import main; main()"
WIDE = [f"laboratory_value_{k}" for k in range(200)]
LOOKS = 300


class Browser:
    """One that keeps its cookie and a clock."""

    def __init__(self, address: str, opening: Path) -> None:
        self.place = urlsplit(address).netloc
        token = opening.read_text().partition("token=")[2].partition('"')[0]
        self.cookie = ""
        _, _, reply = self.ask("/open", {"token": token})
        self.cookie = reply.getheader("set-cookie").partition(";")[0]

    def ask(self, path, form=None):
        """Seconds to the first byte, the body, the reply."""
        connection = http.client.HTTPConnection(self.place, timeout=20)
        verb, body = ("GET", None) if form is None else ("POST", urlencode(form))
        headers = {"Cookie": self.cookie, "Sec-Fetch-Site": "same-origin"}
        headers |= {} if form is None else {"Content-Type": "application/x-www-form-urlencoded"}
        begun = time.perf_counter()
        connection.request(verb, path, body, headers)
        reply = connection.getresponse()
        first = time.perf_counter() - begun
        found = reply.read()
        connection.close()
        return first, found, reply


def prepared(folder: Path) -> None:
    (folder / "data").mkdir()
    (folder / "data" / "wide.csv").write_text(",".join(WIDE) + "\n")
    with Ledger.create(folder / "budget.db") as ledger:
        ledger.grant("wide", epsilon=3, reason="benchmark")
        ledger.reserve("r", "wide", PureDP(1), plan="c0ffee00", protects="one record")
        for k in range(LOOKS):
            ledger.inspect("wide", what=f"look {k}")


def declared() -> dict[str, str]:
    fields = {"do": "check", "known": "law", "source": "benchmark", "unread": "on"}
    for k in range(len(WIDE)):
        fields |= {f"k{k}": "number", f"f{k}": "0..100 by 0.1", f"m{k}": "on"}
    return fields


def mark(browser: Browser, name: str) -> dict[str, str]:
    """What the page of the columns hides in its form."""
    text = browser.ask(f"/d/{name}/schema")[1].decode()
    return {"columns": re.search('name="columns" value="([0-9a-f]+)"', text)[1]}


def measured(browser: Browser, repeats: int) -> None:
    browser.ask("/example", {})
    answers = {"file": "wide.csv", "header": "yes", "unit": "one", "held": "secret"}
    browser.ask("/new", answers)
    browser.ask("/d/wide/schema", declared() | mark(browser, "wide"))
    beside = sum(len(browser.ask(f"/static/studio.{kind}")[1]) for kind in ("css", "js"))
    pages = ("/", "/new", "/d/made-up-clinic/schema", "/d/made-up-clinic/schema?check=1")
    for path in (*pages, "/d/wide/schema", "/d/wide/schema?check=1"):
        found = [browser.ask(path) for _ in range(repeats)]
        times = sorted(1000 * first for first, _, _ in found)
        size = (len(found[0][1]) + beside) / 1000
        low, high = times[len(times) // 2], times[int(0.95 * (len(times) - 1))]
        print(f"{path:36} first byte {low:6.1f} ms, p95 {high:6.1f} ms; {size:6.1f} kB with style")


def promised(browser: Browser, name: str, declared: dict[str, str], repeats: int) -> None:
    """The page of the promise: sentence, table, and the start page while a table is made."""
    browser.ask(f"/d/{name}/schema", declared | mark(browser, name) | {"do": "next"})
    browser.ask(f"/d/{name}/budget")  # loads the methods
    sentence, table, start = [], [], []
    for k in range(repeats):
        path = f"/d/{name}/budget?records=5000&epsilon={1 + k / 100:g}"
        begun = time.perf_counter()
        first, found, _ = browser.ask(path)
        sentence.append(1000 * first)
        while b'class="cards foreseen"' not in found:
            start.append(1000 * browser.ask("/")[0])
            time.sleep(0.1)
            _, found, _ = browser.ask(path)
        table.append(time.perf_counter() - begun)
    print(
        f"promise of {name}: sentence p95 {p95(sentence):.1f} ms; table p95 {p95(table):.2f} s; "
        f"the start page meanwhile p95 {p95(start):.1f} ms; {len(found) / 1000:.1f} kB"
    )


def p95(found: list[float]) -> float:
    """What 95 of 100 are not slower than."""
    return sorted(found)[int(0.95 * (len(found) - 1))] if found else 0.0


def clinic(browser: Browser) -> dict[str, str]:
    """The fields of the made-up clinic as they stand on its page."""
    text = browser.ask("/d/made-up-clinic/schema")[1].decode()
    kinds = re.findall(r"<select name=(k\d+).*?<option value=(\w+) selected", text)
    facts = re.findall(r'<input name=(f\d+)(?: value="(.*?)")?', text)
    missing = re.findall(r"name=(m\d+) checked", text)
    said = {"known": "other", "source": "made up", "unread": "on", "y": "8"}
    return {**said, **dict(kinds), **dict(facts), **dict.fromkeys(missing, "on")}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=100)
    repeats = parser.parse_args().repeats
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        prepared(folder)
        begun = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-c", COMMAND, "studio", place, "--no-browser"],
            stdout=subprocess.PIPE,
            text=True,
        )
        address, opening = (process.stdout.readline().rpartition(" ")[2].strip() for _ in range(2))
        browser = Browser(address, Path(opening))
        browser.ask("/")
        print(f"up, with its first page: {time.perf_counter() - begun:.2f} s")
        measured(browser, repeats)
        promised(browser, "made-up-clinic", clinic(browser), min(repeats, 20))
        promised(browser, "wide", declared(), min(repeats, 4))
        begun = time.perf_counter()
        browser.ask("/quit", {})
        process.wait(10)
        print(f"stopped: {time.perf_counter() - begun:.2f} s")


if __name__ == "__main__":
    main()
