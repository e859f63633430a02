"""Made-up schemas on which methods are audited: small ones, and ones with every kind of column.

>>> counted(LABELLED)["neighbours"], list(LABELLED["columns"])
('add-remove', ['smoker', 'sick'])
"""

from collections.abc import Mapping
from typing import Any

__all__ = [
    "CODED",
    "FLAT",
    "LABELLED",
    "LEVELS",
    "MANY",
    "MIXED",
    "NUMBERS",
    "ONE_BIT",
    "PERSONS",
    "PLAIN",
    "TARGET",
    "THREE",
    "TWO_FEATURES",
    "TWO_FILES",
    "TWO_LABELLED",
    "WITH_TARGET",
    "counted",
]


def _schema(**columns: Mapping[str, Any]) -> dict[str, Any]:
    return {"name": "audit", "columns": columns}


def _rich(**columns: Mapping[str, Any]) -> dict[str, Any]:
    return {**_schema(**columns), "grid_bits": 6}


def counted(schema: Mapping[str, Any]) -> dict[str, Any]:
    """With records that come and go: there some methods show more of their budget."""
    return {**schema, "neighbours": "add-remove"}


_BIT = {"kind": "boolean"}
_LABEL = {"kind": "boolean", "role": "label"}
_FEW = {"kind": "integer", "low": 0, "high": 4}
_SIZE = {"kind": "number", "low": -1, "high": 3}
_WIDE = {"kind": "integer", "low": 0, "high": 300}
_STEPS = {"kind": "number", "low": 0, "high": 2, "step": 0.5}
_WARD = {"kind": "category", "values": ["a", "b", "c"]}
_DAY = {"kind": "date", "low": "2020-01-01", "high": "2020-01-09"}
_GONE = {"missing": "allowed"}

ONE_BIT = _schema(smoker=_BIT)
TWO_FEATURES = _schema(level=_FEW, smoker=_BIT)
LABELLED = _schema(smoker=_BIT, sick=_LABEL)
TWO_LABELLED = _schema(level=_FEW, smoker=_BIT, sick=_LABEL)
WITH_TARGET = _schema(level=_FEW, smoker=_BIT, dose=_FEW | {"role": "target"})

_FEATURES: dict[str, Mapping[str, Any]] = {"size": _SIZE, "stage": _FEW, "ward": _WARD, "sex": _BIT}
MIXED = _rich(
    size=_WIDE,
    dose=_STEPS | _GONE,
    ward={**_WARD, "other": "else"},
    site={"kind": "category", "values": ["x", "y"], **_GONE},
    seen=_DAY,
    sick=_LABEL,
)
PLAIN = _rich(**_FEATURES, sick=_LABEL)
THREE = _rich(**_FEATURES, grade=_WARD | {"role": "label"})
LEVELS = _rich(size=_SIZE, stage=_FEW, ward=_WARD, unit=_WARD, kind=_WARD, sex=_BIT)
NUMBERS = _rich(size=_SIZE, dose=_STEPS, stage=_FEW, age=_WIDE)
TARGET = _rich(**_FEATURES, cost=_WIDE | {"role": "target"})
MANY = _rich(**{f"mark{k}": _BIT for k in range(14)}, size=_SIZE, ward=_WARD, sick=_BIT, stage=_FEW)
CODED = {**_schema(size=_SIZE | _GONE, sick=_LABEL), "grid_bits": 9}
FLAT = _rich(ward=_WARD, stage=_FEW)

_OF_PERSON = {"per": "person"}
_VISITS = _rich(
    patient={"kind": "id"},
    sex=_BIT | _OF_PERSON,
    born=_WIDE | _OF_PERSON | _GONE,
    stage=_FEW,
    size=_SIZE | _GONE,
    ward={**_WARD, "other": "else"},
    sick=_LABEL,
)
# Three rows of a person are kept: a person with more is soon made up.
PERSONS = {**_VISITS, "person": "patient", "order": "stage", "rows_per_person": 3}
TWO_FILES = {
    **_VISITS,
    "tables": {"persons": {"key": "patient"}, "events": {"person": "patient", "order": "stage"}},
    "rows_per_person": 3,
}
