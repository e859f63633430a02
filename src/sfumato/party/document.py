"""Files that parties send each other: plain JSON, read with suspicion and written whole.

Whoever collects the files may hand on anything.  The type and size of every field is checked
here; whether a file belongs to this agreement, party and round is for `Exchange`.
"""

import base64
import binascii
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from sfumato.durable import flush
from sfumato.errors import PartyError
from sfumato.party.signing import is_signed, signature
from sfumato.release.certificate import Digest, Name, Promise, PublicSchema
from sfumato.release.digest import digest
from sfumato.release.folder import write_whole
from sfumato.untrusted.plain_file import content
from sfumato.untrusted.strict_json import parsed

__all__ = [
    "MOST_PARTIES",
    "PARTY_NAME",
    "SHARE",
    "AgreementFile",
    "ContributionFile",
    "Document",
    "KeyFile",
    "OpeningFile",
    "PartyName",
    "SentFile",
    "SharesFile",
    "SignedFile",
    "decoded",
    "encoded",
]

_LARGEST = 2**30  # bytes of a file: a hundred million entries
MOST_PARTIES, _MOST_ROUNDS = 100, 8
PARTY_NAME = r"^[a-z0-9][a-z0-9-]{0,39}$"
PartyName = Annotated[str, Field(pattern=PARTY_NAME)]
Key = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]  # 32 bytes
Signature = Annotated[str, Field(pattern=r"^[0-9a-f]{128}$")]
_UNSIGNED = "0" * 128
SHARE = r"^[0-9a-f]{1,132}$"  # a number modulo 2^521 − 1
Share = Annotated[str, Field(pattern=SHARE)]
Sealed = Annotated[str, Field(max_length=20_000)]
Round = Annotated[int, Field(ge=1, le=_MOST_ROUNDS)]
Rows = Annotated[int, Field(ge=0, le=2**40)]
PerRound = Field(strict=False, min_length=1, max_length=_MOST_ROUNDS)


class Document(BaseModel):
    """One file; `kind` says which, `format` how it is written."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid", serialize_by_alias=True)
    about: ClassVar[str]
    mode: ClassVar[int] = 0o644  # of the file
    format: Literal[1] = 1

    @classmethod
    def read(cls, path: Path) -> Self:
        """The file; refused by the field that is wrong."""
        try:
            found = parsed(content(path, _LARGEST))
        except FileNotFoundError:
            raise PartyError(f"{path} is missing: {cls.about}") from None
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise PartyError(f"{path} cannot be read ({reason}): ask for it again") from None
        return cls.of(found, str(path))

    @classmethod
    def of(cls, record: Any, where: str) -> Self:
        """From what `to_json` wrote; `where` names the file in refusals."""
        try:
            return cls.model_validate(record)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            field = ".".join(str(part) for part in first["loc"])[:100] or "it"
            raise PartyError(
                f"{where} is damaged, or no such file: {field} is not what it holds"
            ) from None

    def to_json(self) -> dict[str, Any]:
        """What the file holds."""
        return self.model_dump(mode="json", by_alias=True)

    @property
    def digest(self) -> str:
        """What others know the file by."""
        return digest(self.to_json())

    def write(self, path: Path) -> None:
        """Write the file whole, or not at all; on the disk before this returns."""
        try:
            write_whole(path, self.to_json(), self.mode)
            flush(path.absolute().parent)
        except OSError as error:
            raise PartyError(f"{path} cannot be written: {error.strerror}") from None


class AgreementFile(Document):
    """What all parties agreed on before anything was read."""

    about: ClassVar[str] = "make it with: sfumato party agree"
    kind: Literal["sfumato party agreement"] = "sfumato party agreement"
    release: Name
    public_schema: PublicSchema = Field(alias="schema")
    method: Name
    options: dict[Name, Any]
    budget: Promise
    parties: Annotated[
        tuple[PartyName, ...], Field(strict=False, min_length=2, max_length=MOST_PARTIES)
    ]
    dropouts: Annotated[int, Field(ge=0, le=MOST_PARTIES)]
    colluders: Annotated[int, Field(ge=0, le=MOST_PARTIES)]


class SentFile(Document):
    """What a party sends under an agreement."""

    agreement: Digest
    party: PartyName


class SignedFile(SentFile):
    """What a party sends once all keys are known: signed, so that nobody else can have made it."""

    roster: Digest
    signature: Signature = _UNSIGNED

    def signed(self, private: bytes) -> Self:
        """The same file with its party's signature."""
        return self.model_copy(update={"signature": signature(private, self._core())})

    def check_signature(self, public: bytes, where: str) -> None:
        """Refuse a file that its party did not make."""
        if not is_signed(public, self._core(), self.signature):
            raise PartyError(
                f"{where} was changed, or {self.party} did not make it: ask the party for its file"
            )

    def _core(self) -> bytes:
        return self.model_copy(update={"signature": _UNSIGNED}).digest.encode()


class KeyFile(SentFile):
    """Public keys of one party: to check what it signs, to send it secrets, and for masks."""

    about: ClassVar[str] = "ask the party for it; it is made with: sfumato party join"
    kind: Literal["sfumato party key"] = "sfumato party key"
    signing: Key
    channel: Key
    masks: Annotated[tuple[Key, ...], PerRound]


class SharesFile(SignedFile):
    """Shares of one party's secrets, sealed for each other party."""

    about: ClassVar[str] = "ask the party for it; it is made with: sfumato party share"
    kind: Literal["sfumato party shares"] = "sfumato party shares"
    commitments: Annotated[tuple[Digest, ...], PerRound]  # to the seed of its own mask
    sealed: dict[PartyName, Sealed]


class ContributionFile(SignedFile):
    """One party's statistics under its share of the noise and all its masks."""

    about: ClassVar[str] = "ask the party for it; it is made with: sfumato party contribute"
    kind: Literal["sfumato party contribution"] = "sfumato party contribution"
    round: Round
    rows: Rows | None  # where their number is public
    seeded: bool  # a test run
    bins: Digest | None = None  # of what is counted, where an earlier round decides that
    lengths: Annotated[tuple[Rows, ...], PerRound]  # of each statistic
    entries: str

    @model_validator(mode="after")
    def _whole(self) -> Self:
        """Nothing is allocated for entries that are not there."""
        if len(self.entries) != 4 * -(-8 * sum(self.lengths) // 3):
            raise ValueError("entries have another length")
        return self


class OpeningFile(SignedFile):
    """One party's shares of what is needed to take the masks off the sum."""

    about: ClassVar[str] = "ask the party for it; it is made with: sfumato party open"
    kind: Literal["sfumato party opening"] = "sfumato party opening"
    round: Round
    contributions: dict[PartyName, Digest]
    selves: dict[PartyName, Share]  # of those that contributed
    keys: dict[PartyName, Share]  # of those that did not


def encoded(data: bytes) -> str:
    """Bytes as a text."""
    return base64.b64encode(data).decode("ascii")


def decoded(text: str, where: str) -> bytes:
    """The inverse of `encoded`."""
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise PartyError(f"{where} is damaged: ask for it again") from None
