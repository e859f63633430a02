"""Public ranges of the UCI data sets, and their records as tables in those ranges.

A private release may not read its ranges off the records.  So each data set gets ranges from
its documentation or its format, or, where there is none, ranges that are declared here; the
`source` says which, and it belongs beside every figure made with them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from papers.uci import Loaded
from sfumato.errors import ParameterError
from sfumato.schema import Schema
from sfumato.schema.domain import Domain

__all__ = ["NAMES", "Declared", "declared"]

Columns = dict[str, Any]


@dataclass(frozen=True)
class Declared:
    """Features in public ranges, without the label; `source` says where the ranges come from."""

    domain: Domain
    table: pa.Table
    source: str


def declared(name: str, loaded: Loaded) -> Declared:
    """The records of a data set and the ranges that hold without looking at them.

    >>> waves = Loaded(np.array([[3.0, 99.0]]), np.array([0]), ("x1", "x2"), "")
    >>> found = declared("waveform", waves)
    >>> [(axis.column.low, axis.column.high) for axis in found.domain.axes]
    [(-4.0, 10.0), (-4.0, 10.0)]
    """
    if name not in _MAKERS:
        raise ParameterError(f"no ranges are declared for {name!r}; choose of {', '.join(NAMES)}")
    make, source = _MAKERS[name]
    kinds, values = make(loaded)
    schema = Schema.of({"name": name, "columns": kinds}, where=f"the ranges of {name}")
    return Declared(Domain.of(schema), pa.table(values), source)


def _plain(loaded: Loaded) -> Columns:
    return dict(zip(loaded.columns, loaded.X.T, strict=True))


def _semeion(loaded: Loaded) -> tuple[Columns, Columns]:
    pixels = dict(zip(loaded.columns, loaded.X.T > 0.5, strict=True))
    return {pixel: {"kind": "boolean"} for pixel in pixels}, pixels


def _waveform(loaded: Loaded) -> tuple[Columns, Columns]:
    kind = {"kind": "number", "low": -4, "high": 10}
    return dict.fromkeys(loaded.columns, kind), _plain(loaded)


def _musk(loaded: Loaded) -> tuple[Columns, Columns]:
    kind = {"kind": "integer", "low": -1000, "high": 1000}
    return dict.fromkeys(loaded.columns, kind), _plain(loaded)


def _secom(loaded: Loaded) -> tuple[Columns, Columns]:
    sizes = np.nanmax(np.abs(loaded.X), axis=0, initial=1e-9)
    tops = 10.0 ** np.ceil(np.log10(sizes))
    kinds = {
        column: {"kind": "number", "low": -float(top), "high": float(top)}
        for column, top in zip(loaded.columns, tops, strict=True)
    }
    return kinds, _plain(loaded)


_COVTYPE = {
    "elevation": (1000, 4500),
    "aspect": (0, 360),
    "slope": (0, 90),
    "horizontal_distance_to_hydrology": (0, 10_000),
    "vertical_distance_to_hydrology": (-1000, 1000),
    "horizontal_distance_to_roadways": (0, 10_000),
    "hillshade_9am": (0, 255),
    "hillshade_noon": (0, 255),
    "hillshade_3pm": (0, 255),
    "horizontal_distance_to_fire_points": (0, 10_000),
}


def _covtype(loaded: Loaded) -> tuple[Columns, Columns]:
    place = {column: j for j, column in enumerate(loaded.columns)}
    kinds: Columns = {
        column: {"kind": "integer", "low": low, "high": high}
        for column, (low, high) in _COVTYPE.items()
    }
    values: Columns = {column: loaded.X[:, place[column]] for column in _COVTYPE}
    for block in ("wilderness_area", "soil_type"):
        dummies = [j for column, j in place.items() if column.startswith(block)]
        kinds[block] = {"kind": "category", "values": list(range(1, len(dummies) + 1))}
        values[block] = 1 + loaded.X[:, dummies].argmax(axis=1)
    return kinds, values


def _gfe(loaded: Loaded) -> tuple[Columns, Columns]:
    tops = {"x": 640, "y": 480, "z": 4000}
    kinds = {c: {"kind": "number", "low": 0, "high": tops[c[-1]]} for c in loaded.columns}
    return kinds, _plain(loaded)


_MAKERS: dict[str, tuple[Callable[[Loaded], tuple[Columns, Columns]], str]] = {
    "semeion": (_semeion, "format: pixels are 0 or 1"),
    "waveform": (
        _waveform,
        "documentation: waves between 0 and 6 plus noise of unit variance, so -4 to 10 "
        "(four standard deviations on either side)",
    ),
    "musk1": (_musk, "declared here: distances are in hundredths of an ångström, ±10 Å"),
    "musk2": (_musk, "declared here: distances are in hundredths of an ångström, ±10 Å"),
    "secom": (
        _secom,
        "no range is documented: each signal's power of ten is READ OFF THE RECORDS, as an owner "
        "would know it from the sensor; with that looked up, the release as a whole is not private",
    ),
    "covtype": (
        _covtype,
        "documentation: degrees, 8-bit hillshade, lists of areas and soils; declared here: "
        "elevation 1000 to 4500 m (Colorado lies inside), distances up to 10 km, heights ±1 km",
    ),
    "gfe": (_gfe, "format: frames of 640 by 480 pixels, depth up to 4000 mm (the sensor's range)"),
}
NAMES = tuple(_MAKERS)
