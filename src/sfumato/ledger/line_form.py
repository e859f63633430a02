"""The form of a line by itself: what tables refuse, and an exported text cannot."""

import json
import re

from sfumato.ledger.chain import LedgerLine, genesis

__all__ = ["begins", "well_formed"]

_OF_THE_LEDGER = frozenset(("create", "new-key", "checkpoint", "move", "arrive"))
_STEPS = frozenset(("reserve", "part", "draw", "settle", "stop", "refund"))
_WITH_ANOTHER = frozenset(("same-data", "part", "approve", "decline", "use", "return"))
_ALLOWING = frozenset(("grant", "request", "approve"))
# What a line tells those who show it, where no other check asks for it: one of these.
_TOLD = {
    "request": ("reason",),
    "lapse": ("until", "refund"),
    "client": ("token",),
    "arrive": ("from",),
}


def well_formed(line: LedgerLine) -> bool:
    """Whether the line names what lines of its kind do, and nothing else."""
    kind = line.kind
    return (
        (line.dataset == "") == (kind in _OF_THE_LEDGER)
        and (kind == "inspect" or (line.release is not None) == (kind in _STEPS))
        and (line.other is not None) == (kind in _WITH_ANOTHER)
        and (line.fingerprint is None or kind == "draw")
        and (line.veil is None or line.fingerprint is not None)
        and 0 <= line.heuristic <= (kind in _ALLOWING)
        and line.micro_epsilon >= 0
        and line.pico_delta >= 0
        and line.micro_rho >= 0
        and _tells(kind, line.detail)
    )


def _tells(kind: str, detail: str) -> bool:
    """Whether a detail can be read by whoever shows the line, however it was written."""
    try:
        said = json.loads(detail)
    except (RecursionError, TypeError, ValueError):
        return False
    if not isinstance(said, dict):
        return False
    if kind == "new-key":  # or nobody's key would fit any more
        return re.fullmatch("[0-9a-f]{64}", str(said.get("key"))) is not None
    needed = _TOLD.get(kind)
    return needed is None or any(name in said for name in needed)


def begins(detail: str, head: str) -> bool:
    """Whether a first line that says this is of the ledger whose chain begins so."""
    try:
        said = json.loads(detail)
        return bool(genesis(said["ledger"]) == head and len(said["key"]) == 64)
    except (AttributeError, LookupError, TypeError, ValueError):
        return False
