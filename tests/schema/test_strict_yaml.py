"""Reading YAML and JSON without silent choices."""

import pytest

from sfumato.errors import SchemaError
from sfumato.schema.strict_yaml import load


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("a: 1\nb: [x, 2]", {"a": 1, "b": ["x", 2]}),
        ('{"a": 1,\n\t"b": "\\ud83d\\ude00"}', {"a": 1, "b": "😀"}),
        ("{a: 1, b: two}", {"a": 1, "b": "two"}),
        ("", None),
        (
            "a: [0, -7, +3, 07, 00, 1:30, 0x1F, 1_000]",
            {"a": [0, -7, 3, "07", "00", "1:30", "0x1F", "1_000"]},
        ),
        (
            "base: &b {c: 1, d: 2}\nx: {<<: *b, d: 3}",
            {"base": {"c": 1, "d": 2}, "x": {"c": 1, "d": 3}},
        ),
    ],
)
def test_what_is_written_is_what_is_read(text, content):
    assert load(text, where="s") == content


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ("a: 1\na: 2", "s, line 2: a is declared twice: keep one"),
        ('a: 1\n"a": 2', "s, line 2: a is declared twice: keep one"),
        ("x:\n  a: 1\n  b: 2\n  a: 1", "s, line 4: a is declared twice: keep one"),
        ('{"x": {"a": 1, "a": 1}}', "s: a is declared twice: keep one"),
        ("{x: {a: 1, a: 1}}", "s, line 1: a is declared twice: keep one"),
        ("a: 2020-02-30", "s: a date that does not exist: correct or quote it"),
        ("? [1]\n: 2", "s, line 1: found unhashable key"),
        ("a: !!python/object:os.system {}", "s, line 1: could not determine a constructor"),
        ("a: [1", "s, line 1: expected ',' or ']'"),
        ("a: \x00", "s: not valid YAML"),
        ("[" * 1200, "s: nested too deeply"),
        ('{"a":' * 3000 + "1" + "}" * 3000, "s: nested too deeply"),
    ],
)
def test_what_cannot_be_read_in_one_way_only_is_refused(text, refusal):
    with pytest.raises(SchemaError) as caught:
        load(text, where="s")
    assert str(caught.value).startswith(refusal)
    assert "\n" not in str(caught.value)


@pytest.mark.long
def test_ten_thousand_columns_are_read_in_a_moment():
    text = "\n".join(f"c{i}: 1" for i in range(10_000))
    assert len(load(text, where="s")) == 10_000
