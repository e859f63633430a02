"""The page of a release, as `sfumato report` writes it and `sfumato verify` expects it.

It follows from the release alone: the same folder gives the same bytes.
"""

from pathlib import Path

from sfumato.errors import ParameterError, ReleaseError
from sfumato.ledger import Ledger
from sfumato.publishing.kinds import kind_rules
from sfumato.publishing.verification import Verification
from sfumato.publishing.verify import checks
from sfumato.release.file import appearing
from sfumato.release.folder import REPORT, is_release
from sfumato.release.reading import read_certificate
from sfumato.release.release import Release
from sfumato.report.html import html_page
from sfumato.untrusted.plain_file import content, is_there

__all__ = ["checked_page", "holds", "put", "report_page", "sound", "write_report"]


def report_page(release: Release) -> bytes:
    """The page of a release, as bytes of HTML: the same for the same release.

    One file without scripts that fetches nothing; it may be published beside the release.
    """
    _check_release(release)
    summary = kind_rules(release.certificate).described(release.certificate)
    return html_page(release, summary=summary).encode()


def write_report(release: Release, path: str | Path | None = None, *, force: bool = False) -> Path:
    """Write the page of a release, by default as `report.html` in its folder, and say where.

    A folder that does not verify is refused, and so is a file that holds something else, unless
    `force` replaces it.

    >>> from tempfile import TemporaryDirectory
    >>> import sfumato as sf
    >>> schema = sf.Schema.parse(sf.example.CLINIC)
    >>> with TemporaryDirectory() as place:
    ...     release = sf.publish(
    ...         sf.example.clinic(300), schema=schema, epsilon=1, folder=f"{place}/release")
    ...     page = write_report(release)
    ...     page.name, sf.verify(f"{place}/release").passed
    ('report.html', True)
    """
    place, text = checked_page(release, None if path is None else Path(path))
    if not holds(place, text):
        put(place, text, force=force)
    return place


def checked_page(release: Release, path: Path | None) -> tuple[Path, bytes]:
    """Where the page goes and what it is; refused where the folder is not as it was released."""
    _check_release(release)
    folder = release.folder
    if folder is None and path is not None and is_release(path.parent):
        folder = path.parent  # where it was saved, or another release lies
        if read_certificate(folder).digest != release.certificate.digest:
            raise ReleaseError(f"{folder} holds another release: choose another place for the page")
    if folder is None and path is None:
        raise ParameterError("this release lies in no folder: say where its page goes")
    place = path or Path(str(folder)) / REPORT
    if folder is None:
        return place, report_page(release)
    if place.parent.resolve() == folder.resolve() and place.name != REPORT:
        raise ReleaseError(f"{place} lies in the release, where only {REPORT} may be added")
    sound(folder)
    return place, report_page(Release.load(folder))


def _check_release(given: object) -> None:
    if not isinstance(given, Release):
        raise ParameterError(
            f"a page is made of a release, not of {type(given).__name__}: load one from its "
            "folder, sf.Release.load(FOLDER)"
        )


def sound(folder: Path, *, ledger: Ledger | None = None) -> Verification:
    """The checks that a folder passes; refused where it is not as it was released."""
    found = checks(folder, ledger=ledger)
    if failed := found.failed:
        raise ReleaseError(f"{folder} is not as it was released: {failed[0].detail}")
    return found


def put(place: Path, text: bytes, *, force: bool) -> None:
    """Write the page whole, or not at all."""
    if is_there(place) and not force:
        raise ReleaseError(
            f"{place} exists and differs: --force (force=True in Python) replaces it"
        )
    with appearing(place) as part:
        part.write_bytes(text)


def holds(place: Path, text: bytes) -> bool:
    """Whether this page is there already."""
    try:
        return content(place, len(text), follow=True) == text
    except OSError:  # not there, longer, no file, or not ours to read
        return False
