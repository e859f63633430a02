"""A project whose data set can be published at once, and workers that can be killed on the way."""

import os
import re
import sys
from dataclasses import replace
from pathlib import Path
from time import monotonic, sleep

import doomed
from killing import in_child
from sfumato.errors import LedgerError
from sfumato.ledger import Ledger
from sfumato.studio import work
from sfumato.studio.asked import Asked, new_job
from sfumato.studio.choice import Choice, keep_choice
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
REVIEW, PUBLISH = "/d/visits/review", "/d/visits/publish"


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

    def choose(self, **budget):
        keep_choice(self.project, self.draft.slug, Choice(**{"epsilon": "1", **budget}))
        return self

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


def ended(jobs, job, seconds=120):
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


def begun(world, fate, pipe=None, **changes):
    """A job whose worker met its fate, in a process that was forked; what that ended with."""
    asked = world.asked(**changes)
    assert world.jobs().folder.begin(asked)
    return asked.job, again(world, asked.job, fate, pipe)


def again(world, job, fate="work", pipe=None):
    """The same job in the hands of another worker."""

    def life():
        doomed.FATES[fate]()
        told = work.Pipe(os.open(os.devnull, os.O_WRONLY) if pipe is None else pipe)
        work.run(world.project.folder, job, told)

    return in_child(life)


def release_in(reply):
    """The id that a review has."""
    found = re.search('name="release" value="([0-9a-f]{16})"', reply.text)
    return found and found[1]


def confirmed(visitor, **more):
    """Type the name on the review; the id of the release that this begins."""
    release = release_in(visitor.get(REVIEW))
    reply = visitor.post(PUBLISH, {"release": release, "name": NAME, **more})
    assert (reply.status, reply.leads_to) == (303, f"/jobs/{release}"), reply.text
    return release


def held(world, seconds=120):
    """Wait until the worker waits."""
    until = monotonic() + seconds
    while not (world.project.folder / "held").exists():
        assert monotonic() < until
        sleep(0.02)


def go_on(world):
    (world.project.folder / "go-on").touch()
