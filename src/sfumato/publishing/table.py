"""Publish a table under a promise.

What can be refused is refused before the ledger is charged, from the header and, where the
number of records is public, from that number; the rest is `sfumato.publishing.transaction`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from sfumato.errors import ParameterError
from sfumato.ledger import Ledger
from sfumato.methods import method as recipe
from sfumato.plan import Plan
from sfumato.plan.fit import MISFIT, fitted_plan
from sfumato.plan.part import plan_of_part
from sfumato.privacy.guarantee import Number
from sfumato.privacy.mechanism import Purse
from sfumato.progress import Wish
from sfumato.progress import rows as told_rows
from sfumato.publishing.doubt import Doubted, check_heard, warned
from sfumato.publishing.estimated import check_estimated
from sfumato.publishing.fit import counted_fit
from sfumato.publishing.people import publish_people
from sfumato.publishing.people_source import given_tables
from sfumato.publishing.row_number import check_rows
from sfumato.publishing.transaction import (
    Produced,
    ReleaseTransaction,
    Write,
    check_promise,
    priced_for,
)
from sfumato.publishing.verify import checks
from sfumato.release.file import Format
from sfumato.release.folder import is_release
from sfumato.release.given_frame import Frame
from sfumato.release.part_file import PartFile, PartSink
from sfumato.release.release import Release
from sfumato.render.drawing import Drawing
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.signature import signing_key
from sfumato.table.engine import Cluster, PartMaker, cluster_of, is_moved
from sfumato.table.file.opening import with_sheet
from sfumato.table.file_task import NoRows
from sfumato.table.header import check_header
from sfumato.table.mapped import Mapped
from sfumato.table.records import Records
from sfumato.table.source import Source, frame_types, number_of_records, open_source
from sfumato.table.sql.counting import CountedTable
from sfumato.table.sql.opening import with_table

__all__ = ["price", "publish", "publish_plan"]

DEFAULT_METHOD = "mosaic"
Progress = Callable[[str, int], None]
_NO_COLUMNS = pa.schema([])
_TRIED = 16  # parts without rows: a few files, so that several machines write one


def price(
    schema: Schema | Mapping[str, Any] | str | Path,
    *,
    method: str = DEFAULT_METHOD,
    epsilon: Number | None = None,
    delta: Number | None = None,
    rho: Number | None = None,
    part: str | Mapping[str, Any] | None = None,
    fit: bool = True,
    misfit: Number = MISFIT,
    **options: Any,
) -> Plan:
    """What a release would measure and cost, from the schema alone; no data is touched.

    `part` is a condition on one column, such as region=North: only records that fulfil it are
    read.  `plan.terms.part` is what a ledger charges then, and `ledger.balance(…).left_for` of it
    what is left for that part.  A fiftieth of the budget buys counts of what does not fit the
    schema, unless `fit` is false; what promises nothing, and what hides each record by itself,
    has none.  More than a share of `misfit` of the records stops the release there.

    >>> plan = price({"name": "t", "columns": {"a": {"kind": "boolean"}}}, epsilon=1)
    >>> [(event.statistic, event.mechanism, str(event.cost)) for event in plan.events]
    ... # doctest: +NORMALIZE_WHITESPACE
    [('fit', 'discrete-laplace', '0.02-differential privacy'),
     ('one-way tables', 'discrete-laplace', '0.98-differential privacy')]
    """
    schema = Schema.read(schema) if isinstance(schema, str | Path) else Schema.of(schema)
    basis = options.get("basis")
    folder = basis.folder if isinstance(basis, Release) else basis
    if isinstance(folder, str | Path) and is_release(Path(folder)):
        _check_sound(Path(folder))
    chosen = recipe(method)
    budget = priced_for(method, chosen.budgeted, epsilon=epsilon, delta=delta, rho=rho)
    if not isinstance(fit, bool):
        raise ParameterError(f"fit must be True or False, got {fit!r}")
    if not fit and misfit is not MISFIT:  # which was given, whatever it says
        raise ParameterError(
            "without counts of what does not fit nothing stops: leave out misfit (--misfit), or "
            "fit=False (--no-fit)"
        )
    if not fit:
        return plan_of_part(chosen, Domain.of(schema), budget, options, part)
    return fitted_plan(chosen, Domain.of(schema), budget, options, part, misfit=misfit)


def publish(
    data: Any,
    *,
    schema: Schema | Mapping[str, Any] | str | Path,
    method: str = DEFAULT_METHOD,
    epsilon: Number | None = None,
    delta: Number | None = None,
    rho: Number | None = None,
    part: str | Mapping[str, Any] | None = None,
    fit: bool = True,
    misfit: Number = MISFIT,
    sheet: str | None = None,
    table: str | None = None,
    ledger: Ledger | str | Path | None = None,
    folder: str | Path | None = None,
    format: Format | None = None,
    rows: int | None = None,
    release: str | None = None,
    sign: str | Path | None = None,
    seed: int | None = None,
    accept_no_guarantee: bool = False,
    progress: Wish = None,
    on_doubt: Doubted = warned,
    **options: Any,
) -> Release:
    """Release a table under a promise.

    `data` is a pandas or polars frame, an Arrow table, a dict of columns, a list of dicts, a polars
    LazyFrame, a DuckDB relation, a frame of Spark or Dask, a connection or URL of a database
    (`sfumato.sql`), or the path of a file (CSV, Parquet, Excel, JSON lines, Stata, SAS, SPSS,
    DuckDB, one of them in a .zip) or of a folder of Parquet files; `Release.data` is a frame for
    frames, in their types, else an Arrow table.  `sheet` names the sheet of a workbook that has
    several, `table` the table or view of a database.  Where the schema is of two files, `data` is
    a dict of both, `persons` and `events`, and so is `Release.data`.  With `folder` the release is
    written there as it is made, in bounded memory.  With `ledger` the charge is durable before a
    record is encoded.  With `sign`, the file of a private key (`sf.signature.create_key`), the
    certificate says who made it.  A `seed` makes a test run without any guarantee.
    What has no proof is published only with `accept_no_guarantee`.  With `part`, a condition on one
    column such as region=North, only those records are read: parts of one table that have no
    record in common cost a ledger their maximum (neighbours: add-remove).  Where more than a share
    of `misfit` of the records do not fit the schema, as noisy counts tell, nothing is published
    (`MisfitError`) and only these counts are paid for: `price` says how much.  Terminals and
    notebooks show how far it is, unless `progress=False`; a function is told instead, phase and
    rows.  `rows` is how many to draw; where a person is the unit, how many persons.  Where public
    facts make it likely that the release will be hardly better than guessing
    (`Plan.doubt`), `on_doubt` is told why before anything is charged: by default it warns
    (`DoubtWarning`), and what it raises stops the release.

    >>> import pyarrow as pa
    >>> table = pa.table({"age": [30, 41, 57] * 50, "smoker": [True, False, False] * 50})
    >>> schema = {"name": "clinic", "columns": {
    ...     "age": {"kind": "integer", "low": 0, "high": 110}, "smoker": {"kind": "boolean"}}}
    >>> release = publish(table, schema=schema, epsilon=1)
    >>> release
    <Release of clinic by mosaic: 1-differential privacy>
    >>> release.data.num_rows, release.data.column_names
    (150, ['age', 'smoker'])
    """
    plan = price(
        schema,
        method=method,
        epsilon=epsilon,
        delta=delta,
        rho=rho,
        part=part,
        fit=fit,
        misfit=misfit,
        **options,
    )
    return publish_plan(
        plan,
        with_table(with_sheet(data, sheet), table),
        ledger=ledger,
        folder=folder,
        format=format,
        rows=rows,
        release=release,
        sign=sign,
        seed=seed,
        accept_no_guarantee=accept_no_guarantee,
        progress=progress,
        on_doubt=on_doubt,
    )


def publish_plan(
    plan: Plan,
    data: Any,
    *,
    ledger: Ledger | str | Path | None = None,
    folder: str | Path | None = None,
    format: Format | None = None,
    rows: int | None = None,
    release: str | None = None,
    sign: str | Path | None = None,
    seed: int | None = None,
    accept_no_guarantee: bool = False,
    progress: Wish = None,
    on_doubt: Doubted = warned,
) -> Release:
    """`publish` for whoever has the plan already, and may want to look at it before.

    >>> import pyarrow as pa
    >>> plan = price({"name": "t", "columns": {"a": {"kind": "boolean"}}}, epsilon=1)
    >>> publish_plan(plan, pa.table({"a": [True, False] * 50})).guarantee
    PureDP(epsilon=Fraction(1, 1))
    """
    check_rows(rows, plan)
    check_heard(on_doubt)
    check_promise(plan.terms, accept_no_guarantee)
    signer = signing_key(sign)
    schema = plan.domain.schema
    tables = given_tables(data, schema)
    if schema.people is not None:
        return publish_people(
            plan,
            tables,
            ledger=ledger,
            folder=folder,
            format=format,
            persons=rows,
            release=release,
            signer=signer,
            seed=seed,
            progress=progress,
            on_doubt=on_doubt,
        )
    if plan.public is not None:
        plan.public.differ_from(data)
    source = open_source(data, tuple(schema.columns), schema.file, counted=True)
    check_header(source, plan.domain, alone=plan.local)
    cluster = cluster_of(source)
    if cluster and format == "csv" and plan.row != "component":
        raise ParameterError("a cluster writes Parquet files: leave out format, or say parquet")
    if plan.in_order and is_moved(source):
        raise ParameterError(
            f"{plan.method} shows in which order and partition the records are, and these are "
            "sorted, joined or parted by their values: publish them as they were before, or "
            "choose a method that draws records"
        )
    if isinstance(source, CountedTable):
        source.check(plan.domain, plan.method)
    counted = None
    # A cluster tells the number where it is public: others may write to its records meanwhile.
    if plan.sized is not None or (cluster and schema.neighbours == "replace-one"):
        counted = number_of_records(source, plan.domain)
    if plan.sized is not None and counted is not None:
        plan = plan.sized(counted)
    if cluster:
        plan = plan.on_cluster()
    frame: Frame = source.kind if source.kind in ("pandas", "polars") else "arrow"
    ledger = Ledger(ledger) if isinstance(ledger, str | Path) else ledger
    if ledger is not None:
        _check_bought(plan, ledger)
        check_estimated(plan.domain.schema, ledger)
    key = None if ledger is None else ledger.fingerprint_key
    written: Format = format or ("parquet" if source.kind == "parquet" else "csv")
    with told_rows(progress) as step:
        publishable = _Table(plan, source, counted, key, rows, seed, step)
        if cluster and (folder is None or publishable.trial is None):
            cluster.draw(NoRows(_NO_COLUMNS), 1, _NO_COLUMNS, _no_file)
        transaction = ReleaseTransaction(
            publishable,
            ledger,
            release,
            seed,
            trial=publishable.trial,
            on_doubt=on_doubt,
            signer=signer,
        )
        return transaction.to(folder, written, frame, frame_types(source))


class _Table:
    """A table to be published."""

    def __init__(
        self,
        plan: Plan,
        source: Source,
        counted: int | None,
        key: bytes | None,
        rows: int | None,
        seed: int | None,
        progress: Progress,
    ) -> None:
        self._plan, self.terms, self.tables = plan, plan.terms, plan.tables
        self._columns = plan.table_schema
        self._cluster = cluster_of(source)
        self._rows, self._seed, self._progress = rows, seed, progress
        domain, read = plan.domain, lambda n: progress("read", n)
        part = source if plan.part is None else plan.part.of_source(source)
        self._records = Records(part, domain, key=key, expected=counted, progress=read)
        # Whom public data may not be taken from: all records.
        self._whole = Records(source, domain)

    def fingerprint(self) -> bytes | None:
        return self._records.fingerprint()

    def produce(self, purse: Purse, _release: str) -> Produced:
        if self._plan.public is not None:
            self._plan.public.are_not(self._whole)
        fit = None
        if self._plan.fit is not None:
            # Read in one pass, bought one after the other: what stops has counted in vain.
            self._records.ahead(*self._plan.first)
            purse.begin(self._plan.fit.counts.budget)
            fit = counted_fit(self._plan.fit, self._records, purse)
            purse.begin(self._plan.fit.rest)
        synopsis = self._plan.measure(self._records, purse)
        # What is drawn from here on is post-processing: its generator needs no secrecy.
        rng = np.random.default_rng(self._seed)
        rows = self._plan.render(synopsis, self._rows, rng)
        record = synopsis.to_json() if hasattr(synopsis, "to_json") else None
        write: Write | None = None
        if self._cluster is not None and isinstance(rows, Drawing):
            write = partial(_drawn, self._cluster, self._columns, rows, rows.parts)
        elif self._cluster is not None and isinstance(rows, Mapped):
            write = partial(rows.written, self._cluster, self._columns)
        return Produced(record, rows, fit, lambda count: self._progress("write", count), write)

    @property
    def trial(self) -> Write | None:
        """Files without rows, where those with rows are not written here."""
        if self._cluster is None or self._plan.row == "component":
            return None
        return partial(_drawn, self._cluster, self._columns, NoRows(self._columns), _TRIED)


def _no_file(number: int, schema: pa.Schema, batches: Iterator[pa.RecordBatch]) -> int:  # noqa: ARG001
    """Where nothing is written by those who count, they are tried without it before the charge."""
    return number


def _drawn(
    cluster: Cluster, columns: pa.Schema, part: PartMaker, parts: int, sink: PartSink
) -> Sequence[PartFile]:
    return cluster.draw(part, parts, columns, sink)


def _check_sound(basis: Path) -> None:
    """What a release has to say of its components is worth what its certificate is worth."""
    if failed := checks(basis).failed:
        raise ParameterError(
            f"basis does not verify ({failed[0].name}: {failed[0].detail}): "
            "get the release again from whoever made it"
        )


def _check_bought(plan: Plan, ledger: Ledger) -> None:
    """Components of another release must be counted beside this one, or be of other records."""
    public = plan.public
    if public is None or public.release is None or plan.options.get("basis_source"):
        return
    entry = ledger.entry(public.release)
    if entry is None or entry.state != "released" or entry.digest != public.digest:
        raise ParameterError(
            f"basis was bought by release {public.release!r}, and this ledger has no such release "
            "or another one under that id: charge the ledger that has it, or say whose records it "
            "is of with basis_source"
        )
