"""The tables of a release by person, checked in one pass: content, values, rules and persons."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

from sfumato.errors import ReleaseError
from sfumato.numeric.arrays import Codes, Whole
from sfumato.publishing.people_check import Joined, PersonKeys, PersonRows, keys_in
from sfumato.release.certificate import Certificate, stated
from sfumato.release.content import TablesContent
from sfumato.release.reading import read_table
from sfumato.release.release import table_schemas
from sfumato.render.decode import Decoder
from sfumato.render.rules import Rules
from sfumato.render.where import parse_where, where_masks
from sfumato.schema.constraint import Combination, ordering
from sfumato.schema.domain import Axis, Domain
from sfumato.schema.person import People
from sfumato.table.encode import encode

__all__ = ["check_people_data"]


def check_people_data(folder: Path, certificate: Certificate) -> str:
    """Refuse what no release by person holds; else what was found, in words."""
    data = _PeopleData(folder, certificate)
    data.check()
    persons = stated(certificate.people).persons
    return (
        f"{persons:,} persons with {certificate.rows:,} rows, every value on the public grid; "
        "keys, constants and order hold"
    )


class _PeopleData:
    """One pass over one table, or over two side by side."""

    def __init__(self, folder: Path, certificate: Certificate) -> None:
        self._folder, self._certificate = folder, certificate
        self._schemas = table_schemas(certificate)
        self._content = TablesContent(self._schemas)
        domain = Domain.of(stated(certificate.public_schema))
        self._domain, self._people = domain, _unit(domain)
        names = [axis.name for axis in domain.axes]
        self._constants = [names.index(name) for name in self._people.per_person]
        self._varying = [names.index(name) for name in self._people.per_row]

    def check(self) -> None:
        rows = PersonRows(self._domain, self._people, stated(self._certificate.people).persons)
        asked = parse_where(self._domain, self._certificate.options.get("where"))
        rules = Rules.of(self._domain, where_masks(self._domain, asked))
        for keys, codes in self._linked() if self._people.linked else self._alone():
            rows(keys, codes)
            _check_kept(rules, codes)
        rows.finish()
        found, told = self._content, self._certificate
        if found.rows != told.rows or found.hexdigest() != told.content.tree:
            raise ReleaseError("the data is not the released content")

    def _alone(self) -> Iterator[tuple[Whole, Codes]]:
        """Keys and codes of the only table."""
        values = _Values(self._domain, self._domain.axes)
        for batch in self._read("data"):
            keys = keys_in(batch, self._people.person)
            yield keys, values(batch.drop_columns([self._people.person]))

    def _linked(self) -> Iterator[tuple[Whole, Codes]]:
        """Keys and codes of events, with those of their persons beside them."""
        persons = self._persons()
        joined = Joined(persons, len(self._constants))
        values = _Values(self._domain, self._axes(self._varying))
        most, last = stated(self._certificate.people).persons, 0
        for batch in self._read("events"):
            keys = keys_in(batch, self._people.person)
            codes = np.zeros((len(keys), len(self._domain.axes)), np.int32, order="F")
            codes[:, self._varying] = values(batch.drop_columns([self._people.person]))
            # Of keys that are refused next nobody is looked for.
            if (np.diff(keys, prepend=last) >= 0).all() and keys.max(initial=0) <= most:
                codes[:, self._constants] = joined(keys)
            yield keys, codes
            last = int(keys.max(initial=last))
        for _ in persons:  # those without a row after the last one that has any
            pass

    def _persons(self) -> Iterator[Codes]:
        """The codes of the table of persons, checked by themselves."""
        name = str(self._people.key)
        schema, axes = self._domain.schema, self._axes(self._constants)
        named = set(self._people.per_person)
        own = [rule for rule in schema.constraints if _columns(rule, self._domain) <= named]
        rules = Rules.of(Domain(schema.model_copy(update={"constraints": tuple(own)}), axes))
        check, values = PersonKeys(name), _Values(self._domain, axes)
        for batch in self._read("persons"):
            check(keys_in(batch, name))
            codes = values(batch.drop_columns([name]))
            _check_kept(rules, codes)
            yield codes

    def _axes(self, places: list[int]) -> tuple[Axis, ...]:
        return tuple(self._domain.axes[place] for place in places)

    def _read(self, table: str) -> Iterator[pa.RecordBatch]:
        schema = self._schemas[table]
        for batch in read_table(self._folder, self._certificate, table, schema):
            self._content.update(table, batch)
            yield batch


class _Values:
    """The codes of some columns; refused where a value is none that the schema has."""

    def __init__(self, domain: Domain, axes: tuple[Axis, ...]) -> None:
        self._domain = Domain(domain.schema, axes)
        self._decoder = Decoder(self._domain)

    def __call__(self, batch: pa.RecordBatch) -> Codes:
        codes = encode(self._domain, batch)
        again = self._decoder.batch(codes)
        if not again.equals(pa.RecordBatch.from_arrays(batch.columns, schema=again.schema)):
            raise ReleaseError("the data holds values outside the public grid")
        return codes


def _columns(rule: str | Combination, domain: Domain) -> set[str]:
    """What a constraint is about."""
    if isinstance(rule, Combination):
        return set(rule.columns)
    first, _, second = ordering(rule, domain.schema.released)
    return {first, second}


def _check_kept(rules: Rules, codes: Codes) -> None:
    if not rules.keeps(codes).all():
        raise ReleaseError("the data holds a record that its constraints or where rule out")


def _unit(domain: Domain) -> People:
    if domain.schema.people is None:
        raise ReleaseError("the certificate is about another kind of data")
    return domain.schema.people
