"""The certificate of a release, `release.json`: what was done, what is promised, what is not.

Unit, domain, unprotected quantities, accounting and implementation are the fields of the
third transparency tier of the OpenDP deployments registry; the order follows NIST SP 800-226.

Whoever received a release has a certificate that anybody could have written.  The type and range
of every field is checked here, once, before anything is computed from it or allocated for it;
whether what it states is true is for `sfumato verify`.
"""

import json
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Annotated, Any, Literal, NoReturn, Self, TypeVar

from pydantic import (
    BaseModel,
    Field,
    PlainSerializer,
    PlainValidator,
    ValidationError,
    model_validator,
)

from sfumato.errors import ParameterError, Refused, ReleaseError
from sfumato.privacy.guarantee import Guarantee, from_json, to_json
from sfumato.privacy.mechanism import Event
from sfumato.release.digest import digest
from sfumato.release.file_name import (
    FileName,
    data_names,
    listed_names,
    part_name,
    sound_names,
)
from sfumato.release.fit import FitFacts
from sfumato.release.kind import KINDS, Kind
from sfumato.release.people_facts import PeopleFacts, check_people, table_names
from sfumato.release.section import Section
from sfumato.release.signed import SignatureFacts
from sfumato.release.threshold import opening_threshold
from sfumato.schema import Schema
from sfumato.schema.partial import PartialSchema
from sfumato.untrusted.fact_table import fact_table

__all__ = ["FORMAT", "MOST_LONELY", "Certificate", "Continues", "PartyFacts", "stated"]

FORMAT = 2  # format 1 had another digest of the content, and is still read
MOST_LONELY = 2**20  # nodes without an edge: in no edge list, so only their number is known
_MOST_ROWS = 2**48
_MOST_KEYS = 2**22
_LONGEST_FIGURE = 4_000  # characters
_LONGEST_TEXT = 200  # characters of a file that are repeated in a message
Read = TypeVar("Read")


def _guarantee(record: Any) -> Guarantee:
    if not isinstance(record, dict) or not all(isinstance(v, str) for v in record.values()):
        raise ValueError("not a guarantee")
    if max(map(len, record.values()), default=0) > _LONGEST_FIGURE:
        raise ValueError("a figure of too many digits")
    return _read(from_json, record)


def _event(record: Any) -> Event:
    if not isinstance(record, dict) or not isinstance(record.get("cost"), dict):
        raise ValueError("not a mechanism event")
    if len(json.dumps(record)) > 4 * _LONGEST_FIGURE:
        raise ValueError("a figure of too many digits")
    _guarantee(record["cost"])
    return _read(Event.from_json, record)


def _schema(record: Any) -> Schema:
    return _read(Schema.from_json, record)


def _asked(record: Any) -> PartialSchema:
    return _read(PartialSchema.of, record)


def _read(reader: Callable[[Any], Read], record: Any) -> Read:
    try:
        return reader(record)
    except Refused as error:
        raise ValueError(str(error)) from None


Line = Annotated[str, Field(max_length=10_000)]
Lines = Annotated[tuple[Line, ...], Field(strict=False)]  # JSON has lists only
Name = Annotated[str, Field(min_length=1, max_length=500)]
Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Count = Annotated[int, Field(ge=0, le=_MOST_ROWS)]
Promise = Annotated[Guarantee, PlainValidator(_guarantee), PlainSerializer(to_json)]
Bought = Annotated[Event, PlainValidator(_event), PlainSerializer(Event.to_json)]
PublicSchema = Annotated[Schema, PlainValidator(_schema), PlainSerializer(Schema.to_json)]
Asked = Annotated[PartialSchema, PlainValidator(_asked), PlainSerializer(PartialSchema.to_json)]
Facts = TypeVar("Facts", bound=BaseModel)
ColumnType = Literal["double", "int64", "string"]


class NetworkFacts(Section):
    """What is public about a network."""

    nodes: Count
    edges: Count
    directed: bool
    wanted_pairs: Count | None = Field(alias="wanted pairs")
    # What became of the two weights of an edge that was listed in both directions.
    merged: Literal["mean", "sum"] | None = Field(None, alias="merged directions", repr=False)

    @model_validator(mode="after")
    def _joined(self) -> Self:
        if self.nodes > 2 * self.edges + MOST_LONELY:
            raise ValueError(
                f"more than {MOST_LONELY:,} of the nodes have no edge: no such network is published"
            )
        return self


class Continues(Section):
    """Which part of a series this is, of the release that was charged for all of them."""

    release: Name
    part: Count | None = None
    start: Count = Field(alias="from")


class StreamFacts(Section):
    """What is public about a stream."""

    horizon: Annotated[int, Field(ge=1, lt=2**63)]
    continues: Continues | None


class CountFacts(Section):
    """What is public about counts."""

    keys: Annotated[int, Field(ge=1, le=_MOST_KEYS)]
    records: Annotated[int, Field(ge=0, lt=2**63)] | None


class EstimateFacts(Section):
    """What was asked for, a schema with blanks, and the number of records it was planned for."""

    asked: Asked
    records: Count


class BoughtFacts(Section):
    """What earlier releases cost that bought facts of the schema, and all of it together."""

    releases: Annotated[dict[Name, Promise], Field(min_length=1)]
    together: Promise | None


class PartyFacts(Section):
    """Who made a release together, and whom the promise holds against."""

    agreement: Digest
    names: Annotated[tuple[Name, ...], Field(strict=False, min_length=2, max_length=100)]
    contributed: Annotated[tuple[Name, ...], Field(strict=False, min_length=1, max_length=100)]
    dropouts: Annotated[int, Field(ge=0)]
    colluders: Annotated[int, Field(ge=0)]
    honest: Annotated[int, Field(ge=1)]  # shares of the noise that make it whole
    threshold: Annotated[int, Field(ge=1)]  # parties that open the sum

    @model_validator(mode="after")
    def _enough(self) -> Self:
        several, fewest = len(self.names), len(self.names) - self.dropouts
        known = [name for name in self.names if name in self.contributed]
        if tuple(known) != self.contributed or len(set(self.names)) < several:
            raise ValueError("those that contributed must be parties, each once and in order")
        if self.honest != fewest - self.colluders or len(known) < fewest:
            raise ValueError("fewer parties contributed, or more shares are relied on, than stated")
        if self.threshold != opening_threshold(several, self.dropouts, self.colluders):
            raise ValueError("the threshold is not the one that these parties have")
        return self

    def noises(self, event: Event) -> Fraction | None:
        """How often the noise of the event is in each number; None where it has another law.

        Shares of discrete Laplace noise are Pólya's, and so many of them as one likes have its law
        to that power; shares of Gaussian noise are a little wider than a part of it.
        """
        if self.honest > 1 and event.mechanism != "discrete-laplace":
            return None
        return Fraction(len(self.contributed), self.honest)


class ContentDigest(Section):
    """A digest of the released values, whatever the file format: the tree, or that of format 1."""

    tree: Digest | None = Field(None, alias="sha256-tree")
    blake2b: Digest | None = Field(None, alias="blake2b-256")


class LedgerHead(Section):
    """The ledger that was charged, and its last line then."""

    id: Name
    head: Name


class Certificate(Section):
    """What a release states about itself.  `of` reads it, `issued` and `to_json` write it.

    >>> import sfumato as sf, pyarrow as pa
    >>> schema = {"name": "t", "columns": {"a": {"kind": "boolean"}}}
    >>> release = sf.publish(pa.table({"a": [True] * 9}), schema=schema, epsilon=1)
    >>> release.certificate.dataset, release.certificate.kind.name, release.certificate.statement
    ('t', 'table', '1-differential privacy')
    >>> Certificate.of(release.certificate.to_json()) == release.certificate
    True
    """

    format: Literal[1, 2]
    release: Name
    dataset: Name
    unit: Line
    neighbours: Line
    # One of five, by the kind of data.
    public_schema: PublicSchema | None = Field(default=None, alias="schema")
    network: NetworkFacts | None = None
    stream: StreamFacts | None = None
    counts: CountFacts | None = None
    estimate: EstimateFacts | None = None
    part: Annotated[dict[Name, Line], Field(min_length=1, max_length=1)] | None = None
    parties: PartyFacts | None = None  # where several made it together
    fit: FitFacts | None = None  # how well the records fitted the schema, where that was counted
    bought: BoughtFacts | None = None  # where earlier releases bought ranges or values
    people: PeopleFacts | None = None  # where a person is the unit
    method: Annotated[str, Field(pattern=r"^[a-z0-9-]{1,100}$")]
    options: dict[Name, Any]
    guarantee: Promise
    statement: Line
    budget: Promise | None
    events: Annotated[tuple[Bought, ...], Field(strict=False, min_length=1, max_length=10_000)]
    invariants: Lines
    columns: dict[Name, ColumnType] | None  # of the data file, where they are not the schema's
    rows: Count
    content: ContentDigest
    synopsis: Digest | None
    ledger: LedgerHead | None
    randomness: Line
    warnings: Lines
    limits: Lines
    versions: dict[Name, Line]
    signature: SignatureFacts | None = None
    # Of a release in a folder:
    files: dict[FileName, Digest] = Field(default_factory=dict)
    seal: Digest | None = None

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        about = [kind for kind in KINDS if self._section(kind) is not None]
        if len(about) != 1:
            raise ValueError("it must be about one of schema, network, stream, counts and estimate")
        if self.public_schema is None and self.columns is None:
            raise ValueError("columns must be stated where there is no schema")
        if self.part is not None and self.public_schema is None:
            raise ValueError("only a table has parts of this kind")
        if self.parties is not None and (
            self.public_schema is None or self.part is not None or self.ledger is not None
        ):
            raise ValueError("parties publish whole tables together, and charge them elsewhere")
        if self.fit is not None and (self.public_schema is None or self.parties is not None):
            raise ValueError("only the records of a table that has one owner are held to a schema")
        older, content = self.format == 1, self.content
        if ((content.blake2b is None), (content.tree is None)) != (not older, older):
            raise ValueError("content must be stated as this format does")
        check_people(self.people, self.public_schema, self.columns)
        tables = table_names(self.public_schema, self.columns)
        parts = not older and self.people is None
        if self.files and not sound_names(self.files, parts=parts, tables=tables):
            raise ValueError("files must list one data file, or parts of it without a gap")
        return self

    @property
    def data_files(self) -> tuple[str, ...]:
        """Where the records are, in order; nothing of a release that lies in no folder."""
        return data_names(self.files)

    @property
    def listed(self) -> list[str]:
        """The files of its folder, for people: parts of the data are only counted."""
        return listed_names(self.files)

    @property
    def in_parts(self) -> bool:
        """Whether the data is several files, or may be: they lie in a folder of their own."""
        return part_name(0) in self.files

    def _section(self, kind: Kind) -> object:
        return self.public_schema if kind.section == "schema" else getattr(self, kind.section)

    @property
    def kind(self) -> Kind:
        """The kind of data that was published."""
        return next(kind for kind in KINDS if self._section(kind) is not None)

    @property
    def words(self) -> Kind:
        """The kind, in words that suit what is protected."""
        return self.kind.in_words_of(self.unit)

    @property
    def measured(self) -> tuple[Event, ...]:
        """What the method itself bought: all but the counts of what does not fit."""
        return self.events if self.fit is None else self.events[1:]

    @property
    def continues(self) -> Continues | None:
        """The series that this is a later part of; None for everything else."""
        return None if self.stream is None else self.stream.continues

    @classmethod
    def of(cls, record: Mapping[str, Any], where: str = "the certificate") -> Self:
        """A certificate from what `to_json` wrote; refused by the field that is wrong.

        `where` names the file in refusals.
        """
        if type(record.get("format")) is not int or record["format"] not in (1, FORMAT):
            raise ReleaseError(f"{where} has a format this version does not read")
        found = cls._checked(record)
        if isinstance(found, str):
            raise ReleaseError(f"{where} is damaged: {found}. Ask for the release again")
        return found

    @classmethod
    def issued(cls, record: Mapping[str, Any]) -> Self:
        """A certificate that is being made; refused where none could state this."""
        found = cls._checked(record)
        if isinstance(found, str):
            raise ParameterError(f"no certificate can state this: {found}")
        return found

    @classmethod
    def _checked(cls, record: Mapping[str, Any]) -> Self | str:
        """The certificate, or what is wrong with it."""
        try:
            found = cls.model_validate(record)
        except ValidationError as error:
            return _fault(error)
        # What would be written otherwise was not written by us: 1.0 for 1, say.
        if json.dumps(found.to_json(), sort_keys=True) != json.dumps(record, sort_keys=True):
            return "it states its figures in a form of its own"
        return found

    def sealed(self, files: Mapping[str, str]) -> Self:
        """The certificate of these files with its seal; others than were signed are not signed."""
        record = {**self.to_json(), "files": dict(files), "seal": self.digest}
        if self.signature is not None and self.files != dict(files):
            record["signature"].pop("files", None)
        return self.of(record)

    @property
    def digest(self) -> str:
        """What the ledger knows the release by, wherever and however it is saved."""
        return digest({k: fact for k, fact in self.to_json().items() if k != "signature"})

    def to_json(self) -> dict[str, Any]:
        """What `release.json` holds."""
        return self.model_dump(mode="json", by_alias=True, exclude_unset=True)

    def _repr_html_(self) -> str:
        from sfumato.release.facts import facts_of  # which reads certificates itself

        return fact_table(f"Certificate of {self.dataset}", facts_of(self))

    def __getitem__(self, name: str) -> NoReturn:
        raise TypeError(f"a certificate has attributes: certificate.{name}, or to_json() as a dict")


def stated(facts: Facts | None) -> Facts:
    """What a certificate states of its kind of data; refused where it is about another kind."""
    if facts is None:
        raise ReleaseError("the certificate is about another kind of data")
    return facts


def _fault(error: ValidationError) -> str:
    first, *more = error.errors(include_url=False, include_input=False)
    field = ".".join(str(part) for part in first["loc"] if not _of_a_union(part)) or "it"
    what = first["msg"].removeprefix("Value error, ")
    if first["type"] == "extra_forbidden":
        what = "a field that no certificate has"
    rest = f"; {len(more)} more" if more else ""
    return f"{_brief(field)}: {what[:1].lower()}{_brief(what[1:])}{rest}"


def _brief(text: str) -> str:
    """As much of what a stranger may have written as a line has room for."""
    return text if len(text) <= _LONGEST_TEXT else f"{text[:_LONGEST_TEXT]}…"


def _of_a_union(part: Any) -> bool:
    """Whether a part of a place is pydantic's name for one of several types, not ours."""
    return isinstance(part, str) and part.startswith(("constrained-", "function-", "[key]", "is-"))
