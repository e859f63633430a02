"""Reports in a real browser: on a phone, on a screen, by night and on paper."""

import pytest
from worlds import made

from browser.faults import chromium, page_faults  # noqa: F401  a fixture
from sfumato.cli.report import _method
from sfumato.report.html import report


@pytest.mark.parametrize("kind", ["table", "heuristic", "network", "stream"])
def test_the_page_has_no_faults(chromium, tmp_path, kind):  # noqa: F811
    release = made(kind)
    summary, reach = _method(release.certificate)
    page = tmp_path / "report.html"
    page.write_text(report(release, summary=summary, reach=reach), encoding="utf-8")
    assert page_faults(chromium, page) == []
