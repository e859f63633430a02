"""Where there is no browser, the tests of pages skip, say how to get one, and install nothing."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

HOME = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """One test of a page, where the only program on the path notes that it was called."""
    pytest.importorskip("playwright.sync_api")
    folder = tmp_path_factory.mktemp("bare")
    noted, browsers = folder / "noted", folder / "browsers"
    (folder / "bin").mkdir()
    browsers.mkdir()
    installer = folder / "bin" / "apt-get"
    installer.write_text(f'#!/bin/sh\necho "$@" >> "{noted}"\n')
    installer.chmod(0o755)
    kept = {name: value for name, value in os.environ.items() if name != "CHROMIUM"}
    world = kept | {
        "PATH": str(installer.parent),
        "PLAYWRIGHT_BROWSERS_PATH": str(browsers),
        "PLAYWRIGHT_DOWNLOAD_HOST": "http://127.0.0.1:9",  # nobody is there
    }
    test = "tests/browser/test_page_faults.py::test_a_clean_page_has_no_faults"
    pytest_ = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "-m",
        "",
        test,
    ]
    done = subprocess.run(pytest_, cwd=HOME, env=world, capture_output=True, text=True, check=False)
    return done, noted, browsers


def test_a_page_is_skipped_with_one_line_that_says_how_to_get_a_browser(run):
    done, _, _ = run
    lines = [line for line in done.stdout.splitlines() if line.startswith("SKIPPED")]
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(lines) == 1
    assert "apt-get install chromium" in lines[0]


def test_no_package_and_no_browser_is_installed(run):
    _, noted, browsers = run
    assert not noted.exists()
    assert not list(browsers.iterdir())
