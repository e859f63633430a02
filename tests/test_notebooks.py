"""The notebooks run from beginning to end, and are kept without what they showed."""

import ast
import json
import re

import pytest

from site_hooks import HOME
from slowness import slow_but

NOTEBOOKS = sorted((HOME / "docs" / "notebooks").glob("*.ipynb"))
DEEP = re.compile(r"^\s*(?:from|import) sfumato\.", re.M)


def cells(path, kind):
    found = json.loads(path.read_text("utf-8"))["cells"]
    return [cell for cell in found if cell["cell_type"] == kind]


def run(source, names):
    """The value of the last expression, as a kernel would show it."""
    body = ast.parse(source).body
    last = body.pop() if isinstance(body[-1], ast.Expr) else None
    exec(compile(ast.Module(body, []), "<cell>", "exec"), names)
    if last is None:
        return None
    return eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)


def test_there_are_three():
    assert [path.stem for path in NOTEBOOKS] == [
        "first_release",
        "receive_a_release",
        "several_releases",
    ]


@pytest.mark.slow
@pytest.mark.parametrize("path", slow_but(NOTEBOOKS[:1], NOTEBOOKS), ids=lambda path: path.stem)
def test_a_notebook_runs_from_beginning_to_end(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    names, shown = {}, []
    for cell in cells(path, "code"):
        value = run("".join(cell["source"]), names)
        shown.append(value._repr_html_() if hasattr(value, "_repr_html_") else repr(value))
    assert sum(text.startswith("<div><strong>") for text in shown) >= 3
    # What only the owner may see says so in its first line.
    internal = [text for text in shown if text.startswith("<div><strong>INTERNAL: computed")]
    seen = [word for word in ("Exposed records", "Recommended") if word in "".join(internal)]
    assert len(internal) == len(seen) == (2 if path.stem == "several_releases" else 0)
    names["ledger"].close() if "ledger" in names else None


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_that_needs_pandas_says_so_first(path):
    needed = any("pandas" in "".join(cell["source"]) for cell in cells(path, "code"))
    said = "needs pandas" in "".join(cells(path, "markdown")[0]["source"])
    assert said == needed


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_without_outputs_and_uses_the_front_door(path):
    content = json.loads(path.read_text("utf-8"))
    assert (content["nbformat"], content["nbformat_minor"]) == (4, 5)
    ids = [cell["id"] for cell in content["cells"]]
    assert len(set(ids)) == len(ids)
    for cell in cells(path, "code"):
        assert cell["outputs"] == []
        assert cell["execution_count"] is None
        assert not DEEP.search("".join(cell["source"]))
    assert "".join(cells(path, "markdown")[0]["source"]).startswith("# ")
