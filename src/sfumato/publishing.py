"""Publish: the walk through the house, front to back.

What can be refused is refused before the ledger is charged, from the header and, where the
number of records is public, from whether there are two; the charge is on disk before a
record is encoded; the draw is on disk before a bit of noise exists; the
folder appears whole; then the ledger is told what was released.
"""

import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from sfumato.domain import Domain
from sfumato.errors import LedgerError, ParameterError, Refused, ReleaseError
from sfumato.methods import method as recipe
from sfumato.plan import Plan
from sfumato.privacy.budget import budget as stated_budget
from sfumato.privacy.guarantee import Heuristic, Number
from sfumato.privacy.ledger import Ledger
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import Bits, SeededBits, SystemBits
from sfumato.release.certificate import certificate
from sfumato.release.content import Content
from sfumato.release.file import Format
from sfumato.release.folder import CERTIFICATE, FolderWriter, read_json
from sfumato.release.release import Kind, Release, digest
from sfumato.schema import Schema
from sfumato.table.records import Records
from sfumato.table.source import Source, check_header, open_source

__all__ = ["price", "publish"]

DEFAULT_METHOD = "modips"
Progress = Callable[[str, int], None]
_MOST_NOISE_ON_ROWS = 10**6


def price(
    schema: Schema | Mapping[str, Any] | str | Path,
    *,
    method: str = DEFAULT_METHOD,
    epsilon: Number | None = None,
    delta: Number | None = None,
    rho: Number | None = None,
    **options: Any,
) -> Plan:
    """What a release would measure and cost, from the schema alone; no data is touched.

    >>> plan = price({"name": "t", "columns": {"a": {"kind": "boolean"}}}, epsilon=1)
    >>> [(event.statistic, event.mechanism, str(event.cost)) for event in plan.events]
    [('moments', 'discrete-laplace', '1-differential privacy')]
    """
    known = Schema.read(schema) if isinstance(schema, str | Path) else Schema.of(schema)
    chosen = recipe(method)
    if chosen.budgeted:
        budget = stated_budget(epsilon=epsilon, delta=delta, rho=rho)
    elif (epsilon, delta, rho) == (None, None, None):
        budget = None
    else:
        raise ParameterError(
            f"{method} promises nothing, so no budget has a meaning: leave out epsilon, delta, rho"
        )
    return chosen.price(Domain.of(known), budget, options)


def publish(
    data: Any,
    *,
    schema: Schema | Mapping[str, Any] | str | Path,
    method: str = DEFAULT_METHOD,
    epsilon: Number | None = None,
    delta: Number | None = None,
    rho: Number | None = None,
    ledger: Ledger | str | Path | None = None,
    folder: str | Path | None = None,
    format: Format | None = None,
    rows: int | None = None,
    release: str | None = None,
    seed: int | None = None,
    accept_no_guarantee: bool = False,
    progress: Progress | None = None,
    **options: Any,
) -> Release:
    """Release a table under a promise.

    `data` is a pandas or polars frame, an Arrow table, or the path of a CSV or Parquet
    file; `Release.data` is the same kind (an Arrow table for paths).  With `folder` the
    release is written there as it is made, in bounded memory.  With `ledger` the charge is
    durable before a record is encoded.  A `seed` makes a test run without any guarantee.
    What has no proof is published only with `accept_no_guarantee`.

    >>> table = pa.table({"age": [30, 41, 57], "smoker": [True, False, False]})
    >>> schema = {"name": "clinic", "columns": {
    ...     "age": {"kind": "integer", "low": 0, "high": 110}, "smoker": {"kind": "boolean"}}}
    >>> release = publish(table, schema=schema, epsilon=1)
    >>> release
    <Release of clinic by modips: 1-differential privacy>
    >>> release.data.num_rows, release.data.column_names
    (3, ['age', 'smoker'])
    """
    plan = price(schema, method=method, epsilon=epsilon, delta=delta, rho=rho, **options)
    _check_rows(rows, plan)
    _check_promise(plan, accept_no_guarantee)
    if seed is not None and ledger is not None:
        raise ParameterError("a seeded run is a test: leave out the seed, or the ledger")
    source = open_source(data)
    check_header(source, plan.domain)
    kind: Kind = source.kind if source.kind in ("pandas", "polars") else "arrow"
    place = None if folder is None else Path(folder)
    known = Ledger(ledger) if isinstance(ledger, str | Path) else ledger
    if known is not None and (done := _already(known, plan, place, release, kind)):
        return done
    work = _Work(plan, source, known, release or secrets.token_hex(8), progress or _quiet)
    if place is None:
        return work.in_memory(rows, seed, kind)
    written: Format = format or ("parquet" if source.kind == "parquet" else "csv")
    if written not in ("csv", "parquet"):
        raise ParameterError(f"format must be csv or parquet, got {written!r}")
    return work.in_folder(FolderWriter(place, written), rows, seed, kind)


class _Work:
    """One release under way."""

    def __init__(
        self, plan: Plan, source: Source, ledger: Ledger | None, release: str, progress: Progress
    ) -> None:
        self.plan, self.source, self.ledger = plan, source, ledger
        self.release, self.progress = release, progress
        self.schema = plan.table_schema

    def in_memory(self, rows: int | None, seed: int | None, kind: Kind) -> Release:
        content, batches = Content(), []
        with self._reserved():
            purse, synopsis, stream = self._made(rows, seed)
            for batch in stream:
                content.update(batch)
                batches.append(batch)
            table = pa.Table.from_batches(batches, self.schema)
            paper = self._certificate(purse, content, synopsis)
            self._settle(paper)
        return Release(paper, synopsis=synopsis, table=table, kind=kind)

    def in_folder(
        self, writer: FolderWriter, rows: int | None, seed: int | None, kind: Kind
    ) -> Release:
        with writer, self._reserved():
            purse, synopsis, stream = self._made(rows, seed)
            writer.write(stream, self.schema)
            paper = self._certificate(purse, writer.content, synopsis)
            writer.finish(paper, synopsis)
            self._settle(paper)
        return Release.load(writer.folder, kind=kind)

    def _reserved(self) -> Any:
        if self.ledger is None:
            return nullcontext()
        dataset = self.plan.domain.schema.name
        self.ledger.reserve(self.release, dataset, self.plan.guarantee, plan=self.plan.digest())
        return _Charged(self.ledger, self.release)

    def _made(
        self, rows: int | None, seed: int | None
    ) -> tuple[Purse, dict[str, Any] | None, Iterator[pa.RecordBatch]]:
        key = None if self.ledger is None else self.ledger.fingerprint_key
        records = Records(
            self.source, self.plan.domain, key=key, progress=lambda n: self.progress("read", n)
        )
        bits: Bits = SystemBits(lambda: self._draw(records)) if seed is None else SeededBits(seed)
        purse = Purse(self.plan.guarantee, bits)
        synopsis = self.plan.measure(records, purse)
        # What is drawn from here on is post-processing: its generator needs no secrecy.
        rng = np.random.default_rng(seed)
        batches = self.plan.render(synopsis, rows, rng)
        paper = synopsis.to_json() if hasattr(synopsis, "to_json") else None
        return purse, paper, self._watched(batches)

    def _watched(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            self.progress("write", batch.num_rows)
            yield batch

    def _draw(self, records: Records) -> None:
        if self.ledger is not None:
            self.ledger.draw(self.release, records.fingerprint())

    def _certificate(
        self, purse: Purse, content: Content, synopsis: Mapping[str, Any] | None
    ) -> dict[str, Any]:
        entry = None
        if self.ledger is not None:
            entry = {"id": self.ledger.ledger_id, "head": self.ledger.head}
        return certificate(
            self.plan, purse, content, synopsis=synopsis, release=self.release, ledger=entry
        )

    def _settle(self, paper: Mapping[str, Any]) -> None:
        if self.ledger is not None:
            self.ledger.settle(self.release, digest(paper))


class _Charged:
    """Says, when a charged release is refused half-way, what the ledger holds of it."""

    def __init__(self, ledger: Ledger, release: str) -> None:
        self._ledger, self._release = ledger, release

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, Refused) and not isinstance(error, LedgerError):
            entry = self._ledger.entry(self._release)
            fate = "its noise was drawn, so the charge is final"
            if entry is not None and entry.state == "reserved":
                remedy = f"sfumato ledger refund {self._release} --reason … --ledger …"
                fate = f"nothing was drawn, so it can be refunded: {remedy}"
            raise type(error)(f"{error}. Release {self._release} stays charged; {fate}") from None


def _already(
    ledger: Ledger, plan: Plan, folder: Path | None, release: str | None, kind: Kind
) -> Release | None:
    """The release that an earlier run made under this id or in this folder, if it did.

    A run that was killed after its folder appeared is finished here: the ledger learns
    what was released, and no second noise is drawn.
    """
    stored = None
    if folder is not None and (folder / CERTIFICATE).exists():
        stored = read_json(folder / CERTIFICATE)
        release = release or str(stored.get("release"))
    entry = ledger.entry(release) if release else None
    if entry is None or entry.state == "reserved":
        return None
    if entry.plan != plan.digest():
        where = f"{folder} holds" if stored else f"release {release} is"
        raise ReleaseError(
            f"{where} a release made with other settings: choose another folder or id"
        )
    if stored is None or stored.get("release") != release or folder is None:
        raise ReleaseError(
            f"release {release} is {entry.state} and its noise is never drawn twice: "
            "load its folder, or choose another id for a new charge"
        )
    if entry.state == "drawn":
        from sfumato.verification import verify

        if not all(check.passed for check in verify(folder)):
            raise ReleaseError(f"{folder} is not a whole release: run sfumato verify {folder}")
        ledger.settle(entry.release, digest(stored))
    elif entry.digest != digest(stored):
        raise ReleaseError(f"{folder} is not what the ledger released as {release}")
    return Release.load(folder, kind=kind)


def _check_rows(rows: int | None, plan: Plan) -> None:
    if rows is None:
        counted = ("number of records", "class sizes")
        event = next((e for e in plan.events if e.statistic in counted), plan.events[0])
        spread = float(event.noise or 0) ** (0.5 if "gaussian" in event.mechanism else 1)
        if plan.domain.schema.neighbours == "add-remove" and spread > _MOST_NOISE_ON_ROWS:
            raise ParameterError(
                "the noise on the number of records passes a million at this budget: "
                "say how many rows to draw"
            )
        return
    if plan.row != "drawn record":
        raise ParameterError(f"{plan.method} releases one row per {plan.row}: leave out rows")
    if isinstance(rows, bool) or not isinstance(rows, int) or rows < 0:
        raise ParameterError(f"rows must be a whole number of at least 0, got {rows!r}")


def _check_promise(plan: Plan, accepted: bool) -> None:
    if not isinstance(accepted, bool):
        raise ParameterError(f"accept_no_guarantee must be True or False, got {accepted!r}")
    if isinstance(plan.guarantee, Heuristic) and not accepted:
        raise ParameterError(
            f"{plan.method} with these options promises nothing: {plan.guarantee.reason}. "
            "Choose a method with a proof, or accept that explicitly: --accept-no-guarantee "
            "(accept_no_guarantee=True)"
        )


def _quiet(phase: str, rows: int) -> None:
    """No progress is shown."""
