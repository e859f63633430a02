"""S8: what was granted, spent and looked at, by date; whether the history holds; the sheet."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from sfumato.errors import LedgerError, ParameterError, Refused
from sfumato.ledger import Ledger
from sfumato.ledger.chain import hash_of
from sfumato.ledger.export import export_lines
from sfumato.release.folder import is_release
from sfumato.release.reading import read_certificate
from sfumato.studio.account import Account, account, address_of, name_at
from sfumato.studio.asked import is_job
from sfumato.studio.forms import Form
from sfumato.studio.open_releases import open_releases
from sfumato.studio.page import jobs_of, page, project_of
from sfumato.studio.place import is_slug
from sfumato.studio.project import Project
from sfumato.studio.sheet import sheet

__all__ = ["ROUTES", "Typed", "opened", "shown"]

_SHOWN = 200  # lines of a history, unless all are asked for
_HEAD = 64
_NO_RECORD = "Read for this page: the ledger. No record was read."
Typed = dict[str, str]


def overview(request: Request) -> Response:
    """All data sets that the ledger knows."""
    project = project_of(request)
    with project.ledger() as ledger:
        if ledger is None:
            return _overview(request, project, None, [])
        accounts = [account(ledger, name) for name in ledger.datasets()]
        return _overview(request, project, ledger, accounts)


def show(request: Request) -> Response:
    """The account of one data set."""
    with opened(request) as (ledger, name):
        return shown(request, ledger, name)


def print_sheet(request: Request) -> Response:
    """The sheet that is signed, and kept elsewhere."""
    project = project_of(request)
    with opened(request) as (ledger, name):
        made = sheet(project, ledger, name)
        return page(
            request,
            "sheet.html",
            title=f"Sheet of {name}",
            sheet=made,
            account=made.account,
            today=datetime.now(UTC).date().isoformat(),
            read=_NO_RECORD,
        )


def verify(request: Request) -> Response:
    """Check the whole history and, where one was kept, that an earlier head is in it."""
    form, project = Form.of(request), project_of(request)
    head, dataset = form.text("head", 200).lower(), form.text("dataset", 1_000)
    verdict, fault = "", ""
    with project.ledger() as ledger:
        if ledger is None:
            raise LedgerError("there is no ledger yet: the first grant makes one")
        try:
            if head and (len(head) != _HEAD or set(head) - set("0123456789abcdef")):
                raise ParameterError(f"a head has {_HEAD} digits and letters from a to f")
            found = ledger.verify(head=head or None)
            holds = "It holds the head of your sheet: nothing before it was changed or removed."
            verdict = (
                f"Every line, hash, balance and step is sound. {holds if head else ''} "
                f"The head is now {found}."
            )
        except Refused as refusal:
            fault = str(refusal)
        status = 422 if fault else 200
        typed = {"head": head, "verdict": verdict, "head_fault": fault}
        if dataset:
            name = name_at(dataset, ledger.datasets())
            return shown(request, ledger, name, typed=typed, status=status)
        accounts = [account(ledger, name) for name in ledger.datasets()]
        return _overview(request, project, ledger, accounts, typed=typed, status=status)


def export(request: Request) -> Response:
    """Every line as text, for an auditor: without fingerprints, so that no guess can be tested."""
    with project_of(request).ledger() as ledger:
        if ledger is None:
            raise LedgerError("there is no ledger yet: the first grant makes one")
        lines = [(line, hash_of(line)) for line in ledger.history()]
    return StreamingResponse(
        export_lines(lines, for_auditor=True),
        media_type="application/jsonl",
        headers={"content-disposition": 'attachment; filename="ledger-for-auditor.jsonl"'},
    )


@contextmanager
def opened(request: Request) -> Iterator[tuple[Ledger, str]]:
    """The ledger, and the name of the data set that the address is about."""
    project, address = project_of(request), str(request.path_params["dataset"])
    with project.ledger() as ledger:
        if ledger is None:
            raise LedgerError("there is no ledger yet: the first grant makes one")
        yield ledger, named(project, ledger, address)


def named(project: Project, ledger: Ledger, address: str) -> str:
    """The data set of an address: one that the ledger knows, or one whose columns are typed."""
    names = ledger.datasets()
    for draft in project.datasets:
        if draft.slug == address and draft.name in names:
            return draft.name
    return name_at(address, names)


def shown(
    request: Request,
    ledger: Ledger,
    name: str,
    *,
    typed: Typed | None = None,
    status: int = 200,
) -> Response:
    """The page of one data set, with what was typed and what is wrong with it."""
    project = project_of(request)
    found = account(ledger, name)
    whole = "all" in request.query_params
    rows = found.rows[::-1]
    return page(
        request,
        "ledger.html",
        status=status,
        title=f"Ledger of {name}",
        account=found,
        rows=rows if whole else rows[:_SHOWN],
        older=0 if whole else max(len(rows) - _SHOWN, 0),
        known=_known(project),
        lost=open_releases(jobs_of(request), found.unfinished).lost,
        head=ledger.head,
        ledger_id=ledger.ledger_id,
        two_people=ledger.two_people,
        moved=ledger.gone_to,
        names=[other for other in ledger.datasets() if other != name],
        typed=typed or {},
        addresses=address_of,
        read=_NO_RECORD,
    )


def _known(project: Project) -> dict[str, str]:
    """Releases that lie in the project, by the id that the ledger has for them."""
    found = {}
    with suppress(PermissionError):  # who only approves may not see them
        for entry in sorted(project.releases.iterdir()):
            if is_job(entry.name):  # its folder has its name
                found[entry.name] = entry.name
            elif is_slug(entry.name) and is_release(entry):
                with suppress(Refused):  # its own page says what is wrong
                    found[read_certificate(entry).release] = entry.name
    return found


def _overview(
    request: Request,
    project: Project,
    ledger: Ledger | None,
    accounts: list[Account],
    *,
    typed: Typed | None = None,
    status: int = 200,
) -> Response:
    names = {one.name for one in accounts}
    return page(
        request,
        "ledgers.html",
        status=status,
        title="Ledger",
        accounts=accounts,
        ledger_name=project.ledger_path.name,
        ledger_id="" if ledger is None else ledger.ledger_id,
        head="" if ledger is None else ledger.head,
        drafts=[draft for draft in project.datasets if draft.name not in names],
        two_people=ledger is not None and ledger.two_people,
        typed=typed or {},
        read=_NO_RECORD,
    )


ROUTES = [
    Route("/ledger", overview),
    Route("/ledger/verify", verify, methods=["POST"]),
    Route("/ledger/export", export),
    Route("/ledger/{dataset}", show),
    Route("/ledger/{dataset}/sheet", print_sheet),
]
