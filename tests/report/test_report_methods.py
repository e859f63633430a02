"""Every registered method has a page, and the page says what the method says of itself."""

import pyarrow as pa
import pytest
from worlds import made

import sfumato as sf
from cli.accuracy_runner import run
from contract.cases import CASES, ROWS
from neighbours import table
from sfumato.privacy.guarantee import Heuristic
from sfumato.report.html import html_page
from sfumato.report.model import page
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


def _components(method):
    columns = {name: {"kind": "integer", "low": 0, "high": 9} for name in ("age", "dose")}
    data = pa.table({"age": [1, 2, 3], "dose": [4, 5, 6]})
    return sf.publish(data, schema={"name": "t", "columns": columns}, method=method, epsilon=1)


def _never_falling():
    return sf.publish_stream([1, 0] * 8, horizon=16, epsilon=1, smooth="monotone")


@pytest.mark.parametrize(
    ("release", "taken"),
    [
        (lambda: _components("lap-pca"), True),
        (lambda: _components("pca-gauss"), False),
        (lambda: made("network"), True),
        (lambda: made("counts"), True),
        (lambda: made("stream"), True),
        (_never_falling, True),
        (lambda: made("mean"), False),
    ],
)
def test_accuracy_is_offered_where_it_answers_and_nowhere_else(release, taken, tmp_path):
    release().save(tmp_path / "r")
    offered = [command for command, _ in page(sf.Release.load(tmp_path / "r")).commands]
    assert any(command.startswith("sfumato accuracy") for command in offered) == taken
    assert (run(tmp_path / "r").exit_code == 0) == taken
