"""NOT PRIVATE: a release beside its records, everything that fits, as readable sections.

What can be asked depends on the unit, a row (`sfumato.inspection.row_sections`) or a person with
all of their rows (`sfumato.inspection.panel.sections`).  The scores are for the owner alone;
`sfumato.inspection` says why.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.errors import ReleaseError
from sfumato.inspection.counting import by_name, count_inspection
from sfumato.inspection.display import overview_html
from sfumato.inspection.figure import needed
from sfumato.inspection.panel.reading import tables_in
from sfumato.inspection.panel.sections import PanelSections
from sfumato.inspection.row_sections import RowSections
from sfumato.inspection.section import Section
from sfumato.ledger import Ledger
from sfumato.moved import refusing
from sfumato.progress import Wish, working
from sfumato.release import Release
from sfumato.release.certificate import stated
from sfumato.release.kind import TABLE
from sfumato.schema.person import check_one_row_each

__all__ = ["Overview", "inspect"]

__getattr__ = refusing(__name__)


@dataclass(frozen=True, slots=True)
class Overview:
    """NOT PRIVATE: what an owner wants to know about one release."""

    dataset: str
    method: str
    promise: str
    rows: int
    records: int
    sections: tuple[Section, ...]
    counted: bool = False
    units: str = "records"  # what `records` counts: persons, where the schema makes them the unit

    def _repr_html_(self) -> str:
        return overview_html(self)


def inspect(
    release: Release,
    original: Any,
    *,
    control: Any = None,
    secret: str | None = None,
    confidence: float = 0.95,
    seed: int = 0,
    ledger: Ledger | str | Path | None = None,
    uncounted: bool = False,
    pictures: bool = False,
    progress: Wish = None,
) -> Overview:
    """NOT PRIVATE: distributions, utility, attacks and exposed records of a release.

    `control` holds records of the same population that had no part in the release: with
    them classifiers can be tried and attacks told from what holds for everybody.  A release
    that was charged to a ledger is looked at with that `ledger`, which counts it before a
    record is read; or `uncounted`.  Where persons and their events are two tables, `original` and
    `control` are `{"persons": …, "events": …}`.  Terminals and notebooks show what is under way,
    unless `progress=False`; a function is told instead.

    >>> import sfumato as sf
    >>> from sfumato.example import CLINIC, clinic
    >>> patients, schema = clinic(400), sf.Schema.parse(CLINIC)
    >>> release = sf.publish(patients, schema=schema, epsilon=1, seed=1)
    >>> [section.title for section in inspect(release, patients).sections]
    ['Fit', 'Distributions', 'Correlations', 'Components', 'Utility', 'Attacks', 'Exposed records']
    """
    certificate = release.certificate
    if certificate.kind is not TABLE:
        raise ReleaseError(
            "inspect is for tables; for a network use: sfumato graph compare ORIGINAL RELEASE"
        )
    if pictures:
        needed()
    seen = _opened(
        release,
        original,
        control,
        secret=secret,
        confidence=confidence,
        seed=seed,
        pictures=pictures,
    )
    with working(progress) as say:
        with by_name(ledger) as opened_ledger:
            counted = count_inspection(certificate, opened_ledger, uncounted=uncounted)
        found = []
        for section in seen.sections:
            say(section.__name__.replace("_", " "))
            if (made := section()) is not None:
                found.append(made)
    return Overview(
        dataset=certificate.dataset,
        method=certificate.method,
        promise=certificate.statement,
        rows=certificate.rows,
        records=seen.records,
        sections=tuple(found),
        counted=counted,
        units=seen.units,
    )


def _opened(
    release: Release, original: Any, control: Any, *, secret: str | None, **how: Any
) -> RowSections | PanelSections:
    """What can be asked, by what the unit is; refused where something cannot be read."""
    schema = stated(release.certificate.public_schema)
    if (people := schema.people) is None:
        (original,) = tables_in(original, schema)
        (control,) = tables_in(control, schema)
        return RowSections.of(release, original, control, secret=secret, **how)
    if secret is not None:
        check_one_row_each(people, "secret is for an attack that takes", "leave it out")
    return PanelSections.of(release, original, control, **how)
