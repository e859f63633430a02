"""Rich tables and options on which noise is frozen: every kind of column, every branch.

The small table of a case shows most of a budget in a few numbers; a fault in what it does not
have (a third level, a missing value, a second component, a ball) shows only here.

>>> [setting.name for setting in SETTINGS["dp-lda"]]
['plain', 'mixed', 'three classes']
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.synopsis.features import Features

__all__ = ["SETTINGS", "Setting", "settings"]


@dataclass(frozen=True)
class Setting:
    """A made-up schema with a name, and options that lead through one branch of a method."""

    name: str
    schema: Mapping[str, Any]
    options: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        said = ", ".join(
            f"{key}={'given' if isinstance(value, dict) else value}"
            for key, value in self.options.items()
        )
        return f"{self.name} columns" + (f" with {said}" if said else "")


def _schema(**columns: Mapping[str, Any]) -> dict[str, Any]:
    return {"name": "audit", "grid_bits": 6, "columns": columns}


_SIZE = {"kind": "number", "low": -1, "high": 3}
_WIDE = {"kind": "integer", "low": 0, "high": 300}
_STEPS = {"kind": "number", "low": 0, "high": 2, "step": 0.5}
_FEW = {"kind": "integer", "low": 0, "high": 4}
_WARD = {"kind": "category", "values": ["a", "b", "c"]}
_BIT = {"kind": "boolean"}
_DAY = {"kind": "date", "low": "2020-01-01", "high": "2020-01-09"}
_GONE = {"missing": "allowed"}

_FEATURES: dict[str, Mapping[str, Any]] = {"size": _SIZE, "stage": _FEW, "ward": _WARD, "sex": _BIT}
_MIXED = _schema(
    size=_WIDE,
    dose=_STEPS | _GONE,
    ward={**_WARD, "other": "else"},
    site={"kind": "category", "values": ["x", "y"], **_GONE},
    seen=_DAY,
    sick=_BIT | {"role": "label"},
)
_PLAIN = _schema(**_FEATURES, sick=_BIT | {"role": "label"})
_THREE = _schema(**_FEATURES, grade=_WARD | {"role": "label"})
_LEVELS = _schema(size=_SIZE, stage=_FEW, ward=_WARD, unit=_WARD, kind=_WARD, sex=_BIT)
_NUMBERS = _schema(size=_SIZE, dose=_STEPS, stage=_FEW, age=_WIDE)
_TARGET = _schema(**_FEATURES, cost=_WIDE | {"role": "target"})
_MANY = _schema(
    **{f"mark{k}": _BIT for k in range(14)}, size=_SIZE, ward=_WARD, sick=_BIT, stage=_FEW
)
_FLAT = _schema(ward=_WARD, stage=_FEW)


def _basis(schema: Mapping[str, Any], rank: int, *, without: tuple[int, ...] = ()) -> Any:
    """Public directions in no particular direction, as a certificate has them."""
    width = len(Features.of(Domain.of(Schema.of(schema)), without=without))
    drawn = np.random.default_rng(1).standard_normal((width, rank))
    U = np.linalg.qr(drawn)[0].T
    values = np.linspace(1.0, 0.1, width).tolist()
    return {"rows": 100, "values": values, "U": U.tolist(), "mean": [0.0] * width}


def _flat_on_a_block() -> Any:
    """Nearly the same weight on all levels of a category: only a ball moves such a block."""
    third = 3**-0.5
    row = [third, third, third, 0.001]
    return {"rows": 10, "values": [1.0, 0.0, 0.0, 0.0], "U": [row], "mean": [0.0] * 4}


def _three(name: str, **options: Any) -> tuple[Setting, ...]:
    """Columns of every kind, columns whose bounds are attained, and numbers in a ball."""
    return (
        Setting("plain", _PLAIN, options),
        Setting("mixed", _MIXED, options),
        Setting("number", _NUMBERS, {**options, name: "1/2"}),
    )


_COMPONENTS = (*_three("radius"), Setting("level", _LEVELS, {"means": "0", "radius": "1"}))
_MOMENTS = (
    Setting("plain", _PLAIN),
    Setting("mixed", _MIXED),
    Setting("number", _NUMBERS),
    Setting("level", _LEVELS),
)
_RECORDS = (Setting("plain", _PLAIN), Setting("mixed", _MIXED))

SETTINGS: Mapping[str, tuple[Setting, ...]] = {
    "mosaic": (
        Setting("mixed", _MIXED),
        Setting("mixed", _MIXED, {"records": 1_000_000}),
        Setting("mixed", _MIXED, {"records": 200}),
        Setting("many", _MANY),
    ),
    "dp-lda": (*_MOMENTS[:2], Setting("three classes", _THREE)),
    "dp-pca": (
        Setting("plain", _PLAIN, {"rank": 2}),
        Setting("mixed", _MIXED),
        Setting("many", _MANY, {"rank": 14}),
    ),
    "modips": _MOMENTS,
    "pca-gauss-mixture": (
        Setting("plain", _PLAIN, {"rank": 2}),
        Setting("plain", _PLAIN, {"rank": 1, "basis": _basis(_PLAIN, 1, without=(4,))}),
        Setting("three classes", _THREE, {"radius": "1/2"}),
    ),
    "pca-gauss-regression": (
        Setting("target", _TARGET, {"rank": 2}),
        Setting("target", _TARGET, {"rank": 1, "basis": _basis(_TARGET, 1, without=(4,))}),
        Setting("target", _TARGET, {"radius": "1/2"}),
    ),
    "pca-gauss": (
        Setting("plain", _PLAIN),
        Setting("mixed", _MIXED, {"rank": 1}),
        Setting("number", _NUMBERS, {"radius": "1/2"}),
    ),
    "lap-pca": _COMPONENTS,
    "analyze-gauss": _COMPONENTS,
    "power-method": (
        Setting("plain", _PLAIN, {"rank": 2}),
        Setting("mixed", _MIXED, {"rank": 1, "iterations": 2}),
        Setting("number", _NUMBERS, {"radius": "1/2", "means": "0"}),
    ),
    "lip": (
        Setting("plain", _PLAIN, {"rank": 2}),
        Setting("mixed", _MIXED),
        Setting("number", _NUMBERS, {"radius": "1/2", "rank": 3}),
    ),
    "lop": (
        Setting("plain", _PLAIN, {"basis": _basis(_PLAIN, 3), "rank": 3}),
        Setting("mixed", _MIXED, {"basis": _basis(_MIXED, 3), "rank": 3, "radius": "1/2"}),
        Setting("flat", _FLAT, {"basis": _flat_on_a_block(), "rank": 1, "radius": "1"}),
        Setting("many", _MANY, {"basis": _basis(_MANY, 14), "rank": 14}),
    ),
    "compressive": (
        Setting("plain", _PLAIN, {"rank": 3}),
        Setting("mixed", _MIXED),
        Setting("number", _NUMBERS, {"radius": "1/2", "rank": 2}),
    ),
    "diffgen": (
        Setting("mixed", _MIXED, {"steps": 2}),
        Setting("plain", _PLAIN, {"steps": 4, "score": "infogain"}),
        Setting("three classes", _THREE, {"steps": 2, "score": "infogain"}),
    ),
    "exponential": _RECORDS,
    "identity-laplace": _RECORDS,
}


def settings(method: str) -> tuple[Setting, ...]:
    """Those of a method; columns of every kind for one that is not known."""
    return SETTINGS.get(method, _MOMENTS)
