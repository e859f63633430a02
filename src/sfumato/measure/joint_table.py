"""Tables of columns out of joint counts: in the bins that were counted, or in unions of them.

Tables are sums of tables, so those of coarse bins are the same whether records are read again or
not; all of it is in whole numbers of 64 bits.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from sfumato.measure.joint import JointCounts
from sfumato.numeric.arrays import Whole
from sfumato.synopsis.bins import Partition

__all__ = ["JointTables"]


@dataclass(frozen=True, eq=False)
class JointTables:
    """NOT PRIVATE: what was counted, as tables of columns."""

    counts: JointCounts
    total: Whole

    @cached_property
    def _panels(self) -> list[Whole]:
        return self.counts.panels(self.total)

    @property
    def rows(self) -> int:
        """How many records there are: each of them is in one cell of every table."""
        return int(self._alone(0).sum())

    @cached_property
    def columns(self) -> list[Whole]:
        """The table of each column in the bins in which it was counted, over all classes."""
        counted = self.counts.partition
        one = self.by_class(counted).sum(axis=0)
        return [one[counted.block(column)] for column in range(len(counted.columns))]

    def by_class(self, partition: Partition) -> Whole:
        """One-way tables in these bins: class, cell."""
        found = np.zeros((partition.classes, partition.cells), np.int64)
        for g, (cells, belongs) in enumerate(self._into(partition)):
            found[:, cells] = self._alone(g) @ belongs
        return found

    def by_pair(self, partition: Partition) -> Whole:
        """Two-way tables in these bins: class, cell, cell; one-way tables in the diagonal."""
        found = np.zeros((partition.classes, partition.cells, partition.cells), np.int64)
        panels, into = self._panels, self._into(partition)
        later = sparse.block_diag([belongs for _, belongs in into], format="csr", dtype=np.int64)
        others = np.concatenate([cells for cells, _ in into])
        for g, (cells, belongs) in enumerate(into):
            later, others = later[belongs.shape[0] :, len(cells) :], others[len(cells) :]
            alone = self._alone(g)
            for k, table in enumerate(found):
                table[cells[:, None], cells] = (belongs.T.multiply(alone[k]) @ belongs).toarray()
            if len(others) and self.counts.paired:
                halves = (panels[g] @ later).reshape(len(found), belongs.shape[0], -1)
                for table, half in zip(found, halves, strict=True):
                    block = belongs.T @ half
                    table[cells[:, None], others] = block
                    table[others[:, None], cells] = block.T
        return found

    def _alone(self, group: int) -> Whole:
        """The table of a group: class, cell."""
        counts, panels = self.counts, self._panels
        classes, size = counts.partition.classes, int(counts.sizes[group])
        if not counts.paired:
            return panels[group].reshape(classes, size)
        if group + 1 < len(counts.groups):  # all later groups have every record: one is enough
            after = int(counts.sizes[group + 1])
            return np.asarray(panels[group][:, :after].sum(axis=1)).reshape(classes, size)
        before = panels[group - 1].reshape(classes, int(counts.sizes[group - 1]), -1)
        return np.asarray(before.sum(axis=1))

    def _into(self, partition: Partition) -> list[tuple[Whole, sparse.csr_matrix]]:
        """For each group: cells of the partition, and which cells of the group belong to each."""
        counts, found = self.counts, []
        for group, size in zip(counts.groups, counts.sizes.tolist(), strict=True):
            belongs = []
            for column, stride in zip(group, counts.strides(group), strict=True):
                source, target = (p.columns[column] for p in (counts.partition, partition))
                into = np.arange(source.bins) if target is source else target.group
                assert len(into) == source.bins  # noqa: S101  unions of what was counted
                mine = into[np.arange(size) // stride % source.bins]
                ones, starts = np.ones(size, np.int64), np.arange(size + 1)
                belongs.append(sparse.csr_matrix((ones, mine, starts), (size, target.bins)))
            blocks = map(partition.block, group)
            cells = np.concatenate([np.arange(block.start, block.stop) for block in blocks])
            found.append((cells, sparse.hstack(belongs, format="csr", dtype=np.int64)))
        return found
