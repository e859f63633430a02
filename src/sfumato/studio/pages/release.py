"""S7: a release, with its checks, its files, questions to it, and its report.

Whoever received a release sees the same page, and nothing of an owner's.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from starlette.concurrency import iterate_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response, StreamingResponse
from starlette.routing import Route

from sfumato.errors import ParameterError, Refused, ReleaseError
from sfumato.ledger import Ledger
from sfumato.publishing.verify import verify
from sfumato.release.folder import REPORT
from sfumato.studio.account import address_of, day_of_release
from sfumato.studio.asked import Asked, is_job
from sfumato.studio.asking import asking
from sfumato.studio.forms import Form
from sfumato.studio.page import Studio, page, studio_of, to
from sfumato.studio.place import slug_of
from sfumato.studio.shelf import RECEIVED
from sfumato.studio.shown_release import ShownRelease, report_of, shown_release
from sfumato.studio.words import READ_RELEASE
from sfumato.studio.zipped import unchanged, zipped
from sfumato.untrusted.plain_file import opened

__all__ = ["ALONE", "FRAME", "ROUTES"]

# A report has its styles within: alone in a frame, where nothing runs and nothing is fetched.
FRAME = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox; frame-ancestors 'self'"
)
_BLOCK = 2**16
_MOST_KEY = 4_096  # characters of a path
_KINDS = {"csv": "text/csv", "json": "application/json", "html": "text/html"}


def show(request: Request) -> Response:
    """The release, and the answer to what its address asks."""
    with _ledger(request) as ledger:
        found = shown_release(studio_of(request).shelf, _name(request), ledger)
        return _shown(request, found, ledger)


def check(request: Request) -> Response:
    """All checks, now: its report too, and with a file of public keys who signed it."""
    form, studio = Form.of(request), studio_of(request)
    key = form.text("key", _MOST_KEY)
    folder = studio.shelf.place(_name(request))
    with _ledger(request) as ledger:
        try:
            checks = verify(folder, ledger=ledger, key=_at_home(key) if key else None)
        except Refused as refusal:
            found = shown_release(studio.shelf, _name(request), ledger, now=True)
            return _shown(request, found, ledger, key=key, fault=str(refusal), status=422)
        found = shown_release(studio.shelf, _name(request), ledger, now=True).with_checks(checks)
        return _shown(request, found, ledger, key=key, checked=True)


def report(request: Request) -> Response:
    """The report, for its frame."""
    text = report_of(studio_of(request).shelf, _sound(request))
    return HTMLResponse(text, headers={"content-security-policy": FRAME})


def fetch(request: Request) -> Response:
    """One file of the release, or all of it as a zip."""
    found, name = _sound(request), request.path_params["file"]
    if name == "all.zip":
        stem = f"{slug_of(found.certificate.dataset)}-{slug_of(found.certificate.release)}"[:90]
        content = zipped(stem, _entries(request, found))
        return _attached(content, f"{stem}.zip", "application/zip")
    if name not in found.files:
        raise ParameterError("the release has no such file")
    kind = _KINDS.get(name.rpartition(".")[2], "application/octet-stream")
    content = unchanged(name, found.certificate.files.get(name), _blocks(request, found, name))
    return _attached(content, name.rpartition("/")[2], kind)


def begin(_request: Request) -> Response:
    """Where there is one release, it is the start."""
    return to(f"/r/{RECEIVED}")


def _attached(content: Iterator[bytes], name: str, kind: str) -> Response:
    return StreamingResponse(
        iterate_in_threadpool(content),
        media_type=kind,
        headers={"content-disposition": f'attachment; filename="{name}"'},
    )


def _entries(
    request: Request, found: ShownRelease
) -> Iterator[tuple[str, str | None, Iterator[bytes]]]:
    for name in found.files:
        yield name, found.certificate.files.get(name), _blocks(request, found, name)


def _blocks(request: Request, found: ShownRelease, name: str) -> Iterator[bytes]:
    if name == REPORT:  # made at once: what is refused is said before anything is sent
        return iter([report_of(studio_of(request).shelf, found)])
    return _read(found.folder / name, name)


def _read(path: Path, name: str) -> Iterator[bytes]:
    try:
        with opened(path) as file:
            while block := file.read(_BLOCK):
                yield block
    except OSError as error:
        raise ReleaseError(f"{name} cannot be read: {error.strerror}") from None


def _sound(request: Request) -> ShownRelease:
    """The release, if its checks let it be passed on."""
    with _ledger(request) as ledger:
        found = shown_release(studio_of(request).shelf, _name(request), ledger)
    if not found.sound and found.checks is None:
        raise ReleaseError("this release was not checked yet: check it on its page first")
    if not found.sound:
        raise ReleaseError(
            "this release is not as it was released, so nothing of it is handed out: "
            f"{found.failed[0].detail}"
        )
    return found


def _shown(
    request: Request,
    found: ShownRelease,
    ledger: Ledger | None,
    *,
    key: str = "",
    fault: str = "",
    checked: bool = False,
    status: int = 200,
) -> Response:
    certificate, asked = found.certificate, _asked(studio_of(request), found.name)
    return page(
        request,
        "release.html",
        status=status,
        title=certificate.dataset,
        step=5,
        asked=asked,
        release=found,
        told=certificate,
        day="" if ledger is None else day_of_release(ledger, certificate),
        account=_account(ledger, certificate.dataset),
        made_here=asked is not None,
        key=key,
        key_fault=fault,
        checked=checked,
        asking=asking(found, request) if found.sound else None,
        read=READ_RELEASE,
    )


def _account(ledger: Ledger | None, dataset: str) -> str:
    known = ledger is not None and dataset in ledger.datasets()
    return address_of(dataset) if known else ""


def _at_home(text: str) -> Path:
    try:
        return Path(text).expanduser()
    except RuntimeError:  # nobody of this name has a home here
        raise ParameterError(f"{text} cannot be read: no such home folder") from None


def _asked(studio: Studio, name: str) -> Asked | None:
    """What was published, if it was by this studio or one before it: its records are known."""
    return studio.jobs.asked(name) if studio.jobs is not None and is_job(name) else None


def _name(request: Request) -> str:
    return str(request.path_params["release"])


def _ledger(request: Request) -> AbstractContextManager[Ledger | None]:
    """The ledger of the project; whoever received a release has none."""
    project = studio_of(request).project
    return nullcontext() if project is None else project.ledger()


ROUTES = [
    Route("/r/{release}", show),
    Route("/r/{release}/ask", show),
    Route("/r/{release}/verify", check, methods=["POST"]),
    Route("/r/{release}/report", report),
    Route("/r/{release}/files/{file:path}", fetch),
]
ALONE = [Route("/", begin)]
