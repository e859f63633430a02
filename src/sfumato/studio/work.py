"""The one part of the studio that opens records, in a process of its own.

    python -m sfumato.studio.work PROJECT JOB

Guarantee.  What leaves this process before a release is whole are four words, in one order,
through a pipe: no number, no time, no name.  A refusal of ours is kept as it is worded, for it
never quotes a record; of any other error its type and its place in the program, and nothing that
it says.  Whatever a library prints goes nowhere, and no image of the memory is left on the disk.
A release is worked on when nobody listens any more, for what was charged is worth being finished;
a look ends with the studio, for nobody would see it.
"""

import os
import secrets
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Thread
from traceback import extract_tb
from typing import Any

from sfumato.errors import BudgetError, MisfitError, Refused, ReleaseError, SfumatoError
from sfumato.ledger import Entry, Ledger
from sfumato.publishing.table import publish
from sfumato.publishing.verify import verify
from sfumato.release import Release
from sfumato.schema import Schema
from sfumato.studio.asked import PAGE, Asked
from sfumato.studio.job_folder import Ending, JobFolder
from sfumato.studio.misfit import options
from sfumato.studio.project import Project
from sfumato.studio.remedy import on_pages
from sfumato.studio.turn import Busy, taken

__all__ = ["Pipe", "main", "run"]


class Pipe:
    """Tells the studio, if it still listens; each word once."""

    def __init__(self, handle: int) -> None:
        self._handle, self._told = handle, set[str]()

    def say(self, word: str) -> None:
        """How far it is."""
        if word not in self._told:
            self._told.add(word)
            self._write(f"{word}\n".encode())

    def show(self, page: str) -> None:
        """What a look has found."""
        self._write(f"{PAGE}\n{page}".encode())

    def _write(self, content: bytes) -> None:
        with suppress(OSError):  # the studio has gone
            while content:
                content = content[os.write(self._handle, content) :]


class _ToldLedger(Ledger):
    """A ledger that says what it has put on the disk."""

    def __init__(self, place: Path, pipe: Pipe) -> None:
        self._pipe = pipe
        super().__init__(place)

    def reserve(self, *given: Any, **said: Any) -> Entry:
        """Charge the release."""
        entry = super().reserve(*given, **said)
        self._pipe.say("charged")
        return entry

    def draw(self, release: str, fingerprint: bytes | None) -> None:
        """Record that noise is drawn from here on."""
        super().draw(release, fingerprint)
        self._pipe.say("drawn")

    def settle(self, release: str, digest: str) -> None:
        """Record what was published, once all of it is in its place."""
        self._pipe.say("written")
        super().settle(release, digest)


def run(place: Path, job: str, pipe: Pipe) -> None:
    """Do what was asked for under this id, unless another worker is at it."""
    folder = JobFolder(place)
    with suppress(Busy), taken(folder.lock(job)):
        ending = folder.ending(job)
        if ending is not None and ending.outcome == "given up":
            return  # while this process was starting
        folder.forget_ending(job)
        folder.end(job, _ended(lambda: _done(folder, job, pipe)))


def _ended(work: Callable[[], None]) -> Ending:
    try:
        work()
    except BudgetError as refusal:
        return Ending("refused", text=refusal.said, command=refusal.command)
    except SfumatoError as refusal:
        parts = refusal.parts if isinstance(refusal, MisfitError) else ()
        text = on_pages(str(refusal))
        return Ending("refused", text=text, parts=tuple(map(on_pages, parts)))
    except BaseException as error:  # nothing of it may come up anywhere else
        return Ending("fault", number=secrets.token_hex(3), place=_place(error))
    return Ending("done")


def _done(folder: JobFolder, job: str, pipe: Pipe) -> None:
    asked = folder.asked(job)
    if asked is None:
        raise Refused("there is no such job here: begin at the start page")
    project = Project(folder.project)
    data, schema = str(project.file(asked.file)), Schema.parse(asked.schema)
    if asked.kind == "publish":
        _publish(project, asked, data, schema, folder.release(job), pipe)
    else:
        pipe.show(_LOOKS[asked.kind](asked, data, schema, folder))


def _publish(
    project: Project, asked: Asked, data: str, schema: Schema, place: Path, pipe: Pipe
) -> None:
    def doubt(text: str) -> None:
        if text != asked.doubted:
            raise Refused(f"{text} Nothing was charged")

    with _ToldLedger(project.ledger_path, pipe) as ledger:
        publish(
            data,
            schema=schema,
            method=asked.method,
            epsilon=asked.epsilon,
            delta=asked.delta,
            rho=asked.rho,
            rows=asked.rows,
            format=asked.format,
            release=asked.job,
            ledger=ledger,
            folder=place,
            progress=False,
            on_doubt=doubt,
            **asked.options,
            **options(asked.misfit),
        )
        failed = verify(place, ledger=ledger).failed
    if failed:
        raise ReleaseError(f"the release does not verify ({failed[0].name}: {failed[0].detail})")
    pipe.say("checked")


def _fit(_asked: Asked, data: str, schema: Schema, _folder: JobFolder) -> str:
    from sfumato.inspection.fit import check
    from sfumato.inspection.page import html

    # The studio has counted the look before this process began; so it is below.
    found = check(data, schema=schema, uncounted=True)
    misfits = tuple(replace(one, remedy=on_pages(one.remedy)) for one in found.misfits)
    return html(replace(found, misfits=misfits, counted=True), "check.html")


def _inspect(asked: Asked, data: str, _schema: Schema, folder: JobFolder) -> str:
    from sfumato.inspection.overview import inspect
    from sfumato.inspection.page import html

    release = Release.load(folder.release(asked.release))
    found = inspect(release, data, uncounted=True, progress=False)
    return html(replace(found, counted=True))


def _compare(asked: Asked, data: str, schema: Schema, _folder: JobFolder) -> str:
    from sfumato.inspection.compare.comparison import compare
    from sfumato.inspection.compare.table import shown
    from sfumato.inspection.page import html

    found = compare(data, schema, epsilons=asked.epsilons, delta=asked.delta, progress=False)
    return html(shown(replace(found, counted=True), pictures=True), "comparison.html")


_LOOKS = {"fit": _fit, "inspect": _inspect, "compare": _compare}


def _place(error: BaseException) -> str:
    """The type of an error and where in Sfumato it came up."""
    ours, where = Path(__file__).parents[1], "outside"
    for frame in extract_tb(error.__traceback__):
        with suppress(ValueError):
            where = f"{Path(frame.filename).relative_to(ours).as_posix()}:{frame.lineno}"
    return f"{type(error).__name__} at {where}"


def main(arguments: list[str]) -> None:
    """The process: nothing but the pipe leads out of it."""
    place, job = arguments
    pipe, studio = Pipe(os.dup(1)), os.dup(0)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    asked = JobFolder(Path(place)).asked(job)
    if asked is not None and asked.kind != "publish":
        Thread(target=_end_with, args=(studio,), daemon=True).start()
    run(Path(place), job, pipe)


def _end_with(studio: int) -> None:
    """Nobody sees what a look finds once the studio has gone: nothing comes here but its end."""
    while os.read(studio, 1):
        continue
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1:])
