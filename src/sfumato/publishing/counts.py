"""Publish counts once, so that every query on them can be answered without being sent.

What can be refused is refused from the list of keys and the budget, before the ledger is
charged; the rest is `sfumato.publishing.transaction`.
"""

from pathlib import Path
from typing import Any

import pyarrow as pa

from sfumato.ledger import Ledger
from sfumato.privacy.budget import budget as stated_budget
from sfumato.privacy.guarantee import Number
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.sensitivity import Neighbours
from sfumato.publishing.transaction import Produced, ReleaseTransaction, dataset_name
from sfumato.release.file import Format
from sfumato.release.release import Release
from sfumato.retrieval.count_plan import CountPlan, count_terms, planned
from sfumato.retrieval.counts import Counts
from sfumato.signature import signing_key

__all__ = ["publish_counts"]

_BATCH_ROWS = 65_536


def publish_counts(
    data: Any,
    *,
    ways: str = "histogram",
    share: Number = "1/2",
    neighbours: Neighbours = "add-remove",
    name: str | None = None,
    epsilon: Number | None = None,
    delta: Number | None = None,
    rho: Number | None = None,
    ledger: Ledger | str | Path | None = None,
    folder: str | Path | None = None,
    format: Format = "csv",
    release: str | None = None,
    sign: str | Path | None = None,
    seed: int | None = None,
) -> Release:
    """Release counts under noise; `PublishedCounts.of` answers queries from the release.

    `data` is a CSV or Parquet file, a frame or an Arrow table with the columns key and count, or
    `Counts`.  `ways` is histogram (few keys), wavelet (long ranges) or both, of which the
    histogram gets `share` of the budget.  `sign` is the file of a private key, which signs the
    certificate.

    >>> from sfumato.retrieval.published import PublishedCounts
    >>> table = pa.table({"key": ["flu", "cold", "cough"], "count": [120, 300, 95]})
    >>> release = publish_counts(table, epsilon=1)
    >>> release
    <Release of counts by count-queries: 1-differential privacy>
    >>> published = PublishedCounts.of(release)
    >>> found = published.answer(published.keys.chosen(["flu", "cold"]))
    >>> round(found.deviation, 2), round(found.high - found.value)
    (1.92, 4)
    """
    budget = stated_budget(epsilon=epsilon, delta=delta, rho=rho)
    signer = signing_key(sign)
    counts = data if isinstance(data, Counts) else Counts.read(data)
    records = counts.records if neighbours == "replace-one" else None
    plan = planned(
        len(counts.keys), budget, neighbours=neighbours, records=records, ways=ways, share=share
    )
    ledger = Ledger(ledger) if isinstance(ledger, str | Path) else ledger
    dataset = dataset_name(name, data, default="counts", charged=ledger is not None)
    key = None if ledger is None else ledger.fingerprint_key
    publishable = _Counts(dataset, plan, counts, key)
    transaction = ReleaseTransaction(publishable, ledger, release, seed, signer=signer)
    return transaction.to(folder, format, "arrow")


class _Counts:
    """Counts to be published."""

    def __init__(self, dataset: str, plan: CountPlan, counts: Counts, key: bytes | None) -> None:
        self.terms, self.tables = count_terms(dataset, plan), {"data": plan.columns}
        self._plan, self._counts, self._key = plan, counts, key

    def fingerprint(self) -> bytes | None:
        return self._counts.fingerprint(self._key)

    def produce(self, purse: Purse, _release: str) -> Produced:
        columns = {
            name: way.published(self._counts.values, purse) for name, way in self._plan.ways.items()
        }
        table = pa.table({"key": self._counts.keys.names, **columns}, schema=self.tables["data"])
        return Produced(None, iter(table.to_batches(max_chunksize=_BATCH_ROWS)))
