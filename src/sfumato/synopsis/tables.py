"""What `mosaic` measured: noisy one- and two-way tables, and the bins they are counted in.

Everything a release is drawn from is here, and all of it may be published.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sfumato.errors import ReleaseError
from sfumato.numeric.arrays import Whole
from sfumato.schema.domain import Axis, Domain, Grid
from sfumato.synopsis.bins import Fine, Merged, Partition
from sfumato.synopsis.heavy import HeavyCodes
from sfumato.synopsis.triples import Pair, Triples
from sfumato.synopsis.whole import whole_numbers

__all__ = [
    "CODES",
    "FINE",
    "MOST_COUNTS",
    "ONE_WAY",
    "RUN",
    "TWO_WAY",
    "Layout",
    "MosaicSynopsis",
    "coarse_partition",
    "is_forest",
    "pairs_of",
]

RUN = 5  # fine bins in a run
MOST_LEVELS = 12  # of a category that is counted as it is
_MOST_CLASSES = 16  # of a label within which tables are counted
MOST_COUNTS = 2**27  # of two bins within a class: 1 GiB, above which a label is a column
# What the kinds of tables are called in a certificate.
FINE, CODES, ONE_WAY, TWO_WAY = "fine tables", "code tables", "one-way tables", "two-way tables"


@dataclass(frozen=True, eq=False)
class Layout:
    """What is counted, from the schema alone: columns, and the label they are counted within.

    >>> from sfumato.example import CLINIC
    >>> from sfumato.schema import Schema
    >>> layout = Layout.of(Domain.of(Schema.parse(CLINIC)))
    >>> [axis.codes for axis in layout.columns.values()], layout.label, layout.classes
    ([81, 2, 1202, 141, 2, 4, 731], 7, 2)
    """

    columns: Mapping[int, Axis]  # by the place of the axis
    label: int | None  # its axis, if there is one with few enough values
    classes: int

    @classmethod
    def of(cls, domain: Domain) -> "Layout":
        """The layout of a schema."""
        columns = dict(enumerate(domain.axes))
        without, label = cls(columns, None, 1), domain.label
        if label is None or len(columns) == 1:
            return without
        classes = domain.axes[label].codes
        if classes > _MOST_CLASSES or classes * without.cells**2 > MOST_COUNTS:
            return without
        return cls({i: axis for i, axis in columns.items() if i != label}, label, classes)

    @property
    def target(self) -> int | None:
        """The column that is to be predicted, where there is no label that is."""
        roles = [axis.column.role for axis in self.columns.values()]
        return roles.index("target") if "target" in roles and self.label is None else None

    @property
    def cells(self) -> int:
        """Coarse bins over all columns, where noise leaves a number a dozen of them."""
        return sum(min(axis.codes, MOST_LEVELS) for axis in self.columns.values())


@dataclass(frozen=True, eq=False)
class MosaicSynopsis:
    """Noisy counts: of wide columns in fine bins, of columns by class, of pairs by class."""

    partition: Partition
    rows: int | None  # the public number of records, or None under add-remove
    fine: Mapping[int, Whole]  # by axis
    runs: Mapping[int, Whole]  # by axis; sums of neighbouring fine bins, measured apart
    one: Whole | None  # by class and cell
    pairs: Mapping[Pair, Whole]  # by class, cell of the first column, cell of the second
    chosen: tuple[Pair, ...]  # pairs that were chosen, in order; empty where all were measured
    states_bins: bool = True  # releases of the first revision do not
    triples: Triples | None = None  # where there are any
    codes: Mapping[int, HeavyCodes] = field(default_factory=dict)  # by axis, where looked for

    def counted(self, column: Merged) -> Fine:
        """The bins of its fine table: without those that heavy codes have in the partition."""
        heavy = self.codes.get(column.fine.axis)
        return column.fine if heavy is None else heavy.within

    def to_json(self) -> dict[str, Any]:
        """Bins and whole numbers by the names of the columns' places; the schema has the rest."""
        groups = {str(column.fine.axis): column.group.tolist() for column in self.partition.columns}
        edges = {
            str(column.fine.axis): self.counted(column).edges.tolist()
            for column in self.partition.columns
            if column.fine.ordered
        }
        codes = {str(axis): heavy.to_json() for axis, heavy in self.codes.items()}
        return {
            "kind": "tables",
            "rows": self.rows,
            **({"edges": edges} if self.states_bins else {}),
            **({"codes": codes} if codes else {}),
            "bins": groups,
            "columns": {str(axis): table.tolist() for axis, table in self.fine.items()},
            "runs": {str(axis): table.tolist() for axis, table in self.runs.items()},
            "classes": None if self.one is None else self.one.tolist(),
            "chosen": [list(pair) for pair in self.chosen],
            "pairs": [
                {"columns": list(pair), "counts": table.tolist()}
                for pair, table in self.pairs.items()
            ],
            **({} if self.triples is None else self.triples.to_json()),
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any], layout: Layout) -> "MosaicSynopsis":
        """The inverse of `to_json`; refused where a table has not the cells that its bins say."""
        try:
            groups = {int(axis): whole_numbers(group) for axis, group in record["bins"].items()}
            planned = _fine_bins(record, layout, groups)
            codes = _heavy_codes(record, layout, planned)
            fine = tuple(codes[c.axis].bins if c.axis in codes else c for c in planned)
            partition = coarse_partition(fine, groups, layout.label, layout.classes)
            one = None if record["classes"] is None else whole_numbers(record["classes"])
            found = cls(
                partition,
                record["rows"],
                {int(axis): whole_numbers(table) for axis, table in record["columns"].items()},
                {int(axis): whole_numbers(table) for axis, table in record["runs"].items()},
                one,
                _tables(record["pairs"]),
                tuple((int(i), int(j)) for i, j in record["chosen"]),
                "edges" in record,
                _triples(record, layout),
                codes,
            )
        except (KeyError, TypeError, ValueError, AttributeError, IndexError):
            raise ReleaseError("the synopsis does not hold the tables that it should") from None
        found._check()
        return found

    def _check(self) -> None:
        partition, bins = self.partition, np.diff(self.partition.offset)
        counted = {column.fine.axis: self.counted(column) for column in partition.columns}
        fine = {axis: column.bins for axis, column in counted.items()}
        runs = {axis: column.runs(RUN) for axis, column in counted.items()}
        shapes: list[tuple[Any, Any]] = [
            (table.shape, (fine.get(axis),)) for axis, table in self.fine.items()
        ]
        for axis, table in self.runs.items():
            shapes.append((table.shape, (runs.get(axis),)))
        if self.one is not None:
            shapes.append((self.one.shape, (partition.classes, partition.cells)))
        for (i, j), table in self.pairs.items():
            inside = 0 <= i < j < len(partition.columns)
            shapes.append((table.shape, (partition.classes, bins[i], bins[j]) if inside else ()))
        fits = self.triples is None or self.triples.fit(partition)
        if not fits or any(shape != wanted for shape, wanted in shapes):
            raise ReleaseError("a table of the synopsis has not the cells that its bins call for")


def _tables(record: Sequence[Mapping[str, Any]]) -> dict[Pair, Whole]:
    return {
        (int(table["columns"][0]), int(table["columns"][1])): whole_numbers(table["counts"])
        for table in record
    }


def _triples(record: Mapping[str, Any], layout: Layout) -> Triples | None:
    if "triples" not in record:
        return None
    if layout.target is None:
        raise ValueError("triples without a target")
    return Triples(layout.target, whole_numbers(record["bands"]), _tables(record["triples"]))


def _fine_bins(
    record: Mapping[str, Any], layout: Layout, groups: Mapping[int, Whole]
) -> tuple[Fine, ...]:
    """As the synopsis states them, or as they were before it did."""
    if "edges" not in record:
        # How many there are tells the two ways apart in which they were made then.
        return tuple(
            Fine.first(k, axis, len(groups[k]) - axis.missing) for k, axis in layout.columns.items()
        )
    stated = {int(axis): whole_numbers(edges) for axis, edges in record["edges"].items()}
    grids = {k: axis for k, axis in layout.columns.items() if isinstance(axis, Grid)}
    if set(stated) != set(grids):
        raise ValueError("edges of other columns")
    for k, axis in grids.items():
        edges = stated[k]
        if edges[0] != 0 or edges[-1] != axis.points + 1 or (np.diff(edges) < 1).any():
            raise ValueError("edges that do not cover the codes")
    return tuple(
        Fine.cut(k, axis, stated[k]) if isinstance(axis, Grid) else Fine.of(k, axis)
        for k, axis in layout.columns.items()
    )


def _heavy_codes(
    record: Mapping[str, Any], layout: Layout, planned: tuple[Fine, ...]
) -> dict[int, HeavyCodes]:
    """Of the columns where they were looked for."""
    within, found = {column.axis: column for column in planned}, {}
    for name, heavy in record.get("codes", {}).items():
        axis = layout.columns[int(name)]
        if not isinstance(axis, Grid):
            raise ValueError("codes of a category")
        found[int(name)] = HeavyCodes.from_json(heavy, within[int(name)], axis, layout.classes)
    return found


def coarse_partition(
    columns: tuple[Fine, ...], groups: Mapping[int, Whole], label: int | None, classes: int
) -> Partition:
    """Columns in the coarse bins that were formed of their fine ones; refused if they are not."""
    merged = []
    for column in columns:
        group = groups.get(column.axis)
        if group is None or group.shape != (column.bins,):
            raise ReleaseError("the synopsis does not say how every column is divided into bins")
        if not _one_after_the_other(column, group):
            raise ReleaseError("the synopsis does not number the bins of a column in their order")
        merged.append(Merged(column, group))
    return Partition(tuple(merged), label, classes)


def _one_after_the_other(column: Fine, group: Whole) -> bool:
    """Whether bins are numbered in the one way that their making leaves.

    Those of a number are runs of neighbours, and missing is apart; those of a category are
    single values and, last, all the others.
    """
    if column.ordered:
        steps = np.diff(group)
        apart = bool((steps[column.ordered - 1 :] == 1).all())
        return bool(group[0] == 0) and bool(np.isin(steps, (0, 1)).all()) and apart
    single = group[group < group.max()]
    return len(single) == group.max() and np.array_equal(single, np.arange(len(single)))


def pairs_of(columns: int) -> tuple[Pair, ...]:
    """All pairs of columns.

    >>> pairs_of(3)
    ((0, 1), (0, 2), (1, 2))
    """
    return tuple((i, j) for i in range(columns) for j in range(i + 1, columns))


def is_forest(pairs: Sequence[Pair], columns: int) -> bool:
    """Whether each pair joins columns that the pairs before it did not join.

    >>> is_forest([(0, 1), (1, 2)], 3), is_forest([(0, 1), (1, 2), (0, 2)], 3)
    (True, False)
    """
    part = list(range(columns))
    for i, j in pairs:
        if not 0 <= i < j < columns or part[i] == part[j]:
            return False
        part = [part[i] if p == part[j] else p for p in part]
    return True
