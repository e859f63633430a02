"""NOT PRIVATE: whole records rebuilt from a release, the surest first (Dick et al. 2023).

An attacker who knows nothing but the release names whole records, in bins, in the order of their
confidence; a guess is right if somebody in the data is so.  Two ways to be sure:

- `reconstruction_attack` names rows of the released table, first those whose values occur together
  most beyond what independent columns would give.  It finds copies and near copies, whoever
  they are of, the unusual first.
- `table_reconstruction_attack` rebuilds records from the published tables of pairs of columns
  (`rebuild`), first those that come out most often.  It sees what noise on tables leaves of
  people; the released rows, which were drawn anew, may show none of it.

Much of what is named is right about somebody in any sample of these people.  So the same guesses
are held against control records, as many as there are records, and an attacker who only
knows the population names control records in the place of rebuilt ones.  Guesses differ from each
other, and a record that fits one cannot fit another: that makes rates steadier than independent
tries would, and the intervals hold.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ParameterError, ReleaseError
from sfumato.inspection.attack.bins import Cells, bins_of
from sfumato.inspection.attack.outcome import Rate, gap
from sfumato.inspection.attack.pair_tables import PairTables, cells_of
from sfumato.inspection.attack.parameter import confident, whole
from sfumato.inspection.attack.rebuild import rebuilt
from sfumato.inspection.attack.result import Attack
from sfumato.inspection.attack.tables import CONTROL, Tables
from sfumato.inspection.utility import AnySchema
from sfumato.numeric.arrays import Codes
from sfumato.synopsis.tables import Layout, MosaicSynopsis

__all__ = ["BEST", "reconstruction_attack", "table_reconstruction_attack"]

BEST = 100  # guesses that count: the surest

Scores = NDArray[np.float64]


def reconstruction_attack(
    release: Any,
    original: Any,
    schema: AnySchema,
    *,
    control: Any,
    best: int = BEST,
    confidence: float = 0.95,
    seed: int = 0,
) -> Attack:
    """NOT PRIVATE: how many of the `best` rows of a release are a record of the data.

    Numbers and dates are compared in ten bins that hold as many released rows each.

    >>> from sfumato.example import CLINIC, clinic
    >>> from sfumato.schema import Schema
    >>> patients = clinic(600)
    >>> found = reconstruction_attack(patients.slice(0, 300), patients.slice(0, 300),
    ...     Schema.parse(CLINIC), control=patients.slice(300))
    >>> found.verdict, found.success.value
    ('succeeds', 1.0)
    """
    guess = _Guess.of(release, original, schema, control, best, confidence, seed)
    domain = guess.tables.domain

    def surest(released: Codes, rows: Codes) -> tuple[Rate, Rate]:
        bins = bins_of(domain, released)
        return guess.tried(guess.first(bins(rows), _together), bins)

    success, control_rate = surest(guess.tables.release, guess.tables.release)
    bare = surest(guess.tables.original, guess.tables.original)
    population = surest(guess.tables.release, guess.others)[0]
    return guess.result("reconstruction", success, control_rate, population, bare)


def table_reconstruction_attack(
    synopsis: Mapping[str, Any],
    original: Any,
    schema: AnySchema,
    *,
    control: Any,
    best: int = BEST,
    confidence: float = 0.95,
    seed: int = 0,
) -> Attack:
    """NOT PRIVATE: how many of the `best` records rebuilt from published tables are in the data.

    `synopsis` is that of a release by mosaic.  The attack has power where the same tables
    without noise give people away.

    >>> import sfumato as sf
    >>> from sfumato.example import CLINIC, clinic
    >>> patients, schema = clinic(400), sf.Schema.parse(CLINIC)
    >>> release = sf.publish(patients.slice(0, 200), schema=schema, epsilon=1, seed=1)
    >>> found = table_reconstruction_attack(release.synopsis, patients.slice(0, 200), schema,
    ...     control=patients.slice(200))
    >>> found.verdict in ("fails", "no power")
    True
    """
    guess = _Guess.of(original, original, schema, control, best, confidence, seed)
    if synopsis.get("kind") != "tables":
        raise ReleaseError("the synopsis holds no tables of columns: there is nothing to rebuild")
    published = MosaicSynopsis.from_json(synopsis, Layout.of(guess.tables.domain))
    partition, size = published.partition, len(guess.tables.original)

    def bins(codes: Codes) -> Cells:
        return cells_of(partition, codes)

    def surest(cells: Cells) -> tuple[Rate, Rate]:
        return guess.tried(guess.first(cells, _often), bins)

    noisy, people = PairTables.of_synopsis(published), bins(guess.tables.original)
    exact = PairTables.of_cells(people, noisy.sizes, partition.classes).among(noisy.counted)
    success, control_rate = surest(rebuilt(noisy, size, guess.rng))
    bare = surest(rebuilt(exact, size, guess.rng))
    population = surest(bins(guess.others))[0]
    return guess.result(
        "reconstruction from tables",
        success,
        control_rate,
        population,
        bare,
        reach_is="the same tables had been published without noise",
    )


@dataclass(frozen=True)
class _Guess:
    """Records, as many controls, and how guesses about them are counted."""

    tables: Tables
    best: int
    confidence: float
    rng: np.random.Generator

    @classmethod
    def of(
        cls,
        release: Any,
        original: Any,
        schema: AnySchema,
        control: Any,
        best: int,
        confidence: float,
        seed: int,
    ) -> "_Guess":
        confident(confidence)
        whole("best", best)
        if control is None:
            raise ParameterError("control must be given: records that had no part in the release")
        tables = Tables.of(release, original, schema, control=control, targets=None, seed=seed)
        return cls(tables, best, confidence, np.random.default_rng(seed))

    @property
    def others(self) -> Codes:
        """All control records, in a random order."""
        assert self.tables.strangers is not None  # noqa: S101  it was asked for
        return self.tables.strangers

    def first(self, cells: Cells, sure: Callable[[Cells, Scores], Scores]) -> Cells:
        """The surest guesses, each once; among equals any."""
        guesses, often = np.unique(cells, axis=0, return_counts=True)
        order = np.lexsort([self.rng.random(len(guesses)), -sure(guesses, often.astype(float))])
        found: Cells = guesses[order[: self.best]]
        return found

    def tried(self, guesses: Cells, bins: Callable[[Codes], Cells]) -> tuple[Rate, Rate]:
        """How many are right about a record, and how many about a control record."""
        size = min(len(self.tables.members), len(self.others))
        sides = (bins(side[:size]) for side in (self.tables.members, self.others))
        member, stranger = (Rate(_right(guesses, side), len(guesses)) for side in sides)
        return member, stranger

    def result(
        self,
        name: str,
        success: Rate,
        control: Rate,
        population: Rate,
        bare: tuple[Rate, Rate],
        **more: Any,
    ) -> Attack:
        return Attack(
            name=name,
            knows="nothing but the release",
            success=success,
            baseline=population,
            baseline_is="naming records of other people",
            control=control,
            control_is=CONTROL,
            confidence=self.confidence,
            reach=gap(bare[0], bare[1], self.confidence),
            details={"best": self.best},
            **more,
        )


def _right(guesses: Cells, people: Cells) -> int:
    """How many guesses are true of somebody."""
    _, place = np.unique(np.vstack([guesses, people]), axis=0, return_inverse=True)
    place = place.ravel()
    return int(np.isin(place[: len(guesses)], place[len(guesses) :]).sum())


def _often(_guesses: Cells, often: Scores) -> Scores:
    """By how often it was rebuilt."""
    return often


def _together(guesses: Cells, often: Scores) -> Scores:
    """By how much more often its values occur together than independent columns would make them."""
    expected = np.zeros(len(guesses))
    for column in guesses.T:
        expected += np.log(np.bincount(column, weights=often)[column] / often.sum())
    found: Scores = np.log(often) - expected
    return found
