"""The pictures of the guide's page on the studio: `python docs/hooks/studio_pictures.py`.

A studio is begun in an empty folder, the made-up clinic is taken, and its pages on columns and on
the promise are photographed in Chromium, 1,200 pixels wide.  It needs playwright and a Chromium:
the one of playwright, or the one that CHROMIUM names.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

FIGURES = Path(__file__).parents[1] / "guide" / "figures"
COLOURS = 64  # enough for a page, and a third of the size


def main() -> None:
    """Both pictures, written anew."""
    with tempfile.TemporaryDirectory() as home:
        words = [sys.executable, "-m", "sfumato", "studio", f"{home}/registry", "--no-browser"]
        alone = {**os.environ, "HOME": home, "PYTHONUNBUFFERED": "1"}
        for name in ("STATE", "DATA", "CONFIG"):
            alone[f"XDG_{name}_HOME"] = f"{home}/{name.lower()}"
        alone["XDG_RUNTIME_DIR"] = home
        alone.pop("SFUMATO_LEDGER", None)
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=alone) as studio:  # noqa: S603  our own
            try:
                _photograph(_opening(studio))
            finally:
                studio.terminate()


def _opening(studio: "subprocess.Popen[str]") -> Path:
    """The file that opens the studio, as it says itself."""
    for line in studio.stdout or ():
        if found := re.search(r"in your browser: (.+)", line):
            return Path(found[1])
    raise SystemExit("the studio did not start")


def _photograph(opening: Path) -> None:
    with sync_playwright() as play:
        browser = play.chromium.launch(
            executable_path=os.environ.get("CHROMIUM"), args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": 1200, "height": 900}, color_scheme="light")
        page.goto(opening.as_uri())
        page.get_by_role("button", name="Open the studio").click()
        page.get_by_role("button", name="Try with a made-up clinic").click()
        page.get_by_role("row", name="outcome").wait_for()
        _save(page, "studio-columns", "table.columns")
        page.get_by_role("button", name="Next").click()
        page.get_by_label("About how many").fill("2000")
        page.locator("table.foreseen").wait_for(timeout=60_000)
        page.get_by_role("heading", name="What is promised").click()  # no field has the focus
        _save(page, "studio-promise", "table.foreseen")
        browser.close()


def _save(page: Page, name: str, last: str) -> None:
    """The page from its top to the end of its table, in few colours."""
    path = FIGURES / f"{name}.png"
    end = page.locator(last).evaluate("table => table.getBoundingClientRect().bottom + scrollY")
    page.screenshot(path=path, full_page=True)
    with Image.open(path) as picture:
        cut = picture.convert("RGB").crop(
            (0, 0, picture.width, min(round(end) + 12, picture.height))
        )
        few = cut.quantize(COLOURS, dither=Image.Dither.NONE)
    few.save(path, optimize=True)
    sys.stdout.write(f"{path.name}: {path.stat().st_size:,} bytes\n")


if __name__ == "__main__":
    main()
