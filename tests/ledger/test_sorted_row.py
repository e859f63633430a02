"""The quick way to write a line for its hash, against the plain one."""

import json
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger_world import ABOUT, PLAN, lines_in
from sfumato.ledger import Ledger
from sfumato.ledger.chain import TOLD, LedgerLine, hash_of, hashed, written
from sfumato.ledger.sorted_row import Shape
from sfumato.privacy.guarantee import PureDP

texts = st.text() | st.sampled_from(["", '"', "\\", "%d", "{}", "\u2028", "\x00", "\U0001f600"])
ints = st.integers() | st.sampled_from([0, -1, 2**62, 2**63 - 1])
maybe = st.none() | texts
KINDS = {int: ints, str: texts, str | None: maybe}
lines = st.builds(
    LedgerLine, **{name: KINDS[kind] for name, kind in LedgerLine.__annotations__.items()}
).map(
    lambda line: line._replace(
        fingerprint=line.fingerprint and line.fingerprint.encode().hex(),
        veil=line.veil and (TOLD if line.veil < "A" else line.veil.encode().hex()),
    )
)


def plainly(line):
    return sha256(written(hashed(line)).encode("ascii")).hexdigest()


@given(st.lists(lines, min_size=1, max_size=20))
def test_whatever_a_line_holds_its_hash_is_that_of_its_plain_json(found):
    for line in found:
        assert hash_of(line) == plainly(line)


@given(lines, st.sampled_from(LedgerLine._fields), st.sampled_from([True, 1.5, 1.0, "1", 1, None]))
def test_a_column_of_another_type_never_has_the_hash_of_the_right_one(line, name, other):
    changed = line._replace(**{name: other})
    if name not in ("veil", "fingerprint"):
        assert hash_of(changed) == plainly(changed)
    if name.startswith(("micro", "granted", "spent", "releases", "clock")):
        right = line._replace(**{name: 1})
        assert (hash_of(changed) == hash_of(right)) == (type(other) is int)


@pytest.mark.parametrize("column", ["clock", "detail", "who"])
def test_what_json_cannot_write_has_no_hash(column, tmp_path):
    with Ledger.create(tmp_path / "budget.db") as ledger:
        line, stored = lines_in(ledger)[0]
    assert hash_of(line) == stored
    with pytest.raises(TypeError):
        hash_of(line._replace(**{column: b"\x00"}))


def test_the_lines_of_a_ledger_have_the_hashes_of_their_plain_json(tmp_path):
    with Ledger.create(tmp_path / "budget.db") as ledger:
        ledger.grant("adult", PureDP(3), reason="ein Grund: ärztlich")
        for release in ("a", "b"):
            ledger.reserve(release, "adult", PureDP(1), plan=PLAN, protects=ABOUT)
            ledger.draw(release, b"1" * 16)
        found = lines_in(ledger)
    assert [stored for _, stored in found] == [plainly(line) for line, _ in found]


@given(st.dictionaries(st.text(), st.none() | ints | texts), st.data())
def test_a_shape_writes_what_json_writes(row, data):
    names = data.draw(st.permutations(list(row)))
    values = [row[name] for name in names]
    shape = Shape.of(row, names)
    plain = json.dumps(row, sort_keys=True, separators=(",", ":"))
    assert shape.written(values) == plain


@pytest.mark.parametrize("value", [True, 1.5, b"x", [1], {}])
def test_a_row_with_anything_else_has_no_shape(value):
    assert Shape.of({"a": 1, "b": value}, ("a", "b")) is None
