"""The data sets as the tables use them: private, public and held out, in public ranges.

Clustering uses the paper's own data set, Grammatical Facial Expressions.  The other two
(Realdisp, Buzz in Social Media) are not at hand; Covertype stands in for both: is this patch
of forest lodgepole pine (cover type 2), and how high does it lie?

Ranges may not be read off private records.  Those of Covertype are documented or declared
(`papers.declared`).  Frames of a face fill a small part of what the camera could
see, far from the middle of that range; so 600 frames are set aside as public, as the paper
does elsewhere, and give the ranges: three standard deviations about the mean of each
coordinate, one width for each of x, y and z.  What the camera's own ranges would do is run
beside it.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from papers.declared import declared
from papers.uci import Loaded
from sfumato.schema import Schema
from sfumato.schema.domain import Domain

__all__ = ["LABEL", "TARGET", "Task", "faces", "faces_in_the_frame", "forests"]

PUBLIC = {"II": 600, "III": 600, "IV": 4_715}  # the paper's; it has none for clustering
HELD_OUT = {"III": 10_000, "IV": 4_715}  # the paper: 1,290 and 4,715
PRIVATE = 216_752  # the paper's for classification; for regression it has 573,820
LABEL, TARGET = "lodgepole", "elevation"
SPREAD = 3  # standard deviations on either side of the public mean
_FACES = (
    f"mean of the public frames, {SPREAD} standard deviations on either side (one width for each "
    "of x, y, z)"
)


@dataclass(frozen=True)
class Task:
    """A table of the paper: what is private, what is public, and what scores are taken on."""

    domain: Domain
    private: pa.Table
    public: pa.Table
    held_out: pa.Table
    ranges: str
    note: str

    @property
    def rows(self) -> int:
        """How many records are private."""
        return int(self.private.num_rows)


def faces(loaded: Loaded, seed: int, rows: int | None) -> Task:
    """Frames in ranges that public frames give."""
    parts = _parts(len(loaded.y), "II", seed, rows)
    X, axes = loaded.X[parts[1]], np.array([column[-1] for column in loaded.columns])
    widths = {axis: SPREAD * float(X[:, axes == axis].std()) for axis in np.unique(axes)}
    kinds = {
        column: {
            "kind": "number",
            "low": float(centre) - widths[column[-1]],
            "high": float(centre) + widths[column[-1]],
        }
        for column, centre in zip(loaded.columns, X.mean(axis=0), strict=True)
    }
    table = pa.table(dict(zip(loaded.columns, loaded.X.T, strict=True)))
    return _task("faces", kinds, table, parts, _FACES, loaded.note)


def faces_in_the_frame(loaded: Loaded, seed: int, rows: int | None) -> Task:
    """The same frames in ranges that the camera gives."""
    found = declared("gfe", loaded)
    kinds = found.domain.schema.to_json()["columns"]
    parts = _parts(len(loaded.y), "II", seed, rows)
    return _task("faces", kinds, found.table, parts, found.source, loaded.note)


def forests(loaded: Loaded, table: str, seed: int, rows: int | None) -> Task:
    """Patches of forest with a label (table III), or with a target among the columns (IV)."""
    found = declared("covtype", loaded)
    kinds, records = dict(found.domain.schema.to_json()["columns"]), found.table
    if table == "III":
        kinds[LABEL] = {"kind": "boolean", "role": "label"}
        records = records.append_column(LABEL, pa.array(loaded.y == 2))
    parts = _parts(len(loaded.y), table, seed, rows)
    return _task("forests", kinds, records, parts, found.source, loaded.note)


def _parts(total: int, table: str, seed: int, rows: int | None) -> list[NDArray[np.int64]]:
    """Private, public and held-out positions; small tables keep most of themselves private."""
    order = np.random.default_rng(seed).permutation(total)
    public, held_out = (min(most.get(table, 0), total // 5) for most in (PUBLIC, HELD_OUT))
    private = min(rows or PRIVATE, PRIVATE, total - public - held_out)
    rest = order[public + held_out :]
    return [rest[:private], order[:public], order[public : public + held_out]]


def _task(
    name: str,
    kinds: dict[str, Any],
    table: pa.Table,
    parts: list[NDArray[np.int64]],
    ranges: str,
    note: str,
) -> Task:
    schema = Schema.of({"name": name, "columns": kinds}, where=f"the ranges of {name}")
    private, public, held_out = (table.take(part) for part in parts)
    return Task(Domain.of(schema), private, public, held_out, ranges, note)
