"""Where a job stands, told from what survives a crash: the ledger, the folder, the lock.

What a worker said through its pipe only adds how far it is while it runs.

| ledger | folder | no worker is at it | what can be done |
|---|---|---|---|
| knows nothing | | nothing was charged | begin again, give up |
| knows nothing, or reserved | whole | published; the ledger is an older copy | find the newer one |
| reserved | | charged, no noise was drawn | finish it, give the budget back |
| drawn | whole | the ledger was not told | finish it |
| drawn | not whole | the noise is spent and the release is lost | |
| released | whole | done, or cut short while it was checked | check it |
| stopped | | the records do not fit; a part was paid | |
| refunded | | given back | |

A release that was begun by another program has no job here: its folder may lie elsewhere, and it
may still run, so that of it only the ledger's word is told.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sfumato.ledger import Entry
from sfumato.release.folder import is_release, sweep
from sfumato.studio.asked import PHASES
from sfumato.studio.job_folder import Ending, JobFolder

__all__ = ["Standing", "What", "standing"]

What = Literal[
    "under way",
    "not begun",
    "given up",
    "refused",
    "charged",
    "whole",
    "lost",
    "released",
    "gone",
    "ahead",
    "misfit",
    "refunded",
    "elsewhere",
]
_REACHED = {"reserved": 1, "drawn": 2, "released": 3}


@dataclass(frozen=True, slots=True)
class Standing:
    """How far a release came, and what can be done about it."""

    what: What
    done: int = 0  # phases
    text: str = ""  # of a refusal
    parts: Sequence[str] = ()  # the same by sentence, where the records do not fit
    command: str = ""  # that would grant what the ledger refused
    number: str = ""  # of a fault

    @property
    def under_way(self) -> bool:
        """Whether a worker is at it."""
        return self.what == "under way"

    @property
    def may_finish(self) -> bool:
        """Whether a new worker would bring it to its end, without a second charge."""
        return self.what in ("not begun", "refused", "charged", "whole") or self.unchecked

    @property
    def unchecked(self) -> bool:
        """Whether it is published, and its worker ended before it said that all is well."""
        return self.what == "released" and self.done < len(PHASES) and not self.text

    @property
    def may_refund(self) -> bool:
        """Whether the ledger would give the budget back."""
        return self.what == "charged" or (self.what == "elsewhere" and self.done == 1)

    @property
    def open(self) -> bool:
        """Whether something is still to be done or waited for."""
        return self.what in ("under way", "not begun", "charged", "whole")


def standing(
    job: str, entry: Entry | None, folder: JobFolder, *, at_work: bool, told: int = 0
) -> Standing:
    """Where it stands; `told` is how many phases its worker has named."""
    reached = _REACHED.get(entry.state, 0) if entry is not None else 0
    if at_work:
        return Standing("under way", max(told, reached))
    if folder.asked(job) is None and reached:
        return Standing("elsewhere", reached)
    ending, place = folder.ending(job), folder.release(job)
    # What a killed worker was writing is nobody's: it goes when somebody looks.
    sweep(place)
    what, done = _after(entry, ending, whole=is_release(place))
    if ending is None:
        return Standing(what, done)
    return Standing(what, done, ending.text, ending.parts, ending.command, ending.number)


def _after(entry: Entry | None, ending: Ending | None, *, whole: bool) -> tuple[What, int]:
    if whole and (entry is None or entry.state == "reserved"):
        return "ahead", 3  # of its ledger, which holds the draw before a folder is there
    if entry is None:
        outcome = None if ending is None else ending.outcome
        return ("given up" if outcome == "given up" else "refused" if outcome else "not begun"), 0
    match entry.state:
        case "reserved":
            return "charged", 1
        case "drawn":
            return ("whole", 3) if whole else ("lost", 2)
        case "released":
            checked = ending is not None and ending.outcome == "done"
            return ("released" if whole else "gone"), len(PHASES) if checked else 3
        case "stopped":
            return "misfit", 2
        case "refunded":
            return "refunded", 1
