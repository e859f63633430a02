"""Every registered method has a page, and the page says what the method says of itself."""

import pytest

import sfumato as sf
from contract.cases import CASES, ROWS
from neighbours import table
from sfumato.privacy.guarantee import Heuristic
from sfumato.report.html import html_page
from slowness import slow_but

EACH = {case.method: case for case in CASES}
KEPT = [EACH[name] for name in ("modips", "additive", "diffgen")]


@pytest.mark.parametrize("case", slow_but(KEPT, EACH.values()), ids=str)
def test_every_method_has_a_page(case):
    release = sf.publish(table(ROWS * 15), schema=case.schema, method=case.method, **case.asked)
    text = html_page(release)
    assert len(text.encode()) < 1_000_000
    assert (f"<code>{case.method}</code>") in text
    assert ("Nothing is promised" in text) == isinstance(release.guarantee, Heuristic)
    assert ("states no interval" in text) != ("confidence 95 % by itself" in text)
    for limit in release.certificate.limits:
        assert limit.split(":")[0].split("'")[0] in text
