"""What the page of a release says: its facts, its checks, its files, and what may be asked.

Nothing of a release is passed on as if it were one when its checks fail: no figure is answered, no
file is handed out, no report is shown.  Two exceptions: a plan that another version made cannot be
computed again here, and that is said instead; and a report that somebody put into the folder is no
part of the release, and is never shown.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path

from sfumato.ledger import Ledger
from sfumato.publishing.page import report_page
from sfumato.publishing.verification import Check, Verification
from sfumato.publishing.verify import checks
from sfumato.release import Release
from sfumato.release.certificate import Certificate
from sfumato.release.facts import rows_of, warnings_of
from sfumato.release.folder import CERTIFICATE, REPORT
from sfumato.release.reading import read_certificate
from sfumato.report.promised import in_odds, promised
from sfumato.report.unit import unit_words
from sfumato.schema import Category
from sfumato.studio.shelf import Shelf

__all__ = ["QUICK", "ShownRelease", "formulas", "report_of", "shown_release"]

QUICK = 2**25  # bytes of data that are checked whenever the page is opened
_LIKE_A_FORMULA = ("=", "+", "-", "@")
_MOST_FORMULAS = 5


@dataclass(frozen=True)
class ShownRelease:
    """A release that was looked through, and what follows for the page."""

    name: str
    folder: Path
    certificate: Certificate
    checks: Verification | None  # None: not made yet, because the data is large
    received: bool = False

    def with_checks(self, checks: Verification) -> "ShownRelease":
        """The same, after other checks."""
        return replace(self, checks=checks)

    @property
    def sound(self) -> bool:
        """Whether it may be passed on: nothing failed but a plan of another version.

        What was published here was checked then; what was received, nobody has checked yet.
        """
        if self.checks is None:
            return not self.received
        return all(self._excused(check) for check in self.checks.failed)

    @property
    def failed(self) -> list[Check]:
        """What speaks against it."""
        failed = () if self.checks is None else self.checks.failed
        return [check for check in failed if not self._excused(check)]

    @property
    def doubted(self) -> list[Check]:
        """What could not be checked here, or concerns the ledger alone."""
        failed = () if self.checks is None else self.checks.failed
        return [check for check in failed if self._excused(check) and check.name != "report"]

    def _excused(self, check: Check) -> bool:
        return check.name in ("ledger", "report") or (
            check.name == "plan" and self.certificate.versions.get("sfumato") != version("sfumato")
        )

    @property
    def rows(self) -> str:
        """How much there is."""
        return rows_of(self.certificate)

    @property
    def promise(self) -> str:
        """What is promised, as a figure; in words where there is none."""
        found = promised(
            self.certificate.guarantee,
            self.certificate.bought,
            unit_words(self.certificate).steps,
        )
        return self.certificate.statement if found is None else found.figure

    @property
    def in_words(self) -> str:
        """What that means for somebody in the data; empty where nothing is promised."""
        words = unit_words(self.certificate)
        bought = self.certificate.bought
        return in_odds(self.certificate.guarantee, bought, words.steps, words.about)

    @property
    def warnings(self) -> list[str]:
        """What the certificate itself warns of."""
        return list(warnings_of(self.certificate))

    @property
    def files(self) -> list[str]:
        """What can be fetched: data first, then what says how it was made."""
        listed = self.certificate.data_files
        rest = [name for name in self.certificate.files if name not in listed]
        return [*listed, CERTIFICATE, *rest, REPORT]

    @property
    def formulas(self) -> list[str]:
        """Columns in whose values a spreadsheet may see formulas; none of a Parquet file."""
        text = any(name.endswith(".csv") for name in self.certificate.data_files)
        return list(formulas(self.certificate)) if text else []


def formulas(certificate: Certificate) -> Iterator[str]:
    """Columns whose public list of values holds one that a spreadsheet would compute.

    A negative number is none.  Values come from the schema alone, so this says nothing of a record.
    """
    schema = certificate.public_schema
    for name, column in ({} if schema is None else schema.released).items():
        values = [*column.values, column.other or ""] if isinstance(column, Category) else []
        if name.startswith(_LIKE_A_FORMULA) or any(map(_is_formula, map(str, values))):
            yield name


def _is_formula(text: str) -> bool:
    if not text.startswith(_LIKE_A_FORMULA):
        return False
    try:
        float(text)
    except ValueError:
        return True
    return False


def shown_release(
    shelf: Shelf, name: str, ledger: Ledger | None, *, now: bool = False
) -> ShownRelease:
    """Look through a release; with `now` also where that takes a while."""
    folder = shelf.place(name)
    certificate = read_certificate(folder)
    head = None if ledger is None else ledger.head

    def look() -> Verification:
        return checks(folder, ledger=ledger)

    what, sizes = ("checks", head), (_size(folder / file) for file in certificate.data_files)
    made = None
    if now or shelf.known(folder, what) or sum(sizes) <= QUICK:
        made = shelf.kept(folder, what, look)
    return ShownRelease(name, folder, certificate, made, received=shelf.alone)


def report_of(shelf: Shelf, release: ShownRelease) -> bytes:
    """The report, made of the release; a page that lies in the folder may be anybody's."""
    return shelf.kept(release.folder, "report", lambda: report_page(Release.load(release.folder)))


def _size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except OSError:  # said by the checks
        return 0
