"""A person as the unit: frozen noise sees every seeded fault, and nothing where there is none.

Frozen noise leaves nothing to chance but the samples of the samplers, whose false alarms have
a chance of at most 1e-6 in each setting.
"""

import pytest
from person_faults import FAULTS, GAUSS, PURE

from sfumato.errors import SchemaError
from sfumato.inspection.audit import audit
from sfumato.inspection.audit.auditing import larger
from sfumato.inspection.audit.scrutiny import Effort, scrutinise, unseen
from sfumato.inspection.audit.settings import case, settings
from sfumato.methods import METHODS
from sfumato.plan.made_up import PERSONS, TWO_FILES
from sfumato.privacy.budget import budget
from sfumato.privacy.randomness import SeededBits
from sfumato.schema import Schema
from slowness import in_turn, slow

METHOD = METHODS["mosaic"]
OF_PERSONS = [one for one in settings(case(METHOD)) if Schema.of(one.schema).people is not None]
CLAIMS = (PURE, GAUSS, {"epsilon": "1", "delta": "1e-6"})
EVERY = {"tables of next rows", "tables of other rows", "tables of steps", "two-way tables"}
FEW = {"one-way tables", "columns that stay the same"}


def scrutinies(claim, effort, some=OF_PERSONS):
    stated = budget(**claim)
    how = Effort(effort, 0, SeededBits(0), lambda *_: None)
    return scrutinise(METHOD, (stated, larger(stated)), some, {}, how)


def test_persons_of_one_file_and_of_two_are_audited():
    assert [one.schema for one in OF_PERSONS] == [PERSONS, TWO_FILES, PERSONS]


@pytest.mark.long
@pytest.mark.parametrize(
    "fault",
    [fault if k < 2 else slow(fault) for k, fault in enumerate(FAULTS)],
    ids=[f"{fault.name}-{next(iter(fault.claim))}" for fault in FAULTS],
)
def test_a_seeded_fault_is_seen(fault, monkeypatch):
    fault.seed(monkeypatch)
    found = (part for part in scrutinies(fault.claim, 40) if part.violations)
    assert next(found, None) is not None


def nothing_is_seen(found):
    assert [part.violations for part in found if part.violations] == []
    assert all(one.ratio <= 1 + 1e-9 for part in found for one in part.measured)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("claim", "some"),
    # Each claim and each setting, whatever the turn.
    in_turn(3, [(CLAIMS[k], OF_PERSONS[(k + turn) % 3]) for k in range(3) for turn in range(3)]),
    ids=str,
)
def test_nothing_is_seen_where_nothing_is_seeded_and_every_measurement_could_be(claim, some):
    found = list(scrutinies(claim, 40, [some]))
    assert len(found) == 2
    nothing_is_seen(found)
    wanted = FEW if some is OF_PERSONS[-1] else EVERY
    assert {one.name for part in found for one in part.measured} >= wanted
    assert not wanted & set(unseen(found))
    # All tables of a purchase together move as far as they claim: none is paid for twice.
    assert all(max(m.ratio for m in part.measured) > 1 - 1e-9 for part in found)


@pytest.mark.long
def test_the_audit_of_a_schema_of_persons_says_by_how_many_rows_tables_differ():
    small = {
        "name": "t",
        "person": "id",
        "neighbours": "add-remove",
        "rows_per_person": 2,
        "columns": {"id": {"kind": "id"}, "ill": {"kind": "boolean"}},
    }
    found = audit("mosaic", schema=small, epsilon=3, runs=60, effort=0, seed=1, progress=False)
    assert not found.caught
    assert found.worst == pytest.approx(1)
    assert found.pair[0] == "(no such record)"
    assert "rows more" in found.pair[1]


def test_a_method_of_rows_refuses_a_schema_of_persons_by_name():
    with pytest.raises(SchemaError, match="modips measures each row as a unit of its own"):
        audit("modips", schema=PERSONS, epsilon=1, runs=20, effort=0)
