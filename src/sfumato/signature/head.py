"""A signed head: a small file by which everybody can see later that a ledger was not rolled back.

It says which ledger it is about, the hash of its last line, and when that was so.  It tells
nothing else of the ledger and may be published.
"""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal, Protocol, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sfumato.errors import LedgerError
from sfumato.signature.key import KEY_ID, SIGNATURE, PrivateKey, brief, is_signed
from sfumato.signature.key_file import KeyList
from sfumato.untrusted.plain_file import content
from sfumato.untrusted.strict_json import parsed

__all__ = ["Chained", "SignedHead", "check_head", "sign_head"]

_USE = b"sfumato ledger head\n"  # so that nothing else that is signed with the key fits here
_LARGEST = 2**14  # bytes
_UNSIGNED = "0" * 128


class Chained(Protocol):
    """What of a ledger is needed: who it is, and whether it holds a head."""

    @property
    def ledger_id(self) -> str:
        """Its id."""

    def verify(self, *, head: str | None = None) -> str:
        """Its head, when all of it was checked; refused where `head` is not in its chain."""


class SignedHead(BaseModel):
    """Which ledger ended with which line, when, and who says so."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")
    kind: Literal["sfumato ledger head"] = "sfumato ledger head"
    format: Literal[1] = 1
    ledger: Annotated[str, Field(min_length=1, max_length=64)]
    head: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    date: Annotated[str, Field(pattern=r"^[0-9]{4}(-[0-9]{2}){2}T[0-9]{2}(:[0-9]{2}){2}Z$")]
    key: Annotated[str, Field(pattern=KEY_ID)]
    signature: Annotated[str, Field(pattern=SIGNATURE)] = _UNSIGNED

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """A file that `text` was written to; refused by the field that is wrong."""
        try:
            found = parsed(content(Path(path), _LARGEST, follow=True))
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise LedgerError(f"{path} cannot be read as a signed head: {reason}") from None
        field = "its form"
        try:
            made = cls.model_validate(found)
            if json.dumps(made.model_dump(), sort_keys=True) == json.dumps(found, sort_keys=True):
                return made
        except ValidationError as error:
            place = error.errors(include_url=False, include_input=False)[0]["loc"]
            field = str(place[0])[:40] if place else field
        raise LedgerError(
            f"{path} is no signed head (wrong: {field}): give a file that sfumato ledger sign wrote"
        )

    @property
    def stated(self) -> bytes:
        """The text that is signed."""
        return _USE + json.dumps(self.model_dump(exclude={"signature"}), sort_keys=True).encode()

    @property
    def text(self) -> str:
        """What its file holds."""
        return json.dumps(self.model_dump(), indent=1) + "\n"


def sign_head(ledger: Chained, key: PrivateKey) -> SignedHead:
    """The head of a ledger, all of which is checked first, signed as of now.

    >>> from tempfile import TemporaryDirectory
    >>> import sfumato as sf
    >>> key = PrivateKey.new()
    >>> keys = KeyList({key.id: "owner.pub"}, ("owner.pub",))
    >>> with TemporaryDirectory() as place, sf.Ledger.create(f"{place}/budget.db") as ledger:
    ...     signed = sign_head(ledger, key)
    ...     ledger.grant("clinic", epsilon=1, reason="data board")
    ...     later = check_head(ledger, signed, keys)
    >>> signed.head == later
    False
    """
    facts: dict[str, Any] = {
        "ledger": ledger.ledger_id,
        "head": ledger.verify(),
        "date": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "key": key.id,
    }
    unsigned = SignedHead(**facts)
    return unsigned.model_copy(update={"signature": key.signature(unsigned.stated)})


def check_head(ledger: Chained, signed: SignedHead, keys: KeyList) -> str:
    """The head of the ledger now; refused unless it holds the one that was signed by a known key.

    An unfit signature, one by another key, and a head of another ledger are told apart from a
    ledger that does not hold what it once held.
    """
    if signed.key not in keys.keys:
        raise LedgerError(
            f"the head is signed by another key: {brief(signed.key)} is not in {keys.named}"
        )
    if not is_signed(signed.key, signed.stated, signed.signature):
        raise LedgerError(
            "the signature of the head does not fit: ledger, head or date were changed after it "
            "was signed"
        )
    if signed.ledger != ledger.ledger_id:
        raise LedgerError(
            f"the signed head is about ledger {signed.ledger}, and this is {ledger.ledger_id}: "
            "they are no copies of each other"
        )
    try:
        return ledger.verify(head=signed.head)
    except LedgerError:
        now = ledger.verify()  # which says what is damaged, if anything is
        raise LedgerError(
            f"this ledger does not hold the head that was signed on {signed.date}: it was rolled "
            f"back to before that, shortened, or went another way since. Its head is {now}; do not "
            "publish from it, find the newer copy"
        ) from None
