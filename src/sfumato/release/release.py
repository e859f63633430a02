"""A release: data, certificate and, where there is one, the synopsis they came from."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import pyarrow as pa

from sfumato.errors import ReleaseError
from sfumato.privacy.guarantee import Guarantee, Number
from sfumato.release.certificate import Certificate, stated
from sfumato.release.facts import facts_of
from sfumato.release.file import Format
from sfumato.release.fit import Fit
from sfumato.release.folder import FolderWriter
from sfumato.release.given_frame import Frame, as_given
from sfumato.release.reading import read_certificate, read_records, read_synopsis, record_bytes
from sfumato.release.stored_rows import MOST_BYTES, StoredRows
from sfumato.schema.arrow import arrow_schema
from sfumato.schema.domain import Domain
from sfumato.untrusted.fact_table import fact_table

if TYPE_CHECKING:
    from sfumato.accuracy.asking import Answers, Questions

__all__ = ["Release", "table_schema"]


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
        folder: Path | None = None,
        frame: Frame = "arrow",
        types: Mapping[str, Any] | None = None,
    ) -> None:
        self.certificate, self.synopsis, self.folder = certificate, synopsis, folder
        self._table, self._frame, self._types = table, frame, dict(types or {})

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
        """The released records as an Arrow table."""
        if self._table is None:
            self._table = pa.Table.from_batches(self._read(), table_schema(self.certificate))
        return self._table

    @property
    def data(self) -> Any:
        """The released records as the kind of table that was given, in its types.

        Types of the frame come back where they hold what the schema allows; those that pandas
        infers, and those of dates, follow from the schema.  A release that was loaded from its
        folder has the types of the schema: no folder knows what the records were kept in.  Above
        four gigabytes, by the number of rows and the types, they stay in their files:
        `StoredRows`.
        """
        if self._table is None and self.folder is not None:
            schema = table_schema(self.certificate)
            if self.certificate.rows * record_bytes(self.certificate, schema) > MOST_BYTES:
                return StoredRows(schema, self.certificate.rows, self._read)
        return self.like(self.table)

    def _read(self) -> Iterator[pa.RecordBatch]:
        if self.folder is None:
            raise ReleaseError("this release has neither a table nor a folder")
        return read_records(self.folder, self.certificate, table_schema(self.certificate))

    def like(self, table: pa.Table) -> Any:
        """A table, drawn from this release or cut out of it, as the kind that was given."""
        own = self.certificate.columns is not None  # columns that no schema knows
        schema = None if own else self.certificate.public_schema
        return as_given(table, self._frame, self._types, schema)

    def save(self, folder: str | Path, *, format: Format = "csv") -> Path:
        """Write the release as a folder; what is there already is never overwritten.

        One whose data is several files is saved as these files, whatever the format.
        """
        with FolderWriter(Path(folder), format) as writer:
            if self.folder is not None and self.certificate.in_parts:
                writer.copy(self.folder, self.certificate)
            elif self._table is not None:
                writer.write(self._table.to_batches(), self._table.schema)
            else:
                writer.write(self._read(), table_schema(self.certificate))
            writer.finish(self.certificate, self.synopsis)
        return Path(folder)

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

    def __repr__(self) -> str:
        told = self.certificate
        return f"<Release of {told.dataset} by {told.method}: {self.guarantee}>"

    def _repr_html_(self) -> str:
        where = "in memory: save it" if self.folder is None else str(self.folder)
        facts = [*facts_of(self.certificate), ("folder", where)]
        return fact_table(f"Release of {self.certificate.dataset}", facts)


def table_schema(certificate: Certificate) -> pa.Schema:
    """The columns the certificate names, else those of its schema."""
    own = certificate.columns
    if own is None:
        return arrow_schema(Domain.of(stated(certificate.public_schema)))
    types = {"double": pa.float64(), "int64": pa.int64(), "string": pa.string()}
    return pa.schema([pa.field(name, types[kind], nullable=False) for name, kind in own.items()])
