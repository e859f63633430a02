"""What a release keeps of each group."""

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.example import CLINIC, clinic
from sfumato.inspection.grouped import by_group
from sfumato.inspection.overview import inspect
from sfumato.schema.domain import Domain

COLUMNS = {
    "sex": {"kind": "category", "values": ["f", "m"], "role": "group"},
    "age": {"kind": "integer", "low": 0, "high": 99, "role": "group", "missing": "allowed"},
    "ill": {"kind": "boolean"},
}
DOMAIN = Domain.of(sf.Schema.of({"name": "t", "columns": COLUMNS}))


def table(flipped=None):
    sex = np.tile(["f", "m"], 100)
    ill = np.arange(200) % 4 < 2
    if flipped:
        ill = np.where(sex == flipped, True, ill)
    return pa.table({"sex": sex, "age": np.arange(200) // 2, "ill": ill})


def test_a_release_that_is_wrong_for_one_group_shows_there_and_nowhere_else():
    found = {kept.group: kept for kept in by_group(table("m"), table(), DOMAIN)}
    assert found["f"].distance == 0
    assert found["m"].distance == pytest.approx(0.25)  # half of one column of two
    assert found["m"].worst == "ill 0.500"
    assert (found["m"].records, found["m"].rows, found["m"].share_after) == (100, 100, 0.5)


def test_numbers_are_grouped_by_quarters_and_tiny_groups_are_not_scored():
    kept = [each for each in by_group(table(), table(), DOMAIN) if each.column == "age"]
    assert [each.group for each in kept] == [
        *(f"quarter {k} of its range" for k in (1, 2, 3, 4)),
        "(missing)",
    ]
    assert [each.records for each in kept] == [50, 50, 50, 50, 0]
    assert kept[-1].distance is None


def test_inspect_has_a_section_by_group_where_the_schema_marks_one():
    marked = CLINIC.replace("[female, male]", "[female, male], role: group")
    patients = clinic(300)
    release = sf.publish(patients, schema=sf.Schema.parse(marked), epsilon=1, seed=1)
    section = next(s for s in inspect(release, patients).sections if s.title == "By group")
    assert [line.what for line in section.lines] == ["sex: female", "sex: male"]
    assert "of the records" in section.lines[0].meaning
