"""NOT PRIVATE: what can be asked of a release in which each record is a row, as sections.

It depends on what a row of the release is: a record in its place (how far was it moved, can it be
undone), a drawn record in the schema's columns (are distributions kept, do attacks succeed), or
numbers of the method's own (do they still fall into clusters).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np

from sfumato.errors import DataError, MissingExtra, SchemaError
from sfumato.inspection.attack.numeric import in_shares
from sfumato.inspection.attack.result import Attack
from sfumato.inspection.attack.suite import attacks, matrix_attacks
from sfumato.inspection.clustering import clustering
from sfumato.inspection.component import clouds, draw_clouds
from sfumato.inspection.correlation import correlations, draw_correlations
from sfumato.inspection.distortion import distortion
from sfumato.inspection.exposure import exposure
from sfumato.inspection.fit import fit_section
from sfumato.inspection.grouped import by_group
from sfumato.inspection.information import entropy, kl_divergence, total_variation
from sfumato.inspection.lines import LIMITED, attack_line, distance_line
from sfumato.inspection.marginal import MOST_COLUMNS, draw_marginal, marginals
from sfumato.inspection.section import Line, Picture, Section
from sfumato.inspection.subspace import captured_variance
from sfumato.inspection.task import task
from sfumato.inspection.utility import (
    domain_of,
    encoded,
    has_rows,
    numbers_only,
    opened,
    squared_error,
)
from sfumato.plan.part import DeclaredPart
from sfumato.release import Release
from sfumato.release.certificate import stated
from sfumato.render.components import COLUMNS
from sfumato.schema.domain import Domain, Grid
from sfumato.synopsis.features import Features
from sfumato.table.source import held

__all__ = ["RowSections"]


@dataclass(frozen=True)
class RowSections:
    """NOT PRIVATE: what can be asked of a release whose records are rows."""

    release: Release
    original: Any
    control: Any
    domain: Domain
    secret: str | None
    confidence: float
    seed: int
    pictures: bool
    units: str = "records"

    @classmethod
    def of(
        cls,
        release: Release,
        original: Any,
        control: Any,
        *,
        secret: str | None,
        confidence: float,
        seed: int,
        pictures: bool,
    ) -> "RowSections":
        """Opened; refused, before the look is counted, where something cannot be read."""
        certificate = release.certificate
        domain = domain_of(stated(certificate.public_schema))
        original, control = held(original), held(control)
        if certificate.part is not None:  # the release is about these records alone
            part = DeclaredPart.of(domain, certificate.part)
            original = part.of_source(opened(original, domain))
            control = None if control is None else part.of_source(opened(control, domain))
        for data in (original, *(() if control is None else (control,))):
            has_rows(opened(data, domain), 1)  # what cannot be read is not counted
        return cls(release, original, control, domain, secret, confidence, seed, pictures)

    @property
    def records(self) -> int:
        """How many there are."""
        return len(encoded(self.original, self.domain))

    @property
    def sections(self) -> tuple[Callable[[], Section | None], ...]:
        """What is asked, in this order."""
        if not self.like_the_schema:
            return self.fit, self.distortion, self.utility, self.attacks
        shape = self.fit, self.distributions, self.correlations, self.components
        told = self.by_group, self.distortion, self.utility, self.attacks, self.exposed_records
        return *shape, *told

    @property
    def in_place(self) -> bool:
        """Whether row i of the release is about record i."""
        return "the order of the records" in self.release.certificate.invariants

    @property
    def like_the_schema(self) -> bool:
        """Whether the release has the schema's columns in the schema's types."""
        return self.release.certificate.columns is None

    @property
    def numbers(self) -> list[str]:
        """Columns with an order that the release has under their own names."""
        present = set(self.release.table.column_names)
        return [a.name for a in self.domain.axes if isinstance(a, Grid) and a.name in present]

    def fit(self) -> Section:
        """How many values were cut or replaced before anything was measured."""
        return fit_section(self.original, self.domain)

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

    def distributions(self) -> Section:
        """Every column, and every pair of columns, beside the records."""
        table, schema = self.release.table, self.domain.schema
        divergence = kl_divergence(table, self.original, schema)
        bits, before = entropy(table, schema), entropy(self.original, schema)
        lines = (
            *self._distances(),
            Line("KL divergence", f"{divergence:.3g} bits", "columns together; 0 is equal"),
            Line("entropy", f"{bits:.2f} bits", f"the records have {before:.2f}"),
        )
        drawings: tuple[Picture, ...] = ()
        legend = ""
        if self.pictures:
            found = marginals(table, self.original, schema)
            drawings = tuple(draw_marginal(marginal) for marginal in found[:MOST_COLUMNS])
            legend = "Area: records. Line: release. Beside each name its total variation."
            if len(found) > MOST_COLUMNS:
                legend += f" The {MOST_COLUMNS} columns of {len(found)} that are farthest off."
        return Section("Distributions", lines, pictures=drawings, legend=legend)

    def correlations(self) -> Section | None:
        """How columns depend on each other, in the records and in the release."""
        found = correlations(self.release.table, self.original, self.domain.schema)
        if len(found.names) < 2:
            return None
        first, second, before, after = found.worst
        lines = (
            Line("mean difference", f"{found.error:.3f}", "between coefficients, over all pairs"),
            Line("farthest off", f"{first} × {second}", f"{after:.2f}, the records {before:.2f}"),
        )
        drawings = draw_correlations(found) if self.pictures else ()
        return Section("Correlations", lines, pictures=drawings)

    def components(self) -> Section | None:
        """Principal components of both sides."""
        found = clouds(self.release.table, self.original, self.domain.schema)
        if found is None:
            return None
        ours, theirs = (side[:2].sum() for side in found.scree[::-1])
        lines = (
            Line("first two components", f"{ours:.1%} of the variance", f"records {theirs:.1%}"),
            Line("variance kept", f"{found.kept:.1%}", "of what the records' first two hold"),
        )
        return Section("Components", lines, pictures=draw_clouds(found) if self.pictures else ())

    def by_group(self) -> Section | None:
        """Each group that the schema marks, by itself."""
        if not any(axis.column.role == "group" for axis in self.domain.axes):
            return None
        lines = tuple(
            Line(
                f"{kept.column}: {kept.group}",
                "too few" if kept.distance is None else f"{kept.distance:.3f}",
                f"{kept.share_after:.1%} of the rows, {kept.share_before:.1%} of the records"
                + (f"; worst: {kept.worst}" if kept.worst else ""),
            )
            for kept in by_group(self.release.table, self.original, self.domain)
        )
        remark = "Mean total variation of the other columns within the group; 0 is equal."
        return Section("By group", lines, remark, headings=("group", "distance", "meaning"))

    def utility(self) -> Section:
        """What models and tasks keep."""
        table = self.release.table
        if self.like_the_schema:
            lines, remark = task(table, self.original, self.domain, control=self.control)
            return Section("Utility", lines, remark)
        if table.column_names[: len(COLUMNS)] == [*COLUMNS]:
            return Section("Utility", tuple(self._captured()), "Directions, and no records.")
        try:
            lines = tuple(self._clusters())
        except MissingExtra as absent:
            return Section("Utility", (), f"Clusters were not looked for: {absent}.")
        remark = "Compared by shape only." if lines else "No number to compare with the records."
        return Section("Utility", lines, remark)

    def _captured(self) -> Iterator[Line]:
        options = self.release.certificate.options
        held = captured_variance(
            self.release.table,
            self.original,
            self.domain.schema,
            radius=options.get("radius"),
            about="centre" if str(options.get("means")) == "0" else "mean",
        )
        best = f"as many exact components hold {held.of_total / held.of_best:.1%}"
        yield Line("variance captured", f"{held.of_total:.1%}", best)

    def exposed_records(self) -> Section:
        """Which records the release comes closest to, by position alone."""
        if len(self.release.table) < 1 or len(encoded(self.original, self.domain)) < 2:
            return Section("Exposed records", (), "Too few records to tell who stands out.")
        found = exposure(
            self.release.table, self.original, self.domain.schema, control=self.control
        )
        whose = "control records" if found.against_control else "all records"
        lines = tuple(
            Line(f"record {who.position:,}", f"{who.ratio:.2f}", f"{who.others:.1%} of {whose}")
            for who in found.records
        )
        remark = (
            f"Position in the file, and how far the nearest released row is as a share of the "
            f"nearest other record; {found.usual:.2f} is usual. {found.searched:,} records were "
            "searched; no value is shown. It finds near copies and nothing subtler."
        )
        if found.against_control:
            remark = f"{found.beyond:,} records are met more closely than any control. " + remark
        headings = ("position", "closeness", "met as closely")
        return Section("Exposed records", lines, remark, headings=headings)

    def _distances(self) -> Iterator[Line]:
        for ways, what in ((1, "columns"), (2, "pairs of columns")):
            if len(self.domain.axes) < ways:
                continue
            found = total_variation(
                self.release.table, self.original, self.domain.schema, ways=ways
            )
            yield distance_line(what, found)

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
                synopsis=self.release.synopsis,
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
        lines = tuple(attack_line(a) for a in found)
        remark = LIMITED + (
            "How well an outlier is hidden shows in many runs of the method, not in one release."
        )
        if self.control is None:
            remark += " Membership and reconstruction need control records."
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
        stated = float(self.release.certificate.options.get("deviation") or 0)
        return matrix_attacks(
            P, A, deviation=stated or None, confidence=self.confidence, seed=self.seed
        )
