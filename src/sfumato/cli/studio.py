"""`sfumato studio`: all of it in a browser, on this machine alone."""

import os
from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.screen import say
from sfumato.cli.whole_number import integer

__all__ = ["studio"]


def studio(
    folder: Annotated[
        Path | None,
        typer.Argument(help="Folder of the project; made if it is not there.", show_default="."),
    ] = None,
    received: Annotated[
        Path | None,
        typer.Option(help="Only look at a release that you received: its folder. No project."),
    ] = None,
    port: Annotated[
        int,
        typer.Option(parser=integer, help="Port on this machine; 0 takes a free one."),
    ] = 0,
    browser: Annotated[
        bool,
        typer.Option("--browser/--no-browser", help="Open a browser, or name the file to open."),
    ] = True,
) -> None:
    """Work in a browser, with everything kept in one folder; nothing leaves this machine.

    Example: sfumato studio ~/registry

    Example: sfumato studio --received ~/Downloads/clinic-2026
    """
    from sfumato.errors import MissingExtra

    try:
        from sfumato.studio.server import listening, serve
    except ModuleNotFoundError as missing:
        if str(missing.name).partition(".")[0] not in ("starlette", "uvicorn"):
            raise
        raise MissingExtra("the studio needs starlette: pip install 'sfumato[studio]'") from None
    from sfumato.studio.project import Project

    if received is not None:
        if folder is not None:
            raise typer.BadParameter(
                "a received release is looked at by itself: leave out the folder of the project, "
                "or --received"
            )
        _whole(received)
    project = Project(folder or Path()) if received is None else None
    shown = received if project is None else project.folder

    def ready(address: str, opening: Path) -> None:
        say(f"Sfumato studio of {shown} at {address}")
        if not browser or not _opened(opening):
            say(f"open this file in your browser: {opening}")
        say("Quit on the page, or Ctrl-C here, ends it.")

    with listening(port) as taken:
        serve(project, taken, ready=ready, say=lambda line: say(line, err=True), received=received)
    say("stopped" if project is None else "stopped: what was typed is kept")


def _whole(received: Path) -> None:
    """Refuse what is not the folder of a release, with the one that was meant where it is below."""
    from sfumato.errors import ReleaseError
    from sfumato.release.folder import CERTIFICATE

    if not received.is_dir():
        raise ReleaseError(f"{received} is no folder: unpack the release, and name its folder")
    if os.path.lexists(received / CERTIFICATE):
        return
    below = sorted(path.parent for path in received.glob(f"*/{CERTIFICATE}"))
    meant = f"did you mean {below[0]}?" if below else "name the folder that holds it"
    raise ReleaseError(f"{received} is no release, as it holds no {CERTIFICATE}: {meant}")


def _opened(path: Path) -> bool:
    """Whether a browser was found; the key stands in the file, not in what is seen by others."""
    import webbrowser

    try:
        return webbrowser.open(path.as_uri())
    except webbrowser.Error:
        return False
