"""The tables of a `mosaic` synopsis in the order in which they were bought, to be replayed."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sfumato.measure.tables import PairChoice
from sfumato.measure.triples import TripleChoice, pairs_without
from sfumato.numeric.arrays import Whole
from sfumato.privacy.guarantee import PureDP
from sfumato.schema.domain import Domain
from sfumato.synopsis.tables import Layout, MosaicSynopsis
from sfumato.synopsis.triples import Pair

__all__ = ["mosaic_script"]


def mosaic_script(synopsis: Mapping[str, Any], domain: Domain) -> list[list[Whole]]:
    """One entry per purchase: wide columns, all codes, columns by class, draws of pairs, pairs.

    Triples come last: their draws, and their tables.  Of tables of codes, those that were not kept
    stand as 0: they are not kept again.
    """
    axes = sorted(synopsis["bins"], key=int)
    fine = [
        table
        for axis in sorted(synopsis["columns"], key=int)
        for table in (synopsis["columns"][axis], synopsis["runs"].get(axis, []))
    ]
    ends = np.cumsum([max(synopsis["bins"][axis]) + 1 for axis in axes])[:-1]
    classes = np.split(np.array(synopsis["classes"], np.int64), ends, axis=1)
    pairs = [table["counts"] for table in synopsis["pairs"]]
    script = [[_flat(fine)]] if fine else []
    if "codes" in synopsis:
        script.append([_flat([_all_codes(synopsis, axis) for axis in axes])])
    script.append([_flat(classes)])
    found = MosaicSynopsis.from_json(synopsis, Layout.of(domain))
    target = Layout.of(domain).target
    if found.chosen:
        # What was drawn does not depend on a price.
        first, draws = not found.states_bins, len(found.chosen)
        wanted = None if first else target
        choice = PairChoice(found.partition, draws, "replace-one", PureDP(1), wanted, forest=first)
        script.append(_positions(found.chosen, choice))
    if pairs:
        script.append([_flat(pairs)])
    if found.triples is not None:
        triples = found.triples.tables
        if len(triples) < len(pairs_without(target, len(found.partition.columns))):
            choice = TripleChoice(found.partition, len(triples), "replace-one", PureDP(1), target)
            script.append(_positions(tuple(triples), choice))
        script.append([_flat(list(triples.values()))])
    return script


def _all_codes(synopsis: Mapping[str, Any], axis: str) -> Whole:
    """By class and code; nothing of a column whose codes were not counted."""
    if axis not in synopsis["codes"]:
        return np.empty(0, np.int64)
    heavy = synopsis["codes"][axis]
    table = np.zeros((len(synopsis["classes"]), synopsis["edges"][axis][-1]), np.int64)
    table[:, np.array(heavy["codes"], np.int64)] = heavy["counts"]
    return table


def _flat(tables: Sequence[Any]) -> Whole:
    return np.concatenate([np.array(table, np.int64).ravel() for table in tables])


def _positions(chosen: Sequence[Pair], choice: PairChoice) -> list[Whole]:
    """Where each chosen pair stood among the candidates of its draw."""
    left, found = choice.candidates(), list[Whole]()
    for pair in chosen:
        position = left.position(pair)
        found.append(np.array([] if position is None else [position], np.int64))
        left.take(pair)
    return found
