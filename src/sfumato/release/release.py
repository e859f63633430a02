"""A release: data, certificate and, where there is one, the synopsis they came from."""

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import pyarrow as pa

from sfumato.errors import ReleaseError
from sfumato.privacy.guarantee import Guarantee, Number
from sfumato.release.certificate import Certificate
from sfumato.release.facts import facts_of
from sfumato.release.file import Format
from sfumato.release.fit import Fit
from sfumato.release.folder import FolderWriter
from sfumato.release.given_frame import Frame, as_given
from sfumato.release.people_facts import released_tables
from sfumato.release.reading import read_certificate, read_synopsis, read_table, record_bytes
from sfumato.release.stored_rows import MOST_BYTES, StoredRows
from sfumato.signature import PrivateKey, signing_key
from sfumato.untrusted.fact_table import fact_table

if TYPE_CHECKING:
    from sfumato.accuracy.asking import Answers, Questions

__all__ = ["Release", "table_schema", "table_schemas"]


class Release:
    """What may be published and what it promises.  Looking at it twice costs nothing.

    >>> import sfumato as sf
    >>> schema = sf.Schema.parse(sf.example.CLINIC)
    >>> release = sf.publish(sf.example.clinic(300), schema=schema, epsilon=1)
    >>> release.guarantee, release.data.num_rows
    (PureDP(epsilon=Fraction(1, 1)), 300)
    >>> [answer.question for answer in release.accuracy(mean=["age", "weight"])]
    ['mean of age', 'mean of weight']
    """

    def __init__(
        self,
        certificate: Certificate,
        *,
        synopsis: Mapping[str, Any] | None = None,
        table: pa.Table | None = None,
        tables: Mapping[str, pa.Table] | None = None,  # by name, where there may be several
        folder: Path | None = None,
        frame: Frame = "arrow",
        types: Mapping[str, Any] | None = None,
        signer: PrivateKey | None = None,  # who signs the files, once there are some
    ) -> None:
        self._signer = signer
        self.certificate, self.synopsis, self.folder = certificate, synopsis, folder
        self._tables = dict(tables or {}) if table is None else {"data": table}
        self._frame, self._types = frame, dict(types or {})

    @property
    def guarantee(self) -> Guarantee:
        """The promise, as a value."""
        return self.certificate.guarantee

    @property
    def fit(self) -> Fit | None:
        """How well the records fitted the schema; None where that was not counted."""
        return None if self.certificate.fit is None else Fit.of(self.certificate.fit)

    @property
    def table(self) -> pa.Table:
        """The released records as an Arrow table; refused where there are two: `tables`."""
        (name,) = _one_table(self.certificate)
        return self._whole(name)

    @property
    def tables(self) -> dict[str, pa.Table]:
        """The released tables by name: `data`, or `persons` and `events`."""
        return {name: self._whole(name) for name in table_schemas(self.certificate)}

    def _whole(self, name: str) -> pa.Table:
        if name not in self._tables:
            schema = table_schemas(self.certificate)[name]
            self._tables[name] = pa.Table.from_batches(self._read(name), schema)
        return self._tables[name]

    @property
    def data(self) -> Any:
        """The released records as the kind of table that was given, in its types.

        Types of the frame come back where they hold what the schema allows; those that pandas
        infers, and those of dates, follow from the schema.  A release that was loaded from its
        folder has the types of the schema: no folder knows what the records were kept in.  Above
        four gigabytes, by the number of rows and the types, they stay in their files:
        `StoredRows`.  Of persons and their events it is both, by name: `persons`, `events`.
        """
        found = {name: self._handed_out(name) for name in table_schemas(self.certificate)}
        return found.get("data", found)

    def _handed_out(self, name: str) -> Any:
        """One table as the kind that was given, or in its file."""
        schema, told = table_schemas(self.certificate)[name], self.certificate
        if name not in self._tables and self.folder is not None:
            rows = told.people.persons if told.people and name == "persons" else told.rows
            if rows * record_bytes(told, schema) > MOST_BYTES:
                return StoredRows(schema, rows, partial(self._read, name))
        return self.like(self._whole(name))

    def _read(self, name: str) -> Iterator[pa.RecordBatch]:
        if self.folder is None:
            raise ReleaseError("this release has neither a table nor a folder")
        schema = table_schemas(self.certificate)[name]
        return read_table(self.folder, self.certificate, name, schema)

    def like(self, table: pa.Table) -> Any:
        """A table, drawn from this release or cut out of it, as the kind that was given."""
        own = self.certificate.columns is not None  # columns that no schema knows
        schema = None if own else self.certificate.public_schema
        return as_given(table, self._frame, self._types, schema)

    def save(
        self, folder: str | Path, *, format: Format = "csv", sign: str | Path | None = None
    ) -> Path:
        """Write the release as a folder; what is there already is never overwritten.

        One whose data is several files is saved as these files, whatever the format.  `sign` is
        the file of a private key: it signs what is saved, in place of a signature that there was.
        Without it a release that was read from a folder keeps the signature of what it states,
        and files that are written otherwise are signed no longer.
        Verify first what somebody else may have changed.
        """
        key = signing_key(sign) or self._signer
        with FolderWriter(Path(folder), format) as writer:
            if self.folder is not None and self.certificate.in_parts:
                writer.copy(self.folder, self.certificate)
            else:
                schemas = {**table_schemas(self.certificate)}
                schemas |= {name: table.schema for name, table in self._tables.items()}
                writer.write_tables(self._batches(schemas), schemas)
            writer.finish(self.certificate, self.synopsis, key)
        return Path(folder)

    def _batches(self, names: Iterable[str]) -> Iterator[tuple[str, pa.RecordBatch]]:
        for name in names:
            kept = self._tables.get(name)
            for batch in self._read(name) if kept is None else kept.to_batches():
                yield name, batch

    def accuracy(self, *, confidence: Number = 0.95, **asked: Unpack["Questions"]) -> "Answers":
        """How far its numbers may be off, from the release alone, in the order of the questions.

        They are `count={"ward": "surgery"}`, `mean="age"`, `column="ward"` and
        `largest="ward"`: see `sfumato.accuracy.ask`.
        """
        import sfumato  # the front door: this layer does not know who reads releases

        return sfumato.accuracy.ask(self, confidence=confidence, **asked)

    def report(self, path: str | Path | None = None, *, force: bool = False) -> Path:
        """Write its page for readers, `report.html` in its folder or another file, and say where.

        What is there already is replaced only with `force`.  See `sfumato.write_report`.
        """
        import sfumato  # as above

        return sfumato.write_report(self, path, force=force)

    @classmethod
    def load(cls, folder: str | Path, *, frame: Frame = "arrow") -> "Release":
        """A release from its folder; the data is read when it is asked for."""
        folder = Path(folder)
        certificate = read_certificate(folder)
        synopsis = read_synopsis(folder, certificate)
        return cls(certificate, synopsis=synopsis, folder=folder, frame=frame)

    def __getstate__(self) -> dict[str, Any]:
        """All but the key: it stays in its file."""
        return {**self.__dict__, "_signer": None}

    def __repr__(self) -> str:
        told = self.certificate
        return f"<Release of {told.dataset} by {told.method}: {self.guarantee}>"

    def _repr_html_(self) -> str:
        where = "in memory: save it" if self.folder is None else str(self.folder)
        facts = [*facts_of(self.certificate), ("folder", where)]
        return fact_table(f"Release of {self.certificate.dataset}", facts)


def table_schemas(certificate: Certificate) -> dict[str, pa.Schema]:
    """The columns of each table by name: those the certificate names, else those of its schema."""
    return released_tables(certificate.public_schema, certificate.columns)


def _one_table(certificate: Certificate) -> dict[str, pa.Schema]:
    """The same of a release that has one table; refused where it has two."""
    found = table_schemas(certificate)
    if len(found) > 1:
        raise ReleaseError(
            f"this release has {len(found)} tables ({', '.join(found)}): take one of them from "
            "release.tables"
        )
    return found


def table_schema(certificate: Certificate) -> pa.Schema:
    """The columns of a release that has one table."""
    (found,) = _one_table(certificate).values()
    return found
