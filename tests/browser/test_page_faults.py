"""The browser checks bite: a clean page passes, and every fault is found by name."""

import re

import pytest

from browser.faults import chromium, page_faults  # noqa: F401  a fixture

pytestmark = pytest.mark.slow  # a browser takes its time

CLEAN = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>clean</title>
<style>:root { color-scheme: light dark; } EXTRA</style></head>
<body><main><h1>First</h1><h2>Second</h2><p>Words.</p>BODY</main></body></html>
"""
EXTRA = """
@media (prefers-color-scheme: dark) { #night { color: #333; background: #222; } }
@media print { h2 { display: none; } p { width: 1400px; } }
"""
BODY = """
<script>console.error("no"); nowhere()</script>
<img alt="a" src="http://127.0.0.1:9/a.png">
<div style="width:3000px">wide</div>
<p id="pale" style="color:#999;background:#fff">pale</p>
<p id="night">night</p>
<h5>Too deep</h5>
<svg role="img" viewBox="0 0 1 1"></svg>
"""
FAULTS = {
    "a console message": "console error: no",
    "a script that fails": "script error: nowhere",
    "a request": "request: http://127",
    "sideways scrolling on a phone": "375 px.*scrolls sideways",
    "pale text": "light: color-contrast.*pale",
    "text that is pale at night only": "dark: color-contrast.*night",
    "a heading out of order": "heading-order.*h5",
    "a picture without words": "svg-img-alt",
    "a heading that is not printed": "paper: heading is missing: Second",
    "a margin that cuts": "paper: wider than",
}


def faults_of(browser, folder, extra="", body=""):
    page = folder / "page.html"
    page.write_text(CLEAN.replace("EXTRA", extra).replace("BODY", body), encoding="utf-8")
    return page_faults(browser, page)


@pytest.fixture(scope="module")
def found(chromium, tmp_path_factory):  # noqa: F811
    return faults_of(chromium, tmp_path_factory.mktemp("bad"), EXTRA, BODY)


def test_a_clean_page_has_no_faults(chromium, tmp_path):  # noqa: F811
    assert faults_of(chromium, tmp_path) == []


@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault_is_found(found, fault):
    assert any(re.search(FAULTS[fault], text) for text in found), found


def test_what_is_pale_at_night_only_is_not_reported_by_day(found):
    assert not any("light: color-contrast" in text and "night" in text for text in found)
