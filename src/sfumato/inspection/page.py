"""Internal pages: for the owner's eyes, readable by the owner alone.

It is written with mode 0600, all at once, and never into the folder of a release; its
first line says that it must not be published.
"""

import os
import secrets
from pathlib import Path
from typing import Any

from sfumato.errors import ReleaseError
from sfumato.inspection.counting import UNCOUNTED
from sfumato.release.folder import is_release
from sfumato.untrusted.visible import seen_on_a_page

__all__ = ["WARNING", "check_place", "html", "write_page", "write_privately"]

WARNING = "INTERNAL: this page is computed from the records without noise. Do not publish it."


def html(found: Any, template: str = "overview.html") -> str:
    """The page, self-contained: no script, nothing fetched.

    >>> from sfumato.inspection.overview import Overview
    >>> html(Overview("t", "modips", "1-differential privacy", 2, 2, ())).splitlines()[0]
    '<!-- INTERNAL: this page is computed from the records without noise. Do not publish it. -->'
    """
    from jinja2 import Environment, PackageLoader, select_autoescape

    loader = PackageLoader("sfumato.inspection")
    pages = Environment(
        loader=loader, autoescape=select_autoescape(default=True), finalize=seen_on_a_page
    )
    return pages.get_template(template).render(found=found, warning=WARNING, uncounted=UNCOUNTED)


def check_place(path: Path, release: Path | None = None) -> None:
    """Refuse a place inside a release, or one that is taken, before anything is computed."""
    parents = path.resolve().parents
    if (release is not None and release.resolve() in parents) or any(
        is_release(folder) for folder in parents
    ):
        raise ReleaseError(f"{path} lies inside the release: an internal page must not go there")
    try:
        path.lstat()
        raise ReleaseError(f"{path} exists: choose another name or remove it first")
    except FileNotFoundError:
        pass
    except OSError as error:  # a name that is too long, say
        raise ReleaseError(f"{path} cannot be written: {error.strerror}") from None
    if not path.absolute().parent.is_dir():
        raise ReleaseError(f"{path} cannot be written: its folder does not exist")


def write_page(
    found: Any, path: Path, *, template: str = "overview.html", release: Path | None = None
) -> Path:
    """Write the page where only its owner can read it; nothing is overwritten."""
    check_place(path, release)
    return write_privately(html(found, template), path)


def write_privately(text: str, path: Path) -> Path:
    """Write a text with mode 0600, all at once; nothing is overwritten."""
    partial = path.with_name(f".partial-{os.getpid()}-{secrets.token_hex(4)}")
    try:
        handle = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            os.link(partial, path)  # unlike a rename, refuses to replace what is there
        finally:
            partial.unlink()
    except FileExistsError:
        raise ReleaseError(f"{path} exists: choose another name or remove it first") from None
    except OSError as error:
        raise ReleaseError(f"{path} cannot be written: {error.strerror}") from None
    return path
