"""Publish persons with all of their rows: from one table, or from two, to as many.

As for tables of rows, what can be refused is refused before the ledger is charged: from headers
and, where the number of persons is public, from that number.  To count persons their rows must be
brought together: what was grouped then is what is measured after the charge.
"""

import hashlib
import secrets
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.errors import DataError, ParameterError
from sfumato.ledger import Ledger
from sfumato.plan import Plan
from sfumato.privacy.mechanism import Purse
from sfumato.progress import Wish
from sfumato.progress import rows as told_rows
from sfumato.publishing.doubt import Doubted
from sfumato.publishing.fit import counted_fit
from sfumato.publishing.people_rows import PeopleRows
from sfumato.publishing.people_source import PeopleSource, layout_of
from sfumato.publishing.transaction import Produced, ReleaseTransaction
from sfumato.release.file import Format
from sfumato.release.given_frame import Frame
from sfumato.release.release import Release
from sfumato.render.panel_drawing import PanelDrawing
from sfumato.signature import PrivateKey
from sfumato.table.people.people import People
from sfumato.table.source import Kind, frame_types

__all__ = ["publish_people"]

Progress = Callable[[str, int], None]


def publish_people(
    plan: Plan,
    tables: Mapping[str, Any],
    *,
    ledger: Ledger | str | Path | None,
    folder: str | Path | None,
    format: Format | None,
    persons: int | None,
    release: str | None,
    signer: PrivateKey | None,
    seed: int | None,
    progress: Wish,
    on_doubt: Doubted,
) -> Release:
    """Release tables of persons, by name: `data`, or `persons` and `events`.

    `persons` is how many to draw; what is written, is written here, wherever the records are.
    """
    unit = plan.domain.schema.people
    assert unit is not None  # noqa: S101  whoever has no persons publishes rows
    if plan.public is not None:
        raise ParameterError(
            f"{plan.method} takes components from public data by row, and here the unit is a "
            "person: leave out basis"
        )
    layout = layout_of(unit)
    source = PeopleSource.of(tables, plan.domain, layout)
    ledger = Ledger(ledger) if isinstance(ledger, str | Path) else ledger
    with told_rows(progress) as step:
        people = People(
            source.rows,
            plan.domain,
            layout,
            key=_key(ledger, seed),
            persons=source.persons,
            progress=lambda n: step("read", n),
            complaints=plan.fit is not None,
        )
        if plan.domain.schema.neighbours == "replace-one":
            plan = _sized(plan, people.persons)
        publishable = _Persons(plan, people, persons, seed, step)
        transaction = ReleaseTransaction(
            publishable, ledger, release, seed, on_doubt=on_doubt, signer=signer
        )
        kinds = {one.kind for one in source.both}
        written: Format = format or ("parquet" if kinds == {"parquet"} else "csv")
        types = {name: kind for one in source.both for name, kind in frame_types(one).items()}
        return transaction.to(folder, written, _frame(kinds), types)


def _key(ledger: Ledger | None, seed: int | None) -> bytes:
    """By which rows beyond the public number are left out: it must not be known to others."""
    if ledger is not None:
        return ledger.fingerprint_key
    if seed is None:
        return secrets.token_bytes(32)
    return hashlib.sha256(f"sfumato test run {seed}".encode()).digest()  # which is to be repeatable


def _sized(plan: Plan, persons: int) -> Plan:
    """The plan for a public number of persons."""
    if persons < 2:
        raise DataError("the data has fewer than two persons: at least two are needed")
    return plan if plan.sized is None else plan.sized(persons)


def _frame(kinds: set[Kind]) -> Frame:
    """What was given, where both tables are of the same kind."""
    if kinds == {"pandas"}:
        return "pandas"
    return "polars" if kinds == {"polars"} else "arrow"


class _Persons:
    """Persons to be published."""

    def __init__(
        self, plan: Plan, people: People, persons: int | None, seed: int | None, progress: Progress
    ) -> None:
        self._plan, self.terms, self.tables = plan, plan.terms, plan.tables
        self._people, self._persons = people, persons
        self._seed, self._progress = seed, progress

    def fingerprint(self) -> bytes:
        return self._people.fingerprint()

    def produce(self, purse: Purse, _release: str) -> Produced:
        fit = None
        if self._plan.fit is not None:
            purse.begin(self._plan.fit.counts.budget)
            fit = counted_fit(self._plan.fit, self._people, purse)
            purse.begin(self._plan.fit.rest)
        synopsis = self._plan.measure(self._people, purse)
        # What is drawn from here on is post-processing: its generator needs no secrecy.
        rng = np.random.default_rng(self._seed)
        drawn = self._plan.render(synopsis, self._persons, rng)
        made: Iterable[Any] | PeopleRows = drawn  # columns of the method's own
        if isinstance(drawn, PanelDrawing):
            made = PeopleRows(drawn, self._plan.domain)
        record = synopsis.to_json() if hasattr(synopsis, "to_json") else None
        return Produced(record, made, fit, told=lambda count: self._progress("write", count))
