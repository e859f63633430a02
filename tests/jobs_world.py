"""A project whose data set can be published at once, and workers that can be killed on the way."""

import sys
from dataclasses import replace
from pathlib import Path
from time import monotonic, sleep

from sfumato.errors import LedgerError
from sfumato.ledger import Ledger
from sfumato.studio.asked import Asked, new_job
from sfumato.studio.draft import Draft, TypedColumn
from sfumato.studio.jobs import Jobs
from sfumato.studio.project import Project

NAME, REASON = "visits", "approved by the data board"
SCHEMA = """\
name: visits
neighbours: replace-one
columns:
  age: {kind: integer, low: 0, high: 99}
  ward: {kind: category, values: [north, south], other: none}
"""
ROWS = "age,ward\n" + "".join(f"{20 + k % 50},{('north', 'south')[k % 2]}\n" for k in range(200))
TESTS = str(Path(__file__).parent)
STEPS = ("before the charge", "charged", "drawn", "writing", "in place", "settled")


def worker(fate="work"):
    """The command of a worker with this fate, which `doomed` knows."""
    said = f"import sys; sys.path.insert(0, {TESTS!r}); import doomed; doomed.main(sys.argv[1:])"
    return (sys.executable, "-P", "-c", said, fate)


class World:
    """A project with a ledger, and its jobs."""

    def __init__(self, folder, *, rows=ROWS, epsilon=3):
        self.project = Project(Path(folder))
        (self.project.data / "visits.csv").write_text(rows)
        self.draft = self.project.begin(
            Draft("", NAME, "visits.csv", [TypedColumn("age", "integer", "0..99")])
        )
        self.project.schema_path(self.draft.slug).write_text(SCHEMA)
        self.draft.declared = True
        self.project.keep(self.draft)
        self.ledger_path = self.project.ledger_path
        with Ledger.create(self.ledger_path) as ledger:
            ledger.grant(NAME, epsilon=epsilon, reason=REASON)
        self.said = []

    def jobs(self, fate="work", command=None):
        """As a studio that was started just now sees them."""
        return Jobs(self.project, self.said.append, command or worker(fate))

    def asked(self, **changes):
        usual = Asked(
            job=new_job(),
            kind="publish",
            dataset=self.draft.slug,
            name=NAME,
            file="visits.csv",
            schema=SCHEMA,
            epsilon="1",
        )
        return replace(usual, **changes)

    def lines(self, kind):
        """How many lines of this kind the ledger has."""
        with Ledger(self.ledger_path) as ledger:
            return sum(line.kind == kind for line in ledger.history(NAME))

    @property
    def spent(self):
        with Ledger(self.ledger_path) as ledger:
            return ledger.balance(NAME).spent.micro_epsilon / 10**6

    def left_over(self):
        """Names in the folder of releases that are no release."""
        return [p.name for p in self.project.releases.iterdir() if p.name.startswith(".")]

    def files(self):
        """All bytes outside of the data folder, by name."""
        return {
            path.relative_to(self.project.folder).as_posix(): path.read_bytes()
            for path in sorted(self.project.folder.rglob("*"))
            if path.is_file() and self.project.data not in path.parents
        }


def ended(jobs, job, seconds=60):
    """Where it stands once no worker is at it."""
    until = monotonic() + seconds
    while (found := patient(lambda: jobs.standing(job))).under_way:
        assert monotonic() < until, f"still {found}"
        sleep(0.02)
    return found


def patient(ask):
    """What is asked of a ledger that others write to."""
    for _ in range(3):
        try:
            return ask()
        except LedgerError:
            sleep(0.1)
    return ask()
