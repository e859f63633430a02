"""What a stranger copies from the pages comes from the front door: `import sfumato as sf`."""

import inspect
import re
import subprocess
import sys
from importlib import import_module

import pytest

import sfumato as sf
from site_hooks import HOME, reference

PAGES = [
    HOME / "README.md",
    HOME / "docs" / "index.md",
    *sorted((HOME / "docs" / "guide").glob("*.md")),
    *sorted((HOME / "examples").glob("*.py")),
]
DEEP = re.compile(r"^\s*(?:>>> |\.\.\. )?(?:from|import) sfumato\.\S+.*", re.M)
USED = re.compile(r"\bsf((?:\.\w+)+)")


@pytest.mark.parametrize("line", ["from sfumato.ledger import Ledger", ">>> import sfumato.schema"])
def test_a_deep_import_is_seen(line):
    assert DEEP.findall(f"text\n{line}\n")


def test_no_page_and_no_example_imports_from_inside_the_package():
    assert len(PAGES) > 30
    found = {page.name: DEEP.findall(page.read_text("utf-8")) for page in PAGES}
    assert not {page: lines for page, lines in found.items() if lines}


def public(names):
    """Whether each name of the chain is offered by the one before it."""
    thing = sf
    for name in names:
        offered = [*getattr(thing, "__all__", ()), *_packages(thing)]
        if name not in offered:
            return False
        thing = getattr(thing, name)
        if not inspect.ismodule(thing):
            return True
    return True


def _packages(module):
    """Packages within this one that have a page of their own in the reference."""
    inside = f"{module.__name__}."
    return [name.removeprefix(inside) for name in reference.MODULES if name.startswith(inside)]


def test_every_name_on_the_pages_is_public():
    chains = {
        tuple(chain.split(".")[1:])
        for page in PAGES
        for chain in USED.findall(page.read_text("utf-8"))
    }
    assert len(chains) > 40
    assert not [chain for chain in chains if not public(chain)]
    assert not public(["inspection", "attack", "rebuild"])
    assert not public(["schema"])


@pytest.mark.slow
def test_names_of_the_root_do_not_depend_on_what_was_imported_before():
    """A submodule sets an attribute on its package: none may shadow a public name."""
    script = (
        "import pkgutil, importlib, sys, sfumato as sf\n"
        "first = {name: getattr(sf, name) for name in sf.__all__}\n"
        "for found in pkgutil.walk_packages(sf.__path__, 'sfumato.'):\n"
        "    if not found.name.endswith('__main__'): importlib.import_module(found.name)\n"
        "assert all(getattr(sf, name) is thing for name, thing in first.items())\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr


def test_all_that_a_package_offers_is_there():
    for name in reference.MODULES:
        module = import_module(name)
        assert not [each for each in module.__all__ if not hasattr(module, each)], name
