"""A ledger as a text that others can check: a line of JSON for each line, with its hash.

For an auditor fingerprints are left out, so that no guess about the data can be tested with it,
not even by whoever has the key.  The hashes still follow, because each covers a fingerprint only
under a veil that is left out as well.  Those of lines by versions before that cover it as it is:
they are taken as stated, and the nonce of such a line is left out too, without which no guess can
be tested with its hash.  Lines of the first two formats have no nonce that could be left out.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from sfumato.errors import LedgerError
from sfumato.ledger.audit import Audit
from sfumato.ledger.chain import (
    LEFT_OUT,
    TOLD,
    LedgerLine,
    genesis,
    hashed,
    left_out,
    written,
)
from sfumato.untrusted.plain_file import opened
from sfumato.untrusted.strict_json import parsed

__all__ = ["Checked", "check_export", "export_lines"]

_MAY_LACK = {"veil", "who", "parts", "nonce", "protects"}  # in older lines, or for an auditor
_LONGEST = 2**20  # bytes of a line


@dataclass(frozen=True, slots=True)
class Checked:
    """What an export that follows amounts to."""

    ledger_id: str
    lines: int
    head: str
    taken_as_stated: list[int]  # lines whose hash covers what was left out


def export_lines(lines: Iterable[tuple[LedgerLine, str]], *, for_auditor: bool) -> Iterator[str]:
    """Each line of the ledger as a line of text."""
    shown_tables: set[str] = set()  # fingerprints that parts of older accounts remember
    for line, stored in lines:
        if line.veil is None and line.fingerprint is not None:
            shown_tables.add(line.fingerprint)
        if for_auditor:
            found = hashed(_for_auditor(line, shown_tables))
        else:
            found = hashed(line) | {"fingerprint": line.fingerprint, "veil": line.veil}
        yield written(found | {"hash": stored}) + "\n"


def _for_auditor(line: LedgerLine, tables: set[str]) -> LedgerLine:
    if line.veil is None and line.fingerprint is not None:
        line = line._replace(fingerprint=LEFT_OUT)
    if line.parts is not None:
        line = line._replace(parts=_without(line.parts, tables))
    return line._replace(nonce=LEFT_OUT) if line.nonce and left_out(line) else line


def _without(parts: str, tables: set[str]) -> str:
    frames = json.loads(parts)
    for frame in frames.values():
        if frame["table"] in tables:
            frame["table"] = LEFT_OUT
    return written(frames)


def check_export(file: str | Path, *, head: str | None = None) -> Checked:
    """Audit an exported ledger from its first line on; refuse the first line that is wrong."""
    try:
        with opened(Path(file), follow=True) as texts:
            lines = _read(file, iter(lambda: texts.readline(_LONGEST + 1), b""))
            first = next(lines, None)
            if first is None:
                raise LedgerError(f"{file} is empty, so not an exported ledger")
            ledger_id, heads = _id(file, first[0]), set[str]()
            audit = Audit(genesis(ledger_id), exported=True)
            audit.walk(_seen([first], heads))
            audit.walk(_seen(lines, heads))
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
        raise LedgerError(f"{file}: a line holds what no ledger writes") from None
    except OSError as error:
        raise LedgerError(f"{file} cannot be read: {error.strerror}") from None
    if head is not None and head.strip() not in heads:
        raise LedgerError(
            f"the head you kept ({head}) is not in {file}, whose head is {audit.head}: it was "
            "exported from an older, shortened or diverged copy"
        )
    return Checked(ledger_id, audit.count, audit.head, audit.taken_as_stated)


def _seen(
    lines: Iterable[tuple[LedgerLine, str]], heads: set[str]
) -> Iterator[tuple[LedgerLine, str]]:
    for line, stored in lines:
        heads.add(stored)
        yield line, stored


def _read(file: str | Path, texts: Iterable[bytes]) -> Iterator[tuple[LedgerLine, str]]:
    for number, text in enumerate(texts, 1):
        try:
            if len(text) > _LONGEST:
                raise ValueError
            found = parsed(text)
            stored = found.pop("hash")
            missing = set(LedgerLine._fields) - set(found)
            if set(found) - set(LedgerLine._fields) or not missing <= _MAY_LACK:
                raise ValueError
            if not isinstance(stored, str) or any(map(_strange, found, found.values())):
                raise ValueError
            line = LedgerLine._make(found.get(name) for name in LedgerLine._fields)
            line = line._replace(nonce=line.nonce or "")
            if "veil" not in found and line.fingerprint is not None and line.who is not None:
                line = line._replace(veil=TOLD)
        except (LookupError, TypeError, ValueError, AttributeError):
            raise LedgerError(f"{file}: line {number} is not a line of a ledger") from None
        yield line, stored


def _strange(name: str, value: object) -> bool:
    """Whether a column holds another type than it may."""
    if LedgerLine.__annotations__[name] is int:
        return type(value) is not int
    return not isinstance(value, str | None)


def _id(file: str | Path, line: LedgerLine) -> str:
    try:
        return str(json.loads(line.detail)["ledger"])
    except (LookupError, RecursionError, TypeError, ValueError):
        raise LedgerError(f"{file} does not begin with the first line of a ledger") from None
