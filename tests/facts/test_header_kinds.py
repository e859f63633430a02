"""What a header says of kinds, and the refusal where it says nothing."""

import pyarrow as pa
import pytest

from sfumato.errors import DataError
from sfumato.facts.kinds import kinds_of
from sfumato.table.source import open_source


@pytest.mark.parametrize(
    ("written", "told"),
    [
        (None, "the header does not say of what kind any column is"),
        (pa.list_(pa.int64()), "the header does not say of what kind column b is"),
    ],
)
def test_kinds_that_the_header_does_not_say_are_asked_for(tmp_path, written, told):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n")
    stored = pa.table({"a": [1], "b": pa.array([[2]], written)}) if written else path
    with pytest.raises(DataError, match=told) as refusal:
        kinds_of(open_source(stored), "t")
    assert "sfumato schema wizard" in str(refusal.value)
