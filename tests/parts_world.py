"""A release whose data others write, in several files, as workers of a cluster do."""

import pyarrow as pa

import sfumato as sf
from sfumato.publishing.table import _Table, price
from sfumato.publishing.transaction import ReleaseTransaction
from sfumato.table.source import open_source

ROWS = 300
SIZES = (120, 80, 100)  # of the files


class InParts:
    """A table of the clinic, whose release is written in parts."""

    def __init__(self, write=None, ledger=None):
        schema = sf.Schema.parse(sf.example.CLINIC)
        plan = price(schema, epsilon=1, fit=False).sized(ROWS)
        key = None if ledger is None else ledger.fingerprint_key
        source = open_source(sf.example.clinic(ROWS))
        self.table = _Table(plan, source, None, key, None, None, lambda *_: None)
        self.terms, self.tables = self.table.terms, self.table.tables
        self.fingerprint, self._write = self.table.fingerprint, write or written

    def produce(self, purse, release):
        made = self.table.produce(purse, release)
        whole = pa.Table.from_batches(made.batches)
        return made._replace(write=lambda sink: self._write(sink, whole))


def written(sink, whole):
    """Each file by itself, the last one first."""
    starts = [sum(SIZES[:k]) for k in range(len(SIZES))]
    return [
        sink(k, whole.schema, whole.slice(starts[k], SIZES[k]).to_batches())
        for k in reversed(range(len(SIZES)))
    ][::-1]


def published(folder, ledger=None, write=None):
    """The release, in this folder."""
    transaction = ReleaseTransaction(InParts(write, ledger), ledger)
    return transaction.to(folder, "parquet", "arrow")
