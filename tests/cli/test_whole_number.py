"""Whole numbers on the command line: 4.000 is four thousand to many, and 4 to none."""

from typing import get_args, get_origin, get_type_hints

import pytest
import typer
from typer.testing import CliRunner

from sfumato.cli import app
from sfumato.cli.whole_number import integer


def options(group, path=()):
    """Every option and argument of every command, with its annotation."""
    for below in group.registered_groups:
        yield from options(below.typer_instance, (*path, below.name or ""))
    for command in group.registered_commands:
        hints = get_type_hints(command.callback, include_extras=True)
        for name, hint in hints.items():
            if name != "return":
                yield " ".join((*path, command.name or "", name)), hint


def is_whole(hint):
    kind = get_args(hint)[0] if hasattr(hint, "__metadata__") else hint
    return kind is int or (get_origin(kind) is not None and int in get_args(kind))


WHOLE = {name: hint for name, hint in options(app) if is_whole(hint)}


def test_every_whole_number_is_read_by_the_same_rule():
    assert len(WHOLE) > 20
    assert {name for name, hint in WHOLE.items() if hint.__metadata__[0].parser is not integer} == (
        set()
    )


@pytest.mark.parametrize("text", ["4.000", "4_000", "4,000", "4 000", "٤", "1e3", "", "9" * 5_000])
def test_what_is_not_digits_alone_is_refused(text):
    with pytest.raises(typer.BadParameter, match="digits alone, such as 4000"):
        integer(text)


def test_a_command_says_so_and_takes_nothing_else_for_it(tmp_path):
    schema = tmp_path / "s.yaml"
    schema.write_text("{name: t, columns: {smoker: {kind: boolean}}}")
    words = ["forecast", "--schema", str(schema), "--epsilon", "1", "--records"]
    refused, done = (CliRunner().invoke(app, [*words, text]) for text in ("4.000", "4000"))
    assert (refused.exit_code, done.exit_code) == (2, 0)
    assert "digits alone" in " ".join(refused.output.split())
    assert "4,000 records" in done.output
