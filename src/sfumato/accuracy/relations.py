"""Constraints between columns that look exact, suggested from the noisy tables of a release.

For a block of cells that a constraint would forbid, let T be the records in it, S the noisy count
of it, and E what T would be if its two columns had nothing to do with each other.  The noise stays
above −q, by its exact law, except with some chance; so T ≤ S + q.  A constraint is suggested if

    S + q ≤ s · n           at most a share s of the records can break it,
    3 (S + q) ≤ E₋          which is at most a third of what would be there by chance alone,
    P(noise ≥ S) ≥ 1/100    and noise alone is as large one time in a hundred.

E₋ comes from lower bounds of the single columns' counts, as does n where it is private.  All bounds
hold together except with the chance c that was asked for: half of it is shared by the bounds from
tables of single columns by class, half by those from tables of pairs.  How many of either there are
was settled before the noise in them was drawn, even where pairs were chosen (`docs/proofs/
accuracy.md`).

A suggestion is no proof: between 0 and S + q records may break it.  An order is told only where the
bins of its columns do not overlap; records in the others may break it as well, and are counted
apart (`untold`).  Whoever knows what the columns mean confirms it.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sfumato.accuracy.crossed import Bounds, Crossed, Suggestion
from sfumato.accuracy.law import share as between_0_and_1
from sfumato.accuracy.published import Readable, published
from sfumato.errors import ReleaseError
from sfumato.privacy.guarantee import Number

__all__ = ["CHANCE", "MOST_SHARE", "Suggestion", "Suggestions", "suggest_constraints"]

CHANCE = Fraction(1, 1000)  # that any bound is wrong
MOST_SHARE = Fraction(1, 10)  # of all records, that may break what is suggested
_MOST_SHOWN = 20


@dataclass(frozen=True, eq=False)
class Suggestions:
    """What was found, the strongest first, and what it is worth."""

    dataset: str
    found: tuple[Suggestion, ...]  # that the schema can say
    unsaid: tuple[Suggestion, ...]  # that it cannot
    tried: int
    share: Fraction
    chance: Fraction

    def to_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "dataset": self.dataset,
            "tried": self.tried,
            "share": float(self.share),
            "chance": float(self.chance),
            "constraints": [one.to_json() for one in self.found],
            "not constraints": [one.to_json() for one in self.unsaid],
        }


def suggest_constraints(
    release: Readable, *, share: Number = MOST_SHARE, chance: Number = CHANCE
) -> Suggestions:
    """Constraints that look exact in a `mosaic` release, for its owner to confirm.

    `share`: of all records, that may break one at most.  `chance`: that any bound is wrong.

    >>> import numpy as np
    >>> import pyarrow as pa
    >>> import sfumato as sf
    >>> rng = np.random.default_rng(1)
    >>> sex = rng.choice(["f", "m"], 9_000)
    >>> ward = np.where(sex == "f", rng.choice(["maternity", "eyes"], 9_000), "eyes")
    >>> schema = {"name": "t", "columns": {
    ...     "sex": {"kind": "category", "values": ["f", "m"]},
    ...     "ward": {"kind": "category", "values": ["maternity", "eyes"]}}}
    >>> release = sf.publish(
    ...     pa.table({"sex": sex, "ward": ward}), schema=schema, epsilon=1, seed=3, fit=False)
    >>> (found,) = suggest_constraints(release).found
    >>> found.constraint.forbidden, found.hypothesis.words, found.share < 0.02
    ((('m', 'maternity'),), 'where ward is maternity, sex is f', True)
    """
    asked, allowed = between_0_and_1("share", share), between_0_and_1("chance", chance)
    certificate = release.certificate
    if certificate.people is not None:
        raise ReleaseError(
            "constraints are suggested by tables of records, and here a person is the unit: "
            "declare what must hold of every row in the schema"
        )
    tables = published(release).tables if certificate.method == "mosaic" else None
    if tables is None:
        raise ReleaseError(
            f"{certificate.method} publishes no tables of two columns: only a release by mosaic "
            "can suggest constraints"
        )
    pairs = [Crossed.of(tables, *names) for names in tables.measured]
    margins = {axis.name: tables.margin(axis.name) for axis in tables.domain.axes}
    by_class = sum(len(pair.tried) for pair in pairs if pair.by_class)
    by_pair = sum(len(pair.tried) for pair in pairs if not pair.by_class)
    single = by_class + sum(map(len, margins.values())) + 2  # n is bounded on both sides
    bounds = Bounds(tables, margins, asked, allowed / 2 / single, allowed / 2 / max(by_pair, 1))
    declared = tables.domain.schema.constraints
    found = [one for pair in pairs for one in pair.suggestions(bounds, declared)]
    found.sort(key=lambda one: -one.strength)
    said = [one for one in found if one.constraint is not None][:_MOST_SHOWN]
    unsaid = [one for one in found if one.constraint is None][:_MOST_SHOWN]
    tried = by_class + by_pair
    return Suggestions(certificate.dataset, tuple(said), tuple(unsaid), tried, asked, allowed)
