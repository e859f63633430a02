"""Reserve, draw, write, settle: the one transaction of every release, whatever is published.

The charge is on disk before a private value is encoded; the draw is on disk before a bit of
noise exists; the folder appears whole; then the ledger is told what was released.  A crash
wastes budget, never grants it.
"""

import re
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import pyarrow as pa

from sfumato.errors import LedgerError, MisfitError, ParameterError, Refused, ReleaseError
from sfumato.ledger import Ledger
from sfumato.ledger.rules import part_id
from sfumato.plan.terms import ReleaseTerms
from sfumato.privacy.budget import Budget
from sfumato.privacy.budget import budget as stated_budget
from sfumato.privacy.guarantee import Heuristic, Number
from sfumato.privacy.mechanism import Purse
from sfumato.privacy.randomness import Bits, SeededBits, SystemBits
from sfumato.publishing.certify import certify, check_certifiable
from sfumato.publishing.doubt import Doubted, unheard
from sfumato.publishing.people_rows import PeopleRows
from sfumato.publishing.row_stream import hashed_tables
from sfumato.release.certificate import Certificate
from sfumato.release.content import PartsContent, TablesContent
from sfumato.release.file import Format
from sfumato.release.fit import FitFacts
from sfumato.release.folder import FolderWriter, is_release
from sfumato.release.given_frame import Frame
from sfumato.release.part_file import PartFile, PartSink
from sfumato.release.reading import read_certificate
from sfumato.release.release import Release
from sfumato.release.signed import signed
from sfumato.signature import PrivateKey
from sfumato.table.sql.name import table_in
from sfumato.table.sql.opening import SqlTable

__all__ = [
    "Charged",
    "Part",
    "Publishable",
    "ReleaseTransaction",
    "Write",
    "check_promise",
    "dataset_name",
    "priced_for",
]

_LONGEST_NAME = 200
Write = Callable[[PartSink], Sequence[PartFile]]  # files in parts; what was written, in order


class Produced(NamedTuple):
    """What a release is made of."""

    synopsis: Mapping[str, Any] | None
    batches: Iterable[pa.RecordBatch] | PeopleRows
    fit: FitFacts | None = None  # of tables, where it was counted
    told: Callable[[int], None] | None = None  # of how many rows were written, a few at a time
    # Where the rows are written in parts, by whatever holds the records.
    write: Write | None = None

    @property
    def persons(self) -> int | None:
        """How many were drawn, once all of them are; None where a row is the unit."""
        return self.batches.persons if isinstance(self.batches, PeopleRows) else None


class Publishable(Protocol):
    """What is published: what is known of it to all, and the private values behind it."""

    @property
    def terms(self) -> ReleaseTerms:
        """What will be done, decided from public facts."""

    @property
    def tables(self) -> Mapping[str, pa.Schema]:
        """Names and types of each released table, by its name: mostly one, `data`."""

    def fingerprint(self) -> bytes | None:
        """A digest of all private values under the ledger's key."""

    def produce(self, purse: Purse, release: str) -> Produced:
        """The synopsis, if there is one, and the released table, under this id.

        `MisfitError` where the records do not fit: then no more was bought than the terms say.
        """


@dataclass(frozen=True, slots=True)
class Part:
    """A later part of a series: it is counted in the ledger and costs nothing more."""

    series: str  # the release id under which it was charged
    number: int  # 1 for the first part after the beginning

    @property
    def release(self) -> str:
        """The id of this part."""
        return part_id(self.series, self.number)


@dataclass(frozen=True)
class ReleaseTransaction:
    """One release under way: in memory, or into a folder."""

    publishable: Publishable
    ledger: Ledger | None = None
    release: str | None = None
    seed: int | None = None
    part: "Part | None" = None  # of a series that was charged when it began
    trial: Write | None = None  # empty files, as those are written that come after the charge
    on_doubt: Doubted = unheard  # told before the charge
    signer: PrivateKey | None = None  # who signs the certificate; read before anything is charged

    def __post_init__(self) -> None:
        if self.seed is not None and self.ledger is not None:
            raise ParameterError("a seeded run is a test: leave out the seed, or the ledger")

    def to(
        self,
        folder: str | Path | None,
        format: Format,
        frame: Frame,
        types: Mapping[str, Any] | None = None,
    ) -> Release:
        """The release, as it was made before under the same id or in this folder, or anew.

        `frame` and `types` are those of the records: what `Release.data` goes back to.
        """
        place = None if folder is None else _place(folder)
        if self.ledger is not None and (done := self._already(self.ledger, place, frame)):
            return done
        if place is not None and format not in ("csv", "parquet"):
            raise ParameterError(f"format must be csv or parquet, got {format!r}")
        release = self.release or secrets.token_hex(8)
        check_certifiable(self.publishable.terms, release)
        if (doubt := self.publishable.terms.doubt) is not None:
            self.on_doubt(doubt)
        step = _Step(self.publishable, self.ledger, release, self.seed, self.part, self.signer)
        if place is None:
            return step.in_memory(frame, types)
        with FolderWriter(place, format) as writer:
            if self.trial is not None:
                writer.rehearse(self.trial)
            return step.in_folder(writer, frame, types)

    def _already(self, ledger: Ledger, folder: Path | None, frame: Frame) -> Release | None:
        """The release that an earlier run made under this id or in this folder, if it did.

        A run that was killed after its folder appeared is finished here: the ledger learns
        what was released, and no second noise is drawn.
        """
        stored, release = None, self.release
        if folder is not None and is_release(folder):
            stored = read_certificate(folder)
            release = release or stored.release
        entry = ledger.entry(release) if release else None
        if entry is None or entry.state == "reserved":
            return None
        if entry.state == "stopped":
            raise ReleaseError(
                f"release {release} stopped because the records did not fit its schema, and its "
                "noise is never drawn twice: choose another id for a new charge"
            )
        if entry.plan != self.publishable.terms.digest():
            where = f"{folder} holds" if stored else f"release {release} is"
            raise ReleaseError(
                f"{where} a release made with other settings: choose another folder or id"
            )
        mine = stored is not None and stored.release == release
        if self.part is not None and not mine:
            raise ReleaseError(
                f"part {self.part.number} of {self.part.series} is {entry.state}, from this state "
                "or from a copy of it: the same bits are never measured twice"
            )
        if stored is None or not mine or folder is None:
            raise ReleaseError(
                f"release {release} is {entry.state} and its noise is never drawn twice: "
                "load its folder, or choose another id for a new charge"
            )
        if entry.state == "drawn":
            from sfumato.publishing.verify import verify

            if not verify(folder):
                raise ReleaseError(f"{folder} is not a whole release: run sfumato verify {folder}")
            ledger.settle(entry.release, stored.digest)
        elif entry.digest != stored.digest:
            raise ReleaseError(f"{folder} is not what the ledger released as {release}")
        by = None if stored.signature is None else stored.signature.key
        if self.signer is not None and by != self.signer.id:
            how = "not signed" if by is None else "signed by another key"
            raise ReleaseError(
                f"{folder} was published before and is {how}: leave out sign (--sign) to have it "
                "as it is"
            )
        return Release.load(folder, frame=frame)


@dataclass(frozen=True)
class _Step:
    """From the charge to the settlement, under one id."""

    publishable: Publishable
    ledger: Ledger | None
    release: str
    seed: int | None
    part: "Part | None"
    signer: PrivateKey | None

    def in_memory(self, frame: Frame, types: Mapping[str, Any] | None) -> Release:
        schemas = self.publishable.tables
        content, batches = TablesContent(schemas), {name: list[Any]() for name in schemas}
        with self._reserved():
            purse, made = self._produced()
            with closing(hashed_tables(made.batches, made.told, schemas)) as found:
                for name, rows in found:
                    content.update(name, rows)
                    batches[name].append(rows.batch)
            tables = {n: pa.Table.from_batches(batches[n], schemas[n]) for n in schemas}
            certificate = self._certificate(purse, content, made)
            self._settle(certificate)
        synopsis, signer = made.synopsis, self.signer
        return Release(
            certificate, synopsis=synopsis, tables=tables, frame=frame, types=types, signer=signer
        )

    def in_folder(
        self, writer: FolderWriter, frame: Frame, types: Mapping[str, Any] | None
    ) -> Release:
        with self._reserved():
            purse, made = self._produced()
            if made.write is not None:
                writer.collect(made.write)
            else:
                with closing(hashed_tables(made.batches, made.told)) as found:
                    writer.write_tables(found, self.publishable.tables)
            certificate = self._certificate(purse, writer.content, made)
            sealed = writer.finish(certificate, made.synopsis, self.signer)
            self._settle(sealed)
        synopsis, folder = made.synopsis, writer.folder
        return Release(sealed, synopsis=synopsis, folder=folder, frame=frame, types=types)

    def _reserved(self) -> Any:
        if self.ledger is None:
            return nullcontext()
        terms, plan = self.publishable.terms, self.publishable.terms.digest()
        if self.part is not None:
            self.ledger.go_on(self.part.series, self.part.number, plan=plan)
        else:
            self.ledger.reserve(
                self.release,
                terms.dataset,
                terms.guarantee,
                plan=plan,
                protects=terms.protects,
                table_part=terms.part,
                first=None if terms.fit is None else terms.fit.cost,
            )
        return Charged(self.ledger, self.release)

    def _produced(self) -> tuple[Purse, Produced]:
        bits: Bits = SystemBits(self._draw) if self.seed is None else SeededBits(self.seed)
        purse = Purse(self.publishable.terms.guarantee, bits, self._passed)
        return purse, self.publishable.produce(purse, self.release)

    def _draw(self) -> None:
        if self.ledger is not None:
            self.ledger.draw(self.release, self.publishable.fingerprint())

    def _passed(self) -> None:
        if self.ledger is not None:
            self.ledger.passed(self.release)

    def _certificate(
        self, purse: Purse, content: TablesContent | PartsContent, made: Produced
    ) -> Certificate:
        ledger = self.ledger
        entry = None if ledger is None else {"id": ledger.ledger_id, "head": ledger.head}
        made_here = certify(
            self.publishable.terms,
            purse,
            content,
            synopsis=made.synopsis,
            release=self.release,
            ledger=entry,
            fit=made.fit,
            persons=made.persons,
        )
        return made_here if self.signer is None else signed(made_here, self.signer)

    def _settle(self, certificate: Certificate) -> None:
        if self.ledger is not None:
            self.ledger.settle(self.release, certificate.digest)


def _place(folder: str | Path) -> Path:
    """The path of a folder; an address would become a folder of that name here."""
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]+:/", str(folder)):
        raise ParameterError(
            "folder must be a path, not an address: publish into a folder that this machine, and "
            "a cluster if there is one, sees under the same path, and copy it from there"
        )
    return Path(folder)


class Charged:
    """Says, when a charged release is refused half-way, what the ledger holds of it.

    Where the records do not fit, the ledger is told that no more than the first step was bought:
    where that is so, for an error of the same type may come from elsewhere, at any time.
    """

    def __init__(self, ledger: Ledger, release: str) -> None:
        self._ledger, self._release = ledger, release

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, MisfitError) and self._ledger.may_stop(self._release):
            kept = self._ledger.stop(self._release)
            raise MisfitError(
                *error.parts,
                f"The ledger keeps {kept.charge} as release {self._release} and gives "
                f"{kept.rest} back",
            ) from None
        if isinstance(error, LedgerError):  # which may be away, and is not asked
            raise type(error)(
                f"{error}. Release {self._release} stays charged, once, however often it is "
                "repeated under this id; sfumato ledger show says how far it came"
            ) from None
        if isinstance(error, Refused):
            entry = self._ledger.entry(self._release)
            fate = "its noise was drawn, so the charge is final"
            if entry is not None and entry.state == "reserved" and entry.part:
                fate = "nothing was drawn, so it can be resumed"
            elif entry is not None and entry.state == "reserved":
                remedy = f"sfumato ledger refund {self._release} --reason … --ledger …"
                fate = f"nothing was drawn, so it can be refunded: {remedy}"
            raise type(error)(f"{error}. Release {self._release} stays charged; {fate}") from None


def priced_for(
    method: str,
    budgeted: bool,
    *,
    epsilon: Number | None,
    delta: Number | None,
    rho: Number | None,
) -> Budget | None:
    """The budget as it was stated; refused where none has a meaning.

    >>> priced_for("rotation", False, epsilon=None, delta=None, rho=None) is None
    True
    """
    if budgeted:
        return stated_budget(epsilon=epsilon, delta=delta, rho=rho)
    if (epsilon, delta, rho) == (None, None, None):
        return None
    raise ParameterError(
        f"{method} promises nothing, so no budget has a meaning: leave out epsilon, delta, rho"
    )


def check_promise(terms: ReleaseTerms, accepted: bool) -> None:
    """Refuse what promises nothing, unless that was accepted in so many words."""
    if not isinstance(accepted, bool):
        raise ParameterError(f"accept_no_guarantee must be True or False, got {accepted!r}")
    if isinstance(terms.guarantee, Heuristic) and not accepted:
        raise ParameterError(
            f"{terms.method} with these options promises nothing: {terms.guarantee.reason}. "
            "Choose a method with a proof, or accept that explicitly: --accept-no-guarantee "
            "(accept_no_guarantee=True)"
        )


def dataset_name(name: str | None, data: Any, *, default: str, charged: bool) -> str:
    """What the ledger counts under: as stated, else the name of the file or table.

    >>> dataset_name(None, "data/roads.csv.gz", default="network", charged=True)
    'roads'
    """
    if name is None:
        file = isinstance(data, str | Path | SqlTable) and str(data) != "-"
        if charged and not file:
            raise ParameterError(f"say under which name the ledger counts this {default}: name=…")
        named = data.table.last if isinstance(data, SqlTable) else table_in(data)
        name = named or (Path(data).name.split(".")[0] if file else default)
    if not isinstance(name, str) or not 1 <= len(name) <= _LONGEST_NAME:
        raise ParameterError(f"name must be a text of 1 to {_LONGEST_NAME} characters")
    return name
