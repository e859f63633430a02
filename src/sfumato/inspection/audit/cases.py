"""The table on which each method is audited unless a schema is given.

The fewer coordinates, the more of its budget a method shows: one column where one will do,
a label where the method needs one, two features where it looks for components.  A new method
needs one entry here; a test says so if it is missing.

>>> case("dp-lda").schema["columns"]["sick"]
{'kind': 'boolean', 'role': 'label'}
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sfumato.errors import ParameterError

__all__ = ["CASES", "DEFAULT_RUNS", "Case", "case", "default_runs"]


DEFAULT_RUNS = 5_000
SLOWER = {
    "analyze-gauss": 4_000,
    "diffgen": 3_000,
    "dp-pca": 2_500,
    "lip": 2_000,
    "mosaic": 3_000,
    "pca-gauss-mixture": 1_500,
    "pca-gauss-regression": 1_500,
    "power-method": 1_500,
}


@dataclass(frozen=True)
class Case:
    """Public facts that suit a method, options that it needs, and a claim in its currency."""

    schema: Mapping[str, Any]
    options: Mapping[str, Any] = field(default_factory=dict)
    budget: Mapping[str, str] = field(default_factory=lambda: {"epsilon": "2"})


def _schema(**columns: Mapping[str, Any]) -> dict[str, Any]:
    return {"name": "audit", "columns": columns}


def _counted(schema: Mapping[str, Any]) -> dict[str, Any]:
    """With records that come and go: there these methods show more of their budget."""
    return {**schema, "neighbours": "add-remove"}


_BIT = {"kind": "boolean"}
_LABEL = {"kind": "boolean", "role": "label"}
_LEVEL = {"kind": "integer", "low": 0, "high": 4}

# One direction for two features: what `lop` needs and anyone may know.
_PUBLIC = {"rows": 100, "values": [0.3, 0.1], "U": [[0.8, 0.6]], "mean": [0.0, 0.0]}
_GAUSSIAN = {"rho": "0.5"}

_ONE_BIT = _schema(smoker=_BIT)
_TWO_FEATURES = _schema(level=_LEVEL, smoker=_BIT)
_LABELLED = _schema(smoker=_BIT, sick=_LABEL)
_TWO_LABELLED = _schema(level=_LEVEL, smoker=_BIT, sick=_LABEL)
_WITH_TARGET = _schema(level=_LEVEL, smoker=_BIT, dose=_LEVEL | {"role": "target"})

CASES: Mapping[str, Case] = {
    "analyze-gauss": Case(_TWO_FEATURES, budget=_GAUSSIAN),
    "compressive": Case(_TWO_FEATURES, {"rank": 1}),
    "diffgen": Case(_counted(_LABELLED), {"steps": 1}),
    "dp-lda": Case(_counted(_LABELLED)),
    "dp-pca": Case(_ONE_BIT),
    "exponential": Case(_ONE_BIT),
    "identity-laplace": Case(_ONE_BIT),
    "jl-gauss": Case(_TWO_FEATURES, budget={"epsilon": "2", "delta": "0.05"}),
    "lap-pca": Case(_counted(_TWO_FEATURES)),
    "lip": Case(_TWO_FEATURES, {"rank": 1}),
    "lop": Case(_TWO_FEATURES, {"basis": _PUBLIC}),
    "modips": Case(_ONE_BIT),
    "mosaic": Case(_counted(_LABELLED)),
    "pca-gauss": Case(_counted(_TWO_FEATURES)),
    "pca-gauss-mixture": Case(_counted(_TWO_LABELLED), {"rank": 1}),
    "pca-gauss-regression": Case(_counted(_WITH_TARGET), {"rank": 1}),
    "power-method": Case(_TWO_FEATURES, budget=_GAUSSIAN),
}


def default_runs(method: str) -> int:
    """As many as take some seconds: fewer for methods that are slow to run."""
    return SLOWER.get(method, DEFAULT_RUNS)


def case(method: str) -> Case:
    """What a method is audited on; refused where nobody has said."""
    if method not in CASES:
        raise ParameterError(
            f"no table is known on which to audit {method}: give a schema, or add an entry to "
            "sfumato/inspection/audit/cases.py"
        )
    return CASES[method]
