"""Check a release folder against itself, its plan and, where given, the ledger.

Nothing here needs the original data: whoever receives a release can run it.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from sfumato.errors import MissingExtra, Refused, ReleaseError
from sfumato.ledger import Entry, Ledger
from sfumato.ledger.rules import part_id
from sfumato.methods import method
from sfumato.plan import GIVEN, Plan
from sfumato.plan.terms import ReleaseTerms
from sfumato.privacy.budget import Budget
from sfumato.privacy.guarantee import ZCDP, ApproxDP, PureDP, from_json
from sfumato.release.certificate import cautions
from sfumato.release.content import Content
from sfumato.release.folder import CERTIFICATE, REPORT, SYNOPSIS, digest, sha256
from sfumato.release.reading import read_certificate, read_records, read_synopsis
from sfumato.release.release import Release, table_schema
from sfumato.render.decode import Decoder
from sfumato.render.rules import Rules
from sfumato.render.where import parse_where, where_masks
from sfumato.schema import Schema
from sfumato.schema.domain import Domain
from sfumato.table.encode import encode
from sfumato.untrusted.plain_file import content as file_content
from sfumato.untrusted.plain_file import is_folder, is_there

if TYPE_CHECKING:
    from sfumato.graph.network import Topology

__all__ = ["Check", "answers", "checks", "page_of", "stated_budget", "table_plan", "verify"]

_LARGEST_PAGE = 2**26  # bytes


@dataclass(frozen=True, slots=True)
class Check:
    """One question asked of a release, and its answer."""

    name: str
    passed: bool
    detail: str


def verify(folder: str | Path, *, ledger: Ledger | None = None) -> list[Check]:
    """All checks in order; a folder without a readable certificate is refused outright.

    A page that was added to the folder is made again from the release and compared with it.
    """
    folder, found = Path(folder), checks(folder, ledger=ledger)
    if is_there(folder / REPORT):
        sound = all(check.passed for check in found)
        found += answers([("report", lambda: _page(folder, sound))])
    return found


def checks(folder: str | Path, *, ledger: Ledger | None = None) -> list[Check]:
    """The checks of what was released, whatever page was added to it later."""
    folder = Path(folder)
    if not is_folder(folder):
        raise ReleaseError(f"{folder} is not a release folder")
    paper = read_certificate(folder)
    questions: list[tuple[str, Callable[[], str]]] = [
        ("files", lambda: _files(folder, paper)),
        ("plan", lambda: _replanned(folder, paper)),
        ("data", lambda: _data(folder, paper)),
    ]
    if ledger is not None:
        questions.append(("ledger", lambda: _in_ledger(paper, ledger)))
    return [_dated(check, paper) for check in answers(questions)]


def page_of(folder: Path) -> bytes:
    """The page that this release gives."""
    from sfumato.publishing.page import (
        report_page,  # here, so that a release without one need not wait
    )

    known = Release.load(folder)
    budgeted = known.certificate["budget"] is not None
    return report_page(known, stated_budget(known.certificate, budgeted))


def _page(folder: Path, sound: bool) -> str:
    """A page is not part of the release: it is this one, or it is foreign."""
    if not sound:
        raise ReleaseError(f"{REPORT} is about a release that is not as it was released")
    remedy = f"remove it, or make it again: sfumato report {folder} --force"
    try:
        found = file_content(folder / REPORT, _LARGEST_PAGE)
    except OSError as error:
        raise ReleaseError(f"{REPORT} is foreign: {error.strerror}; {remedy}") from None
    try:
        made = page_of(folder)
    except MissingExtra as missing:
        raise ReleaseError(f"{REPORT} cannot be compared: {missing}; or remove it") from None
    if found != made:
        raise ReleaseError(
            f"{REPORT} is foreign: this release gives another page here. It was changed, or made "
            f"by other versions of sfumato or matplotlib; {remedy}"
        )
    return f"{REPORT} is the page that this release gives, byte for byte"


def _dated(check: Check, paper: Mapping[str, Any]) -> Check:
    """A plan that differs is no forgery where another version may have made another plan."""
    versions, here = paper.get("versions"), version("sfumato")
    made = versions.get("sfumato") if isinstance(versions, dict) else None
    if check.name != "plan" or check.passed or made == here:
        return check
    if not isinstance(made, str) or not re.fullmatch(r"[0-9a-z.+!-]{1,40}", made):
        return check  # nothing that a version is called, so nothing to repeat
    advice = f"made by sfumato {made}, this is {here}: verify it with the version that made it"
    return replace(check, detail=f"{check.detail}; {advice}")


def answers(questions: list[tuple[str, Callable[[], str]]]) -> Iterator[Check]:
    """Each question asked in turn; what is refused on the way is its answer."""
    for name, question in questions:
        try:
            yield Check(name, True, question())
        except Refused as error:
            yield Check(name, False, str(error))
        except OSError as error:
            yield Check(name, False, f"a file cannot be read: {error.strerror}")
        except Exception as error:  # what cannot be checked has not passed
            kind = type(error).__name__
            yield Check(name, False, f"the certificate lacks what this check needs ({kind})")


def _files(folder: Path, paper: Mapping[str, Any]) -> str:
    if digest(paper) != paper["seal"]:
        raise ReleaseError(f"{CERTIFICATE} was changed after the release")
    listed = paper["files"]
    present = {path.name for path in folder.iterdir()}
    if missing := sorted(set(listed) - present):
        raise ReleaseError(f"{missing[0]} is missing")
    if foreign := sorted(present - set(listed) - {CERTIFICATE, REPORT}):
        raise ReleaseError(f"{foreign[0]} is not part of the release: remove it before publishing")
    if (SYNOPSIS in listed) != (paper["synopsis"] is not None):
        raise ReleaseError(f"{SYNOPSIS} and the certificate disagree on whether there is one")
    for name, expected in listed.items():
        try:
            found = sha256(folder / name)
        except OSError as error:
            raise ReleaseError(f"{name} cannot be read: {error.strerror}") from None
        if found != expected:
            raise ReleaseError(f"{name} was changed after the release")
    if SYNOPSIS in listed and digest(read_synopsis(folder, paper) or {}) != paper["synopsis"]:
        raise ReleaseError(f"{SYNOPSIS} was changed after the release")
    return f"as released: {', '.join(sorted(listed))}"


def stated_budget(paper: Mapping[str, Any], budgeted: bool) -> Budget | None:
    """The budget of a certificate, refused where it is none or where the method has none."""
    if not budgeted:
        if paper["budget"] is not None:
            raise ReleaseError("the certificate states a budget for a method that promises nothing")
        return None
    budget = from_json(dict(paper["budget"]))
    if not isinstance(budget, PureDP | ApproxDP | ZCDP):
        raise ReleaseError("the budget of the certificate is not one")
    return budget


def table_plan(paper: Mapping[str, Any]) -> Plan:
    """The plan that the certificate of a table must have come from, priced again."""
    domain, chosen = Domain.of(Schema.of(paper["schema"])), method(paper["method"])
    options = paper["options"]
    if any(isinstance(options.get(name), str) and options[name] != GIVEN for name in chosen.files):
        raise ReleaseError("the certificate names a file in place of what was in it")
    return chosen.price(domain, stated_budget(paper, chosen.budgeted), options)


def _network_terms(folder: Path, paper: Mapping[str, Any]) -> ReleaseTerms:
    from sfumato.graph.methods import edge_method  # here, so that tables need not wait for it
    from sfumato.graph.network_terms import network_terms

    chosen, facts = edge_method(paper["method"]), paper["network"]
    topology = _topology(folder, paper)
    plan = chosen.price(topology, stated_budget(paper, chosen.budgeted), paper["options"])
    wanted = facts["wanted pairs"]
    if (wanted is None and chosen.needs_pairs) or (wanted and not chosen.preserves):
        raise ReleaseError("the wanted pairs are not what the method calls for")
    return network_terms(paper["dataset"], topology, wanted, plan)


def _series_terms(paper: Mapping[str, Any], continues: Mapping[str, Any] | None) -> ReleaseTerms:
    from sfumato.stream.methods import stream_method
    from sfumato.stream.series_terms import series_terms

    budget = stated_budget(paper, True)
    assert budget is not None  # noqa: S101  it was asked for
    chosen = stream_method(paper["method"])
    plan = chosen.price(paper["stream"]["horizon"], budget, paper["options"])
    counted = paper["ledger"] is not None
    return series_terms(paper["dataset"], plan, continues, counted=counted)


def _count_terms(paper: Mapping[str, Any]) -> ReleaseTerms:
    from sfumato.retrieval.count_plan import count_terms, replanned

    return count_terms(paper["dataset"], replanned(paper))


def _topology(folder: Path, paper: Mapping[str, Any]) -> "Topology":
    """The published network; nodes without an edge are in no edge list and are only counted."""
    from sfumato.graph.network import Topology
    from sfumato.graph.reading import network_of

    facts = paper["network"]
    schema = table_schema(paper)
    table = pa.Table.from_batches(read_records(folder, paper, schema), schema)
    listed = network_of(table, directed=facts["directed"]).network.topology
    alone = facts["nodes"] - listed.size
    if alone < 0 or facts["edges"] != listed.edges:
        raise ReleaseError("the data is not a network of so many nodes and edges")
    nodes = (*listed.nodes, *(f"(without an edge {k})" for k in range(alone)))
    return Topology(nodes, listed.source, listed.target, listed.directed)


def _replanned(folder: Path, paper: Mapping[str, Any]) -> str:
    """Sensitivity, noise and price follow from what is public: compute them again."""
    if "network" in paper:
        terms = _network_terms(folder, paper)
    elif "stream" in paper:
        terms = _series_terms(paper, paper["stream"]["continues"])
    elif "counts" in paper:
        terms = _count_terms(paper)
    else:
        plan = table_plan(paper)
        terms = plan.terms
        if plan.recount is not None:
            terms = replace(terms, events=plan.recount(read_synopsis(folder, paper) or {}))
    if [event.to_json() for event in terms.events] != paper["events"]:
        raise ReleaseError("the mechanism events are not those that schema and budget call for")
    columns = terms.columns and {item.name: str(item.type) for item in terms.columns}
    claimed = from_json(dict(paper["guarantee"]))
    facts = {**terms.subject, "columns": columns, "invariants": list(terms.invariants)}
    facts |= cautions(terms, claimed, paper["ledger"])
    for name, fact in facts.items():
        if paper[name] != fact:
            raise ReleaseError(f"{name} is not what schema and method say")
    if claimed.label != "test (seeded)" and claimed != terms.guarantee:
        raise ReleaseError("the promise is not the one that the budget buys")
    if str(claimed) != paper["statement"]:
        raise ReleaseError("the statement does not say what the guarantee says")
    return f"sensitivity, noise and price recomputed; {claimed}"


def _data(folder: Path, paper: Mapping[str, Any]) -> str:
    content, decoder = Content(), None
    if paper["columns"] is None:
        domain = Domain.of(Schema.of(paper["schema"]))
        decoder = Decoder(domain)
        rules = Rules.of(
            domain, where_masks(domain, parse_where(domain, paper["options"].get("where")))
        )
    last = _paused(paper)
    for batch in read_records(folder, paper, table_schema(paper)):
        content.update(batch)
        if last is not None:
            last = _later(batch, last, paper["stream"]["horizon"])
        if decoder is None:
            continue  # numbers of the method's own: their content is all there is to check
        codes = encode(domain, batch)
        again = decoder.batch(codes)
        if not again.equals(pa.RecordBatch.from_arrays(batch.columns, schema=again.schema)):
            raise ReleaseError("the data holds values outside the public grid")
        if not rules.keeps(codes).all():
            raise ReleaseError("the data holds a record that its constraints or where rule out")
    if content.rows != paper["rows"] or content.hexdigest() != paper["content"]["blake2b-256"]:
        raise ReleaseError("the data is not the released content")
    grid = "every value on the public grid" if decoder else "the numbers that were released"
    return f"{content.rows} rows, {grid}"


def _paused(paper: Mapping[str, Any]) -> int | None:
    """The time after which a series goes on; None for what is no series."""
    if "stream" not in paper:
        return None
    return int((paper["stream"]["continues"] or {"from": 0})["from"])


def _later(batch: pa.RecordBatch, last: int, horizon: int) -> int:
    """The last time of a batch of a series, whose times must rise up to the horizon."""
    times = [last, *batch.column("time").to_pylist()]
    if any(b <= a for a, b in pairwise(times)) or times[-1] > horizon:
        raise ReleaseError("the times do not rise from where the series begins to its horizon")
    return int(times[-1])


def _in_ledger(paper: Mapping[str, Any], ledger: Ledger) -> str:
    stated = paper["ledger"]
    if stated is None or stated["id"] != ledger.ledger_id:
        raise ReleaseError("the release was not charged to this ledger")
    ledger.verify(head=stated["head"])
    entry = ledger.entry(paper["release"])
    if entry is None or entry.state != "released":
        raise ReleaseError("the ledger does not hold this release as released")
    if entry.digest != digest(paper):
        raise ReleaseError("the ledger released something else under this id")
    if begun := paper.get("stream", {}).get("continues"):
        return _continued(paper, begun, entry, ledger)
    if entry.part is not None:
        raise ReleaseError("the ledger holds this release as a part of a series")
    return f"charged once, as entry {entry.sequence}; the chain verifies"


def _continued(
    paper: Mapping[str, Any], begun: Mapping[str, Any], part: Entry, ledger: Ledger
) -> str:
    """A later part of a series: a line of its own, and the charge of the first part."""
    if part.part != begun["part"] or part.release != part_id(begun["release"], begun["part"]):
        raise ReleaseError("the ledger does not hold this part of the series it continues")
    entry = ledger.entry(begun["release"])
    if entry is None or entry.state not in ("drawn", "released"):
        raise ReleaseError("the ledger does not hold the release that this one continues")
    if entry.plan != _series_terms(paper, None).digest():
        raise ReleaseError("the release that this one continues was made with other settings")
    return (
        f"part {part.part}, recorded once as entry {part.sequence}, of a series that entry "
        f"{entry.sequence} paid for; the chain verifies"
    )
