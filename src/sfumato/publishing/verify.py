"""Check a release folder against itself, its plan and, where given, the ledger.

Nothing here needs the original data: whoever receives a release can run it.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from shlex import quote

from sfumato.errors import MissingExtra, ParameterError, Refused, ReleaseError
from sfumato.ledger import Entry, Ledger
from sfumato.ledger.rules import part_id
from sfumato.ledger.table_part import TablePart
from sfumato.plan.part import DeclaredPart
from sfumato.publishing.certify import stated_facts
from sfumato.publishing.estimated import check_estimated
from sfumato.publishing.kinds import kind_rules
from sfumato.publishing.origin import ANYBODY, Trust, signer
from sfumato.publishing.people_data import check_people_data
from sfumato.publishing.verification import Check, Verification
from sfumato.release.certificate import Certificate, Continues, PartyFacts, stated
from sfumato.release.content import Content, PartsContent
from sfumato.release.digest import whole_digest
from sfumato.release.folder import CERTIFICATE, DATA, REPORT, SYNOPSIS, sha256
from sfumato.release.older_content import OlderContent
from sfumato.release.reading import read_certificate, read_files, read_synopsis
from sfumato.release.release import Release, table_schema
from sfumato.render.constrained import CONDITIONED
from sfumato.schema.domain import Domain
from sfumato.untrusted.plain_file import content as file_content
from sfumato.untrusted.plain_file import is_folder, is_there

__all__ = ["answers", "checks", "verify"]

_LARGEST_PAGE = 2**26  # bytes


def verify(
    folder: str | Path | Release,
    *,
    ledger: Ledger | str | Path | None = None,
    key: str | Path | Iterable[str | Path] | None = None,
    revoked: str | Path | Iterable[str | Path] | None = None,
) -> Verification:
    """All checks in order; a folder without a readable certificate is refused outright.

    A release that lies in a folder stands for it.  `key` is a file of public keys, or several: the
    release must be signed by one of them, and not by one that `revoked`, a file or
    several, lists.
    A page that was added to the folder is made again from the release and compared with it.

    >>> from tempfile import TemporaryDirectory
    >>> import sfumato as sf
    >>> schema = sf.Schema.parse(sf.example.CLINIC)
    >>> release = sf.publish(sf.example.clinic(300), schema=schema, epsilon=1)
    >>> with TemporaryDirectory() as place:
    ...     found = verify(release.save(f"{place}/release"))
    >>> found.passed, [check.name for check in found]
    (True, ['files', 'plan', 'data', 'origin'])
    """
    if isinstance(folder, Release):
        if folder.folder is None:
            raise ParameterError(
                "this release lies in no folder: save it, release.save(FOLDER), and verify that"
            )
        folder = folder.folder
    if not isinstance(folder, str | Path):
        raise ParameterError(f"verify takes the folder of a release, not {type(folder).__name__}")
    trust = Trust.of(key, revoked)
    if isinstance(ledger, str | Path):
        with Ledger(ledger) as opened:
            return _verified(Path(folder), opened, trust)
    return _verified(Path(folder), ledger, trust)


def _verified(folder: Path, ledger: Ledger | None, trust: Trust) -> Verification:
    found = checks(folder, ledger=ledger, trust=trust)
    if is_there(folder / REPORT):
        # A ledger may be another one; what the page is about lies in the folder.
        sound = all(check.name == "ledger" for check in found.failed)
        found += answers([("report", lambda: _page(folder, sound))])
    return found


def checks(
    folder: str | Path, *, ledger: Ledger | None = None, trust: Trust = ANYBODY
) -> Verification:
    """The checks of what was released, whatever page was added to it later."""
    folder = Path(folder)
    if not is_folder(folder):
        raise ReleaseError(f"{folder} is not a release folder")
    certificate = read_certificate(folder)
    questions: list[tuple[str, Callable[[], str]]] = [
        ("files", lambda: _files(folder, certificate)),
        ("plan", lambda: _replanned(folder, certificate)),
        ("data", lambda: _data(folder, certificate)),
        ("origin", lambda: signer(certificate, trust)),
    ]
    if ledger is not None:
        questions.append(("ledger", lambda: _in_ledger(folder, certificate, ledger)))
    return Verification(_dated(check, certificate) for check in answers(questions))


def _page(folder: Path, sound: bool) -> str:
    """A page is not part of the release: it is this one, or it is foreign."""
    from sfumato.publishing.page import report_page  # only now: a release need not have one

    if not sound:
        raise ReleaseError(f"{REPORT} is about a release that is not as it was released")
    remedy = f"remove it, or make it again: sfumato report {quote(str(folder))} --force"
    try:
        found = file_content(folder / REPORT, _LARGEST_PAGE)
    except OSError as error:
        raise ReleaseError(f"{REPORT} is foreign: {error.strerror}; {remedy}") from None
    try:
        made = report_page(Release.load(folder))
    except MissingExtra as missing:
        raise ReleaseError(f"{REPORT} cannot be compared: {missing}; or remove it") from None
    if found != made:
        raise ReleaseError(
            f"{REPORT} is foreign: this release gives another page here. It was changed, or made "
            f"by other versions of sfumato or matplotlib; {remedy}"
        )
    return f"{REPORT} is the page that this release gives, byte for byte"


def _dated(check: Check, certificate: Certificate) -> Check:
    """A plan that differs is no forgery where another version may have made another plan."""
    made, here = certificate.versions.get("sfumato"), version("sfumato")
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


def _files(folder: Path, certificate: Certificate) -> str:
    if certificate.digest != certificate.seal:
        raise ReleaseError(f"{CERTIFICATE} was changed after the release")
    listed = certificate.files
    present = _present(folder)
    if missing := sorted(set(listed) - present):
        raise ReleaseError(f"{missing[0]} is missing")
    if foreign := sorted(present - set(listed) - {CERTIFICATE, REPORT}):
        raise ReleaseError(f"{foreign[0]} is not part of the release: remove it before publishing")
    if (SYNOPSIS in listed) != (certificate.synopsis is not None):
        raise ReleaseError(f"{SYNOPSIS} and the certificate disagree on whether there is one")
    for name, expected in listed.items():
        try:
            found = sha256(folder / name)
        except OSError as error:
            raise ReleaseError(f"{name} cannot be read: {error.strerror}") from None
        if found != expected:
            raise ReleaseError(f"{name} was changed after the release")
    synopsis = read_synopsis(folder, certificate)
    if synopsis is not None and whole_digest(synopsis) != certificate.synopsis:
        raise ReleaseError(f"{SYNOPSIS} was changed after the release")
    return f"as released: {', '.join(certificate.listed)}"


def _present(folder: Path) -> set[str]:
    """The names of all that lies in the folder, and in that of its data files."""
    found = {path.name for path in folder.iterdir()}
    data = folder / DATA
    if is_folder(data) and not data.is_symlink():
        inside = {f"{DATA}/{path.name}" for path in data.iterdir()}
        found = found - {DATA} | (inside or {DATA})  # an empty one is foreign
    return found


def _replanned(folder: Path, certificate: Certificate) -> str:
    """Sensitivity, noise and price follow from what is public: compute them again."""
    terms = kind_rules(certificate).terms_again(folder, certificate)
    if tuple(terms.events) != certificate.events:
        raise ReleaseError("the mechanism events are not those that schema and budget call for")
    claimed, counted = certificate.guarantee, certificate.ledger is not None
    record = certificate.to_json()
    facts = stated_facts(terms, claimed, counted=counted)
    earlier = "revision" not in record["options"]  # did not say how good they would be
    if earlier and terms.doubt is not None and record["warnings"] == facts["warnings"][:-1]:
        del facts["warnings"]
    if record["limits"] == [limit for limit in facts["limits"] if limit != CONDITIONED]:
        del facts["limits"]  # of a version that did not say it
    for name, fact in facts.items():
        if record[name] != fact:
            raise ReleaseError(f"{name} is not what schema and method say")
    if claimed.label != "test (seeded)" and claimed != terms.guarantee:
        raise ReleaseError("the promise is not the one that the budget buys")
    if str(claimed) != certificate.statement:
        raise ReleaseError("the statement does not say what the guarantee says")
    return f"sensitivity, noise and price recomputed; {claimed}"


def _data(folder: Path, certificate: Certificate) -> str:
    if certificate.people is not None:
        return check_people_data(folder, certificate)
    check, parts = kind_rules(certificate).check_values(certificate), PartsContent()
    for name, batches in read_files(folder, certificate, table_schema(certificate)):
        content = Content() if certificate.format > 1 else OlderContent()
        for batch in batches:
            content.update(batch)
            if check is not None:
                check(batch)
        found = content.hexdigest()
        parts.add(name, content.rows, found)
    if certificate.in_parts:
        found = parts.hexdigest()
    released = certificate.content.tree or certificate.content.blake2b
    if parts.rows != certificate.rows or found != released:
        raise ReleaseError("the data is not the released content")
    own = certificate.columns is not None
    values = "the values that were released" if own else "every value on the public grid"
    return f"{parts.rows:,} rows, {values}"


def _in_ledger(folder: Path, certificate: Certificate, ledger: Ledger) -> str:
    charged = certificate.ledger
    if certificate.parties is not None:
        return _of_a_party(folder, certificate, certificate.parties, ledger)
    if charged is None or charged.id != ledger.ledger_id:
        raise ReleaseError("the release was not charged to this ledger")
    ledger.verify(head=charged.head)
    entry = ledger.entry(certificate.release)
    if entry is None or entry.state != "released":
        raise ReleaseError("the ledger does not hold this release as released")
    if entry.digest != certificate.digest:
        raise ReleaseError("the ledger released something else under this id")
    paid = ""
    if certificate.public_schema is not None:
        check_estimated(certificate.public_schema, ledger)
        if names := ", ".join(certificate.public_schema.bought):
            paid = (
                f". It holds {names} as well, at the price that the schema states; that the ranges "
                "or values were bought there, the folder of the estimate shows"
            )
    if begun := certificate.continues:
        return _continued(certificate, begun, entry, ledger)
    if entry.part is not None:
        raise ReleaseError("the ledger holds this release as a part of a series")
    part = None
    if certificate.part is not None:
        part = kind_rules(certificate).terms_again(folder, certificate).part
    if entry.table_part != part and entry.table_part != _part_before(certificate):
        raise ReleaseError("the ledger charged this release for another part of the table")
    return f"charged once, as entry {entry.sequence}; the chain verifies{paid}"


def _part_before(certificate: Certificate) -> TablePart | None:
    """The codes that the part had when codes stood for evenly spaced points."""
    if certificate.part is None:
        return None
    domain = Domain.of(stated(certificate.public_schema)).with_even_points()
    return DeclaredPart.of(domain, certificate.part).charged


def _of_a_party(folder: Path, certificate: Certificate, parties: PartyFacts, ledger: Ledger) -> str:
    """The ledger of one of several parties: it knows the agreement, not what came of it."""
    ledger.verify()
    terms = kind_rules(certificate).terms_again(folder, certificate)  # and what was agreed on
    entry = ledger.entry(certificate.release)
    if entry is None or entry.state not in ("drawn", "released"):
        raise ReleaseError("the ledger holds no charge for this release")
    if (entry.plan, entry.dataset) != (parties.agreement, certificate.dataset):
        raise ReleaseError("the ledger holds a charge for another agreement under this id")
    if entry.guarantee != certificate.guarantee or entry.guarantee != terms.guarantee:
        raise ReleaseError("the ledger charged another promise than the certificate states")
    return (
        f"charged once, as entry {entry.sequence}; the chain verifies. Whether the party of this "
        f"ledger is one of those that contributed ({', '.join(parties.contributed)}), it cannot say"
    )


def _continued(certificate: Certificate, begun: Continues, part: Entry, ledger: Ledger) -> str:
    """A later part of a series: a line of its own, and the charge of the first part."""
    if begun.part is None or (part.part, part.release) != (
        begun.part,
        part_id(begun.release, begun.part),
    ):
        raise ReleaseError("the ledger does not hold this part of the series it continues")
    entry = ledger.entry(begun.release)
    if entry is None or entry.state not in ("drawn", "released"):
        raise ReleaseError("the ledger does not hold the release that this one continues")
    from sfumato.publishing.kinds.stream import series_again

    if entry.plan != series_again(certificate, None).digest():
        raise ReleaseError("the release that this one continues was made with other settings")
    return (
        f"part {part.part}, recorded once as entry {part.sequence}, of a series that entry "
        f"{entry.sequence} paid for; the chain verifies"
    )
