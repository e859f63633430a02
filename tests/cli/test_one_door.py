"""Whatever a command prints goes through `screen`: read off the source, and tried on names."""

import ast
from pathlib import Path

import pytest

import sfumato.cli

HERE = Path(sfumato.cli.__file__).parent
DOORS = {"screen.py"}  # the one that knows rich
PRINTING = {"print", "echo", "secho", "write", "pprint", "print_exc", "print_exception"}
FOREIGN = {"rich", "click", "logging", "traceback", "warnings"}


def prints(source):
    """What a module does that would reach a terminal past the door."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found += [name.name for name in node.names if name.name.split(".")[0] in FOREIGN]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in FOREIGN:
            found += [f"{node.module}.{name.name}" for name in node.names]
        elif isinstance(node, ast.Call):
            called = node.func
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            owner = getattr(getattr(called, "value", None), "id", "")
            # A file of the command's own is written by its own name; what else is written prints.
            if name in PRINTING and not (name == "write" and owner == "file"):
                found.append(name)
        elif isinstance(node, ast.Attribute) and node.attr in ("stdout", "stderr"):
            found.append(node.attr)
    return found


ALLOWED = {
    # Where the frames of an unforeseen error are, without its text; and how letters are written.
    "__init__.py": ["traceback.extract_tb", "stdout", "stderr"],
}


@pytest.mark.parametrize("path", sorted(HERE.glob("*.py")), ids=lambda path: path.name)
def test_no_command_prints_past_the_door(path):
    if path.name not in DOORS:
        assert prints(path.read_text()) == ALLOWED.get(path.name, [])


@pytest.mark.parametrize(
    "source",
    [
        "print('x')",
        "typer.echo('x')",
        "typer.secho('x')",
        "from rich.console import Console",
        "import rich",
        "import sys\nsys.stdout.write('x')",
        "console.print('[red]x')",
        "import logging",
        "from traceback import print_exc",
    ],
)
def test_the_reading_of_source_sees_each_way_past_it(source):
    assert prints(source)


def test_the_door_takes_no_text_for_markup():
    """Both doors build texts; neither hands a string of ours to a reader of markup."""
    for name in DOORS:
        source = (HERE / name).read_text()
        assert "from_markup" not in source
        assert "markup=True" not in source
