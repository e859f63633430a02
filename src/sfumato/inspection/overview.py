"""NOT PRIVATE: a release beside its records, everything that fits, as readable sections.

What can be asked depends on what a row of the release is: a record in its place (how far
was it moved, can it be undone), a drawn record in the schema's columns (are distributions
kept, do attacks succeed), or numbers of the method's own (do they still fall into
clusters).  The scores are for the owner alone; `sfumato.inspection` says why.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np

from sfumato.domain import Domain, Grid
from sfumato.errors import DataError, ReleaseError, SchemaError
from sfumato.features import Features
from sfumato.inspection.attack.numeric import in_shares
from sfumato.inspection.attack.result import Attack
from sfumato.inspection.attack.suite import attacks, matrix_attacks
from sfumato.inspection.classify import classification
from sfumato.inspection.clustering import clustering
from sfumato.inspection.distortion import distortion
from sfumato.inspection.information import entropy, kl_divergence, total_variation
from sfumato.inspection.utility import encoded, numbers_only, squared_error
from sfumato.release import Release
from sfumato.schema import Schema

__all__ = ["Line", "Overview", "Section", "overview"]

_WORST = 3  # columns and pairs that are named
_MODELS = ("lda", "tree", "logistic")


@dataclass(frozen=True, slots=True)
class Line:
    """One figure: what it is, its value, and what to make of it."""

    what: str
    value: str
    meaning: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """Figures that belong together; `remark` says why some are missing."""

    title: str
    lines: tuple[Line, ...]
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Overview:
    """NOT PRIVATE: what an owner wants to know about one release."""

    dataset: str
    method: str
    promise: str
    rows: int
    records: int
    sections: tuple[Section, ...]


def overview(
    release: Release,
    original: Any,
    *,
    control: Any = None,
    secret: str | None = None,
    confidence: float = 0.95,
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
) -> Overview:
    """NOT PRIVATE: distortion, utility and attacks of a release beside its records.

    `control` holds records of the same population that had no part in the release: with
    them classifiers can be tried and attacks told from what holds for everybody.

    >>> import sfumato as sf
    >>> from sfumato.example import CLINIC, clinic
    >>> patients, schema = clinic(400), Schema.parse(CLINIC)
    >>> release = sf.publish(patients, schema=schema, epsilon=1, seed=1)
    >>> [section.title for section in overview(release, patients).sections]
    ['Utility', 'Attacks']
    """
    paper = release.certificate
    if "schema" not in paper:
        raise ReleaseError(
            "inspect is for tables; for a network use: sfumato graph compare ORIGINAL RELEASE"
        )
    domain = Domain.of(Schema.of(paper["schema"]))
    seen = _Seen(release, original, control, domain, secret, confidence, seed)
    found = []
    for section in seen.sections:
        if progress:
            progress(section.__name__.strip("_"))
        if (made := section()) is not None:
            found.append(made)
    return Overview(
        dataset=paper["dataset"],
        method=paper["method"],
        promise=paper["statement"],
        rows=paper["rows"],
        records=len(encoded(original, domain)),
        sections=tuple(found),
    )


@dataclass(frozen=True)
class _Seen:
    release: Release
    original: Any
    control: Any
    domain: Domain
    secret: str | None
    confidence: float
    seed: int

    @property
    def sections(self) -> tuple[Callable[[], Section | None], ...]:
        return self.distortion, self.utility, self.attacks

    @property
    def in_place(self) -> bool:
        """Whether row i of the release is about record i."""
        return "the order of the records" in self.release.certificate["invariants"]

    @property
    def like_the_schema(self) -> bool:
        """Whether the release has the schema's columns in the schema's types."""
        return self.release.certificate.get("columns") is None

    @property
    def numbers(self) -> list[str]:
        """Columns with an order that the release has under their own names."""
        present = set(self.release.table.column_names)
        return [a.name for a in self.domain.axes if isinstance(a, Grid) and a.name in present]

    def distortion(self) -> Section | None:
        """How far records were moved from their place."""
        if not self.in_place or not self.numbers:
            return None
        schema, table = self.domain.schema, self.release.table
        moved = distortion(table, self.original, schema)
        lines = [
            Line("VD, values", f"{moved.vd:.4f}", "distance moved, over the size of the table"),
            Line("RP, ranks", f"{moved.rp:.1f}", "places a value moves in its column"),
            Line("RK, ranks", f"{moved.rk:.1%}", "values that keep their place"),
            Line("CP, averages", f"{moved.cp:.2f}", "places the average of a column moves"),
            Line("CK, averages", f"{moved.ck:.1%}", "columns whose average keeps its place"),
        ]
        if self.like_the_schema:
            error = squared_error(self.original, table, schema).per_record
            lines.append(Line("squared error", f"{error:.3g}", "per record, ranges 1 wide"))
        remark = "Distortion is not privacy: a rotation moves everything and is easily undone."
        return Section("Distortion", tuple(lines), remark)

    def utility(self) -> Section:
        """What statistics and models keep."""
        if not self.like_the_schema:
            return Section("Utility", tuple(self._clusters()), "Compared by shape only.")
        schema, table = self.domain.schema, self.release.table
        lines = list(self._distances())
        divergence = kl_divergence(table, self.original, schema)
        bits, before = entropy(table, schema), entropy(self.original, schema)
        lines += [
            Line("KL divergence", f"{divergence:.3g} bits", "columns together; 0 is equal"),
            Line("entropy", f"{bits:.2f} bits", f"the records have {before:.2f}"),
            *self._models(),
        ]
        remark = ""
        if self.control is None:
            remark = "Give records that had no part in it (control) to try classifiers."
        elif self.domain.label is None:
            remark = "Without a label in the schema no classifiers are tried."
        return Section("Utility", tuple(lines), remark)

    def _distances(self) -> Iterator[Line]:
        for ways, what in ((1, "columns"), (2, "pairs of columns")):
            if len(self.domain.axes) < ways:
                continue
            found = total_variation(
                self.release.table, self.original, self.domain.schema, ways=ways
            )
            named = [
                f"{' × '.join(columns)} {distance:.3f}"
                for columns, distance in list(found.by_columns.items())[:_WORST]
            ]
            yield Line(
                f"total variation, {what}", f"{found.mean:.3f}", "worst: " + ", ".join(named)
            )

    def _models(self) -> Iterator[Line]:
        if self.control is None or self.domain.label is None:
            return
        found = classification(
            self.release.table,
            self.control,
            self.domain.schema,
            original=self.original,
            models=_MODELS,
        )
        for name, score in found.scores.items():
            best = (found.best or {})[name]
            frame = f"from the records {best.accuracy:.1%} and {best.auc:.3f}"
            guess = f"guessing {found.lowest.accuracy:.1%}"
            yield Line(f"{name}", f"{score.accuracy:.1%}, AUC {score.auc:.3f}", f"{frame}; {guess}")

    def _clusters(self) -> Iterator[Line]:
        numbers = self.release.table.select(
            [f.name for f in self.release.table.schema if str(f.type) in ("double", "int64")]
        )
        features = Features.of(self.domain)
        if not numbers.num_columns or not len(features) or numbers.num_rows < 2:
            return
        found = clustering(numbers, None)
        whole = clustering(self.original, self.domain.schema)
        shown = "none" if isnan(found.release) else f"{found.release:.3f}"
        yield Line("silhouette after k-means", shown, f"the records have {whole.release:.3f}")

    def attacks(self) -> Section:
        """What an attacker finds, beside guessing and a control."""
        found: list[Attack] = []
        if self.like_the_schema:
            found += attacks(
                self.release.table,
                self.original,
                self.domain.schema,
                control=self.control,
                secret=self.secret,
                confidence=self.confidence,
                seed=self.seed,
            )
        why = ""
        if self.in_place:
            try:
                found += self._on_rows()
            except (DataError, SchemaError) as error:
                why = f" Attacks on single rows were not possible: {error}."
        lines = tuple(
            Line(_named(a), a.verdict, a.sentence.removeprefix(f"{_named(a)}: ")) for a in found
        )
        remark = "An attack that fails shows that this attack fails; only a guarantee covers all."
        if not lines:
            remark = "Rows are neither records nor like them: no attack here speaks of them."
        return Section("Attacks", lines, remark + why)

    def _on_rows(self) -> tuple[Attack, ...]:
        schema, table = self.domain.schema, self.release.table
        if self.numbers:
            P, A = in_shares(table, self.original, schema)
        elif self.like_the_schema:
            return ()  # categories have neither distance nor angle
        else:
            label = schema.label
            own = [name for name in table.column_names if name != label]
            P = numbers_only(table.select(own))[1]
            P = np.column_stack([P, np.ones(len(P))])  # the centre of the coordinates is unknown
            label_at = self.domain.label
            features = Features.of(self.domain, without=() if label_at is None else (label_at,))
            A = features.design(encoded(self.original, self.domain)) / features.units
        if P.shape[1] < 2:
            return ()
        stated = float(self.release.certificate["options"].get("deviation") or 0)
        return matrix_attacks(
            P, A, deviation=stated or None, confidence=self.confidence, seed=self.seed
        )


def _named(attack: Attack) -> str:
    return f"{attack.name}, {attack.subject}" if attack.subject else attack.name
