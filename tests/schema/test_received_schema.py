"""Schemas that somebody else wrote: refused by place and rule, in bounded time and memory."""

import os
import time

import pytest

from sfumato.errors import SchemaError
from sfumato.schema import Schema

HEAD = "name: t\ncolumns:\n  a:\n    kind: category\n    values: [x, y]\n    taxonomy:\n"
GROWING = "      a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"      {one}: &{one} [{', '.join([f'*{before}'] * 10)}]\n"
    for before, one in zip("abcdefgh", "bcdefghi", strict=True)
)
WHOLE = "name: t\ncolumns: {a: {kind: integer, low: 0, high: %s}}"
HOSTILE = {
    "aliases of aliases": (HEAD + GROWING, "more than 1,048,576 values"),
    "an alias of itself": (HEAD + "      - &q [*q, x]\n", "refers to itself"),
    "a merge of itself": ("&a\n<<: *a\n", "refers to itself"),
    "an alias of nothing": ("name: *gone", "undefined alias"),
    "many digits": (WHOLE % ("9" * 5000), "too many digits"),
    "many digits in JSON": (
        '{"name": "t", "columns": {"a": {"kind": "integer", "low": 0, "high": %s}}}' % ("9" * 5000),
        "too many digits",
    ),
    "no number": (WHOLE % ".nan", "high"),
    "an infinite number": (WHOLE % ".inf", "high"),
    "depth": ("[" * 2_000, "nested too deeply"),
    "depth in braces": ("{" * 2_000, "nested too deeply"),
    "depth in JSON": ('{"a": ' + "[" * 2_000, "nested too deeply"),
    "length": ("x: " + "y" * 2**22, "longer than"),
    "no such time": ("x: 2020-01-01 00:00:00 +99:99", "date that does not exist"),
    "an object": ("!!python/object/apply:os.system [ls]", "could not determine a constructor"),
}


@pytest.mark.parametrize("what", HOSTILE)
@pytest.mark.long
def test_hostile_yaml_is_refused_with_a_reason_at_once(what):
    text, reason = HOSTILE[what]
    start = time.process_time()
    with pytest.raises(SchemaError, match=reason):
        Schema.parse(text)
    assert time.process_time() - start < 5


def test_an_honest_alias_is_read():
    columns = "{a: {kind: category, values: &v [x, y]}, b: {kind: category, values: *v}}"
    text = f"name: t\ncolumns: {columns}"
    assert Schema.parse(text).columns["b"].values == ("x", "y")


def test_a_pipe_or_device_is_no_schema_and_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "s.yaml")
    for path in (tmp_path / "s.yaml", "/dev/zero"):
        with pytest.raises(SchemaError, match="not a plain file"):
            Schema.read(path)


def test_a_link_that_the_user_names_is_followed(tmp_path):
    (tmp_path / "s.yaml").write_text(WHOLE % 3)
    (tmp_path / "link.yaml").symlink_to("s.yaml")
    assert Schema.read(tmp_path / "link.yaml").name == "t"


def test_a_file_beyond_the_limit_is_refused_before_it_is_read(tmp_path):
    with (tmp_path / "s.yaml").open("wb") as file:
        file.truncate(2**40)  # a hole: no room is taken
    with pytest.raises(SchemaError, match="it has more than"):
        Schema.read(tmp_path / "s.yaml")
