"""The house rules that a machine can keep."""

import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

HOME = Path(__file__).parents[1]
SOURCES = sorted((HOME / "src").rglob("*.py"))
TESTS = sorted((HOME / "tests").rglob("*.py"))
PAPERS = sorted((HOME / "papers").rglob("*.py"))


def test_files_stay_small():
    lines = {path: len(path.read_text().splitlines()) for path in [*SOURCES, *TESTS, *PAPERS]}
    assert not {str(path.relative_to(HOME)): n for path, n in lines.items() if n > 400}


def test_no_module_is_named_for_nothing():
    vague = {"utils", "util", "common", "base", "config", "helpers", "misc"}
    assert not [path for path in [*SOURCES, *PAPERS] if path.stem in vague]


def test_the_private_side_draws_no_float_noise():
    """T1: `numpy.random` does not occur where records are seen or noise is made."""
    private = [p for p in SOURCES if {"measure", "privacy", "table"} & set(p.parts)]
    assert len(private) > 10
    drawing = re.compile(
        r"np\.random|numpy\.random|import random|default_rng|\.laplace\(|\.normal\("
    )
    assert not [path for path in private if drawing.search(path.read_text())]


def test_the_command_line_starts_in_a_moment():
    """Only light modules load for --help; the clock is judged leniently, the imports are not."""
    script = (
        "import sys; sys.argv = ['sfumato', '--help']\n"
        "from sfumato.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'pyarrow', 'pydantic', 'scipy', 'cryptography'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    start = os.times().children_user
    run = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert os.times().children_user - start < 4


def test_every_page_of_the_docs_speaks_only_of_the_project():
    pages = [*(HOME / "docs").rglob("*.md"), HOME / "README.md", HOME / "CHANGELOG.md"]
    private_places = re.compile(r"/(work|root|home)/")
    assert not [page for page in pages if private_places.search(page.read_text())]


def test_the_layers_can_be_held_in_mind_and_every_package_has_its_place():
    layers = import_module("site_hooks").layers
    found = layers.layers()
    packages = {path.stem for path in (HOME / "src" / "sfumato").iterdir() if path.stem[:2] != "__"}
    packages -= {"py"}  # py.typed
    assert len(found) <= 12
    assert {name for layer in found for name in layer} == packages | {"__main__"}
    assert all(rooms <= packages for rooms in layers.ROOMS.values())
