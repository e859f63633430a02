"""Whole numbers on the command line: 4.000 is four thousand to many, and 4 to none."""

from typing import get_args, get_origin, get_type_hints

import pytest
import typer
from typer.testing import CliRunner

from sfumato.cli import app
from sfumato.cli.whole_number import integer
from sfumato.errors import ParameterError


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


@pytest.mark.parametrize(
    "text", ["4.000", "+4", "4_000", "4,000", "4 000", "٤", "1e3", "", "9" * 5_000]
)
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


@pytest.mark.parametrize(
    "words",
    [
        ("stream", "count", "bits.txt", "--horizon=1_0", "--epsilon=1", "-o", "out"),
        ("stream", "count", "bits.txt", "--horizon=٣٣", "--epsilon=1", "-o", "out"),
        ("stream", "count", "bits.txt", "--horizon=10", "--every=+5", "--epsilon=1", "-o", "out"),
        ("stream", "mean", "bits.txt", "--times=1,1_0", "--sigma=.3", "--epsilon=1", "-o", "out"),
        ("stream", "mean", "bits.txt", "--times=10", "--size=1_0", "--epsilon=1", "-o", "out"),
        ("publish", "t.csv", "--schema=s.yaml", "--option", "records=1_0", "--epsilon=1"),
        ("publish", "t.csv", "--schema=s.yaml", "--epsilon=1_0"),
        ("publish", "t.csv", "--schema=s.yaml", "--epsilon=٣"),
    ],
    ids=lambda words: " ".join(words[:5]),
)
def test_numbers_of_methods_and_streams_are_read_by_that_rule_too(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.yaml").write_text("{name: t, columns: {smoker: {kind: boolean}}}")
    (tmp_path / "t.csv").write_text("smoker\n" + "true\nfalse\n" * 8)
    (tmp_path / "bits.txt").write_text("01" * 5)
    output = () if "-o" in words else ("-o", "out")
    found = CliRunner().invoke(app, [*words, *output, "--seed=1"])
    assert found.exit_code
    assert isinstance(found.exception, ParameterError), found.output
    assert " must be " in str(found.exception)
    assert not (tmp_path / "out").exists()
