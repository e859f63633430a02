"""Jobs: begun once under each id, watched, stopped, finished; what they are is kept elsewhere.

Guarantee.  A release is charged once, whatever is pressed twice, reloaded or killed: its id was
made with the review page, and the ledger charges an id once.  Nothing here must be remembered: a
studio that is killed and started anew says the same of every job (`standing`).
Stopping gives a budget back by the ledger's own rule: it refunds what has drawn no noise, and a
worker whose charge is gone draws none.  Nobody has to win a race.
"""

import os
from collections.abc import Callable, Sequence
from threading import Lock

from sfumato.errors import LedgerError, ParameterError, Refused
from sfumato.ledger import Entry
from sfumato.studio.asked import Asked
from sfumato.studio.job_folder import Ending, JobFolder
from sfumato.studio.project import Project
from sfumato.studio.standing import Standing, standing
from sfumato.studio.turn import Busy, taken
from sfumato.studio.worker import COMMAND, Worker

__all__ = ["Jobs"]

_STOPPED = "stopped by hand in the studio, before noise was drawn"
_PATIENCE = 0.5  # seconds: who only asks whether a worker is at it holds its lock for a moment
_NO_JOB = "there is no such job here: begin at the start page"
_TOO_LATE = {
    "drawn": "its noise is drawn by now, so the charge is final: there is nothing to give back",
    "released": "it is published by now, so the charge is final: there is nothing to give back",
}
# Each reads all records and keeps a core busy; more at a time would be no faster together.
_MOST_AT_WORK = max(2, os.cpu_count() or 1)


class Jobs:
    """The jobs of a project; `say` gets a line for each fault of the program."""

    def __init__(
        self, project: Project, say: Callable[[str], None], command: Sequence[str] | None = None
    ) -> None:
        self.folder = JobFolder(project.folder)
        self._project, self._say, self._command = project, say, command or COMMAND
        self._workers: dict[str, Worker] = {}
        self._turn = Lock()

    def publish(self, asked: Asked) -> None:
        """Begin a release; the second time nothing happens."""
        with self._turn:
            if self.folder.asked(asked.job) is not None:
                return
            self._room()
            if self.folder.begin(asked):
                self._start(asked)

    def look(self, asked: Asked) -> None:
        """Count a look in the ledger, then begin it; the second time nothing happens."""
        with self._turn:
            if self.folder.asked(asked.job) is not None:
                return
            self._room()
            with self._project.ledger() as ledger:
                if ledger is None:
                    raise LedgerError(
                        "a look at the records is counted where their budget is kept, and there is "
                        "no ledger yet: grant a budget first"
                    )
                ledger.inspect(asked.name, release=asked.release or None, what=asked.reason)
            if self.folder.begin(asked):
                self._start(asked)

    def asked(self, job: str) -> Asked | None:
        """What was asked for; None of a release that was begun elsewhere, or never."""
        return self.folder.asked(job)

    def entry(self, job: str) -> Entry | None:
        """What the ledger knows of it."""
        with self._project.ledger() as ledger:
            return None if ledger is None else ledger.entry(job)

    def standing(self, job: str) -> Standing:
        """Where a release stands, as the ledger, the folder and the lock have it."""
        # The worker first: of one that ends meanwhile, the ledger and the folder then say all.
        at_work, worker = self._at_work(job), self._workers.get(job)
        entry, told = self._known(job), 0 if worker is None else worker.done
        return standing(job, entry, self.folder, at_work=at_work, told=told)

    def _known(self, job: str) -> Entry | None:
        """What the ledger knows of a release; refused where this is none."""
        entry, asked = self.entry(job), self.asked(job)
        if entry is None and (asked is None or asked.kind != "publish"):
            raise ParameterError(_NO_JOB)
        return entry

    def done(self, job: str) -> int | None:
        """How many phases of a release under way are done; None once no worker is at it.

        Without a look into the ledger where the worker is our own, for this is asked often.
        """
        worker = self._workers.get(job)
        if worker is not None and worker.alive:
            return worker.done
        found = self.standing(job)
        return found.done if found.under_way else None

    def page(self, job: str) -> bytes:
        """What a look has found, while this studio runs; it is kept nowhere."""
        worker = self._workers.get(job)
        return b"" if worker is None else worker.page

    def looking(self, job: str) -> bool:
        """Whether a look is under way."""
        return self._at_work(job)

    def releases(self, dataset: str) -> list[tuple[Asked, Standing]]:
        """The releases of a data set that were begun here, and where each stands."""
        asked = [one for one in self.folder.all(dataset) if one.kind == "publish"]
        return [(one, self.standing(one.job)) for one in asked]

    def finish(self, job: str, *, doubted: str = "") -> None:
        """Bring a release to its end under its id: what was charged is not charged again."""
        with self._turn:
            found, asked = self.standing(job), self.asked(job)
            if found.under_way:
                return
            if asked is None or not found.may_finish:
                raise Refused(_unfinishable(asked))
            self._room()
            if doubted and self.entry(job) is None:
                asked = asked.despite(doubted)
                self.folder.change(asked)
            self._start(asked)

    def stop(self, job: str) -> None:
        """End a release before its noise is drawn, with its budget given back."""
        with self._turn:
            entry, worker = self._known(job), self._workers.get(job)
            if entry is None:
                if worker is not None:
                    worker.kill()
                entry = self._given_up(job)  # it may have come further meanwhile
            if entry is None:
                return
            try:
                self._refund(job, _STOPPED)
            except LedgerError:
                entry = self.entry(job)  # it may have come further meanwhile
                if entry is not None and entry.state in _TOO_LATE:
                    raise Refused(_TOO_LATE[entry.state]) from None
                raise
            if worker is not None:
                worker.kill()

    def _given_up(self, job: str) -> Entry | None:
        """End it where no worker can be at it: one that only starts finds that it was ended."""
        try:
            with taken(self.folder.lock(job), _PATIENCE):
                entry = self.entry(job)
                if entry is None:
                    self.folder.end(job, Ending("given up"))
                return entry
        except Busy:
            raise Refused("it is about to be charged: stop it in a moment") from None

    def refund(self, job: str, *, reason: str) -> None:
        """Give back the budget of a release that has drawn no noise, on the record."""
        with self._turn:
            self._refund(job, reason)

    def _refund(self, job: str, reason: str) -> None:
        with self._project.ledger() as ledger:
            if ledger is None:
                raise ParameterError(_NO_JOB)
            ledger.refund(job, reason=reason)

    def _room(self) -> None:
        """Refuse to begin one more where as many are at work as this machine has cores for.

        Those of other studios of this folder count as well; two studios that begin at the same
        moment may be one too many, which costs time and no budget.
        """
        own = {job for job, worker in self._workers.items() if worker.alive}
        if len(own | self.folder.all_at_work()) >= _MOST_AT_WORK:
            raise Refused(
                f"this machine does {_MOST_AT_WORK} releases or looks at a time, and as many of "
                "this folder are under way: go back and try again when one of them is done. "
                "Nothing more was charged or counted"
            )

    def _at_work(self, job: str) -> bool:
        worker = self._workers.get(job)
        return (worker is not None and worker.alive) or self.folder.at_work(job)

    def _start(self, asked: Asked) -> None:
        job = asked.job

        def ended(code: int) -> None:
            ending = self.folder.ending(job)
            if ending is not None and ending.outcome == "fault":
                self._say(f"fault {ending.number} of job {job}: {ending.place}")
            elif ending is None and code:
                how = f"signal {-code}" if code < 0 else f"exit code {code}"
                self._say(f"the worker of job {job} ended by {how}")

        self.folder.forget_ending(job)
        try:
            self._workers[job] = Worker(self._command, self._project.folder, job, ended)
        except OSError as error:
            raise Refused(
                f"no process could be started for it ({error.strerror}): nothing was read or "
                "charged by this; try again on its page when the machine has room"
            ) from None


def _unfinishable(asked: Asked | None) -> str:
    if asked is None:
        return (
            "this release was not begun here, so its settings are not known: repeat the command "
            "that began it, with the same --release"
        )
    return "there is nothing to be finished: it has ended, or its noise was drawn and is lost"
