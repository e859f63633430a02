"""Reports in a real browser: on a phone, on a screen, by night and on paper."""

import pytest
from worlds import made

from browser.faults import chromium, page_faults  # noqa: F401  a fixture
from sfumato.publishing.page import report_page


@pytest.mark.slow  # as all that needs a browser
@pytest.mark.parametrize("kind", ["table", "heuristic", "network", "stream"])
def test_the_page_has_no_faults(chromium, tmp_path, kind):  # noqa: F811
    release = made(kind)
    page = tmp_path / "report.html"
    page.write_bytes(report_page(release))
    assert page_faults(chromium, page) == []
