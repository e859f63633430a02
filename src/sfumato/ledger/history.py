"""The lines of a ledger as people read them: who did what, when, why, and what was left.

>>> from datetime import UTC, datetime
>>> said(1_798_761_599)
'2026-12-31 23:59:59'
"""

import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime

from sfumato.ledger.amount import NOTHING
from sfumato.ledger.chain import LedgerLine, client_of, moved_to

__all__ = ["Act", "act_of", "said"]

_WORDS = {
    "create": "ledger made",
    "dataset": "account opened",
    "grant": "granted",
    "request": "asked for",
    "approve": "granted as asked",
    "decline": "declined",
    "lapse": "lapsed",
    "client": "client may use",
    "use": "client used",
    "return": "client has back",
    "reserve": "charged",
    "part": "goes on",
    "draw": "noise drawn",
    "settle": "released",
    "stop": "stopped, rest back",
    "refund": "refunded",
    "same-data": "same data as",
    "protects": "protects",
    "inspect": "looked at",
    "new-key": "new fingerprint key",
    "checkpoint": "summed up",
    "move": "moved to",
    "arrive": "came from",
}


@dataclass(frozen=True, slots=True)
class Act:
    """One line; texts are empty where there is nothing to say."""

    line: int
    when: str  # in UTC
    who: str  # empty in lines of earlier versions, which did not say
    what: str
    dataset: str
    client: str
    release: str
    amount: str
    left: str
    reason: str
    about: str  # another data set, a request, a place, a part of a table

    def to_json(self) -> dict[str, object]:
        """For other programs."""
        return asdict(self)


def said(clock: int) -> str:
    """A time as people read it, in UTC; whoever writes lines by hand may write any."""
    try:
        return datetime.fromtimestamp(clock, UTC).strftime("%Y-%m-%d %H:%M:%S")
    except (OSError, OverflowError, ValueError):
        return f"second {clock} of 1970"


def act_of(line: LedgerLine) -> Act:
    """What a line says."""
    detail = json.loads(line.detail)
    dataset, client = client_of(line.dataset) or (line.dataset, "")
    what = _WORDS[line.kind]
    if line.kind == "client" and detail.get("token") is None:
        what = "client revoked"
    counted = line.dataset != ""
    return Act(
        line=line.sequence,
        when=said(line.clock),
        who=line.who or "",
        what=what,
        dataset=dataset,
        client=client,
        release=line.release or (str(line.other) if line.kind in ("use", "return") else ""),
        amount="" if line.amount == NOTHING else str(line.amount),
        left=line.balance.left.spelled(like=line.balance.granted) if counted else "",
        reason=str(detail.get("reason") or detail.get("what") or ""),
        about=_about(line, detail),
    )


def _about(line: LedgerLine, detail: dict[str, object]) -> str:
    match line.kind:
        case "approve" | "decline":
            return f"request {line.other}"
        case "grant" | "request" | "lapse" if "until" in detail:
            return f"until {detail['until']}"
        case "lapse":
            return f"given back by line {detail['refund']}, of a period that is over"
        case "same-data" | "part":
            return str(line.other)
        case "protects":
            return str(line.protects)
        case "reserve" if isinstance(part := detail.get("table part"), dict):
            return str(part["name"])
        case "move":
            return str(moved_to(line))
        case "arrive":
            return str(detail["from"])
        case _:
            return ""
