"""Buy the ranges and categories that nobody declared: a release like any other.

What can be refused is refused from the header, the kinds, the budget and the number of records,
before the ledger is charged; the rest is `sfumato.publishing.transaction`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from sfumato.errors import ParameterError, ReleaseError
from sfumato.facts.kinds import kinds_of
from sfumato.facts.measuring import Reader
from sfumato.facts.plan import COLUMNS, FactsPlan, check_units, facts_terms, planned
from sfumato.facts.writing import check_room, facts_of, read_facts, rows_of
from sfumato.ledger import Ledger
from sfumato.privacy.budget import budget as stated_budget
from sfumato.privacy.guarantee import ApproxDP, Number, PureDP, Seeded
from sfumato.privacy.mechanism import Purse
from sfumato.progress import Wish
from sfumato.progress import rows as told_rows
from sfumato.publishing.transaction import Produced, ReleaseTransaction, dataset_name
from sfumato.release.certificate import stated
from sfumato.release.file import Format
from sfumato.release.release import Release
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.schema.partial import PartialSchema
from sfumato.signature import signing_key
from sfumato.table.header import check_header
from sfumato.table.source import Source, number_of_records, open_source

__all__ = ["Estimate", "estimate_schema", "schema_of"]

_TEST = "a seeded test of sfumato schema estimate: no guarantee, and not to be published with"
Given = PartialSchema | Schema | Mapping[str, Any] | str | Path | None


class Estimate(NamedTuple):
    """A whole schema, and the release that bought what it states."""

    schema: Schema
    release: Release


def estimate_schema(
    data: Any,
    *,
    schema: Given = None,
    epsilon: Number,
    delta: Number | None = None,
    ledger: Ledger | str | Path | None = None,
    groups: Iterable[Sequence[str]] = (),
    records: int | None = None,
    share: Number = "2/3",
    name: str | None = None,
    folder: str | Path | None = None,
    format: Format = "csv",
    release: str | None = None,
    sign: str | Path | None = None,
    seed: int | None = None,
    progress: Wish = None,
) -> Estimate:
    """Buy what a schema leaves blank; what is declared stays as it is.

    `schema` states the kinds, with low, high and values left blank where they are to be bought;
    without one, kinds are those that a Parquet file or a frame is stored in.  `groups` are columns
    of one meaning, such as six monthly payments: they share a range for the price of one.
    `records` is about how many there are, where their number is not public (add-remove).
    `sign` is the file of a private key, which signs the certificate.
    Terminals and notebooks show how far it is, unless `progress=False`; a function is told
    instead, phase and rows.

    >>> table = pa.table({"age": [20 + k % 60 for k in range(5000)]})
    >>> kinds = {"name": "clinic", "columns": {"age": {"kind": "integer"}}}
    >>> found = estimate_schema(table, schema=kinds, epsilon=1)
    >>> found.release
    <Release of clinic by ranges: 1-differential privacy>
    >>> found.schema.columns["age"].low <= 20, found.schema.columns["age"].high >= 79
    (True, True)
    """
    budget = stated_budget(epsilon=epsilon, delta=delta)
    signer = signing_key(sign)
    asked = None if schema is None else _asked(schema, groups)
    template = None if asked is None else asked.template
    if asked is not None:
        check_units(asked)
    source = open_source(
        data,
        None if template is None else tuple(template.columns),
        None if template is None else template.file,
    )
    ledger = Ledger(ledger) if isinstance(ledger, str | Path) else ledger
    if asked is None:
        called = dataset_name(name, data, default="table", charged=ledger is not None)
        asked = PartialSchema.of(kinds_of(source, called), groups)
    elif name is not None:
        raise ParameterError("the schema names the data set: leave out name")
    check_header(source, Domain.of(asked.template), blank=asked.categories)
    if release is not None and release in asked.template.bought:
        raise ParameterError(
            f"release {release!r} is what other columns of the schema were bought by: choose "
            "another id"
        )
    plan = planned(asked, budget, records=_records(asked, source, records), share=share)
    check_room(plan)
    key = None if ledger is None else ledger.fingerprint_key
    with told_rows(progress) as step:
        publishable = _Facts(plan, source, key, step)
        transaction = ReleaseTransaction(publishable, ledger, release, seed, signer=signer)
        made = transaction.to(folder, format, "arrow")
    return Estimate(schema_of(made), made)


def schema_of(release: Release) -> Schema:
    """The schema that an estimate gives, with the release and its price as provenance.

    A seeded estimate bought nothing: its columns say so, as their source.
    """
    certificate = release.certificate
    asked, price = stated(certificate.estimate).asked, certificate.budget
    facts = read_facts(asked, release.table.to_pylist())
    if not isinstance(price, PureDP | ApproxDP):
        raise ReleaseError("the certificate does not state a valid budget")
    origin: dict[str, Any] = {"source": _TEST}
    if not isinstance(certificate.guarantee, Seeded):
        paid = {"release": certificate.release, "epsilon": str(price.epsilon)}
        if isinstance(price, ApproxDP):
            paid["delta"] = str(price.delta)
        origin = {"provenance": paid}
    return asked.completed({name: {**found, **origin} for name, found in facts.items()})


def _asked(schema: Given, groups: Iterable[Sequence[str]]) -> PartialSchema:
    if isinstance(schema, PartialSchema):
        return schema
    if isinstance(schema, str | Path):
        return PartialSchema.read(schema, groups)
    return PartialSchema.of(schema, groups)


def _records(asked: PartialSchema, source: Source, told: int | None) -> int:
    """How many records the plan is made for: a public number."""
    if asked.template.neighbours == "replace-one":
        if told is not None:
            raise ParameterError("records are counted under replace-one: leave out records")
        return number_of_records(source, Domain.of(asked.template))
    if told is None or isinstance(told, bool) or not isinstance(told, int) or told < 1:
        raise ParameterError(
            "the number of records is private under add-remove: say about how many there are, from "
            "public knowledge (--records, records=…)"
        )
    return told


class _Facts:
    """A table of which facts are to be bought."""

    def __init__(
        self,
        plan: FactsPlan,
        source: Source,
        key: bytes | None,
        step: Callable[[str, int], None],
    ) -> None:
        self.terms, self.tables = facts_terms(plan), {"data": COLUMNS}
        self._plan = plan
        self._reader = Reader(plan, source, key, lambda rows: step("read", rows))

    def fingerprint(self) -> bytes | None:
        return self._reader.fingerprint()

    def produce(self, purse: Purse, _release: str) -> Produced:
        rows = rows_of(facts_of(self._plan, self._reader.measured(purse)))
        columns = list(zip(*rows, strict=True)) or [(), (), ()]
        table = pa.table(dict(zip(COLUMNS.names, columns, strict=True)), schema=COLUMNS)
        return Produced(None, iter(table.to_batches()))
